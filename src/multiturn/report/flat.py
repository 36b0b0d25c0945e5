"""Transcripts as a flat table, one row for each turn and arm: what people load into a data frame.

``turn`` and ``sample`` count from 1, as everywhere that people see them. What is not known or was not measured is None,
never 0; a turn that is in the suite and was never held has a row too (status ``not_held``), so that every arm has as
many rows as were planned. Rows are made as transcripts come in; memory does not grow with them.

What this module does not know: CSV and Parquet, which signals there are.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from multiturn.finding import REFUSED
from multiturn.text.language import UNKNOWN
from multiturn.transcript import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.conversation import Conversation, Suite
    from multiturn.finding import Assessed, Checked, Signal, SignalUnit
    from multiturn.transcript import TurnRecord

Kind = Literal["text", "whole", "number", "flag", "texts"]
"""``flag`` is 1 or 0; ``texts`` is a list."""
Value = str | int | float | tuple[str, ...] | None
Row = tuple[Value, ...]

NOT_HELD: Final = "not_held"
"""The status of a turn of the suite that is not in the run."""

_KINDS: Final[dict[SignalUnit, Kind]] = {
    "characters": "whole",
    "words": "whole",
    "sentences": "whole",
    "tokens": "whole",
    "flag": "flag",
    "share": "number",
}


class Column(msgspec.Struct, frozen=True):
    """One column, and what kind of values it has."""

    name: str
    kind: Kind


_BEFORE: Final = (
    Column("run", "text"),
    Column("arm", "text"),
    Column("model", "text"),
    Column("conversation", "text"),
    Column("sample", "whole"),
    Column("turn", "whole"),
    Column("capability", "text"),
    Column("category", "text"),
    Column("domain", "text"),
    Column("distance", "whole"),
    Column("user", "text"),
    Column("reply", "text"),
    Column("status", "text"),
    Column("cause", "text"),
    Column("failure", "text"),
    Column("flags", "texts"),
)
_AFTER: Final = (
    Column("refusal_kind", "text"),
    Column("refusal_expected", "flag"),
    Column("language", "text"),
    Column("checks_passed", "whole"),
    Column("checks_failed", "whole"),
    Column("checks_applied", "whole"),
    Column("failed_checks", "texts"),
    Column("seed", "whole"),
    Column("finish", "text"),
    Column("prompt_tokens", "whole"),
    Column("cached_tokens", "whole"),
    Column("new_tokens", "whole"),
    Column("seconds", "number"),
)


class Layout:
    """Which columns there are; ``signals`` are those that are measured, with their units."""

    def __init__(self, signals: Sequence[tuple[str, SignalUnit]]) -> None:
        self._signals: Final = tuple(signals)
        measured = (Column(name, _KINDS[unit]) for name, unit in signals)
        self.columns: Final[tuple[Column, ...]] = (*_BEFORE, *measured, *_AFTER)

    def rows(self, suite: Suite, run: RunRecord, arm: str, transcripts: Iterable[Assessed]) -> Iterator[Row]:
        """The rows of one run, in the order of its transcripts; then those of conversations that it does not have.

        Raises:
            KeyError: A transcript is of a conversation that the suite does not have.
        """
        conversations = {one.id: one for one in suite.conversations}
        held: set[Session] = set()
        for assessed in transcripts:
            session = assessed.transcript.session
            held.add(session)
            yield from self._of(conversations[session.conversation], (run, arm, session), assessed)
        planned = run.conditions.planned_samples
        sessions = (Session(name, sample) for name in conversations for sample in range(planned))
        for session in sessions:
            if session not in held:
                yield from self._of(conversations[session.conversation], (run, arm, session), None)

    def _of(
        self, conversation: Conversation, who: tuple[RunRecord, str, Session], assessed: Assessed | None
    ) -> Iterator[Row]:
        """The rows of one conversation, held once or not at all."""
        run, arm, session = who
        records = {one.turn: one for one in assessed.transcript.turns} if assessed is not None else {}
        signals: dict[int, dict[str, Signal]] = {}
        for signal in assessed.signals if assessed is not None else ():
            signals.setdefault(signal.turn, {})[signal.name] = signal
        for at, turn in enumerate(conversation.turns):
            record, found = records.get(at), signals.get(at, {})
            yield (
                *(run.id, arm, run.arm.spec, session.conversation, session.sample + 1, at + 1),
                *(conversation.capability_of(at), conversation.category, conversation.domain, turn.distance),
                *(record.user if record is not None else turn.text, *_held(record)),
                *(_measured(found.get(name), unit) for name, unit in self._signals),
                *(_refusal_kind(found), _flag(turn.refusal_expected), _language(found)),
                *_checks(assessed.checks_of(at) if assessed is not None else ()),
                *_drawn(record),
            )


def _held(record: TurnRecord | None) -> Row:
    """Reply, status, cause, failure, flags."""
    if record is None:
        return None, NOT_HELD, None, None, None
    failure = record.failure.kind if record.failure is not None else None
    return record.reply, record.status, record.cause, failure, record.flags


def _measured(signal: Signal | None, unit: SignalUnit) -> Value:
    if signal is None or signal.value is None:
        return None
    return signal.value if _KINDS[unit] == "number" else round(signal.value)


def _flag(value: bool | None) -> int | None:  # noqa: FBT001 - what is asked about
    return None if value is None else int(value)


def _refusal_kind(signals: Mapping[str, Signal]) -> str | None:
    """Full or partial; None where the reply is no refusal."""
    label = signals["refusal"].label if "refusal" in signals else ""
    return label if label in REFUSED else None


def _language(signals: Mapping[str, Signal]) -> str | None:
    label = signals["language_change"].label if "language_change" in signals else ""
    return label if label and label != UNKNOWN else None


def _checks(checks: Sequence[Checked]) -> Row:
    """Passed, failed, passed or failed, what those that fail want; nothing at a turn without checks."""
    if not checks:
        return None, None, None, None
    found = Counter(one.result.outcome for one in checks)
    failed = tuple(one.wants for one in checks if one.result.outcome == "fail")
    return found["pass"], found["fail"], found["pass"] + found["fail"], failed


def _drawn(record: TurnRecord | None) -> Row:
    """Seed, finish, tokens of the prompt, of it from the cache, new ones, seconds."""
    if record is None:
        return (None,) * 6
    seconds = record.timing.total if record.timing is not None else None
    tokens = record.prompt_tokens, record.cached_tokens, record.new_tokens
    return record.seed, record.finish, *tokens, seconds
