"""All signals of a transcript: complete, in order, and honest about what can't be measured."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.finding import Signal
from multiturn.signals.kinds import KIND_OF, SIGNALS
from multiturn.signals.measure import measure
from multiturn.transcript import Failure, Session, Transcript, TurnRecord


def held(*turns: TurnRecord) -> Transcript:
    return Transcript(session=Session("c"), turns=turns)


def ok(turn: int, reply: str, user: str = "Tell me about the old maps in the museum, please.") -> TurnRecord:
    return TurnRecord(turn=turn, user=user, status="ok" if reply else "empty", reply=reply, new_tokens=len(reply))


def by_name(signals: tuple[Signal, ...], turn: int = 0) -> dict[str, Signal]:
    return {signal.name: signal for signal in signals if signal.turn == turn}


def test_every_turn_has_every_signal_in_order() -> None:
    """One signal for each turn and kind, units as in the table."""
    signals = measure(held(ok(0, "The maps are old."), ok(1, "They are on the top floor.")))
    assert [(signal.turn, signal.name) for signal in signals] == [
        (turn, kind.name) for turn in (0, 1) for kind in SIGNALS
    ]
    assert all(signal.unit == KIND_OF[signal.name].unit for signal in signals)


def test_an_ordinary_reply() -> None:
    """Counts are counted, flags are down."""
    found = by_name(measure(held(ok(0, "The maps are old. They hang on the top floor."))))
    values = {name: signal.value for name, signal in found.items()}
    assert values == {
        "characters": 45,
        "words": 10,
        "sentences": 2,
        "tokens": 45,
        "refusal": 0,
        "empty": 0,
        "cut_off": 0,
        "repetition": 0,
        "collapse": 0,
        "sameness": None,
        "language_change": 0,
        "role_leakage": 0,
    }
    assert found["sameness"].reason
    assert found["language_change"].label == "en"


@pytest.mark.parametrize("reply", ["", " \n", "\u200b", "<|im_end|>"])
def test_an_empty_reply_is_the_models_own_doing(reply: str) -> None:
    """It has 0 words and no refusal; shares of nothing are not measured."""
    record = TurnRecord(turn=0, user="Hi", status="empty", reply=reply)
    found = by_name(measure(held(record), control_tokens=("<|im_end|>",)))
    assert (found["empty"].value, found["words"].value, found["refusal"].value) == (1, 0, 0)
    assert found["tokens"].value is None
    assert "empty" in found["repetition"].reason


def test_a_turn_without_a_reply_has_no_values() -> None:
    """Each signal is missing, and says why."""
    failed = TurnRecord(turn=0, user="Hi", status="failed", cause="environment", failure=Failure("timeout", "30 s"))
    after = TurnRecord(turn=1, user="Hi", status="not_reached", cause="environment")
    signals = measure(held(failed, after))
    assert len(signals) == 2 * len(SIGNALS)
    assert all(signal.value is None and signal.reason.startswith("no reply: ") for signal in signals)
    assert "environment" in by_name(signals, 1)["words"].reason


def test_refusals_are_labelled_and_quoted() -> None:
    """Full and partial, with the words."""
    found = by_name(measure(held(ok(0, "I’m sorry, but I can’t help with that."))))["refusal"]
    assert (found.value, found.label) == (1, "full")
    assert found.span is not None
    assert found.span.text == "I can’t help"


def test_a_cut_off_reply_is_flagged() -> None:
    """The status says that the limit ended it."""
    record = TurnRecord(turn=0, user="Hi", status="length", reply="The maps are")
    assert by_name(measure(held(record)))["cut_off"].value == 1


def test_sameness_looks_back_over_turns_without_reply() -> None:
    """The previous reply is the last one that there is."""
    missing = TurnRecord(turn=1, user="Hi", status="failed", cause="environment", failure=Failure("timeout", "30 s"))
    signals = measure(held(ok(0, "The maps are old."), missing, ok(2, "The maps are old.")))
    assert by_name(signals, 2)["sameness"].value == 1


def test_whether_a_reply_was_cut_off_is_not_known_where_nobody_told() -> None:
    """Then it is no zero; a limit that was reached is known."""
    untold = msgspec.structs.replace(ok(0, "The maps are old."), finish="unknown")
    found = by_name(measure(held(untold)))["cut_off"]
    assert (found.value, found.reason) == (None, "nobody told why the reply ended")
    assert by_name(measure(held(msgspec.structs.replace(untold, status="length"))))["cut_off"].value == 1


def test_control_tokens_are_not_counted_but_leak() -> None:
    """The reply's words are counted without them."""
    found = by_name(measure(held(ok(0, "The maps are old.<|im_end|>")), control_tokens=("<|im_end|>",)))
    assert (found["words"].value, found["role_leakage"].label) == (4, "control token")


def test_the_table_is_complete() -> None:
    """Names are unique, and each kind says what it means and which way is better."""
    assert len(KIND_OF) == len(SIGNALS)
    assert all(kind.meaning and kind.orientation for kind in SIGNALS)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_signals_are_sound_for_any_text(replies: list[str]) -> None:
    """Finite or missing with a reason; flags are 0 or 1, shares from 0 to 1, counts whole."""
    for signal in measure(held(*(ok(turn, reply) for turn, reply in enumerate(replies)))):
        if signal.value is None:
            assert signal.reason
            continue
        assert math.isfinite(signal.value)
        top = 1 if signal.unit in {"flag", "share"} else math.inf
        assert 0 <= signal.value <= top
        assert signal.unit == "share" or signal.value == int(signal.value)
