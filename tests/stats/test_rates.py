"""Wilson's interval: against a published table, against a plain twin, and at the edges."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from multiturn.stats.rates import share_interval, wilson


@pytest.mark.parametrize(
    ("passes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_published_intervals(passes: int, n: int, low: float, high: float) -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (score, no continuity correction), 95 %."""
    found = wilson(passes, n)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_solves_wilsons_equation(counts: tuple[int, int]) -> None:
    """The twin: an end that is not 0 or 1 lies where the observed rate is exactly z standard errors away."""
    passes, n = counts
    found = wilson(passes, n)
    z = statistics.NormalDist().inv_cdf(0.975)
    assert found.low is not None
    assert found.high is not None
    for end in (found.low, found.high):
        if 0 < end < 1:
            assert abs(passes / n - end) == pytest.approx(z * (end * (1 - end) / n) ** 0.5, rel=1e-6)
    assert 0 <= found.low < found.high <= 1
    assert found.low <= passes / n <= found.high


@given(st.integers(1, 100).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_failures_mirror_passes(counts: tuple[int, int]) -> None:
    passes, n = counts
    one, other = wilson(passes, n), wilson(n - passes, n)
    assert one.low is not None
    assert other.high is not None
    assert one.low == pytest.approx(1 - other.high, abs=1e-12)


def test_no_unit_no_rate() -> None:
    found = wilson(0, 0)
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)


@pytest.mark.parametrize(("passes", "n"), [(-1, 5), (6, 5)])
def test_counts_that_can_not_be(passes: int, n: int) -> None:
    with pytest.raises(ValueError, match="passes"):
        wilson(passes, n)
    with pytest.raises(ValueError, match="level"):
        wilson(1, 5, level=1)


def test_a_share_of_whole_conversations_has_wilsons_interval_with_students_quantile() -> None:
    """Where each conversation has 0 or 1, the design effect is 1 but for the divisor n - 1; the end near 0 is exact."""
    n, passes = 40, 12
    found = share_interval([1.0] * passes + [0.0] * (n - passes))
    assert found.value == 0.3
    assert found.low is not None
    assert found.high is not None
    quantile = scipy_stats.t.ppf(0.975, n - 1)
    assert found.high - 0.3 == pytest.approx(quantile * (found.high * (1 - found.high) / (n - 1)) ** 0.5, rel=1e-9)
    units = (n - 1) * (scipy_stats.norm.ppf(0.975) / quantile) ** 2
    assert found.low == pytest.approx(scipy_stats.beta.ppf(0.025, 0.3 * units, 0.7 * units + 1), rel=1e-9)
    assert abs(0.3 - found.low) > quantile * (found.low * (1 - found.low) / (n - 1)) ** 0.5, "farther than Wilson's"


@given(st.lists(st.integers(0, 4).map(lambda whole: whole / 4), min_size=2, max_size=30))
def test_shares_and_what_is_left_of_them_mirror_each_other(values: list[float]) -> None:
    one, other = share_interval(values), share_interval([1 - value for value in values])
    if one.low is not None:
        assert one.high is not None
        assert other.low is not None
        assert other.high is not None
        assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-9)


@given(st.lists(st.integers(0, 4).map(lambda whole: whole / 4), min_size=2, max_size=30))
def test_the_interval_of_a_share_lies_inside_0_and_1_and_holds_it(values: list[float]) -> None:
    found = share_interval(values)
    if found.low is not None:
        assert found.high is not None
        assert found.value is not None
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high


def test_conversations_that_go_together_less_make_a_share_surer() -> None:
    """The same share: two checks a conversation that never agree are worth more than ones that always do."""
    apart, together = share_interval([0.5, 0.5, 0.5, 1, 0.5, 0.0]), share_interval([0, 1, 0, 1, 0, 1])
    assert apart.value == together.value == 0.5
    assert apart.low is not None
    assert together.low is not None
    assert apart.low > together.low


@pytest.mark.parametrize(("value", "low", "high"), [(0.0, 0.0, 0.1611), (1.0, 0.8389, 1.0)])
def test_twenty_conversations_at_an_extreme_are_not_certain(value: float, low: float, high: float) -> None:
    """No refusal in 20 conversations does not show that there never is one."""
    found = share_interval([value] * 20 + [None])
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    assert (found.value, found.n, found.missing) == (value, 20, 1)
    assert found.note == "all 20 equal: Wilson's interval"


def test_shares_without_an_interval() -> None:
    """One conversation says nothing of others; equal shares in between have no spread to judge by."""
    assert share_interval([0.0]).low is None
    assert share_interval([0.5, 0.5]).low is None
    assert share_interval([None]).value is None


def test_a_share_is_from_0_to_1() -> None:
    with pytest.raises(ValueError, match="share"):
        share_interval([0.5, 1.5])


@pytest.mark.parametrize("failing", [1, 2, 4])
def test_a_few_failures_never_say_more_than_none(failing: int) -> None:
    """One failed check of twelve in 48 conversations: its spread alone would leave room for 1 %, and none for 7.4."""
    none = share_interval([0.0] * 48)
    few = share_interval([1 / 12] * failing + [0.0] * (48 - failing))
    assert none.high is not None
    assert few.high is not None
    assert few.high >= none.high
    mirrored = share_interval([11 / 12] * failing + [1.0] * (48 - failing))
    assert mirrored.low == pytest.approx(1 - few.high)
