"""From all verdicts in a judge's text to the one that it gives, or why there is none. Pure, the same for every mode.

Knows where verdicts may stand and when several are one. What a value means, a :class:`Kind` says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final, Generic, Literal, TypeVar

import msgspec

from multiturn.judges.json_verdicts import Found, beginnings_in, objects_in
from multiturn.judges.own_words import own_words, without_leading_thoughts
from multiturn.judges.written import Form, those_that_decide, verdicts_in
from multiturn.judgment import Unreadable
from multiturn.text.fold import fold
from multiturn.text.measure import is_blank
from multiturn.text.refusal import refusal

Asked = Literal["line", "json"]
"""The form that a verdict was asked for in: a labelled last line, or an object."""

V = TypeVar("V")


class Kind(msgspec.Struct, Generic[V], frozen=True, kw_only=True):
    """What verdicts of one mode look like and mean.

    ``names`` are those of the value in JSON, the declared one first. ``meaning`` takes folded text, and gives None for
    what is no value. ``called`` is what a value is called in a fault.
    """

    form: Form
    names: tuple[str, ...]
    meaning: Callable[[str], V | None]
    called: str


class Given(msgspec.Struct, Generic[V], frozen=True):
    """The verdict, and the object that it stands in, where it stands in one."""

    value: V
    source: Found | None = None


class Said(msgspec.Struct, frozen=True):
    """A judge's text, read for what it says itself.

    ``shown`` is the text without the thoughts before it, ``own`` the judge's own words in it, place for place;
    ``folded`` is ``own`` folded, line for line.
    """

    shown: str
    own: str
    folded: str


def said_in(text: str) -> Said:
    """The text, ready to be read."""
    own = own_words(text)
    return Said(shown=without_leading_thoughts(text), own=own, folded=fold(own))


def given_in(
    said: Said, kind: Kind[V], *, asked: Asked, turn: int | None, taken: Collection[int] = ()
) -> Given[V] | Unreadable:
    """The verdict that is given.

    Args:
        said: the judge's text.
        kind: what is looked for.
        asked: the form that was asked for. The other one is read where it is all there is.
        turn: the judged turn, from 0.
        taken: lines on which only a labelled verdict counts, since others on them are something else.
    """
    if is_blank(said.shown):
        return Unreadable(kind="empty", fault="it says nothing")
    found = list(objects_in(said.shown))
    beside = _on_lines(fold(_without(said.own, found)) if found else said.folded, kind, turn, taken)
    if asked == "json":
        return _of_objects(said, kind, found, beside)
    objects = [one for one in found if one.pairs.named(kind.names)]
    if len(objects) == 1 and _is_all(said.shown, objects[0]):
        return _in_objects(objects, kind)
    if said.shown.lstrip().startswith("{") and _is_broken(said, found):
        return _BROKEN
    return _no_verdict(said, kind, "") if beside is None else beside


_BROKEN: Final = Unreadable(kind="no_verdict", fault="it has an object that is no JSON")


def _of_objects(
    said: Said, kind: Kind[V], found: Sequence[Found], beside: Given[V] | Unreadable | None
) -> Given[V] | Unreadable:
    """The verdict where an object was asked for; ``beside`` is what lines say outside of the objects."""
    objects = [one for one in found if one.pairs.named(kind.names)]
    own = [one for one in objects if said.own[one.start] == "{"] or [one for one in objects if one.fenced]
    if not own and _is_broken(said, found):
        return _BROKEN
    if not own:
        missing = f"it has no JSON object with {kind.names[0]}"
        return _no_verdict(said, kind, missing) if beside is None else beside
    written = _in_objects(own, kind)
    if isinstance(written, Unreadable):
        return written
    if isinstance(beside, Given) and beside.value != written.value:
        return _differing(kind, [written.value, beside.value])
    if not _is_meant(said, own[-1], found):
        fault = f"its JSON object with {kind.names[0]} stands amid other text, as a quotation would"
        return Unreadable(kind="no_verdict", fault=fault)
    return written


def _on_lines(folded: str, kind: Kind[V], turn: int | None, taken: Collection[int]) -> Given[V] | Unreadable | None:
    """The verdict of lines and brackets; None where there is nothing like one."""
    verdicts = [one for one in verdicts_in(folded, kind.form) if one.labelled or one.line not in taken]
    if not verdicts:
        return None
    deciding = those_that_decide(verdicts, None if turn is None else turn + 1)
    if not deciding:
        of = " and ".join(dict.fromkeys(str(one.turn) for one in verdicts))
        return Unreadable(
            kind="no_verdict", fault=f"the {kind.called} is for turn {of}, not for turn {(turn or 0) + 1}"
        )
    meant = [kind.meaning(text) for one in deciding for text in one.said or ("",)]
    return _agreed(kind, meant)


def _in_objects(objects: Sequence[Found], kind: Kind[V]) -> Given[V] | Unreadable:
    values = [value for one in objects for value in one.pairs.named(kind.names)]
    meant = [kind.meaning(" ".join(fold(value).split())) if isinstance(value, str) else None for value in values]
    agreed = _agreed(kind, meant)
    return Given(agreed.value, objects[0]) if isinstance(agreed, Given) else agreed


def _agreed(kind: Kind[V], meant: Sequence[V | None]) -> Given[V] | Unreadable:
    """The one value that all of these are."""
    values = [one for one in meant if one is not None]
    if len(values) < len(meant):
        return Unreadable(kind="no_verdict", fault=f"what stands in the place of the {kind.called} is none")
    if any(one != values[0] for one in values):
        return _differing(kind, values)
    return Given(values[0])


_MOST_NAMED: Final = 4


def _differing(kind: Kind[V], values: Sequence[V]) -> Unreadable:
    names = list(dict.fromkeys(map(str, values)))
    listed = ", ".join(names[:_MOST_NAMED]) + (" ..." if len(names) > _MOST_NAMED else "")
    return Unreadable(kind="ambiguous", fault=f"it gives more than one {kind.called}: {listed}")


_DECLINES: Final = re.compile(
    r"\b(?:i|we)\b[^.!?\n]{0,40}?\b(?:can'?t|cannot|can\snot|won'?t|will\snot|unable\sto|not\s(?:able|going|willing)\sto|"
    r"not\scomfortable|refuse\sto|decline\sto)\b[^.!?\n]{0,40}?\b(?:rat(?:e|ing)|grad(?:e|ing)|judg|evaluat|assess|scor(?:e|ing)|compar)"
)
"""Declining to judge; ``text.refusal`` knows of declining to do what anybody may be asked for."""


def _no_verdict(said: Said, kind: Kind[V], fault: str) -> Unreadable:
    """Why there is none: declined, quoted, or just not there."""
    if _DECLINES.search(said.folded) or refusal(said.own).kind != "none":
        return Unreadable(kind="refused", fault=f"it declines to give a {kind.called}")
    if verdicts_in(fold(said.shown), kind.form):
        return Unreadable(kind="no_verdict", fault=f"the only {kind.called} stands in a quotation or a code block")
    return Unreadable(kind="no_verdict", fault=fault or f"it gives no {kind.called}")


_FENCE_LINE: Final = re.compile(r"^[ \t]{0,12}(?:`{3,}|~{3,})\w{0,12}[ \t]{0,8}$", re.MULTILINE)


def _is_all(text: str, one: Found) -> bool:
    """Whether the text is this object and nothing else, but for a fence around it."""
    return is_blank(_FENCE_LINE.sub("", text[: one.start]) + _FENCE_LINE.sub("", text[one.end :]))


_WORD: Final = re.compile(r"[^\W_]")


def _is_meant(said: Said, one: Found, found: Sequence[Found]) -> bool:
    """Whether an object stands where a judge puts its verdict, and not where it tells of one that it has read.

    It has its lines to itself. It begins the text or ends it, or a line before and a line behind it are all there is.
    And it is no part of an object that can't be read, as one is that quotes it without escaping its quotation marks:
    that one would have begun before it, and would end behind it.
    """
    own = _without(said.own, found)
    if _is_broken(said, found, one.start) or "}" in _without(said.shown, found)[one.end :]:
        return False
    before, after = own[: one.start].split("\n"), own[one.end :].split("\n")
    if _WORD.search(before[-1] + after[0]):
        return False
    around = [sum(bool(_WORD.search(line)) for line in lines) for lines in (before, after)]
    return 0 in around or around == [1, 1]


def _is_broken(said: Said, found: Sequence[Found], end: int | None = None) -> bool:
    """Whether the judge's own words begin an object, before ``end``, beside those that could be read."""
    return any(said.own[at] == "{" for at in beginnings_in(_without(said.shown, found)[:end]))


_SEEN: Final = re.compile(r"[^\n]")


def _without(text: str, objects: Sequence[Found]) -> str:
    """The text with spaces in place of these objects, so that places and lines stay."""
    pieces: list[str] = []
    done = 0
    for one in objects:
        pieces += [text[done : one.start], _SEEN.sub(" ", text[one.start : one.end])]
        done = one.end
    return "".join([*pieces, text[done:]])
