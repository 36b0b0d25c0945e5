"""Holm's adjustment: against published and hand-worked examples, against his own procedure, and its laws."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.stats.multiplicity import holm

shares = st.floats(0, 1)
families = st.lists(st.none() | shares, max_size=12)


def test_a_published_example() -> None:
    """Printed in the documentation of ``pingouin.holm``: five p values in no order."""
    assert holm([0.5, 0.003, 0.32, 0.054, 0.0003]) == pytest.approx((0.64, 0.012, 0.64, 0.162, 0.0015))


def test_by_hand() -> None:
    """4 x 0.005, 3 x 0.01, 2 x 0.03, then 1 x 0.04, which is raised to the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def rejected(p_values: list[float], alpha: float) -> list[bool]:
    """Holm's paper word for word: smallest first, against alpha / (how many are left), until the first that stays."""
    left = sorted(range(len(p_values)), key=lambda place: p_values[place])
    out = [False] * len(p_values)
    while left and p_values[left[0]] <= alpha / len(left):
        out[left.pop(0)] = True
    return out


@given(st.lists(shares, max_size=12), st.sampled_from([0.001, 0.01, 0.05, 0.1, 0.3]))
def test_agrees_with_holms_own_procedure(p_values: list[float], alpha: float) -> None:
    """An adjusted p value is at or below alpha exactly where the procedure at alpha rejects."""
    adjusted = holm(p_values)
    for found, expected in zip(adjusted, rejected(p_values, alpha), strict=True):
        assert found is not None
        if abs(found - alpha) > 1e-9:
            assert (found <= alpha) == expected


@given(families)
def test_none_is_below_the_one_it_came_from_or_above_bonferronis(p_values: list[float | None]) -> None:
    """Bonferroni's, m times the p value, is what Holm improves on."""
    m = sum(p is not None for p in p_values)
    for p, found in zip(p_values, holm(p_values), strict=True):
        assert (p is None) == (found is None)
        if p is not None and found is not None:
            assert p <= found <= min(1.0, m * p)


@given(families, st.randoms(use_true_random=False))
def test_the_order_of_measures_changes_nothing(p_values: list[float | None], chance: random.Random) -> None:
    places = list(range(len(p_values)))
    chance.shuffle(places)
    shuffled = holm([p_values[place] for place in places])
    assert shuffled == tuple(holm(p_values)[place] for place in places)


@given(st.lists(shares, min_size=2, max_size=12))
def test_a_smaller_p_value_never_gets_a_larger_one(p_values: list[float]) -> None:
    pairs = sorted(zip(p_values, holm(p_values), strict=True))
    found = [adjusted for _, adjusted in pairs if adjusted is not None]
    assert found == sorted(found)


@given(st.lists(shares, min_size=1, max_size=12), st.integers(0, 11), shares)
def test_lowering_one_raises_none(p_values: list[float], place: int, lower: float) -> None:
    place %= len(p_values)
    lowered = list(p_values)
    lowered[place] = min(lower, lowered[place])
    for before, after in zip(holm(p_values), holm(lowered), strict=True):
        assert before is not None
        assert after is not None
        assert after <= before


def test_a_missing_test_does_not_count() -> None:
    assert holm([None, 0.02, None, 0.03]) == (None, 0.04, None, 0.04)
    assert holm([None]) == (None,)
    assert holm([]) == ()


def test_one_test_alone_stays_as_it_is() -> None:
    assert holm([0.04]) == (0.04,)


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), float("inf")])
def test_what_is_no_p_value(value: float) -> None:
    with pytest.raises(ValueError, match="p value"):
        holm([0.5, value])
