"""Means, paired differences and p values: against published figures, against a plain twin, and their laws."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from multiturn.results import Estimate
from multiturn.stats.paired import mean_interval, p_value, paired_difference

# Hours of sleep gained by ten patients with two drugs: Cushny and Peebles (1905), Student's own example (1908).
DRUG_1 = (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
DRUG_2 = (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)

# Charles Darwin's fifteen pairs of maize plants, crossed minus self-fertilised, in eighths of an inch, as worked through
# by R. A. Fisher, The Design of Experiments (1935), chapter III.
MAIZE = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)

numbers = st.integers(-1000, 1000).map(lambda whole: whole / 8)
levels = st.sampled_from([0.5, 0.9, 0.95, 0.99])


def named(values: tuple[float | None, ...] | list[float | None] | list[float]) -> dict[str, float | None]:
    return {f"c{index}": value for index, value in enumerate(values)}


def interval(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def test_students_sleep_data() -> None:
    """Figures printed in R's documentation of ``t.test(..., paired = TRUE)``: t = 4.0621, df = 9, p = 0.002833."""
    found = paired_difference(named(DRUG_1), named(DRUG_2))
    assert found.value == pytest.approx(1.58)
    assert interval(found) == pytest.approx((0.7001142, 2.4598858), abs=5e-8)
    assert (found.n, found.missing) == (10, 0)
    assert p_value([two - one for one, two in zip(DRUG_1, DRUG_2, strict=True)]) == pytest.approx(0.002833, abs=5e-7)


def test_darwins_maize() -> None:
    """Fisher: mean 20.933, standard error 9.746, t = 2.148 against 2.145 at 5 %: the interval barely leaves out 0."""
    found = mean_interval(MAIZE)
    assert found.value == pytest.approx(20.933, abs=5e-4)
    low, high = interval(found)
    assert (high - low) / 2 / 2.145 == pytest.approx(9.746, abs=2e-3)
    assert 0 < low < 0.1
    p = p_value(MAIZE)
    assert p is not None
    assert 0.049 < p < 0.05


def twin(values: list[float], level: float) -> tuple[float, float, float]:
    """The textbook, word for word, on the standard library; only the quantile is borrowed."""
    n = len(values)
    mean = statistics.fmean(values)
    quantile = scipy_stats.t.ppf(1 - (1 - level) / 2, df=n - 1)
    half = quantile * statistics.stdev(values) / n**0.5
    return mean, mean - half, mean + half


@given(st.lists(numbers, min_size=2, max_size=30), levels)
def test_agrees_with_the_plain_twin(values: list[float], level: float) -> None:
    assume(len(set(values)) > 1)
    found = mean_interval(values, level)
    assert (found.value, *interval(found)) == pytest.approx(twin(values, level), rel=1e-9, abs=1e-9)


@given(st.lists(numbers, min_size=2, max_size=30))
def test_p_value_agrees_with_the_paired_test_of_scipy(values: list[float]) -> None:
    assume(len(set(values)) > 1)
    assert p_value(values) == pytest.approx(scipy_stats.ttest_1samp(values, 0).pvalue, rel=1e-7, abs=1e-12)


@given(st.lists(numbers, min_size=2, max_size=30), levels)
def test_p_value_and_interval_say_the_same(values: list[float], level: float) -> None:
    """The interval at a level leaves out 0 exactly where p is below 1 - level."""
    p = p_value(values)
    assume(p is not None and abs(p - (1 - level)) > 1e-9)
    assert p is not None
    low, high = interval(mean_interval(values, level))
    assert (low > 0 or high < 0) == (p < 1 - level)


@given(st.lists(numbers, min_size=2, max_size=20), numbers)
def test_shifting_every_value_shifts_the_interval(values: list[float], shift: float) -> None:
    assume(len(set(values)) > 1)
    moved = mean_interval([value + shift for value in values])
    still = mean_interval(values)
    assert still.value is not None
    assert moved.value == pytest.approx(still.value + shift, abs=1e-9)
    assert interval(moved) == pytest.approx([end + shift for end in interval(still)], abs=1e-9)


@given(st.lists(numbers, min_size=2, max_size=20), st.sampled_from([-4.0, -0.1, 0.001, 3.0, 1e6]))
def test_scaling_every_value_scales_the_interval(values: list[float], factor: float) -> None:
    """A negative factor turns the interval round."""
    assume(len(set(values)) > 1)
    scaled = interval(mean_interval([value * factor for value in values]))
    expected = sorted(end * factor for end in interval(mean_interval(values)))
    assert scaled == pytest.approx(expected, rel=1e-9, abs=1e-9 * abs(factor))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_conversations_changes_no_digit(values: list[float], chance: random.Random) -> None:
    shuffled = list(values)
    chance.shuffle(shuffled)
    assert mean_interval(shuffled) == mean_interval(values)


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.none() | numbers, max_size=8),
    st.dictionaries(st.sampled_from("abcdefgh"), st.none() | numbers, max_size=8),
)
def test_swapping_the_arms_changes_the_sign_only(base: dict[str, float | None], tuned: dict[str, float | None]) -> None:
    one, other = paired_difference(base, tuned), paired_difference(tuned, base)
    assert (one.n, one.missing, one.note) == (other.n, other.missing, other.note)
    assert one.n + one.missing == len(base.keys() | tuned.keys())
    if one.value is not None:
        assert other.value == pytest.approx(-one.value)
    if one.low is not None:
        assert interval(other) == pytest.approx([-end for end in reversed(interval(one))])


@given(st.lists(st.none() | numbers, max_size=20))
def test_no_interval_has_width_zero(values: list[float | None]) -> None:
    found = mean_interval(values)
    assert found.n + found.missing == len(values)
    assert (found.low is None) == bool(found.note)
    if found.low is not None:
        low, high = interval(found)
        assert low < high


def test_nothing_measured_is_a_result() -> None:
    assert mean_interval([]) == Estimate(value=None, n=0, missing=0, note="nothing measured")
    assert mean_interval([None, None]) == Estimate(value=None, n=0, missing=2, note="nothing measured")


def test_one_conversation_has_a_mean_and_no_interval() -> None:
    assert mean_interval([9, None]) == Estimate(value=9, n=1, missing=1, note="one conversation")


def test_equal_values_have_a_mean_and_no_interval() -> None:
    assert mean_interval([7] * 4) == Estimate(value=7, n=4, missing=0, note="all 4 equal")
    assert p_value([7.0] * 4) is None


def test_differences_that_are_equal_but_for_rounding_have_no_interval() -> None:
    """0.3 - 0.2 and 0.2 - 0.1 differ in their last digit; that is no spread."""
    found = paired_difference(named([0.2, 0.1, 0.7]), named([0.3, 0.2, 0.8]))
    assert found.value == pytest.approx(0.1)
    assert (found.low, found.note) == (None, "all 3 equal")


def test_a_conversation_missing_in_one_arm_is_missing_in_the_difference() -> None:
    """It is counted, and the others are not touched by it, whether it is None or not there at all."""
    found = paired_difference({"a": 1, "b": 2, "c": None, "d": 8}, {"a": 2, "b": 5, "c": 3, "e": 0})
    assert (found.value, found.n, found.missing) == (2.0, 2, 3)


def test_an_interval_can_be_cut_to_what_is_possible() -> None:
    assert mean_interval([0, 0, 0, 1], within=(0, 1)).low == 0
    assert mean_interval([0, 1, 1, 1], within=(0, 1)).high == 1


def test_p_value_of_too_little_or_too_small_a_spread_is_absent() -> None:
    assert p_value([]) is None
    assert p_value([3.0]) is None
    assert p_value([1e-200, 2e-200]) is None


def test_no_change_in_bounded_differences_is_about_three_in_n() -> None:
    """Twenty conversations, none of which changed: at most about 3/20 of all conversations would."""
    found = paired_difference(named([0.5] * 20), named([0.5] * 20), extreme=1.0)
    assert (found.value, found.n, found.note) == (0.0, 20, "no change seen")
    assert interval(found) == pytest.approx((-0.1474, 0.1474), abs=5e-4)  # (1 + 2.093) / 21
    for n in (12, 48, 200, 2000):
        low, high = interval(paired_difference(named([1.0] * n), named([1.0] * n), extreme=1.0))
        assert -low == high == pytest.approx(3 / n, rel=0.1)


def test_differences_all_zero_without_a_bound_have_no_interval() -> None:
    """Who knows how long the reply is that was not drawn."""
    assert paired_difference(named([7.0, 9.0]), named([7.0, 9.0])).low is None


def test_bounded_differences_that_are_all_equal_and_not_zero_have_no_interval() -> None:
    found = paired_difference(named([0.0] * 4), named([1.0] * 4), extreme=1.0)
    assert (found.value, found.low, found.note) == (1.0, None, "all 4 equal")


def one_more(values: list[float], side: float, level: float) -> float:
    """The plain twin of an outer end: Student's interval of these values and one more."""
    more = [*values, side]
    quantile: float = scipy_stats.t.ppf((1 + level) / 2, len(values) - 1)
    half: float = quantile * statistics.stdev(more) / len(more) ** 0.5
    return statistics.fmean(more) + (half if side > 0 else -half)


shares = st.integers(-4, 4).map(lambda whole: whole / 4)


@given(st.lists(shares, min_size=2, max_size=30), levels)
def test_ends_beyond_0_allow_for_one_more_conversation(values: list[float], level: float) -> None:
    assume(len(set(values)) > 1)
    found = paired_difference(named([0.0] * len(values)), named(values), level, extreme=1.0)
    _, low, high = twin(values, level)
    expected_low = max(-1.0, min(low, one_more(values, -1.0, level))) if low <= 0 else low
    expected_high = min(1.0, max(high, one_more(values, 1.0, level))) if high >= 0 else high
    assume(abs(low) > 1e-9 and abs(high) > 1e-9)
    assert interval(found) == pytest.approx((expected_low, expected_high), abs=1e-9)


@given(st.lists(shares, min_size=2, max_size=30), levels)
def test_what_leaves_out_0_is_students_interval_alone(values: list[float], level: float) -> None:
    """The safeguard never makes or unmakes a difference."""
    assume(len(set(values)) > 1)
    low, high = interval(paired_difference(named([0.0] * len(values)), named(values), level, extreme=1.0))
    _, plain_low, plain_high = twin(values, level)
    assume(abs(plain_low) > 1e-9 and abs(plain_high) > 1e-9)
    assert (low > 0, high < 0) == (plain_low > 0, plain_high < 0)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_interval([1, value])
    with pytest.raises(ValueError, match="finite"):
        p_value([1, value])


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        mean_interval([1, 2], level)


@pytest.mark.parametrize(("rate", "at_least"), [(0.1, 0.93), (0.3, 0.93), (0.5, 0.93)])
def test_the_interval_of_a_difference_covers_it_as_often_as_it_says(rate: float, at_least: float) -> None:
    """Twenty conversations of four turns that strongly go together, no true difference, 600 times over."""
    chance = random.Random(20)  # noqa: S311 - no secret

    def arm() -> dict[str, float | None]:
        tendencies = [chance.betavariate(rate * 0.8, (1 - rate) * 0.8) for _ in range(20)]
        return named([sum(chance.random() < tendency for _ in range(4)) / 4 for tendency in tendencies])

    found = [paired_difference(arm(), arm(), extreme=1.0) for _ in range(600)]
    intervals = [interval(estimate) for estimate in found]
    covered = sum(low <= 0 <= high for low, high in intervals) / len(intervals)
    assert at_least <= covered <= 0.99
