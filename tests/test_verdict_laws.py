"""What holds of every verdict, whatever the numbers are."""

from __future__ import annotations

import random
from typing import Final, get_args

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.comparing import decided, pair

from multiturn.pairing import Pair
from multiturn.results import MOVED, Orientation, Plan, VerdictWord
from multiturn.stats.paired import difference_interval
from multiturn.verdicts import p_of, word_of

LEVEL: Final = 0.95
TURNED: Final[dict[VerdictWord, VerdictWord]] = {"regressed": "improved", "improved": "regressed"}

shares = st.tuples(*[st.integers(0, 12).map(lambda whole: whole / 12)] * 2)
lengths = st.tuples(*[st.integers(0, 400).map(lambda whole: whole / 3)] * 2)
alike = st.builds(
    lambda base, step: [(one / 7, one / 7 + step / 15) for one in base],
    st.lists(st.integers(0, 9000), max_size=9),
    st.integers(-9, 9),
)
"""All conversations with one difference, but for rounding."""

risen = st.lists(
    st.tuples(st.integers(0, 5).map(lambda whole: whole / 12), st.integers(4, 12).map(lambda whole: whole / 12)),
    min_size=6,
    max_size=12,
)
"""Conversations that, most of them, rose."""

Cases = tuple[list[tuple[float, float]], float | None]

cases: st.SearchStrategy[Cases] = st.one_of(
    st.tuples(st.lists(shares, max_size=12), st.just(1.0)),
    st.tuples(st.lists(lengths, max_size=12), st.none()),
    st.tuples(alike, st.none()),
)
"""Pairs of base and tuned, and the largest difference that one can have."""

margins = st.none() | st.sampled_from([0.01, 0.05, 0.1, 0.3, 0.9, 5.0, 50.0])
orientations: st.SearchStrategy[Orientation] = st.sampled_from(["higher_is_better", "lower_is_better", "neither"])


def made(rows: list[tuple[float, float]]) -> Pair:
    return pair([one for one, _ in rows], [other for _, other in rows])


def word(
    rows: list[tuple[float, float]],
    extreme: float | None,
    margin: float | None = None,
    orientation: Orientation = "higher_is_better",
) -> VerdictWord:
    return word_of(made(rows), margin=margin, orientation=orientation, extreme=extreme, level=LEVEL)


@given(cases, margins)
def test_a_word_says_moved_exactly_where_p_is_below_5_percent(case: Cases, margin: float | None) -> None:
    """Unless it says equivalent: then the difference is small, whether or not it is told from 0."""
    rows, extreme = case
    p = p_of(made(rows))
    assume(p is None or abs(p - (1 - LEVEL)) > 1e-9)
    found = word(rows, extreme, margin)
    if found != "equivalent":
        assert (found in MOVED) == (p is not None and p < 1 - LEVEL)
    else:
        assert margin is not None
        assert abs(float(np.mean(made(rows).differences))) < margin


@given(cases, margins, orientations)
def test_swapping_the_arms_swaps_worse_and_better(case: Cases, margin: float | None, orientation: Orientation) -> None:
    """And mirrors the interval; nothing else changes."""
    rows, extreme = case
    back = [(tuned, base) for base, tuned in rows]
    there = word(rows, extreme, margin, orientation)
    assert word(back, extreme, margin, orientation) == TURNED.get(there, there)
    assert p_of(made(back)) == p_of(made(rows))
    one, other = (difference_interval(of.base, of.tuned, LEVEL, extreme=extreme) for of in (made(rows), made(back)))
    mirrored = [None if end is None else -end for end in (other.value, other.high, other.low)]
    assert [one.value, one.low, one.high] == mirrored


@given(cases, margins)
def test_where_lower_is_better_worse_and_better_change_places(case: Cases, margin: float | None) -> None:
    """And where neither is, both are a change."""
    rows, extreme = case
    higher, lower, neither = (word(rows, extreme, margin, way) for way in get_args(Orientation))
    assert lower == TURNED.get(higher, higher)
    assert neither == ("changed" if higher in TURNED else higher)


@given(cases, st.randoms(use_true_random=False))
def test_the_order_of_conversations_changes_no_digit(case: Cases, chance: random.Random) -> None:
    rows, extreme = case
    name = "words" if extreme is None else "check_pass"
    shuffled = list(rows)
    chance.shuffle(shuffled)
    assert decided(name, made(shuffled)) == decided(name, made(rows))


@given(cases | st.tuples(risen, st.just(1.0)) | st.tuples(risen, st.none()))
def test_the_same_again_unsays_nothing(case: Cases) -> None:
    """Twice as many conversations that came out alike never turn what moved into what is open."""
    rows, extreme = case
    assume(word(rows, extreme) in MOVED)
    assert word(rows * 2, extreme) == word(rows, extreme)


@given(cases, st.sampled_from([0.01, 0.05, 0.1, 0.3, 5.0]), st.floats(1.0, 100.0))
def test_a_wider_margin_leaves_equivalent_what_is(case: Cases, margin: float, factor: float) -> None:
    """And turns nothing into anything but equivalent."""
    rows, extreme = case
    before, after = word(rows, extreme, margin), word(rows, extreme, margin * factor)
    assert after in {before, "equivalent"}


@given(cases, st.sampled_from([0.8, 0.95, 0.975, 0.99]))
def test_every_verdict_is_sound(case: Cases, level: float) -> None:
    """Its interval has a width, p lies from 0 to 1, and what is detectable is more than a standard error."""
    rows, extreme = case
    found = decided("words" if extreme is None else "check_pass", made(rows), Plan(level=level))
    low, high = found.contrast.difference.low, found.contrast.difference.high
    assert (low is None) == (high is None)
    assert low is None or (high is not None and low < high)
    assert (found.p is None) == (len(rows) < 2)
    assert found.p is None or 0 <= found.p <= 1
    assert (found.detectable is None) == (found.error is None)
    assert found.detectable is None or (found.error is not None and 0 < found.error < found.detectable)
    assert found.error is None or found.contrast.difference.low is not None
    assert bool(found.advice) >= (found.word == "inconclusive")
