"""Rates over independent units: Wilson's interval, which stays honest at 0 and at 100 %.

A unit here is a conversation. Turns of one conversation are not independent, so a rate over turns is never given to
:func:`wilson` directly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from scipy.special import ndtri

from multiturn.results import Estimate
from multiturn.stats.paired import PAIR, mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    z = float(ndtri((1 + level) / 2))
    shrink = 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / shrink
    half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / shrink
    low = 0.0 if passes == 0 else max(0.0, centre - half)
    high = 1.0 if passes == n else min(1.0, centre + half)
    return Estimate(value=rate, n=n, missing=0, low=low, high=high, level=level)


def share_interval(values: Sequence[float | None], level: float = 0.95) -> Estimate:
    """The mean of numbers from 0 to 1, one per conversation, with an interval that is defined at 0 and at 1 too.

    The t interval of :func:`multiturn.stats.paired.mean_interval`, cut to [0, 1]. Where all conversations have 0 (or
    all have 1) a t interval does not exist; then the interval is Wilson's for 0 (or n) of n conversations. That is
    sound also for numbers in between, since no conversation's number exceeds the indicator "above 0", so that an upper
    bound for how many conversations are above 0 is an upper bound for the mean (and in mirror image for 1). Fewer than
    two conversations: no interval.

    Raises:
        ValueError: A value is outside 0 to 1, or the level is not between 0 and 1.
    """
    estimate = mean_interval(values, level, within=UNIT_RANGE)
    present = [value for value in values if value is not None]
    if not all(0 <= value <= 1 for value in present):
        raise ValueError("every share must be from 0 to 1")
    if len(present) < PAIR or not (all(value == 0 for value in present) or all(value == 1 for value in present)):
        return estimate
    extreme = wilson(len(present) if present[0] else 0, len(present), level)
    note = f"all {estimate.n} equal: Wilson's interval"
    return Estimate(
        value=estimate.value,
        n=estimate.n,
        missing=estimate.missing,
        low=extreme.low,
        high=extreme.high,
        level=level,
        note=note,
    )
