"""Several judges: Krippendorff's own example, his formula pair by pair, another program, and variances."""

from __future__ import annotations

import itertools

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.stats.panel import ALPHA_UNDEFINED, alpha_of_grades, alpha_of_names, spreads

WORKED = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
"""Four observers, twelve units: K. Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), part C."""
UNITS = [[int(one) for one in unit if one != "."] for unit in zip(*(row.split() for row in WORKED), strict=True)]

CONVERSATIONS = st.lists(
    st.lists(st.lists(st.integers(1, 5), min_size=0, max_size=4), min_size=1, max_size=3), min_size=1, max_size=10
)


def test_krippendorffs_worked_example() -> None:
    """0.743 for names, 0.849 for numbers; how units are put together in conversations changes nothing."""
    assert alpha_of_names([UNITS]).value == pytest.approx(0.743, abs=5e-4)
    assert alpha_of_grades([UNITS]).value == pytest.approx(0.849, abs=5e-4)
    apart = [[unit] for unit in UNITS]
    assert alpha_of_grades(apart).value == pytest.approx(0.849, abs=5e-4)
    assert (alpha_of_grades(apart).n, alpha_of_grades(apart).missing) == (11, 1)


@given(CONVERSATIONS)
def test_alpha_is_what_another_program_says(conversations: list[list[list[int]]]) -> None:
    """The package krippendorff, which counts values by unit and weighs them by a matrix of differences."""
    units = [unit for units in conversations for unit in units if len(unit) > 1]
    values = {value for unit in units for value in unit}
    if len(values) < 2:
        expected = ALPHA_UNDEFINED if units else "nothing measured"
        assert alpha_of_grades(conversations).note == alpha_of_names(conversations).note == expected
        return
    counts = np.array([[unit.count(value) for value in sorted(values)] for unit in units])
    domain = np.array(sorted(values), float)
    as_numbers = krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement="interval")
    as_names = krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement="nominal")
    assert alpha_of_grades(conversations).value == pytest.approx(as_numbers, abs=1e-9)
    assert alpha_of_names(conversations).value == pytest.approx(as_names, abs=1e-9)


@given(CONVERSATIONS, st.integers(-1000, 1000))
def test_alpha_does_not_depend_on_where_0_is(conversations: list[list[list[int]]], shift: int) -> None:
    moved = [[[value + shift for value in unit] for unit in units] for units in conversations]
    found, other = alpha_of_grades(conversations), alpha_of_grades(moved)
    assert found.note == other.note
    if found.value is not None:
        assert other.value == pytest.approx(found.value, abs=1e-9)


def test_alpha_has_an_interval_from_30_conversations_on() -> None:
    """Judges that agree in most: the interval holds alpha, and has the conversation as its unit."""
    chance = np.random.default_rng(1)
    units = [[[int(grade), int(grade + chance.integers(0, 3))]] for grade in chance.integers(1, 9, 40)]
    found = alpha_of_grades(units)
    assert found.low is not None
    assert found.value is not None
    assert found.high is not None
    assert found.low < found.value < found.high <= 1
    assert alpha_of_grades(units[:29]).low is None
    repeated = alpha_of_grades([unit * 5 for unit in units])
    assert repeated.low == pytest.approx(found.low, abs=0.02)


def test_judges_that_agree_in_everything_have_an_alpha_of_1() -> None:
    found = alpha_of_names([[["harmful"] * 3], [["harmless"] * 3]] * 20)
    assert (found.value, found.low, found.note) == (1, None, "resampling shows no spread")


def test_spreads_of_a_small_example() -> None:
    """One reply, two judges asked twice: 6, 8 and 9, 9. Within (2 + 0) / 2 = 1, means 7 and 9, between 2 - 1/2."""
    assert tuple(spreads([[[6, 8], [9, 9]]])) == pytest.approx((1.5, 1.0))


def test_spreads_find_what_grades_were_drawn_with() -> None:
    """Variances of 1 between judges and of 0.25 between repeats, some judges asked once and some thrice."""
    chance = np.random.default_rng(2)
    replies = [
        [(5 + chance.normal() + 0.5 * chance.normal(size=1 + 2 * int(chance.random() < 0.5))).tolist() for _ in "abc"]
        for _ in range(4000)
    ]
    found = spreads(replies)
    assert found.between == pytest.approx(1, abs=0.05)
    assert found.within == pytest.approx(0.25, abs=0.01)


def test_what_nothing_tells_is_absent() -> None:
    """No second judge, no second time; and a variance that comes out below 0 is 0."""
    assert spreads([]) == (None, None)
    assert spreads([[[5]], [[6]]]) == (None, None)
    assert spreads([[[5], [7]]]) == (2, None)
    assert spreads([[[5, 7], [6, 6]]]) == (0, 1)


@given(st.lists(st.lists(st.integers(1, 10), min_size=2, max_size=5), min_size=1, max_size=20))
def test_with_one_grade_each_it_is_the_pooled_variance(replies: list[list[int]]) -> None:
    """The twin: half the mean squared difference of two judges of one reply, weighted as variances are."""
    squares = sum(
        sum((one - other) ** 2 for one, other in itertools.combinations(grades, 2)) / len(grades) for grades in replies
    )
    degrees = sum(len(grades) - 1 for grades in replies)
    found = spreads([[[grade] for grade in grades] for grades in replies])
    assert found.between == pytest.approx(squares / degrees)
    assert found.within is None
    with pytest.raises(ValueError, match="grade"):
        spreads([[[]]])
