"""Servers that are killed, started again, come back in time; several servers of one name. Through the command line."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.faulty_server import FaultyServer, Script, Step, error_body
from tests.faults.http_here import RUN, Here
from tests.faults.http_place import Place, require_right, statuses, suite_of

from multiturn import api
from multiturn.facts import ServerOptions
from multiturn.run import Progress


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    """A fresh folder; nothing that was started in it outlives the test."""
    made = Here(tmp_path)
    yield made
    made.stop_all()


def wait_for_turns(here: Here, running: subprocess.Popen[str], turns: int) -> None:
    """Until so many have their reply in the store."""
    deadline = time.monotonic() + 20
    while sum(turn.status == "ok" for transcript in here.stored() for turn in transcript.turns) < turns:
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_killed_server_costs_only_what_is_missing(here: Here) -> None:
    """Killed with -9 in the middle of a run, started again on its port: the same command asks for the rest, once."""
    here.write_suite(60, 4)
    here.serve(Script(always=Step(delay=0.02)))
    command = ("run", here.spec, *RUN)
    running = here.start(*command)
    wait_for_turns(here, running, 20)
    here.kill_server()
    _, err = running.communicate(timeout=60)
    assert running.returncode == 5, err
    assert "in a row failed" in err
    assert "the same command again" in err
    kept = {
        (transcript.session, turn.turn): turn
        for transcript in here.stored()
        for turn in transcript.turns
        if turn.status == "ok"
    }
    assert 20 <= len(kept) < 240
    here.asked()

    here.serve(Script())
    code, _, err = here.run(*command)
    assert code == 0, err
    final = {(transcript.session, turn.turn): turn for transcript in here.stored() for turn in transcript.turns}
    assert len(final) == 240
    assert {turn.status for turn in final.values()} == {"ok"}
    assert {key: final[key] for key in kept} == kept
    asked = Counter(asked.body for asked in here.asked())
    assert len(asked) == asked.total() == 240 - len(kept)
    for transcript in here.stored():
        require_right(transcript)


def test_a_server_that_comes_back_in_time_is_not_missed(here: Here) -> None:
    """Started again while the tries last: the run goes on by itself and every reply is right."""
    here.write_suite(24, 4)
    here.serve(Script(always=Step(delay=0.05)))
    patient = ("--retries", "30", "--longest-wait", "0.3")
    running = here.start("run", here.spec, *RUN, *patient)
    wait_for_turns(here, running, 10)
    here.kill_server()
    time.sleep(0.5)
    here.serve(Script())
    _, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    transcripts = here.stored()
    assert {turn.status for transcript in transcripts for turn in transcript.turns} == {"ok"}
    for transcript in transcripts:
        require_right(transcript)


def homes(*servers: FaultyServer) -> dict[str, set[int]]:
    """Which servers each conversation was asked of, by what it begins with."""
    found: dict[str, set[int]] = {}
    for number, server in enumerate(servers):
        for asked in server.chats:
            found.setdefault(asked.chat["messages"][0]["content"], set()).add(number)
    return found


def test_a_conversation_stays_with_its_server(tmp_path: Path) -> None:
    """Two URLs of one name share the conversations, each of which has its whole history, and its cache, in one place."""
    with FaultyServer(Script(always=Step(delay=0.01))) as one, FaultyServer(Script(always=Step(delay=0.01))) as other:
        transcripts = Place(tmp_path).hold(f"{one.spec},{other.url}", suite_of(30, 3), at_once=8)
    assert {turn.status for transcript in transcripts for turn in transcript.turns} == {"ok"}
    found = homes(one, other)
    assert len(found) == 30
    assert all(len(servers) == 1 for servers in found.values())
    assert 0 < sum(servers == {0} for servers in found.values()) < 30
    for transcript in transcripts:
        require_right(transcript)


@pytest.mark.parametrize("death", ["gone", "failing", "silent"])
def test_conversations_move_when_their_server_dies(tmp_path: Path, death: str) -> None:
    """Not listening any more, answering 500, or never answering: the other server takes over, and no turn is lost."""
    faults = {"gone": Step(fault="reset"), "failing": Step(status=500), "silent": Step(fault="hang")}
    steps, slow = (Step(delay=0.01),) * 20, Script(always=Step(delay=0.01))
    place, options = Place(tmp_path), ServerOptions(timeout=0.5, retries=4, longest_wait=0.1)
    with FaultyServer(Script(steps=steps, always=faults[death])) as one, FaultyServer(slow) as other:

        def watch(_arm: api.Arm, progress: Progress) -> None:
            in_the_middle = len(one.chats[-1].chat["messages"]) == 3
            if death == "gone" and progress.turns_done >= 16 and in_the_middle:
                one.stop()

        job = place.job(suite_of(40, 3), options, at_once=8)
        began = time.monotonic()
        held = api.evaluate(f"{one.spec},{other.url}", job, watch=watch)
        assert time.monotonic() - began < 30
    assert held.progress.replies == 120
    transcripts = place.stored()
    assert {turn.status for transcript in transcripts for turn in transcript.turns} == {"ok"}
    for transcript in transcripts:
        require_right(transcript)
    found = homes(one, other)
    assert any(servers == {0, 1} for servers in found.values()), "no conversation had to move"
    assert len(one.chats) < 20 + 60, "the dead server is asked on and on"


def test_a_failed_turn_is_told_at_the_end_with_what_to_do(here: Here) -> None:
    """A run of which a part is missing says so, and with which code it ends."""
    here.write_suite(3, 2)
    here.serve(Script(steps=(Step(),) * 5, always=Step(status=400, body=error_body("no"))))
    code, out, err = here.run("run", here.spec, *RUN, "--workers", "1")
    assert "1 turn is missing" in err
    assert "the same command again" in err
    assert code == 5
    assert "5 replies" in out
    assert statuses(here.stored()[-1].turns) == ["ok", "failed"]
