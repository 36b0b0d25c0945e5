"""Intervals for what has no formula: ratios and medians over conversations, by resampling whole conversations.

A conversation is drawn with all its numbers, so that base and tuned stay a pair. The seed is an argument: the same
numbers and the same seed give the same interval, in whatever order the conversations come. What this module does not
know: measures, arms, verdicts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from multiturn.results import Estimate
from multiturn.stats.paired import PAIR

ENOUGH: Final = 30
"""A ratio and a median have an interval from this many conversations on."""

GROUPS: Final = 1000
"""At most so many times conversations are left out to measure the acceleration."""

NO_SPREAD: Final = "resampling shows no spread"

DRAWS: Final = 4000
"""Samples drawn for an interval, up to ``MANY`` conversations."""

MANY: Final = 2500
"""With more conversations fewer samples are drawn, down to ``FEWEST_DRAWS``: the noise of drawing is small beside."""

FEWEST_DRAWS: Final = 1000

TABLE: Final = 2
"""Dimensions of a table: conversations and their numbers."""

ROUNDING: Final = 1e-12
"""Values that lie closer together than this, as a share of the largest, differ by rounding only."""

AT_ONCE: Final = 2**17
"""So many numbers of resampled conversations are held in memory at a time (1 MB, and as much for the places)."""

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From samples of conversations (samples, conversations, numbers) to one value for each sample."""


def bca(
    rows: NDArray[np.float64],
    statistic: Statistic,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[float, float] | None:
    """The bias-corrected and accelerated bootstrap interval of a statistic over conversations.

    B. Efron, "Better bootstrap confidence intervals", JASA 82 (1987); B. Efron and R. J. Tibshirani, An Introduction to
    the Bootstrap (1993), section 14.3. Conversations are drawn with replacement, n of n, ``draws`` times. An end of the
    interval is the quantile of the drawn values at ``Phi(z0 + (z0 + z) / (1 - a * (z0 + z)))``: z is the normal
    quantile of the plain end, z0 that of the share of drawn values below the statistic of the data (those equal to it
    count half), a the acceleration from leaving out one conversation at a time, ``sum(d^3) / (6 * sum(d^2)^1.5)`` with
    d the mean of these values less each of them. Of more than ``GROUPS`` conversations random groups of equal size are
    left out instead (B. Efron and B. Narasimhan, "The automatic construction of bootstrap confidence intervals",
    Journal of Computational and Graphical Statistics 29, 2020), so that the time does not grow with the square of n.

    Args:
        rows: One row per conversation, of one or more numbers: shape (n, k).
        statistic: Takes many samples at once, shape (samples, n or fewer, k), and gives one value for each. Where it is
            not defined it gives a value that is not finite.
        level: Of the interval, in (0, 1).
        draws: How many samples are drawn.
        seed: Of the draws.

    Returns:
        The two ends, or None where there is no interval: fewer than two conversations, a statistic that is not defined
        for a sample or that has no spread, or a bias or acceleration that can't be computed (all drawn values on one
        side of the statistic; no change whichever conversation is left out).

    Raises:
        ValueError: Rows are not a table of finite numbers, the level is not between 0 and 1, or draws is below 1.
    """
    rows = _ready(rows, level, draws)
    return _bca(rows, statistic, float(ndtri((1 + level) / 2)), draws=draws, seed=seed)


def ratio_of_means(base: Sequence[float], tuned: Sequence[float], level: float = 0.95, seed: int = 0) -> Estimate:
    """The mean of tuned over the mean of base, over the same conversations, with its BCa interval.

    Meant for what is never negative: lengths, times, counts. Pairs are drawn whole (:func:`bca`). The interval reaches
    as far as Student's t does instead of the normal distribution, ``t * sqrt(n / (n - 1))`` for ``z``, since the
    bootstrap of a few conversations is too narrow: T. C. Hesterberg, "What teachers should know about the bootstrap",
    The American Statistician 69 (2015). With skewed lengths (gamma, lognormal; 1,000 runs each) 95 % intervals held the
    true ratio in 93 to 94 % of runs with 60 conversations, and in 92 to 95 % with 10, which are not shown.

    Args:
        base: One number per conversation, in any unit.
        tuned: The same conversations in the same order, in the same unit.
        level: Of the interval, in (0, 1).
        seed: Of the draws.

    Returns:
        No value where nothing is there or the base mean is 0; no interval for fewer than ``ENOUGH`` conversations,
        where the ratio has no spread, or where a drawn base mean is 0 or of the other sign: then a ratio says nothing.
        The note says which.

    Raises:
        ValueError: The arms differ in length, a value is not finite, or the level is not between 0 and 1.
    """
    if len(base) != len(tuned):
        raise ValueError("both arms need the same conversations, in the same order")
    rows = _ready(np.column_stack([np.asarray(base, np.float64), np.asarray(tuned, np.float64)]), level)
    n = len(rows)
    below, above = math.fsum(base), math.fsum(tuned)
    if below == 0:
        note = "the mean of base is 0" if n else "nothing measured"
        return Estimate(value=None, n=0, missing=0, level=level, note=note)
    value, sign = above / below, math.copysign(1.0, below)
    if n < ENOUGH:
        return Estimate(value=value, n=n, missing=0, level=level, note=f"fewer than {ENOUGH} conversations")

    def ratio(samples: NDArray[np.float64]) -> NDArray[np.float64]:
        means = samples.mean(axis=1)
        usable = means[:, 0] * sign > 0
        return np.asarray(np.divide(means[:, 1], means[:, 0], out=np.full(len(means), np.nan), where=usable))

    ends = _bca(rows, ratio, _reach(n, level), draws=_draws(n), seed=seed)
    note = NO_SPREAD if bool((rows[:, 0] * sign > 0).all()) else "the mean of base is too near 0"
    return _with_interval(value, n, ends, level=level, note=note)


def median_of(values: Sequence[float | None], level: float = 0.95, seed: int = 0) -> Estimate:
    """The median over conversations, from ``ENOUGH`` of them on with its bootstrap interval.

    The interval is :func:`bca`'s with an acceleration of 0, which is what it is for a median in theory: its influence
    function takes two values of the same size, one below and one above 0, so that it has no skew (Efron 1987). To leave
    out one conversation at a time, which measures the acceleration elsewhere, fails for medians (Efron and Tibshirani
    1993, section 11.6). It reaches as far as :func:`ratio_of_means`'s.

    Args:
        values: One number per conversation, in any unit; None where it is missing.
        level: Of the interval, in (0, 1).
        seed: Of the draws.

    Returns:
        No value where nothing is there; no interval for fewer than ``ENOUGH`` conversations, or where the drawn medians
        have no spread. The note says which.

    Raises:
        ValueError: A value is not finite, or the level is not between 0 and 1.
    """
    present = [value for value in values if value is not None]
    rows = _ready(np.asarray(present, np.float64).reshape(-1, 1), level)
    n, missing = len(present), len(values) - len(present)
    if n == 0:
        return Estimate(value=None, n=0, missing=missing, level=level, note="nothing measured")
    value = float(np.median(rows))
    if n < ENOUGH:
        return Estimate(value=value, n=n, missing=missing, level=level, note=f"fewer than {ENOUGH} conversations")

    def median(samples: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.median(samples[:, :, 0], axis=1))

    ends = _interval(rows, median, 0.0, _reach(n, level), draws=_draws(n), seed=seed)
    return _with_interval(value, n, ends, level=level, missing=missing, note=NO_SPREAD)


def _bca(
    rows: NDArray[np.float64], statistic: Statistic, reach: float, *, draws: int, seed: int
) -> tuple[float, float] | None:
    """:func:`bca` with the reach of the interval in standard errors of a normal distribution."""
    if len(rows) < PAIR:
        return None
    groups = _groups(len(rows), seed)
    places = (_without(len(rows), groups[some.start : some.stop]) for some in _chunks(len(groups), rows.size))
    acceleration = _acceleration(_values(statistic, rows, places))
    if acceleration is None:
        return None
    return _interval(rows, statistic, acceleration, reach, draws=draws, seed=seed)


def _interval(
    rows: NDArray[np.float64], statistic: Statistic, acceleration: float, reach: float, *, draws: int, seed: int
) -> tuple[float, float] | None:
    """The interval of :func:`bca`, the acceleration being known; None where there is none."""
    n = len(rows)
    random = np.random.default_rng(seed)
    drawn = _values(statistic, rows, (random.integers(0, n, size=(len(some), n)) for some in _chunks(draws, rows.size)))
    value = statistic(rows[None])[0]
    if not np.isfinite(drawn).all() or not np.isfinite(value) or _all_equal(drawn):
        return None
    equal = np.abs(drawn - value) <= ROUNDING * np.abs(drawn).max()
    share = float(np.mean(np.where(equal, 0.5, drawn < value)))
    if not 0 < share < 1:
        return None
    bias = float(ndtri(share))
    steps = bias + np.array([-reach, reach])
    shrink = 1 - acceleration * steps
    if shrink.min() <= 0:
        return None
    low, high = (float(end) for end in np.quantile(drawn, ndtr(bias + steps / shrink)))
    return (low, high) if low < high else None


def _acceleration(left_out: NDArray[np.float64]) -> float | None:
    """From the statistic without each conversation in turn; None where it is not defined."""
    if not np.isfinite(left_out).all() or _all_equal(left_out):
        return None
    apart = left_out.mean() - left_out
    apart /= np.abs(apart).max()
    return float((apart**3).sum() / (6 * (apart**2).sum() ** 1.5))


def _values(statistic: Statistic, rows: NDArray[np.float64], places: Iterable[NDArray[np.intp]]) -> NDArray[np.float64]:
    """The statistic of each sample; ``places`` says in chunks which rows each sample has."""
    return np.concatenate([statistic(rows[some]) for some in places])


def _chunks(count: int, size: int) -> Iterator[range]:
    """The numbers from 0 to count - 1 in pieces, so that a piece of samples of this size fits into ``AT_ONCE``."""
    step = max(1, AT_ONCE // size)
    return (range(first, min(first + step, count)) for first in range(0, count, step))


def _groups(n: int, seed: int) -> NDArray[np.intp]:
    """What is left out together, one row per group: each alone, or at random as many as make ``GROUPS`` groups."""
    size = math.ceil(n / GROUPS)
    if size == 1:
        return np.arange(n)[:, None]
    return np.random.default_rng([seed, size]).permutation(n)[: n - n % size].reshape(-1, size)


def _without(n: int, groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each group, all n places but those in it."""
    kept = np.ones((len(groups), n), dtype=bool)
    kept[np.arange(len(groups))[:, None], groups] = False
    return np.nonzero(kept)[1].reshape(len(groups), -1)


def _all_equal(values: NDArray[np.float64]) -> bool:
    """True where the values differ by no more than rounding can explain."""
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def _draws(n: int) -> int:
    return DRAWS if n <= MANY else max(FEWEST_DRAWS, DRAWS * MANY // n)


def _reach(n: int, level: float) -> float:
    """How many standard errors with divisor n an interval of Student's t reaches to each side."""
    return float(stdtrit(n - 1, (1 + level) / 2)) * math.sqrt(n / (n - 1))


def _with_interval(
    value: float, n: int, ends: tuple[float, float] | None, *, level: float, note: str, missing: int = 0
) -> Estimate:
    """The estimate; the note is for one without an interval."""
    if ends is None:
        return Estimate(value=value, n=n, missing=missing, level=level, note=note)
    return Estimate(value=value, n=n, missing=missing, low=ends[0], high=ends[1], level=level)


def _ready(rows: NDArray[np.float64], level: float, draws: int = DRAWS) -> NDArray[np.float64]:
    """The rows in ascending order, so that the order in which conversations come changes no digit."""
    if not 0 < level < 1:
        raise ValueError("level must be between 0 and 1")
    if draws < 1:
        raise ValueError("a bootstrap needs a draw")
    if rows.ndim != TABLE or rows.shape[1] == 0 or not np.isfinite(rows).all():
        raise ValueError("rows must be a table of finite numbers, one row per conversation; a missing one is left out")
    return rows[np.lexsort(rows.T)]
