"""Planning: against published sample sizes, against the exact noncentral t distribution, and its laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from multiturn.stats.power import conversations_for, minimum_detectable

levels = st.sampled_from([0.9, 0.95, 0.99])
powers = st.sampled_from([0.5, 0.8, 0.9])


def exact_power(n: int, effect: float, level: float) -> float:
    """Of the two-sided paired t test, for a true difference of this many standard deviations.

    The chance of a finding in the wrong direction, below 0.0001 here, is left out: scipy gives none so far out.
    """
    critical = scipy_stats.t.ppf((1 + level) / 2, n - 1)
    return float(scipy_stats.nct(n - 1, effect * n**0.5).sf(critical))


@pytest.mark.parametrize(("effect", "n"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_cohens_small_medium_and_large_differences(effect: float, n: int) -> None:
    """J. Cohen's 0.2, 0.5 and 0.8 standard deviations of the differences at 5 % two-sided and 80 % power.

    The numbers of pairs are those of G*Power (F. Faul and others, Behavior Research Methods 39, 2007), which uses the
    noncentral t distribution.
    """
    assert conversations_for(1.0, effect) == n
    assert exact_power(n, effect, 0.95) >= 0.8 > exact_power(n - 1, effect, 0.95)


@pytest.mark.parametrize("effect", [0.1, 0.3, 0.4, 0.6, 0.7, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0])
def test_the_number_at_95_and_80_percent_is_the_exact_one(effect: float) -> None:
    n = conversations_for(1.0, effect)
    assert exact_power(n, effect, 0.95) >= 0.8
    assert n == 2 or exact_power(n - 1, effect, 0.95) < 0.8


@pytest.mark.parametrize(("level", "power"), [(0.9, 0.8), (0.95, 0.9), (0.99, 0.8), (0.95, 0.5)])
@pytest.mark.parametrize("effect", [0.1, 0.3, 0.5, 0.8, 1.0, 1.5, 3.0])
def test_at_other_levels_it_is_at_most_one_off(effect: float, level: float, power: float) -> None:
    n = conversations_for(1.0, effect, level, power)
    assert exact_power(n + 1, effect, level) >= power
    assert n <= 3 or exact_power(n - 2, effect, level) < power


@pytest.mark.parametrize(
    ("n", "level", "off"),
    [(2, 0.95, 0.07), (5, 0.95, 0.01), (10, 0.95, 0.0011), (30, 0.95, 0.0003), (300, 0.95, 0.0003), (10, 0.99, 0.02)],
)
def test_how_far_the_approximation_is_off(n: int, level: float, off: float) -> None:
    """The exact power at the difference that should have 80 %: the distances that the docstring gives."""
    effect = minimum_detectable(n**-0.5, n, level)
    assert effect is not None
    assert abs(exact_power(n, effect, level) - 0.8) <= off


def test_by_hand_from_a_t_table() -> None:
    """19 degrees of freedom: 2.093 at 97.5 % and 0.861 at 80 %."""
    assert minimum_detectable(0.1, 20) == pytest.approx(0.1 * (2.093 + 0.861), abs=1e-4)


@given(st.floats(0.01, 10), st.floats(0.05, 5), levels, powers)
def test_the_number_is_the_smallest_that_suffices(sd: float, effect: float, level: float, power: float) -> None:
    n = conversations_for(sd, effect, level, power)
    enough = minimum_detectable(sd / n**0.5, n, level, power)
    assert enough is not None
    assert enough <= effect
    if n > 2:
        too_few = minimum_detectable(sd / (n - 1) ** 0.5, n - 1, level, power)
        assert too_few is not None
        assert too_few > effect


@given(st.floats(0.01, 10), st.integers(2, 1000), levels, powers)
def test_more_conversations_higher_error_and_stricter_demands(error: float, n: int, level: float, power: float) -> None:
    """What can be found shrinks with n and grows with the error, the level and the power."""
    found = minimum_detectable(error, n, level, power)
    assert found is not None
    for easier in (
        minimum_detectable(error, n + 1, level, power),
        minimum_detectable(error / 2, n, level, power),
        minimum_detectable(error, n, level - 0.2, power),
    ):
        assert easier is not None
        assert easier < found
    harder = minimum_detectable(error, n, level, power + 0.05)
    assert harder is not None
    assert harder > found


@given(st.floats(0.01, 10), st.floats(0.05, 5))
def test_a_larger_difference_or_a_smaller_spread_needs_no_more(sd: float, effect: float) -> None:
    n = conversations_for(sd, effect)
    assert conversations_for(sd, effect * 1.5) <= n
    assert conversations_for(sd / 1.5, effect) <= n
    assert conversations_for(sd, -effect) == n
    assert n >= 2


@pytest.mark.parametrize(("error", "n"), [(0.5, 1), (0.5, 0), (0.0, 20)])
def test_where_no_t_test_is_defined_nothing_can_be_said(error: float, n: int) -> None:
    assert minimum_detectable(error, n) is None


@pytest.mark.parametrize(
    ("sd", "effect"), [(1.0, 0.0), (0.0, 1.0), (-1.0, 1.0), (float("nan"), 1.0), (1.0, float("inf"))]
)
def test_what_can_not_be_planned(sd: float, effect: float) -> None:
    with pytest.raises(ValueError, match="sd must be above 0"):
        conversations_for(sd, effect)


def test_a_difference_too_small_for_any_number_is_refused() -> None:
    assert conversations_for(1.0, 1e-6) == pytest.approx(7.849e12, rel=1e-3)
    with pytest.raises(ValueError, match="too small"):
        conversations_for(1.0, 1e-9)


@pytest.mark.parametrize("error", [-0.1, float("nan"), float("inf")])
def test_an_error_is_a_finite_number(error: float) -> None:
    with pytest.raises(ValueError, match="standard error"):
        minimum_detectable(error, 20)


@pytest.mark.parametrize(
    ("level", "power", "word"), [(1.0, 0.8, "level"), (0.0, 0.8, "level"), (0.95, 1.0, "power"), (0.95, 0.2, "power")]
)
def test_levels_and_powers_are_shares(level: float, power: float, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        minimum_detectable(0.5, 20, level, power)
    with pytest.raises(ValueError, match=word):
        conversations_for(1.0, 0.5, level, power)
