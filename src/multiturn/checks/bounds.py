"""How many there may be: ``{"min", "max", "exactly"}`` of a suite file."""

from __future__ import annotations

import msgspec

from multiturn.conversation import require


class Bounds(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """At least ``min`` and at most ``max``, or ``exactly`` so many; ``tolerance`` widens both ends."""

    min: int | None = None
    max: int | None = None
    exactly: int | None = None
    tolerance: int = 0

    def __post_init__(self) -> None:
        given = [bound for bound in (self.min, self.max, self.exactly) if bound is not None]
        require(bool(given), "needs min, max or exactly")
        require(min(given) >= 0 and self.tolerance >= 0, "min, max, exactly and tolerance must be 0 or more")
        require(self.exactly is None or len(given) == 1, "exactly stands alone, without min and max")
        require(self.min is None or self.max is None or self.min <= self.max, "min is more than max")
        require(self.most is not None or self.least > 0, "asks for nothing: 0 or more")

    @property
    def least(self) -> int:
        """The fewest that are fine."""
        least = self.min if self.exactly is None else self.exactly
        return max(0, (least or 0) - self.tolerance)

    @property
    def most(self) -> int | None:
        """The most that are fine; None where there is no limit."""
        most = self.max if self.exactly is None else self.exactly
        return None if most is None else most + self.tolerance

    def fits(self, number: int) -> bool:
        """Whether so many are fine."""
        return self.least <= number and (self.most is None or number <= self.most)

    def told(self, noun: str) -> str:
        """In words, of something in the plural: ``2 to 4 rows``, ``at most 50 words, give or take 5``."""
        if self.exactly is not None:
            told, last = f"exactly {self.exactly}", self.exactly
        elif self.max is None:
            told, last = f"at least {self.min}", self.min or 0
        elif self.min is None:
            told, last = f"at most {self.max}", self.max
        else:
            told, last = f"{self.min} to {self.max}", self.max
        about = f", give or take {self.tolerance}" if self.tolerance else ""
        return f"{told} {noun_for(last, noun)}{about}"


def noun_for(number: int, plural: str) -> str:
    """``row`` for 1, ``rows`` for others."""
    return plural.removesuffix("s") if number == 1 else plural


def counted(number: int, plural: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{number} {noun_for(number, plural)}"
