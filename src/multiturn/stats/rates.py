"""Rates over independent units: Wilson's interval, which stays honest at 0 and at 100 %.

A unit here is a conversation. Turns of one conversation are not independent, so a rate over turns is never given to
:func:`wilson` directly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from multiturn.results import Estimate
from multiturn.stats.paired import PAIR, mean_interval, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

HALF: Final = 0.5
UNIT_RANGE: Final = (0.0, 1.0)


def wilson(passes: int, n: int, level: float = 0.95) -> Estimate:
    """The rate ``passes / n`` of independent units with Wilson's score interval.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927): with
    p = passes / n and z the ``(1 + level) / 2`` quantile of the normal distribution, centre
    ``(p + z^2 / 2n) / (1 + z^2 / n)``, half width ``z * sqrt(p (1 - p) / n + z^2 / 4n^2) / (1 + z^2 / n)``; "method 3"
    of R. G. Newcombe, Statistics in Medicine 17 (1998).

    Args:
        passes: Units that passed, 0 to n.
        n: Units in all. With 0 there is no rate and no interval.
        level: Of the interval, in (0, 1).

    Raises:
        ValueError: Counts that can't be, or a level that is not between 0 and 1.
    """
    if not 0 <= passes <= n:
        raise ValueError("passes must be from 0 to n")
    if not 0 < level < 1:
        raise ValueError("level must be between 0 and 1")
    if n == 0:
        return Estimate(value=None, n=0, missing=0, level=level, note="nothing measured")
    rate = passes / n
    low, high = _score_ends(np.asarray(rate), np.asarray(float(n)), float(ndtri((1 + level) / 2)))
    ends = 0.0 if passes == 0 else float(low), 1.0 if passes == n else float(high)
    return Estimate(value=rate, n=n, missing=0, low=ends[0], high=ends[1], level=level)


def share_interval(
    values: Sequence[float | None] | NDArray[np.float64], level: float = 0.95, *, missing: int = 0
) -> Estimate:
    """The mean of numbers from 0 to 1, one per conversation, with an interval that lies inside 0 and 1 by itself.

    Wilson's, with the effective number of units: for mean p and its standard error e over the conversations that is
    ``p (1 - p) / e^2``, n by the design effect (L. Kish, Survey Sampling, 1965), and Student's quantile in place of the
    normal one (N. Dean and M. Pagano, Journal of Survey Statistics and Methodology 3, 2015: "Wilson, effective sample
    size"); the end towards the nearer of 0 and 1 may be farther out (:func:`share_ends`). Where all conversations have
    0 (or all 1) it is Wilson's for 0 (or n) of n conversations. That is sound also for numbers in between, since no
    conversation's number exceeds the indicator "above 0", so that an upper bound for
    how many conversations are above 0 is an upper bound for the mean (and in mirror image for 1).

    Args:
        values: One number per conversation; None where it is missing.
        level: Of the interval, in (0, 1).
        missing: Conversations that are missing and have no place in ``values``.

    Returns:
        No interval for fewer than two conversations, or where all have one number between 0 and 1.

    Raises:
        ValueError: A value is outside 0 to 1, or the level is not between 0 and 1.
    """
    estimate = mean_interval(values, level, within=UNIT_RANGE, missing=missing)
    if isinstance(values, np.ndarray):
        present = values
    else:
        present = np.array([value for value in values if value is not None], dtype=np.float64)
    if ((present < 0) | (present > 1)).any():
        raise ValueError("every share must be from 0 to 1")
    if present.size < PAIR:
        return estimate
    if (present == 0).all() or (present == 1).all():
        extreme = wilson(present.size if present[0] else 0, present.size, level)
        note = f"all {estimate.n} equal: Wilson's interval"
        return msgspec.structs.replace(estimate, low=extreme.low, high=extreme.high, note=note)
    if estimate.low is None:
        return estimate
    low, high = (float(end) for end in share_ends(*spread(present), level))
    return msgspec.structs.replace(estimate, low=low, high=high)


def share_ends(
    n: int, mean: float | NDArray[np.float64], deviation: float | NDArray[np.float64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of Wilson's interval with effective units; ``mean`` and ``deviation`` may be arrays of one shape.

    The end towards 0 of a rate below a half, and that towards 1 of one above, is the farther of Wilson's and the exact
    one for as many units (E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data", Survey Methodology 24, 1998): Wilson's alone is too short
    there for rates near 0 and 1. The other end reaches at least as far as it does for none (or all) of n conversations:
    a few rare failures, alike in size, must not say more than no failure would.

    ``mean`` is between 0 and 1 and ``deviation`` above 0, or the ends are not defined; n is 2 or more.
    """
    rate, error = np.asarray(mean, dtype=np.float64), np.asarray(deviation, dtype=np.float64) / math.sqrt(n)
    units = rate * (1 - rate) / np.square(error)
    upper = (1 + level) / 2
    quantile = float(stdtrit(n - 1, upper))
    low, high = _score_ends(rate, units, quantile)
    units = units * (float(ndtri(upper)) / quantile) ** 2
    passes, fails = rate * units, (1 - rate) * units
    below, above = rate < HALF, rate > HALF
    low = np.where(below, np.minimum(low, betaincinv(passes, fails + 1, 1 - upper)), low)
    high = np.where(above, np.maximum(high, betaincinv(passes + 1, fails, upper)), high)
    whole = np.asarray(float(n))
    of_none = float(_score_ends(np.asarray(0.0), whole, float(ndtri(upper)))[1])
    return np.where(above, np.minimum(low, 1 - of_none), low), np.where(below, np.maximum(high, of_none), high)


def _score_ends(
    rate: NDArray[np.float64], units: NDArray[np.float64], quantile: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the observed rate is ``quantile`` standard errors away, with the standard error of that place."""
    shrink = 1 + quantile**2 / units
    centre = (rate + quantile**2 / (2 * units)) / shrink
    half = quantile * np.sqrt(rate * (1 - rate) / units + quantile**2 / (4 * np.square(units))) / shrink
    return np.maximum(0.0, centre - half), np.minimum(1.0, centre + half)
