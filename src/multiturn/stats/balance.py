"""How far tries go one way rather than the other: the mean of numbers from -1 to 1, with an interval for few of them.

Student's interval has no width where all tries come out alike, and too little where nearly all do: with a handful of
tries that is the rule. So the two ways are taken apart, each has Wilson's interval, and the two are put together again.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from multiturn.results import Estimate
from multiturn.stats.rates import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

WHOLE: Final = 1.0


def balance(values: Sequence[float], level: float = 0.95, *, missing: int = 0) -> Estimate:
    """The mean of these, each from -1 (wholly the one way) to 1 (wholly the other), with its interval.

    For the positive parts, with mean p and interval (l, u), and the negative ones, with q and (m, v), the ends of the
    interval of ``p - q`` are ``p - q - sqrt((p-l)^2 - 2r (p-l)(v-q) + (v-q)^2)`` and, likewise, above; ``r`` is the
    correlation of the two, never above 0 since no value has both (G. Y. Zou and A. Donner, "Construction of confidence
    limits about effect measures", Statistics in Medicine 27, 2008; R. G. Newcombe had it for paired rates, Statistics
    in Medicine 17, 1998). The interval of each part is Wilson's; of parts between 0 and 1 it is made of Wilson's
    intervals for "at least so much", one for each size that occurs.

    Args:
        values: One per independent unit.
        level: Of the interval, in (0, 1).
        missing: Units of which nothing is known.

    Raises:
        ValueError: A value is not from -1 to 1, or the level is not between 0 and 1.
    """
    if not all(-WHOLE <= value <= WHOLE for value in values):
        raise ValueError("every value must be from -1 to 1")
    n = len(values)
    if n == 0:
        return Estimate(value=None, n=0, missing=missing, level=level, note="nothing measured")
    over, under = [max(value, 0.0) for value in values], [max(-value, 0.0) for value in values]
    p, q = math.fsum(over) / n, math.fsum(under) / n
    (low, high), (below, above) = _ends(over, level), _ends(under, level)
    r = _correlation(over, under)
    mean = p - q
    return Estimate(
        value=mean,
        n=n,
        missing=missing,
        low=max(-WHOLE, mean - _distance(p - low, above - q, r)),
        high=min(WHOLE, mean + _distance(high - p, q - below, r)),
        level=level,
    )


def _ends(parts: Sequence[float], level: float) -> tuple[float, float]:
    """Of the mean of numbers from 0 to 1, the sum over sizes of (size - next smaller) * share of at least it."""
    low = high = before = 0.0
    for size in sorted({part for part in parts if part > 0} | {WHOLE}):
        share = wilson(sum(part >= size for part in parts), len(parts), level)
        low += (size - before) * (share.low or 0.0)
        high += (size - before) * (WHOLE if share.high is None else share.high)
        before = size
    return low, high


def _correlation(over: Sequence[float], under: Sequence[float]) -> float:
    """Of two parts of which one is 0 wherever the other is not; 0 where one of them never varies."""
    n = len(over)
    p, q = math.fsum(over) / n, math.fsum(under) / n
    spread = math.sqrt(_variance(over, p) * _variance(under, q))
    return -p * q / spread if spread > 0 else 0.0


def _variance(parts: Sequence[float], mean: float) -> float:
    return math.fsum((part - mean) ** 2 for part in parts) / len(parts)


def _distance(one: float, other: float, r: float) -> float:
    one, other = max(one, 0.0), max(other, 0.0)  # rounding
    return math.sqrt(one * one - 2 * r * one * other + other * other)
