"""Two raters on categories: a published table, a plain twin, and who comes first does not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from multiturn.stats.agreement import agreement, kappas

STACKS = st.lists(st.lists(st.integers(0, 6), min_size=9, max_size=9), min_size=1, max_size=12).map(
    lambda rows: np.array(rows, np.float64).reshape(-1, 3, 3)
)


def test_a_published_kappa() -> None:
    """J. L. Fleiss, B. Levin and M. C. Paik, Statistical Methods for Rates and Proportions (2003), table 18.1: 0.68."""
    table = np.array([[75, 1, 4], [5, 4, 1], [0, 0, 10]], np.float64)
    assert float(kappas(table)) == pytest.approx(0.68, abs=5e-3)
    found = agreement(table[None])
    assert (found.agreements, found.comparisons, found.rate.value) == (89, 100, 0.89)


@given(STACKS)
def test_kappa_is_what_comparisons_one_by_one_give(stack: NDArray[np.float64]) -> None:
    """The twin: chance is how often a comparison's first label meets another comparison's second one."""
    found = agreement(stack)
    pairs = [pair for table in stack for pair, count in np.ndenumerate(table) for _ in range(int(count))]
    assert found.comparisons == len(pairs)
    if not pairs:
        assert found.kappa is not None
        assert found.kappa.value is None
        return
    seen = sum(one == other for one, other in pairs) / len(pairs)
    chance = sum(one == other for one, _ in pairs for _, other in pairs) / len(pairs) ** 2
    assert found.rate.value == pytest.approx(seen)
    if chance == 1:
        assert found.kappa is None
    else:
        assert found.kappa is not None
        assert found.kappa.value == pytest.approx((seen - chance) / (1 - chance), abs=1e-9)
        assert found.kappa.value is not None
        assert found.kappa.value <= 1 + 1e-12


@given(STACKS)
def test_raters_that_change_places_agree_as_much(stack: NDArray[np.float64]) -> None:
    found, other = agreement(stack), agreement(stack.transpose(0, 2, 1))
    assert found.rate == other.rate
    assert (found.kappa is None) == (other.kappa is None)


def test_a_judge_that_always_says_the_same_says_nothing() -> None:
    """It agrees with people in 95 of 100, since so many are harmless: 0 beyond chance."""
    tables = np.zeros((100, 2, 2))
    tables[:95, 0, 0] = 1
    tables[95:, 0, 1] = 1
    found = agreement(tables)
    assert found.rate.value == 0.95
    assert found.kappa is not None
    assert found.kappa.value == 0


def test_comparisons_of_one_conversation_are_one_unit() -> None:
    """Ten comparisons a conversation that stand or fall together say no more than one of each does."""
    one = np.zeros((40, 2, 2))
    one[:20, 0, 0] = one[20:30, 1, 1] = one[30:, 0, 1] = 1
    plain, tenfold = agreement(one), agreement(10 * one)
    assert tenfold.comparisons == 400
    assert tenfold.rate.n == 40
    assert tenfold.rate.low == pytest.approx(plain.rate.low)
    assert plain.kappa is not None
    assert tenfold.kappa is not None
    assert tenfold.kappa.low == pytest.approx(plain.kappa.low)
    assert tenfold.kappa.low is not None
    assert tenfold.kappa.value is not None
    assert tenfold.kappa.low < tenfold.kappa.value


def test_tables_that_are_none() -> None:
    with pytest.raises(ValueError, match="square"):
        agreement(np.zeros((2, 2, 3)))
    with pytest.raises(ValueError, match="negative"):
        agreement(np.full((1, 2, 2), -1.0))
