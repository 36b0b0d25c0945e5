"""FastChat's JSON Lines as values: which of its files one is, and each of its rows. Pure.

Knows FastChat's field names, and nothing of runs or judges of ours. A row that can't be read is put down with its line,
and left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeVar, cast

import msgspec

from multiturn.codec import clean_surrogates
from multiturn.suites.fields import sound_id
from multiturn.suites.findings import Findings, Place, kind_of
from multiturn.suites.places import Document, Fault, Raw, Refused, read_lines

FileKind = Literal["questions", "answers", "single", "pair", "prompts"]
Side = Literal["model_1", "model_2", "tie", "error"]

FIELDS: Final[tuple[tuple[FileKind, frozenset[str]], ...]] = (
    ("pair", frozenset({"question_id", "model_1", "model_2", "g1_winner"})),
    ("single", frozenset({"question_id", "model", "judge", "score"})),
    ("answers", frozenset({"question_id", "choices"})),
    ("prompts", frozenset({"name", "prompt_template"})),
    ("questions", frozenset({"question_id", "turns"})),
)
"""By which fields a file is known; the first that fits counts."""
SIDES: Final = ("model_1", "model_2", "tie", "error")
_UNFIT: Final = re.compile(r'[\x00-\x1f/\\:*?"<>|]+')
TEXTS: Final = 2
"""Games of a pair, and texts of its judge."""


class AnswerRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered to one question: for each choice (sample) the texts by turn, None where there is none.

    ``model`` is the row's own name for the model, "" where it has none.
    """

    line: int
    question: str
    model: str = ""
    choices: tuple[tuple[str | None, ...], ...]


class SingleRow(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's grade of one answer. ``turn`` is from 1; ``score`` is -1 where none could be read.

    ``tstamp`` is in seconds since 1970, None where the row has none.
    """

    line: int
    question: str
    model: str
    judge: str
    prompt_name: str
    user_prompt: str
    judgment: str
    score: float
    turn: int
    tstamp: float | None


class PairRow(msgspec.Struct, frozen=True, kw_only=True):
    """Two games of two answers; in the second the seats are swapped, and the winners are models, not seats."""

    line: int
    question: str
    models: tuple[str, str]
    judge: str
    prompt_name: str
    winners: tuple[Side, Side]
    user_prompts: tuple[str, str]
    judgments: tuple[str, str]
    turn: int
    tstamp: float | None


class PromptRow(msgspec.Struct, frozen=True, kw_only=True):
    """One of FastChat's judge prompts, as far as it is needed to read what was filled into it."""

    line: int
    name: str
    template: str


Row = AnswerRow | SingleRow | PairRow | PromptRow
R = TypeVar("R", AnswerRow, SingleRow, PairRow, PromptRow)


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one file that can be read, and what is wrong with the others."""

    rows: tuple[Row, ...]
    faults: tuple[Fault, ...]

    def of(self, kind: type[R]) -> tuple[R, ...]:
        """The rows of this kind."""
        return tuple(row for row in self.rows if isinstance(row, kind))


def file_name(model: str) -> str:
    """A model's name as the name of its file, without the ending: what can't stand there is a hyphen."""
    return _UNFIT.sub("-", model)


def kind_of_file(data: bytes) -> FileKind | None:
    """Which of FastChat's files this is, by its first object; None where it is none."""
    first, _, _ = data.lstrip().partition(b"\n")
    document = read_lines(first)
    raw = next((entry.value for entry in document.entries if isinstance(entry.value, Raw)), Raw())
    return next((kind for kind, fields in FIELDS if fields <= raw.keys()), None)


def read_rows(data: bytes, kind: FileKind) -> Rows:
    """All rows of a file of this kind, in their order."""
    document = read_lines(data)
    findings = Findings()
    findings.faults += document.faults
    rows = tuple(_rows(document, findings, _READERS[kind]))
    return Rows(rows=rows, faults=tuple(sorted(findings.faults, key=lambda fault: fault.line or 0)))


def _rows(document: Document, findings: Findings, reader: Callable[[Raw, Place], Row]) -> Iterator[Row]:
    for entry in document.entries:
        place = Place(findings, entry.line, entry.path)
        if not isinstance(entry.value, Raw):
            place.fault(f"must be an object, not {kind_of(entry.value)}; the row is left out")
            continue
        before = len(findings.faults)
        row = reader(entry.value, place)
        if len(findings.faults) == before:
            yield row


def _answer(raw: Raw, place: Place) -> AnswerRow:
    choices, here = raw.get("choices"), place.at("choices")
    if not isinstance(choices, list) or not choices:
        here.fault('must be a list like [{"index": 0, "turns": [...]}]; the row is left out')
        choices = []
    found = [_choice(item, here.item(index)) for index, item in enumerate(choices)]
    model = raw.get("model_id")
    return AnswerRow(
        line=_line(place),
        question=_question(raw, place),
        model=clean_surrogates(model) if isinstance(model, str) else "",
        choices=tuple(found),
    )


def _choice(value: object, place: Place) -> tuple[str | None, ...]:
    turns = value.get("turns") if isinstance(value, Raw) else None
    if not isinstance(turns, list) or not turns:
        place.at("turns").fault("must be a list of texts; the row is left out")
        return ()
    return tuple(
        None if text is None else _text(text, place.at("turns").item(index)) for index, text in enumerate(turns)
    )


def _single(raw: Raw, place: Place) -> SingleRow:
    judge, prompt_name = _judge(raw, place)
    return SingleRow(
        line=_line(place),
        question=_question(raw, place),
        model=_name(raw, "model", place),
        judge=judge,
        prompt_name=prompt_name,
        user_prompt=_text(raw.get("user_prompt", ""), place.at("user_prompt")),
        judgment=_text(raw.get("judgment", ""), place.at("judgment")),
        score=_number(raw.get("score"), place.at("score")),
        turn=_turn(raw, place),
        tstamp=_tstamp(raw),
    )


def _pair(raw: Raw, place: Place) -> PairRow:
    judge, prompt_name = _judge(raw, place)
    winners = [_side(raw.get(f"g{game}_winner"), place.at(f"g{game}_winner")) for game in (1, 2)]
    prompts, judgments = (
        [_text(raw.get(f"g{game}_{name}", ""), place.at(f"g{game}_{name}")) for game in (1, 2)]
        for name in ("user_prompt", "judgment")
    )
    models = _name(raw, "model_1", place), _name(raw, "model_2", place)
    if models[0] == models[1] != "":
        place.at("model_2").fault("is model_1 again; the row is left out")
    return PairRow(
        line=_line(place),
        question=_question(raw, place),
        models=models,
        judge=judge,
        prompt_name=prompt_name,
        winners=(winners[0], winners[1]),
        user_prompts=(prompts[0], prompts[1]),
        judgments=(judgments[0], judgments[1]),
        turn=_turn(raw, place),
        tstamp=_tstamp(raw),
    )


def _prompt(raw: Raw, place: Place) -> PromptRow:
    return PromptRow(
        line=_line(place),
        name=_name(raw, "name", place),
        template=_text(raw.get("prompt_template"), place.at("prompt_template")),
    )


_READERS: Final[dict[FileKind, Callable[[Raw, Place], Row]]] = {
    "answers": _answer,
    "single": _single,
    "pair": _pair,
    "prompts": _prompt,
}


def _line(place: Place) -> int:
    return place.line or 1


def _question(raw: Raw, place: Place) -> str:
    return sound_id(raw.get("question_id"), place.at("question_id")) or ""


def _judge(raw: Raw, place: Place) -> tuple[str, str]:
    """The judge's name and that of its prompt."""
    value = raw.get("judge")
    if isinstance(value, list) and len(value) == TEXTS and all(isinstance(one, str) and one.strip() for one in value):
        return cast("tuple[str, str]", tuple(map(clean_surrogates, value)))
    place.at("judge").fault('must be the judge and its prompt, like ["gpt-4", "single-v1"]; the row is left out')
    return "", ""


def _name(raw: Raw, name: str, place: Place) -> str:
    text = _text(raw.get(name), place.at(name))
    if isinstance(raw.get(name), str) and not text.strip():
        place.at(name).fault("is empty; the row is left out")
    return text


def _text(value: object, place: Place) -> str:
    if isinstance(value, str):
        return clean_surrogates(value)
    place.fault(f"must be text, not {kind_of(value) if not isinstance(value, Refused) else value.reason}; left out")
    return ""


def _number(value: object, place: Place) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    told = value.reason if isinstance(value, Refused) else kind_of(value)
    place.fault(f"must be a number, not {told}; the row is left out")
    return 0.0


def _turn(raw: Raw, place: Place) -> int:
    value = raw.get("turn")
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    place.at("turn").fault(f"must be 1 or more, not {kind_of(value)}; the row is left out")
    return 1


def _side(value: object, place: Place) -> Side:
    if isinstance(value, str) and value in SIDES:
        return cast("Side", value)
    place.fault(f"must be one of {', '.join(SIDES)}, not {kind_of(value)}; the row is left out")
    return "error"


def _tstamp(raw: Raw) -> float | None:
    value = raw.get("tstamp")
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and isinstance(value, int | float) and math.isfinite(value) else None
