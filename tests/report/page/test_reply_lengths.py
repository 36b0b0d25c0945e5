"""Bins hold every reply once, however long; what they show is counted, not estimated."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from multiturn.report.page.reply_lengths import Bin, bins_of, histograms, length_table, middle

arms = st.lists(
    st.dictionaries(st.integers(0, 60_000), st.integers(1, 50), max_size=30).map(Counter), min_size=1, max_size=4
)


@given(arms)
@example([Counter({0: 9, 5: 1})])
@example([Counter({0: 3}), Counter()])
@example([Counter({9: 70})])
@example([Counter({9: 70, 50_000: 1})])
def test_every_reply_is_in_one_bin(words: list[Counter[int]]) -> None:
    """There are few bins, and no reply means no bin."""
    bins = bins_of(words)
    for length in {length for arm in words for length in arm}:
        assert sum(one.holds(length) for one in bins) == 1
    assert len(bins) <= 14
    assert bool(bins) == any(words)


@given(arms.filter(any))
def test_bins_follow_each_other_and_are_of_one_width(words: list[Counter[int]]) -> None:
    """But for replies without a word, and those far longer than nearly all."""
    bins = bins_of(words)
    closed = [one for one in bins if one.last is not None and one.last > 0]
    assert len({(one.last or 0) - one.first for one in closed}) <= 1
    for before, after in pairwise(closed):
        assert after.first == (before.last or 0) + 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (Counter({9: 70}), ["9"]),
        (Counter({0: 70}), ["0"]),
        (Counter({3: 1, 5: 2, 4: 1}), ["3", "4", "5"]),
        (Counter({12: 3, 38: 3, 60: 3}), [f"{first} to {first + 4}" for first in range(1, 60, 5)]),
        (Counter({401: 3, 420: 3, 449: 3}), [f"{first} to {first + 4}" for first in range(401, 450, 5)]),
        (Counter({0: 2, 30: 18, 50_000: 1}), ["0", "30", "31 and more"]),
        (
            Counter({20: 9, 50_000: 1, 7: 1}),
            ["1 to 2", *(f"{at} to {at + 1}" for at in range(3, 20, 2)), "21 and more"],
        ),
    ],
)
def test_bins_suit_the_lengths(words: Counter[int], expected: list[str]) -> None:
    """Their step is round, an outlier doesn't press all others together, and replies without a word stand alone."""
    assert [one.name for one in bins_of([words])] == expected


def test_the_histogram_has_each_arm_s_shares() -> None:
    """An arm without a reply is told, not drawn as 0 words."""
    words = [Counter({0: 1, 12: 2, 40: 1}), Counter[int]()]
    bins = bins_of(words)
    picture = histograms(["base", "tuned"], words, bins)
    first, second = picture.arms
    assert {one.first: share for one, share in zip(bins, first.shares, strict=True) if share} == {
        0: 0.25,
        11: 0.5,
        36: 0.25,
    }
    assert (first.heading, first.top) == ("base: 4 replies, half of them up to 12 words", "50%")
    assert (second.heading, second.top, any(second.shares)) == ("tuned: no reply", "", False)
    assert picture.edges[0].label == "none"


@given(arms.filter(any))
def test_names_of_edges_do_not_stand_on_each_other(words: list[Counter[int]]) -> None:
    """Each lies between the bins or in one, and they are in order."""
    bins = bins_of(words)
    edges = histograms([str(at) for at in range(len(words))], words, bins).edges
    assert edges
    assert all(0 <= edge.at <= len(bins) for edge in edges)
    places = sorted(edge.at for edge in edges)
    assert len({*places}) == len(places)
    wide = 314 / len(bins)
    assert all(b - a >= 40 / wide for a, b in pairwise(places))


@pytest.mark.parametrize(("words", "half"), [({7: 1}, 7), ({1: 2, 3: 2}, 2), ({0: 3, 9: 2}, 0)])
def test_the_middle_is_the_median(words: dict[int, int], half: float) -> None:
    assert middle(Counter(words)) == half


def test_no_reply_has_no_middle() -> None:
    with pytest.raises(ValueError, match="no reply"):
        middle(Counter())


def test_the_table_counts_replies() -> None:
    """With quantiles where a comparison has them; an arm without replies has no share."""
    bins = (Bin(0, 0), Bin(1, 10), Bin(11, None))
    table = length_table(
        ["base", "tuned"], [Counter({0: 1, 4: 3}), Counter()], bins, {"base": (0.0, 0.3, 4.0, 4.0, 4.0)}
    )
    assert table.header == ("words", "base", "tuned")
    assert table.rows == (("0", "1 (25.0%)", "0"), ("1 to 10", "3 (75.0%)", "0"), ("11 and more", "0 (0.0%)", "0"))
    assert table.footnote.endswith("In words (shortest, 10%, 50%, 90%, longest): base 0, 0.30, 4, 4, 4.")
