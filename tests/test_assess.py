"""From transcripts to numbers by conversation: what counts, what is missing, and in which group."""

from __future__ import annotations

import pytest

from multiturn.assess import MEASURES, Layout, Summary, assess, groups_of, readings
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import UsageError
from multiturn.finding import Assessed, Signal
from multiturn.report.tables import UNITS
from multiturn.transcript import Failure, Session, Transcript, TurnRecord

SUITE = Suite(
    name="s",
    conversations=(
        Conversation(
            id="c1",
            turns=(Turn(text="a"), Turn(text="b", capability="correction"), Turn(text="c", capability="correction")),
            capability="recovery",
            category="writing",
            domain="garden",
        ),
        Conversation(id="c2", turns=(Turn(text="a"), Turn(text="b"))),
    ),
)


def ok(turn: int, reply: str = "Well then.") -> TurnRecord:
    return TurnRecord(turn=turn, user="u", status="ok", reply=reply)


def failed(turn: int) -> TurnRecord:
    return TurnRecord(turn=turn, user="u", status="failed", cause="environment", failure=Failure("timeout", "no reply"))


def unreached(turn: int) -> TurnRecord:
    return TurnRecord(turn=turn, user="u", status="not_reached", cause="environment")


def overflowed(turn: int) -> TurnRecord:
    return TurnRecord(turn=turn, user="u", status="overflowed", cause="model", failure=Failure("overflow", "too long"))


def words(*values: float | None) -> tuple[Signal, ...]:
    return tuple(
        Signal(name="words", turn=turn, value=value, unit="words", reason="" if value is not None else "no reply")
        for turn, value in enumerate(values)
    )


def held(
    conversation: str, turns: tuple[TurnRecord, ...], signals: tuple[Signal, ...] = (), sample: int = 0
) -> Assessed:
    return Assessed(Transcript(session=Session(conversation, sample), turns=turns), signals)


def summary(*assessed: Assessed) -> Summary:
    found = Summary(Layout(SUITE))
    for one in assessed:
        found.add(one)
    return found


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
    names = {measure.name for measure in MEASURES}
    assert names - ours <= {signal.name for signal in found.signals}
    units = {signal.name: signal.unit for signal in found.signals if signal.name in names}
    assert units.items() <= UNITS.items()
    assert UNITS.keys() == names


@pytest.mark.parametrize(
    ("label", "refusal", "full"), [("full", 1.0, 1.0), ("partial", 1.0, 0.0), ("none", 0.0, 0.0), ("", 0.0, 0.0)]
)
def test_a_partial_refusal_is_a_refusal(label: str, refusal: float, full: float) -> None:
    signal = Signal(name="refusal", turn=0, value=refusal, unit="flag", label=label)
    found = readings(ok(0), [signal])
    assert (found["refusal"], found["refusal_full"]) == (refusal, full)


def test_what_the_environment_lost_has_no_reading_but_that() -> None:
    assert readings(failed(0), words(3)) == {"missing": 1.0}
    assert readings(None, ()) == {"missing": 1.0}
    assert readings(overflowed(0), words(None)) == {"missing": 0.0, "overflowed": 1.0}


def test_groups_follow_the_turns_capability_before_the_conversations() -> None:
    assert groups_of(SUITE.conversations[0]) == {
        ("all", ""): (0, 1, 2),
        ("turn", "1"): (0,),
        ("turn", "2"): (1,),
        ("turn", "3"): (2,),
        ("capability", "recovery"): (0,),
        ("capability", "correction"): (1, 2),
        ("category", "writing"): (0, 1, 2),
        ("domain", "garden"): (0, 1, 2),
    }
    assert Layout(SUITE).groups[:4] == (("all", ""), ("turn", "1"), ("turn", "2"), ("turn", "3"))


def test_a_conversation_is_the_mean_of_its_turns() -> None:
    found = summary(held("c1", (ok(0), ok(1), ok(2)), words(10, 20, 60)), held("c2", (ok(0), ok(1)), words(4, 6)))
    assert found.values("words", ("all", "")) == {"c1": 30, "c2": 5}
    assert found.values("words", ("capability", "correction")) == {"c1": 40}
    assert found.values("words", ("turn", "2")) == {"c1": 20, "c2": 6}


def test_a_lost_turn_makes_its_groups_missing_and_leaves_the_others() -> None:
    """The mean of turn 1 alone is no stand-in for the mean of all turns."""
    found = summary(held("c1", (ok(0), failed(1), unreached(2)), words(10, None, None)))
    assert found.values("words", ("all", "")) == {"c1": None, "c2": None}
    assert found.values("words", ("turn", "1")) == {"c1": 10, "c2": None}
    assert found.values("words", ("capability", "correction")) == {"c1": None}
    assert found.values("missing", ("all", ""))["c1"] == pytest.approx(2 / 3)
    assert dict(found.lost) == {"timeout": 2}
    assert found.held == 1


def test_a_turn_that_was_never_held_is_missing() -> None:
    found = summary(held("c2", (ok(0),), words(10)))
    assert found.values("words", ("all", ""))["c2"] is None
    assert dict(found.lost) == {"not held": 1}


def test_the_models_own_overflow_is_a_finding_not_a_gap() -> None:
    found = summary(
        held(
            "c1",
            (ok(0), overflowed(1), TurnRecord(turn=2, user="u", status="not_reached", cause="model")),
            words(10, None, None),
        )
    )
    assert found.values("overflowed", ("all", ""))["c1"] == pytest.approx(2 / 3)
    assert found.values("words", ("all", ""))["c1"] == 10
    assert found.values("missing", ("all", ""))["c1"] == 0
    assert (found.overflowed, found.lost.total()) == (2, 0)


def test_samples_are_averaged_inside_their_conversation() -> None:
    """One that the environment lost leaves the others to stand for the conversation."""
    found = summary(
        held("c2", (ok(0), ok(1)), words(10, 20), sample=1),
        held("c2", (ok(0), ok(1)), words(30, 40), sample=0),
        held("c2", (failed(0), unreached(1)), sample=2),
    )
    assert found.values("words", ("all", ""))["c2"] == 25


def test_what_does_not_belong_is_refused() -> None:
    found = summary(held("c2", (ok(0), ok(1))))
    with pytest.raises(ValueError, match="twice"):
        found.add(held("c2", (ok(0), ok(1))))
    with pytest.raises(UsageError, match="does not have"):
        found.add(held("c9", (ok(0),)))


def test_an_empty_reply_has_no_words_and_is_left_out_of_the_words_of_the_others() -> None:
    empty = TurnRecord(turn=1, user="u", status="empty", reply="")
    signals = (*words(10, 0), Signal(name="empty", turn=1, value=1, unit="flag"))
    found = summary(held("c2", (ok(0), empty), signals))
    assert found.values("words", ("all", ""))["c2"] == 5
    assert found.values("words_nonempty", ("all", ""))["c2"] == 10
    assert "c2" not in found.values("words_nonempty", ("turn", "2")), "it does not apply, so it is not missing either"
