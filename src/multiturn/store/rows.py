"""Values to rows of the tables."""

from __future__ import annotations

import msgspec

from multiturn.codec import encode
from multiturn.conditions import RunRecord
from multiturn.judge_card import Card
from multiturn.judgment import Judged, JudgeRecord
from multiturn.transcript import Session, TurnRecord

Row = dict[str, str | int]


def to_text(value: msgspec.Struct) -> str:
    """A value as the JSON text that a column holds."""
    return encode(value).decode()


def run_row(run: RunRecord) -> Row:
    """The row of a run."""
    return {
        "id": run.id,
        "created": run.created,
        "spec": run.arm.spec,
        "suite_digest": run.conditions.suite_digest,
        "fingerprint": run.conditions.fingerprint,
        "record": to_text(run),
    }


def turn_row(run_id: str, session: Session, record: TurnRecord) -> Row:
    """The row of a turn."""
    return {
        "run_id": run_id,
        "conversation": session.conversation,
        "sample": session.sample,
        "turn": record.turn,
        "status": record.status,
        "record": to_text(record),
    }


def judge_row(judge: JudgeRecord) -> Row:
    """The row of a judge."""
    return {"id": judge.id, "created": judge.created, "spec": judge.spec, "record": to_text(judge)}


def card_row(card: Card) -> Row:
    """The row of a judge's card."""
    return {"id": card.id, "judge_id": card.judge, "created": card.created, "record": to_text(card)}


def judged_row(judged: Judged) -> dict[str, str | None]:
    """The row of a judgment."""
    return {
        "id": judged.id,
        "judge_id": judged.judge,
        "run_id": judged.question.run,
        "opponent_id": judged.question.opponent or None,
        "conversation": judged.question.conversation,
        "said": judged.said,
        "key": judged.key,
        "record": to_text(judged),
    }
