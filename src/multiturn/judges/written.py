"""Where a judge writes verdicts, and which of them is the one: lines and brackets. Pure.

Two forms count. In double brackets, ``[[7]]``, wherever it stands; and without them on a line that a label begins,
``Final rating: 7/10``. What else is in a text - numbers in prose, citations, code - is none. A verdict may be of a
turn: ``Turn 2: [[8]]``, or what stands under the heading ``Turn 2``. A line that begins with ``Turn 2:`` begins a part
about that turn; what is in it is of the turn where verdicts of several turns are given.

The texts that come in are folded (``text.fold``) and hold only the judge's own words. Which labels begin a line, and
what a value looks like, a :class:`Form` says; what a value means, those who ask know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import msgspec


class Form(msgspec.Struct, frozen=True):
    """How verdicts of one mode are written, as patterns of folded text.

    ``labels`` are words that lead to a verdict, ``value`` is what it looks like, ``tail`` is what may follow one that
    stands in no double brackets, up to the end of its line.
    """

    labels: str
    value: str
    tail: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict as it was written.

    ``said`` is what was given: nothing where a label leads to what is no value, several where brackets hold several.
    ``line`` is the number of its line. ``labelled`` says that a label leads to it, ``final`` that this calls it the
    final one; ``turn`` (from 1) is the turn that it is said to be of.
    """

    said: tuple[str, ...]
    line: int
    labelled: bool
    final: bool = False
    turn: int | None = None


class _Patterns(msgspec.Struct, frozen=True):
    """A form's patterns, compiled."""

    hint: re.Pattern[str]
    lead: re.Pattern[str]
    line: re.Pattern[str]
    label_alone: re.Pattern[str]
    value_alone: re.Pattern[str]
    value: re.Pattern[str]
    heading: re.Pattern[str]
    part: re.Pattern[str]
    label_inside: re.Pattern[str]


_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_THINGS: Final = r"turn|reply|response|answer|question|round"
_TURN: Final = (
    rf"(?:(?:{_THINGS})\s?#?\d{{1,3}}"
    rf"|(?:the\s)?(?:\d{{1,3}}(?:st|nd|rd|th)|{'|'.join(_ORDINALS)})\s(?:{_THINGS}))"
)
_NUMBER_IN: Final = re.compile(rf"\d{{1,3}}|{'|'.join(_ORDINALS)}")
_BEGIN: Final = r"(?:^|[.!?;:)\]|]\s)[^\w\[]{0,12}(?:\d{1,2}[.)]\s)?"
_QUALIFIED: Final = r"(?:(?:so|thus|therefore|hence|my|the|your|final|overall|total),?\s){0,4}"
_OUT_OF: Final = r"(?:\s?(?:/|out\sof)\s?\d{1,30})"
_NOTHING: Final = r"n/?a|none|unknown|unrated|undecided|not\sapplicable"
_BRACKETS: Final = re.compile(
    r"(?<!\w)\[\[(?P<inner>[^\[\]]{0,80}(?:\]\s?,\s?\[[^\[\]]{0,80}){0,20})\]\](?!\(\s?(?:http|www|/|#))"
    rf"(?P<of>{_OUT_OF})?"
)
_BETWEEN: Final = re.compile(r"\]\s?,\s?\[|,\s|;\s?|\s?(?:~|(?<=[\w.])-(?=\d)|\bto\b|\bor\b|\band\b)\s?")
_OF_TURN: Final = re.compile(
    r"\s?(?:\(|for\s|\(for\s|in\s|\(in\s)(?:the\s)?(?P<turn>[\w ]{0,12}turn(?:\s?#?\d{1,3})?)\b"
)
_UNBOUND: Final = re.compile(r"\b(?:overall|final|total)\b")
_FINAL: Final = re.compile(r"\bfinal\b")
_REACH: Final = 120


@cache
def _patterns(form: Form) -> _Patterns:
    label = (
        rf"{_BEGIN}(?P<label>{_QUALIFIED}(?:(?:for\s)?(?P<before>{_TURN})\W{{1,4}}{_QUALIFIED})?(?:{form.labels})"
        rf"(?:\s\(?(?:for\s|of\s)?(?P<after>{_TURN})\)?)?)(?:\s?\([^()]{{0,40}}\))?"
    )
    of_turn = rf"{_BEGIN}{_QUALIFIED}(?:for\s)?(?P<turn>{_TURN})"
    leads = r"\s?(?:[:=]|[-=]?>|-|\bis\b|\bas\b)"
    given = rf"\[?\s?(?P<value>{form.value}|{_NOTHING})\s?\]?(?P<of>{_OUT_OF})?"
    return _Patterns(
        hint=re.compile(rf"\[\[|{_THINGS}|{form.labels}"),
        lead=re.compile(rf"(?:{label}{leads}?|{of_turn}\)?\s?[:=-]?)(?:\sa)?\s?$"),
        line=re.compile(rf"(?:{label}\s?(?:[:=]|[-=]?>|\bis\b)|{of_turn}\s?[:=])\s?{given}(?:{form.tail})$"),
        label_alone=re.compile(rf"{label}\s?[:=]?\s?$"),
        value_alone=re.compile(rf"[(*> ]{{0,4}}{given}\s?[).!]{{0,2}}$"),
        value=re.compile(form.value),
        heading=re.compile(rf"\W{{0,6}}(?:for\s)?(?P<turn>{_TURN})(?:\s(?:{form.labels}))?\W{{0,4}}"),
        part=re.compile(rf"\W{{0,6}}(?:for\s)?(?P<turn>{_TURN})\s?(?:\([^()]{{0,40}}\)\s?)?(?:[:.,]|-\s)"),
        label_inside=re.compile(rf"{_QUALIFIED}(?:{form.labels})\s?[:=]\s?"),
    )


def verdicts_in(own: str, form: Form) -> list[Verdict]:
    """Every verdict of this form in the folded words of a judge, in their order."""
    patterns = _patterns(form)
    lines = [(number, " ".join(line.split())) for number, line in enumerate(own.split("\n"))]
    lines = [(number, line) for number, line in lines if line]
    if len(lines) == 1 and (alone := patterns.value_alone.match(lines[0][1])) and "[" not in lines[0][1]:
        return [Verdict(said=_said(alone, patterns), line=lines[0][0], labelled=True)]
    return list(_by_line(lines, patterns))


def _by_line(lines: Sequence[tuple[int, str]], patterns: _Patterns) -> Iterator[Verdict]:
    """Verdicts in their order; of a turn where that is said beside them, or of the turn that their part is about."""
    found: list[tuple[Verdict, int | None]] = []
    heading = about = None
    announced = ""
    for number, line in lines:
        if not (announced or patterns.hint.search(line)):
            continue
        headed, begun = patterns.heading.fullmatch(line), patterns.part.match(line)
        if headed:
            heading, about, announced = _turn(headed["turn"]), None, ""
            continue
        about = _turn(begun["turn"]) if begun else about
        written = list(_in_brackets(line, patterns, announced)) or list(_on_line(line, patterns, announced))
        for said, label, turn in written:
            alone = turn is not None or bool(_UNBOUND.search(label))
            verdict = Verdict(
                said=said,
                line=number,
                labelled=bool(label),
                final=bool(_FINAL.search(label)),
                turn=turn if alone else heading,
            )
            found.append((verdict, None if alone or heading else about))
        label_only = None if written else patterns.label_alone.match(line)
        announced = label_only["label"] if label_only else ""
    several = len({part for _, part in found if part is not None} | {one.turn for one, _ in found} - {None}) > 1
    for verdict, part in found:
        yield msgspec.structs.replace(verdict, turn=part) if several and part is not None else verdict


_Written = tuple[tuple[str, ...], str, int | None]
"""What was given, the label that leads to it ("" for none), and the turn that it is said to be of."""


def _in_brackets(line: str, patterns: _Patterns, announced: str) -> Iterator[_Written]:
    """The verdicts in double brackets, with what leads to them since the one before."""
    done = 0
    for brackets in _BRACKETS.finditer(line):
        before = line[done : brackets.start()]
        near = before if len(before) <= _REACH else "x" + before[-_REACH:]
        done = brackets.end()
        lead = patterns.lead.search(near)
        label = (lead["label"] if lead else announced if not near.strip() else "") or ""
        said = _inside(brackets["inner"], brackets["of"] or "", patterns)
        if patterns.label_inside.match(brackets["inner"].strip()):
            label = label or "inside"
        if not label and (not said or near.rstrip().endswith("=")):
            continue
        named = (lead["before"] or lead["after"] or lead["turn"]) if lead else None
        later = None if named else _OF_TURN.match(line, done)
        yield said, label, _turn(named or (later["turn"] if later else ""))


def _on_line(line: str, patterns: _Patterns, announced: str) -> Iterator[_Written]:
    """The verdict of a line that says nothing else, or that a label leads to."""
    found = patterns.line.search(line)
    if found:
        yield (
            _said(found, patterns),
            found["label"] or "",
            _turn(found["before"] or found["after"] or found["turn"] or ""),
        )
    elif announced and (alone := patterns.value_alone.match(line)):
        yield _said(alone, patterns), announced, None


def _inside(inner: str, out_of: str, patterns: _Patterns) -> tuple[str, ...]:
    """What brackets hold: one value, several, or nothing that is one."""
    text = patterns.label_inside.sub("", inner.strip(), count=1).strip("\"' ")
    if patterns.value.fullmatch(text):
        whole = text + out_of
        return (whole if patterns.value.fullmatch(whole) else text,)
    parts = [part.strip("\"' ") for part in _BETWEEN.split(text)]
    return tuple(parts) if len(parts) > 1 and all(map(patterns.value.fullmatch, parts)) else ()


def _said(found: re.Match[str], patterns: _Patterns) -> tuple[str, ...]:
    return _inside(found["value"], found["of"] or "", patterns)


def _turn(named: str) -> int | None:
    """The number of the turn that is named."""
    found = _NUMBER_IN.search(named)
    if found is None:
        return None
    return int(found[0]) if found[0].isdigit() else _ORDINALS.index(found[0]) + 1


def those_that_decide(verdicts: Sequence[Verdict], turn: int | None) -> list[Verdict]:
    """The verdicts that have to agree: those of the judged turn (from 1), or of no turn where it has none.

    Where a label leads to the last one, those without a label don't count: a judge weighs grades aloud. Of labelled
    ones that differ nobody knows which is its own, unless the last one and no other is called final. Without a judged
    turn, verdicts of turns count like others and can't decide. Empty where every verdict is of another turn.
    """
    pool = list(verdicts)
    if turn is not None:
        pool = [one for one in verdicts if one.turn == turn] or [one for one in verdicts if one.turn is None]
    if not pool or not pool[-1].labelled or (turn is None and pool[-1].turn is not None):
        return pool
    last = [one for one in pool if one.line == pool[-1].line]
    before = [one for one in pool if one.line != pool[-1].line and one.labelled and one.turn == pool[-1].turn]
    if pool[-1].final and not any(one.final for one in before):
        return last
    return [*(one for one in before if one.said), *last]
