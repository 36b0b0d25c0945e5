"""Transcripts made by hand: turns that went well or did not, and what their checks say."""

from __future__ import annotations

from typing import Final

import msgspec

from multiturn.checks.own import allow_checks
from multiturn.conversation import CheckJson
from multiturn.finding import Assessed, Checked, CheckResult, Outcome, Signal
from multiturn.transcript import Failure, Session, Transcript, TurnRecord

OUTCOMES: Final[dict[str, Outcome]] = {"p": "pass", "f": "fail", "-": "not_applicable"}


def ok(turn: int, reply: str = "Well then.") -> TurnRecord:
    """A turn with a reply."""
    return TurnRecord(turn=turn, user="u", status="ok" if reply else "empty", reply=reply)


def failed(turn: int) -> TurnRecord:
    """A turn that the environment lost."""
    return TurnRecord(turn=turn, user="u", status="failed", cause="environment", failure=Failure("timeout", "no reply"))


def unreached(turn: int) -> TurnRecord:
    """A turn after one that the environment lost."""
    return TurnRecord(turn=turn, user="u", status="not_reached", cause="environment")


def overflowed(turn: int) -> TurnRecord:
    """A turn that the model's own words left no room for."""
    return TurnRecord(turn=turn, user="u", status="overflowed", cause="model", failure=Failure("overflow", "too long"))


def words(*values: float | None) -> tuple[Signal, ...]:
    """How many words each turn's reply has."""
    return tuple(
        Signal(name="words", turn=turn, value=value, unit="words", reason="" if value is not None else "no reply")
        for turn, value in enumerate(values)
    )


def refusals(letters: str) -> tuple[Signal, ...]:
    """A reply that refuses for each ``x``, one that does not for each other letter."""
    return tuple(
        Signal(name="refusal", turn=turn, value=float(one == "x"), unit="flag", label="full" if one == "x" else "")
        for turn, one in enumerate(letters)
    )


def checks(*turns: str) -> tuple[Checked, ...]:
    """What the checks of each turn say: ``p`` for a pass, ``f`` for a fail, ``-`` for not applicable."""
    return tuple(
        Checked(
            turn=turn,
            check=number,
            kind="says",
            wants=f"says {turn}.{number}",
            result=CheckResult(outcome=OUTCOMES[letter], reason=f"because of {letter}"),
        )
        for turn, letters in enumerate(turns)
        for number, letter in enumerate(letters)
    )


def held(
    conversation: str,
    turns: tuple[TurnRecord, ...],
    signals: tuple[Signal, ...] = (),
    said: tuple[Checked, ...] = (),
    sample: int = 0,
) -> Assessed:
    """One session."""
    return Assessed(Transcript(session=Session(conversation, sample), turns=turns), signals, said)


def says(*phrases: str) -> CheckJson:
    """A check as a suite writes it."""
    return CheckJson(msgspec.json.encode({"kind": "says", "any": phrases}))


class SameAsBefore(msgspec.Struct, frozen=True):
    """A kind of one's own, ``tests.by_hand:SameAsBefore``: the reply is the one of the turn before."""

    def wants(self) -> str:
        """In words."""
        return "repeats itself"

    def __call__(self, so_far: Transcript, turn: TurnRecord) -> CheckResult:
        """The earlier reply is quoted as the reason."""
        before = so_far.turns[-1].reply
        return CheckResult(outcome="pass" if turn.reply == before else "fail", reason=f"before: {before}")


allow_checks("tests.by_hand")
SAME_AS_BEFORE: Final = CheckJson(b'{"kind": "tests.by_hand:SameAsBefore"}')
