"""Where conversations are held with a server that fails: a folder with a store, through ``multiturn.api``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final, NamedTuple

from tests.faults.faulty_server import FaultyServer, Script, right_reply

from multiturn import api
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.facts import EngineOptions, ServerOptions
from multiturn.transcript import Status, Transcript, TurnRecord

QUICK: Final = ServerOptions(timeout=20, retries=2, longest_wait=0.02)
IMPATIENT: Final = ServerOptions(timeout=0.4, retries=2, longest_wait=0.02)
"""For servers that hang. Elsewhere a busy machine must not look like one."""
TRIES: Final = 1 + QUICK.retries
LONGEST: Final = 10.0
"""Seconds that any one conversation here may take."""
MARK: Final = "FAULTYTEXT"
"""Stands in every text of a fault, and may stand in no reply."""


def suite_of(conversations: int, turns: int) -> Suite:
    """No two turns alike."""
    return Suite(
        name="faults",
        conversations=tuple(
            Conversation(
                id=f"c{number:03}",
                turns=tuple(Turn(text=f"Say {turn} about {number}.") for turn in range(turns)),
            )
            for number in range(conversations)
        ),
    )


def patience(script: Script) -> ServerOptions:
    """Long, but where the script hangs."""
    silent = any(step.fault in {"hang", "slow_body"} for step in (*script.steps, script.always))
    return IMPATIENT if silent else QUICK


class Place(NamedTuple):
    """A folder with a store, and how runs are held in it."""

    folder: Path

    def job(self, suite: Suite, server: ServerOptions = QUICK, at_once: int | None = None) -> api.Job:
        """A job on the store of this place."""
        options = EngineOptions(server=server, workers=at_once)
        return api.Job(suite=suite, options=options, store=self.folder / "s.db")

    def hold(
        self, spec: str, suite: Suite, server: ServerOptions = QUICK, at_once: int | None = None
    ) -> list[Transcript]:
        """Hold a suite, and what the store then says."""
        held = api.evaluate(spec, self.job(suite, server, at_once))
        with api.open_store(self.folder / "s.db") as store:
            return api.transcripts(store, store.run(held.run.id))

    def one(
        self, script: Script, turns: int = 3, options: ServerOptions | None = None, *, ollama: bool = False
    ) -> tuple[tuple[TurnRecord, ...], FaultyServer]:
        """One conversation with a server that follows this script; its turns, and the server with what it was asked."""
        began = time.monotonic()
        with FaultyServer(script) as server:
            spec = server.ollama_spec if ollama else server.spec
            (transcript,) = self.hold(spec, suite_of(1, turns), options or patience(script))
        assert time.monotonic() - began < LONGEST
        assert len(transcript.turns) == turns
        assert MARK not in "".join(turn.reply or "" for turn in transcript.turns)
        return transcript.turns, server

    def stored(self) -> list[Transcript]:
        """Every transcript of the one run in the store."""
        with api.open_store(self.folder / "s.db") as store:
            (summary,) = store.runs()
            return api.transcripts(store, summary.run)


def statuses(turns: tuple[TurnRecord, ...]) -> list[Status]:
    return [turn.status for turn in turns]


def require_right(transcript: Transcript) -> None:
    """Every reply is what a healthy server says to the messages that this transcript says were sent."""
    messages: list[tuple[str, str]] = []
    for turn in transcript.turns:
        messages.append(("user", turn.user))
        if turn.status == "ok":
            assert turn.reply == right_reply(messages), transcript.session
            assert turn.raw is None
        messages.append(("assistant", turn.reply or ""))
