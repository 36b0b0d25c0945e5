"""Commits: grouped, durable, never over a turn that stands."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from multiturn.conditions import RunRecord
from multiturn.errors import NotFound, StoreError
from multiturn.store import Store, open_store
from multiturn.transcript import REPLIED, Cause, Failure, Session, Status, Timing, TurnRecord

OTHER = Path(__file__).with_name("committing_process.py")


def turn(number: int, status: Status = "ok", reply: str = "yes") -> TurnRecord:
    return TurnRecord(
        turn=number,
        user="hello",
        status=status,
        reply=reply if status in REPLIED else None,
        failure=Failure("timeout", "no reply within 60 s") if status == "failed" else None,
        cause=None if status in REPLIED else "model" if status == "overflowed" else "environment",
    )


def commit(store: Store, *records: TurnRecord, session: Session | None = None, run_id: str = "run-1") -> None:
    async def all_of_them() -> None:
        async with store.writer(run_id) as writer:
            for record in records:
                await writer.commit(session or Session("apple"), record)

    asyncio.run(all_of_them())


def statuses(store: Store, session: Session | None = None) -> list[tuple[int, str]]:
    return [(record.turn, record.status) for record in store.records("run-1", session or Session("apple"))]


def test_a_commit_that_returned_can_be_read_by_another_connection(store: Store, tmp_path: Path) -> None:
    async def hold() -> None:
        async with store.writer("run-1") as writer:
            await writer.commit(Session("apple"), turn(0))
            with open_store(tmp_path / "runs.db") as other:
                assert other.records("run-1", Session("apple")) == (turn(0),)

    asyncio.run(hold())


def test_many_committers_share_transactions(store: Store) -> None:
    """32 conversations of 25 turns: far fewer transactions than turns, and every turn is there."""
    transactions: list[object] = []
    event.listen(store.engine, "commit", transactions.append)

    async def hold() -> None:
        async with store.writer("run-1") as writer:

            async def conversation(number: int) -> None:
                for index in range(25):
                    await writer.commit(Session(f"c{number}"), turn(index))

            await asyncio.gather(*(conversation(number) for number in range(32)))

    asyncio.run(hold())
    assert store.progress("run-1") == {"ok": 800}
    assert len(transactions) < 400


def test_a_lone_turn_does_not_wait_for_company(store: Store) -> None:
    """One committer: one transaction for each turn, and one to begin with."""
    transactions: list[object] = []
    event.listen(store.engine, "commit", transactions.append)
    commit(store, turn(0), turn(1), turn(2))
    assert len(transactions) == 4


@pytest.mark.parametrize("status", ["ok", "empty", "length", "overflowed", "filtered"])
def test_a_turn_that_stands_is_never_overwritten(store: Store, status: Status) -> None:
    commit(store, turn(0, status))
    with pytest.raises(
        StoreError, match=r"turn 0 of conversation 'apple' \(sample 0\) is already in run run-1"
    ) as caught:
        commit(store, turn(0, reply="another"))
    assert "resume" in caught.value.hint
    assert statuses(store) == [(0, status)]


def test_a_refused_turn_does_not_hurt_the_others(store: Store) -> None:
    """Commits in the same moment: the one that may not be is refused, the others are kept, and the writer goes on."""
    commit(store, turn(0))

    async def hold() -> list[BaseException | None]:
        async with store.writer("run-1") as writer:
            sessions = [Session("zebra"), Session("apple"), Session("mango")]
            outcomes = await asyncio.gather(
                *(writer.commit(each, turn(0)) for each in sessions), return_exceptions=True
            )
            await writer.commit(Session("zebra"), turn(1))
            return outcomes

    outcomes = asyncio.run(hold())
    assert [type(outcome) for outcome in outcomes] == [type(None), StoreError, type(None)]
    assert store.progress("run-1") == {"ok": 4}


def test_the_same_turn_twice_in_one_moment_is_kept_once(store: Store) -> None:
    async def hold() -> list[BaseException | None]:
        async with store.writer("run-1") as writer:
            twice = (writer.commit(Session("apple"), turn(0)) for _ in range(2))
            return await asyncio.gather(*twice, return_exceptions=True)

    assert sorted(type(outcome).__name__ for outcome in asyncio.run(hold())) == ["NoneType", "StoreError"]


def test_resume_replaces_what_failed_and_what_follows_it(store: Store) -> None:
    """After the failed turn is held again, the turns after it are gone until they are held again too."""
    commit(store, turn(0), turn(1, "failed"), turn(2, "not_reached"))
    commit(store, turn(1))
    assert statuses(store) == [(0, "ok"), (1, "ok")]
    commit(store, turn(2))
    assert statuses(store) == [(0, "ok"), (1, "ok"), (2, "ok")]


def test_a_turn_that_failed_twice_may_be_tried_a_third_time(store: Store) -> None:
    for _ in range(2):
        commit(store, turn(0, "failed"), turn(1, "not_reached"))
    commit(store, turn(0), turn(1))
    assert statuses(store) == [(0, "ok"), (1, "ok")]


def test_turns_after_a_failed_one_may_be_replaced_whatever_they_are(store: Store) -> None:
    commit(store, turn(0, "failed"), turn(1))
    commit(store, turn(1, reply="another"))
    assert store.records("run-1", Session("apple"))[1].reply == "another"


def test_turns_after_a_gap_are_taken_away_when_the_run_goes_on(store: Store) -> None:
    """A damaged import lost turn 1; the conversation can be held on from there."""
    commit(store, turn(0), turn(2))
    commit(store, turn(1), turn(2, reply="another"))
    assert statuses(store) == [(0, "ok"), (1, "ok"), (2, "ok")]


def test_a_run_that_is_not_there(store: Store) -> None:
    with pytest.raises(NotFound, match="run nothing is not in"):
        commit(store, turn(0), run_id="nothing")


def test_a_run_that_is_deleted_meanwhile(store: Store) -> None:
    async def hold() -> None:
        async with store.writer("run-1") as writer:
            await writer.commit(Session("apple"), turn(0))
            store.delete_run("run-1")
            await writer.commit(Session("apple"), turn(1))

    with pytest.raises(StoreError, match="run run-1 is no longer in"):
        asyncio.run(hold())


def test_a_writer_is_used_inside_its_with(store: Store) -> None:
    with pytest.raises(RuntimeError, match="not open"):
        asyncio.run(store.writer("run-1").commit(Session("apple"), turn(0)))


def test_a_commit_given_up_does_no_harm(store: Store) -> None:
    async def hold() -> None:
        async with store.writer("run-1") as writer:
            given_up = asyncio.create_task(writer.commit(Session("apple"), turn(0)))
            await asyncio.sleep(0)
            given_up.cancel()
            await writer.commit(Session("zebra"), turn(0))

    asyncio.run(hold())
    assert store.progress("run-1") == {"ok": 2}


def test_text_that_json_can_not_hold_is_refused_for_its_own_turn_only(store: Store) -> None:
    async def hold() -> None:
        async with store.writer("run-1") as writer:
            with pytest.raises(StoreError, match="surrogate"):
                await writer.commit(Session("apple"), turn(0, reply="\ud800"))
            await writer.commit(Session("apple"), turn(0))

    asyncio.run(hold())


def test_full_disk(store: Store) -> None:
    """All who wait get the error, nothing is half-written, and later commits fail at once with the same words."""
    with store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    store.engine.dispose()

    def small(connection: sqlite3.Connection, _entry: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages + 20}")

    event.listen(store.engine, "connect", small)

    async def hold() -> tuple[list[str], list[BaseException | None]]:
        kept: list[str] = []
        async with store.writer("run-1") as writer:

            async def conversation(number: int) -> None:
                for index in range(100):
                    await writer.commit(Session(f"c{number}"), turn(index, reply="word " * 300))
                    kept.append(f"c{number} {index}")

            outcomes = await asyncio.gather(*(conversation(number) for number in range(8)), return_exceptions=True)
            with pytest.raises(StoreError, match="the disk is full") as caught:
                await writer.commit(Session("apple"), turn(0, reply=""))
            assert "free some space" in caught.value.hint
            return kept, outcomes

    kept, outcomes = asyncio.run(hold())
    assert {str(outcome) for outcome in outcomes} == {str(outcomes[0])}
    assert isinstance(outcomes[0], StoreError)
    stored = {
        f"{transcript.session.conversation} {record.turn}"
        for transcript in store.transcripts("run-1")
        for record in transcript.turns
    }
    assert stored == set(kept)
    assert kept
    event.remove(store.engine, "connect", small)
    store.engine.dispose()
    commit(store, turn(0))


def test_a_limit_on_file_size(store: Store, tmp_path: Path) -> None:
    """The system refuses to let the file grow: an error with a next step, and what was acknowledged is there."""
    store.engine.dispose()
    said = subprocess.run(
        [sys.executable, OTHER, "limit", tmp_path / "runs.db", "run-1"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    acknowledged = [line for line in said if line.startswith("c")]
    assert any(line.startswith("StoreError") and "could not be read or written" in line for line in said)
    assert acknowledged
    assert store.progress("run-1") == {"ok": len(acknowledged)}


def test_kill_9_in_the_middle_of_commits(store: Store, tmp_path: Path) -> None:
    """Every turn whose commit had returned is there after the process was killed, and the store is whole."""
    with subprocess.Popen(
        [sys.executable, OTHER, "commit", tmp_path / "runs.db", "run-1", "0", "100000"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        acknowledged = [process.stdout.readline().rstrip("\n") for _ in range(300)]
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read()
    acknowledged += rest.split("\n")[:-1]
    stored = {
        f"{transcript.session.conversation} {record.turn}"
        for transcript in store.transcripts("run-1")
        for record in transcript.turns
    }
    assert set(acknowledged) <= stored
    with store.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"


def test_two_processes_write_two_runs_at_once(store: Store, tmp_path: Path, make_run: Callable[..., RunRecord]) -> None:
    store.create_run(make_run("run-2"))
    command = [sys.executable, str(OTHER), "commit", str(tmp_path / "runs.db")]
    processes = [
        subprocess.Popen([*command, run_id, "0", "100"], stdout=subprocess.PIPE, text=True)
        for run_id in ("run-1", "run-2")
    ]
    ends = [process.communicate()[0].splitlines()[-1] for process in processes]
    assert ends == ["done", "done"]
    assert [store.progress(run_id) for run_id in ("run-1", "run-2")] == [{"ok": 200}, {"ok": 200}]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
counts = st.none() | st.integers(0, 2**31)
seconds = st.floats(0, 1e6)


@st.composite
def turn_records(draw: st.DrawFn) -> TurnRecord:
    """Any turn record that can be made."""
    status: Status = draw(st.sampled_from(["ok", "empty", "length", "overflowed", "filtered", "failed", "not_reached"]))
    causes: dict[Status, list[Cause]] = {"overflowed": ["model"], "failed": ["environment"]}
    return TurnRecord(
        turn=0,
        user=draw(texts),
        status=status,
        reply=draw(texts) if status in REPLIED else None,
        raw=draw(st.none() | texts),
        reasoning=draw(texts),
        cause=None if status in REPLIED else draw(st.sampled_from(causes.get(status, ["model", "environment"]))),
        failure=Failure(draw(st.sampled_from(["timeout", "overflow"])), draw(texts)) if status == "failed" else None,
        flags=draw(st.sampled_from([(), ("run_on",), ("role_echo", "dropped_turns")])),
        finish=draw(st.sampled_from([None, "stop", "length", "filter", "unknown"])),
        seed=draw(st.none() | st.integers(0, 2**63 - 1)),
        prompt_kept=draw(st.integers(0, 1000)),
        prompt_delta=draw(st.none() | texts),
        prompt_sha256=draw(st.none() | st.just("0" * 64)),
        prompt_tokens=draw(counts),
        cached_tokens=draw(counts),
        new_tokens=draw(counts),
        token_ids=draw(st.none() | st.lists(st.integers(0, 200_000), max_size=5).map(tuple)),
        timing=draw(
            st.none() | st.builds(Timing, total=seconds, prompt=st.none() | seconds, generate=st.none() | seconds)
        ),
        served_model=draw(texts),
    )


@given(st.lists(st.tuples(turn_records(), texts.filter(bool)), min_size=1, max_size=12, unique_by=lambda item: item[1]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_turns_come_back_as_they_went_in(
    store: Store, make_run: Callable[..., RunRecord], items: list[tuple[TurnRecord, str]]
) -> None:
    """Any record of any conversation: the same value comes back, singly and among the transcripts."""
    run_id = f"run-{len(store.runs())}-given"
    store.create_run(make_run(run_id))

    async def hold() -> None:
        async with store.writer(run_id) as writer:
            await asyncio.gather(*(writer.commit(Session(name), record) for record, name in items))

    asyncio.run(hold())
    for record, name in items:
        assert store.records(run_id, Session(name)) == (record,)
    stored = {transcript.session.conversation: transcript.turns for transcript in store.transcripts(run_id)}
    assert stored == {name: (record,) for record, name in items}
