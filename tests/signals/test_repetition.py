"""Repetition, loops and sameness are measured by their formulas."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.signals.repetition import collapsed, likeness, repetition

PROSE = (
    "The museum opens at nine. Bring a jacket, since the halls are cold, and start on the top floor, where the maps are. "
    "After lunch the garden is quiet; most visitors leave before three. The shop by the exit sells prints of the maps."
)
LOOPS = [
    "The answer is 4. " * 12,
    "Well, let me see. " + "and then " * 20,
    "a" * 40,
    "Hm, noooooooooooooooooooooooooo",
    "哈" * 30,
    "我不知道。" * 10,
    "25 - A = 17\n" * 15,
    "- paint\n" * 12,
    "ha ha ha ha ha ha ha ha ha ha ha ha ha!",
    PROSE + " I think so." * 9,
]
NO_LOOPS = [
    "",
    "Yes.",
    PROSE,
    "No, no, no!",
    "Title\n" + "-" * 60,
    "=" * 80,
    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    "\n".join(f"7 x {n} = {7 * n}" for n in range(1, 13)),
    "| a | b |\n|---|---|\n" + "\n".join(f"| row {n} | {n * n} |" for n in range(12)),
    "It costs 1,000,000,000 euros.",
    "Bye bye! " * 2,
    "____________________________",
]


def test_repetition_is_the_share_of_repeated_runs() -> None:
    """Five runs of four words, of which the last occurred before: 1/5."""
    assert repetition("one two three four one two three four") == pytest.approx(1 - 4 / 5)
    assert repetition("one two three four five") == 0
    assert repetition("one two three") is None
    assert repetition("我们去海边我们去海边") == pytest.approx(1 - 5 / 7)


def test_typography_does_not_hide_repetition() -> None:
    """Case, emphasis and quotes do not make words different."""
    assert repetition("It’s **a** fine day. IT'S A fine DAY!") == pytest.approx(1 / 5)


@pytest.mark.parametrize("text", LOOPS)
def test_loops_are_collapse(text: str) -> None:
    """One short piece again and again until the end, cut anywhere."""
    assert collapsed(text)
    assert collapsed(text[:-1])


@pytest.mark.parametrize("text", NO_LOOPS)
def test_ordinary_texts_are_no_collapse(text: str) -> None:
    """Prose, lists, tables, rules and counting are no loop."""
    assert not collapsed(text)


def test_likeness_runs_from_nothing_to_all() -> None:
    """The same words are 1, other words 0, and no words can't be compared."""
    assert likeness("Yes.", "**yes**") == 1
    assert likeness(PROSE, PROSE.upper()) == 1
    assert likeness("one two three", "four five six") == 0
    assert likeness("...", "one") is None
    half = likeness("the cat sat on the mat", "the cat sat on the rug")
    assert half is not None
    assert 0.4 < half < 0.8


@given(st.text(max_size=80), st.text(max_size=80))
def test_shares_are_shares(text: str, other: str) -> None:
    """From 0 to 1, never NaN, and likeness does not depend on the order."""
    for share in (repetition(text), likeness(text, other)):
        assert share is None or (math.isfinite(share) and 0 <= share <= 1)
    assert likeness(text, other) == likeness(other, text)


@pytest.mark.parametrize("unit", ["a", "ab", "abc " * 29 + "x", "„", "1 ", "a\u0301"])
def test_long_replies_take_no_long_time(unit: str) -> None:
    """Only the end of a long reply is searched for a loop."""
    start = time.perf_counter()
    collapsed(unit * (100_000 // len(unit)))
    assert time.perf_counter() - start < 2
