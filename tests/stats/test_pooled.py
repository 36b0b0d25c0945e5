"""Pooled means: against a plain twin, against the intervals of plain means, and at the ends of the scale."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.results import Estimate
from multiturn.stats.pooled import effective, pooled_mean, pooled_share
from multiturn.stats.rates import share_ends, share_interval, wilson

SCALE = (1.0, 10.0)
CONVERSATIONS = st.lists(st.lists(st.integers(1, 10), min_size=1, max_size=4), min_size=2, max_size=30)


def ends_of(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def score(conversations: list[list[int]]) -> Estimate:
    return pooled_mean([sum(one) for one in conversations], [len(one) for one in conversations], SCALE)


def test_the_mean_is_over_judgments_and_not_over_conversations() -> None:
    """Two conversations with means 9 and 3, of which one has a grade more: 7, not 6."""
    found = score([[9, 9], [3]])
    assert (found.value, found.n) == (7.0, 2)


@given(CONVERSATIONS)
def test_the_error_is_that_of_a_ratio(conversations: list[list[int]]) -> None:
    """The twin: Cochran's formula (6.13) in plain Python, given to the same ends."""
    n = len(conversations)
    grades = [grade for one in conversations for grade in one]
    mean, size = sum(grades) / len(grades), len(grades) / n
    squares = sum((sum(one) - mean * len(one)) ** 2 for one in conversations) / size**2
    deviation = math.sqrt(squares / (n - 1)) / 9
    found = score(conversations)
    assert found.value == pytest.approx(mean, rel=1e-12)
    if deviation > 1e-6 and 1 < mean < 10:
        low, high = (1 + 9 * float(end) for end in share_ends(n, (mean - 1) / 9, deviation, 0.95))
        assert ends_of(found) == pytest.approx((low, high), rel=1e-6)


@given(st.lists(st.integers(0, 12), min_size=2, max_size=40))
def test_conversations_of_one_size_have_the_interval_of_a_plain_share(sums: list[int]) -> None:
    plain = share_interval([one / 12 for one in sums])
    if plain.low is not None and 0 < sum(sums) < 12 * len(sums):
        assert ends_of(pooled_share(sums, [12] * len(sums))) == pytest.approx(ends_of(plain), rel=1e-6)


@given(CONVERSATIONS, st.floats(0.5, 0.99))
def test_an_interval_holds_the_mean_and_stays_on_the_scale(conversations: list[list[int]], level: float) -> None:
    """It has a width, whatever the grades, and is wider where more confidence is asked for."""
    counts = [len(one) for one in conversations]
    found = pooled_mean([sum(one) for one in conversations], counts, SCALE, level)
    low, high = ends_of(found)
    assert found.value is not None
    assert 1 <= low <= found.value <= high <= 10
    assert low < high
    wider = ends_of(pooled_mean([sum(one) for one in conversations], counts, SCALE, (1 + level) / 2))
    assert wider[0] <= low + 1e-9
    assert wider[1] >= high - 1e-9


@given(CONVERSATIONS.flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))))
def test_the_order_of_conversations_changes_no_digit(orders: tuple[list[list[int]], list[list[int]]]) -> None:
    found, moved = (score(conversations) for conversations in orders)
    assert moved.value == found.value
    assert ends_of(moved) == pytest.approx(ends_of(found), rel=1e-9)


@pytest.mark.parametrize(("wins", "edge"), [(0, 0), (1, 1)])
def test_no_win_and_nothing_but_wins_are_wilsons(wins: int, edge: int) -> None:
    """20 conversations with three games each, none (all) won: the unit is the conversation, so it is 0 (20) of 20."""
    found = pooled_share([3 * wins] * 20, [3] * 20)
    plain = wilson(20 * wins, 20)
    assert (found.value, found.low, found.high) == (edge, plain.low, plain.high)


def test_conversations_that_are_all_alike_leave_room() -> None:
    """Of 30 conversations with a tie each, none that differs was seen: at most 1 - 0.025^(1/30) = 11.6 % would."""
    found = pooled_share([0.5] * 30, [1] * 30)
    assert ends_of(found) == pytest.approx((0.5 - 0.0579, 0.5 + 0.0579), abs=1e-4)
    assert found.note == "all 30 equal"


def test_one_low_grade_of_many_does_not_say_more_than_none() -> None:
    """80 conversations of which one has a 9: the lower end is no higher than if all had 10."""
    nearly = score([[10, 10]] * 79 + [[10, 9]])
    assert ends_of(nearly)[0] <= ends_of(score([[10, 10]] * 80))[0]


def test_what_has_no_judgment_is_missing() -> None:
    found = pooled_mean([10, 0], [2, 0], SCALE, missing=3)
    assert (found.value, found.n, found.missing, found.low, found.note) == (5, 1, 4, None, "one conversation")
    nothing = pooled_mean([], [], SCALE, missing=2)
    assert (nothing.value, nothing.n, nothing.missing, nothing.note) == (None, 0, 2, "nothing measured")


@pytest.mark.parametrize(
    ("sums", "counts", "complaint"),
    [([2.0], [1.0], "within its bounds"), ([0.5, 1], [1.0], "for each"), ([math.nan], [1.0], "finite")],
)
def test_numbers_that_can_not_be(sums: list[float], counts: list[float], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        pooled_share(sums, counts)
    with pytest.raises(ValueError, match="level"):
        pooled_share([0.5], [1.0], 1.0)


def test_effective_units() -> None:
    """Turns that go together count as one conversation, those that don't count one by one."""
    together = [4, 0] * 10
    assert effective(together, [4] * 20) == pytest.approx((9.5, 19.0))  # n - 1: the error's own divisor
    assert effective([0] * 20, [4] * 20) == (0, 20)
    assert effective([2] * 20, [4] * 20) == (40, 80)
    assert effective([], []) == (0, 0)


def test_intervals_of_scores_hold_what_they_promise() -> None:
    """A simulation: 20 conversations with two turns, 3 % of grades 1 and else 10; half of the turns go together.

    Student's interval of the conversations' means holds the true mean in two of three.
    """
    chance = np.random.default_rng(20)
    held = 0
    for _ in range(400):
        shared = np.where(chance.random((20, 1)) < 0.03, 1, 10)
        grades = np.where(chance.random((20, 2)) < 0.5, shared, np.where(chance.random((20, 2)) < 0.03, 1, 10))
        low, high = ends_of(pooled_mean(grades.sum(axis=1).tolist(), [2] * 20, SCALE))
        held += low <= 10 - 9 * 0.03 <= high
    assert held >= 0.95 * 400
