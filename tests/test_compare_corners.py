"""Comparisons that are small, broken or empty: whatever was held, no number is invented and no interval has width 0."""

from __future__ import annotations

import math
from typing import Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.by_hand import failed, overflowed, says, unreached
from tests.comparing import compared, contrast, floats_in, intervals_in

from multiturn.assess import assess
from multiturn.conversation import Capability, Category, CheckJson, Conversation, Suite, Turn
from multiturn.finding import Assessed
from multiturn.measures import BY_NAME
from multiturn.results import Comparison, Plan
from multiturn.transcript import Session, Status, Transcript, TurnRecord

REPLIES: Final = (
    "",
    "x",
    "no",
    "x and then some more words, which say little and end here.",
    "I'm sorry, but I can't help with that.",
    "over and over and over " * 12,
    "Das ist eine Antwort in einer anderen Sprache, und zwar auf Deutsch.",
    "no\n\nUser: and then?",
)
UNREADABLE: Final = CheckJson(b'{"kind": "of a later version"}')
CAPABILITIES: Final[tuple[Capability | None, ...]] = (None, "recovery", "correction")
CATEGORIES: Final[tuple[Category | None, ...]] = (None, "math")


def replied(turn: int, reply: str, *, cut: bool = False) -> TurnRecord:
    status: Status = "length" if cut else "ok" if reply else "empty"
    return TurnRecord(
        turn=turn,
        user="What is it?",
        status=status,
        reply=reply,
        finish="length" if cut else "stop",
        new_tokens=len(reply),
    )


@st.composite
def sessions(draw: st.DrawFn, suite: Suite, samples: int) -> list[Assessed]:
    """Some or all of a run's sessions; conversations end early, by their model's doing or not, or were never begun."""
    found = []
    for conversation in suite.conversations:
        for sample in range(samples):
            turns = len(conversation.turns)
            reached = draw(st.sampled_from([turns, turns, turns, *range(turns + 1)]))
            records = [
                replied(at, draw(st.sampled_from(REPLIES)), cut=draw(st.sampled_from([False, False, True])))
                for at in range(reached)
            ]
            how = draw(st.sampled_from(["failed", "overflowed", "never held"]))
            if reached < turns and how != "never held":
                last = failed(reached) if how == "failed" else overflowed(reached)
                rest = [unreached(at) for at in range(reached + 1, turns)]
                if how == "overflowed":
                    rest = [msgspec.structs.replace(one, cause="model") for one in rest]
                records += [last, *rest]
            if records:
                transcript = Transcript(session=Session(conversation.id, sample), turns=tuple(records))
                found.append(assess(transcript, conversation=conversation))
    return found


@st.composite
def suites(draw: st.DrawFn) -> Suite:
    """Up to nine conversations; one in three suites has no checks."""
    most = draw(st.sampled_from([0, 2, 2]))
    kinds = st.sampled_from([says("x"), says("x"), says("and"), UNREADABLE])
    shapes = draw(
        st.lists(
            st.lists(
                st.builds(
                    Turn,
                    text=st.just("What is it?"),
                    capability=st.sampled_from(CAPABILITIES),
                    refusal_expected=st.sampled_from([None, False, True]),
                    checks=st.lists(kinds, max_size=most).map(tuple),
                ),
                min_size=1,
                max_size=5,
            ).map(tuple),
            min_size=1,
            max_size=2,
        )
    )
    category = draw(st.sampled_from(CATEGORIES))
    return Suite(
        name="s",
        conversations=tuple(
            Conversation(id=f"c{at}", turns=shapes[at % len(shapes)], category=category)
            for at in range(draw(st.integers(1, 9)))
        ),
    )


@st.composite
def comparisons(draw: st.DrawFn) -> tuple[Suite, Comparison]:
    suite = draw(suites())
    base, tuned = (draw(sessions(suite, draw(st.sampled_from([1, 1, 2, 0])))) for _ in range(2))
    plan = Plan(
        primary=draw(st.sampled_from(["check_pass", "check_pass", *BY_NAME])),
        margins=draw(st.dictionaries(st.sampled_from(list(BY_NAME)), st.sampled_from([1e-9, 0.01, 0.5]), max_size=2)),
        level=draw(st.sampled_from([0.95, 0.975])),
    )
    return suite, compared(suite, base, tuned, plan)


@settings(deadline=None, max_examples=60)
@given(comparisons())
def test_whatever_was_held_every_number_is_one_and_every_interval_has_a_width(drawn: tuple[Suite, Comparison]) -> None:
    """And the whole can be written down and read again."""
    suite, found = drawn
    plain = msgspec.to_builtins(found)
    assert [place for place, value in floats_in(plain) if not math.isfinite(value)] == []
    ends = list(intervals_in(plain))
    assert len(ends) >= 3 * len(found.contrasts)
    for place, low, high in ends:
        assert (low is None) == (high is None), place
        assert low is None or high is None or low < high, place
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found
    total = len(suite.conversations)
    for one in (*found.contrasts, *found.profile):
        for estimate in (one.base, one.tuned, one.difference):
            assert estimate.n + estimate.missing <= total
        assert one.difference.n <= min(one.base.n, one.tuned.n)
        assert one.difference.missing <= one.base.missing + one.tuned.missing
    for verdict in (*found.verdicts, *found.localisation):
        p_values = [verdict.p, verdict.adjusted_p, verdict.exact_p, *(verdict.filled_p or ())]
        assert all(p is None or 0 <= p <= 1 for p in p_values)
        assert verdict.contrast.difference.n >= 2 or verdict.word == "inconclusive"
        assert (verdict.filled is None) == (verdict.filled_p is None)
        assert bool(verdict.advice) >= (verdict.word == "inconclusive")


# Some corners by name

ONE: Final = Suite(
    name="s",
    conversations=tuple(
        Conversation(id=f"c{at}", turns=(Turn(text="a"), Turn(text="b", checks=(says("x"),)))) for at in range(6)
    ),
)


def run(*replies: str, count: int = 6, last: TurnRecord | None = None) -> list[Assessed]:
    """Conversations that all have these replies, and after them perhaps another end."""
    found = []
    for at in range(count):
        turns = (*(replied(turn, reply) for turn, reply in enumerate(replies)), *(() if last is None else (last,)))
        transcript = Transcript(session=Session(f"c{at}"), turns=turns)
        found.append(assess(transcript, conversation=ONE.conversations[at]))
    return found


def test_a_model_that_says_nothing_has_regressed() -> None:
    """Empty replies are findings: they fail every check, nothing is missing, and it is said that they come first."""
    found = compared(ONE, run("x", "x"), run("", ""))
    primary = found.verdicts[0]
    assert (primary.word, primary.p, primary.filled) == ("regressed", 2 / 2**6, None)
    assert "all 6 differences are equal: exact sign-flip test" in primary.advice
    assert contrast(found, "empty").tuned.value == 1
    assert contrast(found, "words").tuned.value == 0
    assert (contrast(found, "words_nonempty").tuned.value, contrast(found, "words_nonempty").tuned.missing) == (None, 0)
    assert found.notes[0].startswith("fix first: 100.0% of tuned's replies are empty")


def test_two_models_that_say_nothing_are_alike_as_far_as_six_conversations_can_tell() -> None:
    primary = compared(ONE, run("", ""), run("", "")).verdicts[0]
    assert (primary.word, primary.contrast.difference.value, primary.contrast.base.value) == ("inconclusive", 0, 0)
    assert primary.advice.startswith("no change seen; at most about 51.0% of conversations")  # (1 + 2.571) / 7


def test_a_model_that_outgrows_its_window_has_regressed_too() -> None:
    """Its own doing, so the check fails and nothing is missing."""
    found = compared(ONE, run("x", "x"), run("x", last=overflowed(1)))
    assert (found.verdicts[0].word, found.verdicts[0].filled) == ("regressed", None)
    assert contrast(found, "overflowed").tuned.value == 0.5
    assert found.notes[-1] == "tuned: 6 of 12 turns have no reply: they outgrew the context window"


@pytest.mark.parametrize("lost", [run("x", last=failed(1)), []], ids=["lost", "not held"])
def test_an_arm_of_which_all_is_missing_concludes_nothing(lost: list[Assessed]) -> None:
    """It could have failed or passed everything, and neither is assumed."""
    found = compared(ONE, run("x", "no"), lost)
    primary = found.verdicts[0]
    difference = primary.contrast.difference
    assert (primary.word, primary.p, difference.value, difference.n, difference.missing) == (
        "inconclusive",
        None,
        None,
        0,
        6,
    )
    assert primary.filled is not None
    assert primary.filled[0] == "inconclusive", "base fails: it can't get worse"
    assert primary.filled[-1] == "improved", "6 that pass are 2/64"
    assert primary.advice.startswith("nothing measured; depends on missing data: ")
    assert (contrast(found, "check_pass").base.n, contrast(found, "check_pass").tuned.missing) == (6, 6)


def test_checks_of_which_none_applies_measure_nothing_and_nothing_is_missing() -> None:
    turns = (Turn(text="a", checks=(UNREADABLE,)),)
    the_suite = Suite(name="s", conversations=tuple(Conversation(id=f"c{at}", turns=turns) for at in range(3)))
    held = [
        assess(
            Transcript(session=Session(one.id), turns=(replied(0, "x"),)),
            conversation=one,
        )
        for one in the_suite.conversations
    ]
    found = compared(the_suite, held, held)
    primary = found.verdicts[0]
    assert (primary.measure, primary.word, primary.advice) == ("check_pass", "inconclusive", "nothing measured")
    assert (primary.contrast.difference.missing, primary.filled) == (0, None)
    assert any(note.startswith("checks that can't be read here") for note in found.notes)
