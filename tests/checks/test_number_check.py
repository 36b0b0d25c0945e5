"""The kind ``number``: which number of a reply decides, and the unit beside it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.checks.asking import ask

from multiturn.checks.reading import read_check
from multiturn.conversation import CheckJson

AREA = {"kind": "number", "value": 36, "unit": ["square met*", "m²"]}
EUROS = {"kind": "number", "value": 36, "unit": ["€", "euro*", "EUR"]}
TINS = {"kind": "number", "value": 36, "unit": ["tin*"]}


def told(check: dict[str, object], reply: str) -> tuple[str, str | None]:
    found = ask(check, reply)
    if found.span:
        assert reply[found.span.start : found.span.end] == found.span.text
    return found.outcome, found.span.text if found.span else None


@pytest.mark.parametrize(
    ("fields", "reply", "outcome", "span"),
    [
        ({}, "First 35, then 36.", "pass", "36"),
        ({}, "First 36, then 35.", "fail", "35"),
        ({"which": "first"}, "First 36, then 35.", "pass", "36"),
        ({"which": "first"}, "First 35, then 36.", "fail", "35"),
        ({"which": "any"}, "34, 36 and 35.", "pass", "36"),
        ({"which": "any"}, "34 and 35.", "fail", "35"),
        ({"which": "only"}, "36, so 36.0.", "pass", "36"),
        ({"which": "only"}, "36, not 35.", "fail", "35"),
        ({"which": "any", "not": [35]}, "36, not 35.", "fail", "35"),
        ({"which": "any", "not": [3]}, "36, not 35.", "pass", "36"),
        ({}, "None.", "fail", None),
        ({}, "## Sum: 36\nThat is all.", "pass", "36"),
        ({}, "## Breakfast for 4\nIt is 36.", "pass", "36"),
        ({"which": "only"}, "1. Add\n2. Check\nStep 3: 36", "pass", "36"),
        ({}, "At 7:15 it was 36, on 3/4/2026.", "pass", "36"),
        ({}, "Es sind sechsunddreißig.", "fail", None),
    ],
)
def test_which_number_decides(fields: dict[str, object], reply: str, outcome: str, span: str | None) -> None:
    """The last, if nothing else is said; the span is the number that decided."""
    assert told({"kind": "number", "value": 36, **fields}, reply) == (outcome, span)


@pytest.mark.parametrize(
    ("check", "reply", "span"),
    [
        (AREA, "It has 36 square metres in 3 rooms.", "36"),
        (AREA, "It has 36m² in 3 rooms.", "36"),
        (AREA, "It has **36** large square meters.", "36"),
        (AREA, r"$36\,\text{m}^2$", "36"),
        (AREA, "36 and then 40 m3", None),
        (EUROS, "€36", "36"),
        (EUROS, "EUR 36 for 2", "36"),
        (EUROS, "36,00 €", "36,00"),
        (EUROS, "30-36 euros", "36"),
        (EUROS, "between €30 and €36", "36"),
        (TINS, "36 of the tins are red, 5 are blue", "36"),
        (TINS, "36 of your red tins", "36"),
        (TINS, "Boxes: 4\nTins: 36", "36"),
        (TINS, "| **Tins** | 36 |", "36"),
        (TINS, "The number of tins is 36.", "36"),
        (TINS, "36 tins: 5 red", "36"),
        (TINS, "36 for the tins", None),
        (TINS, "36, tins and all", None),
        (TINS, "36\ntins", None),
        (TINS, "5 tins are 36 euros", "5"),
        ({"kind": "number", "value": 36, "unit": ["°"]}, "36 °C", "36"),
        ({"kind": "number", "value": 36, "unit": ["苹果"]}, "一共36个苹果。", "36"),
        ({"kind": "number", "value": 36, "unit": ["Äpfel*"]}, "36 rote Äpfel", "36"),
        ({"kind": "number", "value": 36, "unit": ["%"]}, "36% of 40", "36"),
        ({"kind": "number", "value": 36, "unit": ["*stunden"]}, "36 Arbeitsstunden", "36"),
    ],
)
def test_only_numbers_with_the_unit_beside_them_count(check: dict[str, object], reply: str, span: str | None) -> None:
    """Behind it with at most a word between, or before it as a sign or a label."""
    assert told(check, reply) == ("pass" if span and span.startswith("36") else "fail", span)


@pytest.mark.parametrize(
    ("value", "unit", "reply"),
    [
        (1, "egg*", "Just one egg."),
        (1, "Ei", "Nur ein Ei."),
        (1, "huevo", "Solo un huevo."),
        (3, "天", "一共三天。"),
        (3, "day*", "Day 3"),
        (7, "pm", "At 7 pm."),
    ],
)
def test_some_numbers_count_only_with_their_unit(value: int, unit: str, reply: str) -> None:
    """Articles, Chinese numbers, numbered things, hours."""
    assert ask({"kind": "number", "value": value, "unit": [unit]}, reply).outcome == "pass"
    assert ask({"kind": "number", "value": value}, reply).reason == "gives no number"


def test_a_range_shares_its_unit() -> None:
    """So that a wrong lower end is seen."""
    check = {"kind": "number", "value": 4, "unit": ["egg*"], "not": [3]}
    assert told(check, "3 to 4 eggs") == ("fail", "3")
    assert told(check, "3 bowls and 4 eggs") == ("pass", "4")


@pytest.mark.parametrize(("which", "outcome"), [("last", "fail"), ("only", "fail"), ("first", "pass"), ("any", "pass")])
def test_a_last_or_an_only_number_needs_the_end_of_the_reply(which: str, outcome: str) -> None:
    """What was cut off at the limit may have had another."""
    check = {"kind": "number", "value": 36, "which": which}
    assert ask(check, "First 36 jars, then", status="length").outcome == outcome
    assert ask(check, "First 36 jars, then").outcome == "pass"


def test_values_are_exact() -> None:
    """No rounding of binary fractions; the tolerance is absolute, and its edge is in."""
    assert ask({"kind": "number", "value": 0.3}, "It is 0.30.").outcome == "pass"
    assert ask({"kind": "number", "value": 0.3}, "It is 0.30000000000000004.").outcome == "fail"
    assert ask({"kind": "number", "value": 0.3, "tolerance": 0.1}, "It is 0.4.").outcome == "pass"
    assert ask({"kind": "number", "value": 0.3, "tolerance": 0.1}, "It is 0.41.").outcome == "fail"
    assert ask({"kind": "number", "value": -5}, "It is −5.").outcome == "pass"
    assert ask({"kind": "number", "value": -5}, "It fell by 5.").outcome == "fail"
    assert ask({"kind": "number", "value": 15}, "Es sind 1,5 Liter.").outcome == "fail"


def test_either_reading_of_one_mark_before_three_digits_is_right() -> None:
    """And the reading that is not meant is no wrong number."""
    for value in (1.25, 1250):
        assert ask({"kind": "number", "value": value}, "1.250 km").outcome == "pass"
    assert ask({"kind": "number", "value": 1000, "not": [1]}, "1.000 km").outcome == "pass"
    assert ask({"kind": "number", "value": 125}, "1.250 km").outcome == "fail"


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"value": 1, "tolerance": -1}, "tolerance must be 0 or more"),
        ({"value": 1, "unit": ["a*b"]}, "unit[0] has a star inside"),
        ({"value": 1, "not": [2, 1]}, "not[1] is within the tolerance of value"),
        ({"value": "NaN"}, "must be finite numbers"),
        ({"value": True}, "value: Expected"),
        ({"unit": ["m"]}, "value"),
        ({"value": 1, "which": "lst"}, "which: Invalid"),
        ({"value": 1, "units": ["m"]}, "did you mean 'unit'?"),
    ],
)
def test_faults_of_configuration(fields: dict[str, object], fault: str) -> None:
    """Are told when the check is read."""
    with pytest.raises(ValueError, match=r".") as told_:
        ask({"kind": "number", **fields}, "1")
    assert fault in str(told_.value)


def test_it_says_what_it_wants() -> None:
    """In words, with the reason of a fail."""
    check = {"kind": "number", "value": 36, "unit": ["m²"], "tolerance": 0.5, "not": [35], "which": "only"}
    assert ask(check, "36 m²").reason == "gives 36 give or take 0.5 'm²' and no other number, and not 35"
    assert ask(check, "34 m²").reason == "gives '34', not 36"
    assert ask(check, "36").reason == "gives no number with 'm²' beside it"


@pytest.mark.parametrize(
    ("fields", "phrases"),
    [
        ('"value": 36', ("36",)),
        ('"value": 1e3, "not": [35, 1.50, 100]', ("1000", "35", "1.5", "100")),
        ('"value": -5, "unit": ["tin*", "box*"], "not": [6]', ("-5 tin*", "6 tin*")),
    ],
)
def test_a_guesser_lists_the_right_number_and_the_wrong_ones(fields: str, phrases: tuple[str, ...]) -> None:
    """The value first, in plain digits, each with its unit."""
    assert read_check(CheckJson(f'{{"kind": "number", {fields}}}'.encode())).phrases() == phrases


@given(st.integers(min_value=13, max_value=10**9), st.sampled_from(["", " ", "\n", "  \n\n", "!", " All in all."]))
def test_what_stands_behind_makes_no_difference(value: int, behind: str) -> None:
    """The right value passes, the next one does not."""
    reply = f"It is {value:,}{behind}"
    assert ask({"kind": "number", "value": value}, reply).outcome == "pass"
    assert ask({"kind": "number", "value": value + 1}, reply).outcome == "fail"


@pytest.mark.parametrize("unit", ["36 tins ", "tins: ", "36 of ", "1-", "tins is ", "36 ", "€"])
def test_hostile_replies_take_linear_time(unit: str) -> None:
    """100,000 characters within seconds."""
    reply = unit * (100_000 // len(unit))
    start = time.perf_counter()
    ask({"kind": "number", "value": 5, "unit": ["tin*", "*box*", "€", "square metre*"]}, reply)
    assert time.perf_counter() - start < 8
