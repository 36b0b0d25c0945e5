"""What is read of a run in the store: its transcripts, what is found in them, and how many checks it passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from multiturn.assess import assess
from multiturn.errors import NotFound
from multiturn.pass_rates import pass_rates as rates_of
from multiturn.transcript import Session, Transcript

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.finding import Assessed
    from multiturn.judgment import JudgeRecord
    from multiturn.results import PassRates
    from multiturn.store import Store


def transcripts(store: Store, run: RunRecord, conversation: str | None = None) -> list[Transcript]:
    """The transcripts of a run, or of one of its conversations (one a sample).

    Raises:
        NotFound: the run has no such conversation yet.
    """
    if conversation is None:
        return list(store.transcripts(run.id))
    by_id = {item.id: item for item in store.suite(run.conditions.suite_digest).conversations}
    found = []
    if conversation in by_id:
        own = by_id[conversation].system
        system = (own if run.conditions.system is None else run.conditions.system) or None
        sessions = [Session(conversation, sample) for sample in range(run.conditions.samples)]
        records = [(session, store.records(run.id, session)) for session in sessions]
        found = [Transcript(session=session, turns=turns, system=system) for session, turns in records if turns]
    if not found:
        raise NotFound(f"run {run.id} has no conversation {conversation!r}", hint=f"it has: {', '.join(sorted(by_id))}")
    return found


def assessed(
    store: Store, run: RunRecord, conversation: str | None = None, panel: Sequence[JudgeRecord] = ()
) -> Iterator[Assessed]:
    """The transcripts of a run, or of one of its conversations, with their signals and what the suite's checks say.

    Each is read as it is asked for, so memory does not grow with the run. ``panel`` are the judges whose ratings count
    (:func:`multiturn.grading.panel_of`); what they said comes with each transcript.

    Raises:
        NotFound: the run has no such conversation yet.
    """
    by_id = {item.id: item for item in store.suite(run.conditions.suite_digest).conversations}
    chosen = store.transcripts(run.id) if conversation is None else transcripts(store, run, conversation)
    for transcript in chosen:
        item = by_id.get(transcript.session.conversation)
        found = assess(transcript, conversation=item, golden_history=_golden(run))
        yield _with_judgments(store, run, found, panel) if panel else found


def _with_judgments(store: Store, run: RunRecord, found: Assessed, panel: Sequence[JudgeRecord]) -> Assessed:
    """The same with what the panel says of it."""
    ids = tuple(judge.id for judge in panel)
    session = found.transcript.session
    said = store.judgments.of_run(run.id, conversation=session.conversation)
    judged = tuple(one for one in said if one.judge in ids and one.question.sample == session.sample)
    return msgspec.structs.replace(found, judged=judged, panel=ids)


def pass_rates(store: Store, run: RunRecord) -> PassRates:
    """The share of its checks that a run passes, over all turns and by group; no rate where its suite has no checks."""
    return rates_of(
        store.suite(run.conditions.suite_digest),
        store.transcripts(run.id),
        name=run.arm.spec,
        golden_history=_golden(run),
    )


def _golden(run: RunRecord) -> bool:
    return run.conditions.history == "golden"
