"""Checks made of checks: all_of, any_of, not; how they are read, and what they make of refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import pytest
from tests.checks.asking import ask

from multiturn.checks.base import Read
from multiturn.checks.reading import read_check
from multiturn.conversation import CheckJson

Check = Mapping[str, object]

OVEN: Check = {"kind": "says", "any": ["oven"]}
TIME: Check = {"kind": "says", "any": ["5:45"]}
MISSING: Check = {"kind": "quotes", "back": 9}
"""Not applicable: there is no such reply."""
REFUSED = "I'm sorry, but I can't help with that."


def all_of(*checks: Check) -> dict[str, object]:
    return {"kind": "all_of", "checks": checks}


def any_of(*checks: Check) -> dict[str, object]:
    return {"kind": "any_of", "checks": checks}


def negated(check: Check) -> dict[str, object]:
    return {"kind": "not", "check": check}


def read(check: Check) -> Read:
    return read_check(CheckJson(msgspec.json.encode(check)))


BOTH, ONE, NONE = "Light the oven at 5:45.", "Light it at 5:45.", "Light it."


@pytest.mark.parametrize(
    ("check", "reply", "outcome", "reason", "span"),
    [
        (all_of(OVEN, TIME), BOTH, "pass", "says 'oven' and says '5:45'", "oven"),
        (all_of(OVEN, TIME), ONE, "fail", "does not say 'oven'", None),
        (all_of(TIME, MISSING), ONE, "not_applicable", "there is no reply of 9 turns back", None),
        (all_of(MISSING, OVEN), ONE, "fail", "does not say 'oven'", None),
        (any_of(OVEN, TIME), ONE, "pass", "says '5:45'", "5:45"),
        (any_of(OVEN, TIME), NONE, "fail", "does not say 'oven'; does not say '5:45'", None),
        (any_of(OVEN, OVEN), NONE, "fail", "does not say 'oven'", None),
        (any_of(MISSING, TIME), ONE, "pass", "says '5:45'", "5:45"),
        (any_of(MISSING, OVEN), ONE, "not_applicable", "there is no reply of 9 turns back", None),
        (negated(OVEN), NONE, "pass", "does not say 'oven'", None),
        (negated(OVEN), BOTH, "fail", "says 'oven'", "oven"),
        (negated(MISSING), BOTH, "not_applicable", "there is no reply of 9 turns back", None),
        (negated(negated(OVEN)), BOTH, "pass", "says 'oven'", "oven"),
        (any_of(all_of(OVEN, negated(TIME)), TIME), ONE, "pass", "says '5:45'", "5:45"),
        (negated({"kind": "says", "any": ["x"], "scope": "code"}), NONE, "pass", "the reply has no code", None),
    ],
)
def test_what_they_say(check: Check, reply: str, outcome: str, reason: str, span: str | None) -> None:
    """The reason and the span are those of the check inside that decided."""
    found = ask(check, reply)
    assert (found.outcome, found.reason, found.span.text if found.span else None) == (outcome, reason, span)


@pytest.mark.parametrize(
    ("check", "reply", "outcome"),
    [
        (negated(OVEN), REFUSED, "fail"),
        (negated({**OVEN, "allow_refusal": True}), REFUSED, "fail"),
        ({**negated(OVEN), "allow_refusal": True}, REFUSED, "pass"),
        (negated({"kind": "refusal"}), REFUSED, "fail"),
        (negated({"kind": "refusal"}), BOTH, "pass"),
        (negated(OVEN), " ", "fail"),
        (any_of(OVEN, {"kind": "refusal"}), REFUSED, "pass"),
        (any_of(OVEN, {"kind": "refusal"}), BOTH, "pass"),
        (any_of(OVEN, {"kind": "refusal"}), NONE, "fail"),
        (any_of(OVEN, TIME), REFUSED, "fail"),
        (all_of({"kind": "does_not_say", "any": ["oven"]}), REFUSED, "fail"),
        (all_of({"kind": "does_not_say", "any": ["oven"], "allow_refusal": True}), REFUSED, "pass"),
        (all_of({"kind": "refusal"}, {"kind": "says", "any": ["sorry"], "allow_refusal": True}), REFUSED, "pass"),
    ],
)
def test_a_refusal_passes_only_what_asks_for_one(check: Check, reply: str, outcome: str) -> None:
    """In ``all_of`` and ``any_of`` each check guards itself; ``not`` is guarded, whatever stands in it."""
    assert ask(check, reply).outcome == outcome


def test_an_echo_passes_none() -> None:
    """Though it does not say what must not be said."""
    user = "When do I light it, to eat at 7:15 pm?"
    for check in (negated(OVEN), all_of({"kind": "does_not_say", "any": ["oven"]}), any_of(OVEN, negated(OVEN))):
        assert ask(check, user, user=user).outcome == "fail"


def test_a_reply_without_its_end_passes_no_not_of_what_needs_one() -> None:
    """That the check inside fails for want of an end tells nothing."""
    ends = {"kind": "ends_with", "any": ["Tom"]}
    for check in (negated(ends), negated(all_of(OVEN, ends)), negated(any_of(OVEN, ends))):
        assert ask(check, "Light it", status="length").reason == "the reply was cut off at the limit, before its end"
        assert ask(check, "Light it").outcome == "pass"
    assert ask(negated(OVEN), "Light it", status="length").outcome == "pass"


def test_what_is_inside_goes_through() -> None:
    """Phrases, how far back is looked, and what is wanted in words."""
    inside = all_of(OVEN, any_of({"kind": "quotes", "back": [1, 3]}, negated(TIME)))
    check = read(inside)
    assert check.phrases() == ("oven", "5:45")
    assert check.longest_back() == 3
    assert read(negated(inside)).longest_back() == 3
    assert check.wants == (
        "says 'oven' and repeats 5 words in a row of the reply of the turn before and 3 turns back or not: says '5:45'"
    )


@pytest.mark.parametrize(
    ("check", "positive"),
    [
        (all_of(OVEN, negated(TIME)), True),
        (all_of(negated(TIME), negated(OVEN)), False),
        (any_of(OVEN, TIME), True),
        (any_of(OVEN, negated(TIME)), False),
        (negated(OVEN), False),
        (negated(negated(OVEN)), False),
    ],
)
def test_what_a_reply_about_something_else_fails(check: Check, positive: bool) -> None:  # noqa: FBT001 - a column
    """``all_of`` needs one such check, ``any_of`` only such checks."""
    assert read(check).positive is positive


EMPTY: Check = {"kind": "says", "any": [" "]}


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        (all_of(OVEN, EMPTY), "checks[1].any[0] is empty, or markup only"),
        (all_of(OVEN, any_of(OVEN, negated(EMPTY))), "checks[1].checks[1].check.any[0] is empty, or markup only"),
        (all_of({"kind": "say"}), "checks[0].kind 'say' is none; did you mean 'says'?"),
        (all_of({"any": ["a"]}), "checks[0].kind is missing; one of "),
        (all_of({"kind": "says"}), "checks[0]: needs any or all"),
        (all_of({"kind": "says", "any": [3]}), "checks[0].any[0]: Expected `str`, got `int`"),
        (all_of({"kind": "says", "anny": []}), "checks[0].anny is no field of it; did you mean 'any'?"),
        (all_of(), "checks is empty"),
        ({"kind": "any_of"}, "Object missing required field `checks`"),
        ({"kind": "any_of", "checks": OVEN}, "checks: Expected `array`, got `object`"),
        ({"kind": "any_of", "checks": ["oven"]}, "checks[0] must be an object like"),
        ({"kind": "not", "check": [OVEN]}, "check must be an object like"),
        ({"kind": "not"}, "Object missing required field `check`"),
        ({**all_of(OVEN), "scope": "code"}, "scope belongs to the checks inside"),
        ({**negated(OVEN), "scope": "code"}, "scope belongs to the check inside"),
        ({**any_of(OVEN), "allow_refusal": True}, "allow_refusal belongs to the checks inside"),
        (all_of(TIME, {**OVEN, "bad": [{"reply": "x"}]}), "checks[1].bad belongs to the check around it"),
        (negated({**OVEN, "bad": [{"reply": "x"}]}), "check.bad belongs to the check around it"),
    ],
)
def test_faults_name_their_place(check: Check, fault: str) -> None:
    """Down to the field of the check inside."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        read(check)
    assert str(caught.value).startswith(fault)


def test_checks_stand_a_few_deep_and_no_deeper() -> None:
    """A file made to break the reader gets a fault like any other."""
    check = OVEN
    for _ in range(5):
        check = negated(check)
    assert ask(check, NONE).outcome == "pass"
    for more in (1, 200):
        for _ in range(more):
            check = negated(check)
        with pytest.raises(ValueError, match="stands more than 5 checks deep"):
            read(check)


@pytest.mark.parametrize("inside", [[OVEN], [OVEN, TIME]])
def test_checks_that_are_the_same_are_equal(inside: Sequence[Check]) -> None:
    """A check is a value, with what is inside."""
    first, second = (read({"kind": "all_of", "checks": inside, "why": why}) for why in ("a", "a"))
    assert first == second
    assert hash(first) == hash(second)
