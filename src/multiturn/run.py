"""Many conversations with one engine, into the store: as many open as the engine keeps warm, resumable at any moment.

A conversation is a coroutine; there is no barrier between turns or conversations, and a finished one admits the next,
so memory does not grow with the suite. Every turn is durable before the next is asked for.
"""

from __future__ import annotations

import datetime as dt
import platform
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from multiturn import __version__
from multiturn.conditions import Arm, ByCategory, Conditions, RunRecord, differences
from multiturn.conversation import Category, Conversation, Suite
from multiturn.dialogue import Manner, hold
from multiturn.errors import ConditionsDiffer, EngineError, UsageError
from multiturn.protocols import Engine
from multiturn.store import Store
from multiturn.tasks import together
from multiturn.transcript import (
    REPLIED,
    HistoryMode,
    OverflowPolicy,
    Sampling,
    Session,
    ThinkPolicy,
    TurnRecord,
)

GIVE_UP_AFTER: Final = 5
"""Conversations that fail one after the other, with no reply between, before a run stops: the server is gone."""


_WHAT_NEXT: Final = {
    "auth": "mend the key or its rights, then give the same command again: it goes on from there",
    "not_found": "mend the model's name or its URL; what is stored is kept",
    "bad_request": "the server refuses what is asked for: leave out the field that it names, or see docs/models.md",
}
"""What to do after failures that no waiting cures, by their kind."""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run is. ``*_done`` include what was stored before; replies and tokens are of this session only.

    ``seconds`` is since this session began to ask. ``missing`` counts the turns that have no reply through no doing of
    the model: those that failed, that did not fit the window from the start, and that were then not reached; of this
    session, or of the whole run where nothing had to be asked for. ``replays_differing`` counts the turns that went on
    from an earlier reply that no longer came out the same, ``endless`` the replies that ended inside their reasoning.
    """

    conversations: int
    conversations_done: int
    turns: int
    turns_done: int
    replies: int
    new_tokens: int
    failures: int
    seconds: float
    missing: int = 0
    replays_differing: int = 0
    endless: int = 0


Watch = Callable[[Progress], None]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is asked for, apart from suite and engine.

    ``window`` limits the budget below the engine's own. ``temperatures`` are those of conversations by their category,
    in place of the sampling's; none where they are all drawn alike.
    """

    sampling: Sampling = Sampling()
    samples: int = 1
    history: HistoryMode = "self"
    overflow: OverflowPolicy = "stop"
    window: int | None = None
    think: ThinkPolicy = "auto"
    temperatures: dict[Category, float] = {}


def conditions_of(suite: Suite, engine: Engine, arm: Arm, settings: Settings) -> Conditions:
    """The conditions under which this engine would hold this suite.

    Raises:
        UsageError: golden history is asked for and a golden is missing.
    """
    if settings.history == "golden":
        _require_goldens(suite)
    own, asked = engine.facts.context_window, settings.window
    return Conditions(
        suite_digest=suite.digest_for(settings.history),
        sampling=settings.sampling,
        samples=settings.samples,
        history=settings.history,
        overflow=settings.overflow,
        context_window=min(own, asked) if own is not None and asked is not None else asked or own,
        system=arm.system,
        template=arm.template,
        reproducible=engine.facts.reproducible,
        identity=engine.facts.identity,
        think=settings.think,
        by_category=ByCategory(temperatures=settings.temperatures, categories=suite.categories)
        if settings.temperatures
        else msgspec.UNSET,
    )


def new_run(suite: Suite, engine: Engine, arm: Arm, conditions: Conditions) -> RunRecord:
    """A record for a run that begins now, with an id of its own."""
    now = dt.datetime.now(dt.UTC)
    notes = list(engine.facts.notes)
    if engine.facts.fallback_template and arm.template == "model":
        notes.append("the model has no chat template: the plain User:/Assistant: form was used")
    return RunRecord(
        id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}",
        created=now.isoformat(timespec="microseconds"),
        arm=arm,
        suite_name=suite.name,
        suite_version=suite.version,
        conversations=len(suite.conversations),
        turns=suite.turn_count * conditions.samples,
        conditions=conditions,
        versions={"multiturn": __version__, "python": platform.python_version(), "machine": platform.machine()},
        notes=tuple(notes),
    )


def find_or_begin(
    store: Store, suite: Suite, engine: Engine, arm: Arm, settings: Settings, *, resume: str | None, fresh: bool
) -> RunRecord:
    """The run to hold: the one named by ``resume``, else the newest under the same conditions, else a new one.

    Args:
        store: where runs are.
        suite: what is to be held.
        engine: who is to hold it.
        arm: as it is to be recorded.
        settings: how.
        resume: id (or its beginning) of the run to go on with; None to look for one.
        fresh: begin a new run even where one under the same conditions is there.

    Raises:
        ConditionsDiffer: the run to resume was begun under other conditions; each is named with both values.
    """
    conditions = conditions_of(suite, engine, arm, settings)
    if resume is not None:
        run = store.run(resume)
        _refuse_other_conditions(run, conditions)
        store.save_suite(suite, settings.history)
        return run
    store.save_suite(suite, settings.history)
    if not fresh:
        for run in store.find(conditions.fingerprint):
            return run
    run = new_run(suite, engine, arm, conditions)
    store.create_run(run)
    return run


async def hold_run(
    store: Store, run: RunRecord, suite: Suite, engine: Engine, *, watch: Watch = lambda _: None
) -> Progress:
    """Hold what is missing of a run and return how far it is; nothing is asked for when nothing is missing.

    Raises:
        StoreError: the store can't be written, or another process holds this run.
        EngineError: the engine can't be set up, or fails for one conversation after the other; what is done is kept.
    """
    if not _left(store, run, suite):
        return stored_progress(store, run, suite)
    manner = Manner.of(run.conditions)
    by_id = {conversation.id: conversation for conversation in suite.conversations}
    with store.lease(run.id):
        left = _left(store, run, suite)
        tally = _Tally(run, left, by_id, watch)
        waiting = iter(left)
        if any(stand for _, stand in left) or len(left) < run.conversations * run.conditions.samples:
            watch(tally.progress())  # going on: say from where
        async with store.writer(run.id) as writer:

            async def work() -> None:
                for session, committed in waiting:

                    async def commit(record: TurnRecord, session: Session = session) -> None:
                        await writer.commit(session, record)
                        tally.turn(record)

                    await hold(
                        by_id[session.conversation],
                        engine,
                        manner,
                        sample=session.sample,
                        committed=committed,
                        commit=commit,
                    )
                    tally.conversation()

            await together(work, min(engine.facts.open_conversations, len(left)))
    return tally.progress()


def stored_progress(store: Store, run: RunRecord, suite: Suite) -> Progress:
    """How far a run is in the store, and all that is missing of what is there; nothing is held."""
    by_id = {conversation.id: conversation for conversation in suite.conversations}
    progress = _Tally(run, _left(store, run, suite), by_id, lambda _: None).progress()
    if store.progress(run.id).keys() <= REPLIED:
        return progress
    missing = sum(record.missing for transcript in store.transcripts(run.id) for record in transcript.turns)
    return msgspec.structs.replace(progress, missing=missing)


def standing(records: tuple[TurnRecord, ...]) -> tuple[TurnRecord, ...]:
    """The turns that a resumed conversation goes on from: from the first on, up to one that must be asked for again."""
    kept: list[TurnRecord] = []
    for index, record in enumerate(records):
        if record.turn != index or record.status in {"failed", "not_reached"}:
            break
        kept.append(record)
    return tuple(kept)


def finished(records: tuple[TurnRecord, ...], conversation: Conversation) -> bool:
    """Whether a session needs nothing more: every turn is there and none failed through the environment's doing.

    An overflow is final, whoever's doing: asked again it would overflow again.
    """
    return len(records) == len(conversation.turns) and all(record.status != "failed" for record in records)


_Left = list[tuple[Session, tuple[TurnRecord, ...]]]
"""Sessions that need something more, each with the turns that stand."""


def _left(store: Store, run: RunRecord, suite: Suite) -> _Left:
    begun = store.begun_sessions(run.id)
    done = store.done_sessions(run.id) if begun else frozenset()
    left: _Left = []
    for conversation in suite.conversations:
        for sample in range(run.conditions.samples):
            session = Session(conversation.id, sample)
            if session in done:
                continue
            records = store.records(run.id, session) if session in begun else ()
            if not finished(records, conversation):
                left.append((session, standing(records)))
    return left


class _Tally:
    """Counts what a run has done, tells who watches, and notices that an engine is gone."""

    def __init__(self, run: RunRecord, left: _Left, by_id: Mapping[str, Conversation], watch: Watch) -> None:
        self._watch = watch
        self._sessions = run.conversations * run.conditions.samples
        self._sessions_done = self._sessions - len(left)
        self._turns = run.turns
        to_commit = sum(len(by_id[session.conversation].turns) - len(stand) for session, stand in left)
        self._turns_done = self._turns - to_commit
        self._replies = self._tokens = self._failures = self._missing = self._differing = self._in_a_row = 0
        self._endless = 0
        self._last_failure = self._last_kind = ""
        self._started = time.monotonic()

    def turn(self, record: TurnRecord) -> None:
        """A turn is durable."""
        self._turns_done += 1
        self._tokens += record.new_tokens or 0
        self._missing += record.missing
        self._differing += "replay_differs" in record.flags
        self._endless += "reasoning_unfinished" in record.flags
        if record.status == "failed":
            self._failures += 1
            self._in_a_row += 1
            self._last_failure = record.failure.message if record.failure else ""
            self._last_kind = record.failure.kind if record.failure else ""
        elif record.status in REPLIED:
            self._replies += 1
            self._in_a_row = 0
        self._watch(self.progress())

    def conversation(self) -> None:
        """A conversation is over.

        Raises:
            EngineError: too many in a row have failed.
        """
        self._sessions_done += 1
        self._watch(self.progress())
        if self._in_a_row >= GIVE_UP_AFTER:
            raise EngineError(
                f"{self._in_a_row} conversations in a row failed; the last one: {self._last_failure}",
                hint=_WHAT_NEXT.get(
                    self._last_kind,
                    "once the engine or its server is well, give the same command again: it goes on from there",
                ),
            )

    def progress(self) -> Progress:
        """How far it is now."""
        return Progress(
            conversations=self._sessions,
            conversations_done=self._sessions_done,
            turns=self._turns,
            turns_done=self._turns_done,
            replies=self._replies,
            new_tokens=self._tokens,
            failures=self._failures,
            missing=self._missing,
            replays_differing=self._differing,
            endless=self._endless,
            seconds=time.monotonic() - self._started,
        )


def _require_goldens(suite: Suite) -> None:
    lacking = [
        f"{conversation.id} (turn {index + 1})"
        for conversation in suite.conversations
        for index, turn in enumerate(conversation.turns[:-1])
        if turn.golden is None
    ]
    if lacking:
        shown = ", ".join(lacking[:5]) + (f" and {len(lacking) - 5} more" if len(lacking) > 5 else "")  # noqa: PLR2004
        raise UsageError(
            f"golden history needs a golden reply for every turn but the last; there is none for {shown}",
            hint="leave out --history golden, or hold only conversations that have goldens (--only ID)",
        )


def _refuse_other_conditions(run: RunRecord, conditions: Conditions) -> None:
    differ = differences(run.conditions, conditions)
    if differ:
        words = {
            "suite_digest": f"  suite_digest: {run.conversations} conversations of {run.suite_name} then, others now "
            "(look at --suite, --only and --limit)"
        }
        lines = "\n".join(
            words.get(name, f"  {name}: {was!r} then, {now!r} now") for name, (was, now) in differ.items()
        )
        raise ConditionsDiffer(
            f"run {run.id} was begun under other conditions:\n{lines}",
            hint="ask for the same conditions, or leave out --resume to begin a new run",
        )
