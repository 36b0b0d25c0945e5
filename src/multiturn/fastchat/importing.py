"""Taking FastChat's files into the store: models' answers as runs, judgments as what judges said of them.

What becomes of each file is decided in the neighbours; here are the clock, the store, and what is missing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from multiturn.conditions import RunRecord
from multiturn.conversation import Suite
from multiturn.errors import UsageError
from multiturn.fastchat.answers import RECOVERED, ImportedModel, imported_model
from multiturn.fastchat.folder import FoundFile, FoundFiles, find_files
from multiturn.fastchat.judged import JudgedRows, Runs, judged_rows
from multiturn.fastchat.questions import join_references, questions_of, read_questions
from multiturn.fastchat.recovered import Recovered, recover
from multiturn.fastchat.rows import AnswerRow, PairRow, PromptRow, SingleRow, file_name, read_rows
from multiturn.judgment import READ, Judged, JudgeRecord
from multiturn.store import Store
from multiturn.store.whole import keep_runs
from multiturn.suites.findings import shown
from multiturn.suites.places import Fault
from multiturn.transcript import REPLIED

MOST_TOLD: Final = 50
"""So many reasons are given where nothing can be imported."""
_SHOWN: Final = 5


class ModelCame(msgspec.Struct, frozen=True, kw_only=True):
    """A model's run; ``reused`` where the same answers were there before. Counts are of turns."""

    run: RunRecord
    replies: int
    failed: int
    reused: bool


class JudgeCame(msgspec.Struct, frozen=True, kw_only=True):
    """A judge, how many judgments came of it, and how many of them say something."""

    judge: JudgeRecord
    judgments: int
    read: int


class FastchatCame(msgspec.Struct, frozen=True, kw_only=True):
    """All that came; ``notes`` tell what was left out, or is not as it stood, with file and line."""

    models: tuple[ModelCame, ...]
    judges: tuple[JudgeCame, ...]
    notes: tuple[str, ...]


class _Said(msgspec.Struct, frozen=True):
    """One file of judgments with its rows."""

    file: FoundFile
    rows: tuple[SingleRow | PairRow, ...]


class _Notes:
    """What is told at the end, in the order of the files."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def of(self, file: Path, faults: Iterable[Fault]) -> None:
        """What was found in a file."""
        self.told += [fault.told(str(file)) for fault in faults]


def import_fastchat(
    store: Store, paths: Sequence[Path], *, questions: Path | None = None, references: Path | None = None
) -> FastchatCame:
    """Bring FastChat's files into the store: what models answered, and what judges said of that.

    Answers that are not there are got back from the judges' prompts, where those hold them; so are the questions.
    Imported again, the same files give the same runs and judgments, and nothing is kept twice.

    Args:
        store: where they go.
        paths: folders and files, known by their content.
        questions: ``question.jsonl``, where it is not among them.
        references: the reference answers, where they are not, or where there are several.

    Raises:
        NotFound: a file is not there.
        UsageError: a file can't be read, or what is needed is in none of them.
        StoreError: the store can't be written.
    """
    files, notes, now = find_files(paths), _Notes(), dt.datetime.now(dt.UTC)
    notes.told += [f"{path}: is none of FastChat's files, and is not read" for path in files.others]
    judgments = list(_judgments(files, notes))
    if not judgments and not files.of("answers"):
        raise UsageError(
            f"{', '.join(map(str, paths[:_SHOWN]))}: there are neither answers nor judgments in it",
            hint="name a folder with model_answer/ or model_judgment/, or their files",
        )
    known = read_questions(files, questions)
    recovered = _recovered(judgments, files, known, notes)
    joined = join_references(known or questions_of(recovered.users), files, references)
    notes.told += joined.notes
    models = list(_answered(files, joined.suite, now, notes))
    models += _without_answers(judgments, [_name(one) for one in models], joined.suite, recovered, now)
    if not models:
        told = "\n  ".join(("nothing can be imported:", *notes.told[:MOST_TOLD]))
        raise UsageError(told, hint="name the files that belong together")
    runs = _runs(models)
    said = [judged_rows(one.rows, runs, now) for one in judgments]
    for one, rows in zip(judgments, said, strict=True):
        notes.of(one.file.path, rows.faults)
    came = _keep_models(store, joined.suite, models)
    if known is not None:
        store.save_suite(joined.suite)  # with categories and references, where the questions were known without
    return FastchatCame(models=came, judges=_keep_judgments(store, said), notes=tuple(notes.told))


def _judgments(files: FoundFiles, notes: _Notes) -> Iterator[_Said]:
    for file in files.of("single", "pair"):
        rows = read_rows(file.data, file.kind)
        notes.of(file.path, rows.faults)
        yield _Said(file, (*rows.of(SingleRow), *rows.of(PairRow)))


def _recovered(judgments: Iterable[_Said], files: FoundFiles, known: Suite | None, notes: _Notes) -> Recovered:
    """What stands in the prompts: of models without answers of their own, and of questions that are not there."""
    templates: dict[str, str] = {}
    for file in files.of("prompts"):
        prompts = read_rows(file.data, file.kind)
        notes.of(file.path, prompts.faults)
        templates |= {row.name: row.template for row in prompts.of(PromptRow)}
    answered = {file.name for file in files.of("answers")}
    found = Recovered()
    for conversation in known.conversations if known is not None else ():
        found.users |= {(conversation.id, place): turn.text for place, turn in enumerate(conversation.turns, start=1)}
    for one in judgments:
        before = len(found.notes)
        wanted = [row for row in one.rows if known is None or not answered.issuperset(map(file_name, _models_of(row)))]
        recover(wanted, templates, found)
        notes.of(one.file.path, found.notes[before:])
    return found


def _models_of(row: SingleRow | PairRow) -> tuple[str, ...]:
    return (row.model,) if isinstance(row, SingleRow) else row.models


def _answered(files: FoundFiles, suite: Suite, now: dt.datetime, notes: _Notes) -> Iterator[ImportedModel]:
    """The models with a file of answers."""
    place: dict[str, Path] = {}
    for file in files.of("answers"):
        rows = read_rows(file.data, "answers")
        name = _model_of(file, rows.of(AnswerRow))
        if name in place:
            raise UsageError(
                f"{place[name]} and {file.path} both hold answers of {name}",
                hint="name the files or folders to take: multiturn import fastchat FILE ...",
            )
        place[name] = file.path
        made = imported_model(name, rows.of(AnswerRow), suite, _later(now, len(place)))
        notes.of(file.path, (*rows.faults, *made.faults))
        if made.transcripts:
            yield made
        else:
            notes.told.append(f"{file.path}: holds no answer to one of the questions")


def _model_of(file: FoundFile, rows: Sequence[AnswerRow]) -> str:
    """A model's name: the file's, or the rows' own where that can't stand in the name of a file (``org/model``)."""
    own = rows[0].model if rows else ""
    return own if own and file_name(own) == file.name else file.name


def _without_answers(
    judgments: Iterable[_Said], answered: Sequence[str], suite: Suite, recovered: Recovered, now: dt.datetime
) -> Iterator[ImportedModel]:
    """The models that were judged and have no file of answers, with what the prompts hold of them.

    Raises:
        UsageError: they hold nothing.
    """
    judged = dict.fromkeys(model for one in judgments for row in one.rows for model in _models_of(row))
    for number, model in enumerate((one for one in judged if one not in answered), start=len(answered) + 1):
        rows = list(_answers_of(model, recovered))
        if not rows:
            raise UsageError(
                f"{shown(model)} was judged, but its answers are not there, and no prompt holds them",
                hint=f"name the file of its answers too: {model.rpartition('/')[2]}.jsonl",
            )
        yield imported_model(model, rows, suite, _later(now, number), (RECOVERED,))


def _answers_of(model: str, recovered: Recovered) -> Iterator[AnswerRow]:
    """A model's replies as they stood in prompts; None for a turn that no prompt holds."""
    by_question: dict[str, dict[int, str]] = {}
    for (name, question, turn), text in recovered.replies.items():
        if name == model:
            by_question.setdefault(question, {})[turn] = text
    for question, turns in by_question.items():
        texts = tuple(turns.get(turn) for turn in range(1, max(turns) + 1))
        yield AnswerRow(line=1, question=question, choices=(texts,))


def _later(now: dt.datetime, number: int) -> dt.datetime:
    """Runs that come together have their order."""
    return now + dt.timedelta(microseconds=number)


def _name(model: ImportedModel) -> str:
    return model.run.conditions.identity["weights"]


def _runs(models: Iterable[ImportedModel]) -> Runs:
    """Which runs there are; of several choices the first was judged."""
    runs: dict[str, str] = {}
    turns: dict[str, dict[str, int]] = {}
    for one in models:
        runs[_name(one)] = one.run.id
        first = [held for held in one.transcripts if not held.session.sample]
        turns[one.run.id] = {held.session.conversation: len(held.turns) for held in first}
    return Runs(runs=runs, turns=turns)


def _keep_models(store: Store, suite: Suite, models: Sequence[ImportedModel]) -> tuple[ModelCame, ...]:
    """Keep the runs that are not there yet, with the suite."""
    there = {one.run.id for one in models if store.find(one.run.conditions.fingerprint)}
    new = [(one.run, one.transcripts) for one in models if one.run.id not in there]
    if new:
        keep_runs(store, suite, new)
    came = []
    for one in models:
        records = [record for held in one.transcripts for record in held.turns]
        replies = sum(record.status in REPLIED for record in records)
        failed = len(records) - replies
        came.append(ModelCame(run=one.run, replies=replies, failed=failed, reused=one.run.id in there))
    return tuple(came)


def _keep_judgments(store: Store, said: Iterable[JudgedRows]) -> tuple[JudgeCame, ...]:
    judges: dict[str, JudgeRecord] = {}
    by_judge: dict[str, list[Judged]] = {}
    for rows in said:
        judges |= {judge.id: judge for judge in rows.judges if judge.id not in judges}
        for one in rows.judged:
            by_judge.setdefault(one.judge, []).append(one)
    came = []
    for name, judge in judges.items():
        judged = by_judge.get(name, [])
        store.judgments.keep_judge(judge)
        store.judgments.keep(judged)
        read = sum(isinstance(one.judgment, READ) for one in judged)
        came.append(JudgeCame(judge=judge, judgments=len(judged), read=read))
    return tuple(came)
