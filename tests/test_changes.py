"""What changed in a conversation from base to tuned: its score, the reasons, and the checks that flipped."""

from __future__ import annotations

import math

import msgspec
import pytest
from tests.by_hand import checks, says
from tests.comparing import LOST, OVERFLOW, compared, held, suite

from multiturn.conversation import Conversation, Suite, Turn
from multiturn.finding import Assessed, Checked, Span
from multiturn.results import Change, Flip


def only_change(base: Assessed, tuned: Assessed) -> Change:
    (change,) = compared(suite(1, turns=len(base.transcript.turns)), [base], [tuned]).changes
    return change


def test_what_changed_is_said_in_words() -> None:
    long = "one two three four five six seven eight nine ten"
    change = only_change(held("c0", long, long, long, long), held("c0", long, "Sorry, no.", "Sorry", "Sorry"))
    assert change.reasons == (
        "3 of 4 replies became refusals",
        "replies 2.9 times shorter",
        "the texts share 25.0% of their words",
    )
    assert change.score == pytest.approx(3 * 3 / 4 + math.log2(11 / 4.5) + 0.75, abs=1e-6)


def test_a_change_for_the_better_is_a_change_too() -> None:
    change = only_change(held("c0", "Sorry", ""), held("c0", "Yes", "Yes"))
    assert change.reasons[:2] == ("1 of 2 replies stopped being refusals", "1 of 2 replies stopped being empty")


def test_the_context_window_is_a_reason() -> None:
    change = only_change(held("c0", "a", "b"), held("c0", "a", OVERFLOW))
    assert change.reasons == ("1 of 2 replies fell out of the context window",)
    assert change.score == 1.5


def test_a_lost_turn_is_no_change_but_is_said() -> None:
    change = only_change(held("c0", "a", "b"), held("c0", "a", LOST))
    assert (change.score, change.reasons) == (0, ("1 of 2 turns are missing in an arm",))


def test_a_conversation_that_can_not_be_compared_is_not_ranked() -> None:
    assert compared(suite(1), [held("c0", "a", "b")], [held("c0", LOST, LOST)]).changes == ()


# Flipped checks

KEEPER = Suite(
    name="s",
    conversations=(
        Conversation(
            id="c0",
            turns=(
                Turn(text="a", checks=(says("x"), says("x"))),
                Turn(text="b", capability="recovery", checks=(says("x"), says("x"), says("x"))),
            ),
            capability="follow_up",
        ),
    ),
)


def checked(before: tuple[str, ...], after: tuple[str, ...]) -> Change:
    """The same words in both arms; what the checks of each turn say is given."""
    base, tuned = (held("c0", "a b", "a b", said=checks(*said)) for said in (before, after))
    (change,) = compared(KEEPER, [base], [tuned]).changes
    return change


def test_a_flipped_check_is_told_with_all_that_a_reader_needs() -> None:
    change = checked(("pp", "ppf"), ("pp", "fpf"))
    assert change.reasons == ("1 of 5 checks stopped passing",)
    assert change.flips == (
        Flip(
            conversation="c0",
            sample=0,
            turn=1,
            capability="recovery",
            check=0,
            kind="says",
            wants="says 1.0",
            before="pass",
            after="fail",
            reason="because of f",
        ),
    )


def test_checks_that_came_back_are_told_apart_from_those_that_were_lost() -> None:
    """In the order of turns; the reason is always that of the reply that fails."""
    change = checked(("pf", "ppf"), ("fp", "fpp"))
    assert change.reasons == ("2 of 5 checks stopped passing", "2 of 5 checks began to pass")
    assert [(flip.turn, flip.check, flip.after) for flip in change.flips] == [
        (0, 0, "fail"),
        (0, 1, "pass"),
        (1, 0, "fail"),
        (1, 2, "pass"),
    ]
    assert {flip.reason for flip in change.flips} == {"because of f"}
    assert [flip.capability for flip in change.flips] == [None, None, "recovery", "recovery"]


def test_flipped_checks_weigh_most() -> None:
    """Each as its share of the checks that both arms have an answer of, ten times."""
    assert checked(("pp", "ppf"), ("pp", "fpf")).score == pytest.approx(10 / 5)
    assert checked(("p-", "p-f"), ("f-", "pp-")).score == pytest.approx(10 / 2)
    assert checked(("pp", "ppf"), ("pp", "ppf")).score == 0


def test_a_check_that_no_longer_applies_did_not_flip() -> None:
    """Nor one that was never asked in one of the arms."""
    assert checked(("p-", "ppp"), ("-p", "ppp")).flips == ()
    assert checked(("pp", "ppf"), ("pp", "")).flips == ()


def test_a_lost_turn_has_no_flips() -> None:
    base, tuned = held("c0", "a", "b", said=checks("pp", "ppp")), held("c0", "a", LOST, said=checks("pp", "---"))
    (change,) = compared(KEEPER, [base], [tuned]).changes
    assert (change.flips, change.reasons) == ((), ("1 of 2 turns are missing in an arm",))


def test_each_sample_has_its_own_flips() -> None:
    """Pairs are pairs of samples; the share is over all of them, whatever order they are read in."""
    base = [held("c0", "a", "a", sample=sample, said=checks("pp", "ppp")) for sample in (1, 0)]
    tuned = [held("c0", "a", "a", sample=sample, said=checks(said, "ppp")) for sample, said in ((1, "fp"), (0, "pf"))]
    (change,) = compared(KEEPER, base, tuned).changes
    assert [(flip.sample, flip.check) for flip in change.flips] == [(0, 1), (1, 0)]
    assert change.reasons == ("2 of 10 checks stopped passing",)


def with_span(said: tuple[Checked, ...], text: str) -> tuple[Checked, ...]:
    span = Span(0, len(text), text)
    return tuple(msgspec.structs.replace(one, result=msgspec.structs.replace(one.result, span=span)) for one in said)


def test_the_words_that_decided_are_kept_but_not_whole_replies() -> None:
    """So that memory does not grow with what was said."""
    base = held("c0", "a", "a", said=with_span(checks("p"), "5:45"))
    tuned = held("c0", "a", "a", said=with_span(checks("f"), "word " * 1000))
    (change,) = compared(KEEPER, [base], [tuned]).changes
    (flip,) = change.flips
    assert flip.base_words == "5:45"
    assert flip.tuned_words == ("word " * 1000)[:200] + "..."


def test_conversations_whose_checks_flipped_are_read_first() -> None:
    """Before one whose replies are twice as long and have no word in common."""
    turns = KEEPER.conversations[0].turns
    both = Suite(name="s", conversations=tuple(Conversation(id=name, turns=turns) for name in ("c0", "c1")))
    base = [held(name, "a", "b", said=checks("pp", "ppp")) for name in ("c0", "c1")]
    tuned = [
        held("c0", "x x", "y y", said=checks("pp", "ppp")),
        held("c1", "a", "b", said=checks("pp", "ppf")),
    ]
    found = compared(both, base, tuned).changes
    assert [change.conversation for change in found] == ["c1", "c0"]


# Refusals that the suite says something of


def refused(expected: bool, before: str, after: str) -> Change:  # noqa: FBT001 - the suite's own field
    the_suite = suite(1, turns=2, refusal_expected=expected)
    (change,) = compared(the_suite, [held("c0", "a", before)], [held("c0", "a", after)]).changes
    return change


def test_a_refusal_is_told_as_wrong_or_missing_where_the_suite_says_which() -> None:
    """And counted once: 3 for the refusal, half of the turns."""
    change = refused(expected=False, before="a", after="Sorry")
    assert change.reasons[0] == "1 of 2 replies became refusals where none is right"
    assert not any(reason.endswith("became refusals") for reason in change.reasons)
    assert change.score == pytest.approx(3 / 2 + 1 / 2), "half of the turns refuse, half of the texts share no word"
    assert refused(expected=True, before="Sorry", after="a").reasons[0] == (
        "1 of 2 replies no longer refuse where it is right"
    )
    assert refused(expected=True, before="a", after="Sorry").reasons[0] == (
        "1 of 2 replies began to refuse where it is right"
    )
    assert refused(expected=False, before="Sorry", after="a").reasons[0] == (
        "1 of 2 replies stopped refusing where none is right"
    )
