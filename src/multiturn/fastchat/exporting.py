"""Runs and judgments of the store as FastChat's files, in the folders where its scripts look for them.

``question.jsonl``, ``reference_answer/``, ``model_answer/`` and ``model_judgment/``: FastChat's ``show_result`` reads
the last. What it has no place for is left out, counted and told.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from multiturn.conditions import RunRecord
from multiturn.conversation import Suite
from multiturn.errors import UsageError
from multiturn.fastchat.judged import NAME
from multiturn.fastchat.lines import (
    Line,
    PairLine,
    SingleLine,
    answer_line,
    as_lines,
    judge_name,
    pair_line,
    plain_name,
    question_line,
    reference_line,
    single_line,
)
from multiturn.fastchat.rows import file_name
from multiturn.judgment import Judged, JudgeRecord
from multiturn.outputs import writing
from multiturn.report.whole_file import whole_file
from multiturn.store import Store

GOLDEN: Final = "golden"
_KEPT: Final = "nothing is lost: the runs are in the store"


class ExportedFile(msgspec.Struct, frozen=True):
    """A file that was written, and how many lines it has."""

    path: Path
    lines: int


class FastchatExport(msgspec.Struct, frozen=True, kw_only=True):
    """All files that were written; ``notes`` say what FastChat has no place for."""

    files: tuple[ExportedFile, ...]
    notes: tuple[str, ...]


def export_fastchat(store: Store, references: Sequence[str], output: Path) -> FastchatExport:
    """Write runs of one suite, and what judges said of them, as FastChat's files.

    Args:
        store: where the runs are.
        references: their ids, or how they begin.
        output: the folder; files that are there stay, unless they are the same.

    Raises:
        NotFound: there is no such run.
        UsageError: the runs are of different suites, or another file is in the way.
    """
    runs = list({run.id: run for run in (store.run(one) for one in references)}.values())
    suite = store.suite(runs[0].conditions.suite_digest)
    for run in runs:
        if run.conditions.suite_digest != runs[0].conditions.suite_digest:
            raise UsageError(
                f"runs {runs[0].id} and {run.id} are of different suites: FastChat has one file of questions",
                hint="export them into a folder each",
            )
    models = _models(runs)
    notes: Counter[str] = Counter()
    files = {"question.jsonl": [question_line(one) for one in suite.conversations]}
    written: dict[str, Sequence[Line]] = {**files, **_references(suite)}
    if any(one.system for one in suite.conversations) or any(run.conditions.system for run in runs):
        notes["system prompts, which FastChat's questions do not have"] += 1
    for run in runs:
        written[f"model_answer/{file_name(models[run.id])}.jsonl"] = list(_answers(store, run, models[run.id]))
    written |= _judgments(store, suite, models, notes)
    data = {output / name: (as_lines(lines), len(lines)) for name, lines in written.items() if lines}
    _write({path: text for path, (text, _) in data.items()})
    told = tuple(f"left out: {what}" + (f" ({count})" if count > 1 else "") for what, count in notes.items())
    return FastchatExport(files=tuple(ExportedFile(path, count) for path, (_, count) in data.items()), notes=told)


def _models(runs: Iterable[RunRecord]) -> dict[str, str]:
    """The models' names by run; runs of one model are told apart by their id."""
    listed = list(runs)
    own = {run.id: plain_name(run.arm.spec) for run in listed}
    counts = Counter(file_name(name) for name in own.values())
    return {run: name if counts[file_name(name)] == 1 else f"{name}-{run}" for run, name in own.items()}


def _references(suite: Suite) -> dict[str, Sequence[Line]]:
    lines = [line for line in (reference_line(one, GOLDEN) for one in suite.conversations) if line is not None]
    return {f"reference_answer/{GOLDEN}.jsonl": lines}


def _answers(store: Store, run: RunRecord, model: str) -> Iterator[Line]:
    transcripts = store.transcripts(run.id)
    for _, held in itertools.groupby(transcripts, key=lambda one: one.session.conversation):
        yield answer_line(model, list(held), run.created)


def _judgments(store: Store, suite: Suite, models: Mapping[str, str], notes: Counter[str]) -> dict[str, Sequence[Line]]:
    """A file for each judge and kind of judgment; a judge with another rubric than FastChat's has that in its name."""
    categories = {one.id: one.category for one in suite.conversations}
    places = {name: place for place, name in enumerate((*models, *categories))}
    files: dict[str, list[SingleLine | PairLine]] = {}
    judges = {judge.id: judge for run in models for judge in store.judgments.judges_of(run)}
    for judge in sorted(judges.values(), key=lambda one: (one.created, one.id)):
        rubric = "" if judge.rubric.name == NAME else f"-{judge.rubric.name}"
        kind = "pair" if judge.rubric.mode == "preference" else "single"
        name = f"model_judgment/{file_name(judge_name(judge))}{rubric}_{kind}.jsonl"
        said = [one for run in models for one in store.judgments.of_run(run, judge=judge.id)]
        fit = sorted((one for one in said if _fits(one, models, notes)), key=lambda one: _order(one, places))
        files.setdefault(name, []).extend(_lines(fit, judge, models, categories, notes))
    return dict(files)


def _order(judged: Judged, places: Mapping[str, int]) -> tuple[int, int, int, int]:
    """By run, conversation, turn, and how often it was asked before."""
    question = judged.question
    return places[question.run], places.get(question.conversation, len(places)), question.turn or 0, question.repeat


def _fits(judged: Judged, models: Mapping[str, str], notes: Counter[str]) -> bool:
    """Whether FastChat has a place for a judgment; why not is counted."""
    question = judged.question
    why = {
        "labels": question.mode == "label",
        "preferences between whole conversations": question.turn is None,
        "judgments of further samples": question.sample > 0,
        "preferences against a run that is not exported": bool(question.opponent) and question.opponent not in models,
    }
    reason = next((what for what, holds in why.items() if holds), None)
    if reason is not None:
        notes[reason] += 1
    return reason is None


def _lines(
    said: Iterable[Judged],
    judge: JudgeRecord,
    models: Mapping[str, str],
    categories: Mapping[str, str | None],
    notes: Counter[str],
) -> Iterator[SingleLine | PairLine]:
    """Both games of a pair make one line."""
    if judge.rubric.mode != "preference":
        for one in said:
            yield single_line(one, judge, models[one.question.run], categories.get(one.question.conversation))
        return
    pairs: dict[object, dict[str, Judged]] = {}
    for one in said:
        pairs.setdefault(msgspec.structs.replace(one.question, seat="first"), {})[one.question.seat] = one
    for games in pairs.values():
        question = next(iter(games.values())).question
        if len(games) == 1:
            notes["the other game of pairs that were asked in one order: it is written as an error"] += 1
        both = (models[question.run], models[question.opponent])
        yield pair_line(games, judge, both, categories.get(question.conversation))


def _write(files: Mapping[Path, bytes]) -> None:
    """Write all files; none, where one would take the place of another."""
    for path, data in files.items():
        with writing(path, "--output", _KEPT):
            there = path.exists() and (path.is_dir() or path.read_bytes() != data)
        if there:
            raise UsageError(f"{path} is there already, and is another file", hint="name another folder: --output DIR")
    for path, data in files.items():
        with writing(path, "--output", _KEPT), whole_file(path) as file:
            file.write(data)
