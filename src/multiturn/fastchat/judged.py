"""From FastChat's judgments to ours: grades of single answers, and both games of a pair. Pure.

A score of -1 or a winner ``error`` is a verdict that could not be read, and stays one; ``$ERROR$`` in place of what the
judge wrote says that it could not be asked. A pair gives two judgments of the first model, one from each seat.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from multiturn import __version__
from multiturn.fastchat.answers import ENGINE, FAILED
from multiturn.fastchat.rows import PairRow, Side, SingleRow
from multiturn.judges.reading import read_judgment
from multiturn.judgment import (
    Failed,
    Judged,
    JudgeRecord,
    Judgment,
    Preference,
    Question,
    Rating,
    Seat,
    Unreadable,
    Winner,
)
from multiturn.rubric import Mode, Rubric, Scale, Template
from multiturn.suites.places import Fault
from multiturn.text.measure import is_blank
from multiturn.transcript import Reply, Timing

NO_SCORE: Final = -1.0
SEATS: Final[tuple[Seat, Seat]] = ("first", "second")
"""Where the first model of a pair sits, by game."""
MULTI: Final = "-multi-turn"
VERSION: Final = "imported"
NAME: Final = "fastchat"
SETS: Final[Mapping[Mode, tuple[str, ...]]] = {
    "rating": ("single-v1", "single-math-v1"),
    "preference": ("pair-v2", "pair-math-v1"),
}
"""FastChat's own prompts by mode: those without a reference first. One judge is asked by all of them."""


class JudgedRows(msgspec.Struct, frozen=True, kw_only=True):
    """The judges of a file, what they said, and the rows that were left out."""

    judges: tuple[JudgeRecord, ...]
    judged: tuple[Judged, ...]
    faults: tuple[Fault, ...]


class Runs(msgspec.Struct, frozen=True, kw_only=True):
    """The runs by model, and which turns of them there are: by run, the conversations with how many turns each."""

    runs: Mapping[str, str]
    turns: Mapping[str, Mapping[str, int]]


def family_of(prompt_name: str) -> str:
    """The prompts that belong together: ``fastchat`` for its own, else the name without what says how many turns."""
    name = prompt_name.removesuffix(MULTI)
    return NAME if any(name in names for names in SETS.values()) else name


def rubric_of(family: str, mode: Mode) -> Rubric:
    """What is known of the rubric behind a family of prompts: their names, turns and use of references."""
    names = SETS[mode] if family == NAME and mode in SETS else (family,)
    return Rubric(
        name=NAME if family == NAME else f"{NAME}-{family}",
        version=VERSION,
        mode=mode,
        measure="preference" if mode == "preference" else "",
        scale=Scale() if mode == "rating" else None,
        templates=tuple(
            Template(name=name + ending, system="", prompt="", turns=turns, reference=_has_reference(name))
            for name in names
            for turns, ending in ((1, ""), (2, MULTI))
        ),
    )


def judged_rows(rows: Iterable[SingleRow | PairRow], runs: Runs, now: dt.datetime) -> JudgedRows:
    """What the judges of these rows said of these runs.

    The same question to the same judge again is a repeat; a row that is there twice, and one whose reply is not in the
    runs, is left out and told.
    """
    judges: dict[tuple[str, str, Mode], JudgeRecord] = {}
    judged: list[Judged] = []
    faults: list[Fault] = []
    asked: Counter[str] = Counter()
    seen: dict[SingleRow | PairRow, int] = {}
    for row in rows:
        fault = _unfit(row, runs)
        before = seen.setdefault(msgspec.structs.replace(row, line=0), row.line)
        if fault is None and before != row.line:
            fault = f"is line {before} again"
        if fault is not None:
            faults.append(Fault(line=row.line, path="", text=f"{fault}; the row is left out"))
            continue
        judge = _judge(row, judges, now)
        for one in _both_games(row, judge, runs) if isinstance(row, PairRow) else [_grade(row, judge, runs)]:
            repeat = asked[one.id]
            asked[one.id] += 1
            judged.append(msgspec.structs.replace(one, question=msgspec.structs.replace(one.question, repeat=repeat)))
    return JudgedRows(judges=tuple(judges.values()), judged=tuple(judged), faults=tuple(faults))


def _has_reference(name: str) -> bool:
    return "-math-" in name or "reference" in name


def _unfit(row: SingleRow | PairRow, runs: Runs) -> str | None:
    """Why nothing can be judged by this row."""
    for model in (row.model,) if isinstance(row, SingleRow) else row.models:
        run = runs.runs.get(model)
        if run is None:
            return f"there are no answers of {model}"
        if row.turn > runs.turns[run].get(row.question, 0):
            return f"{model} has no answer to turn {row.turn} of question {row.question}"
    return None


def _judge(row: SingleRow | PairRow, judges: dict[tuple[str, str, Mode], JudgeRecord], now: dt.datetime) -> JudgeRecord:
    mode: Mode = "rating" if isinstance(row, SingleRow) else "preference"
    key = (row.judge, family_of(row.prompt_name), mode)
    if key not in judges:
        rubric = rubric_of(key[1], mode)
        judges[key] = JudgeRecord(
            created=_moment(row.tstamp, now).isoformat(timespec="microseconds"),
            spec=f"{ENGINE}:{row.judge}",
            rubric=rubric,
            sampling=None,
            schema=False,
            goldens=any(template.reference for template in rubric.templates),
            identity={"engine": ENGINE, "weights": row.judge},
            versions={"imported by multiturn": __version__},
            notes=("imported from FastChat's files: how it was asked is known by its prompts only",),
        )
    return judges[key]


def _moment(tstamp: float | None, now: dt.datetime) -> dt.datetime:
    try:
        return now if tstamp is None else dt.datetime.fromtimestamp(tstamp, dt.UTC)
    except (OverflowError, OSError, ValueError):
        return now


def _grade(row: SingleRow, judge: JudgeRecord, runs: Runs) -> Judged:
    question = Question(mode="rating", run=runs.runs[row.model], conversation=row.question, turn=row.turn - 1)
    scale = judge.rubric.scale or Scale()
    judgment: Judgment = Rating(value=row.score)
    if row.judgment.strip() in FAILED:
        judgment = Failed(kind="engine", message=row.judgment.strip())
    elif row.score == NO_SCORE:
        judgment = _unreadable(row.judgment, judge.rubric, f"the file's score is {row.score:g}")
    elif not scale.lowest <= row.score <= scale.highest:
        fault = f"{row.score:g} is not from {scale.lowest:g} to {scale.highest:g}"
        judgment = Unreadable(kind="out_of_range", fault=fault)
    return _judged(judge, question, judgment, row.judgment, row.user_prompt)


def _both_games(row: PairRow, judge: JudgeRecord, runs: Runs) -> Iterator[Judged]:
    one, other = (runs.runs[model] for model in row.models)
    games = zip(SEATS, row.winners, row.judgments, row.user_prompts, strict=True)
    for seat, winner, text, prompt in games:
        question = Question(
            mode="preference", run=one, opponent=other, conversation=row.question, turn=row.turn - 1, seat=seat
        )
        yield _judged(judge, question, _preference(winner, seat, text, judge.rubric), text, prompt)


def _preference(winner: Side, seat: Seat, text: str, rubric: Rubric) -> Judgment:
    """A winner, named as a model in the file, by the seat that it had."""
    if text.strip() in FAILED:
        return Failed(kind="engine", message=text.strip())
    if winner == "error":
        return _unreadable(text, rubric, "the file's winner is error")
    if winner == "tie":
        return Preference(winner="tie")
    other: Winner = "second" if seat == "first" else "first"
    return Preference(winner=seat if winner == "model_1" else other)


def _unreadable(text: str, rubric: Rubric, told: str) -> Unreadable:
    """Why no verdict was read: as our own reader sees it, where it reads none either."""
    if is_blank(text):
        return Unreadable(kind="empty", fault=f"{told}, and the judge's text is empty")
    again = read_judgment(Reply(text=text, finish="unknown", timing=Timing(total=0.0)), rubric, schema=False)
    if isinstance(again, Unreadable):
        return Unreadable(kind=again.kind, fault=f"{told}: {again.fault}")
    seen = f"{again.value:g}" if isinstance(again, Rating) else getattr(again, "winner", "another")
    return Unreadable(kind="no_verdict", fault=f"{told}, though multiturn reads a verdict in the text: {seen}")


def _judged(judge: JudgeRecord, question: Question, judgment: Judgment, text: str, prompt: str) -> Judged:
    return Judged(
        judge=judge.id,
        question=question,
        judgment=judgment,
        text=text,
        prompt=prompt,
        prompt_sha256=hashlib.sha256(prompt.encode()).hexdigest() if prompt else "",
    )
