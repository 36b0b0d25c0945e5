"""How much rarer something is in one arm than in the other: a ratio of two rates over the same conversations.

The interval is made from those of the two rates and how they go together (MOVER, the method of variance estimates
recovery: A. Donner and G. Y. Zou, Statistical Methods in Medical Research 21, 2012; for pairs M.-L. Tang, H.-Q. Li and
N.-S. Tang, Statistics in Medicine 31, 2012; "MOVER Wilson score" in M. W. Fagerland, S. Lydersen and P. Laake,
Statistical Analysis of Contingency Tables, 2017, chapter 8). With rates p (base) and q (tuned), their intervals
(l, u) and r their correlation over conversations, the lower end is

    (A - sqrt(A^2 - l_q (2q - l_q) u_p (2p - u_p))) / (u_p (2p - u_p))    with A = p q - r (q - l_q) (u_p - p)

and the upper one the same with the other ends. Here the rates' intervals are :func:`multiturn.stats.pooled.
pooled_share`'s, whose unit is the conversation, and r is taken with one more reply that only base is flagged for and
one that only tuned is: arms that agree everywhere would else have a correlation of 1 and an interval of width 0.
What this module does not know: what is flagged, and who said so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from multiturn.results import Estimate
from multiturn.stats.pooled import pooled_share, residuals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


TOO_FEW: Final = "too few conversations to bound how rare it is in base"
"""Why there is no interval: base's rate could be so near 0 that the ratio has no upper end."""


NEGLIGIBLE: Final = 1e-9
"""A rate below this can't be told from 0."""


class Flagged(NamedTuple):
    """One arm: of each conversation, how many replies are flagged and how many there are."""

    flagged: Sequence[float]
    replies: Sequence[float]


def risk_ratio(base: Flagged, tuned: Flagged, level: float = 0.95, *, missing: int = 0) -> Estimate | None:
    """Tuned's rate by base's; None where base has nothing flagged: then there is no ratio.

    Args:
        base: One entry for each conversation that both arms have, each with a reply or more.
        tuned: The same conversations in the same order.
        level: Of the interval, in (0, 1).
        missing: Conversations that at least one arm lacks.

    Returns:
        A ratio of 0 or more. Where tuned has nothing flagged it is 0 and so is its lower end; the upper one is a bound.
        No interval for one conversation, or for so few that nothing bounds the ratio; the note says so.

    Raises:
        ValueError: The arms have not the same number of conversations, one has no reply, or more is flagged than there
            is.
    """
    if len(base.flagged) != len(tuned.flagged):
        raise ValueError("both arms need the same conversations, in the same order")
    if min([*base.replies, *tuned.replies], default=1) <= 0:
        raise ValueError("every conversation needs a reply in both arms")
    below, above = (pooled_share(arm.flagged, arm.replies, level) for arm in (base, tuned))
    if not below.value or above.value is None:
        return None
    value, n = above.value / below.value, below.n
    if below.low is None or below.high is None or above.low is None or above.high is None:
        return Estimate(value=value, n=n, missing=missing, level=level, note=below.note)
    if below.low < NEGLIGIBLE:
        return Estimate(value=value, n=n, missing=missing, level=level, note=TOO_FEW)
    low, high = recovered(
        (above.value, above.low, above.high), (below.value, below.low, below.high), _correlation(base, tuned)
    )
    note = "tuned has none: the upper end is a bound" if above.value == 0 else ""
    return Estimate(
        value=value, n=n, missing=missing, low=min(low, value), high=max(high, value), level=level, note=note
    )


def recovered(
    tuned: tuple[float, float, float], base: tuple[float, float, float], correlation: float
) -> tuple[float, float]:
    """The ends of the interval of tuned's rate by base's, recovered from those of the two.

    Args:
        tuned: A rate with the two ends of its interval, in [0, 1].
        base: The same; its lower end is above 0.
        correlation: Of the two rates' errors, in [-1, 1].
    """
    q, q_low, q_high = tuned
    p, p_low, p_high = base
    product = p * q - correlation * (q - q_low) * (p_high - p)
    part = q_low * (2 * q - q_low)
    low = 0.0
    if q_low >= NEGLIGIBLE:  # in the form that stays defined where u_p (2p - u_p) passes 0
        low = part / (product + math.sqrt(max(0.0, product**2 - part * p_high * (2 * p - p_high))))
    product = p * q - correlation * (q_high - q) * (p - p_low)
    whole = p_low * (2 * p - p_low)
    high = (product + math.sqrt(max(0.0, product**2 - q_high * (2 * q - q_high) * whole))) / whole
    return low, high


def _correlation(base: Flagged, tuned: Flagged) -> float:
    """Over conversations, of what each adds to either rate, with a reply more that is flagged in one arm only."""
    parts = []
    for arm, extra in ((base, (1.0, 0.0)), (tuned, (0.0, 1.0))):
        x, m = np.asarray(arm.flagged, np.float64), np.asarray(arm.replies, np.float64)
        rate = math.fsum(x.tolist()) / math.fsum(m.tolist())
        parts.append(np.concatenate([residuals(x, m), (np.array(extra) - rate) / m.mean()]))
    first, second = (part - part.mean() for part in parts)
    size = math.sqrt(float((first**2).sum()) * float((second**2).sum()))
    return float((first * second).sum()) / size if size > 0 else 0.0
