"""Operations of the shared cases that hold conversations: cleaning a reply, holding turns, order, fingerprints.

Where a case speaks of a server, there is one on loopback, asked through the engine that ``openai:`` opens. The cases'
words for how a turn ends stand in ``STATUSES``.
"""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cases.case_server import engine_for, script_of
from tests.faults.faulty_server import FaultyServer

from multiturn.cleaning import clean
from multiturn.conditions import Arm, flatten
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.dialogue import Manner, hold
from multiturn.engines.scripted import ScriptedEngine, echo
from multiturn.run import Settings, conditions_of, find_or_begin, hold_run
from multiturn.store import open_store
from multiturn.text.measure import is_blank
from multiturn.transcript import Request, Sampling, Status, TurnRecord

STATUSES: dict[Status, str] = {
    "ok": "ok",
    "overflowed": "context_overflow",
    "failed": "error",
    "not_reached": "not_run",
    "empty": "empty",
    "length": "length",
    "filtered": "filtered",
}
MAX_TOKENS = 5
CONCURRENCY = (1, 8)
TURNS = 3


def clean_answer(given: dict[str, Any]) -> dict[str, Any]:
    """Raw generation + stop list -> answer text and flags."""
    control = given.get("special_tokens", ()) if given.get("special_as_ids") else ()
    cleaned = clean(given["raw"], stop=given["stop"], control_tokens=control)
    return {
        "text": cleaned.text,
        "cut_by_stop": "stop_ignored" in cleaned.flags,
        "role_echo": "role_echo" in cleaned.flags,
        "empty": is_blank(cleaned.text),
    }


def run_conversation(given: dict[str, Any]) -> dict[str, Any]:
    """Turns against a server on loopback, through the engine for servers -> status per turn, answers, request count."""
    conversation = Conversation(id="case", turns=tuple(Turn(text=text) for text in given["turns"]))

    async def forget(_record: TurnRecord) -> None:
        """The transcript is returned."""

    async def converse() -> tuple[TurnRecord, ...]:
        engine = engine_for(server, given)
        try:
            return (await hold(conversation, engine, Manner(sampling=Sampling()), commit=forget)).turns
        finally:
            await engine.close()

    with FaultyServer(script_of(given)) as server:
        turns = asyncio.run(converse())
    bad = next((turn for turn in turns if turn.reply is None), None)
    return {
        "status": STATUSES[bad.status] if bad else "ok",
        "failed_turn": bad.turn + 1 if bad else None,
        "requests": len(server.chats),
        "answers": [turn.reply for turn in turns],
        "turn_status": [STATUSES[turn.status] for turn in turns],
        "transcript": [turn.reply for turn in turns if turn.reply is not None],
    }


def results_of(ids: Sequence[str], at_once: int, folder: Path) -> dict[tuple[str, int], tuple[object, ...]]:
    """What a run of conversations in this order says, through the store, without times."""
    suite = Suite(
        name="order",
        conversations=tuple(
            Conversation(id=name, turns=tuple(Turn(text=f"{name} says {turn}") for turn in range(TURNS)))
            for name in ids
        ),
    )

    async def script(request: Request) -> str:
        for _ in range(request.seed % 5):  # others come between, differently for each turn
            await asyncio.sleep(0)
        return echo(request)

    engine = ScriptedEngine(script, open_conversations=at_once)
    settings = Settings(sampling=Sampling(max_tokens=MAX_TOKENS))
    with open_store(folder / "runs.db") as store:
        run = find_or_begin(store, suite, engine, Arm(spec=engine.spec), settings, resume=None, fresh=True)
        asyncio.run(hold_run(store, run, suite, engine))
        return {
            (one.session.conversation, turn.turn): (turn.status, turn.reply, turn.seed, turn.prompt_sha256, turn.flags)
            for one in store.transcripts(run.id)
            for turn in one.turns
        }


def order(given: dict[str, Any]) -> dict[str, Any]:
    """Mock server -> results independent of order and concurrency."""
    if given["server"] != "echo_last_user":
        pytest.skip(f"there is no script for the server {given['server']}")
    ids = given["ids"]
    with tempfile.TemporaryDirectory() as folder:
        first = results_of(ids, 1, Path(folder))
        orders = [results_of(other, 1, Path(folder)) == first for other in itertools.permutations(ids)]
        same = [number for number in CONCURRENCY if results_of(ids, number, Path(folder)) == first]
    return {
        "same_results_for_any_order": len(first) == TURNS * len(ids) and all(orders),
        "same_for_concurrency": same,
    }


def fingerprint(config: dict[str, Any]) -> str:
    """The fingerprint of a run with this model and these settings.

    A key of theirs that is neither must be none of our conditions: it has no way in.
    """
    suite = Suite(name="one", conversations=(Conversation(id="c", turns=(Turn(text="x"),)),))
    known = {"model", *Sampling.__struct_fields__}
    sampling = Sampling(**{name: value for name, value in config.items() if name in Sampling.__struct_fields__})
    engine = ScriptedEngine(echo, identity={"weights": config["model"]})
    conditions = conditions_of(suite, engine, Arm(spec=engine.spec), Settings(sampling=sampling))
    for name, value in config.items():
        if name not in known:
            assert name not in flatten(conditions)
            assert value not in flatten(conditions).values()
    return conditions.fingerprint


def config_fingerprint(given: dict[str, Any]) -> dict[str, Any]:
    """Two configs -> same fingerprint or not."""
    return {"equal": fingerprint(given["a"]) == fingerprint(given["b"])}


OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "clean_answer": clean_answer,
    "config_fingerprint": config_fingerprint,
    "order": order,
    "run_conversation": run_conversation,
}
