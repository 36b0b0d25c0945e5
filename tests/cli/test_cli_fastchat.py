"""FastChat's files from the command line: what came of them is told, and what to name where something is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fastchat.fastchat_files import answer, bench, single, write

Cli = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]


def test_a_folder_is_imported_and_told_line_by_line(cli: Cli, folder: Path) -> None:
    """Runs with their replies, judges with their judgments; what was left out goes to standard error."""
    bench(folder / "mt_bench")
    write(folder / "more.jsonl", single(1, "base", 2, 5), single(7, "base", 1, 5))
    code, out, err = cli("import", "fastchat", "mt_bench", "more.jsonl")
    assert code == 0
    assert [line.split(": ")[0] for line in out.splitlines()] == [
        "imported:base",
        "imported:tuned",
        "judge imported:judy (fastchat, preference)",
        "judge imported:judy (fastchat, rating)",
        "read it",
    ]
    assert ", 3 replies, 1 failed" in out
    assert "4 judgments, 1 without a verdict" in out
    assert "more.jsonl:line 2: base has no answer to turn 1 of question 7; the row is left out" in err
    run = out.splitlines()[0].split()[2].rstrip(",")
    assert "A line." in cli("show", run, "1")[1]
    assert "4 replies, imported before" in cli("import", "fastchat", "mt_bench")[1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("fastchat",), "import fastchat needs a file"),
        (("fastchat", "m.jsonl"), "--questions question.jsonl"),
        (("fastchat", "nowhere"), "there is no file nowhere"),
        (("fastchat", "m.jsonl", "--suite", "quick"), "FastChat's files bring their questions"),
        (("results", "m.jsonl", "--questions", "m.jsonl"), "--questions and --references go with fastchat"),
        (("results", "m.jsonl", "m.jsonl"), "import results takes one file"),
        (("mtbench", "m.jsonl"), "multiturn import fastchat m.jsonl"),
    ],
)
def test_what_can_not_be_imported_is_told_with_what_to_type(
    refused: Refused, folder: Path, arguments: tuple[str, ...], told: str
) -> None:
    write(folder / "m.jsonl", answer(1, ("x", "y")))
    assert told in refused("import", *arguments)


def test_runs_are_exported_and_come_back(cli: Cli, folder: Path) -> None:
    """Each file is told; brought back, nothing is new."""
    bench(folder / "mt_bench")
    _, out, _ = cli("import", "fastchat", "mt_bench")
    runs = [line.split()[2].rstrip(",") for line in out.splitlines() if ": run " in line]
    code, told, err = cli("export", "fastchat", *runs, "--output", "back")
    assert (code, err) == (0, "")
    assert "back/model_judgment/judy_single.jsonl: 5 lines" in told
    assert cli("import", "fastchat", "back")[1].count("imported before") == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("fastchat",), "export fastchat needs runs and a folder"),
        (("fastchat", "latest"), "multiturn export fastchat RUN RUN --output FOLDER"),
        (("latest", "a.jsonl", "b.jsonl"), "one run goes into one file"),
        (("latest", "--output", "x"), "--output goes with fastchat"),
    ],
)
def test_what_can_not_be_exported_is_told_with_what_to_type(
    refused: Refused, arguments: tuple[str, ...], told: str
) -> None:
    assert told in refused("export", *arguments)
