"""Operations of the shared cases that resume what an earlier process left.

The cases speak of a results file with one record for each key. Here a key is a conversation of one turn, the file is
an export, and resuming is: import it, ask the store what is done, commit the rest, export. A line of theirs that is
JSON becomes our line for the same turn; a line that is none goes into our file byte for byte, as torn as it is.
"""

from __future__ import annotations

import asyncio
import base64
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from multiturn.codec import SCHEMA_VERSION, encode
from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.store import Store, export_run, import_run, open_store
from multiturn.store.portable import ExportLine
from multiturn.transcript import Failure, Sampling, Session, TurnRecord

LINES_BEFORE = 2
"""Lines of an export before the first turn: the run and its suite."""


def planned_run(keys: list[str]) -> tuple[RunRecord, Suite]:
    """A run of one-turn conversations, one for each key."""
    suite = Suite(name="keys", conversations=tuple(Conversation(id=key, turns=(Turn(text="hello"),)) for key in keys))
    conditions = Conditions(
        suite_digest=suite.digest,
        sampling=Sampling(),
        samples=1,
        history="self",
        overflow="stop",
        context_window=None,
        system=None,
        template="model",
        reproducible=False,
        identity={},
    )
    run = RunRecord(
        id="run",
        created="2026-01-01T00:00:00+00:00",
        arm=Arm(spec="scripted:case"),
        suite_name=suite.name,
        suite_version=suite.version,
        conversations=len(keys),
        turns=len(keys),
        conditions=conditions,
        versions={},
    )
    return run, suite


def turn_of(record: dict[str, Any]) -> TurnRecord:
    """A record of theirs as a turn."""
    if record["status"] == "ok":
        return TurnRecord(turn=0, user="hello", status="ok", reply=record.get("text", ""))
    return TurnRecord(turn=0, user="hello", status="failed", failure=Failure("server", "error"), cause="environment")


def our_line(line: bytes) -> bytes:
    """Their line as ours; one that is torn stays as it is."""
    try:
        record = json.loads(line)
    except ValueError:
        return line
    return encode(ExportLine(session=Session(record["key"]), turn=turn_of(record)))


@contextmanager
def empty_store() -> Iterator[tuple[Store, Path]]:
    """A store in a folder of its own, and that folder."""
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "case.db") as store:
        yield store, Path(folder)


def commit(store: Store, turns: list[tuple[str, TurnRecord]]) -> int:
    """Commit these turns; how many were accepted."""

    async def all_of_them() -> int:
        async with store.writer("run") as writer:
            for key, turn in turns:
                await writer.commit(Session(key), turn)
        return len(turns)

    return asyncio.run(all_of_them())


def split(store: Store, planned: list[str]) -> dict[str, Any]:
    """What is kept and what is to be run, in the order of the plan."""
    done = {session.conversation for session in store.done_sessions("run")}
    return {"keep": [key for key in planned if key in done], "run": [key for key in planned if key not in done]}


def resume_file(given: dict[str, Any]) -> dict[str, Any]:
    """Bytes of the results file + planned keys -> keep and run; state of the file afterwards."""
    run, suite = planned_run(given["planned"])
    head = encode(ExportLine(schema=SCHEMA_VERSION, run=run)) + b"\n" + encode(ExportLine(suite=suite)) + b"\n"
    theirs = base64.b64decode(given["bytes_b64"])
    with empty_store() as (store, folder):
        file = folder / "run.jsonl"
        file.write_bytes(head + b"\n".join(our_line(line) for line in theirs.split(b"\n")))
        imported = import_run(store, file)
        plan = split(store, given["planned"])
        asked = commit(store, [(key, turn_of({"status": "ok", "text": "new"})) for key in plan["run"]])
        export_run(store, "run", file)
        after = [json.loads(line) for line in file.read_bytes().splitlines()]
    bad = [notice.line - LINES_BEFORE for notice in imported.notices]
    return plan | {
        "after_all_lines_parse": True,
        "after_keys": [line["session"]["conversation"] for line in after[LINES_BEFORE:]],
        "notice": len(bad) == 1,
        "bad_line_reported": bad[0] if bad else None,
        "requests": asked,
    }


def resume_plan(given: dict[str, Any]) -> dict[str, Any]:
    """Parsed records + planned keys -> keep and run."""
    run, suite = planned_run(given["planned"])
    with empty_store() as (store, _folder):
        store.save_suite(suite)
        store.create_run(run)
        commit(store, [(record["key"], turn_of(record)) for record in given["records"]])
        return split(store, given["planned"])


OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "resume_file": resume_file,
    "resume_plan": resume_plan,
}
