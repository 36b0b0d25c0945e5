"""Scales hold all numbers and end at round places; what is not there has no mark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.page.pictured import ABSENT, estimate

from multiturn.report.page.plotted import (
    SHAPES,
    Mark,
    Scale,
    mark,
    paint_of,
    round_step,
    scale_around,
    scale_of,
    shape_of,
)


def labels(scale: Scale) -> list[str]:
    return [tick.label for tick in scale.ticks]


@pytest.mark.parametrize(
    ("highest", "expected"),
    [
        (0.0, ["0%", "5%", "10%"]),
        (0.1, ["0%", "5%", "10%"]),
        (0.11, ["0%", "5%", "10%", "15%", "20%"]),
        (0.5, ["0%", "25%", "50%"]),
        (0.51, ["0%", "25%", "50%", "75%", "100%"]),
        (1.0, ["0%", "25%", "50%", "75%", "100%"]),
    ],
)
def test_shares_begin_at_0_and_end_at_the_first_round_share(highest: float, expected: list[str]) -> None:
    """So small shares can be read, and a bar's length is never cut."""
    assert labels(scale_of([Mark(arm=0, value=0.0, low=0.0, high=highest)], "check_pass")) == expected


def test_a_narrow_scale_is_named_at_its_ends() -> None:
    assert labels(scale_of([Mark(arm=0, value=0.7)], "refusal", narrow=True)) == ["0%", "", "100%"]


def test_words_have_round_steps() -> None:
    assert labels(scale_of([Mark(arm=0, value=130.0, low=80.0, high=180.0)], "words")) == [
        "0",
        "50",
        "100",
        "150",
        "200",
    ]


@given(
    st.lists(st.floats(min_value=-1e6, max_value=1e6), min_size=1), st.sampled_from(["check_pass", "words", "rating"])
)
def test_every_number_is_on_its_scale(values: list[float], measure: str) -> None:
    """Whatever it is; 0 is there too, and the ticks lie on the scale, from low to high."""
    scale = scale_of([Mark(arm=0, value=value) for value in values], measure)
    assert scale.low <= min(*values, 0) <= max(*values, 0) <= scale.high
    ticks = [tick.at for tick in scale.ticks]
    assert ticks == sorted(ticks)
    assert scale.low <= ticks[0] < ticks[-1] <= scale.high


@given(st.lists(st.floats(min_value=-1e6, max_value=1e6), min_size=1))
def test_a_difference_has_room_on_both_sides_and_a_tick_at_0(values: list[float]) -> None:
    scale = scale_around(values, "words")
    assert scale.low < min(*values, 0) <= max(*values, 0) < scale.high
    assert 0 in [tick.at for tick in scale.ticks]
    assert len(scale.ticks) <= 6


@given(st.floats(min_value=1e-6, max_value=1e9), st.integers(2, 12))
def test_a_step_is_round_and_fits(width: float, most: int) -> None:
    step = round_step(width, most)
    assert f"{step:e}"[0] in "125"
    assert f"{step:.6e}"[1:8] == ".000000"
    assert width / step <= most * (1 + 1e-6)


def test_absence_is_no_mark_and_no_range_no_ends() -> None:
    assert not [*mark(1, ABSENT)]
    assert [*mark(1, estimate(0.4), panel=2)] == [Mark(arm=1, value=0.4, panel=2)]
    assert [*mark(0, estimate(0.4, (0.1, 0.8)))] == [Mark(arm=0, value=0.4, low=0.1, high=0.8)]


def test_thirty_arms_are_told_apart_by_shape_and_colour() -> None:
    """Base alone is hollow."""
    looks = [(shape_of(arm), paint_of(arm)[1]) for arm in range(30)]
    assert len({*looks}) == 30
    assert len({*SHAPES}) == len(SHAPES)
    assert [arm for arm in range(30) if paint_of(arm)[0] == "var(--ground)"] == [0]
