"""The kind ``number``: the number that a reply gives."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, Literal

from multiturn.checks.base import Kind, Look, failed, passed
from multiturn.checks.matching import listed
from multiturn.checks.numbers import Number, numbers_in
from multiturn.checks.part import Part
from multiturn.checks.units import Unit
from multiturn.checks.words import Phrases, require_phrases
from multiturn.conversation import require
from multiturn.finding import CheckResult

Which = Literal["last", "first", "any", "only"]

_IN_WORDS: Final[dict[Which, str]] = {
    "last": "as its last number",
    "first": "as its first number",
    "any": "",
    "only": "and no other number",
}


class GivesNumber(Kind, frozen=True, tag="number"):
    """Gives this number, up to ``tolerance``; with ``unit``, only numbers with one of these beside them count.

    Numbers in headings count where no others do. A number that may be read in two ways (1.250) is the right one if
    one of its readings is.
    """

    value: Decimal
    tolerance: Decimal = Decimal(0)
    unit: Phrases = ()
    which: Which = "last"
    not_: tuple[Decimal, ...] = ()

    def __post_init__(self) -> None:
        for number in (self.value, self.tolerance, *self.not_):
            require(number.is_finite(), "value, tolerance and not must be finite numbers")
        require(self.tolerance >= 0, "tolerance must be 0 or more")
        require_phrases(self.unit, "unit")
        for index, number in enumerate(self.not_):
            require(abs(number - self.value) > self.tolerance, f"not[{index}] is within the tolerance of value")

    @property
    def needs_end(self) -> bool:
        """What was cut off may have had another number."""
        return self.which in ("last", "only")

    def wants(self) -> str:
        """The number, in words."""
        about = f" give or take {self.tolerance:f}" if self.tolerance else ""
        unit = f" {listed(self.unit)}" if self.unit else ""
        absent = f", and not {' or '.join(f'{number:f}' for number in self.not_)}" if self.not_ else ""
        return " ".join(f"gives {self.value:f}{about}{unit} {_IN_WORDS[self.which]}".split()) + absent

    def phrases(self) -> Phrases:
        """The value, then the numbers that must be absent, each with the first unit."""
        return tuple(" ".join((_written(number), *self.unit[:1])) for number in (self.value, *self.not_))

    def decide(self, look: Look) -> CheckResult:
        """The span is the number that decided."""
        numbers = self._counted(look.part)
        if not numbers:
            return failed(f"gives no number{f' with {listed(self.unit)} beside it' if self.unit else ''}")
        for number in numbers:
            if not self._is_right(number) and any(number.value == wrong for wrong in self.not_):
                return self._told(look, number)
        if self.which == "any":
            right = next(filter(self._is_right, numbers), None)
            return self._told(look, right or numbers[-1])
        if self.which == "only":
            wrong = next((number for number in numbers if not self._is_right(number)), None)
            return self._told(look, wrong or numbers[0])
        return self._told(look, numbers[-1 if self.which == "last" else 0])

    def _counted(self, part: Part) -> Sequence[Number]:
        """The numbers that the check looks at, in order."""
        found: Sequence[Number] = numbers_in(part.text)
        if self.unit:
            found = Unit(self.unit).beside(part, found)
        else:
            found = [number for number in found if number.counts != "with_unit"]
        return [number for number in found if number.counts != "if_alone"] or found

    def _is_right(self, number: Number) -> bool:
        return abs(number.value - self.value) <= self.tolerance or (
            number.other is not None and abs(number.other - self.value) <= self.tolerance
        )

    def _told(self, look: Look, number: Number) -> CheckResult:
        span = look.part.span(number.start, number.end)
        if self._is_right(number):
            return passed(self.wants(), span)
        return failed(f"gives {span.text!r}, not {self.value:f}", span)


def _written(number: Decimal) -> str:
    """As people write it: no exponent, no zeros at the end of a fraction."""
    plain = f"{number:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
