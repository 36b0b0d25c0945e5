"""Going back into a stored conversation: the turns before are taken over, what is said from there on is new.

What comes of it is kept as a run of its own, with a suite of the one conversation as it was said this time.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

import msgspec

from multiturn.conditions import RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.dialogue import Dialogue, Manner
from multiturn.errors import UsageError
from multiturn.protocols import Engine
from multiturn.run import new_run
from multiturn.store import Store
from multiturn.transcript import Session, Transcript, TurnRecord


class Replay:
    """A conversation taken up again at a turn; use it in an ``async with`` and ``say`` what comes next.

    ``original`` is what the first new turn was; ``records`` are the turns taken over; ``kept`` is the run that it
    became, once it is over, or None where nothing was said.
    """

    def __init__(
        self, store: Store, run: RunRecord, transcript: Transcript, conversation: Conversation, start: int
    ) -> None:
        self._manner = Manner.of(run.conditions).for_one(conversation)
        if not 1 <= start <= len(conversation.turns):
            raise UsageError(
                f"conversation {conversation.id!r} has no turn {start}", hint=f"--from 1 to {len(conversation.turns)}"
            )
        self.original = conversation.turns[start - 1].text
        self.records = transcript.turns[: start - 1]
        if len(self.records) < start - 1 or any(record.reply is None for record in self.records):
            raise UsageError(
                f"run {run.id} has no reply to every turn before turn {start}", hint="choose an earlier turn"
            )
        self.kept: RunRecord | None = None
        self._store = store
        self._run = run
        self._conversation = conversation
        self._turns = list(conversation.turns[: start - 1])
        self._system = transcript.system
        self._sample = transcript.session.sample

    def on(self, engine: Engine) -> Self:
        """Choose who replies."""
        self._engine = engine
        self._dialogue = Dialogue(engine, self._manner, Session(self._conversation.id, self._sample), self._system)
        return self

    async def __aenter__(self) -> Self:
        await self._dialogue.__aenter__()
        try:
            for turn, record in zip(self._turns, self.records, strict=True):
                await self._dialogue.again(turn, record)
        except BaseException as error:  # also a cancellation: who enters in vain is never left
            await self._dialogue.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def say(self, text: str) -> TurnRecord:
        """Say something and hold the reply."""
        if not text.strip():
            raise UsageError("an empty text can't be said", hint='give some words: --say "..."')
        turn = Turn(text=text)
        record = await self._dialogue.say(turn)
        self._turns.append(turn)
        return record

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._dialogue.__aexit__(kind, error, trace)
        records = self._dialogue.transcript.turns
        if len(records) > len(self.records):
            self.kept = await self._keep(records)

    async def _keep(self, records: tuple[TurnRecord, ...]) -> RunRecord:
        said = msgspec.structs.replace(self._conversation, turns=tuple(self._turns))
        suite = Suite(name=f"replay of {self._run.id}", conversations=(said,))
        facts = self._engine.facts
        conditions = msgspec.structs.replace(
            self._run.conditions,
            suite_digest=suite.digest_for(self._run.conditions.history),
            samples=1,
            identity=facts.identity,
            reproducible=facts.reproducible,
        )
        run = new_run(suite, self._engine, self._run.arm, conditions)
        self._store.save_suite(suite, conditions.history)
        self._store.create_run(run)
        async with self._store.writer(run.id) as writer:
            for record in records:
                await writer.commit(Session(said.id), record)
        return run
