"""The other side of each example: a few turns held by multiturn, in a store that is thrown away."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from multiturn import api
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.transcript import TurnRecord

FIRST = api.Sampling()


def suite_of(conversations: Mapping[str, Sequence[str]]) -> Suite:
    """A suite of these user's turns, by id."""
    return Suite(
        name="example",
        conversations=tuple(
            Conversation(id=name, turns=tuple(Turn(text=text) for text in turns))
            for name, turns in conversations.items()
        ),
    )


def hold(
    model: str | Path,
    conversations: Mapping[str, Sequence[str]],
    sampling: api.Sampling = FIRST,
    options: api.EngineOptions | None = None,
) -> dict[str, tuple[TurnRecord, ...]]:
    """Hold conversations with a model, and give their turns by id."""
    with tempfile.TemporaryDirectory() as folder:
        job = api.Job(
            suite=suite_of(conversations),
            settings=api.Settings(sampling=sampling),
            options=options or api.EngineOptions(),
            store=Path(folder) / "runs.db",
        )
        run = api.evaluate(str(model), job).run
        with api.open_store(job.store) as store:
            return {one.session.conversation: one.turns for one in api.transcripts(store, run)}
