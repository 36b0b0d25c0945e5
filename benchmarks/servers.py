"""Models behind HTTP: what multiturn, store and dialogue included, costs beside the least code that holds the same.

    python benchmarks/servers.py [--rounds 3] [--conversations 256] [--profile]

One run: a loopback server in a process of its own on one core, the clients on another, lean and multiturn in turns.
Loop: 50 ms a reply and 32 at once, from the first request to the last reply as the server sees them, and the whole of
the work. CPU: the same at no delay, of the client's process, start-up aside. Whole process: 80 conversations x 2 turns
from the command to its end. ``--profile`` says instead where the CPU of the multiturn client goes.

The file is not called ``http.py``: beside its neighbours it would take the place of Python's own ``http``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import cProfile
import json
import os
import pstats
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import IO, Final, cast

import lean
from workload import suite_of

from multiturn.api import Job, aevaluate
from multiturn.conversation import Suite

HERE: Final = Path(__file__).parent
AT_ONCE: Final = 32
"""Requests in flight: the engine's own number where nobody says how many."""
TURNS: Final = 4
DELAY: Final = 50
"""Milliseconds a reply."""
BEST_PEER: Final = 6.1
"""Seconds that the quickest peer measured took for 80 x 2 at 50 ms, whole process."""
CORES: Final = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}
CAN_PIN: Final = len(CORES) > 1


async def hold_with_multiturn(url: str, suite: Suite) -> None:
    """Through the API, with a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        held = await aevaluate(f"openai:bench@{url}", Job(suite=suite, store=Path(folder) / "bench.db"))
    replies = held.progress.replies
    if replies != suite.turn_count:
        raise RuntimeError(f"{replies} replies of {suite.turn_count}")


async def hold_lean(url: str, suite: Suite) -> None:
    """The least code."""
    turns = [[turn.text for turn in conversation.turns] for conversation in suite.conversations]
    await lean.hold(url, turns, AT_ONCE)


CLIENTS: Final = {"lean": hold_lean, "multiturn": hold_with_multiturn}


def measure(client: str, address: str, delay: int, conversations: int) -> dict[str, float]:
    """In the client's process: warm up, then hold; seconds, CPU seconds, and what the server saw."""
    hold = CLIENTS[client]
    asyncio.run(hold(f"{address}/0/v1", suite_of(AT_ONCE, TURNS)))
    stats(address)
    began, cpu = time.monotonic(), time.process_time()
    asyncio.run(hold(f"{address}/{delay}/v1", suite_of(conversations, TURNS)))
    seconds, used = time.monotonic() - began, time.process_time() - cpu
    seen = stats(address)
    if seen["most"] > AT_ONCE:
        raise RuntimeError(f"{seen['most']:.0f} requests at once are not {AT_ONCE}")
    return {
        "whole": seconds,
        "loop": seen["loop"],
        "most": seen["most"],
        "cpu": 1000 * used / (conversations * TURNS),
        "server cpu": 1000 * seen["cpu"] / (conversations * TURNS),
    }


def stats(address: str) -> dict[str, float]:
    """What the server saw since the last call."""
    with urllib.request.urlopen(f"{address}/stats") as told:  # noqa: S310 - loopback
        found: dict[str, float] = json.load(told)
        return found


@contextlib.contextmanager
def server() -> Iterator[str]:
    """A server on the second core; its address."""
    command = [sys.executable, str(HERE / "loopback.py"), *(["--core", str(max(CORES))] if CAN_PIN else [])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        port = cast("IO[str]", process.stdout).readline().strip()
        yield f"http://127.0.0.1:{port}"
        process.communicate()


def pin() -> None:
    """This process, and what it starts, on the first core."""
    if CAN_PIN:
        os.sched_setaffinity(0, {min(CORES)})


def in_turns(rounds: int, each: Mapping[str, Callable[[], dict[str, float]]]) -> dict[str, dict[str, list[float]]]:
    """Every client, round after round; all figures of each."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in each}
    for _ in range(rounds):
        for name, work in each.items():
            for figure, value in work().items():
                found[name].setdefault(figure, []).append(value)
    return found


def in_a_process(client: str, address: str, delay: int, conversations: int) -> dict[str, float]:
    """``measure`` in a fresh process."""
    command = [sys.executable, __file__, "--client", client, "--address", address]
    command += ["--delay", str(delay), "--conversations", str(conversations)]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, float] = json.loads(told)
    return found


def compare(address: str, rounds: int, delay: int, conversations: int) -> None:
    """One line a client, and the ratio of the medians."""
    replies = conversations * TURNS
    print(f"\n{conversations} conversations x {TURNS} turns ({replies} replies), {delay} ms a reply, {AT_ONCE} at once")
    work = {name: partial(in_a_process, name, address, delay, conversations) for name in CLIENTS}
    found = in_turns(rounds, work)
    medians = {name: {figure: statistics.median(values) for figure, values in of.items()} for name, of in found.items()}
    for name, of in medians.items():
        spread = found[name]
        print(
            f"  {name:10} loop {of['loop']:6.3f} s ({min(spread['loop']):.3f} to {max(spread['loop']):.3f})   "
            f"whole {of['whole']:6.3f} s   CPU {of['cpu']:.3f} ms a reply "
            f"({min(spread['cpu']):.3f} to {max(spread['cpu']):.3f})   "
            f"at once {of['most']:.0f}   server's CPU {of['server cpu']:.3f} ms"
        )
    ratios = {figure: medians["multiturn"][figure] / medians["lean"][figure] for figure in ("loop", "whole", "cpu")}
    print("  multiturn / lean: " + ", ".join(f"{figure} {ratio:.2f}" for figure, ratio in ratios.items()))


def from_start_to_results(address: str, rounds: int) -> None:
    """80 x 2, whole processes."""
    suite = suite_of(80, 2)
    print(f"\n{len(suite.conversations)} conversations x 2 turns, {DELAY} ms a reply, whole process")
    url = f"{address}/{DELAY}/v1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        turns = [
            {"id": conversation.id, "turns": [turn.text for turn in conversation.turns]}
            for conversation in suite.conversations
        ]
        (folder / "suite.json").write_text(json.dumps(turns), encoding="utf-8")
        commands = {
            "lean": [sys.executable, str(HERE / "lean.py"), url, "suite.json"],
            "multiturn": [
                *(sys.executable, "-m", "multiturn", "run", f"openai:bench@{url}", "--suite", "suite.json"),
                *("--store", "bench.db", "--fresh", "-q"),
            ],
        }
        work = {who: partial(timed, command, folder) for who, command in commands.items()}
        found = in_turns(rounds, work)
    medians = {who: statistics.median(of["seconds"]) for who, of in found.items()}
    for who, of in found.items():
        print(f"  {who:10} {medians[who]:.2f} s ({min(of['seconds']):.2f} to {max(of['seconds']):.2f})")
    print(f"  multiturn / the best peer's {BEST_PEER} s: {medians['multiturn'] / BEST_PEER:.2f}")


def sync_time(count: int = 50) -> float:
    """Median milliseconds until this disk has 32 kB for good: what every turn waits for before the next."""
    with tempfile.TemporaryFile() as file:
        took = []
        for _ in range(count):
            file.write(bytes(2**15))
            file.flush()
            began = time.perf_counter()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - began)
    return 1000 * statistics.median(took)


def timed(command: list[str], folder: Path) -> dict[str, float]:
    """Seconds from the command to its end."""
    began = time.monotonic()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return {"seconds": time.monotonic() - began}


def profile(address: str, conversations: int) -> None:
    """Where the CPU of a run at no delay goes: own time by part, of the event loop's thread and of the store's.

    What is built into Python counts for whoever calls it. Profiling makes small calls look dearer than they are.
    """
    asyncio.run(hold_with_multiturn(f"{address}/0/v1", suite_of(AT_ONCE, TURNS)))
    profiles = [cProfile.Profile()]

    def begin(*_: object) -> None:  # in each new thread, which may wait for long: its own CPU time counts
        profiles.append(cProfile.Profile(time.thread_time))
        profiles[-1].enable()

    threading.setprofile(begin)
    profiles[0].enable()
    asyncio.run(hold_with_multiturn(f"{address}/0/v1", suite_of(conversations, TURNS)))
    profiles[0].disable()
    threading.setprofile(None)
    for thread, name in zip(profiles, ("event loop", *["other thread"] * len(profiles)), strict=False):
        parts, calls = by_part(pstats.Stats(thread))
        print(
            f"\n{name}: {1000 * sum(parts.values()) / (conversations * TURNS):.3f} ms a reply, profiler's own included"
        )
        for part, seconds in most(parts, 16):
            print(f"  {1000 * seconds / (conversations * TURNS):7.3f} ms  {part}")
        for function, seconds in most(calls, 25):
            print(f"      {1000 * seconds / (conversations * TURNS):7.3f} ms  {function}")


def most(found: Mapping[str, float], count: int) -> list[tuple[str, float]]:
    """The dearest."""
    return sorted(found.items(), key=itemgetter(1), reverse=True)[:count]


Place = tuple[str, int, str]


def by_part(found: pstats.Stats) -> tuple[dict[str, float], dict[str, float]]:
    """Own seconds by part of the program, and by function."""
    table: dict[Place, tuple[int, int, float, float, dict[Place, tuple[int, int, float, float]]]]
    table = found.stats  # type: ignore[attr-defined]
    parts: dict[str, float] = defaultdict(float)
    functions: dict[str, float] = defaultdict(float)
    for place, (_, _, own, _, callers) in table.items():
        file, _, name = place
        if not file.startswith("~"):
            parts[part_of(file)] += own
            functions[f"{part_of(file)} {name}"] += own
            continue
        for caller, (_, _, seconds, _) in callers.items():
            parts[part_of(caller[0])] += seconds
            functions[f"{part_of(caller[0])} {caller[2]} > {name.strip('<>')}"] += seconds
    return parts, functions


def part_of(file: str) -> str:
    """``multiturn/engines/http`` of ours, the package of others."""
    path = Path(file)
    names = path.with_suffix("").parts
    if "multiturn" in names:
        return "/".join(names[len(names) - 1 - names[::-1].index("multiturn") :])
    if "site-packages" in names:
        return names[names.index("site-packages") + 1]
    return names[-2] if len(names) > 1 and names[-2] not in {"python3.11", "lib"} else names[-1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--conversations", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--client", choices=CLIENTS, help=argparse.SUPPRESS)
    parser.add_argument("--address", help=argparse.SUPPRESS)
    parser.add_argument("--delay", type=int, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    pin()
    if asked.client:
        print(json.dumps(measure(asked.client, asked.address, asked.delay, asked.conversations)))
        return
    with server() as address:
        if asked.profile:
            profile(address, asked.conversations)
            return
        print(f"syncing to this disk takes {sync_time():.1f} ms")
        compare(address, asked.rounds, DELAY, asked.conversations)
        compare(address, asked.rounds, 0, asked.conversations)
        from_start_to_results(address, asked.rounds)


if __name__ == "__main__":
    main()
