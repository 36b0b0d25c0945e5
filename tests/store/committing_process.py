"""What tests start as another process: it commits turns, or holds a run, and says so line by line.

committing_process.py commit STORE RUN FIRST COUNT   commits two turns for each of COUNT conversations
committing_process.py hold STORE RUN                 holds the run until its input ends
committing_process.py open STORE                     opens and closes
committing_process.py limit STORE RUN                commits with a limit on the size of files
"""

from __future__ import annotations

import asyncio
import os
import resource
import secrets
import sys
import time
from datetime import UTC, datetime

from sqlalchemy import event

from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.errors import MultiturnError
from multiturn.store import Store, Writer, open_store
from multiturn.transcript import Sampling, Session, Timing, TurnRecord

COMMITTERS = 8
NOBODY = 65534


def say(line: str) -> None:
    """One line, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def reply(turn: int) -> TurnRecord:
    """A turn of some size."""
    return TurnRecord(turn=turn, user="hello", status="ok", reply="word " * 100)


async def commit(store: Store, run_id: str, first: int, count: int) -> None:
    """Commit from several tasks; a line for each turn once its commit has returned."""
    conversations = iter(range(first, first + count))

    async def hold(writer: Writer) -> None:
        for number in conversations:
            for turn in (0, 1):
                await writer.commit(Session(f"c{number}"), reply(turn))
                say(f"c{number} {turn}")

    async with store.writer(run_id) as writer:
        await asyncio.gather(*(hold(writer) for _ in range(COMMITTERS)))


def new_run() -> RunRecord:
    """A run of a suite that nobody needs to read."""
    conditions = Conditions(
        suite_digest="0" * 64,
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
    return RunRecord(
        id=secrets.token_hex(8),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        arm=Arm(spec="scripted:measure"),
        suite_name="none",
        suite_version="1",
        conversations=0,
        turns=0,
        conditions=conditions,
        versions={},
    )


async def measure(store: Store, turns: int) -> None:
    """Commit turns of a usual size from 32 tasks at once; say what a turn cost in CPU time and in transactions."""
    run = new_run()
    store.create_run(run)
    transactions: list[object] = []
    event.listen(store.engine, "commit", transactions.append)
    numbers = iter(range(turns))
    record = TurnRecord(
        turn=0,
        user="hello " * 20,
        status="ok",
        reply="word " * 200,
        prompt_delta="word " * 60,
        prompt_sha256="a" * 64,
        token_ids=tuple(range(200)),
        timing=Timing(total=1.5, prompt=0.5, generate=1.0),
    )

    async def hold(writer: Writer) -> None:
        for number in numbers:
            await writer.commit(Session(f"c{number}"), record)

    async with store.writer(run.id) as writer:
        begun, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(hold(writer) for _ in range(32)))
        seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    say(f"{turns} turns in {len(transactions)} transactions, {seconds:.2f} s; {cpu / turns * 1e6:.0f} us of CPU a turn")


def become_nobody(spare: str) -> None:
    """Give up all rights, after everything is imported: this Python may lie where nobody else may look."""
    with open_store(spare):
        pass
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def main(what: str, where: str, run_id: str = "", *numbers: str) -> None:
    """Do what is asked; an error of ours becomes a line."""
    if what == "nobody":
        become_nobody(run_id)
    try:
        with open_store(where) as store:
            if what == "hold":
                with store.lease(run_id):
                    say("held")
                    sys.stdin.read()
            elif what == "measure":
                asyncio.run(measure(store, int(run_id)))
            elif what == "limit":
                resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
                asyncio.run(commit(store, run_id, 0, 5000))
            elif what == "commit":
                first, count = numbers
                asyncio.run(commit(store, run_id, int(first), int(count)))
            say("done")
    except MultiturnError as error:
        say(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
