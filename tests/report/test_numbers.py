"""How every number of the project looks. Read it as the specification."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.report.numbers import (
    Unit,
    difference,
    estimate,
    in_short,
    number,
    range_alone,
    size,
    whole,
    whole_percent,
)
from multiturn.results import Estimate


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.4167, "share", "41.7%"),
        (0, "flag", "0.0%"),
        (1, "flag", "100.0%"),
        (0.0004, "share", "0.0%"),
        (142.4, "words", "142"),
        (1203.7, "characters", "1204"),
        (97.2, "tokens", "97"),
        (3.44, "sentences", "3.4"),
        (7.125, "score", "7.12"),
        (5.14, "times", "5.1"),
        (12, "count", "12"),
        (-0.001, "score", "0.00"),
        (-0.0, "words", "0"),
        (None, "words", "-"),
    ],
)
def test_a_number_looks_as_its_unit_says(value: float | None, unit: Unit, shown: str) -> None:
    assert number(value, unit) == shown


@pytest.mark.parametrize(
    ("found", "unit", "shown"),
    [
        (Estimate(value=0.42, low=0.31, high=0.53, n=20, missing=0), "score", "0.42 [0.31, 0.53] n=20"),
        (Estimate(value=0.417, low=0.309, high=0.525, n=20, missing=2), "share", "41.7% [30.9, 52.5] n=20, 2 missing"),
        (Estimate(value=142, low=120.4, high=163.6, n=8, missing=0), "words", "142 [120, 164] n=8"),
        (Estimate(value=0.0, low=0.0, high=0.161, n=20, missing=0, note="Wilson"), "flag", "0.0% [0.0, 16.1] n=20"),
        (
            Estimate(value=7, n=4, missing=0, note="all 4 equal"),
            "score",
            "7.00 n=4 (all 4 equal)",
        ),
        (
            Estimate(value=9, n=1, missing=3, note="one conversation"),
            "words",
            "9 n=1, 3 missing (one conversation)",
        ),
        (Estimate(value=None, n=0, missing=5, note="nothing measured"), "words", "- (5 missing)"),
        (Estimate(value=None, n=0, missing=0, note="nothing measured"), "words", "- (no conversation measured)"),
    ],
)
def test_an_estimate_never_stands_without_what_it_rests_on(found: Estimate, unit: Unit, shown: str) -> None:
    assert estimate(found, unit) == shown


@pytest.mark.parametrize(
    ("found", "unit", "shown"),
    [
        (Estimate(value=0.125, low=0.049, high=0.201, n=20, missing=0), "flag", "+12.5 pp [+4.9, +20.1] n=20"),
        (Estimate(value=-12.2, low=-30.1, high=5.7, n=9, missing=1), "words", "-12 [-30, +6] n=9, 1 missing"),
        (Estimate(value=-0.4, low=-0.82, high=0.02, n=9, missing=0), "words", "-0.40 [-0.82, +0.02] n=9"),
        (Estimate(value=5.0, low=4.3, high=5.7, n=9, missing=0), "words", "+5.0 [+4.3, +5.7] n=9"),
        (Estimate(value=5.0, low=4.0, high=6.0, n=9, missing=0), "words", "+5 [+4, +6] n=9"),
        (
            Estimate(value=0, n=3, missing=0, note="all 3 equal"),
            "share",
            "0.0 pp n=3 (all 3 equal)",
        ),
        (Estimate(value=-0.0001, low=-0.0002, high=0.0, n=3, missing=0), "share", "0.0 pp [0.0, 0.0] n=3"),
        (Estimate(value=None, n=0, missing=2), "share", "- (2 missing)"),
    ],
)
def test_a_difference_has_its_sign(found: Estimate, unit: Unit, shown: str) -> None:
    assert difference(found, unit) == shown


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.sampled_from(["share", "words", "score"]))
def test_no_number_is_a_negative_zero(value: float, unit: Unit) -> None:
    shown = difference(Estimate(value=value, n=1, missing=0), unit).split(maxsplit=1)[0]
    assert shown.lstrip("+-") == shown or float(shown) != 0
    assert "nan" not in shown


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_shown_as_one(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        number(value, "score")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\n\n  lines\t", "two lines"),
        ("exactly ten", "exactly..."),
        ("ten letter", "ten letter"),
        ("", ""),
    ],
)
def test_a_text_in_short_is_one_line_of_at_most_so_many_characters(text: str, shown: str) -> None:
    assert in_short(text, 10) == shown


@pytest.mark.parametrize(
    ("value", "unit", "shown", "digits"),
    [
        (-0.105, "share", "10.5 points", "10.5"),
        (0.25, "flag", "25.0 points", "25.0"),
        (-34.8, "words", "35 words", "35"),
        (2.46, "sentences", "2.5 sentences", "2.5"),
        (-0.3, "score", "0.30", "0.30"),
    ],
)
def test_a_sentence_says_how_large_a_difference_is(value: float, unit: Unit, shown: str, digits: str) -> None:
    """Its direction is a word of the sentence."""
    assert (size(value, unit), size(value, unit, named=False)) == (shown, digits)


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(0.576, "share", "58"), (1, "flag", "100"), (0, "share", "0"), (None, "share", "-"), (43.9, "words", "44")],
)
def test_where_there_is_little_room_percent_are_whole(value: float | None, unit: Unit, shown: str) -> None:
    assert whole(value, unit) == shown


def test_a_share_that_is_roughly_known_is_whole_percent() -> None:
    assert whole_percent(0.6249) == "62%"


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (Estimate(value=0.125, low=0.049, high=0.201, n=20, missing=0), "[+4.9, +20.1]"),
        (Estimate(value=0.5, n=6, missing=0, note="all 6 equal"), "(all 6 equal)"),
        (Estimate(value=None, n=0, missing=0), "(no conversation measured)"),
    ],
)
def test_a_range_by_itself_or_why_there_is_none(found: Estimate, shown: str) -> None:
    assert range_alone(found, "share") == shown
