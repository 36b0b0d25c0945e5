"""From FastChat's answers to runs: a run record for each model, and its transcripts. Pure.

A text is kept as it stands: it is what FastChat's judge saw. ``ERROR`` and ``$ERROR$`` stand where FastChat could not
ask the model: those turns failed. How replies were drawn is not known.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from multiturn import __version__
from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.conversation import Conversation, Suite
from multiturn.fastchat.rows import AnswerRow
from multiturn.suites.places import Fault
from multiturn.text.measure import is_blank
from multiturn.transcript import Failure, Session, Transcript, TurnRecord

ENGINE: Final = "imported"
FAILED: Final = frozenset({"ERROR", "$ERROR$"})
"""Texts that FastChat writes in place of a reply that it could not get."""
UNKNOWN: Final = "imported from FastChat's files: sampling, seeds, template and context window are not known"
RECOVERED: Final = "its replies were got back from the prompts of a judge"


class ImportedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model's answers as a run. ``faults`` tell, by the lines of its file, what was left out."""

    run: RunRecord
    transcripts: tuple[Transcript, ...]
    faults: tuple[Fault, ...] = ()


def imported_model(
    model: str, rows: Sequence[AnswerRow], suite: Suite, now: dt.datetime, notes: tuple[str, ...] = ()
) -> ImportedModel:
    """The run that a model's answers are.

    The same answers give the same id in whatever file they stand, so that they are one run wherever they come from.

    Args:
        model: its name; FastChat takes that of the file.
        rows: the answers. Of several to one question the last counts; several choices are samples.
        suite: the questions. What is answered beside them is left out and told.
        now: when it is imported.
        notes: what a reader should know of where they come from.
    """
    faults: list[Fault] = []
    last = _last_rows(rows, {one.id: one for one in suite.conversations}, faults)
    asked = [one for one in suite.conversations if one.id in last]
    transcripts = tuple(_transcript(one, sample, texts) for one, sample, texts in _choices(asked, last))
    samples = 1 + max((one.session.sample for one in transcripts), default=0)
    said = [[one.session, [record.raw or record.reply for record in one.turns]] for one in transcripts]
    conditions = Conditions(
        suite_digest=suite.digest,
        sampling=None,
        samples=samples,
        history="self",
        overflow="stop",
        context_window=None,
        system=None,
        template="model",
        reproducible=False,
        identity={
            "engine": ENGINE,
            "weights": model,
            "replies": hashlib.sha256(msgspec.json.encode(said)).hexdigest(),
        },
    )
    plain = re.sub(r"[^\w.-]+", "-", model)
    run = RunRecord(
        id=f"{plain}-{conditions.fingerprint[:8]}",
        created=now.isoformat(timespec="microseconds"),
        arm=Arm(spec=f"{ENGINE}:{model}"),
        suite_name=suite.name,
        suite_version=suite.version,
        conversations=len(suite.conversations),
        turns=suite.turn_count * samples,
        conditions=conditions,
        versions={"imported by multiturn": __version__},
        notes=(UNKNOWN, *notes),
    )
    return ImportedModel(run=run, transcripts=transcripts, faults=tuple(faults))


def _last_rows(
    rows: Iterable[AnswerRow], conversations: dict[str, Conversation], faults: list[Fault]
) -> dict[str, AnswerRow]:
    last: dict[str, AnswerRow] = {}
    for row in rows:
        asked = conversations.get(row.question)
        if asked is None:
            faults.append(Fault(line=row.line, path="", text=f"question {row.question} is not among the questions"))
        elif max(map(len, row.choices)) > len(asked.turns):
            text = f"question {row.question} has {len(asked.turns)} turns, and more are answered; the row is left out"
            faults.append(Fault(line=row.line, path="choices", text=text))
        else:
            before = last.get(row.question)
            if before is not None:
                text = f"question {row.question} is answered again in line {row.line}, which counts"
                faults.append(Fault(line=before.line, path="", text=text))
            last[row.question] = row
    return last


def _choices(
    asked: Iterable[Conversation], last: dict[str, AnswerRow]
) -> Iterator[tuple[Conversation, int, tuple[str | None, ...]]]:
    for conversation in asked:
        for sample, texts in enumerate(last[conversation.id].choices):
            yield conversation, sample, texts


def _transcript(conversation: Conversation, sample: int, texts: Sequence[str | None]) -> Transcript:
    turns = tuple(
        _record(index, turn.text, text)
        for index, (turn, text) in enumerate(zip(conversation.turns, texts, strict=False))  # the rest was not answered
    )
    return Transcript(session=Session(conversation.id, sample), turns=turns, system=conversation.system)


def _record(index: int, user: str, text: str | None) -> TurnRecord:
    if text is None or text.strip() in FAILED:
        message = "no text stands here" if text is None else text.strip()
        failure = Failure("engine", message)
        return TurnRecord(turn=index, user=user, status="failed", cause="environment", failure=failure)
    if is_blank(text):
        return TurnRecord(turn=index, user=user, status="empty", reply="", raw=text or None, finish="unknown")
    return TurnRecord(turn=index, user=user, status="ok", reply=text, finish="unknown")
