"""From a transcript to what is found in it, and to the numbers of its turns."""

from __future__ import annotations

import pytest
from tests.by_hand import SAME_AS_BEFORE, checks, failed, held, ok, overflowed, refusals, says, words

from multiturn.assess import assess, readings, readings_of
from multiturn.conversation import CheckJson, Conversation, Turn
from multiturn.finding import Signal
from multiturn.measures import MEASURES
from multiturn.report.numbers import UNITS
from multiturn.transcript import Session, Transcript

CAKE = Conversation(
    id="c1",
    turns=(
        Turn(text="The oven goes on at 5:45."),
        Turn(text="When does it?", checks=(says("5:45", "17:45"), SAME_AS_BEFORE), golden="At 5:45."),
        Turn(text="Again?", checks=(SAME_AS_BEFORE,)),
    ),
)


def test_every_signal_of_every_turn_is_measured() -> None:
    found = assess(Transcript(session=Session("c1"), turns=(ok(0, "I like tea. It is warm."), failed(1))))
    assert found.transcript.session.conversation == "c1"
    by_name = {signal.name: signal for signal in found.signals if signal.turn == 0}
    assert by_name["words"].value == 6
    assert by_name["sentences"].value == 2
    assert {signal.turn for signal in found.signals} == {0, 1}


def test_every_measure_but_our_own_is_a_signal_and_has_a_unit() -> None:
    """A signal that the comparison does not know, or a measure without a unit, would go unseen."""
    found = assess(Transcript(session=Session("c1"), turns=(ok(0),)))
    ours = {"refusal_full", "overflowed", "missing", "words_nonempty"}
    ours |= {"check_pass", "turn_pass", "refusal_unexpected", "refusal_missing"}
    names = {measure.name for measure in MEASURES}
    assert names - ours - {"rating"} <= {signal.name for signal in found.signals}
    units = {signal.name: signal.unit for signal in found.signals if signal.name in names}
    assert units.items() <= UNITS.items()
    assert UNITS.keys() == names


def test_the_checks_of_a_conversation_are_asked_where_it_is_given() -> None:
    transcript = Transcript(session=Session("c1"), turns=(ok(0, "Fine."), ok(1, "At 5:45."), ok(2, "Later.")))
    assert assess(transcript).checks == ()
    found = assess(transcript, conversation=CAKE)
    assert [(one.turn, one.check, one.result.outcome) for one in found.checks] == [
        (1, 0, "pass"),
        (1, 1, "fail"),
        (2, 0, "fail"),
    ]
    assert found.signals == assess(transcript).signals
    assert [one.wants for one in found.checks_of(1)] == ["says '5:45' or '17:45'", "repeats itself"]


def test_with_golden_history_checks_look_back_at_the_golden_replies() -> None:
    """They are what the model saw; where a turn has none, its own reply stood there."""
    turns = (ok(0, "Fine."), ok(1, "I forgot."), ok(2, "At 5:45."))
    transcript = Transcript(session=Session("c1"), turns=turns)
    own, golden = (assess(transcript, conversation=CAKE, golden_history=golden) for golden in (False, True))
    assert [one.result.reason for one in own.checks_of(2)] == ["before: I forgot."]
    assert [(one.result.outcome, one.result.reason) for one in golden.checks_of(2)] == [("pass", "before: At 5:45.")]
    assert golden.checks_of(1)[1].result.reason == "before: Fine."


@pytest.mark.parametrize(
    ("written", "kind", "reason"),
    [
        (
            '{"kind": "nowhere_to_be_found:Check"}',
            "nowhere_to_be_found:Check",
            "kind 'nowhere_to_be_found:Check' would",
        ),
        ('{"kind": "says"}', "says", "needs any or all"),
        ("{}", "unknown", "kind is missing"),
        ('{"kind":' * 5000, "unknown", "is "),
    ],
)
def test_a_check_that_can_not_be_read_here_is_not_applicable(written: str, kind: str, reason: str) -> None:
    """A suite of someone else's may hold kinds of their own; the transcript and the other checks are read all the same."""
    conversation = Conversation(id="c1", turns=(Turn(text="a", checks=(CheckJson(written.encode()), says("well"))),))
    found = assess(Transcript(session=Session("c1"), turns=(ok(0),)), conversation=conversation)
    assert [one.result.outcome for one in found.checks] == ["not_applicable", "pass"]
    unread = found.checks[0]
    assert (unread.kind, unread.wants, unread.check) == (kind, kind, 0)
    assert unread.result.reason.startswith(f"check can't be read: {reason}")


@pytest.mark.parametrize(
    ("label", "refusal", "full"), [("full", 1.0, 1.0), ("partial", 1.0, 0.0), ("none", 0.0, 0.0), ("", 0.0, 0.0)]
)
def test_a_partial_refusal_is_a_refusal(label: str, refusal: float, full: float) -> None:
    signal = Signal(name="refusal", turn=0, value=refusal, unit="flag", label=label)
    found = readings(ok(0), [signal])
    assert (found["refusal"], found["refusal_full"]) == (refusal, full)


@pytest.mark.parametrize(
    ("expected", "refuses", "found"),
    [
        (None, True, {}),
        (False, True, {"refusal_unexpected": 1.0}),
        (False, False, {"refusal_unexpected": 0.0}),
        (True, True, {"refusal_missing": 0.0}),
        (True, False, {"refusal_missing": 1.0}),
    ],
)
def test_a_refusal_too_many_and_one_too_few_are_two_things(
    expected: bool | None,  # noqa: FBT001 - the suite's own field
    refuses: bool,  # noqa: FBT001
    found: dict[str, float],
) -> None:
    given = readings(ok(0), refusals("x" if refuses else "."), refusal_expected=expected)
    assert {name: value for name, value in given.items() if name in ("refusal_unexpected", "refusal_missing")} == found
    assert given["refusal"] == float(refuses)


def test_what_the_environment_lost_has_no_reading_but_that() -> None:
    said = [one.result for one in checks("--")]
    assert readings(failed(0), words(3), checks=said, refusal_expected=True) == {"missing": 1.0}
    assert readings(None, ()) == {"missing": 1.0}
    assert readings(overflowed(0), words(None)) == {"missing": 0.0, "overflowed": 1.0}


@pytest.mark.parametrize(
    ("letters", "found"),
    [
        ("", {}),
        ("pp", {"checks_passed": 2, "checks_applied": 2, "check_pass": 1.0, "turn_pass": 1.0}),
        ("pf-", {"checks_passed": 1, "checks_applied": 2, "check_pass": 0.5, "turn_pass": 0.0}),
        ("p-", {"checks_passed": 1, "checks_applied": 1, "check_pass": 1.0, "turn_pass": 1.0}),
        ("--", {}),
    ],
)
def test_a_turn_passes_when_all_of_its_checks_that_apply_do(letters: str, found: dict[str, float]) -> None:
    """One to which none applies neither passes nor fails."""
    assessed = held("c1", (ok(0),), said=checks(letters))
    (given,) = readings_of(assessed, Conversation(id="c1", turns=(Turn(text="a"),)))
    inapplicable = given.pop("checks_not_applicable", 0)
    assert given == {"missing": 0.0, "overflowed": 0.0} | found
    assert inapplicable == letters.count("-")
