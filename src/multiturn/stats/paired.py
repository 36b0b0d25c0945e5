"""Means over conversations, and differences between two arms paired by conversation, with t intervals.

The unit is the conversation: each number given here is already one conversation's mean over its turns and samples.
Sums are exact (``math.fsum``), so that the order of the conversations never changes a digit. What this module does not
know: turns, measures, verdicts.

The formulas are Student's (W. S. Gosset, "The Probable Error of a Mean", Biometrika 6, 1908): for n values with mean m
and standard deviation s (divisor n - 1), ``m +- t * s / sqrt(n)`` with t the ``(1 + level) / 2`` quantile of the t
distribution with n - 1 degrees of freedom. The paired form is the same applied to the differences.

Differences that can't lie outside -1 and 1 get a further safeguard. Where few conversations changed, their spread says
little about those that were not drawn, and Student's interval is too short on the side on which they would lie. So an
end beyond 0 is drawn again with one more conversation that came out as far on that side as can be, and the farther of
the two stands (:func:`difference_ends`). An end short of 0, which says whether anything changed, is Student's alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from multiturn.results import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ROUNDING: Final = 1e-12
"""Values that lie closer together than this, as a share of the largest value involved, differ by rounding only."""

PAIR: Final = 2
"""An interval needs at least this many values."""

MOST: Final = 5000
"""More conversations than this are no plan."""

NO_CHANGE: Final = "no change seen"
"""The beginning of the note of a difference that is 0 in all conversations."""


class Spread(NamedTuple):
    """What an interval is made from: how many values, their mean, their standard deviation (divisor n - 1)."""

    n: int
    mean: float
    deviation: float

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / math.sqrt(self.n)


def mean_interval(
    values: Sequence[float | None] | Floats,
    level: float = 0.95,
    *,
    within: tuple[float, float] | None = None,
    missing: int = 0,
) -> Estimate:
    """The mean of what is there, with its t interval.

    Args:
        values: One number per conversation, in the measure's own unit; None where it is missing.
        level: Of the interval, in (0, 1).
        within: The range a mean can have at all ((0, 1) for a rate); the interval is cut to it, which does not change
            how often it covers the true mean.
        missing: Conversations that are missing and have no place in ``values``.

    Returns:
        No value where nothing is there; no interval where there is one value, or where all values are equal: then the
        note says so. An interval never has width 0.

    Raises:
        ValueError: A value is not finite, or the level is not between 0 and 1.
    """
    present = _present(values)
    absent = len(values) - present.size + missing
    plain = _without_interval(present, absent, level)
    if plain is not None:
        return plain
    found = spread(present)
    low, high = (float(end) for end in student_ends(*found, level))
    if within is not None:
        low, high = max(low, within[0]), min(high, within[1])
    if not low < high:  # a spread too small for its square to be a number
        return Estimate(value=found.mean, n=found.n, missing=absent, level=level, note=f"all {found.n} equal")
    return Estimate(value=found.mean, n=found.n, missing=absent, low=low, high=high, level=level)


def difference_interval(
    base: Sequence[float] | Floats,
    tuned: Sequence[float] | Floats,
    level: float = 0.95,
    *,
    missing: int = 0,
    extreme: float | None = None,
    most: float | None = None,
) -> Estimate:
    """The mean of tuned - base over conversations that both arms have, with its paired interval.

    Args:
        base: One number for each of these conversations.
        tuned: The other arm's, in the same order.
        level: Of the interval, in (0, 1).
        missing: Conversations that at least one arm lacks.
        extreme: The largest difference one conversation can have (1 for rates), None where there is no largest. With
            it, differences that are all 0 have an interval too: about 3/n on either side at 95 %.
        most: The largest difference there can be, where that is more than ``extreme`` allows for one conversation.

    Raises:
        ValueError: A value is not finite, or the level is not between 0 and 1.
    """
    first, second = np.asarray(base, dtype=np.float64), np.asarray(tuned, dtype=np.float64)
    differences = second - first
    n = differences.size
    if extreme is not None and n >= PAIR and unchanged(first, second):
        _require_level(level)
        low, high = difference_ends(n, 0.0, 0.0, level, extreme, most)
        return Estimate(value=0.0, n=n, missing=missing, low=float(low), high=float(high), level=level, note=NO_CHANGE)
    plain = _without_interval(differences, missing, level, _magnitude(first, second))
    if plain is not None:
        return plain
    found = spread(differences)
    low, high = difference_ends(*found, level, extreme, most)
    if not low < high:  # a spread too small for its square to be a number
        return Estimate(value=found.mean, n=n, missing=missing, level=level, note=f"all {n} equal")
    return Estimate(value=found.mean, n=n, missing=missing, low=float(low), high=float(high), level=level)


def paired_difference(
    base: Mapping[str, float | None],
    tuned: Mapping[str, float | None],
    level: float = 0.95,
    *,
    extreme: float | None = None,
) -> Estimate:
    """:func:`difference_interval` of two arms given by conversation id; None, or no entry, where one is missing.

    Raises:
        ValueError: A value is not finite, or the level is not between 0 and 1.
    """
    pairs = [(one, other) for name, one in base.items() if one is not None and (other := tuned.get(name)) is not None]
    return difference_interval(
        [one for one, _ in pairs],
        [other for _, other in pairs],
        level,
        missing=len(base.keys() | tuned.keys()) - len(pairs),
        extreme=extreme,
    )


def unchanged(base: Floats, tuned: Floats) -> bool:
    """Whether all differences are 0, but for rounding."""
    return bool((np.abs(tuned - base) <= ROUNDING * _magnitude(base, tuned)).all())


def around(mean: float, error: float, degrees: int, level: float, *, n: int, missing: int = 0) -> Estimate:
    """Student's interval from a standard error that has its own degrees of freedom; none where the error is 0."""
    half = float(stdtrit(degrees, (1 + level) / 2)) * error
    low, high = mean - half, mean + half
    if not low < high:  # also where the error is of the size of rounding
        return Estimate(value=mean, n=n, missing=missing, level=level, note="every sample the same")
    return Estimate(value=mean, n=n, missing=missing, low=low, high=high, level=level)


def student_ends(
    n: int, mean: float | Floats, deviation: float | Floats, level: float
) -> tuple[np.float64 | Floats, np.float64 | Floats]:
    """The ends of Student's interval; ``mean`` and ``deviation`` may be arrays of one shape. n is 2 or more."""
    half = stdtrit(n - 1, (1 + level) / 2) * np.asarray(deviation) / math.sqrt(n)
    return mean - half, mean + half


def difference_ends(  # noqa: PLR0917 - what an interval is made of
    n: int,
    mean: float | Floats,
    deviation: float | Floats,
    level: float,
    extreme: float | None,
    most: float | None = None,
) -> tuple[np.float64 | Floats, np.float64 | Floats]:
    """The ends of the interval of a paired difference; ``mean`` and ``deviation`` may be arrays of one shape.

    Student's, except that an end beyond 0 is the farther of two: Student's, and that of the same differences with one
    more of size ``extreme`` on that side (with the quantile of n - 1 degrees of freedom still). Where no conversation
    changed, that gives ``(1 + t) / (n + 1)``: the rule of three. No end lies beyond ``most`` (None: ``extreme``).

    The device is that of pseudo-observations for small counts (A. Agresti and B. A. Coull, The American Statistician
    52, 1998; for paired proportions D. G. Bonett and R. M. Price, Journal of Educational and Behavioral Statistics 37,
    2012), used on one side at a time; how often it errs is measured in ``benchmarks/calibration.py``.
    """
    low, high = student_ends(n, mean, deviation, level)
    if extreme is None:
        return low, high
    outer_low, outer_high = outer_ends(n, mean, deviation, level, extreme)
    low = np.where(np.asarray(low) <= 0, np.minimum(low, outer_low), low)
    high = np.where(np.asarray(high) >= 0, np.maximum(high, outer_high), high)
    limit = extreme if most is None else most
    return np.clip(low, -limit, limit), np.clip(high, -limit, limit)


def outer_ends(
    n: int, mean: float | Floats, deviation: float | Floats, level: float, extreme: float
) -> tuple[np.float64 | Floats, np.float64 | Floats]:
    """The ends that the interval has with one more conversation that came out ``-extreme``, and ``extreme``."""
    quantile = stdtrit(n - 1, (1 + level) / 2)
    ends = []
    for side in (-extreme, extreme):
        moved = (n * np.asarray(mean) + side) / (n + 1)
        squares = (n - 1) * np.square(deviation) + np.square(side - np.asarray(mean)) * n / (n + 1)
        reach = quantile * np.sqrt(squares / n / (n + 1))
        ends.append(moved - reach if side < 0 else moved + reach)
    return ends[0], ends[1]


def conversations_unchanged(margin: float, level: float, extreme: float) -> int | None:
    """How many conversations must all be unchanged so that the interval of the difference lies inside the margin.

    None where that takes more than ``MOST``.
    """
    if not margin > 0:
        raise ValueError("a margin must be above 0")
    return next((n for n in range(PAIR, MOST) if difference_ends(n, 0.0, 0.0, level, extreme)[1] < margin), None)


def p_value(differences: Sequence[float] | Floats) -> float | None:
    """The two-sided p value of Student's t test that the true mean of these differences is 0.

    ``2 * P(T <= -|t|)`` with ``t = m * sqrt(n) / s`` and n - 1 degrees of freedom (Student 1908).

    Returns:
        In [0, 1]; None where the test is not defined: fewer than two values, or all equal.

    Raises:
        ValueError: A value is not finite.
    """
    values = _present(differences)
    _require_finite(values)
    if values.size < PAIR or _all_equal(values, 0.0):
        return None
    found = spread(values)
    if found.error == 0:
        return None  # a spread too small for its square to be a number
    return min(1.0, 2.0 * float(stdtr(found.n - 1, -abs(found.mean / found.error))))


def difference_p(base: Floats, tuned: Floats) -> float | None:
    """:func:`p_value` of tuned - base; None also where the differences are equal but for the rounding of either arm.

    So it is defined where :func:`difference_interval` has an interval that is Student's.

    Raises:
        ValueError: A value is not finite.
    """
    differences = tuned - base
    _require_finite(differences)
    return None if differences.size and _all_equal(differences, _magnitude(base, tuned)) else p_value(differences)


def spread(values: Floats) -> Spread:
    """How many, their mean and their standard deviation, with exact sums; two values or more."""
    n = values.size
    mean = math.fsum(values.tolist()) / n
    return Spread(n, mean, math.sqrt(math.fsum(np.square(values - mean).tolist()) / (n - 1)))


def _without_interval(values: Floats, missing: int, level: float, magnitude: float = 0.0) -> Estimate | None:
    """The estimate of what can have no interval; ``magnitude`` is the size of what the values are differences of."""
    _require_level(level)
    _require_finite(values)
    n = values.size
    if n == 0:
        return Estimate(value=None, n=0, missing=missing, level=level, note="nothing measured")
    if n < PAIR:
        return Estimate(value=float(values[0]), n=n, missing=missing, level=level, note="one conversation")
    if _all_equal(values, magnitude):
        mean = math.fsum(values.tolist()) / n
        return Estimate(value=mean, n=n, missing=missing, level=level, note=f"all {n} equal")
    return None


def _magnitude(base: Floats, tuned: Floats) -> float:
    """The size of the numbers that differences are taken of."""
    return float(max(np.abs(base).max(), np.abs(tuned).max())) if base.size else 0.0


def _present(values: Sequence[float | None] | Floats) -> Floats:
    """The values that are there, in their order."""
    if isinstance(values, np.ndarray):
        return values
    return np.array([value for value in values if value is not None], dtype=np.float64)


def _all_equal(values: Floats, magnitude: float) -> bool:
    """True where the values differ by no more than rounding can explain."""
    low, high = float(values.min()), float(values.max())
    return high - low <= ROUNDING * max(magnitude, abs(low), abs(high))


def _require_finite(values: Floats) -> None:
    if not np.isfinite(values).all():
        raise ValueError("every value must be a finite number; a missing one is None")


def _require_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError("level must be between 0 and 1")
