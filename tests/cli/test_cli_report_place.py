"""Where ``compare`` puts the report's page, and what is said where it can't be put there."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from multiturn import api
from multiturn.errors import UsageError
from multiturn.store import open_store

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]

TWO = ("compare", "scripted:echo", "scripted:no.json", "--suite", "small.json", "-q")


@pytest.fixture(autouse=True)
def told(suite: str, folder: Path) -> None:
    """What ``TWO`` compares: a model that only ever says no, on the small suite."""
    assert suite in TWO
    (folder / "no.json").write_text('{"*": ["no", "no", "no"]}', encoding="utf-8")


def ids(out: str) -> list[str]:
    """The runs that a comparison names."""
    return [line.split(": run ", 1)[1].split(",")[0] for line in out.splitlines() if ": run " in line]


def test_the_last_line_says_which_file_to_open(cli: Cli, folder: Path) -> None:
    """Of a comparison that is held, and of one of two stored runs."""
    code, out, err = cli(*TWO)
    assert (code, err) == (0, "")
    page = folder / "outputs" / "report.html"
    assert out.splitlines()[-1] == "report: outputs/report.html  (open it in a browser)"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    page.unlink()
    _, out, _ = cli("compare", *ids(out), "--stored")
    assert out.splitlines()[-1] == "report: outputs/report.html  (open it in a browser)"
    assert page.exists()


def test_the_page_goes_where_it_is_asked_for_or_nowhere(cli: Cli, folder: Path) -> None:
    _, out, _ = cli(*TWO, "--report", "new/place/r.html")
    assert out.splitlines()[-1] == "report: new/place/r.html  (open it in a browser)"
    assert (folder / "new" / "place" / "r.html").is_file()
    _, out, _ = cli(*TWO, "--report", "")
    assert "report:" not in out
    assert not (folder / "outputs" / "report.html").exists()


@pytest.mark.parametrize("place", ["taken", "small.json/r.html"])
@pytest.mark.parametrize("flag", ["--report", "--results"])
def test_a_place_that_can_be_none_is_told_before_anything_is_held(
    cli: Cli, refused: Refused, folder: Path, place: str, flag: str
) -> None:
    """A folder of that name, or a file where a folder should be."""
    (folder / "taken").mkdir()
    error = refused(*TWO, flag, place)
    assert place in error
    assert f"{flag} " in error
    assert "no runs yet" in cli("runs")[1]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody may write to")
def test_a_folder_that_may_not_be_written_loses_nothing(cli: Cli, folder: Path) -> None:
    """The results are there, the runs are kept, and the same command with another place asks nothing again."""
    code, out, err = cli(*TWO, "--report", "/proc/self/r.html")
    assert (code, out) == (2, "")
    assert "/proc/self/r.html can't be written" in err
    assert "--report PATH" in err
    assert (folder / "outputs" / "mtbench_results.json").exists()
    code, out, _ = cli(*TWO)
    assert code == 0
    assert out.count("is used again") == 2


def test_a_full_disk_leaves_the_older_page_as_it_was(cli: Cli, folder: Path) -> None:
    """A limit on file sizes stands in for the disk."""
    _, out, _ = cli(*TWO)
    base, tuned = ids(out)
    page = folder / "outputs" / "report.html"
    older = page.read_bytes()
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    with open_store(folder / "outputs" / "multiturn.db") as store:
        api.compare_stored(store, base, tuned)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(older) // 2, unlimited[1]))
        try:
            with pytest.raises(UsageError, match=r"report\.html can't be written") as refused:
                api.compare_stored(store, base, tuned, page=page)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert "both runs are kept" in refused.value.hint
    assert page.read_bytes() == older
    assert not list(page.parent.glob(".*.part"))
