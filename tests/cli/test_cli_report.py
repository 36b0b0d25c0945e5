"""``multiturn report``: which runs, which form, where to, and nothing but the form on standard output."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from multiturn.store import open_store

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]

CAKES = [
    {
        "id": name,
        "turns": [
            "Say OK.",
            {"text": "A cake?", "capability": "correction", "checks": [{"kind": "says", "any": ["cake*"]}]},
        ],
    }
    for name in ("lemon", "plum", "rhubarb")
]
TEXT_FORMS = ("markdown", "card", "json", "csv", "junit")


@pytest.fixture(autouse=True)
def models(folder: Path) -> None:
    """A suite with checks, one model that passes them and two that do not."""
    (folder / "cakes.json").write_text(json.dumps(CAKES), encoding="utf-8")
    for name, reply in (("good", "cake"), ("bad", "\x1b[31mno\x1b[0m"), ("odd", "pie")):
        (folder / f"{name}.json").write_text(json.dumps({"*": ["ok", reply]}), encoding="utf-8")


def run(cli: Cli, model: str, *flags: str) -> str:
    """Hold the cakes with a model; the run's id."""
    code, out, _ = cli("run", f"scripted:{model}.json", "--suite", "cakes.json", "-q", *flags)
    assert code == 0
    return out.split(": run ", 1)[1].split(maxsplit=1)[0].rstrip(",")


def compare(cli: Cli, *flags: str) -> tuple[str, str]:
    """Compare the good with the bad one; the ids of the runs."""
    code, out, _ = cli("compare", "scripted:good.json", "scripted:bad.json", "--suite", "cakes.json", "-q", *flags)
    assert code == 0
    base, tuned = (line.split(": run ", 1)[1].split(maxsplit=1)[0].rstrip(",") for line in out.splitlines()[:2])
    return base, tuned


def test_without_a_run_it_is_of_the_last_comparison(cli: Cli, folder: Path) -> None:
    """With its plan; which runs these are is said beside it."""
    base, tuned = compare(cli, "--report", "", "--margin", "check_pass=7%")
    code, out, err = cli("report")
    assert (code, out) == (0, "report: outputs/report.html  (open it in a browser)\n")
    assert err == f"of the last comparison: base {base}, tuned {tuned}\n"
    assert (folder / "outputs" / "report.html").is_file()
    _, out, _ = cli("report", "--format", "json")
    assert json.loads(out)["comparison"]["plan"]["margins"] == {"check_pass": 0.07}
    assert out == (folder / "outputs" / "mtbench_results.json").read_text(encoding="utf-8")


def test_what_was_declared_to_differ_needs_no_declaration_again(cli: Cli) -> None:
    """The last comparison was allowed; of two runs that are named it is asked for."""
    both = ("compare", "scripted:good.json", "scripted:good.json", "--suite", "cakes.json", "-q", "--report", "")
    code, out, _ = cli(*both, "--tuned-system", "Rhyme.", "--vary", "system_prompt")
    assert code == 0
    told = cli("report", "--format", "markdown")
    assert told[0] == 0
    assert "differs as declared: system\\_prompt" in told[1]
    assert "--tuned-system Rhyme. --vary system\\_prompt" not in told[1]
    assert "--tuned-system Rhyme. --vary system_prompt" in told[1]
    ids = [line.split(": run ", 1)[1].split(maxsplit=1)[0].rstrip(",") for line in out.splitlines()[:2]]
    code, _, err = cli("report", *ids, "--format", "markdown")
    assert code == 2
    assert "--vary system_prompt" in err


def test_an_a_a_run_needs_no_declaration(cli: Cli) -> None:
    compare_one = ("compare", "scripted:good.json", "scripted:good.json", "--suite", "cakes.json", "-q", "--report", "")
    assert cli(*compare_one)[0] == 0
    code, out, _ = cli("report", "--format", "markdown")
    assert code == 0
    assert "## multiturn: A/A run: " in out
    assert "sampling.seed" not in out.rpartition("```sh")[2]


def test_a_declared_look_is_told_again_and_no_further_one_is_taken(cli: Cli) -> None:
    compare(cli, "--report", "", "--extend")
    code, out, _ = cli("report", "--format", "json")
    comparison = json.loads(out)["comparison"]
    assert code == 0
    assert (comparison["plan"]["level"], comparison["plan"]["look"]) == (0.975, 1)
    assert any(note.startswith("look 1 of 2") for note in comparison["notes"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no outputs/mtbench_results.json"),
        ("{", "names no runs"),
        ('{"base_results": []}', "names no runs"),
        ('{"base_run": {"id": "x"}, "tuned_run": {"id": "latest"}}', "not in outputs/multiturn.db: x, latest"),
    ],
)
def test_without_a_last_comparison_it_says_what_to_type(
    cli: Cli, refused: Refused, folder: Path, content: str | None, words: str
) -> None:
    """No file, one of something else, and one of runs that are elsewhere."""
    run(cli, "good")
    if content is not None:
        (folder / "outputs" / "mtbench_results.json").write_text(content, encoding="utf-8")
    error = refused("report")
    assert words in error
    assert "multiturn report RUN [RUN]" in error


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_standard_output_has_the_form_and_nothing_else(cli: Cli, folder: Path, form: str) -> None:
    """The same as in a file, and for one run too; a report of a regression ends with 0."""
    base, tuned = compare(cli, "--report", "")
    for ids in ([base, tuned], ["latest"]):
        code, out, err = cli("report", *ids, "--format", form)
        assert (code, err) == (0, "")
        code, said, _ = cli("report", *ids, "--format", form, "--output", "made/it")
        assert (code, said) == (0, f"{form}: made/it\n")
        assert (folder / "made" / "it").read_bytes() == out.encode()
        assert out


def test_each_form_is_what_it_says(cli: Cli) -> None:
    """Of a comparison in which one model says something with control codes."""
    base, tuned = compare(cli, "--report", "")
    told = {form: cli("report", base, tuned, "--format", form)[1] for form in TEXT_FORMS}
    assert told["markdown"].startswith("## multiturn: INCONCLUSIVE, checks passed 100.0% to 0.0%\n")
    assert "--suite cakes.json" in told["markdown"]
    assert told["card"].startswith("---\nmodel-index:\n")
    assert json.loads(told["json"])["tuned_run"]["id"] == tuned
    rows = list(csv.DictReader(io.StringIO(told["csv"], newline="")))
    assert [(row["arm"], row["run"]) for row in rows] == [("base", base)] * 6 + [("tuned", tuned)] * 6
    assert rows[7]["reply"] == "\x1b[31mno\x1b[0m"
    root = ET.fromstring(told["junit"])  # noqa: S314 - of our own making
    assert [one.attrib["name"] for one in root] == ["verdicts", "conversations"]
    assert root.attrib["failures"] == "3"
    assert all("\x1b" not in told[form] for form in ("markdown", "card", "junit", "json"))


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.md", b"## "),
        ("a.json", b"{"),
        ("a.csv", b"run,"),
        ("a.xml", b"<?xml"),
        ("a.html", b"<!DOCTYPE"),
        ("a", b"<!"),
    ],
)
def test_the_ending_of_the_file_says_which_form(cli: Cli, folder: Path, name: str, begins: bytes) -> None:
    run(cli, "good")
    assert cli("report", "latest", "-o", name)[0] == 0
    assert (folder / name).read_bytes().startswith(begins)
    assert cli("report", "latest", "-o", name, "--format", "csv")[0] == 0
    assert (folder / name).read_bytes().startswith(b"run,")


def test_html_goes_to_standard_output_where_that_is_asked_for(cli: Cli, folder: Path) -> None:
    run(cli, "good")
    code, out, err = cli("report", "latest", "-o", "-")
    assert (code, err) == (0, "")
    assert out.startswith("<!DOCTYPE html>")
    assert not (folder / "outputs" / "report.html").exists()


def test_more_than_two_runs_are_ranked(cli: Cli) -> None:
    """In each form that can; a card is of one model."""
    ids = [run(cli, name) for name in ("good", "bad", "odd")]
    assert cli("report", *ids)[0] == 0
    assert "3 models on cakes" in cli("report", *ids, "--format", "markdown")[1]
    found = json.loads(cli("report", *ids, "--format", "json")[1])
    assert [one["arm"] for one in found["arms"]] == ["base", "arm 2", "arm 3"]
    assert [one["tuned_run"] for one in found["comparisons"]] == ids[1:]
    assert len(found["ranking"]["rates"]["arms"]) == 3
    assert cli("report", *ids, "--format", "csv")[1].count("\r\n") == 1 + 3 * 6
    assert cli("report", *ids, "--format", "junit")[0] == 0
    code, _, err = cli("report", *ids, "--format", "card")
    assert code == 2
    assert "of one model" in err


def test_several_runs_of_a_suite_without_checks_have_no_ranking(cli: Cli, suite: str) -> None:
    ids = []
    for seed in "123":
        _, out, _ = cli("run", "scripted:echo", "--suite", suite, "-q", "--seed", seed)
        ids.append(out.split(": run ", 1)[1].split(maxsplit=1)[0].rstrip(","))
    found = json.loads(cli("report", *ids, "--format", "json", "--vary", "sampling.seed")[1])
    assert found["ranking"] is None
    assert len(found["comparisons"]) == 2
    for form in ("html", "markdown", "junit"):
        assert cli("report", *ids, "--format", form, "-o", "x", "--vary", "sampling.seed")[0] == 0, form


def test_a_plan_that_comes_after_the_runs_is_told(cli: Cli) -> None:
    base, tuned = compare(cli, "--report", "")
    found = json.loads(cli("report", base, tuned, "--format", "json", "--primary", "words")[1])
    assert found["comparison"]["verdicts"][0]["measure"] == "words"
    assert any("both runs were there before" in note for note in found["comparison"]["notes"])
    last = json.loads(cli("report", "--format", "json", "--primary", "words")[1])
    assert last["comparison"]["verdicts"][0]["measure"] == "words"


@pytest.mark.parametrize(
    ("flags", "primary", "margins"),
    [
        (("--margin", "refusal=3%"), "words", {"words": 0.4, "check_pass": 0.07, "refusal": 0.03}),
        (("--margin", "words=50%"), "words", {"words": 0.5, "check_pass": 0.07}),
        (("--primary", "turn_pass"), "turn_pass", {"words": 0.4, "check_pass": 0.07}),
        (("--vary", "system_prompt"), "words", {"words": 0.4, "check_pass": 0.07}),
    ],
    ids=" ".join,
)
def test_of_the_last_comparison_only_what_is_named_is_another(
    cli: Cli, flags: tuple[str, ...], primary: str, margins: dict[str, float]
) -> None:
    """The rest of its plan is as it was laid down; a plan that is another one is told to be late."""
    compare(cli, "--report", "", "--primary", "words", "--margin", "words=40%", "--margin", "check_pass=7%")
    told = json.loads(cli("report", "--format", "json", *flags)[1])["comparison"]
    assert (told["plan"]["primary"], told["plan"]["margins"]) == (primary, margins)
    late = any("both runs were there before" in note for note in told["notes"])
    assert late == ("--vary" not in flags)


def test_a_margin_that_another_primary_measure_leaves_idle_is_left_out(cli: Cli) -> None:
    """So that the command that is told is one that ``compare`` takes."""
    compare(cli, "--report", "", "--primary", "collapse", "--margin", "collapse=2%", "--margin", "words=40%")
    told = cli("report", "--format", "markdown", "--primary", "check_pass")[1]
    assert "--margin words=0.4" in told
    assert "--margin collapse" not in told


def test_another_plan_is_no_look_that_was_declared(cli: Cli) -> None:
    """It is a further one, and is told to be; what was declared to differ stays so."""
    compare(cli, "--report", "", "--extend")
    code, out, _ = cli("report", "--format", "json", "--margin", "check_pass=7%")
    told = json.loads(out)["comparison"]
    assert (code, told["plan"]["level"]) == (0, 0.95)
    assert any("this is a further look" in note for note in told["notes"])


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--format", "parquet"), "--output turns.parquet"),
        (("--primary", "words"), "name two runs"),
        (("--primary", "check_pass"), "name two runs"),
        (("--margin", "check_pass=7%"), "name two runs"),
        (("--vary", "system_prompt"), "name two runs"),
        (("--for-spreadsheet", "--format", "json"), "--format csv"),
        (("--output", ""), "--output FILE"),
        (("--output", "cakes.json/x.html"), "--output PATH"),
        (("--output", "outputs"), "is a folder"),
        (("--primary", "nothing"), "nothing"),
    ],
)
def test_what_can_not_be_done_says_what_to_do(cli: Cli, refused: Refused, flags: tuple[str, ...], words: str) -> None:
    run(cli, "good")
    assert words in refused("report", "latest", *flags)


def test_a_run_that_is_not_there_is_told(cli: Cli, refused: Refused) -> None:
    run(cli, "good")
    assert "no run 'nothing'" in refused("report", "nothing")
    assert "no run 'nothing'" in refused("report", "latest", "nothing")


def test_a_run_that_is_named_twice_among_several_is_told_in_the_words_of_this_command(
    cli: Cli, refused: Refused
) -> None:
    """Ranking refuses it too, but has another command to type. Twice by itself it is compared: nothing differs."""
    first, second = run(cli, "good"), run(cli, "bad")
    told = refused("report", first, second, first)
    assert f"run {first} is named more than once" in told
    assert f"multiturn report {first} {second}" in told
    assert "multiturn rank" not in told
    assert "one and the same run, so nothing can differ" in cli("report", first, first, "--format", "markdown")[1]


def test_runs_of_different_suites_can_not_be_compared(cli: Cli, refused: Refused, suite: str) -> None:
    first = run(cli, "good")
    cli("run", "scripted:echo", "--suite", suite, "-q")
    for form in ("html", "markdown", "json", "junit", "card"):
        assert "of different suites" in refused("report", first, "latest", "--format", form)
    assert cli("report", first, "latest", "--format", "csv")[0] == 0, "nothing is compared there"


def test_what_a_spreadsheet_would_compute_can_be_protected(cli: Cli, folder: Path) -> None:
    (folder / "sum.json").write_text('{"*": ["=1+1", "cake"]}', encoding="utf-8")
    run(cli, "sum")
    plain, guarded = (
        list(csv.DictReader(io.StringIO(cli("report", "latest", "--format", "csv", *flags)[1], newline="")))
        for flags in ((), ("--for-spreadsheet",))
    )
    assert (plain[0]["reply"], guarded[0]["reply"]) == ("=1+1", "'=1+1")


def test_parquet_has_the_same_rows(cli: Cli, folder: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow: pip install '.[parquet]'")
    base, tuned = compare(cli, "--report", "")
    assert cli("report", base, tuned, "-o", "turns.parquet")[0] == 0
    rows = pyarrow.read_table(folder / "turns.parquet").to_pylist()
    assert [(row["arm"], row["turn"], row["reply"]) for row in rows[6:8]] == [
        ("tuned", 1, "ok"),
        ("tuned", 2, "\x1b[31mno\x1b[0m"),
    ]
    assert rows[7]["failed_checks"] == ["says 'cake*'"]
    assert rows[6]["checks_applied"] is None


def test_a_report_takes_nothing_from_the_store_and_puts_nothing_in(cli: Cli, folder: Path) -> None:
    base, tuned = compare(cli, "--report", "")

    def kept() -> tuple[object, ...]:
        with open_store(folder / "outputs" / "multiturn.db") as store:
            return tuple((one.run, one.progress) for one in store.runs())

    before = kept()
    for form in ("html", *TEXT_FORMS):
        cli("report", base, tuned, "--format", form, "-o", "x")
    assert kept() == before


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_a_terminal_gets_no_control_codes(cli: Cli, form: str) -> None:
    """What a model wrote would change colours there; another program gets every letter."""
    run(cli, "bad")
    reader, writer = pty.openpty()
    command = [sys.executable, "-m", "multiturn", "report", "latest", "--format", form]
    told = bytearray()

    def hear() -> None:
        with contextlib.suppress(OSError):  # the other side has closed
            while heard := os.read(reader, 65_536):
                told.extend(heard)

    listening = threading.Thread(target=hear)
    listening.start()
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    listening.join()
    os.close(reader)
    assert (done.returncode, done.stderr) == (0, b"")
    assert told
    assert b"\x1b" not in told
    assert form != "csv" or "\u241b[31mno" in told.decode()


def piped(*arguments: str, behind: str) -> subprocess.CompletedProcess[bytes]:
    """A command of its own process behind a shell's redirection."""
    command = " ".join([sys.executable, "-m", "multiturn", *arguments, behind])
    return subprocess.run(command, shell=True, check=False, capture_output=True)  # noqa: S602 - our own words


def test_a_reader_that_has_seen_enough_ends_it(cli: Cli) -> None:
    """``head`` closes the pipe; nothing is wrong."""
    run(cli, "good")
    done = piped("report", "latest", "--format", "json", behind="| head -c 5")
    assert (done.stdout, done.stderr) == (b'{"sch', b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_behind_standard_output_is_a_sentence(cli: Cli) -> None:
    run(cli, "good")
    done = piped("report", "latest", "--format", "csv", behind="> /dev/full")
    assert done.returncode == 2
    assert b"standard output can't be written: No space left on device" in done.stderr
    assert b"--output FILE" in done.stderr
    assert b"Traceback" not in done.stderr
