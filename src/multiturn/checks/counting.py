# ruff: noqa: RUF001 - question marks and quotation marks of many scripts
"""What is counted in replies, and where the first one too many stands.

Words and sentences are those of ``multiturn.text.measure``. Of the others:

- lines: those that are not blank; fences, rules and the dividers of tables aside;
- paragraphs: runs of lines of prose or of a quotation; headings, lists, tables and code are none, and end one;
- bullets: items of lists without numbers, the outermost only; items: those of all lists, or of lists of one sort;
- characters: letters, spaces and marks between the first and the last one that is seen; accents and characters of no
  width are part of theirs;
- questions: sentences that end in a question mark.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from typing import Final, Literal

from multiturn.checks.part import Range
from multiturn.checks.structure import blocks, lines_of
from multiturn.text.measure import count_words, sentence_spans

Of = Literal["sentences", "words", "lines", "paragraphs", "bullets", "characters", "questions"]

_BEHIND_QUESTION: Final = "!\"'”’»)]}*_ "
_QUESTION: Final = ("?", "？", "؟", "\u037e")
_OF_NO_WIDTH: Final = frozenset({"Mn", "Me", "Cf"})
_FROM_HAN: Final = "\u2e80"
_SHOWN: Final = 60
_FIRST_LOOK: Final = 256


def count(of: Of, text: str) -> int:
    """How many there are."""
    if of == "words":
        return count_words(text)
    if of == "characters":
        return _count_characters(text.strip())
    return len(_PLACES[of](text))


def first_surplus(of: Of, text: str, most: int) -> Range | None:
    """Where the first one stands after so many; None where there are no more."""
    if of == "words":
        return _surplus_word(text, most)
    if of == "characters":
        return _surplus_character(text, most)
    places = _PLACES[of](text)
    return places[most] if len(places) > most else None


def items_of(text: str, *, ordered: bool | None) -> list[Range]:
    """The outermost items of all lists, or of those with (without) numbers only, without their markers."""
    found = [line for line in lines_of(text) if line.kind == "item" and ordered in (None, line.ordered)]
    outermost = min((line.level for line in found), default=0)
    return [(line.content, line.end) for line in found if line.level == outermost]


def _sentences(text: str) -> list[Range]:
    return list(sentence_spans(text))


def _questions(text: str) -> list[Range]:
    return [
        (start, end)
        for start, end in sentence_spans(text)
        if text[start:end].rstrip(_BEHIND_QUESTION).endswith(_QUESTION)
    ]


def _lines(text: str) -> list[Range]:
    skipped = ("blank", "fence", "rule", "divider", "underline")
    return [(line.start, line.end) for line in lines_of(text) if line.kind not in skipped]


def _paragraphs(text: str) -> list[Range]:
    runs = [*blocks(text, "text"), *blocks(text, "quote")]
    found = sorted((run[0].content, run[-1].end) for run in runs)
    return [(start, end) for start, end in found if any(map(str.isalnum, text[start:end]))]


def _bullets(text: str) -> list[Range]:
    return items_of(text, ordered=False)


_PLACES: Final[Mapping[Of, Callable[[str], list[Range]]]] = {
    "sentences": _sentences,
    "lines": _lines,
    "paragraphs": _paragraphs,
    "bullets": _bullets,
    "questions": _questions,
}


def _surplus_word(text: str, most: int) -> Range | None:
    """The shortest beginning with more words than that ends in the surplus one; it is found by halving."""
    high = min(_FIRST_LOOK, len(text))
    while count_words(text[:high]) <= most:
        if high == len(text):
            return None
        high = min(2 * high, len(text))
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if count_words(text[:middle]) > most else (middle, high)
    if text[high - 1] >= _FROM_HAN:
        return high - 1, high
    start = high - 1
    while start > 0 and not text[start - 1].isspace() and high - start < _SHOWN:
        start -= 1
    while high < len(text) and not text[high].isspace() and high - start < _SHOWN:
        high += 1
    return start, high


def _counts(char: str) -> bool:
    return char != "\r" and (char.isascii() or unicodedata.category(char) not in _OF_NO_WIDTH)


def _count_characters(text: str) -> int:
    if text.isascii():
        return len(text) - text.count("\r")
    return sum(map(_counts, text))


def _surplus_character(text: str, most: int) -> Range | None:
    """From there to the end of the line, or some words further."""
    seen = -1
    last = len(text.rstrip())
    for offset in range(len(text) - len(text.lstrip()), last):
        seen += _counts(text[offset])
        if seen == most:
            shown = text[offset : min(offset + _SHOWN, last)].split("\n", 1)[0]
            return offset, offset + max(1, len(shown.rstrip()))
    return None
