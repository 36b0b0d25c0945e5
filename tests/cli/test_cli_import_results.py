"""``multiturn import results FILE``: a loop's own results, stored, compared, and how to go on reading."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]

USERS = ["What is the capital of France?", "I can't remember it. Again?"]


def echoing(replies: list[str]) -> list[dict[str, str]]:
    """Prompt and reply as one text, sent on as history."""
    history, turns = "", []
    for user, reply in zip(USERS, replies, strict=True):
        text = f"{history}User: {user}\nAssistant: {reply}"
        history = f"{history}User: {user}\nAssistant: {text}\n"
        turns.append({"user": user, "assistant": text})
    return turns


@pytest.fixture(name="results")
def results_of_a_loop(folder: Path) -> str:
    """Two conversations with each of two models; the tuned one refuses in the second."""
    good, bad = ["Paris.", "Paris, again."], ["Paris.", "I'm sorry, but I can't help with that."]
    content = {
        "base_model": "org/base",
        "tuned_model": "outputs/tuned",
        "base_results": [
            {"id": name, "transcript": echoing(good), "refusal_count": 1} for name in ("one", "two words")
        ],
        "tuned_results": [
            {"id": "one", "transcript": echoing(good), "refusal_count": 1},
            {"id": "two words", "transcript": echoing(bad), "refusal_count": 1},
        ],
    }
    (folder / "loop.json").write_text(json.dumps(content), encoding="utf-8")
    return "loop.json"


def test_two_runs_are_stored_and_compared(cli: Cli, results: str) -> None:
    """It says what was done to the replies, shows the tables, and how to read on."""
    code, out, err = cli("import", "results", results)
    assert (code, err) == (0, "")
    lines = [line.strip() for line in out.splitlines()]
    base, tuned = (line.split(": run ")[1].split(",")[0] for line in lines if ": run " in line)
    assert lines[0] == f"imported:base: run {base}, 4 replies"
    assert "4 of 4 replies began with their own prompt; it was cut (prompt_echo; the text as it stood is kept)" in lines
    assert "the file's own refusal_count says 2; without the echo multiturn counts 0" in lines
    assert "the file's own refusal_count says 2; without the echo multiturn counts 1" in lines
    assert any(line.startswith("refusals") and "25.0%" in line for line in lines)
    assert any(line.startswith("two words") and "became refusals" in line for line in lines)
    assert any(line.startswith("not known of an imported run: sampling") for line in lines)
    assert lines[-2:] == [
        f"read one:  multiturn show {tuned} 'two words'",
        f"side by side:  multiturn diff {base} {tuned} 'two words'",
    ]


def test_what_it_says_can_be_typed(cli: Cli, results: str) -> None:
    """The transcripts are marked; the list of runs says that nobody knows how the replies were drawn."""
    _, out, _ = cli("import", "results", results)
    base, tuned = (line.split(": run ")[1].split(",")[0] for line in out.splitlines() if ": run " in line)
    code, shown, _ = cli("show", tuned, "two words")
    assert code == 0
    assert "model: I'm sorry, but I can't help with that.  [prompt echo, full refusal]" in shown
    assert cli("diff", base, tuned, "two words")[0] == 0
    listed = cli("runs")[1].splitlines()
    assert [line.split()[0] for line in listed] == [tuned, base]
    assert all(line.endswith("complete  [ok 4]  imported, sampling unknown") for line in listed)


def test_the_same_file_again_stores_nothing_new(cli: Cli, results: str) -> None:
    _, first, _ = cli("import", "results", results)
    code, again, _ = cli("import", "results", results)
    assert code == 0
    assert again.count(", imported before") == 2
    assert again.replace(", imported before", "") == first
    assert len(cli("runs")[1].splitlines()) == 2


def test_one_model_is_one_run(cli: Cli, folder: Path) -> None:
    (folder / "one.json").write_text(json.dumps([{"id": "a", "transcript": [["hello", "Hi."]]}]), encoding="utf-8")
    code, out, err = cli("import", "results", "one.json")
    assert (code, err) == (0, "")
    first, last = out.splitlines()
    run = last.removeprefix("read it:  multiturn show ")
    assert first == f"imported:one: run {run}, 1 replies"
    assert "model: Hi." in cli("show", run)[1]


def test_what_a_reader_should_know_goes_to_standard_error(cli: Cli, folder: Path) -> None:
    """What was assumed, and what may be no reply."""
    (folder / "one.json").write_text(json.dumps([[["hello", "$ERROR$"]]]), encoding="utf-8")
    code, _, err = cli("import", "results", "one.json")
    assert code == 0
    assert "1 of 1 conversations have no id" in err
    assert "'$ERROR$'" in err


def test_a_suite_gives_its_capabilities(cli: Cli, results: str, folder: Path) -> None:
    turns = [USERS[0], {"text": USERS[1], "capability": "recovery"}]
    (folder / "suite.json").write_text(json.dumps([{"id": "two words", "turns": turns}]), encoding="utf-8")
    code, out, _ = cli("import", "results", results, "--suite", "suite.json")
    assert code == 0
    assert "Refusals by capability" in out


def test_a_run_can_be_imported_with_and_without_the_word(cli: Cli, suite: str) -> None:
    assert cli("run", "scripted:echo", "--suite", suite, "-q")[0] == 0
    assert cli("export", "latest", "x.jsonl")[0] == 0
    outs = {cli("import", *words, "x.jsonl", "--store", f"{len(words)}.db")[1] for words in ((), ("run",))}
    (out,) = outs
    assert ": 7 turns" in out


def test_a_file_may_have_the_name_of_a_word(cli: Cli, suite: str, folder: Path) -> None:
    cli("run", "scripted:echo", "--suite", suite, "-q")
    cli("export", "latest", "x.jsonl")
    (folder / "x.jsonl").rename(folder / "results")
    assert ": 7 turns" in cli("import", "results", "--store", "other.db")[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("results",), "multiturn import results FILE"),
        (("run",), "multiturn import run FILE"),
        (("result", "loop.json"), "multiturn import results loop.json"),
        (("results", "nothing.json"), "there is no file nothing.json"),
        (("run", "loop.json"), "multiturn import results loop.json"),
        (("loop.json",), "multiturn import results loop.json"),
        (("loop.json", "--suite", "mtbench_conversations"), "leave out --suite"),
        (("results", "loop.json", "--suite", "nothing"), "no suite file"),
    ],
)
def test_what_is_typed_wrong_is_put_right(
    refused: Refused, results: str, arguments: tuple[str, ...], says: str
) -> None:
    assert results == "loop.json"
    assert says in refused("import", *arguments)


def test_every_fault_of_a_file_is_told(refused: Refused, cli: Cli, folder: Path) -> None:
    """With its place, the shape that is expected, and nothing stored."""
    content = {"base_results": [{"id": "a", "transcript": [{"user": "one"}]}, {"id": "b", "transcript": 3}]}
    (folder / "bad.json").write_text(json.dumps(content), encoding="utf-8")
    message = refused("import", "results", "bad.json")
    assert "bad.json: 2 faults; nothing was imported" in message
    assert "bad.json: base_results[0].transcript[0].assistant: is missing" in message
    assert "bad.json: base_results[1].transcript: must be a list of turns" in message
    assert '"tuned_results": [...]' in message
    assert "no runs yet" in cli("runs")[1]


def test_hostile_text_in_a_file_is_shown_harmless(cli: Cli, folder: Path) -> None:
    """Control codes in names, texts and faults never reach the terminal."""
    escape = "\x1b[2J"
    held = [{"id": "a", "transcript": [{"user": f"hello {escape}", "assistant": f"Hi {escape}"}]}]
    content = {"base_model": f"m{escape}", "base_results": held, "tuned_model": "t", "tuned_results": held}
    (folder / "bad.json").write_text(json.dumps(content), encoding="utf-8")
    code, out, err = cli("import", "results", "bad.json")
    assert code == 0
    assert "\x1b" not in out + err
    (folder / "bad.json").write_text(json.dumps({"base_results": [{"id": escape}]}), encoding="utf-8")
    code, out, err = cli("import", "results", "bad.json")
    assert code == 2
    assert "\x1b" not in out + err
