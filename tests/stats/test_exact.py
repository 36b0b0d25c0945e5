"""Exact tests of pairs: against published figures, against counting all cases, and their laws."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from multiturn.stats.exact import mcnemar, sign_flip

counts = st.integers(0, 300)


@pytest.mark.parametrize(("only_base", "only_tuned", "p"), [(1, 7, 0.0703), (6, 16, 0.0525)])
def test_published_p_values(only_base: int, only_tuned: int, p: float) -> None:
    """M. W. Fagerland, S. Lydersen and P. Laake, BMC Medical Research Methodology 13 (2013): exact conditional test.

    Reactive airways before and after a transplantation (1 and 7 patients who differ), remission before and after a
    therapy (6 and 16).
    """
    assert mcnemar(only_base, only_tuned) == pytest.approx(p, abs=5e-5)


@given(counts, counts)
def test_mcnemar_agrees_with_a_sum_of_whole_numbers(only_base: int, only_tuned: int) -> None:
    n = only_base + only_tuned
    cases = 2 * sum(math.comb(n, k) for k in range(min(only_base, only_tuned) + 1))
    assert mcnemar(only_base, only_tuned) == pytest.approx(float(min(Fraction(1), Fraction(cases, 2**n))), rel=1e-11)


@given(counts, counts)
def test_mcnemar_agrees_with_the_binomial_test_of_scipy(only_base: int, only_tuned: int) -> None:
    if only_base + only_tuned:
        expected = scipy_stats.binomtest(only_base, only_base + only_tuned, 0.5).pvalue
        assert mcnemar(only_base, only_tuned) == pytest.approx(expected, rel=1e-7)


@given(counts, counts)
def test_swapping_the_arms_changes_nothing(only_base: int, only_tuned: int) -> None:
    assert mcnemar(only_base, only_tuned) == mcnemar(only_tuned, only_base)


@given(st.integers(0, 100), st.integers(0, 100))
def test_a_more_lopsided_split_of_as_many_pairs_is_rarer(fewer: int, more: int) -> None:
    fewer, more = sorted((fewer, more))
    if fewer:
        assert mcnemar(fewer - 1, more + 1) < mcnemar(fewer, more) or mcnemar(fewer, more) == 1


def test_pairs_that_all_agree_show_nothing() -> None:
    assert mcnemar(0, 0) == 1.0


def test_an_even_split_shows_nothing() -> None:
    """Twice the lower half counts the middle twice; a p value stays at most 1."""
    assert mcnemar(5, 5) == 1.0


@given(st.integers(1, 60))
def test_one_sided_pairs_are_sign_flips(n: int) -> None:
    """Where all pairs differ in one direction both tests count the same two cases."""
    assert sign_flip(n) == pytest.approx(min(1.0, mcnemar(0, n)), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_sign_flip_agrees_with_trying_all_signs(n: int) -> None:
    """The twin: every way to give n equal differences a sign, and how many have a sum as far from 0 as all plus."""
    sums = [sum(signs) for signs in itertools.product((-1, 1), repeat=n)]
    assert sign_flip(n) == sum(abs(total) >= n for total in sums) / len(sums)


def test_five_equal_differences_are_not_enough_for_5_percent_and_six_are() -> None:
    assert sign_flip(5) == 0.0625
    assert sign_flip(6) == 0.03125


def test_ten_thousand_conversations_are_no_overflow() -> None:
    assert sign_flip(1075) > 0
    assert sign_flip(10_000) == 0.0
    assert mcnemar(4_900, 5_100) == pytest.approx(0.0466, abs=5e-5)
    assert 0 <= mcnemar(0, 10_000) < 1e-300


@pytest.mark.parametrize(("only_base", "only_tuned"), [(-1, 3), (3, -1)])
def test_counts_are_not_negative(only_base: int, only_tuned: int) -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar(only_base, only_tuned)


@pytest.mark.parametrize("n", [0, -2])
def test_no_difference_has_no_sign(n: int) -> None:
    with pytest.raises(ValueError, match="needs a difference"):
        sign_flip(n)
