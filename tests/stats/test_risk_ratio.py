"""The ratio of two rates over the same conversations: a published example, laws, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.results import Estimate
from multiturn.stats.rates import wilson
from multiturn.stats.risk_ratio import TOO_FEW, Flagged, recovered, risk_ratio

ARMS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


def of_three(flagged: list[int]) -> Flagged:
    return Flagged(flagged, [3] * len(flagged))


def ends_of(found: Estimate | None) -> tuple[float, float]:
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_a_published_interval() -> None:
    """Complete response before and after consolidation, 59 + 6 and 59 + 16 of 161 patients: 0.7592 to 0.9866.

    M. W. Fagerland, S. Lydersen and P. Laake, Statistical Analysis of Contingency Tables (2017), chapter 8, "MOVER
    Wilson score", as their package contingencytables gives it.
    """
    rates = []
    for count in (65, 75):
        found = wilson(count, 161)
        rates.append((count / 161, *ends_of(found)))
    correlation = (59 * 80 - 6 * 16) / (65 * 96 * 75 * 86) ** 0.5
    assert recovered(rates[0], rates[1], correlation) == pytest.approx((0.7592, 0.9866), abs=5e-5)


def test_the_same_pairs_give_nearly_that_interval() -> None:
    """A little wider: Student's quantile, and one more reply on which the arms differ either way."""
    base = [1] * 59 + [0] * 6 + [1] * 16 + [0] * 80
    tuned = [1] * 65 + [0] * 96
    found = risk_ratio(Flagged(base, [1] * 161), Flagged(tuned, [1] * 161))
    assert found is not None
    assert found.value == pytest.approx(0.8667, abs=5e-5)
    assert ends_of(found) == pytest.approx((0.749, 0.996), abs=5e-4)


@given(ARMS)
def test_an_interval_holds_the_ratio_and_has_a_width(arms: list[tuple[int, int]]) -> None:
    base, tuned = [one for one, _ in arms], [other for _, other in arms]
    found = risk_ratio(of_three(base), of_three(tuned))
    if sum(base) == 0:
        assert found is None
        return
    assert found is not None
    if found.low is None:
        assert (found.note, len(arms) < 5) == (TOO_FEW, True)
        return
    low, high = ends_of(found)
    assert found.value is not None
    assert found.value == pytest.approx(sum(tuned) / sum(base), rel=1e-9)
    assert 0 <= low <= found.value <= high
    assert low < high
    if sum(tuned) == 0:
        assert low == 0


@given(ARMS.filter(lambda arms: all(sum(one[at] for one in arms) for at in (0, 1))))
def test_arms_that_change_places_turn_the_ratio_over(arms: list[tuple[int, int]]) -> None:
    """Tuned by base is one by base by tuned, ends and all."""
    base, tuned = of_three([one for one, _ in arms]), of_three([other for _, other in arms])
    one, other = risk_ratio(base, tuned), risk_ratio(tuned, base)
    if TOO_FEW in {found.note for found in (one, other) if found is not None}:
        return
    low, high = ends_of(one)
    other_low, other_high = ends_of(other)
    assert (low * other_high, high * other_low) == pytest.approx((1, 1), rel=1e-5)


def test_arms_that_agree_everywhere_are_not_certainly_the_same() -> None:
    low, high = ends_of(risk_ratio(of_three([3] * 10 + [0] * 10), of_three([3] * 10 + [0] * 10)))
    assert low < 0.95
    assert high > 1.05


def test_none_in_tuned_is_a_bound_on_one_side() -> None:
    """5 of 50 against none: at best none at all, and told apart from no change only just not."""
    found = risk_ratio(of_three([3] * 10 + [0] * 40), of_three([0] * 50))
    assert found is not None
    assert (found.value, found.low) == (0, 0)
    assert found.high is not None
    assert 0 < found.high < 1
    assert "bound" in found.note


def test_one_conversation_has_a_ratio_and_no_interval() -> None:
    found = risk_ratio(of_three([2]), of_three([1]), missing=4)
    assert found is not None
    assert (found.value, found.low, found.n, found.missing) == (0.5, None, 1, 4)


def test_arms_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="same conversations"):
        risk_ratio(of_three([1]), of_three([1, 2]))
    with pytest.raises(ValueError, match="needs a reply"):
        risk_ratio(Flagged([0, 1], [0, 3]), of_three([1, 2]))


@pytest.mark.parametrize(("p", "q", "turns"), [(0.3, 0.1, 4), (0.1, 0.05, 4), (0.5, 0.25, 1)])
def test_intervals_hold_what_they_promise(p: float, q: float, turns: int) -> None:
    """24 conversations, half of whose turns go together, in both arms: at least 94 of 100 hold the true ratio."""
    chance = np.random.default_rng([3, turns])
    held = drawn = 0
    for _ in range(300):
        same, shared = chance.random((24, turns)) < 0.5, chance.random((24, 1))
        base, tuned = (
            (np.where(same, shared, chance.random((24, turns))) < rate).sum(axis=1).tolist() for rate in (p, q)
        )
        found = risk_ratio(Flagged(base, [turns] * 24), Flagged(tuned, [turns] * 24))
        if found is not None:
            low, high = ends_of(found)
            held, drawn = held + (low <= q / p <= high), drawn + 1
    assert held >= 0.94 * drawn
