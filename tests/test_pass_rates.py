"""How many checks one run passes, and what a reader must know of the number."""

from __future__ import annotations

import pytest
from tests.by_hand import SAME_AS_BEFORE, ok, says

from multiturn.conversation import Conversation, Suite, Turn
from multiturn.pass_rates import floor_note, pass_rates
from multiturn.results import Estimate
from multiturn.transcript import Session, Transcript

TURNS = (
    Turn(text="a"),
    Turn(text="b", capability="recovery", distance=1, checks=(says("yes"), says("sure"))),
    Turn(text="c", capability="follow_up", distance=2, checks=(SAME_AS_BEFORE,)),
)
SUITE = Suite(name="s", conversations=tuple(Conversation(id=f"c{at}", turns=TURNS) for at in range(3)))


def said(conversation: int, *replies: str) -> Transcript:
    turns = tuple(ok(turn, reply) for turn, reply in enumerate(replies))
    return Transcript(session=Session(f"c{conversation}"), turns=turns)


def test_a_run_has_a_rate_over_all_turns_and_in_each_group() -> None:
    """Thirds of 3, 1 and 0 of three checks; the third conversation was not held. First comes the rate over all."""
    found = pass_rates(SUITE, [said(0, "a", "yes, sure", "yes, sure"), said(1, "a", "yes", "no")], name="mine")
    rates = {one.group: one.estimate for one in found.rates}
    assert found.rates[0].group == ("all", "")
    assert rates["all", ""].value == pytest.approx(2 / 3)
    assert (rates["all", ""].n, rates["all", ""].missing) == (2, 1)
    assert rates["capability", "recovery"].value == 0.75
    assert rates["capability", "follow_up"].value == rates["distance", "2"].value == 0.5
    assert rates["all", ""].low is not None
    assert ("turn", "1") not in rates
    assert found.notes == ()


def test_golden_history_reaches_the_checks() -> None:
    turns = (Turn(text="a", golden="gold"), Turn(text="b", checks=(SAME_AS_BEFORE,)))
    suite = Suite(name="s", conversations=(Conversation(id="c0", turns=turns),))
    own, golden = (
        pass_rates(suite, [said(0, "tin", "gold")], name="mine", golden_history=golden) for golden in (False, True)
    )
    assert [one.rates[0].estimate.value for one in (own, golden)] == [0, 1]


def test_a_suite_without_checks_has_no_rate() -> None:
    suite = Suite(name="s", conversations=(Conversation(id="c0", turns=(Turn(text="a"),)),))
    found = pass_rates(suite, [said(0, "a")], name="mine")
    assert (found.rates, found.notes) == ((), ())


def test_a_model_that_passes_hardly_anything_is_told_of() -> None:
    """Below a quarter; at a quarter there is something to lose."""
    found = pass_rates(SUITE, [said(at, "a", "no", "never") for at in range(3)], name="mine")
    (note,) = found.notes
    assert note.startswith("mine passes 0.0% of checks, near the floor: it has hardly anything to lose")
    assert list(floor_note("mine", Estimate(value=0.249, n=4, missing=0)))
    assert not list(floor_note("mine", Estimate(value=0.25, n=4, missing=0)))
    assert not list(floor_note("mine", Estimate(value=None, n=0, missing=4)))
