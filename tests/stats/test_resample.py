"""Bootstrap intervals: against Efron and Tibshirani's example, against scipy and a plain twin, their laws and limits."""

from __future__ import annotations

import random
import statistics
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from multiturn.results import Estimate
from multiturn.stats.resample import ENOUGH, bca, median_of, ratio_of_means

# Spatial test data, part A, of 26 children: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap (1993),
# table 14.1.
CHILDREN = (
    *(48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6),
    *(0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41),
)

# Words of a reply, of as many conversations: short, skewed, with ties.
LENGTHS = (12.0, 30.0, 25.0, 41.0, 8.0, 19.0, 77.0, 30.0, 52.0, 16.0, 33.0, 21.0) * 3
LONGER = (15.0, 28.0, 36.0, 60.0, 9.0, 30.0, 95.0, 41.0, 50.0, 22.0, 47.0, 20.0) * 3


def table(*columns: tuple[float, ...]) -> NDArray[np.float64]:
    return np.array(columns, dtype=np.float64).T


def variance(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """With divisor n, as in the example."""
    return np.asarray(samples[:, :, 0].var(axis=1))


def mean(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(samples[:, :, 0].mean(axis=1))


def interval(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def test_efron_and_tibshiranis_variance_of_spatial_scores() -> None:
    """Table 14.2: variance 171.5; the 90 % BCa interval with 2,000 draws is (115.8, 259.6).

    Twenty intervals of ours with 2,000 draws differ from it by the noise of drawing alone; the percentile interval
    (100.8, 233.9) and the standard one (98.8, 233.6) of the same table lie far outside.
    """
    rows = table(CHILDREN)
    assert variance(rows[None])[0] == pytest.approx(171.5, abs=0.05)
    ends = [bca(rows, variance, level=0.9, draws=2000, seed=seed) for seed in range(20)]
    low, high = (statistics.fmean(end[side] for end in ends if end is not None) for side in (0, 1))
    spread = [statistics.stdev(end[side] for end in ends if end is not None) for side in (0, 1)]
    assert abs(low - 115.8) < 3 * spread[0]
    assert abs(high - 259.6) < 3 * spread[1]
    assert max(spread) < 4


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("statistic", [variance, mean])
def test_agrees_with_scipy_but_for_the_noise_of_drawing(level: float, statistic: object) -> None:
    ours = bca(table(CHILDREN), variance if statistic is variance else mean, level=level, draws=40_000, seed=3)
    theirs = scipy_stats.bootstrap(
        (np.array(CHILDREN, dtype=float),),
        np.var if statistic is variance else np.mean,
        n_resamples=40_000,
        confidence_level=level,
        method="BCa",
        rng=np.random.default_rng(4),
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), rel=0.015)


def twin(values: list[float], level: float, draws: NDArray[np.intp]) -> tuple[float, float]:
    """Section 14.3 of the book with plain loops, for the mean; the draws are given."""
    normal = statistics.NormalDist()
    n = len(values)
    value = sum(values) / n
    drawn = sorted(sum(values[place] for place in sample) / n for sample in draws)
    below = sum(one < value - 1e-9 for one in drawn) + sum(abs(one - value) <= 1e-9 for one in drawn) / 2
    bias = normal.inv_cdf(below / len(drawn))
    left_out = [(sum(values) - one) / (n - 1) for one in values]
    centre = sum(left_out) / n
    cubes = sum((centre - one) ** 3 for one in left_out)
    acceleration = cubes / (6 * sum((centre - one) ** 2 for one in left_out) ** 1.5)
    ends = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        step = bias + normal.inv_cdf(share)
        place = normal.cdf(bias + step / (1 - acceleration * step)) * (len(drawn) - 1)
        lower = min(int(place), len(drawn) - 2)
        ends.append(drawn[lower] + (place - lower) * (drawn[lower + 1] - drawn[lower]))
    return ends[0], ends[1]


@given(st.lists(st.integers(0, 60), min_size=6, max_size=15), st.sampled_from([0.8, 0.9, 0.95]), st.integers(0, 9))
@settings(max_examples=30)
def test_agrees_with_the_plain_twin(values: list[int], level: float, seed: int) -> None:
    """The same draws, of the values in ascending order, give the same interval."""
    ordered = sorted(float(value) for value in values)
    found = bca(table(tuple(ordered)), mean, level=level, draws=300, seed=seed)
    if len(set(values)) == 1:
        assert found is None
    else:
        draws = np.random.default_rng(seed).integers(0, len(values), size=(300, len(values)))
        assert found == pytest.approx(twin(ordered, level, draws), rel=1e-9)


def test_the_acceleration_of_the_spatial_data_is_the_printed_one() -> None:
    """The book gives 0.061; with it, and no bias, the upper end lies where the formula says."""
    rows = table(CHILDREN)
    left_out = np.array([np.var(np.delete(rows[:, 0], place)) for place in range(len(rows))])
    apart = left_out.mean() - left_out
    assert (apart**3).sum() / (6 * (apart**2).sum() ** 1.5) == pytest.approx(0.061, abs=5e-4)


@given(st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_the_order_of_conversations_changes_no_digit(chance: random.Random) -> None:
    """What is shuffled is pairs; each base stays with its tuned."""
    places = list(range(len(LENGTHS)))
    chance.shuffle(places)
    shuffled = ratio_of_means([LENGTHS[place] for place in places], [LONGER[place] for place in places])
    assert shuffled == ratio_of_means(LENGTHS, LONGER)


def test_the_seed_decides_the_draws() -> None:
    assert ratio_of_means(LENGTHS, LONGER, seed=1) == ratio_of_means(LENGTHS, LONGER, seed=1)
    assert ratio_of_means(LENGTHS, LONGER, seed=1) != ratio_of_means(LENGTHS, LONGER, seed=2)


def test_many_conversations_are_left_out_in_groups_to_the_same_effect() -> None:
    """1,200 very skewed lengths: both ends as scipy's, which leaves out one at a time, but for the noise of drawing.

    Bias and acceleration move both ends by more than that.
    """
    values = np.random.default_rng(2).lognormal(0, 1.7, 1200)
    error = values.std() / len(values) ** 0.5
    ours = bca(values[:, None], mean, draws=20_000)
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, batch=500, method="BCa", rng=np.random.default_rng(6)
    )
    ends = theirs.confidence_interval
    assert ours == pytest.approx((ends.low, ends.high), abs=0.08 * error)
    plain = np.quantile(theirs.bootstrap_distribution, [0.025, 0.975])
    assert min(ends.low - plain[0], ends.high - plain[1]) > 0.12 * error


def test_what_fits_into_memory_at_a_time_does_not_change_the_draws() -> None:
    """2,000 conversations are drawn in pieces, 700 times; the samples are those of one draw of all."""
    values = np.random.default_rng(0).gamma(3, 30, 2000)
    values.sort()
    seen: list[NDArray[np.float64]] = []

    def recorded(samples: NDArray[np.float64]) -> NDArray[np.float64]:
        if samples.shape[1] == len(values):
            seen.append(mean(samples))
        return mean(samples)

    assert bca(values[:, None], recorded, draws=700, seed=8) is not None
    drawn = values[np.random.default_rng(8).integers(0, 2000, size=(700, 2000))].mean(axis=1)
    assert len(seen) > 2
    assert np.concatenate(seen)[:700] == pytest.approx(drawn, rel=1e-12)


def test_a_higher_level_is_a_wider_interval() -> None:
    widths = [high - low for low, high in (interval(ratio_of_means(LENGTHS, LONGER, at)) for at in (0.5, 0.9, 0.99))]
    assert widths == sorted(widths)
    assert len(set(widths)) == 3


def test_a_ratio_has_the_unit_of_neither_arm() -> None:
    """Characters for words, in both arms: the same ratio and interval; in one arm: scaled."""
    plain = ratio_of_means(LENGTHS, LONGER)
    both = ratio_of_means([6 * value for value in LENGTHS], [6 * value for value in LONGER])
    one = ratio_of_means(LENGTHS, [2 * value for value in LONGER])
    assert plain.value == pytest.approx(sum(LONGER) / sum(LENGTHS))
    assert interval(both) == pytest.approx(interval(plain), rel=1e-9)
    assert interval(one) == pytest.approx([2 * end for end in interval(plain)], rel=1e-9)
    assert (plain.n, plain.missing, plain.level, plain.note) == (36, 0, 0.95, "")


def test_a_ratio_of_few_reaches_as_far_as_students_t() -> None:
    """Its interval is the BCa interval at the level that the wider reach stands for; scipy's twin says so too."""
    n = len(LENGTHS)
    reach = scipy_stats.t.ppf(0.975, n - 1) * (n / (n - 1)) ** 0.5
    level = float(2 * scipy_stats.norm.cdf(reach) - 1)
    found = interval(ratio_of_means(LENGTHS, LONGER))
    ours = bca(
        table(LENGTHS, LONGER), lambda samples: samples[:, :, 1].sum(axis=1) / samples[:, :, 0].sum(axis=1), level
    )
    assert found == pytest.approx(ours, rel=1e-9)
    theirs = scipy_stats.bootstrap(
        (np.array(LENGTHS), np.array(LONGER)),
        lambda base, tuned, axis: tuned.mean(axis=axis) / base.mean(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=40_000,
        confidence_level=level,
        method="BCa",
        rng=np.random.default_rng(5),
    ).confidence_interval
    assert found == pytest.approx((theirs.low, theirs.high), rel=0.02)


@pytest.mark.parametrize("n", [30, 60])
def test_a_ratio_is_covered_about_as_often_as_the_level_says(n: int) -> None:
    """Skewed lengths, tuned a fifth longer, 200 times over: 95 % hold 1.2, less a little (the docstring says what)."""
    chance = np.random.default_rng(11)
    covered = 0
    for _ in range(200):
        topic = chance.normal(0, 0.3, n)
        base, tuned = (factor * np.exp(topic + chance.normal(0, 0.2, n)) for factor in (100, 120))
        low, high = interval(ratio_of_means(base.tolist(), tuned.tolist()))
        covered += low <= 1.2 <= high
    assert 0.90 <= covered / 200 <= 0.98


def test_a_median_is_covered_about_as_often_as_the_level_says() -> None:
    """Whole numbers with many ties, 30 conversations, 300 times over."""
    chance = np.random.default_rng(12)
    covered = 0
    for _ in range(300):
        low, high = interval(median_of(np.round(chance.gamma(2, 20, 30)).tolist()))
        covered += low <= 33.57 <= high
    assert 0.92 <= covered / 300 <= 0.99


def test_a_median_of_enough_conversations_has_an_interval() -> None:
    values = [float(value) for value in CHILDREN + CHILDREN[:4]]
    assert len(values) == ENOUGH
    found = median_of([*values, None])
    low, high = interval(found)
    assert found.value == statistics.median(values)
    assert low < statistics.median(values) < high
    assert (found.n, found.missing, found.note) == (ENOUGH, 1, "")


def test_a_median_of_fewer_has_none_and_says_so() -> None:
    assert median_of(list(CHILDREN[:29])) == Estimate(value=31.0, n=26, missing=0, note="fewer than 30 conversations")
    assert median_of([3.0, None, 5.0]).value == 4.0


def test_nothing_measured_is_a_result() -> None:
    assert median_of([None, None]) == Estimate(value=None, n=0, missing=2, note="nothing measured")
    assert median_of([]) == Estimate(value=None, n=0, missing=0, note="nothing measured")
    assert ratio_of_means([], []) == Estimate(value=None, n=0, missing=0, note="nothing measured")


def test_there_is_no_ratio_to_nothing() -> None:
    found = ratio_of_means([0.0] * 6, [1.0] * 6)
    assert found == Estimate(value=None, n=0, missing=0, note="the mean of base is 0")


def test_a_ratio_of_too_few_conversations_has_no_interval() -> None:
    found = ratio_of_means(LENGTHS[: ENOUGH - 1], LONGER[: ENOUGH - 1])
    assert (found.low, found.note) == (None, "fewer than 30 conversations")
    assert found.value == sum(LONGER[: ENOUGH - 1]) / sum(LENGTHS[: ENOUGH - 1])
    assert ratio_of_means(LENGTHS[:ENOUGH], LONGER[:ENOUGH]).low is not None


def test_a_base_that_may_be_0_has_a_ratio_without_interval() -> None:
    """Some of the samples drawn have no tool call at all in base: over them there is no ratio."""
    found = ratio_of_means([0.0] * 29 + [1.0], [1.0] * 30)
    assert found.value == pytest.approx(30.0)
    assert (found.low, found.note) == (None, "the mean of base is too near 0")


def test_no_spread_no_interval() -> None:
    """An interval of width 0 would be certainty; also where values differ by rounding only."""
    assert ratio_of_means(LENGTHS, [0.1 * value for value in LENGTHS]).low is None
    assert ratio_of_means(LENGTHS, [0.1 * value for value in LENGTHS]).note == "resampling shows no spread"
    assert median_of([0.3, 0.1 + 0.2] * 20).low is None
    assert median_of([7.0] * 40) == Estimate(value=7.0, n=40, missing=0, note="resampling shows no spread")


def test_what_can_not_be_accelerated_or_corrected_has_no_interval() -> None:
    def largest(samples: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(samples[:, :, 0].max(axis=1))

    def undefined(samples: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(samples[:, :, 0].min(axis=1) == 0, np.nan, mean(samples))

    assert bca(table((1.0, 2.0, 2.0, 2.0)), largest) is None
    assert bca(table((0.0, 1.0, 2.0, 3.0)), undefined) is None
    assert bca(table((4.0, 4.0, 4.0)), mean) is None
    assert bca(table((4.0,)), mean) is None


def test_ten_thousand_conversations_need_little_memory() -> None:
    """The draws at once would be 4,000 x 10,000 numbers, 320 MB."""
    chance = np.random.default_rng(0)
    values = chance.gamma(3, 30, 10_000)
    tracemalloc.start()
    found = bca(values[:, None], mean, draws=1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found is not None
    half = 1.96 * values.std() / 100
    assert found == pytest.approx((values.mean() - half, values.mean() + half), abs=half / 5)
    assert peak < 64 * 2**20


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        median_of([1.0, value])
    with pytest.raises(ValueError, match="finite"):
        ratio_of_means([1.0, 2.0], [1.0, value])
    with pytest.raises(ValueError, match="finite"):
        bca(table((1.0, value)), mean)


def test_arms_of_other_conversations_are_refused() -> None:
    with pytest.raises(ValueError, match="same conversations"):
        ratio_of_means([1.0, 2.0], [1.0])


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        bca(table((1.0, 2.0)), mean, level)
    with pytest.raises(ValueError, match="level"):
        median_of([1.0], level)
    with pytest.raises(ValueError, match="level"):
        ratio_of_means([1.0], [1.0], level)


def test_rows_are_a_table_and_draws_are_some() -> None:
    with pytest.raises(ValueError, match="table"):
        bca(np.array([1.0, 2.0]), mean)
    with pytest.raises(ValueError, match="draw"):
        bca(table((1.0, 2.0)), mean, draws=0)
