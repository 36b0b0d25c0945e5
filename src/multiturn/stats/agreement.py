"""How far two raters agree on categories, plainly and beyond chance, with the conversation as the unit.

What two raters said of one conversation is a table: ``table[a, b]`` counts what the first put into category a and the
second into b. Tables need not hold whole numbers: where it does not matter who is the first rater, or which of two
replies is the first, a comparison is counted half one way and half the other. What this module does not know: who the
raters are, and what the categories mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from multiturn.results import Estimate
from multiturn.stats.pooled import NOTHING, pooled_share
from multiturn.stats.resample import ENOUGH, NO_SPREAD, bca

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TABLES: Final = 3
"""Dimensions of a stack of tables: conversations, the first rater's categories, the second's."""


class Agreed(NamedTuple):
    """``rate`` is the share of comparisons in which both say the same, ``kappa`` how far that is beyond chance.

    ``kappa`` is None where chance alone would agree everywhere: then nothing can be beyond it.
    """

    agreements: float
    comparisons: float
    rate: Estimate
    kappa: Estimate | None


def agreement(tables: Floats, level: float = 0.95, *, seed: int = 0) -> Agreed:
    """The share of comparisons that agree, and Cohen's kappa.

    J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20 (1960):
    ``(seen - chance) / (1 - chance)`` with ``chance`` the sum over categories of the product of both raters' shares in
    it. The interval of the rate is :func:`multiturn.stats.pooled.pooled_share`'s; kappa's draws the conversations anew
    (:func:`multiturn.stats.resample.bca`), from ``ENOUGH`` of them on.

    Args:
        tables: One square table for each conversation, counts of 0 or more: shape (conversations, k, k).
        level: Of the intervals, in (0, 1).
        seed: Of the draws.

    Raises:
        ValueError: The tables are not square, or hold a number that is negative or not finite.
    """
    if tables.ndim != TABLES or tables.shape[1] != tables.shape[2] or not np.isfinite(tables).all():
        raise ValueError("there must be a square table of finite counts for each conversation")
    if (tables < 0).any():
        raise ValueError("counts must not be negative")
    there = tables[tables.sum(axis=(1, 2)) > 0]
    agreements, comparisons = np.trace(there, axis1=1, axis2=2), there.sum(axis=(1, 2))
    rate = pooled_share(agreements, comparisons, level)
    found = Agreed(float(agreements.sum()), float(comparisons.sum()), rate, None)
    return found._replace(kappa=_kappa_estimate(there, level, seed))


def kappas(tables: Floats) -> Floats:
    """Cohen's kappa of each table, shape (..., k, k); not finite where chance alone would agree everywhere."""
    whole = tables.sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.trace(tables, axis1=-2, axis2=-1) / whole
        chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1) / whole**2
        return np.asarray(np.where(chance < 1, (seen - chance) / (1 - chance), np.nan))


def _kappa_estimate(tables: Floats, level: float, seed: int) -> Estimate | None:
    n, k = tables.shape[:2]
    if n == 0:
        return Estimate(value=None, n=0, missing=0, level=level, note=NOTHING)
    value = float(kappas(tables.sum(axis=0)))
    if not np.isfinite(value):
        return None
    if n < ENOUGH:
        return Estimate(value=value, n=n, missing=0, level=level, note=f"fewer than {ENOUGH} conversations")
    ends = bca(
        tables.reshape(n, k * k),
        lambda samples: kappas(samples.sum(axis=1).reshape(-1, k, k)),
        level,
        seed=seed,
    )
    if ends is None:
        return Estimate(value=value, n=n, missing=0, level=level, note=NO_SPREAD)
    return Estimate(value=value, n=n, missing=0, low=ends[0], high=ends[1], level=level)
