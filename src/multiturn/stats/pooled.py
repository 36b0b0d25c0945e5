"""Means pooled over all that was judged, with intervals whose unit is the conversation: scores, rates of winning.

A pooled mean is a ratio: what all conversations have together, by how many judgments there are. Where some are missing
it is not the mean of the conversations' means, and its error is that of a ratio. With x_i the sum over conversation i's
m_i judgments, ``R = sum(x) / sum(m)``, what conversation i adds is ``(x_i - R m_i) / mean(m)``, and the standard error
of R is the standard deviation of these over ``sqrt(n)`` (W. G. Cochran, Sampling Techniques, 3rd ed. 1977, section
6.3; L. Kish, Survey Sampling, 1965, section 6.5). Where all m_i are equal that is Student's for the conversations'
means. What this module does not know: judges, turns, what a grade is of.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from multiturn.results import Estimate
from multiturn.stats.paired import PAIR, spread
from multiturn.stats.ranking import equal_interval
from multiturn.stats.rates import UNIT_RANGE, share_ends, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ROUNDING: Final = 1e-9
"""A sum so little outside its bounds, by judgment, is at them."""

NOTHING: Final = "nothing measured"


def pooled_share(
    sums: Sequence[float] | Floats, counts: Sequence[float] | Floats, level: float = 0.95, *, missing: int = 0
) -> Estimate:
    """The pooled mean of numbers from 0 to 1: ``sum(sums) / sum(counts)``.

    The interval is that of one arm's share (:func:`multiturn.stats.rates.share_ends`: Wilson's with the effective
    number of units), with the standard error of a ratio. Where all is 0, or all 1, it is Wilson's for 0, or n, of n
    conversations; where all conversations have one other share, :func:`multiturn.stats.ranking.equal_interval`.

    Args:
        sums: Of each conversation, the sum over its judgments; from 0 to its count.
        counts: Of each conversation, how many judgments it has; one with 0 is missing.
        level: Of the interval, in (0, 1).
        missing: Conversations that are missing and have no place in ``sums``.

    Returns:
        ``n`` counts conversations. No value where nothing is there, no interval for one conversation.

    Raises:
        ValueError: A sum is not from 0 to its count, the two differ in length, or the level is not between 0 and 1.
    """
    every, sizes = _ready(sums, counts, level)
    there = sizes > 0
    x, m, absent = every[there], sizes[there], missing + int(np.count_nonzero(~there))
    n = x.size
    if n == 0:
        return Estimate(value=None, n=0, missing=absent, level=level, note=NOTHING)
    value = min(1.0, math.fsum(x.tolist()) / math.fsum(m.tolist()))
    if n < PAIR:
        return Estimate(value=value, n=n, missing=absent, level=level, note="one conversation")
    if value in UNIT_RANGE:
        ends = wilson(round(value) * n, n, level)
        note = f"all {n} equal: Wilson's interval"
        return msgspec.structs.replace(ends, missing=absent, note=note)
    found = spread(residuals(x, m))
    if found.deviation <= ROUNDING:
        return equal_interval(value, n, within=UNIT_RANGE, missing=absent, level=level)
    low, high = (float(end) for end in share_ends(n, value, found.deviation, level))
    return Estimate(value=value, n=n, missing=absent, low=min(low, value), high=max(high, value), level=level)


def pooled_mean(
    sums: Sequence[float] | Floats,
    counts: Sequence[float] | Floats,
    scale: tuple[float, float],
    level: float = 0.95,
    *,
    missing: int = 0,
) -> Estimate:
    """The pooled mean of grades on a scale with two ends: ``sum(sums) / sum(counts)``.

    A grade is taken as its share of the way from the scale's lowest to its highest end, and the interval is
    :func:`pooled_share`'s, carried back to the scale. So it lies inside the scale, and where nearly all grades are the
    highest it reaches as far down as few that differ could still mean.

    Args:
        sums: Of each conversation, the sum of its grades.
        counts: Of each conversation, how many grades it has; one with 0 is missing.
        scale: The lowest and the highest grade.
        level: Of the interval, in (0, 1).
        missing: Conversations that are missing and have no place in ``sums``.

    Raises:
        ValueError: As :func:`pooled_share`, or a grade is off the scale.
    """
    lowest, highest = scale
    x, m = np.asarray(sums, np.float64), np.asarray(counts, np.float64)
    found = pooled_share((x - lowest * m) / (highest - lowest), m, level, missing=missing)
    if found.value is None:
        return found
    value = math.fsum(x.tolist()) / math.fsum(m.tolist())
    if found.low is None or found.high is None:
        return msgspec.structs.replace(found, value=value)
    low, high = (lowest + (highest - lowest) * end for end in (found.low, found.high))
    return msgspec.structs.replace(found, value=value, low=min(low, value), high=max(high, value))


def residuals(sums: Floats, counts: Floats) -> Floats:
    """What each conversation adds to the pooled mean beyond its share: mean 0, in the unit of the mean."""
    ratio = math.fsum(sums.tolist()) / math.fsum(counts.tolist())
    return (sums - ratio * counts) / float(counts.mean())


def _ready(sums: Sequence[float] | Floats, counts: Sequence[float] | Floats, level: float) -> tuple[Floats, Floats]:
    x, m = np.asarray(sums, np.float64), np.asarray(counts, np.float64)
    if not 0 < level < 1:
        raise ValueError("level must be between 0 and 1")
    if x.shape != m.shape or x.ndim != 1:
        raise ValueError("there must be one sum and one count for each conversation")
    if not (np.isfinite(x).all() and np.isfinite(m).all()) or (m < 0).any():
        raise ValueError("sums and counts must be finite, and counts not negative")
    if (x < -ROUNDING * m).any() or (x > m * (1 + ROUNDING)).any():
        raise ValueError("every judgment must be within its bounds, so a sum lies between 0 and its count")
    return np.clip(x, 0.0, m), m


def effective(sums: Sequence[float] | Floats, counts: Sequence[float] | Floats) -> tuple[float, float]:
    """How many of how many independent units say as much as these conversations: both may be fractions.

    ``p (1 - p) / e^2`` units for the pooled share p and its standard error e (Kish's design effect), never more than
    there are judgments; of a share of 0 or 1 as many as conversations. Without a judgment, 0 of 0.

    Raises:
        ValueError: A sum is not from 0 to its count, or the two differ in length.
    """
    every, sizes = _ready(sums, counts, 0.5)
    x, m = every[sizes > 0], sizes[sizes > 0]
    if not x.size:
        return 0.0, 0.0
    total = math.fsum(m.tolist())
    share = min(1.0, math.fsum(x.tolist()) / total)
    if share in UNIT_RANGE or x.size < PAIR:
        return share * x.size, float(x.size)
    error = spread(residuals(x, m)).error
    units = total if error == 0 else min(total, share * (1 - share) / error**2)
    return share * units, units
