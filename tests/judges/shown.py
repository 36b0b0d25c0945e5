"""Conversations to show a judge, told by their replies."""

from __future__ import annotations

from multiturn.conversation import Category, Conversation, Turn
from multiturn.judgment import Exhibit, Question, Seat
from multiturn.rubric import Mode
from multiturn.transcript import Failure, Session, Status, Transcript, TurnRecord


def record(turn: int, reply: str | None, status: Status = "ok", user: str | None = None) -> TurnRecord:
    """A turn; without a reply it overflowed, failed or was not reached, as its status says."""
    return TurnRecord(
        turn=turn,
        user=f"message {turn + 1}" if user is None else user,
        status=status,
        reply=reply,
        cause=None if reply is not None else "environment" if status == "failed" else "model",
        failure=Failure("server", "500") if status == "failed" else None,
    )


def transcript(*replies: str | TurnRecord, system: str | None = None, sample: int = 0) -> Transcript:
    """Conversation ``c`` with these replies."""
    turns = tuple(one if isinstance(one, TurnRecord) else record(turn, one) for turn, one in enumerate(replies))
    return Transcript(session=Session("c", sample), turns=turns, system=system)


def exhibit(
    one: Transcript,
    other: Transcript | None = None,
    *,
    goldens: tuple[str | None, ...] = (),
    category: Category | None = None,
) -> Exhibit:
    """What is shown of one run, or of two, at a conversation with these golden replies."""
    known = (*goldens, *[None] * len(one.turns))
    turns = tuple(Turn(text=turn.user or "?", golden=golden) for turn, golden in zip(one.turns, known, strict=False))
    conversation = Conversation(id="c", turns=turns, category=category)
    return Exhibit(conversation=conversation, transcript=one, opponent=other)


def question(mode: Mode, turn: int | None, seat: Seat = "first") -> Question:
    """About run ``r``, compared with ``o`` where it is a preference."""
    opponent = "o" if mode == "preference" else ""
    return Question(mode=mode, run="r", conversation="c", turn=turn, opponent=opponent, seat=seat)
