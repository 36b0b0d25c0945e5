"""Two one-sided tests: against printed figures, against scipy's one-sided t tests, and what they say of an interval."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from multiturn.stats.equivalence import tost

# Hours of sleep gained by ten patients with two drugs: Cushny and Peebles (1905), Student's own example (1908).
DRUG_1 = (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
DRUG_2 = (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)

numbers = st.integers(-80, 80).map(lambda whole: whole / 8)
margins = st.sampled_from([0.25, 1.0, 3.0, 10.0])


def of(values: list[float], margin: float) -> float:
    """The test of these differences."""
    error = statistics.stdev(values) / len(values) ** 0.5
    return tost(statistics.fmean(values), error, len(values) - 1, margin)


def test_students_sleep_data_are_not_equivalent_within_an_hour() -> None:
    """Printed by ``t_TOST(extra ~ group, data = sleep, eqb = 1, paired = TRUE)`` of the R package TOSTER.

    Against -1: t(9) = -1.491161, p = 0.9149441; against +1: t(9) = -6.633095, p = 4.778596e-05.
    """
    differences = [one - two for one, two in zip(DRUG_1, DRUG_2, strict=True)]
    assert of(differences, 1.0) == pytest.approx(0.9149441, abs=5e-8)


def test_a_real_difference_can_be_equivalent() -> None:
    """Printed by TOSTER for 768 pairs with bounds of 1.5: t(767) = 2.399, p = 0.00834.

    The 90 % interval is -1.294 to -0.392, the 95 % interval leaves out 0 too, with p = 0.00214.
    """
    mean = (-1.294 - 0.392) / 2
    error = (-0.392 + 1.294) / 2 / float(scipy_stats.t.ppf(0.95, 767))
    assert 2 * float(scipy_stats.t.cdf(mean / error, 767)) == pytest.approx(0.00214, abs=5e-5)
    assert tost(mean, error, 767, 1.5) == pytest.approx(0.00834, abs=5e-5)


@given(st.lists(numbers, min_size=2, max_size=20), margins)
def test_agrees_with_two_one_sided_tests_of_scipy(values: list[float], margin: float) -> None:
    assume(len(set(values)) > 1)
    above = scipy_stats.ttest_1samp(values, -margin, alternative="greater").pvalue
    below = scipy_stats.ttest_1samp(values, margin, alternative="less").pvalue
    assert of(values, margin) == pytest.approx(max(above, below), rel=1e-7, abs=1e-12)


@given(st.floats(-5, 5), st.floats(0.01, 5), st.integers(1, 200), margins)
def test_below_5_percent_exactly_where_the_90_percent_interval_lies_inside(
    mean: float, error: float, degrees: int, margin: float
) -> None:
    half = float(scipy_stats.t.ppf(0.95, degrees)) * error
    p = tost(mean, error, degrees, margin)
    assume(abs(p - 0.05) > 1e-9)
    assert (p < 0.05) == (-margin < mean - half and mean + half < margin)


@given(st.floats(-5, 5), st.floats(0.01, 5), st.integers(1, 200), margins)
def test_swapping_the_arms_changes_nothing(mean: float, error: float, degrees: int, margin: float) -> None:
    assert tost(-mean, error, degrees, margin) == tost(mean, error, degrees, margin)


@given(st.floats(-5, 5), st.floats(0.01, 5), st.integers(1, 200), margins)
def test_a_wider_margin_is_easier_to_stay_within(mean: float, error: float, degrees: int, margin: float) -> None:
    assert tost(mean, error, degrees, 2 * margin) <= tost(mean, error, degrees, margin)


@given(st.floats(-5, 5), st.floats(0.01, 5), st.integers(1, 200), margins, st.sampled_from([0.001, 100.0]))
def test_the_unit_does_not_matter(mean: float, error: float, degrees: int, margin: float, factor: float) -> None:
    scaled = tost(mean * factor, error * factor, degrees, margin * factor)
    assert scaled == pytest.approx(tost(mean, error, degrees, margin), rel=1e-9, abs=1e-12)


def test_a_mean_at_the_margin_is_a_coin_toss() -> None:
    assert tost(1.0, 0.001, 30, 1.0) == 0.5


def test_no_difference_with_too_large_an_error_is_not_equivalent() -> None:
    """To find nothing is not to show that nothing is there."""
    assert tost(0.0, 1.0, 19, 1.0) > 0.05
    assert tost(0.0, 0.5, 19, 1.0) < 0.05


@pytest.mark.parametrize(
    ("mean", "error", "degrees", "margin"),
    [
        (float("nan"), 1, 9, 1),
        (0, float("inf"), 9, 1),
        (0, 1, 9, float("nan")),
        (0, 0, 9, 1),
        (0, -1, 9, 1),
        (0, 1, 0, 1),
        (0, 1, 9, 0),
        (0, 1, 9, -1),
    ],
)
def test_what_has_no_test(mean: float, error: float, degrees: int, margin: float) -> None:
    with pytest.raises(ValueError, match="margin must be"):
        tost(mean, error, degrees, margin)
