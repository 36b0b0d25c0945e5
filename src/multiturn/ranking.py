"""Values of a ranking: who is preferred to whom, pass rates side by side, strengths. Pure values; nothing computes."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from multiturn.conversation import require
from multiturn.results import Estimate

Winner = Literal["a", "b", "tie"]


class Preferred(msgspec.Struct, frozen=True, kw_only=True):
    """One vote: whose reply is preferred, of two arms, in one turn (from 0) or in a whole conversation (None).

    ``winner`` is None where the vote is missing, which is no tie. ``by`` says who voted, "" where nobody says.
    """

    conversation: str
    a: str
    b: str
    winner: Winner | None
    turn: int | None = None
    by: str = ""

    def __post_init__(self) -> None:
        require(bool(self.conversation and self.a and self.b), "a preference names a conversation and two arms")
        require(self.a != self.b, "a preference is between two arms")
        require(self.turn is None or self.turn >= 0, "turn must not be negative")


class Games(msgspec.Struct, frozen=True, kw_only=True):
    """An arm's votes: how often it was preferred, the other was, neither was, and how many are missing."""

    wins: int = 0
    losses: int = 0
    ties: int = 0
    missing: int = 0

    def __post_init__(self) -> None:
        require(min(self.wins, self.losses, self.ties, self.missing) >= 0, "counts must not be negative")

    @property
    def known(self) -> int:
        """Votes that say something."""
        return self.wins + self.losses + self.ties

    @property
    def win_rate(self) -> float | None:
        """The share of games won, from 0 to 1, a tie as half a win; None where there is no game."""
        return (self.wins + self.ties / 2) / self.known if self.known else None


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """One arm's pass rate. ``rank`` is from 1, the same where rates are equal, None where nothing was measured.

    ``told_apart_from`` names the arms from which it differs by more than chance explains.
    """

    arm: str
    rank: int | None
    estimate: Estimate
    told_apart_from: tuple[str, ...] = ()


class Between(msgspec.Struct, frozen=True, kw_only=True):
    """The difference first - second between two arms, paired by conversation."""

    first: str
    second: str
    difference: Estimate

    @property
    def told_apart(self) -> bool:
        """Whether the interval leaves out 0."""
        low, high = self.difference.low, self.difference.high
        return low is not None and high is not None and not low <= 0 <= high


class RateRanking(msgspec.Struct, frozen=True, kw_only=True):
    """Arms by pass rate, best first, and every pair of them.

    ``level`` is that of a whole family: all intervals of ``arms`` hold together with this probability, and so do all of
    ``pairs``. The level that stands in an estimate is that of its interval alone, which is higher.
    """

    level: float
    arms: tuple[Ranked, ...]
    pairs: tuple[Between, ...]


class Strength(msgspec.Struct, frozen=True, kw_only=True):
    """One arm by preferences.

    ``strength`` is in log-odds, with mean 0 over the arms of its group (:attr:`StrengthRanking.groups`);
    ``against_average`` the probability, from 0 to 1, to be preferred to an arm of strength 0. Both are None where the
    games say nothing of how far it is from any other arm. ``rank`` is from 1, None where its place among the arms that
    have games is not known.
    Estimates count conversations: ``missing`` are those in which all votes on the arm are.
    """

    arm: str
    rank: int | None
    games: Games
    strength: Estimate | None = None
    against_average: Estimate | None = None

    def __post_init__(self) -> None:
        require((self.strength is None) == (self.against_average is None), "a strength is given in both forms or none")


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Arms whose strengths can be compared with each other: each beat each other one, directly or through others.

    ``separated_draws`` are the bootstrap's draws in which that did not hold, so that they have no finite strengths.
    """

    arms: tuple[str, ...]
    separated_draws: int = 0


class Separated(msgspec.Struct, frozen=True, kw_only=True):
    """``over`` won every game against ``under``: no finite number says how far they are apart."""

    over: tuple[str, ...]
    under: tuple[str, ...]


class StrengthRanking(msgspec.Struct, frozen=True, kw_only=True):
    """Arms by preferences (Bradley and Terry 1952), best first.

    There is one group where all strengths can be compared. Else ``separated`` says which groups stand above which
    (neighbours only), and ``disconnected`` which sets of arms have no game between them (empty where there is one set;
    arms without any game are in none). ``draws`` is how often the bootstrap drew, 0 where it did not.
    """

    level: float
    arms: tuple[Strength, ...]
    groups: tuple[Group, ...]
    separated: tuple[Separated, ...]
    disconnected: tuple[tuple[str, ...], ...]
    conversations: int
    draws: int
    games: int
    missing: int

    def __post_init__(self) -> None:
        require(math.isfinite(self.level) and 0 < self.level < 1, "level must be between 0 and 1")


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """Arms ranked by what their checks say, by preferences, or by both; None where there is nothing to rank by."""

    rates: RateRanking | None = None
    strengths: StrengthRanking | None = None
    notes: tuple[str, ...] = ()
