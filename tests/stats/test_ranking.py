"""Pass rates of several arms: published figures of the parts, a plain twin, laws, corners, and how often it is right."""

from __future__ import annotations

import itertools
import random
import statistics

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from multiturn.ranking import RateRanking
from multiturn.results import Estimate
from multiturn.stats.paired import NO_CHANGE, paired_difference
from multiturn.stats.ranking import difference_interval, equal_interval, rank_rates, share_interval
from multiturn.stats.rates import wilson

Shares = dict[str, dict[str, float | None]]

values = st.integers(0, 8).map(lambda eighths: eighths / 8)
tables = st.integers(2, 12).flatmap(
    lambda n: st.dictionaries(st.sampled_from("ABCDE"), st.lists(values, min_size=n, max_size=n), min_size=2)
)


def named(table: dict[str, list[float]]) -> Shares:
    return {arm: {f"c{at:02}": value for at, value in enumerate(row)} for arm, row in table.items()}


def interval(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def test_of_yes_and_no_it_is_wilsons_interval() -> None:
    """Newcombe (1998), table I: 81 of 263, Wilson: 0.2553 to 0.3662; n is large, so that t is nearly normal.

    The lower end, towards the nearer of 0 and 1, is the exact one: 0.2527 in the same table (method 5).
    """
    low, high = interval(share_interval([1.0] * 81 + [0.0] * 182, missing=0, level=0.95))
    assert high == pytest.approx(0.3662, abs=5e-4)
    assert high == pytest.approx(interval(wilson(81, 263))[1], abs=5e-4)
    assert low == pytest.approx(0.2527, abs=5e-4)


def test_where_all_are_equal_it_is_the_exact_bound_for_none_of_n() -> None:
    """The rule of three's exact form: with 0 of 30 the one-sided 95 % bound is 1 - 0.05^(1/30) = 9.5 %."""
    low, high = interval(equal_interval(0.0, 30, within=(0, 1), missing=0, level=0.9))
    assert (low, high) == pytest.approx((0, 0.0950), abs=5e-5)
    found = scipy_stats.binomtest(0, 12).proportion_ci(0.95, method="exact")
    assert interval(equal_interval(0.0, 12, within=(0, 1), missing=0, level=0.95)) == pytest.approx(tuple(found))
    low, high = interval(equal_interval(0.0, 12, within=(-1, 1), missing=0, level=0.95))
    assert (low, high) == pytest.approx((-found.high, found.high))


@given(tables)
def test_agrees_with_the_plain_twin(table: dict[str, list[float]]) -> None:
    """Means in order, and each pair's interval is that of a comparison at the level Bonferroni gives, where it has one.

    Told apart are those whose t interval leaves out 0.
    """
    found = rank_rates(named(table))
    means = {arm: statistics.fmean(row) for arm, row in table.items()}
    assert [one.estimate.value for one in found.arms] == pytest.approx(sorted(means.values(), reverse=True))
    count = len(table) * (len(table) - 1) // 2
    assert len(found.pairs) == count
    for pair in found.pairs:
        gaps = [one - other for one, other in zip(table[pair.first], table[pair.second], strict=True)]
        assert pair.difference.value == pytest.approx(statistics.fmean(gaps))
        n = len(gaps)
        rows = named(table)
        alone = paired_difference(rows[pair.second], rows[pair.first], 1 - 0.05 / count, extreme=1.0)
        if alone.low is None:
            assert len(set(gaps)) == 1
            assert gaps[0] != 0
            continue
        assert interval(pair.difference) == interval(alone)
        if len(set(gaps)) == 1:
            continue
        half = scipy_stats.t.ppf(1 - 0.05 / count / 2, n - 1) * statistics.stdev(gaps) / n**0.5
        middle = statistics.fmean(gaps)
        assume(abs(abs(middle) - half) > 1e-9)
        assert pair.told_apart == (abs(middle) > half)


@given(tables, st.randoms(use_true_random=False))
def test_no_order_changes_a_digit(table: dict[str, list[float]], chance: random.Random) -> None:
    """Neither that of arms nor that of conversations."""
    shares = named(table)
    arms = list(shares)
    chance.shuffle(arms)
    ids = list(shares[arms[0]])
    chance.shuffle(ids)
    assert rank_rates({arm: {name: shares[arm][name] for name in ids} for arm in arms}) == rank_rates(shares)


@given(tables)
def test_every_interval_is_there_holds_its_mean_and_has_a_width(table: dict[str, list[float]]) -> None:
    """From two conversations on, whatever the values; ranks and who is told apart agree with the intervals."""
    found = rank_rates(named(table))
    for estimate, (least, most) in [
        *((one.estimate, (0, 1)) for one in found.arms),
        *((pair.difference, (-1, 1)) for pair in found.pairs),
    ]:
        low, high = interval(estimate)
        assert estimate.value is not None
        assert least <= low <= estimate.value <= high <= most
        assert low < high
    for one in found.arms:
        apart = {name for pair in found.pairs if pair.told_apart for name in (pair.first, pair.second)}
        assert set(one.told_apart_from) <= apart - {one.arm}
        assert one.rank is not None
        better = [other for other in found.arms if (other.estimate.value or 0) > (one.estimate.value or 0) + 1e-9]
        assert one.rank == 1 + len(better)


def told(found: RateRanking) -> dict[str, tuple[str, ...]]:
    return {one.arm: one.told_apart_from for one in found.arms}


def test_arms_that_clearly_differ_are_told_apart_and_close_ones_are_not() -> None:
    """Two good arms and a bad one."""
    table = {"bad": [0.0, 0.25] * 6, "good": [1.0, 0.75] * 6, "fine": [0.75, 1.0] * 6}
    found = rank_rates(named(table))
    assert told(found) == {"fine": ("bad",), "good": ("bad",), "bad": ("fine", "good")}
    assert [one.rank for one in found.arms] == [1, 1, 3]


def test_identical_replies_are_equal_with_a_width() -> None:
    """Zero is the difference, and twelve conversations without one do not say that there is none."""
    row = [1.0, 0.5, 0.25] * 4
    found = rank_rates(named({"a": row, "b": list(row), "c": [0.0] * 12}))
    (pair,) = [pair for pair in found.pairs if {pair.first, pair.second} == {"a", "b"}]
    assert pair.difference.value == 0
    low, high = interval(pair.difference)
    assert low == -high
    assert high == pytest.approx((1 + scipy_stats.t.ppf(1 - 0.05 / 3 / 2, 11)) / 13)
    assert not pair.told_apart
    assert [one.rank for one in found.arms] == [1, 1, 3]


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_an_arm_at_an_end_of_the_scale_has_the_interval_that_it_has_elsewhere(share: float) -> None:
    """Wilson's for none or all of 12, at the level of one of two; between the ends the exact bound."""
    found = rank_rates(named({"a": [share] * 12, "b": [0.5] * 12}))
    by_name = {one.arm: one.estimate for one in found.arms}
    assert interval(by_name["a"]) == interval(wilson(round(12 * share), 12, 1 - 0.05 / 2))
    assert interval(by_name["b"]) == interval(equal_interval(0.5, 12, within=(0, 1), missing=0, level=1 - 0.05 / 2))


def test_all_against_none_is_told_apart() -> None:
    """Every difference is 1, so there is no spread, and still no doubt."""
    found = rank_rates(named({"all": [1.0] * 12, "none": [0.0] * 12}))
    assert told(found) == {"all": ("none",), "none": ("all",)}
    assert interval(found.pairs[0].difference)[1] == 1


def test_one_conversation_gives_values_without_intervals() -> None:
    """And nothing is told apart."""
    found = rank_rates({"a": {"c": 1.0}, "b": {"c": 0.0}})
    assert [(one.estimate.value, one.estimate.low, one.estimate.n) for one in found.arms] == [
        (1, None, 1),
        (0, None, 1),
    ]
    assert found.pairs[0].difference.low is None
    assert not found.pairs[0].told_apart


def test_an_arm_that_misses_everything_leaves_nothing_to_rank() -> None:
    """No value, no rank, and how many are missing."""
    found = rank_rates({"b": {"c": 1.0, "d": 1.0}, "a": {"c": None, "d": None}})
    assert [(one.arm, one.rank, one.estimate.value, one.estimate.missing) for one in found.arms] == [
        ("a", None, None, 2),
        ("b", None, None, 2),
    ]
    assert found.pairs[0].difference.value is None


def test_only_conversations_that_all_arms_have_count() -> None:
    """One that an arm lacks is missing for all; one to which no check applies somewhere is left out."""
    shares: Shares = {
        "a": {"c": 1.0, "d": 0.5, "e": 1.0, "f": 0.0},
        "b": {"c": 0.5, "d": 0.0, "e": None, "f": 1.0},
        "c": {"c": 0.0, "d": 0.0, "e": 1.0},
    }
    found = rank_rates(shares)
    assert {(one.estimate.n, one.estimate.missing) for one in found.arms} == {(2, 1)}
    assert {(pair.difference.n, pair.difference.missing) for pair in found.pairs} == {(2, 1)}
    assert [one.estimate.value for one in found.arms] == [0.75, 0.25, 0]


def test_rounding_makes_no_difference() -> None:
    """A third more than two thirds is one."""
    gaps = difference_interval([1 / 3 + 2 / 3, 1.0], [1.0, 0.1 * 3 + 0.7], missing=0, level=0.95)
    assert gaps.value == 0
    assert gaps.note == NO_CHANGE


@pytest.mark.parametrize(
    ("shares", "level"),
    [({"a": {"c": 1.0}}, 0.95), ({"a": {"c": 1.5}, "b": {"c": 1.0}}, 0.95), ({"a": {}, "b": {}}, 1)],
)
def test_what_can_be_no_ranking_is_refused(shares: Shares, level: float) -> None:
    """One arm, a share above 1, a level of 1."""
    with pytest.raises(ValueError, match=r"arms|share|level"):
        rank_rates(shares, level)


def draw(chance: random.Random, tendencies: tuple[float, ...], n: int) -> Shares:
    """A suite of n conversations of four checks, harder and easier ones, the same for all arms."""
    shares: Shares = {str(arm): {} for arm in range(len(tendencies))}
    for at in range(n):
        ease = chance.betavariate(1.2, 0.8)
        for arm, tendency in enumerate(tendencies):
            passed = sum(chance.random() < tendency * ease + (1 - tendency) * 0.5 * ease for _ in range(4))
            shares[str(arm)][f"c{at}"] = passed / 4
    return shares


@pytest.mark.parametrize("n", [12, 24, 48])
def test_intervals_hold_together_as_often_as_they_say(n: int) -> None:
    """Three arms with known true rates, 400 suites: all arms' at once, and all pairs' at once."""
    chance = random.Random(n)  # noqa: S311 - no secret
    tendencies = (1.0, 0.9, 0.3)
    true = {str(arm): (0.5 + 0.5 * tendency) * 0.6 for arm, tendency in enumerate(tendencies)}
    arms = pairs = 0
    for _ in range(400):
        found = rank_rates(draw(chance, tendencies, n))
        covered = [low <= true[one.arm] <= high for one in found.arms for low, high in [interval(one.estimate)]]
        arms += all(covered)
        gaps = [(true[pair.first] - true[pair.second], interval(pair.difference)) for pair in found.pairs]
        pairs += all(low <= gap <= high for gap, (low, high) in gaps)
    assert 0.93 <= arms / 400 <= 0.99
    assert pairs / 400 >= 0.93


def test_pairs_are_in_the_order_of_the_ranking() -> None:
    """So that no difference is below 0."""
    found = rank_rates(named({"x": [0.0, 0.5], "y": [1.0, 0.5], "z": [0.5, 0.5]}))
    assert [(pair.first, pair.second) for pair in found.pairs] == list(itertools.combinations("yzx", 2))
    assert all((pair.difference.value or 0) >= 0 for pair in found.pairs)
