"""A small suite, a run of it, and a store with both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.store import Store, open_store
from multiturn.transcript import Sampling

MakeRun = Callable[..., RunRecord]


@pytest.fixture(name="suite")
def small_suite() -> Suite:
    """Three conversations, not in the order of their ids, the second with a system prompt."""
    return Suite(
        name="small",
        version="3",
        description="for tests",
        conversations=(
            Conversation(id="zebra", turns=(Turn(text="one"), Turn(text="two"))),
            Conversation(
                id="apple", turns=(Turn(text="eins"), Turn(text="zwei"), Turn(text="drei")), system="Be brief."
            ),
            Conversation(id="mango", turns=(Turn(text="un"),)),
        ),
    )


@pytest.fixture
def make_run(suite: Suite) -> MakeRun:
    """A run of the suite; any field of its conditions by name."""

    def made(run_id: str = "run-1", created: str = "2026-01-02T03:04:05+00:00", **conditions: object) -> RunRecord:
        fields: dict[str, object] = {
            "suite_digest": suite.digest,
            "sampling": Sampling(),
            "samples": 1,
            "history": "self",
            "overflow": "stop",
            "context_window": 4096,
            "system": None,
            "template": "model",
            "reproducible": True,
            "identity": {"weights": "abc", "engine": "scripted 1"},
        }
        return RunRecord(
            id=run_id,
            created=created,
            arm=Arm(spec="scripted:parrot"),
            suite_name=suite.name,
            suite_version=suite.version,
            conversations=len(suite.conversations),
            turns=suite.turn_count,
            conditions=Conditions(**(fields | conditions)),  # type: ignore[arg-type]  # any field, by name
            versions={"multiturn": "0"},
        )

    return made


@pytest.fixture
def store(tmp_path: Path, suite: Suite, make_run: MakeRun) -> Iterator[Store]:
    """An open store with the suite and the run ``run-1``, no turns yet."""
    with open_store(tmp_path / "runs.db", busy_seconds=10) as opened:
        opened.save_suite(suite)
        opened.create_run(make_run())
        yield opened
