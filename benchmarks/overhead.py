"""What multiturn itself costs a reply: CPU time of a run on the scripted engine, with and without the store.

    python benchmarks/overhead.py [--conversations 2000] [--rounds 3]

The engine answers at once with 900 characters and 220 token ids, so all that is left is ours: building messages,
cleaning the reply, recording the prompt, JSON, and the commit (synchronous=FULL). Signals are measured beside it, since
they are computed when a run is read.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from workload import suite_of

from multiturn.assess import assess
from multiturn.conditions import Arm
from multiturn.conversation import Suite
from multiturn.dialogue import Manner, hold
from multiturn.engines.scripted import ScriptedEngine
from multiturn.run import Settings, find_or_begin, hold_run
from multiturn.store import open_store
from multiturn.transcript import Reply, Request, Sampling, Timing, TurnRecord

WORDS = "A reply of a usual length says what it has to say in some sentences. " * 13
IDS = tuple(range(1000, 1220))


def script(request: Request) -> Reply:
    """A long reply, at once."""
    text = f"{request.turn}: {WORDS}"
    return Reply(text=text, finish="stop", timing=Timing(total=0.0), token_ids=IDS, prompt_tokens=None, new_tokens=220)


async def without_store(suite: Suite) -> None:
    """Only the dialogue."""

    async def forget(_record: TurnRecord) -> None:
        return None

    engine, manner = ScriptedEngine(script), Manner(sampling=Sampling())
    for conversation in suite.conversations:
        await hold(conversation, engine, manner, commit=forget)


def seconds_of(suite: Suite, folder: Path) -> dict[str, float]:
    """CPU seconds of the process (all its threads, user and system) for each part."""
    found: dict[str, float] = {}
    start = time.process_time()
    asyncio.run(without_store(suite))
    found["dialogue"] = time.process_time() - start
    with open_store(folder / "bench.db") as store:
        engine = ScriptedEngine(script)
        run = find_or_begin(store, suite, engine, Arm(spec="scripted:bench"), Settings(), resume=None, fresh=True)
        start = time.process_time()
        asyncio.run(hold_run(store, run, suite, engine))
        found["run with store"] = time.process_time() - start
        start = time.process_time()
        for transcript in store.transcripts(run.id):
            assess(transcript)
        found["read and signals"] = time.process_time() - start
    return found


def main() -> None:
    """Measure and print one line a part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--conversations", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    suite = suite_of(asked.conversations)
    rounds = []
    for _ in range(asked.rounds):
        with tempfile.TemporaryDirectory() as folder:
            rounds.append(seconds_of(suite, Path(folder)))
    for part in rounds[0]:
        each = [1000 * one[part] / suite.turn_count for one in rounds]
        print(f"{part:18} {statistics.median(each):.3f} ms CPU a reply (from {min(each):.3f} to {max(each):.3f})")


if __name__ == "__main__":
    main()
