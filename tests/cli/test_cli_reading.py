"""Reading what is stored from the command line: runs, show, diff, export, import, delete."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]


def hold(cli: Cli, suite: str, spec: str = "scripted:echo", *flags: str) -> str:
    """Hold the suite and return the run's id."""
    code, out, err = cli("run", spec, "--suite", suite, "-q", *flags)
    assert code == 0, err
    return out.split(": run ", 1)[1].split()[0].rstrip(",")


def table(folder: Path, name: str, replies: list[str]) -> str:
    """A scripted model that says these replies in every conversation."""
    (folder / name).write_text(json.dumps({"*": replies}), encoding="utf-8")
    return f"scripted:{name}"


def test_an_empty_store_says_how_to_begin(cli: Cli) -> None:
    code, out, err = cli("runs")
    assert (code, err) == (0, "")
    assert "no runs yet" in out
    assert "multiturn run MODEL" in out


def test_runs_are_listed_newest_first_with_how_far_they_are(cli: Cli, suite: str) -> None:
    first, second = hold(cli, suite), hold(cli, suite, "scripted:slow_scripts:silent")
    code, out, _ = cli("runs")
    newest, older = out.splitlines()
    assert code == 0
    assert newest.startswith(second)
    assert "[empty 7]" in newest
    assert older.startswith(first)
    assert "scripted:echo" in older
    assert "small (3 conversations)" in older
    assert "complete" in older


def test_runs_of_a_model_or_a_suite_and_the_newests_id(cli: Cli, refused: Refused, suite: str) -> None:
    """The id stands alone, for a script; no run at all is an error there."""
    first, second = hold(cli, suite), hold(cli, suite, "scripted:slow_scripts:silent")
    third = hold(cli, suite, "scripted:echo", "--seed", "7")
    assert cli("runs", "--id")[1] == f"{third}\n"
    assert cli("runs", "--model", "scripted:slow_scripts:silent", "--suite", suite, "--id")[1] == f"{second}\n"
    listed = cli("runs", "--model", "scripted:echo")[1]
    assert [line.split()[0] for line in listed.splitlines()] == [third, first]
    assert "there is no such run" in refused("runs", "--suite", "quick")
    assert "there is no such run" in refused("runs", "--id", "--model", "scripted:nobody")


def test_show_tells_why_a_conversation_is_there_and_what_was_said(cli: Cli, suite: str) -> None:
    hold(cli, suite)
    code, out, _ = cli("show", "latest", "c")
    assert code == 0
    lines = [line.rstrip() for line in out.splitlines() if line.strip()]
    assert lines == [
        "c",
        "why: Shows that a reason is shown.",
        "system: Be brief.",
        "user 1: uno",
        "model: uno",
        "user 2: dos",
        "model: dos",
    ]


def test_show_takes_an_id_its_beginning_or_latest(cli: Cli, suite: str) -> None:
    name = hold(cli, suite)
    texts = {cli("show", reference, "a") for reference in (name, name[:-2], "latest")}
    assert len(texts) == 1


def test_show_refusals_shows_only_conversations_with_one_and_marks_it(cli: Cli, suite: str, folder: Path) -> None:
    replies = {"a": ["Sure!", "Of course."], "b": ["Yes.", "I'm sorry, but I can't help with that.", "Fine."]}
    replies["c"] = ["Claro.", "Seguro."]
    (folder / "r.json").write_text(json.dumps(replies), encoding="utf-8")
    hold(cli, suite, "scripted:r.json")
    code, out, _ = cli("show", "latest", "--refusals")
    assert code == 0
    assert [line for line in out.splitlines() if line in {"a", "b", "c"}] == ["b"]
    (marked,) = [line for line in out.splitlines() if "can't help" in line]
    assert "refusal]" in marked
    assert out.count("refusal]") == 1


def test_show_refusals_says_so_where_there_are_none(cli: Cli, suite: str) -> None:
    name = hold(cli, suite)
    code, out, _ = cli("show", name, "--refusals")
    assert code == 0
    assert out == f"run {name} has no refusals\n"


def test_show_prompts_shows_what_was_sent_as_what_each_turn_adds(cli: Cli, suite: str) -> None:
    hold(cli, suite)
    _, plain, _ = cli("show", "latest", "c")
    code, out, _ = cli("show", "latest", "c", "--prompts")
    assert code == 0
    assert "sent, from character 0:" in out
    assert "  system: Be brief." in out
    assert "  assistant: uno" in out
    assert out.count("system: Be brief.") == 2, "once on top, once as it was sent; the second turn adds only its own"
    assert "sent, from" not in plain


def test_diff_shows_each_turn_of_two_runs_side_by_side(
    cli: Cli, suite: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is room; the first run is base, the second tuned."""
    one = hold(cli, suite)
    other = hold(cli, suite, table(folder, "r.json", ["left", "right", "centre"]))
    monkeypatch.setenv("COLUMNS", "120")
    code, out, err = cli("diff", one, other, "a")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:1] == ["a"]
    assert f"base: scripted:echo ({one})" in lines
    assert f"tuned: scripted:r.json ({other})" in lines
    assert "user 1: hello" in lines
    (row,) = [line for line in lines if "and again" in line and "right" in line]
    assert [part.strip() for part in row.split("│")] == ["base: and again", "tuned: right"]
    assert "uno" not in out


def test_diff_stacks_two_replies_in_a_narrow_terminal_or_a_pipe(cli: Cli, suite: str, folder: Path) -> None:
    one, other = hold(cli, suite), hold(cli, suite, table(folder, "r.json", ["left", "right", "centre"]))
    lines = cli("diff", one, other, "a")[1].splitlines()
    at = lines.index("user 2: and again")
    assert lines[at + 1 : at + 3] == ["base: and again", "tuned: right"]


def test_diff_begins_with_what_changed_most(cli: Cli, suite: str, folder: Path) -> None:
    """And says how."""
    replies = {"a": ["hello", "and again"], "b": ["one", "2", "three"], "c": ["", ""]}
    (folder / "r.json").write_text(json.dumps(replies), encoding="utf-8")
    one, other = hold(cli, suite), hold(cli, suite, "scripted:r.json")
    lines = cli("diff", one, other)[1].splitlines()
    assert [line for line in lines if line in {"a", "b", "c"}] == ["c", "b", "a"]
    assert any(line.startswith("changed: 2 of 2 replies became empty") for line in lines)


def test_diff_names_the_conversations_that_only_one_run_has(cli: Cli, suite: str) -> None:
    """By its name one is shown all the same."""
    one, other = hold(cli, suite), hold(cli, suite, "scripted:echo", "--only", "b")
    code, out, err = cli("diff", one, other)
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line in {"a", "b", "c"}] == ["b"]
    assert f"\nonly in {one}: 2 conversations (a, c); multiturn show {one} ID\n" in out
    assert f"only in {other}" not in out
    lines = cli("diff", one, other, "a")[1].splitlines()
    assert lines[-2:] == ["base: and again", "tuned: (not held)"]


def test_diff_of_a_conversation_that_neither_has_names_those_that_are(cli: Cli, refused: Refused, suite: str) -> None:
    one, other = hold(cli, suite), hold(cli, suite, "scripted:echo", "--only", "b")
    message = refused("diff", one, other, "z")
    assert "'z'" in message
    assert "a, b, c" in message


def test_diff_shows_each_sample_of_a_conversation(cli: Cli, suite: str) -> None:
    one, other = (hold(cli, suite, "scripted:echo", "--samples", count) for count in ("1", "2"))
    lines = cli("diff", one, other, "a")[1].splitlines()
    assert [line for line in lines if line.startswith(("a", "base: (not", "tuned: (not"))] == [
        "a",
        "a (sample 2)",
        "base: (not held)",
        "base: (not held)",
    ]


def test_diff_of_runs_with_no_conversation_in_common_is_refused(cli: Cli, refused: Refused, suite: str) -> None:
    one, other = hold(cli, suite, "scripted:echo", "--only", "a"), hold(cli, suite, "scripted:echo", "--only", "b")
    message = refused("diff", one, other)
    assert one in message
    assert other in message
    assert "multiturn runs" in message


def test_export_and_import_are_lossless(cli: Cli, suite: str, folder: Path) -> None:
    """Byte for byte, also through another store."""
    name = hold(cli, suite)
    code, out, _ = cli("export", "latest")
    assert (code, out) == (0, f"{name}.jsonl: 7 turns\n")
    code, out, err = cli("import", f"{name}.jsonl", "--store", "other.db")
    assert (code, out, err) == (0, f"run {name}: 7 turns\n", "")
    assert cli("export", name, "again.jsonl", "--store", "other.db")[0] == 0
    assert (folder / "again.jsonl").read_bytes() == (folder / f"{name}.jsonl").read_bytes()
    assert cli("show", name)[1] == cli("show", name, "--store", "other.db")[1]


def test_an_imported_run_is_used_again_and_gone_on_with(cli: Cli, suite: str) -> None:
    name = hold(cli, suite)
    cli("export", name, "x.jsonl")
    cli("import", "x.jsonl", "--store", "other.db")
    _, out, _ = cli("run", "scripted:echo", "--suite", suite, "-q", "--store", "other.db")
    assert name in out
    assert "used again" in out


def test_a_torn_export_gives_what_it_holds_and_says_what_it_lacks(cli: Cli, suite: str, folder: Path) -> None:
    """Then the same command asks for the rest only."""
    name = hold(cli, suite)
    cli("export", name, "x.jsonl")
    whole = (folder / "x.jsonl").read_bytes()
    (folder / "x.jsonl").write_bytes(whole[:-40])
    code, out, err = cli("import", "x.jsonl", "--store", "other.db")
    assert code == 0
    assert f"run {name}: 6 turns" in out
    assert "the file ends inside it" in out + err
    _, out, _ = cli("run", "scripted:echo", "--suite", suite, "-q", "--store", "other.db")
    assert "1 replies" in out.replace("1 reply,", "1 replies,")


def test_importing_what_is_there_already_is_refused(cli: Cli, refused: Refused, suite: str) -> None:
    name = hold(cli, suite)
    cli("export", name, "x.jsonl")
    message = refused("import", "x.jsonl", code=5)
    assert name in message
    assert "delete it first, or import into another store" in message


@pytest.mark.parametrize("content", [b"", b"junk\n", b"[1]\n", b"\xff\xfe\n", b'{"id": 3}\n'])
def test_importing_what_is_no_export_is_wrong_usage(refused: Refused, cli: Cli, folder: Path, content: bytes) -> None:
    """It names the file and says which files can be imported, in no words of ours that nobody knows."""
    (folder / "notes.txt").write_bytes(content)
    message = refused("import", "notes.txt", code=2)
    assert "notes.txt" in message
    assert "export" in message
    assert "FirstLine" not in message
    assert "no runs yet" in cli("runs")[1]


@pytest.mark.parametrize("missing", ["nothing.jsonl", "."])
def test_importing_a_file_that_is_not_there_is_wrong_usage(refused: Refused, missing: str) -> None:
    assert f"multiturn: {missing} " in refused("import", missing)


def test_an_imported_run_can_not_choose_where_an_export_is_written(
    cli: Cli, suite: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run's id comes out of the file; the default name of an export must stay in the current folder."""
    name = hold(cli, suite)
    cli("export", name, "x.jsonl")
    text = (folder / "x.jsonl").read_text(encoding="utf-8")
    (folder / "evil.jsonl").write_text(text.replace(f'"{name}"', '"../outside"', 1), encoding="utf-8")
    (folder / "work").mkdir()
    monkeypatch.chdir(folder / "work")
    if cli("import", "../evil.jsonl", "--store", "other.db")[0] == 0:
        cli("export", "latest", "--store", "other.db")
    assert not (folder / "outside.jsonl").exists()


def test_export_into_a_folder_that_is_not_there_names_it(cli: Cli, suite: str) -> None:
    hold(cli, suite)
    code, out, err = cli("export", "latest", "nowhere/x.jsonl")
    assert code in {2, 5}
    assert out == ""
    assert "nowhere/x.jsonl" in err


def test_export_onto_a_folder_speaks_of_the_file_not_of_the_store(cli: Cli, suite: str, folder: Path) -> None:
    hold(cli, suite)
    (folder / "here").mkdir()
    code, out, err = cli("export", "latest", "here")
    assert code in {2, 5}
    assert out == ""
    assert "here is a folder" in err
    assert "--store" not in err


def test_delete_asks_first(cli: Cli, suite: str) -> None:
    name = hold(cli, suite)
    code, _, err = cli("delete", "latest", typed="n\n")
    assert code == 2
    assert "nothing was deleted" in err
    assert name in cli("runs")[1]
    code, out, _ = cli("delete", "latest", typed="y\n")
    assert code == 0
    assert f"run {name} is deleted" in out
    assert "no runs yet" in cli("runs")[1]


def test_delete_yes_does_not_ask(cli: Cli, suite: str) -> None:
    name = hold(cli, suite)
    code, out, err = cli("delete", name, "--yes")
    assert (code, out, err) == (0, f"run {name} is deleted\n", "")


def test_delete_with_nobody_to_answer_deletes_nothing_and_names_yes(cli: Cli, suite: str) -> None:
    """In a script there is no one to type y: wrong usage, with the flag that is missing."""
    name = hold(cli, suite)
    code, _, err = cli("delete", "latest")
    assert name in cli("runs")[1]
    assert "--yes" in err
    assert code == 2


@pytest.mark.parametrize("command", ["show", "export", "diff", "delete"])
def test_a_run_that_is_not_there_is_named_with_those_that_are(
    cli: Cli, refused: Refused, suite: str, command: str
) -> None:
    name = hold(cli, suite)
    more = ("latest",) if command == "diff" else ("--yes",) if command == "delete" else ()
    message = refused(command, "never", *more)
    assert "no run 'never'" in message
    assert name in message


def test_a_mistyped_run_id_gets_the_near_one(cli: Cli, refused: Refused, suite: str) -> None:
    name = hold(cli, suite)
    assert f"did you mean {name}?" in refused("show", name[:-1] + "x")


def test_show_of_an_empty_store_says_to_hold_one_first(refused: Refused) -> None:
    assert "hold a run first" in refused("show", "latest")


def test_show_of_a_conversation_that_is_not_there_names_those_that_are(cli: Cli, refused: Refused, suite: str) -> None:
    hold(cli, suite)
    message = refused("show", "latest", "z")
    assert "'z'" in message
    assert "a, b, c" in message


def test_show_refusals_of_a_conversation_with_none_names_it(cli: Cli, suite: str) -> None:
    """Not the whole run, which may have refusals elsewhere."""
    hold(cli, suite)
    code, out, _ = cli("show", "latest", "a", "--refusals")
    assert code == 0
    assert "'a'" in out
