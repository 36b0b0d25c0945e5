"""Asking one check of one reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from multiturn.checks.reading import read_check
from multiturn.conversation import CheckJson
from multiturn.finding import CheckResult
from multiturn.transcript import Session, Status, Transcript, TurnRecord


def ask(
    check: Mapping[str, object],
    reply: str | None,
    *,
    earlier: Sequence[tuple[str, str]] = (),
    user: str = "And then?",
    status: Status = "ok",
) -> CheckResult:
    """What the check says of a reply, after these turns: ``(what the user said, what the model replied)``."""
    before = tuple(
        TurnRecord(turn=index, user=said, status="ok", reply=replied) for index, (said, replied) in enumerate(earlier)
    )
    fields: dict[str, object] = {"turn": len(before), "user": user, "reply": reply, "status": status}
    if reply is None:
        fields["cause"] = "environment" if status == "failed" else "model"
    if status == "failed":
        fields["failure"] = {"kind": "timeout", "message": "no reply in time"}
    record = msgspec.convert(fields, TurnRecord)
    written = CheckJson(msgspec.json.encode(check))
    return read_check(written).check(Transcript(session=Session("a"), turns=before), record)


def outcome(check: Mapping[str, object], reply: str, *, earlier: Sequence[tuple[str, str]] = ()) -> str:
    """Only pass, fail or not_applicable."""
    return ask(check, reply, earlier=earlier).outcome
