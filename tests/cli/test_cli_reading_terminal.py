"""show and diff in a terminal: as wide as it is, colours only where they are wanted, and an end that comes early."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

Cli = Callable[..., tuple[int, str, str]]
COMMAND = (sys.executable, "-m", "multiturn")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

LONG = "The concert in the garden of the old mill begins at six on {day}, and 日本語 or 👩‍👩‍👧 are as welcome as any other word. "
SUITE = [
    {
        "id": "concert",
        "why": "It has words that are longer than a narrow terminal: " + "Donaudampfschifffahrt" * 4,
        "system": "Be brief and kind to everybody who asks.",
        "turns": [
            {"text": "When is it?", "checks": [{"kind": "says", "any": ["Friday"]}]},
            {"text": "May I bring a friend who has never been to a concert?", "refusal_expected": False},
        ],
    }
]


@pytest.fixture(name="runs")
def two_runs(cli: Cli, folder: Path) -> tuple[str, str]:
    """One that says what it should, and one that forgets the day and then refuses."""
    (folder / "s.json").write_text(json.dumps(SUITE), encoding="utf-8")
    good = [LONG.format(day="Friday"), LONG.format(day="Friday")]
    bad = [LONG.format(day="Sunday"), "I'm sorry, but I can't help with that."]
    for name, replies in (("good", good), ("bad", bad)):
        (folder / f"{name}.json").write_text(json.dumps({"*": replies}), encoding="utf-8")
    found = []
    for name in ("good", "bad"):
        code, out, err = cli("run", f"scripted:{name}.json", "--suite", "s.json", "-q")
        assert code == 0, err
        found.append(out.split(": run ", 1)[1].split()[0].rstrip(","))
    return found[0], found[1]


def on_terminal(*arguments: str, columns: int, advice: str = "", **environment: str) -> str:
    """What a terminal so wide is sent on standard output; on standard error there is this advice, or nothing."""
    near, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    inherited = {
        name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR", "FORCE_COLOR"}
    }
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=far, stderr=subprocess.PIPE, env=inherited | {"TERM": "xterm"} | environment
    )
    os.close(far)
    written = b"".join(_all_of(near))
    os.close(near)
    assert process.stderr is not None
    assert (process.stderr.read().decode(), process.wait(30)) == (advice, 0)
    process.stderr.close()
    return written.decode().replace("\r\n", "\n")


def _all_of(terminal: int) -> Iterator[bytes]:
    """Until its other end is closed."""
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:  # how Linux tells the end of a terminal
            return
        if not read:
            return
        yield read


@pytest.mark.parametrize("command", ["show", "diff"])
def test_each_width_shows_every_letter_and_no_line_is_too_long(
    cli: Cli, runs: tuple[str, str], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters = set()
    for columns in (40, 60, 80, 100, 120, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        _, out, _ = cli(command, *runs[: 1 if command == "show" else 2])
        assert max(map(cell_len, out.split("\n"))) <= columns
        assert (" │" in out) == (command == "diff" and columns >= 100)
        letters.add("".join(sorted(re.sub(r"[\s│]", "", out))))
    assert len(letters) == 1


def test_a_terminal_is_filled_and_the_words_that_differ_are_underlined(runs: tuple[str, str]) -> None:
    """Lines as long as the terminal's, which is narrower than tables are laid out for."""
    shown = on_terminal("diff", *runs, columns=60)
    plain = COLOUR.sub("", shown)
    assert "\x1b" not in plain
    assert max(map(cell_len, plain.split("\n"))) == 60
    assert re.search(r"\x1b\[(?:\d+;)*4(?:;\d+)*mFriday\x1b", shown)
    assert re.search(r"\x1b\[4mSunday\x1b", shown)


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colour_no_escape_code_is_written_and_the_signs_tell(
    runs: tuple[str, str], environment: dict[str, str]
) -> None:
    shown = on_terminal("diff", *runs, columns=80, **environment)
    assert "\x1b" not in shown
    assert "  ✗ lost: says 'Friday'" in shown
    assert "[full refusal, unexpected]" in shown


@pytest.mark.parametrize("command", ["show", "diff"])
def test_a_pipe_is_given_no_escape_codes(cli: Cli, runs: tuple[str, str], command: str) -> None:
    code, out, err = cli(command, *runs[: 1 if command == "show" else 2])
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("command", ["show", "diff"])
def test_a_reader_that_has_seen_enough_ends_it_quietly(folder: Path, cli: Cli, command: str) -> None:
    """Far more than a pipe holds, of which one line is read."""
    (folder / "s.json").write_text(json.dumps([{"id": f"c{at}", "turns": ["u"]} for at in range(40)]), encoding="utf-8")
    (folder / "long.json").write_text(json.dumps({"*": ["many words " * 3000]}), encoding="utf-8")
    _, out, _ = cli("run", "scripted:long.json", "--suite", "s.json", "-q")
    run = out.split(": run ", 1)[1].split()[0].rstrip(",")
    arguments = [*COMMAND, command, *[run] * (1 if command == "show" else 2)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        assert (first, process.stderr.read(), process.wait(60)) == (b"c0\n", b"", 0)


def test_who_sees_several_conversations_go_by_is_told_of_the_page(cli: Cli, suite: str) -> None:
    """On a terminal; beside what was asked for, and not where one conversation was."""
    _, out, _ = cli("run", "scripted:echo", "--suite", suite, "-q", "--store", "my runs.db")
    run = out.split(": run ", 1)[1].split()[0].rstrip(",")
    store = ("--store", "my runs.db")
    for command, runs in (("show", (run,)), ("diff", (run, run))):
        told = f"to choose and search, as a page: multiturn report {' '.join(runs)} --store 'my runs.db'\n"
        assert on_terminal(command, *runs, *store, columns=80, advice=told)
        assert on_terminal(command, *runs, "a", *store, columns=80)
        assert cli(command, *runs, *store)[2] == ""
