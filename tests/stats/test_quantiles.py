"""Quantiles by Hyndman and Fan's definition 7, which numpy's default is too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.stats.quantiles import quantiles

SHARES = (0.0, 0.1, 0.5, 0.9, 1.0)


def test_a_worked_example() -> None:
    assert quantiles([40, 10, 30, 20], SHARES) == (10, 13, 25, 37, 40)
    assert quantiles([7], SHARES) == (7, 7, 7, 7, 7)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_they_are_numpys(values: list[float]) -> None:
    assert quantiles(values, SHARES) == pytest.approx(np.quantile(values, SHARES), abs=1e-6)


@pytest.mark.parametrize(("values", "shares"), [([], (0.5,)), ([1.0], (1.1,)), ([1.0], (-0.1,))])
def test_what_has_no_quantile(values: list[float], shares: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="shares from 0 to 1"):
        quantiles(values, shares)
