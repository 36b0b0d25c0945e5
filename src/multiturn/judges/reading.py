"""What a judge wrote -> a judgment, or why none can be read. Pure; whatever the text, nothing is raised.

In this order: how the reply ended (a verdict that was cut off is none), whether anything is there, then the verdict.
The judge's reasoning is never looked at, and only its own words count: what it quotes or shows as code may have been
put there by whom it judges. Of several verdicts that differ the last one counts if a label leads to it and to no other,
or it alone is called final; else none. A grade off the scale is never moved onto it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

import msgspec

from multiturn.judges.deciding import Asked, Kind, given_in, said_in
from multiturn.judges.json_verdicts import Found, plain_key
from multiturn.judges.schemas import LABEL, REASON, WINNER
from multiturn.judges.weighing import weighted_grade
from multiturn.judges.written import Form, Verdict, those_that_decide, verdicts_in
from multiturn.judgment import Judgment, Label, Preference, Rating, Unreadable, Winner
from multiturn.rubric import OVERALL, Described, Rubric, Scale
from multiturn.text.fold import fold
from multiturn.transcript import Reply


def read_judgment(reply: Reply, rubric: Rubric, *, schema: bool, turn: int | None = None) -> Judgment:
    """What a judge's reply says under a rubric.

    Args:
        reply: the judge's; ``reasoning`` is not looked at.
        rubric: what it was asked by.
        schema: it was asked for JSON.
        turn: the judged turn, from 0; None for the conversation as a whole.

    Returns:
        The judgment of the rubric's mode, else ``Unreadable``.
    """
    if reply.finish == "length":
        return Unreadable(kind="truncated", fault="it was cut off at the limit before it was complete")
    if reply.finish == "filter":
        return Unreadable(kind="refused", fault="it was withheld by a content filter")
    asked: Asked = "json" if schema else "line"
    if rubric.mode == "preference":
        return read_preference(reply.text, asked=asked, turn=turn)
    if rubric.mode == "label":
        return read_label(reply.text, [one.name for one in rubric.labels], asked=asked, turn=turn)
    scale = rubric.scale or Scale()
    rating = read_rating(reply.text, scale, rubric.criteria, asked=asked, turn=turn)
    if reply.pieces is None or isinstance(rating, Unreadable):
        return rating
    return msgspec.structs.replace(rating, weighted=weighted_grade(reply.pieces, scale, rating.value))


class _Grade(msgspec.Struct, frozen=True):
    """A number that was given as a grade; ``of`` is what it is said to be out of, where that is not the scale's end."""

    value: float
    of: float | None = None

    def __str__(self) -> str:
        return f"{self.value:.12g}" if self.of is None else f"{self.value:.12g}/{self.of:.12g}"

    def on(self, scale: Scale) -> bool:
        return self.of is None and scale.lowest <= self.value <= scale.highest


_DIGITS: Final = r"\d{1,30}"
_NUMBER: Final = rf"[+-]?{_DIGITS}(?:[.,]{_DIGITS})?"
_GRADE: Final = re.compile(rf"(?P<value>{_NUMBER})(?:\s?(?:/|out\sof)\s?(?P<of>{_DIGITS}))?")
_COMMA: Final = re.compile(r",(?=\d{1,2}\Z)")
"""A comma before one digit or two is a decimal one; before three it may part thousands."""

_UNITS: Final = r"\s?(?:points?|stars?)?"
_TEXT: Final = r"[^\d]{0,400}"
_AFTER_GRADE: Final = rf"{_UNITS}(?:\s?[.;,!)](?:\s{_TEXT})?|\s[(-]{_TEXT})?"
_GRADE_LABELS: Final = r"rating|score|grade|overall|verdict"
_GRADE_FORM: Final = Form(labels=_GRADE_LABELS, value=rf"{_NUMBER}(?:\s?(?:/|out\sof)\s?{_DIGITS})?", tail=_AFTER_GRADE)
_GRADE_NAMES: Final = (
    *(OVERALL, "overall_rating", "overall_score", "overall_grade", "final_rating", "final_score"),
    *("rating", "score", "grade"),
)


def read_rating(
    text: str,
    scale: Scale,
    criteria: Sequence[Described] = (),
    *,
    asked: Asked = "line",
    turn: int | None = None,
) -> Rating | Unreadable:
    """The overall grade that a text gives, and those for criteria that it gives too.

    A criterion without a readable grade on the scale is left out; without an overall grade there is no rating.

    Args:
        text: what the judge wrote.
        scale: from where to where grades go. ``8/10`` is 8 where it ends at 10; decimals are grades too.
        criteria: those that may be graded beside the overall grade.
        asked: the form that was asked for; the other one is read where it is all there is.
        turn: the judged turn, from 0; grades that are said to be of another turn don't count.
    """
    said = said_in(text)

    def meaning(written: str) -> _Grade | None:
        return _grade(written, scale)

    labelled = {one.name: _labelled(said.folded, _criterion_form(one.name)) for one in criteria}
    taken = {verdict.line for verdicts in labelled.values() for verdict in verdicts}
    overall = Kind(form=_GRADE_FORM, names=_GRADE_NAMES, meaning=meaning, called="grade")
    given = given_in(said, overall, asked=asked, turn=turn, taken=taken)
    if isinstance(given, Unreadable):
        return given
    if not given.value.on(scale):
        fault = f"the grade {given.value} is not from {scale.lowest:g} to {scale.highest:g}"
        return Unreadable(kind="out_of_range", fault=fault)
    graded: dict[str, float] = {}
    for name, verdicts in labelled.items():
        written = _beside(given.source, name) if given.source else _on_own_lines(verdicts, turn)
        grades = {meaning(one) for one in written}
        grade = grades.pop() if len(grades) == 1 else None
        if grade is not None and grade.on(scale):
            graded[name] = grade.value
    return Rating(value=given.value.value, criteria=graded, reason=_reason(given.source))


def _grade(written: str, scale: Scale) -> _Grade | None:
    found = _GRADE.fullmatch(written)
    number = _COMMA.sub(".", found["value"]) if found else ","
    if found is None or "," in number:
        return None
    of = float(found["of"]) if found["of"] else None
    return _Grade(float(number), None if of == scale.highest else of)


@cache
def _criterion_form(name: str) -> Form:
    spelled = r"[\s_-]".join(map(re.escape, fold(name).split("_")))
    return Form(labels=rf"{spelled}(?:\s(?:rating|score|grade))?", value=_GRADE_FORM.value, tail=_AFTER_GRADE)


def _labelled(folded: str, form: Form) -> list[Verdict]:
    """The verdicts that a criterion's name leads to. Most texts don't name it, and most lines neither."""
    name = re.compile(form.labels)
    if name.search(folded) is None:
        return []
    lines = (line if name.search(line) or "turn" in line else "" for line in folded.split("\n"))
    return [one for one in verdicts_in("\n".join(lines), form) if one.labelled]


def _beside(source: Found, name: str) -> list[str]:
    """What a criterion is given in the object that holds the overall grade."""
    return [fold(value).strip() if isinstance(value, str) else "" for value in source.pairs.named((name,))]


def _on_own_lines(verdicts: Sequence[Verdict], turn: int | None) -> list[str]:
    """What a criterion is given on lines."""
    deciding = those_that_decide(verdicts, None if turn is None else turn + 1)
    return [written for one in deciding for written in one.said or ("",)]


_SEAT: Final = r"(?:the\s)?(?:(?:assistant|model|reply|response|answer|option|candidate|conversation)\s)?"
_WINNER: Final = re.compile(rf"{_SEAT}(?P<letter>[abc])|(?P<tie>(?:a\s)?(?:tie|draw))")
_LETTERS: Final = {"a": "A", "b": "B", "c": "tie"}
_WINNERS: Final[dict[str, Winner]] = {"A": "first", "B": "second", "tie": "tie"}
_AFTER_WINNER: Final = (
    r"(?:\s(?:wins|is\s(?:the\s)?(?:better|best|winner|stronger)(?:\sthan\s[^.]{0,80}|\s(?:one|reply|response|answer))?))?"
    r"(?:\s?[.;!](?:\s.{0,400})?|\s[(-].{0,400})?"
)
_WINNER_FORM: Final = Form(
    labels=r"verdict|winner|preference|choice|decision|judge?ment",
    value=rf"{_SEAT}[abc]|(?:a\s)?(?:tie|draw)",
    tail=_AFTER_WINNER,
)
_WINNER_NAMES: Final = (WINNER, "verdict", "preference", "final_verdict", "choice")


def read_preference(text: str, *, asked: Asked = "line", turn: int | None = None) -> Preference | Unreadable:
    """Which of two a text prefers: A is the first seat, B the second, C or the word a tie.

    Args:
        text: what the judge wrote.
        asked: the form that was asked for; the other one is read where it is all there is.
        turn: the judged turn, from 0; None for the conversation as a whole.
    """
    kind = Kind(form=_WINNER_FORM, names=_WINNER_NAMES, meaning=_seat, called="verdict")
    given = given_in(said_in(text), kind, asked=asked, turn=turn)
    if isinstance(given, Unreadable):
        return given
    return Preference(winner=_WINNERS[given.value], reason=_reason(given.source))


def _seat(written: str) -> str | None:
    found = _WINNER.fullmatch(written)
    if found is None:
        return None
    return "tie" if found["tie"] else _LETTERS[found["letter"]]


_LABEL_NAMES: Final = (LABEL, "verdict", "classification", "category")
_AFTER_LABEL: Final = r"(?:\s?[.;!](?:\s.{0,400})?|\s[(-].{0,400})?"


def read_label(
    text: str, labels: Sequence[str], *, asked: Asked = "line", turn: int | None = None
) -> Label | Unreadable:
    """Which of some words a text gives; capitals, spaces and hyphens don't count.

    Args:
        text: what the judge wrote.
        labels: the names to choose from, two or more.
        asked: the form that was asked for; the other one is read where it is all there is.
        turn: the judged turn, from 0.
    """
    names = {plain_key(fold(name)): name for name in labels}

    def meaning(written: str) -> str | None:
        return names.get(plain_key(written))

    spelled = [r"[\s_-]".join(map(re.escape, name.split("_"))) for name in sorted(names, key=len, reverse=True)]
    form = Form(
        labels=r"label|verdict|classification|category|judge?ment|decision", value="|".join(spelled), tail=_AFTER_LABEL
    )
    kind = Kind(form=form, names=_LABEL_NAMES, meaning=meaning, called="label")
    given = given_in(said_in(text), kind, asked=asked, turn=turn)
    if isinstance(given, Unreadable):
        return given
    return Label(name=given.value, reason=_reason(given.source))


def _reason(source: Found | None) -> str:
    """The reason that stands beside a verdict in JSON. On lines it is the text itself, which is kept anyway."""
    values = source.pairs.named((REASON, "explanation", "reasoning")) if source else []
    return next((value.strip() for value in values if isinstance(value, str)), "")
