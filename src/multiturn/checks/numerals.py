"""Digits to values: how 1,000, 1.000,50, 1 000, 1'000, 1.5 and 1/2 are read.

Knows one run of digits and the marks between them, nothing of what stands around it. Exact: values are decimals.

One mark before three digits may part thousands or decimals: ``1.250`` and ``1,250``. Such a numeral has both readings.
The first one is thousands where three zeros follow (nobody writes 1.000 for 1); else what the text's language does.
All other forms have one reading: ``1,5`` and ``0.125`` are decimals, ``1,000,000`` and ``1.000,5`` have thousands.
What is well-formed in no way is a list where commas part it (``1,2,3``), and no number else (``3.0.1``, ``7:15``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import msgspec

SPACES: Final = " \u00a0\u2007\u2009\u202f"
"""Spaces that may part thousands."""

MOST_DIGITS: Final = 40
"""Longer runs of digits are names of something (a hash, a card), no numbers."""

_LONGEST: Final = 60
_DASH: Final = re.compile(r"[-\u2010-\u2015\u2212]")
_PIECE: Final = re.compile(r"[^,]+")
_LATEX: Final = {r"{,}": ",", r",\!": ",", r"\,": " ", "\u2019": "'", "\uff0c": ","}
_WHOLE: Final = re.compile(r"[0-9]{1,40}")
_DECIMAL: Final = re.compile(r"[0-9]{0,40}[.,][0-9]{1,40}")
_EITHER: Final = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")
_THOUSANDS: Final = (
    re.compile(r"([1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.([0-9]{1,40}))?"),
    re.compile(r"([1-9][0-9]{0,2}(?:\.[0-9]{3})+)(?:,([0-9]{1,40}))?"),
    re.compile(
        rf"([1-9][0-9]{{0,2}}(?:(?:'[0-9]{{3}})+|(?:_[0-9]{{3}})+|(?:[{SPACES}][0-9]{{3}})+))(?:[.,]([0-9]{{1,40}}))?"
    ),
    re.compile(r"([1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})(?:\.([0-9]{1,40}))?"),  # 1,00,000: a lakh
)


class Numeral(msgspec.Struct, frozen=True):
    """A value, where it stands in the run, and its ``other`` reading if it has two."""

    value: Decimal
    start: int
    end: int
    other: Decimal | None = None


def read_numerals(run: str, *, comma_is_decimal: bool) -> Iterator[Numeral]:
    """The numbers in a run of digits with marks between them; none in times, dates, versions and telephone numbers.

    Args:
        run: begins and ends with a digit, or begins with a point.
        comma_is_decimal: the text's language writes 1,5 for one and a half.
    """
    parts = list(_split(run))
    if len(parts) > 2:  # noqa: PLR2004 - 3-4 is a range; 2026-03-05 and 555-123-4567 are none
        return
    for start, end in parts:
        part = run[start:end]
        if ":" in part or part.count("/") > 1:
            continue
        if "/" in part:
            top, low = (_one(side, comma_is_decimal=comma_is_decimal) for side in part.split("/"))
            if top and low and low[0]:
                yield Numeral(top[0] / low[0], start, end)
        else:
            yield from _listed(part, start, comma_is_decimal=comma_is_decimal)


def _split(run: str) -> Iterator[tuple[int, int]]:
    start = 0
    for dash in _DASH.finditer(run):
        yield start, dash.start()
        start = dash.end()
    yield start, len(run)


def _listed(part: str, offset: int, *, comma_is_decimal: bool) -> Iterator[Numeral]:
    """The number that the part is, or those of the list that it is."""
    one = _one(part, comma_is_decimal=comma_is_decimal)
    if one is not None:
        yield Numeral(one[0], offset, offset + len(part), one[1])
    elif "," in part:
        for piece in _PIECE.finditer(part):
            found = _one(piece[0], comma_is_decimal=comma_is_decimal)
            if found is not None:
                yield Numeral(found[0], offset + piece.start(), offset + piece.end(), found[1])


def _one(part: str, *, comma_is_decimal: bool) -> tuple[Decimal, Decimal | None] | None:
    """The value and its other reading; None where the part is no single number."""
    if len(part) > _LONGEST:
        return None
    for mark, plain in _LATEX.items():
        part = part.replace(mark, plain)
    if _WHOLE.fullmatch(part):
        return Decimal(part), None
    if _EITHER.fullmatch(part):
        thousands, decimal = Decimal(re.sub(r"[.,]", "", part)), Decimal(part.replace(",", "."))
        decimal_first = ("," in part) == comma_is_decimal and not part.endswith("000")
        return (decimal, thousands) if decimal_first else (thousands, decimal)
    for form in _THOUSANDS:
        found = form.fullmatch(part)
        if found:
            digits = re.sub(r"\D", "", found[1])
            return Decimal(f"{digits}.{found[2]}" if found[2] else digits), None
    return (Decimal(part.replace(",", ".")), None) if _DECIMAL.fullmatch(part) else None
