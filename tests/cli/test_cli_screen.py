"""What reaches the screen: progress without a terminal, and text of models and files that can do a terminal no harm."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress as Bars

from multiturn.cli.screen import Watching, duration
from multiturn.conditions import Arm
from multiturn.run import Progress

Cli = Callable[..., tuple[int, str, str]]

HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]0;owned\x07 \x1b]52;c;cm0=\x07 \x9b2J \x85next \u202eevil\u202c \u2066x\u2069 "
    "\x00nul \x7fdel back\b\b [red]not red[/red] [link=http://x]y[/link] :smile: \ud7ff\ufeff\u200b\r\noverwrite\rnew"
)
DANGER = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""What must never reach a terminal from the outside: all controls but tab and line feed, and what reorders or hides."""


@pytest.fixture(name="hostile")
def hostile_suite(cli: Cli, folder: Path) -> str:
    """A held run in which everything that comes from outside is hostile; its id."""
    text = HOSTILE.replace("\x00", "")
    conversation = {"id": "a [bold]b", "why": text, "system": text, "domain": text, "turns": [text, "and [i]"]}
    (folder / "evil.json").write_text(json.dumps([conversation]), encoding="utf-8")
    (folder / "says.json").write_text(
        json.dumps({"*": [HOSTILE, f"I'm sorry, but I can't {HOSTILE}"]}), encoding="utf-8"
    )
    code, out, err = cli("run", "scripted:says.json", "--suite", "evil.json")
    assert code == 0, err
    assert not DANGER.search(out + err)
    return out.split(": run ", 1)[1].split()[0].rstrip(",")


def test_hostile_replies_are_shown_as_harmless_text(cli: Cli, hostile: str) -> None:
    """What is dangerous is shown by a picture or a code, markup letter for letter."""
    code, out, err = cli("show", hostile)
    assert (code, err) == (0, "")
    assert not DANGER.search(out)
    flat = " ".join(out.split())
    for shown in ("␛[31mred", "␇", "<U+009B>2J", "<U+202E>evil", "[red]not red[/red]", "[link=http://x]y", ":smile:"):
        assert shown in flat
    assert "a [bold]b" in out


@pytest.mark.parametrize(
    "command",
    [
        ("show", "latest", "--prompts"),
        ("show", "latest", "--refusals"),
        ("diff", "latest", "latest"),
        ("runs",),
        ("suite", "show", "evil.json"),
        ("suite", "show", "evil.json", "a [bold]b"),
        ("suite", "lint", "evil.json"),
        ("show", "latest", "\x1b[31mno"),
        ("show", "\x1b]0;x\x07"),
        ("replay", "latest", "a [bold]b", "--from", "2", "--say", "\x1b[2J"),
        ("compare", "--report", "", "scripted:echo", "scripted:says.json", "--suite", "evil.json"),
        ("run", "\x1b[31mscripted:x"),
        ("run", "scripted:\x1b[31m.json"),
        ("run", "scripted:echo", "--suite", "\x1b[31m.json"),
        ("run", "scripted:echo", "--only", "\x1b[31m"),
        ("runs", "--store", "\x1b[31m/"),
        ("runs", "--store", "\x1b[31m://x"),
        ("import", "\x1b[31m"),
        ("nothing\x1b[31m",),
        ("run", "scripted:echo", "--\x1b[31m"),
        ("run", "scripted:echo", "--seed", "\x1b[31m"),
        ("run", "scripted:echo", "--history", "\x1b[31m"),
    ],
    ids=lambda command: re.sub(r"\W+", "-", " ".join(command)).strip("-"),
)
def test_no_command_passes_on_what_could_harm(cli: Cli, hostile: str, command: tuple[str, ...]) -> None:
    """On neither output, whether it succeeds or refuses."""
    assert hostile
    code, out, err = cli(*command)
    assert code in {0, 2, 5}
    assert not DANGER.search(out)
    assert not DANGER.search(err)


def test_the_question_before_deleting_is_harmless_too(cli: Cli, hostile: str, folder: Path) -> None:
    """A run that was imported names its model as it likes."""
    cli("export", hostile, "x.jsonl")
    text = (folder / "x.jsonl").read_text(encoding="utf-8")
    (folder / "x.jsonl").write_text(
        text.replace("scripted:says.json", r"scripted:\u001b[31m\u0007says"), encoding="utf-8"
    )
    assert cli("import", "x.jsonl", "--store", "other.db")[0] == 0
    _, out, err = cli("delete", "latest", "--store", "other.db", typed="n\n")
    assert not DANGER.search(out + err)


def test_progress_without_a_terminal_is_plain_lines_on_standard_error(cli: Cli, suite: str) -> None:
    """The first turn is reported at once, and the end; nothing redraws."""
    code, out, err = cli("run", "scripted:echo", "--suite", suite)
    lines = err.splitlines()
    assert code == 0
    assert lines[0].startswith("scripted:echo: 1/7 turns, 0/3 conversations, ")
    assert lines[-1].startswith("scripted:echo: 7/7 turns, 3/3 conversations, ")
    assert len(lines) == 2
    assert "turns, " not in out
    assert not DANGER.search(err)


def test_progress_of_a_spec_with_control_characters_is_harmless(cli: Cli, suite: str, folder: Path) -> None:
    """A path is text from outside like any other."""
    (folder / "\x1b[31m.json").write_text('{"*": ["1", "2", "3"]}', encoding="utf-8")
    code, out, err = cli("run", "scripted:\x1b[31m.json", "--suite", suite)
    assert code == 0
    assert not DANGER.search(out)
    assert not DANGER.search(err)


def test_quiet_leaves_standard_error_empty(cli: Cli, suite: str) -> None:
    assert cli("run", "scripted:echo", "--suite", suite, "--quiet")[2] == ""


def test_a_resumed_run_goes_on_counting(cli: Cli, suite: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first line says from where it goes on."""
    monkeypatch.setenv("MENDED", str(folder / "mended"))
    cli("run", "scripted:slow_scripts:flaky", "--suite", suite)
    (folder / "mended").touch()
    _, _, err = cli("run", "scripted:slow_scripts:flaky", "--suite", suite)
    assert err.splitlines()[0].startswith("scripted:slow_scripts:flaky: 4/7 turns, 2/3 conversations")


def test_bars_on_a_terminal_and_clean_standard_output(folder: Path, suite: str) -> None:
    """Standard error is a terminal, standard output a file: the bars go to the one, the results to the other."""
    main_end, other_end = pty.openpty()
    command = [sys.executable, "-m", "multiturn", "run", "scripted:echo", "--suite", suite]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=other_end, env=environment) as process:
        out, _ = process.communicate(timeout=30)
        os.close(other_end)
        drawn = os.read(main_end, 100_000).decode()
    os.close(main_end)
    assert process.returncode == 0
    assert "7/7" in drawn
    assert "3/3 conversations" in drawn
    assert b"\x1b" not in out
    assert out.startswith(b"scripted:echo: run ")


def test_two_arms_get_two_bars_though_their_files_have_one_name() -> None:
    """``a/model.gguf`` and ``b/model.gguf`` are two models, and so is one model with two system prompts."""
    told = Progress(
        conversations=1, conversations_done=1, turns=2, turns_done=2, replies=2, new_tokens=2, failures=0, seconds=1.0
    )
    bars = Bars(console=Console(file=io.StringIO()))
    watching = Watching(bars)
    for arm in (
        Arm(spec="scripted:a/x.json"),
        Arm(spec="scripted:b/x.json"),
        Arm(spec="scripted:a/x.json", system="Hi"),
    ):
        watching(arm, told)
    assert len(bars.tasks) == 3


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (3599.7, "1 h 0 min"), (7500, "2 h 5 min")],
)
def test_durations(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize("columns", ["20", "200"])
def test_narrow_and_wide_terminals(folder: Path, suite: str, columns: str) -> None:
    environment = os.environ | {"COLUMNS": columns}
    arms = ["scripted:echo", "mutant:refuses:scripted:echo"]
    command = [sys.executable, "-m", "multiturn", "compare", "--report", "", *arms, "--suite", suite, "-q"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def verdicts(folder: Path, columns: int) -> list[str]:
    """The lines of the table of verdicts that a terminal of so many columns gets, of forty conversations."""
    turns = ["say 17", {"text": "say 18", "checks": [{"kind": "says", "any": ["18"]}]}]
    (folder / "forty.json").write_text(json.dumps([{"id": f"c{at}", "turns": turns} for at in range(40)]), "utf-8")
    (folder / "some.json").write_text(
        json.dumps({"*": ["17", "no"], **{f"c{at}": ["17", "18"] for at in range(19)}}), encoding="utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "multiturn",
        "compare",
        "--report",
        "",
        "scripted:echo",
        "scripted:some.json",
        "-q",
        "--suite",
    ]
    done = subprocess.run(
        [*command, "forty.json"],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"COLUMNS": str(columns)},
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    table = done.stdout[done.stdout.rindex("\nVerdict") : done.stdout.rindex("\nn: conversations")]
    return [line.rstrip() for line in table.splitlines()]


def test_no_terminal_is_too_narrow_for_a_number(folder: Path) -> None:
    """The table of verdicts has each number, and each word, letter for letter; it is that of 80 columns."""
    found = {columns: verdicts(folder, columns) for columns in (40, 60, 64, 80, 200)}
    assert found[40] == found[60] == found[64] == found[80]
    words = " ".join(found[80]).split()
    assert sorted(word for word in words if "─" not in word) == sorted(
        word for word in " ".join(found[200]).split() if "─" not in word
    )
    assert {"40", "100.0%", "47.5%", "-52.5", "REGRESSED", "checks", "passed", "primary"} <= set(words)


def test_an_output_that_can_not_show_every_letter_loses_letters_not_the_command(folder: Path, cli: Cli) -> None:
    """A Windows console or a pipe in an old locale: the text comes out with marks for what it lacks."""
    (folder / "s.json").write_text(json.dumps([{"id": "a", "turns": ["größer → 日本 😀"]}]), encoding="utf-8")
    assert cli("run", "scripted:echo", "--suite", "s.json", "-q")[0] == 0
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "multiturn", "show", "latest"]
    done = subprocess.run(command, cwd=folder, capture_output=True, env=environment, timeout=30, check=False)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0
    assert b"user 1: gr" in done.stdout
