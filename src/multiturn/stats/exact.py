"""Exact tests of pairs: p values that are sums of counted cases, with no approximation and no spread needed.

What this module does not know: checks, conversations, verdicts. A pair here is one conversation under two arms.
"""

from __future__ import annotations

import math

from scipy.special import bdtr


def mcnemar(only_base: int, only_tuned: int) -> float:
    """The exact two-sided p value that a pair which differs is as likely to differ in one direction as in the other.

    Pairs in which both arms pass or both fail say nothing about that and are not asked for. With n pairs that differ
    and m the smaller of the two counts, ``min(1, 2 * P(X <= m))`` with X binomial of n and one half: the question of
    Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12 (1947), answered with the binomial distribution itself as in F. Mosteller, "Some statistical
    methods for measuring the subjective response to stimuli", Biometrics 8 (1952), instead of chi-squared.

    Args:
        only_base: Pairs that base passes and tuned fails.
        only_tuned: Pairs that tuned passes and base fails.

    Returns:
        In (0, 1] (0.0 where it is too small for a float); 1.0 where no pair differs.

    Raises:
        ValueError: A count is negative.
    """
    if only_base < 0 or only_tuned < 0:
        raise ValueError("counts of pairs must not be negative")
    return min(1.0, 2.0 * float(bdtr(min(only_base, only_tuned), only_base + only_tuned, 0.5)))


def sign_flip(n: int) -> float:
    """The exact two-sided p value of n differences that are all equal and not 0: ``2 / 2**n``.

    If base and tuned were exchangeable, each difference could as well have had the other sign; of the ``2**n`` ways to
    give signs, two have a mean as far from 0 as the one seen: all plus and all minus. The randomisation test of R. A.
    Fisher, The Design of Experiments (1935), section 21. A t test is not defined here, since there is no spread.

    Args:
        n: Differences, 1 or more.

    Returns:
        In (0, 1]; 0.0 from n = 1,076 on, where it is too small for a float.

    Raises:
        ValueError: n is below 1.
    """
    if n < 1:
        raise ValueError("a sign-flip test needs a difference")
    return math.ldexp(1.0, 1 - n)
