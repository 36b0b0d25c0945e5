"""How far tries go one way rather than the other: by hand, against a naive twin, and in how many draws it covers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.stats.balance import balance
from multiturn.stats.rates import wilson

VALUES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=30)


def test_tries_that_only_go_one_way_have_wilsons_upper_end() -> None:
    """3 of 10 one way, none the other: the interval of 3 of 10 above, and below it as far as none of 10 allows."""
    found = balance([1.0] * 3 + [0.0] * 7)
    three, none = wilson(3, 10), wilson(0, 10)
    assert three.low is not None
    assert none.high is not None
    assert found.n == 10
    assert found.value == pytest.approx(0.3)
    assert found.high == pytest.approx(three.high)
    assert found.low == pytest.approx(0.3 - math.hypot(0.3 - three.low, none.high))


def test_both_ways_are_put_together_with_their_correlation() -> None:
    """5 of 20 one way and 2 the other, by the formula with r = -sqrt(p q / (1 - p) (1 - q))."""
    found = balance([1.0] * 5 + [-1.0] * 2 + [0.0] * 13)
    p, q = wilson(5, 20), wilson(2, 20)
    assert p.low is not None
    assert p.high is not None
    assert q.low is not None
    assert q.high is not None
    r = -math.sqrt(0.25 * 0.1 / (0.75 * 0.9))
    down, up = (0.25 - p.low, q.high - 0.1), (p.high - 0.25, 0.1 - q.low)
    low = 0.15 - math.sqrt(down[0] ** 2 - 2 * r * down[0] * down[1] + down[1] ** 2)
    high = 0.15 + math.sqrt(up[0] ** 2 - 2 * r * up[0] * up[1] + up[1] ** 2)
    assert found.value == pytest.approx(0.15)
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)


def test_a_half_is_half_of_a_whole() -> None:
    """All by a half: between half of "all of 8" and the half of it that nobody saw."""
    found = balance([0.5] * 8)
    whole, none = wilson(8, 8), wilson(0, 8)
    assert none.high is not None
    assert found.value == 0.5
    assert found.high == pytest.approx(0.5 + none.high / 2)
    assert whole.low is not None
    assert found.low is not None
    assert 0 < found.low < whole.low / 2


@given(VALUES)
def test_it_lies_around_its_value_and_turns_round_with_its_tries(values: list[float]) -> None:
    found, turned = balance(values), balance([-value for value in values])
    assert found.value == pytest.approx(math.fsum(values) / len(values))
    assert found.low is not None
    assert found.high is not None
    assert turned.high is not None
    assert -1 <= found.low <= (found.value or 0.0) + 1e-12
    assert (found.value or 0.0) - 1e-12 <= found.high <= 1
    assert found.low < found.high
    assert turned.high == pytest.approx(-found.low)


def test_nothing_tried_is_no_balance() -> None:
    found = balance([], missing=3)
    assert (found.value, found.low, found.n, found.missing) == (None, None, 0, 3)
    with pytest.raises(ValueError, match="from -1 to 1"):
        balance([1.5])


@pytest.mark.parametrize("n", [5, 8, 25])
@pytest.mark.parametrize(("up", "down"), [(0.3, 0.0), (0.1, 0.0), (0.5, 0.2), (0.25, 0.25), (0.9, 0.05)])
def test_it_covers_the_truth_nearly_as_often_as_it_says(n: int, up: float, down: float) -> None:
    """For 95 %, in at least 90 % of 1000 draws of a handful of tries: five can come out in few ways."""
    drawn = np.random.default_rng(7).choice([1.0, -1.0, 0.0], size=(1000, n), p=[up, down, 1 - up - down])
    ends = {tuple(sorted(row)): balance(row.tolist()) for row in drawn}
    covered = [
        found.low is not None and found.high is not None and found.low <= up - down <= found.high
        for found in (ends[tuple(sorted(row))] for row in drawn)
    ]
    assert sum(covered) / len(covered) >= 0.9
