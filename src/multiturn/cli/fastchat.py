"""FastChat's files (MT-Bench) at the command line: what came of them is told line by line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import multiturn
from multiturn.cli.screen import counted, say, warn
from multiturn.text.spec_names import short_spec


def export_files(runs: Sequence[str], output: Path, store: str | None) -> None:
    """Write runs and what judges said of them as FastChat's files, and tell what has no place there."""
    with multiturn.api.open_store(store, create=False) as opened:
        written = multiturn.api.export_fastchat(opened, runs, output)
    for file in written.files:
        say(f"{file.path}: {counted(file.lines, 'line')}")
    for note in written.notes:
        warn(note)


def import_files(paths: Sequence[Path], questions: Path | None, references: Path | None, store: str | None) -> None:
    """Bring FastChat's files into the store, and tell what came of them and what was left out."""
    with multiturn.api.open_store(store) as opened:
        came = multiturn.api.import_fastchat(opened, paths, questions=questions, references=references)
    for model in came.models:
        failed = f", {model.failed} failed" if model.failed else ""
        before = ", imported before" if model.reused else ""
        say(f"{short_spec(model.run.arm.spec)}: run {model.run.id}, {model.replies} replies{failed}{before}")
        for note in model.run.notes[1:]:
            say(f"  {note}")
    for judge in came.judges:
        unread = judge.judgments - judge.read
        without = f", {unread} without a verdict" if unread else ""
        name = f"{short_spec(judge.judge.spec)} ({judge.judge.rubric.name}, {judge.judge.rubric.mode})"
        say(f"judge {name}: {counted(judge.judgments, 'judgment')}{without}")
    for note in came.notes:
        warn(note)
    say(f"read it:  multiturn show {came.models[0].run.id}")
