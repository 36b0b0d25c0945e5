"""Suites from the command line: list, show, lint."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]


def test_the_shipped_suites_are_listed_with_their_sizes(cli: Cli) -> None:
    code, out, err = cli("suite", "list")
    assert (code, err) == (0, "")
    assert "mtbench_conversations  version 2, 48 conversations, 281 turns" in out
    assert "safety_conversations  version 1, 28 conversations" in out
    assert "quick  version 2, 12 conversations" in out


def test_every_listed_suite_can_be_shown_and_has_no_fault(cli: Cli) -> None:
    _, out, _ = cli("suite", "list")
    names = [line.split()[0] for line in out.splitlines() if "  version " in line]
    assert names
    for name in names:
        assert cli("suite", "show", name)[0] == 0
        assert cli("suite", "lint", name)[0] == 0


def test_a_suite_is_shown_a_line_a_conversation(cli: Cli, suite: str) -> None:
    code, out, _ = cli("suite", "show", suite)
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines()] == [
        ["a", "2", "turns"],
        ["b", "3", "turns"],
        ["c", "2", "turns"],
    ]


def test_a_conversation_is_shown_in_full(cli: Cli, suite: str) -> None:
    code, out, _ = cli("suite", "show", suite, "c")
    assert code == 0
    assert out.splitlines() == [
        "c",
        "why: Shows that a reason is shown.",
        "system: Be brief.",
        "",
        "1. uno",
        "",
        "2. dos",
    ]
    assert "golden: gold two" in cli("suite", "show", suite, "b")[1]


def test_the_checks_of_a_turn_are_shown_in_words(cli: Cli) -> None:
    """What each asks for, without its bad replies."""
    _, out, _ = cli("suite", "show", "mtbench_conversations", "garden-concert-new-day")
    assert "   check: " in out
    assert '"kind"' not in out


def test_a_conversation_that_is_not_there_gets_the_near_one(refused: Refused) -> None:
    message = refused("suite", "show", "mtbench_conversations", "lost-suitcase")
    assert "lost-suitcase-report" in message


def test_a_suite_that_is_not_there_gets_the_near_one(refused: Refused, suite: str) -> None:
    assert "did you mean 'mtbench_conversations'?" in refused("suite", "show", "mtbench_conversation")
    assert f"did you mean '{suite}'?" in refused("run", "scripted:echo", "--suite", "smal.json")


def test_lint_counts_its_remarks_and_is_no_fault(cli: Cli, folder: Path) -> None:
    (folder / "one.json").write_text(json.dumps([{"id": "lonely", "turns": ["only this"]}]), encoding="utf-8")
    code, out, err = cli("suite", "lint", "one.json")
    assert (code, err) == (0, "")
    assert "lonely: a one-turn conversation" in out
    assert out.splitlines()[-1].startswith("one: no faults, 1 remark")


def test_quotas_are_for_the_suites_that_are_shipped(cli: Cli, folder: Path) -> None:
    """A user's file is not held to them for its name, and remarks are advice; ours is, by path as by name."""
    (folder / "quick.json").write_text(json.dumps([{"id": "a", "turns": ["hi", "and on"]}]), encoding="utf-8")
    code, out, _ = cli("suite", "lint", "quick.json")
    assert (code, out.splitlines()[-1]) == (0, "quick: no faults, 0 remarks")
    shipped = Path(__file__).parents[2] / "data" / "safety_conversations.json"
    assert cli("suite", "lint", str(shipped))[0] == cli("suite", "lint", "safety_conversations")[0] == 0


@pytest.mark.parametrize("command", [("suite", "lint"), ("suite", "show"), ("run", "scripted:echo", "--suite")])
def test_every_fault_of_a_suite_is_told_at_once(
    refused: Refused, cli: Cli, folder: Path, command: tuple[str, ...]
) -> None:
    """With its line, before a model is asked anything."""
    text = """[
  {"id": "a", "turns": []},
  {"id": "b", "turns": ["fine", {"text": "x", "capability": "mind_reading"}]},
  {"turns": ["no id"]},
  {"id": "b", "turns": ["again"]},
  {"id": "d", "turns": ["ok", {"text": 7}]}
]"""
    (folder / "bad.json").write_text(text, encoding="utf-8")
    message = refused(*command, "bad.json")
    for words in (
        "bad.json",
        "5 faults",
        "line 2",
        "line 3",
        "mind_reading",
        "line 4",
        "line 5",
        "duplicate",
        "line 6",
    ):
        assert words in message
    assert "no runs yet" in cli("runs")[1]


@pytest.mark.parametrize("content", ["", "[]", "{}", "null", "3", "not json", "[{", '{"conversations": []}'])
def test_a_suite_with_nothing_in_it_is_refused(refused: Refused, folder: Path, content: str) -> None:
    (folder / "empty.json").write_text(content, encoding="utf-8")
    assert "empty.json" in refused("run", "scripted:echo", "--suite", "empty.json")


def test_a_folder_is_no_suite(refused: Refused, folder: Path) -> None:
    (folder / "suites").mkdir()
    assert "'suites' is a directory" in refused("run", "scripted:echo", "--suite", "suites")


def test_a_suite_that_is_no_text_is_refused(refused: Refused, folder: Path) -> None:
    (folder / "model.json").write_bytes(b"GGUF\x00\xff\xfe\x03")
    assert "model.json" in refused("suite", "lint", "model.json")


def test_without_a_verb_the_group_shows_its_help(cli: Cli) -> None:
    code, out, err = cli("suite")
    assert code == 2
    assert all(verb in out + err for verb in ("list", "show", "lint"))


def test_lint_tells_of_names_that_are_not_read(cli: Cli, folder: Path) -> None:
    """A user's own data is no fault, and no secret either: what is told is where it stands."""
    text = '[{"id": "a", "tags": ["x"], "turns": ["hi", {"text": "again", "source": "mail"}]}]'
    (folder / "own.json").write_text(text, encoding="utf-8")
    code, out, err = cli("suite", "lint", "own.json")
    assert (code, err) == (0, "")
    assert "[0].tags: is no field and is not read" in out
    assert "turns[1].source: is no field and is not read" in out


def test_a_published_suite_is_written_with_the_command_that_holds_it(cli: Cli, refused: Refused, folder: Path) -> None:
    """As it is typed there, it is held at the temperatures of its categories."""
    rows = [
        {"question_id": 1, "category": "writing", "turns": ["Write.", "Shorter."]},
        {"question_id": 2, "category": "math", "turns": ["2+2?"], "reference": ["4"]},
    ]
    (folder / "question.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert "--sha256 " in refused("suite", "get", "mtbench", "--from", "question.jsonl")
    code, out, _ = cli("suite", "get", "mtbench", "--from", "question.jsonl", "--sha256", "any")
    assert code == 0
    assert "mtbench.json: 2 conversations, 3 turns, 1 with a golden reply" in out
    command = out.splitlines()[-1].split("multiturn ")[1].replace("MODEL", "scripted:echo").split()
    assert cli(*command)[0] == 0
    listed = cli("runs")[1]
    assert "temperature 0.7, by category, 1024 tokens" in listed


def test_chat_logs_are_converted_and_held(cli: Cli, folder: Path) -> None:
    """What is left out is told with its line; the file is a suite like any other, and so is the log itself."""
    rows = [
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]},
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "tool", "value": "5"}]},
    ]
    (folder / "log.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    code, out, err = cli("suite", "convert", "log.jsonl", "--faulty", "leave-out")
    assert code == 0
    assert "log.suite.json: 1 conversation, 1 turn, 1 with a golden reply; 1 fault left out" in out
    assert "log.jsonl:line 2: conversations[1].from: is 'tool'" in err
    assert cli("suite", "lint", "log.suite.json")[0] == 0
    (folder / "log.jsonl").write_text(json.dumps(rows[0]), encoding="utf-8")
    assert cli("run", "scripted:echo", "--suite", "log.jsonl")[0] == 0
