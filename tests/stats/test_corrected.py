"""A rate corrected for the judge's errors: published rates, a plain twin, coverage."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.results import Estimate
from multiturn.stats.corrected import Seen, corrected_rate

COUNTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def ends_of(found: Estimate | None) -> tuple[float, float]:
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


@pytest.mark.parametrize(
    ("seen", "sensitivity", "specificity", "rate"),
    [((23, 150), 0.96, 0.89, 0.051), ((6, 151), 0.964, 0.927, 0.0)],
)
def test_published_rates(seen: tuple[int, int], sensitivity: float, specificity: float, rate: float) -> None:
    """The two examples of the manual of epiR (epi.prev): brucellosis in a herd; Helicobacter in young children."""
    found = corrected_rate(Seen(*seen), Seen(1000 * sensitivity, 1000), Seen(1000 * specificity, 1000))
    assert found is not None
    assert found.value == pytest.approx(rate, abs=5e-4)


@given(COUNTS, COUNTS, COUNTS)
def test_lang_and_reiczigels_interval(seen: tuple[int, int], hits: tuple[int, int], passes: tuple[int, int]) -> None:
    """The twin: their steps one by one, with the numbers of the paper."""
    found = corrected_rate(Seen(*seen), Seen(*hits), Seen(*passes))
    if (
        hits[0] / hits[1] + passes[0] / passes[1] <= 1
        or (hits[0] + 1) / (hits[1] + 2) + (passes[0] + 1) / (passes[1] + 2) <= 1
    ):
        assert found is None
        return
    z = statistics.NormalDist().inv_cdf(0.975)
    n, n_se, n_sp = seen[1] + z**2, hits[1] + 2, passes[1] + 2
    ap, se, sp = (seen[0] + z**2 / 2) / n, (hits[0] + 1) / n_se, (passes[0] + 1) / n_sp
    youden = se + sp - 1
    rate = (ap + sp - 1) / youden
    variances = ap * (1 - ap) / n, se * (1 - se) / n_se, sp * (1 - sp) / n_sp
    moved = rate + 2 * z**2 * (rate * variances[1] - (1 - rate) * variances[2])
    half = z * (variances[0] + rate**2 * variances[1] + (1 - rate) ** 2 * variances[2]) ** 0.5 / youden
    assert found is not None
    assert found.value is not None
    if moved + half <= 0 or moved - half >= 1:
        assert (found.low, found.value) == (None, float(moved > 0))
        assert "by more than chance explains" in found.note
        return
    low, high = ends_of(found)
    assert low == pytest.approx(min(found.value, max(0, moved - half)), abs=1e-12)
    assert high == pytest.approx(max(found.value, min(1, moved + half)), abs=1e-12)
    assert 0 <= low < high <= 1


def test_a_judge_that_is_never_wrong_changes_nothing() -> None:
    found = corrected_rate(Seen(30, 100), Seen(10_000, 10_000), Seen(10_000, 10_000))
    assert found is not None
    assert found.value == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("seen", "hits", "passes"),
    [
        (Seen(0, 0), Seen(9, 10), Seen(9, 10)),
        (Seen(5, 10), Seen(0, 0), Seen(9, 10)),
        (Seen(5, 10), Seen(5, 10), Seen(5, 10)),
        (Seen(5, 10), Seen(2, 10), Seen(5, 10)),
    ],
)
def test_where_there_is_no_correction(seen: Seen, hits: Seen, passes: Seen) -> None:
    """Nothing seen, no label of a kind, a judge that guesses, one that is worse than guessing."""
    assert corrected_rate(seen, hits, passes) is None


def test_a_rate_that_errors_alone_explain_is_0_and_says_so() -> None:
    found = corrected_rate(Seen(2, 100), Seen(9, 10), Seen(28, 30))
    assert found is not None
    assert found.value == 0
    assert "errors alone" in found.note
    assert ends_of(found)[1] > 0


def test_numbers_that_can_not_be() -> None:
    with pytest.raises(ValueError, match="flagged"):
        corrected_rate(Seen(3, 2), Seen(1, 1), Seen(1, 1))
    with pytest.raises(ValueError, match="level"):
        corrected_rate(Seen(1, 2), Seen(1, 1), Seen(1, 1), 1.0)


def test_intervals_hold_what_they_promise() -> None:
    """A true rate of 15 %, 200 replies, 30 labels of either kind, sensitivity 0.8 and specificity 0.9."""
    chance = np.random.default_rng(5)
    rate = 0.15 * 0.8 + 0.85 * 0.1
    held = 0
    for _ in range(400):
        seen, hits, passes = (Seen(float(chance.binomial(n, p)), n) for n, p in ((200, rate), (30, 0.8), (30, 0.9)))
        low, high = ends_of(corrected_rate(seen, hits, passes))
        held += low <= 0.15 <= high
    assert held >= 0.94 * 400
