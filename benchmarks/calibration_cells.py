"""Made-up comparisons of which the truth is known: how conversations come out, how runs are drawn, what is said.

A turn's (or check's) outcome is where a number drawn evenly from 0 to 1 falls: below the pass rate it passes; a rating
goes by its thresholds. Two correlations tie these draws together, and both are of the draws themselves:

* inside a conversation: with probability ``sqrt(icc)`` a turn takes the conversation's draw instead of one of its own
  (in both arms or in neither), so that two turns share one draw with probability ``icc``;
* between arms: each draw of tuned, the conversation's as well as a turn's own, is base's with probability ``rho``, and
  a new one otherwise.

Two draws are thus the same, or have nothing to do with each other. So at equal rates the outcomes themselves, and
conversations' means over them, have exactly these correlations, whatever the rate; and at equal rates the arms are
exchangeable. Where tuned is worse, a shared draw can only fall: that is as one-sided as a difference can be.

A run is n such conversations. What an interval is made of (n, mean, deviation) depends on them only through how often
each difference came out, and the law of one conversation's difference is worked out exactly. So a run is one draw from
a multinomial law: the same numbers as from drawing each turn, in a hundredth of the time. What this module does not
know: which cells there are, goals, tables.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multiturn.stats.exact import sign_flip
from multiturn.stats.paired import ROUNDING, difference_ends
from multiturn.stats.power import minimum_detectable
from multiturn.stats.rates import share_ends, wilson

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

SEED: Final = 2026
LEVEL: Final = 0.95
SLACK: Final = 1e-9
"""A true value this close to an end of an interval is inside."""


class Shape(NamedTuple):
    """What conversations are made of: how many turns each has (several numbers: each equally often), and their icc."""

    turns: tuple[int, ...]
    icc: float

    def __str__(self) -> str:
        turns = f"{self.turns[0]}" if len(self.turns) == 1 else f"{self.turns[0]} to {self.turns[-1]}"
        return f"{turns} a conversation, icc {self.icc}"


class Law(NamedTuple):
    """How likely one conversation's number is each of ``steps / unit``."""

    steps: Counts
    unit: int
    chances: Floats

    @property
    def mean(self) -> float:
        """The true mean over conversations."""
        return float(self.chances @ self.steps) / self.unit

    @property
    def deviation(self) -> float:
        """The true standard deviation between conversations."""
        return math.sqrt(max(0.0, float(self.chances @ np.square(self.steps / self.unit - self.mean))))


class Sample(NamedTuple):
    """Runs of n conversations: the mean of each, its standard deviation (divisor n - 1), whether all were equal."""

    n: int
    mean: Floats
    deviation: Floats
    equal: Flags


class Said(NamedTuple):
    """What comes of each run: the 95 % interval, whether it has one, and the word of ``verdicts.word_of``.

    Where ``interval`` is false, ``low`` and ``high`` mean nothing. ``higher_is_better`` holds.
    """

    low: Floats
    high: Floats
    interval: Flags
    equivalent: Flags
    regressed: Flags
    improved: Flags

    def covers(self, truth: float) -> float:
        """The share of runs whose interval has the truth in it; one without an interval misses nothing."""
        inside = (self.low <= truth + SLACK) & (self.high >= truth - SLACK)
        return float((inside | ~self.interval).mean())


def passes(rate: float) -> Floats:
    """The chances of fail and pass."""
    return np.array([1 - rate, rate])


def of_one_arm(outcome: Floats, shape: Shape) -> Law:
    """The law of a conversation's mean over turns whose outcome is 0, 1, 2 ... with these chances."""
    return _of_conversation(outcome, 0, shape)


def of_difference(base: Floats, tuned: Floats, rho: float, shape: Shape) -> Law:
    """The law of a conversation's difference tuned - base, from the chances of the outcomes 0, 1, 2 ... in each arm."""
    ends = np.concatenate([[0.0], np.cumsum(base)]), np.concatenate([[0.0], np.cumsum(tuned)])
    upper = np.minimum.outer(ends[0][1:], ends[1][1:])
    lower = np.maximum.outer(ends[0][:-1], ends[1][:-1])
    together = rho * np.maximum(0.0, upper - lower) + (1 - rho) * np.outer(base, tuned)
    top = base.size - 1
    places = np.subtract.outer(np.arange(top + 1), np.arange(top + 1)).T + top  # tuned - base, from 0
    chances: Floats = np.bincount(places.ravel(), weights=together.ravel()).astype(np.float64)
    return _of_conversation(chances, -top, shape)


def _of_conversation(turn: Floats, first: int, shape: Shape) -> Law:
    """The law of the mean over turns of which each has the values first, first + 1 ... with these chances."""
    unit = math.lcm(*shape.turns)
    copies = math.sqrt(shape.icc)
    total = np.zeros(unit * (turn.size - 1) + 1)
    for count in shape.turns:
        for shared in range(count + 1):
            weight = math.comb(count, shared) * copies**shared * (1 - copies) ** (count - shared)
            chances = _spaced(turn, shared)
            for _ in range(count - shared):
                chances = np.convolve(chances, turn)
            total += weight / len(shape.turns) * _spaced(chances, unit // count)
    possible = total > 0
    return Law(np.flatnonzero(possible) + first * unit, unit, total[possible] / total.sum())


def _spaced(chances: Floats, times: int) -> Floats:
    """The law of so many times the value."""
    spaced = np.zeros(times * (chances.size - 1) + 1)
    if times:
        spaced[::times] = chances
    else:
        spaced[0] = chances.sum()
    return spaced


def generator(cell: str) -> np.random.Generator:
    """A cell's own source of randomness, so that it comes out the same alone and among others."""
    return np.random.default_rng([SEED, *cell.encode()])


def draw(law: Law, n: int, runs: int, cell: str) -> Counts:
    """How many of n conversations came out at each step of the law, run by run."""
    return generator(cell).multinomial(n, law.chances, size=runs)


def sample(law: Law, counts: Counts) -> Sample:
    """What intervals are made of; sums are of whole numbers, so exact."""
    n = int(counts[0].sum())
    sums, squares = counts @ law.steps, counts @ np.square(law.steps)
    spread = n * squares - np.square(sums)
    deviation = np.sqrt(spread / (n * (n - 1))) / law.unit
    return Sample(n, sums / (n * law.unit), deviation, spread == 0)


def sample_of(base: Floats, tuned: Floats) -> Sample:
    """The same from both arms' numbers, runs x conversations; what rounding alone sets apart is equal."""
    differences = tuned - base
    rounding = ROUNDING * np.maximum(np.abs(base), np.abs(tuned)).max(axis=1)
    mean = differences.mean(axis=1)
    unchanged = np.abs(differences).max(axis=1) <= rounding
    equal = np.ptp(differences, axis=1) <= rounding
    deviation = np.where(equal, 0.0, differences.std(axis=1, ddof=1))
    return Sample(base.shape[1], np.where(unchanged, 0.0, mean), deviation, equal)


def say(found: Sample, margin: Floats | float, extreme: float | None) -> Said:
    """What ``verdicts.word_of`` says of each run, for a measure of which more is better."""
    narrow, wide = (difference_ends(found.n, found.mean, found.deviation, at, extreme) for at in (2 * LEVEL - 1, LEVEL))
    low, high = np.asarray(wide[0]), np.asarray(wide[1])
    interval = ~found.equal if extreme is None else ~(found.equal & (found.mean != 0))
    equivalent = interval & (narrow[0] > -margin) & (narrow[1] < margin)
    flips = sign_flip(found.n) < 1 - LEVEL
    fell = ~equivalent & np.where(interval, high < 0, flips & (found.mean < 0))
    rose = ~equivalent & np.where(interval, low > 0, flips & (found.mean > 0))
    return Said(low, high, interval, equivalent, fell, rose)


def say_of_rate(found: Sample) -> Said:
    """The interval of ``rates.share_interval``, run by run; no words."""
    n, usable, nothing = found.n, ~found.equal, np.zeros(found.mean.size, dtype=np.bool_)
    low, high = np.empty_like(found.mean), np.empty_like(found.mean)
    low[usable], high[usable] = share_ends(n, found.mean[usable], found.deviation[usable], LEVEL)
    for rate, passed in ((0, 0), (1, n)):
        ends, where = wilson(passed, n, LEVEL), found.equal & (found.mean == rate)
        low[where], high[where] = ends.low, ends.high
        usable |= where
    return Said(low, high, usable, nothing, nothing, nothing)


def fall_that_is_detectable(rate: float, rho: float, shape: Shape, n: int) -> float | None:
    """The true fall of a pass rate that equals the minimum detectable effect stated at that fall.

    The effect is stated from the true standard error. The error grows with the fall, so the two are brought together by
    halving; None where even a fall to 0 is less than what is stated.
    """

    def stated(fall: float) -> float:
        law = of_difference(passes(rate), passes(rate - fall), rho, shape)
        return minimum_detectable(law.deviation / math.sqrt(n), n, LEVEL) or 0.0

    low, high = 0.0, rate
    if stated(high) > high:
        return None
    while high - low > SLACK:
        middle = (low + high) / 2
        low, high = (middle, high) if stated(middle) > middle else (low, middle)
    return high


def moved_ratings(base: Floats, by: float) -> Floats | None:
    """Ratings of which a part is one point lower (or higher), so that the mean moves by this.

    The lowest can't fall, nor the highest rise; None where all of them are not enough.
    """
    one_off = np.zeros_like(base)
    if by < 0:
        one_off[:-1], one_off[0] = base[1:], base[0] + base[1]
        part = -by / (1 - base[0])
    else:
        one_off[1:], one_off[-1] = base[:-1], base[-1] + base[-2]
        part = by / (1 - base[-1])
    return (1 - part) * base + part * one_off if part <= 1 else None


def failed_ratings(base: Floats, by: float) -> Floats:
    """Ratings of which a part is the lowest of all, so that the mean falls by this: a few replies fail altogether."""
    part = -by / float(base @ np.arange(base.size))
    failed = (1 - part) * base
    failed[0] += part
    return failed
