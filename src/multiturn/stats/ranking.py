"""Several arms' rates with intervals that hold all at once, and which arms can be told apart.

The unit is the conversation, and only those that every arm has count, so that all arms are asked the same. Intervals
are simultaneous by Bonferroni's inequality: of k intervals, each has level ``1 - (1 - level) / k`` of its own. (C. E.
Bonferroni, "Teoria statistica delle classi e calcolo delle probabilita", 1936; O. J. Dunn, "Multiple comparisons among
means", JASA 56, 1961.)

Each interval is that of a comparison at this level: :func:`multiturn.stats.paired.difference_interval` for two arms,
:func:`multiturn.stats.rates.share_interval` for one. Where that has none, :func:`equal_interval`.

Measured with these (``benchmarks/rankings.py``: 72 settings of 4,000 suites; 3, 4 and 6 arms with rates from 6 to 96 %,
1 to 12 checks a conversation, 12, 24 and 48 conversations). At the worst setting all intervals of differences hold
together in 94.8 %, and where all arms are alike some pair is told apart in 4.9 %. All arms' intervals hold together in
95.5 %.

Not used, from an earlier simulation of that kind (seven settings, 600 to 2,000 suites each):

* differences by max-|t|: of the multivariate t with the sample's correlations (T. Hothorn, F. Bretz and P. Westfall,
  Biometrical Journal 50, 2008) 90.4 %, for intervals that are 3 to 11 % narrower; of a bootstrap over conversations
  (P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", 1993) 77.0 % with the sample's standard errors,
  94.2 % with each draw's own, which has no useful bound where a draw has hardly any spread.
* each arm by t: 78.7 %, near 0 and 100 %, where means are skewed.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from multiturn.ranking import Between, Ranked, RateRanking
from multiturn.results import Estimate
from multiturn.stats import paired, rates
from multiturn.stats.paired import PAIR, ROUNDING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHARES: Final = (0.0, 1.0)
DIFFERENCES: Final = (-1.0, 1.0)


def rank_rates(arms: Mapping[str, Mapping[str, float | None]], level: float = 0.95) -> RateRanking:
    """Rank arms by the mean of their conversations' shares.

    Args:
        arms: Arm to conversation to that conversation's share, from 0 to 1; None where it is missing. A conversation
            that some arm does not name at all (no check applied) is left out, and is not missing.
        level: With which probability all intervals of arms hold together, and all of differences.

    Returns:
        Best first; equal ones in the order of their names. Every estimate rests on the same conversations: those that
        all arms have. The others are missing.

    Raises:
        ValueError: There are fewer than two arms, a share is outside 0 to 1, or the level is not between 0 and 1.
    """
    if len(arms) < PAIR:
        raise ValueError("a ranking needs two arms")
    if not 0 < level < 1:
        raise ValueError("level must be between 0 and 1")
    applicable = set.intersection(*(set(shares) for shares in arms.values()))
    rows = {name: [shares[name] for shares in arms.values()] for name in sorted(applicable)}
    whole = {name: [value for value in row if value is not None] for name, row in rows.items() if None not in row}
    missing = len(rows) - len(whole)
    columns = {arm: [row[at] for row in whole.values()] for at, arm in enumerate(arms)}
    alone = 1 - (1 - level) / len(arms)
    estimates = {arm: share_interval(values, missing=missing, level=alone) for arm, values in columns.items()}
    means = {arm: found.value for arm, found in estimates.items() if found.value is not None}
    order = sorted(arms, key=lambda arm: (-means[arm], arm) if arm in means else (0.0, arm))
    pairs = list(itertools.combinations(order, 2))
    alone = 1 - (1 - level) / len(pairs)
    between = tuple(
        Between(
            first=one,
            second=other,
            difference=difference_interval(columns[one], columns[other], missing=missing, level=alone),
        )
        for one, other in pairs
    )
    apart = {frozenset((pair.first, pair.second)) for pair in between if pair.told_apart}
    ranked = tuple(
        Ranked(
            arm=arm,
            rank=1 + sum(other > means[arm] + ROUNDING for other in means.values()) if arm in means else None,
            estimate=estimates[arm],
            told_apart_from=tuple(other for other in order if frozenset((arm, other)) in apart),
        )
        for arm in order
    )
    return RateRanking(level=level, arms=ranked, pairs=between)


def share_interval(values: Sequence[float], *, missing: int, level: float) -> Estimate:
    """:func:`multiturn.stats.rates.share_interval`; :func:`equal_interval` where that has no interval.

    Raises:
        ValueError: A value is outside 0 to 1.
    """
    return _never_without(rates.share_interval(values, level, missing=missing), SHARES)


def difference_interval(first: Sequence[float], second: Sequence[float], *, missing: int, level: float) -> Estimate:
    """The mean of first - second, as a comparison has it: :func:`multiturn.stats.paired.difference_interval`.

    :func:`equal_interval` where that has no interval: where all differences are equal and not 0.
    """
    found = paired.difference_interval(second, first, level, missing=missing, extreme=DIFFERENCES[1])
    return _never_without(found, DIFFERENCES)


def _never_without(found: Estimate, within: tuple[float, float]) -> Estimate:
    """The same, with an interval if it rests on two conversations or more."""
    if found.value is None or found.n < PAIR or found.low is not None:
        return found
    return equal_interval(found.value, found.n, within=within, missing=found.missing, level=found.level)


def equal_interval(value: float, n: int, *, within: tuple[float, float], missing: int, level: float) -> Estimate:
    """The interval of a mean where all n conversations have the same value: never of width 0.

    Of conversations that differ from it, none of n was seen. By the exact bound for 0 of n (C. J. Clopper and E. S.
    Pearson, Biometrika 26, 1934) their share is at most ``u = 1 - ((1 - level) / 2) ** (1 / n)``; at worst they all lie
    at an end of the range. So the mean is at least ``(1 - u) value + u low`` and at most ``(1 - u) value + u high``.
    """
    other = 1 - ((1 - level) / 2) ** (1 / n)
    value = min(max(value, within[0]), within[1])
    low, high = ((1 - other) * value + other * end for end in within)
    note = f"all {n} equal"
    return Estimate(value=value, n=n, missing=missing, low=low, high=high, level=level, note=note)
