# ruff: noqa: RUF001 - apostrophes
"""The particulars of a text that can be kept: its numbers and its names.

Numbers are what ``numbers_in`` finds, and times, dates and their like as they are written. Names are capitalised words
inside a sentence; several in a row are one. The first word of a sentence is one only where it is capitalised inside a
sentence too. So in German every noun is a name, and scripts without capitals have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import msgspec

from multiturn.checks.matching import Variants
from multiturn.checks.numbers import Number, numbers_in
from multiturn.checks.part import Part
from multiturn.text.measure import sentence_spans

_WORD: Final = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
_POSSESSIVE: Final = re.compile(r"['’]s?\Z")
_PRONOUNS: Final = frozenset(["I", "Sie", "Ihnen", "Ihr", "Ihre", "Ihren", "Ihrem", "Ihrer"])
_WRITTEN: Final = re.compile(r"\d+(?:[:/.-]\d+)+")
_OPENS_QUOTE: Final = '"“„«‹‘‚'


class Particular(msgspec.Struct, frozen=True):
    """A number or a name, as it is written; ``values`` are the readings of a number."""

    text: str
    values: frozenset[Decimal] = frozenset()

    def stands_in(self, part: Part, values: frozenset[Decimal]) -> bool:
        """Whether the part has it: a name as a phrase, a number by its value. ``values`` are those of the part."""
        return bool(self.values & values) or Variants((self.text,)).find(part) is not None


def values_in(text: str) -> frozenset[Decimal]:
    """The values of all numbers of the text, in every reading."""
    return frozenset(value for number in numbers_in(text) for value in _readings(number))


def number_particulars(text: str) -> Iterator[Particular]:
    """The numbers of the text, in order, then times, dates and versions."""
    numbers = [number for number in numbers_in(text) if _is_given(number, text)]
    for number in numbers:
        yield Particular(text[number.start : number.end], frozenset(_readings(number)))
    inside = {offset for number in numbers for offset in range(number.start, number.end)}
    for match in _WRITTEN.finditer(text):
        if match.start() not in inside:
            yield Particular(match[0])


def name_particulars(text: str) -> Iterator[Particular]:
    """The names of the text, in order."""
    sentences = [_capitalised(text, start, end) for start, end in sentence_spans(text)]
    inside = {word for words in sentences for word, _, _, first in words if not first}
    for words in sentences:
        run: tuple[int, int] | None = None
        for word, start, end, first in words:
            if first and word not in inside:
                continue
            if run is not None and text[run[1] : start].isspace():
                run = (run[0], end)
                continue
            if run is not None:
                yield Particular(_name(text, run))
            run = (start, end)
        if run is not None:
            yield Particular(_name(text, run))


def _capitalised(text: str, start: int, end: int) -> list[tuple[str, int, int, bool]]:
    """The capitalised words of a sentence: the word, where it stands, and whether it is the first word there."""
    found = []
    first = True
    for match in _WORD.finditer(text, start, end):
        word = _POSSESSIVE.sub("", match[0])
        opens = first or text[match.start() - 1] in _OPENS_QUOTE
        first = False
        if word[0].isupper() and re.split("['’]", word)[0] not in _PRONOUNS:
            found.append((word, match.start(), match.start() + len(word), opens))
    return found


def _name(text: str, run: tuple[int, int]) -> str:
    return text[run[0] : run[1]]


def _is_given(number: Number, text: str) -> bool:
    """Whether the user gave it as a number: in digits, or in a word that is nothing else."""
    return number.counts == "always" or (
        number.counts == "with_unit" and any(char.isdigit() for char in text[number.start : number.end])
    )


def _readings(number: Number) -> set[Decimal]:
    return {number.value} if number.other is None else {number.value, number.other}
