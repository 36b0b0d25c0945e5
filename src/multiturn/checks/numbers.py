# ruff: noqa: RUF001, RUF002 - dashes, spaces and words of many scripts
r"""The numbers in a text: what a reader would say that it gives, and not every run of digits.

A number is written in digits (``numerals`` has the forms), maybe with a sign, a power (``1.2e3``, ``5 × 10^3``), a
fraction (``1/2``, ``1 1/2``, ``½``, ``\frac{1}{2}``) or a word for thousands and millions behind it; or in a word up
to twelve in English, German, French, Spanish and Russian. ``5%`` is 5.

No numbers are: times (7:15, 19h30), dates, versions (3.0.1), ratios (3:2), telephone numbers, addresses, names (A4,
x86, GPT-4, #1), ordinals (1st, 2e, der 3. Tag, 第3), powers and their exponents (2^10), short thousands (5k), the
markers of lists and the numbering of headings.

Some numbers count only beside a unit that is asked for: words that are articles too (one, eine, un), Chinese numbers,
the hour in "7 pm", the day in "May 5", and what is numbered: Day 3, Step 2. Numbers in headings count only where no
others do.

Knows no unit and no check.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

import msgspec

from multiturn.checks import number_words as words
from multiturn.checks.number_context import comma_is_decimal, is_no_number, is_part_of_larger, needs_unit, sign_start
from multiturn.checks.numerals import SPACES, Numeral, read_numerals
from multiturn.checks.structure import lines_of

Counts = Literal["always", "with_unit", "if_alone"]


class Number(msgspec.Struct, frozen=True):
    """A number that stands at ``text[start:end]``, its sign included.

    ``other`` is a second reading: ``1.250`` may be 1250. ``counts`` says whether it counts without more, only beside a
    unit that is asked for, or only where no other number is.
    """

    value: Decimal
    start: int
    end: int
    other: Decimal | None = None
    counts: Counts = "always"


_GROUPED: Final = (
    rf"[1-9][0-9]{{0,2}}(?P<gap>[{SPACES}])[0-9]{{3}}(?:(?P=gap)[0-9]{{3}}){{0,9}}(?![0-9])(?!(?P=gap)[0-9])"
    r"(?:[.,][0-9]{1,40})?"
)
_MARK: Final = r"(?:[.,:/_'’\-\u2010-\u2015\u2212]|\{,\}|,\\!|\\,|\uff0c(?=[0-9]{3}(?![0-9])))"
_RUN: Final = rf"(?:[0-9]+(?:{_MARK}[0-9]+)*|(?<![\w.])\.[0-9]+(?![0-9]|\.[0-9]))"
_POWER: Final = (
    r"\s?(?:[×x·⋅*]|\\times|\\cdot)\s?10\s?"
    r"(?:\^\s?\{?\s?(?P<power>[-−+]?[0-9]{1,3})(?:\s?\})?|(?P<raised>⁻?[⁰¹²³⁴-⁹]{1,3}))"
)
_EXPONENT: Final = r"[eE](?P<exponent>[-+−]?[0-9]{1,3})(?!\w|\.[0-9])"
_SCALED: Final = "|".join(f"(?P<scale{power}>{pattern})" for pattern, power in words.SCALES)
_ALL_WORDS: Final = {**words.NUMBER_WORDS, **words.ARTICLES, **words.NOT_ENGLISH}
_TOKEN: Final = re.compile(
    r"(?P<address>(?:https?://|www\.)\S{1,2000})"
    r"|(?P<phone>(?:\+[0-9](?:[ ()/.-]{0,2}[0-9]){8,13}"
    r"|(?:\([0-9]{2,5}\)[ -]?|0[0-9]{1,4}[ /-])[0-9](?:[ ()/.-]{0,2}[0-9]){5,13}"
    r"|[0-9]{3}[ .][0-9]{3}[ .-][0-9]{4})(?![0-9]))"
    r"|(?:(?P<ones>[0-9]{1,6})\s?)?\\[dt]?frac\s?\{\s?(?P<top>[0-9]{1,9})\s?\}\s?\{\s?(?P<low>[0-9]{1,9})\s?\}"
    r"|(?:(?P<whole>[0-9]{1,6})\s?)?(?P<vulgar>[¼½¾⅐-⅞])"
    r"|(?P<mixed>[0-9]{1,3})[ -](?P<over>[0-9]{1,3})/(?P<under>[0-9]{1,3})(?![/0-9])"
    rf"|(?P<digits>{_GROUPED}|{_RUN})(?:{_POWER}|{_EXPONENT}|[\s-]?(?i:{_SCALED})(?![a-zà-ÿа-яё]))?"
    rf"|(?<!\w)(?P<word>(?i:{'|'.join(sorted(_ALL_WORDS, key=len, reverse=True))}))(?!\w)"
    r"|(?<![第〇零一二三四五六七八九十百千万亿])(?P<han>十[一二]?|[一二两兩三四五六七八九])(?![〇零一二三四五六七八九十百千万亿])"
)
_OTHER_DIGIT: Final = re.compile(r"(?![0-9])\d")
_FULL_POINT: Final = re.compile(r"(?<=\d)\uff0e(?=\d)")
_GOES_ON: Final = re.compile(r"\s?(?:&|[-\u2010-\u2015]|and|to|und|bis|et|à|y|a|и|до)\s?", re.IGNORECASE)
_LONGEST_LINK: Final = 8
_HEADING_NUMBER: Final = re.compile(r"[*_]{0,3}\(?[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}[.):][*_]{0,3}\s+(?=\S)")
_BOLD_MARKER: Final = re.compile(r"[ \t]{0,12}[*_]{2,3}\(?([0-9]{1,3})[.)][*_]{0,3}\s+(?=\S)")


@lru_cache(maxsize=64)
def numbers_in(text: str) -> tuple[Number, ...]:
    """The numbers of the text, in order, without overlap; see the head of this module."""
    plain = _plain_digits(text)
    passed_over, headings = _layout(plain)
    found: list[Number] = []
    labelled = -1  # the end of the number before, where a label counts it
    for match in _TOKEN.finditer(plain):
        if _inside(passed_over, match.start()):
            continue
        for number in _read(plain, match):
            counts = number.counts
            if counts == "always" and labelled >= 0 and _goes_on(plain, labelled, number.start):
                counts = "with_unit"
            labelled = number.end if counts == "with_unit" and match["digits"] else -1
            if counts == "always" and _inside(headings, number.start):
                counts = "if_alone"
            found.append(number if counts == number.counts else msgspec.structs.replace(number, counts=counts))
    return tuple(found)


def _plain_digits(text: str) -> str:
    """The text with the digits of every script as 0 to 9; no offset changes."""
    if text.isascii():
        return text
    plain = _OTHER_DIGIT.sub(lambda match: str(unicodedata.digit(match[0])), text)
    return _FULL_POINT.sub(".", plain)


Ranges = list[tuple[int, int]]


def _layout(text: str) -> tuple[Ranges, Ranges]:
    """What is passed over (markers, fences, the numbering of headings), and where headings stand; last ones first."""
    passed_over: Ranges = []
    headings: Ranges = []
    bold: dict[int, tuple[int, int]] = {}
    for line in lines_of(text):
        if line.kind == "heading":
            headings.append((line.start, line.end))
            numbering = _HEADING_NUMBER.match(text, line.content, line.end)
            if numbering:
                passed_over.append((line.start, numbering.end()))
        elif line.kind == "item" and line.ordered:
            passed_over.append((line.start, line.content))
        elif line.kind == "fence":
            passed_over.append((line.start, line.end))
        elif line.kind == "text" and text[line.start : line.start + 16].lstrip()[:2] in ("**", "__"):
            marker = _BOLD_MARKER.match(text, line.start, line.end)
            if marker:
                bold.setdefault(int(marker[1]), marker.span())
    passed_over += [span for number, span in bold.items() if number == 1 or {number - 1, number + 1} & bold.keys()]
    return sorted(passed_over, reverse=True), headings[::-1]


def _inside(ranges: Ranges, offset: int) -> bool:
    """Whether the offset lies in one of the ranges; those before it are dropped, since offsets only grow."""
    while ranges and ranges[-1][1] <= offset:
        ranges.pop()
    return bool(ranges) and ranges[-1][0] <= offset


def _goes_on(text: str, end: int, start: int) -> bool:
    """Whether only a dash or an "and" stands between: Days 3 and 4."""
    return start - end <= _LONGEST_LINK and _GOES_ON.fullmatch(text, end, start) is not None


def _read(text: str, match: re.Match[str]) -> Iterator[Number]:
    """The numbers that a token gives."""
    start, end = match.span()
    if match["address"] or match["phone"]:
        return
    if match["word"]:
        yield from _word(text, start, end)
    elif match["han"]:
        yield Number(words.HAN_NUMBERS[match["han"]], start, end, counts="with_unit")
    elif not is_no_number(text, start, end):
        counts: Counts = "with_unit" if needs_unit(text, start, end) else "always"
        sign = sign_start(text, start)
        for one in _values(text, match):
            negative = sign is not None and one.start == start
            yield Number(
                value=one.value.copy_negate() if negative else one.value,
                start=sign if sign is not None and negative else one.start,
                end=one.end,
                other=one.other.copy_negate() if negative and one.other is not None else one.other,
                counts=counts,
            )


def _word(text: str, start: int, end: int) -> Iterator[Number]:
    if is_part_of_larger(text, start, end):
        return
    word = text[start:end].lower()
    always = word in words.NUMBER_WORDS or (word in words.NOT_ENGLISH and comma_is_decimal(text))
    sign = sign_start(text, start)
    value = _ALL_WORDS[word]
    yield Number(
        value=value if sign is None else -value,
        start=start if sign is None else sign,
        end=end,
        counts="always" if always else "with_unit",
    )


def _values(text: str, match: re.Match[str]) -> Iterator[Numeral]:
    """The values of a token that is written in digits, where it stands in the text."""
    start, end = match.span()
    if match["digits"]:
        power = _power(match)
        run = match["digits"]
        for one in read_numerals(run, comma_is_decimal=comma_is_decimal(text)):
            other = None if one.other is None else _scaled(one.other, power)
            last = end if one.end == len(run) else start + one.end
            yield Numeral(_scaled(one.value, power), start + one.start, last, other)
        return
    ones = match["ones"] or match["whole"] or match["mixed"] or "0"
    if match["vulgar"]:
        top, low = unicodedata.normalize("NFKC", match["vulgar"]).split("\u2044")
    else:
        top, low = match["top"] or match["over"], match["low"] or match["under"]
    if int(low):
        yield Numeral(Decimal(ones) + Decimal(top) / Decimal(low), start, end)


def _scaled(value: Decimal, power: int) -> Decimal:
    """The value times ten to the power; left alone where that is 0, since arithmetic rounds to 28 digits."""
    return value.scaleb(power) if power else value


def _power(match: re.Match[str]) -> int:
    """By which power of ten the digits are multiplied; 0 where by none."""
    written = match["power"] or match["exponent"] or unicodedata.normalize("NFKC", match["raised"] or "0")
    scales = (power for _, power in words.SCALES if match[f"scale{power}"])
    return next(scales, int(written.replace("−", "-")))
