"""The command that a report names holds what was held: given again, it finds every run and asks for nothing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., tuple[int, str, str]]


def command(told: str) -> list[list[str]]:
    """The lines that a report says to type, as the shell takes them apart."""
    (block,) = re.findall(r"^```sh\n(.*?)\n```$", told, re.DOTALL | re.MULTILINE)
    return [shlex.split(line)[1:] for line in block.splitlines()]


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize(
    "flags",
    [
        ("--suite", "small.json"),
        ("--suite", "small.json", "--samples", "2", "--seed", "7"),
        ("--suite", "small.json", "--temperature", "0", "--top-p", "1", "--top-k", "3", "--min-p", "0.05"),
        ("--suite", "small.json", "--repeat-penalty", "1.1", "--max-tokens", "9", "--stop", "END", "--stop", "it's"),
        ("--suite", "small.json", "--system", "Rhyme, 'always' and $HOME."),
        ("--suite", "small.json", "--system", ""),
        ("--suite", "small.json", "--overflow", "drop-oldest", "--context-window", "400", "--think", "drop"),
        ("--suite", "small.json", "--reasoning-tokens", "50", "--template", "plain"),
        ("--suite", "small.json", "--limit", "2"),
        ("--suite", "small.json", "--only", "c", "--only", "a"),
        ("--suite", "quick", "--limit", "2"),
        ("--limit", "3"),
        ("--suite", "quick", "--only", "bienenquiz-mit-nummern", "--only", "chess-club-week-and-back"),
    ],
    ids=" ".join,
)
def test_one_run(cli: Cli, flags: tuple[str, ...]) -> None:
    assert cli("run", "scripted:echo", "-q", *flags)[0] == 0
    (line,) = command(cli("report", "latest", "--format", "markdown")[1])
    code, out, err = cli(*line, "-q")
    assert (code, err) == (0, "")
    assert "is used again" in out


@pytest.mark.parametrize("now", [None, "[", '[{"id": "a", "turns": ["hello", "and once more"]}]'])
def test_a_suite_that_is_not_what_was_held_is_not_named(cli: Cli, folder: Path, suite: str, now: str | None) -> None:
    """A record has no path: the file of its name here is the one only if it can be read and asks the same."""
    assert cli("run", "scripted:echo", "--suite", suite, "--only", "a", "-q")[0] == 0
    assert "```sh" in cli("report", "latest", "--format", "markdown")[1]
    if now is None:
        (folder / suite).rename(folder / "elsewhere.json")
    else:
        (folder / suite).write_text(now, encoding="utf-8")
    assert "```sh" not in cli("report", "latest", "--format", "markdown")[1]


def test_a_comparison_with_two_prompts(cli: Cli, suite: str) -> None:
    """With what was declared, and the plan."""
    both = ("compare", "scripted:echo", "scripted:echo", "--suite", suite, "-q", "--report", "")
    plan = ("--primary", "words", "--margin", "words=10%")
    assert cli(*both, "--base-system", "Hum.", "--tuned-system", "", "--vary", "system", *plan)[0] == 0
    (line,) = command(cli("report", "--format", "markdown")[1])
    assert line[-4:] == ["--primary", "words", "--margin", "words=0.1"]
    code, out, _ = cli(*line, "-q", "--report", "")
    assert code == 0
    assert out.count("is used again") == 2


def test_an_a_a_run(cli: Cli, suite: str) -> None:
    """The second run's seed follows by itself."""
    assert cli("compare", "scripted:echo", "scripted:echo", "--suite", suite, "-q", "--report", "")[0] == 0
    (line,) = command(cli("report", "--format", "markdown")[1])
    code, out, _ = cli(*line, "-q", "--report", "")
    assert code == 0
    assert out.count("is used again") == 2


def test_golden_history(cli: Cli) -> None:
    assert cli("run", "scripted:echo", "--suite", "quick", "--limit", "1", "--history", "golden", "-q")[0] == 0
    (line,) = command(cli("report", "latest", "--format", "markdown")[1])
    assert "is used again" in cli(*line, "-q")[1]


def test_several_runs_have_a_line_each(cli: Cli, suite: str) -> None:
    ids = []
    for seed in "123":
        _, out, _ = cli("run", "scripted:echo", "--suite", suite, "-q", "--seed", seed)
        ids.append(out.split(": run ", 1)[1].split(maxsplit=1)[0].rstrip(","))
    lines = command(cli("report", *ids, "--format", "markdown", "--vary", "sampling.seed")[1])
    assert [("is used again" in cli(*line, "-q")[1]) for line in lines] == [True] * 3


def test_a_prompt_of_several_lines_is_no_line_to_copy(cli: Cli, suite: str) -> None:
    assert cli("run", "scripted:echo", "--suite", suite, "-q", "--system", "One.\n/close")[0] == 0
    assert "```" not in cli("report", "latest", "--format", "markdown")[1]
