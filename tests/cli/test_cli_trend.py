"""``--group``, ``group``, ``runs --group`` and ``trend`` on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
SIZE = 30


def write_version(folder: Path, name: str, passes: int) -> str:
    """A model that passes the checks of the first so many conversations; its spec."""
    table = {f"c{number}": ["Noted.", "red" if number < passes else "I forgot"] for number in range(SIZE)}
    (folder / f"{name}.json").write_text(json.dumps(table), encoding="utf-8")
    return f"scripted:{name}.json"


@pytest.fixture(name="flags")
def suite_flags(folder: Path) -> tuple[str, ...]:
    check = {"kind": "says", "any": ["red"]}
    conversations = [
        {"id": f"c{number}", "turns": ["Red.", {"text": "Which?", "checks": [check]}]} for number in range(SIZE)
    ]
    (folder / "s.json").write_text(json.dumps(conversations), encoding="utf-8")
    return ("--suite", "s.json", "--quiet")


def run_ids(cli: Cli, *arguments: str) -> list[str]:
    """The runs that ``runs`` lists, newest first."""
    return [line.split()[0] for line in cli("runs", *arguments)[1].splitlines() if re.match(r"\d{8}-", line)]


def test_versions_over_time(cli: Cli, folder: Path, flags: tuple[str, ...]) -> None:
    """Held, compared and labelled into one group: a fall is seen, a run under other conditions is apart."""
    good, same, bad = (write_version(folder, name, passes) for name, passes in (("v1", 28), ("v2", 27), ("v3", 9)))
    assert cli("run", good, *flags, "--group", "bot")[0] == 0
    assert cli("run", good, *flags, "--group", "bot", "--temperature", "0.1")[0] == 0
    assert cli("compare", "--report", "", good, same, *flags, "--group", "bot")[0] == 0
    assert cli("run", bad, *flags)[0] == 0
    assert run_ids(cli, "--group", "bot") == run_ids(cli)[1:]
    code, out, _ = cli("group", "latest", "bot")
    assert (code, "in group 'bot', which has 4 runs" in out, "multiturn trend bot" in out) == (0, True, True)
    code, out, err = cli("trend", "bot")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("bot: checks passed over time")
    assert [line.split()[:2] for line in lines if re.match(r"\d ", line) and "scripted" in line][:3] == [
        ["1", good],
        ["2", same],
        ["3", bad],
    ]
    assert any(re.search(r"3 - 2 .*regressed +below 0.001 +yes", line) for line in lines)
    assert any(re.search(r"scripted:v1.json +sampling.temperature: 0.1 / 0.7", line) for line in lines)
    assert "Version 3 regressed against the one before, and that stands" in out
    assert "False alarms: where nothing changes at all, 2 steps" in out
    newest, before, *_ = run_ids(cli, "--group", "bot")
    assert f"multiturn diff {before} {newest}" in out
    assert cli("trend", "bot", "--measure", "words")[1].startswith("bot: words a reply over time")
    assert "less than 40.0 pp apart" in cli("trend", "bot", "--margin", "check_pass=40%")[1]


def test_a_run_is_taken_out_again(cli: Cli, refused: Callable[..., str], folder: Path, flags: tuple[str, ...]) -> None:
    """Said also where it is in the group already, or is not in it."""
    cli("run", write_version(folder, "v1", 3), *flags, "--group", "bot")
    (run,) = run_ids(cli)
    assert "is already in group 'bot', which has 1 run\n" in cli("group", run, "bot")[1]
    assert cli("group", run, "two words")[0] == 0
    assert "in bot, two words" in cli("runs")[1]
    assert "is taken out of group 'bot'" in cli("group", run, "bot", "--remove")[1]
    assert "in two words" in cli("runs")[1]
    assert "it is in: two words" in refused("group", run, "bot", "--remove")
    assert "did you mean two words?" in refused("trend", "two word")
    assert "groups: two words" in refused("runs", "--group", "x")


def test_one_run_says_what_to_type_next(cli: Cli, folder: Path, flags: tuple[str, ...]) -> None:
    cli("run", write_version(folder, "v1", 3), *flags, "--group", "bot")
    code, out, _ = cli("trend", "bot")
    assert code == 0
    assert "One run is no trend yet" in out
    assert "multiturn run MODEL --group bot" in out
    assert "multiturn diff" not in out


def test_groups_that_can_not_be(cli: Cli, refused: Callable[..., str], flags: tuple[str, ...]) -> None:
    """Refused before anything is held; without a store, or without any group, it is said how to make one."""
    assert "can't hold '\\n'" in refused("run", "scripted:echo", *flags, "--group", "a\nb")
    assert "there is no store" in refused("trend", "bot")
    assert "there is no store" in refused("runs", "--group", "bot")
    cli("run", "scripted:echo", *flags)
    assert "multiturn group RUN NAME" in refused("trend", "bot")
    assert "100 at most" in refused("group", "latest", "x" * 101)


def test_golden_runs_of_both_histories_are_in_no_group(cli: Cli, folder: Path) -> None:
    """They would be apart in every trend."""
    check = {"kind": "says", "any": ["red"]}
    turns = [{"text": "Red.", "golden": "Noted."}, {"text": "Which?", "golden": "red", "checks": [check]}]
    (folder / "g.json").write_text(json.dumps([{"id": "a", "turns": turns}]), encoding="utf-8")
    cli("run", "scripted:echo", "--suite", "g.json", "--history", "both", "--group", "bot", "--quiet")
    listed = cli("runs")[1].splitlines()
    assert [("golden history" in line, line.endswith("in bot")) for line in listed] == [(False, True), (True, False)]


def test_an_exported_run_brings_its_groups(cli: Cli, folder: Path, flags: tuple[str, ...]) -> None:
    cli("run", write_version(folder, "v1", 3), *flags, "--group", "bot")
    cli("export", "latest", "run.jsonl")
    cli("import", "run", "run.jsonl", "--store", "other.db")
    assert cli("runs", "--store", "other.db")[1].strip().endswith("in bot")
