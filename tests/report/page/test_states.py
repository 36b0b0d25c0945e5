"""How a turn went, in words: what the model did and what the environment did are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from tests import by_hand

from multiturn.finding import Signal, Span
from multiturn.report.page.states import NO_DOING, REFUSAL_SIGN, State, states_of, without_reply
from multiturn.transcript import Failure, Flag, TurnRecord

if TYPE_CHECKING:
    from multiturn.transcript import Cause, Status

REFUSES = "I'm sorry, but I can't help with that."


def refusal(kind: str, span: Span | None = None) -> Signal:
    return Signal(name="refusal", turn=0, value=float(kind != "none"), unit="flag", label=kind, span=span)


def raised(name: str, label: str = "") -> Signal:
    return Signal(name=name, turn=0, value=1.0, unit="flag", label=label)


def states(
    *signals: Signal,
    reply: str = "Well.",
    status: Status = "ok",
    flags: tuple[Flag, ...] = (),
    expected: bool | None = None,
) -> list[State]:
    record = TurnRecord(turn=0, user="u", status=status, reply=reply, flags=flags)
    return list(states_of(record, signals, refusal_expected=expected))


def test_of_a_reply_that_is_as_it_should_be_nothing_is_said() -> None:
    assert states(refusal("none")) == []


@pytest.mark.parametrize(
    ("kind", "expected", "state"),
    [
        ("full", None, State("unsure", "full refusal")),
        ("full", False, State("bad", "full refusal, unexpected")),
        ("partial", True, State("soft", "partial refusal, expected")),
    ],
)
def test_a_refusal_is_told_with_whether_it_is_right(kind: str, expected: bool | None, state: State) -> None:  # noqa: FBT001
    assert states(refusal(kind), reply=REFUSES, expected=expected) == [state]


def test_a_refusal_whose_words_are_known_has_a_sign() -> None:
    """The one that stands behind those words."""
    (state,) = states(refusal("full", Span(0, 3, "I'm")), reply=REFUSES)
    assert state.sign == REFUSAL_SIGN


def test_a_refusal_that_is_missing_is_told() -> None:
    """Where one is right, and the reply declines in no other way either."""
    assert states(expected=True) == [State("bad", "no refusal, though one is right")]
    assert states(refusal("none"), expected=True) == [State("bad", "no refusal, though one is right")]
    assert states(expected=True, reply="No, not even one.") == []
    assert states(expected=False) == states(expected=None) == []


def test_a_turn_without_a_reply_misses_no_refusal() -> None:
    assert list(states_of(by_hand.failed(0), (), refusal_expected=True)) == []


def test_how_a_reply_ended_is_told_where_it_did_not_end_by_itself() -> None:
    """Once: a signal that says the same adds nothing."""
    assert states(raised("cut_off"), status="length") == [State("unsure", "cut off at the token limit")]
    assert states(status="filtered") == [State("unsure", "stopped by a content filter")]
    assert states(raised("empty"), status="empty", reply="") == []


@pytest.mark.parametrize("flag", get_args(Flag))
def test_every_flag_has_words_of_its_own(flag: Flag) -> None:
    """More than its name."""
    (state,) = states(flags=(flag,))
    assert state.said != flag.replace("_", " ")
    assert "_" not in state.said
    assert state.tone in {"unsure", "soft"}


def test_what_the_model_did_is_marked_otherwise_than_what_was_done_around_it() -> None:
    ran_on, again = states(flags=("run_on", "reencoded"))
    assert (ran_on.tone, again.tone) == ("unsure", "soft")


def test_what_is_raised_is_told_with_its_label() -> None:
    """By its name where it is no signal of ours."""
    assert states(raised("collapse")) == [State("unsure", "ends in a loop")]
    assert states(raised("language_change", "de")) == [State("unsure", "in a language the user did not ask for (de)")]
    assert states(raised("odd_one")) == [State("unsure", "odd one")]


def test_a_role_that_is_left_is_told_once() -> None:
    """By the flag, where there is one."""
    assert len(states(raised("role_leakage", "plays the user"), flags=("run_on",))) == 1
    assert states(raised("role_leakage", "role label")) == [State("unsure", "leaves its role (role label)")]


@pytest.mark.parametrize("name", ["repetition", "words"])
def test_a_number_is_no_flag(name: str) -> None:
    assert states(Signal(name=name, turn=0, value=1.0, unit="share" if name == "repetition" else "words")) == []


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (by_hand.failed(0), "No reply: timeout."),
        (by_hand.unreached(0), "Not reached: an earlier turn is missing."),
        (by_hand.overflowed(0), "No reply: the model's own replies have filled the context window."),
    ],
)
def test_a_turn_without_a_reply_says_why(record: TurnRecord, told: str) -> None:
    """And that it says nothing about the model, where the environment is why."""
    assert without_reply(record) == (f"{told} {NO_DOING}" if record.missing else told)


@pytest.mark.parametrize("cause", ["model", "environment"])
def test_the_cause_decides_whose_doing_it_is(cause: Cause) -> None:
    """A full context window, and what was not reached after it."""
    overflow = TurnRecord(turn=0, user="u", status="overflowed", cause=cause, failure=Failure("overflow", "too long"))
    after = TurnRecord(turn=1, user="u", status="not_reached", cause=cause)
    assert [NO_DOING in without_reply(one) for one in (overflow, after)] == [cause == "environment"] * 2


def test_a_turn_that_was_not_held_says_so() -> None:
    assert without_reply(None) == "Not held by this arm."
