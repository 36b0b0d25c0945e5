"""Means over conversations, and differences between two arms paired by conversation, with t intervals.

The unit is the conversation: each number given here is already one conversation's mean over its turns and samples.
Sums are exact (``math.fsum``), so that the order of the conversations never changes a digit. What this module does not
know: turns, measures, verdicts.

The formulas are Student's (W. S. Gosset, "The Probable Error of a Mean", Biometrika 6, 1908): for n values with mean m
and standard deviation s (divisor n - 1), ``m +- t * s / sqrt(n)`` with t the ``(1 + level) / 2`` quantile of the t
distribution with n - 1 degrees of freedom. The paired form is the same applied to the differences.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from scipy.special import stdtr, stdtrit

from multiturn.results import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROUNDING: Final = 1e-12
"""Values that lie closer together than this, as a share of the largest value involved, differ by rounding only."""

PAIR: Final = 2
"""An interval needs at least this many values."""


def mean_interval(
    values: Sequence[float | None], level: float = 0.95, *, within: tuple[float, float] | None = None
) -> Estimate:
    """The mean of what is there, with its t interval.

    Args:
        values: One number per conversation, in the measure's own unit; None where it is missing.
        level: Of the interval, in (0, 1).
        within: The range a mean can have at all ((0, 1) for a rate); the interval is cut to it, which does not change
            how often it covers the true mean.

    Returns:
        No value where nothing is there; no interval where there is one value, or where all values are equal: then the
        note says so. An interval never has width 0.

    Raises:
        ValueError: A value is not finite, or the level is not between 0 and 1.
    """
    present = [value for value in values if value is not None]
    return _estimate(present, missing=len(values) - len(present), level=level, within=within)


def paired_difference(
    base: Mapping[str, float | None],
    tuned: Mapping[str, float | None],
    level: float = 0.95,
    *,
    within: tuple[float, float] | None = None,
) -> Estimate:
    """The mean of tuned - base over the conversations that both arms have, with its paired t interval.

    Args:
        base: Conversation id to that conversation's number; None where it is missing.
        tuned: The same for the other arm.
        level: Of the interval, in (0, 1).
        within: The range a difference can have at all ((-1, 1) for rates).

    Returns:
        ``missing`` counts the conversations that at least one arm lacks.

    Raises:
        ValueError: A value is not finite, or the level is not between 0 and 1.
    """
    pairs = [(one, other) for name, one in base.items() if one is not None and (other := tuned.get(name)) is not None]
    largest = max((abs(value) for pair in pairs for value in pair), default=0.0)
    return _estimate(
        [other - one for one, other in pairs],
        missing=len(base.keys() | tuned.keys()) - len(pairs),
        level=level,
        within=within,
        magnitude=largest,
    )


def p_value(differences: Sequence[float]) -> float | None:
    """The two-sided p value of Student's t test that the true mean of these differences is 0.

    ``2 * P(T <= -|t|)`` with ``t = m * sqrt(n) / s`` and n - 1 degrees of freedom (Student 1908).

    Returns:
        In [0, 1]; None where the test is not defined: fewer than two values, or all equal.

    Raises:
        ValueError: A value is not finite.
    """
    _require_finite(differences)
    if len(differences) < PAIR or _all_equal(differences, 0.0):
        return None
    mean, error = _mean_and_error(differences)
    if error == 0:
        return None  # a spread too small for its square to be a number
    return min(1.0, 2.0 * float(stdtr(len(differences) - 1, -abs(mean / error))))


def _estimate(
    values: Sequence[float],
    *,
    missing: int,
    level: float,
    within: tuple[float, float] | None,
    magnitude: float = 0.0,
) -> Estimate:
    """Mean and t interval; ``magnitude`` is the size of the numbers that the values are differences of."""
    if not 0 < level < 1:
        raise ValueError("level must be between 0 and 1")
    _require_finite(values)
    n = len(values)
    if n == 0:
        return Estimate(value=None, n=0, missing=missing, level=level, note="nothing measured")
    if n < PAIR:
        return Estimate(value=values[0], n=n, missing=missing, level=level, note="one conversation")
    mean, error = _mean_and_error(values)
    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    low, high = mean - half, mean + half
    if within is not None:
        low, high = max(low, within[0]), min(high, within[1])
    if _all_equal(values, magnitude) or not low < high:
        return Estimate(value=mean, n=n, missing=missing, level=level, note=f"all {n} equal")
    return Estimate(value=mean, n=n, missing=missing, low=low, high=high, level=level)


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error ``s / sqrt(n)``, s with divisor n - 1; n is 2 or more."""
    n = len(values)
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    return mean, math.sqrt(variance / n)


def _all_equal(values: Sequence[float], magnitude: float) -> bool:
    """True where the values differ by no more than rounding can explain."""
    low, high = min(values), max(values)
    return high - low <= ROUNDING * max(magnitude, abs(low), abs(high))


def _require_finite(values: Sequence[float]) -> None:
    if not all(math.isfinite(value) for value in values):
        raise ValueError("every value must be a finite number; a missing one is None")
