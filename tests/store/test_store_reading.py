"""Reading: runs by name, progress, what is done, transcripts in order and in pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import msgspec
import pytest

from multiturn.conditions import RunRecord
from multiturn.conversation import CheckJson, Suite
from multiturn.errors import NotFound, StoreError
from multiturn.store import Store, pages
from multiturn.transcript import Failure, Session, TurnRecord

MakeRun = Callable[..., RunRecord]


def ok(turn: int) -> TurnRecord:
    return TurnRecord(turn=turn, user="hello", status="ok", reply=f"reply {turn}")


def lost(turn: int) -> TurnRecord:
    failure = Failure("server", "502")
    return TurnRecord(turn=turn, user="hello", status="failed", failure=failure, cause="environment")


def overflowed(turn: int) -> TurnRecord:
    return TurnRecord(turn=turn, user="hello", status="overflowed", cause="model")


def unreached(turn: int, *, by_model: bool) -> TurnRecord:
    return TurnRecord(turn=turn, user="hello", status="not_reached", cause="model" if by_model else "environment")


def keep(store: Store, run_id: str, turns: Iterable[tuple[Session, TurnRecord]]) -> None:
    async def all_of_them() -> None:
        async with store.writer(run_id) as writer:
            await asyncio.gather(*(writer.commit(session, record) for session, record in turns))

    asyncio.run(all_of_them())


def test_a_suite_comes_back_by_its_digest(store: Store, suite: Suite) -> None:
    assert store.save_suite(suite) == suite.digest
    assert store.suite(suite.digest) == suite


def test_what_is_expected_is_the_newest_and_never_becomes_nothing(store: Store, suite: Suite) -> None:
    """A suite that asks the same brings its checks and whys; one without checks takes none away."""
    first, *rest = suite.conversations
    check = CheckJson(b'{"kind":"says","any":["1"]}')
    turns = (msgspec.structs.replace(first.turns[0], checks=(check,)), *first.turns[1:])
    checked = msgspec.structs.replace(first, turns=turns, why="w")
    mended = msgspec.structs.replace(suite, version="4", conversations=(checked, *rest))
    store.save_suite(suite)
    assert store.save_suite(mended) == suite.digest
    assert store.suite(suite.digest) == mended
    store.save_suite(suite)
    assert store.suite(suite.digest) == msgspec.structs.replace(mended, version=suite.version)


def test_a_suite_that_is_not_there(store: Store) -> None:
    with pytest.raises(NotFound, match="suite 000000000000 is not in"):
        store.suite("0" * 64)


def test_a_run_is_made_once(store: Store, make_run: MakeRun) -> None:
    with pytest.raises(StoreError, match="run run-1 is already in"):
        store.create_run(make_run())


def test_runs_newest_first_with_progress(store: Store, make_run: MakeRun) -> None:
    store.create_run(make_run("old", created="2025-12-31T00:00:00+00:00"))
    store.create_run(make_run("new", created="2026-02-01T00:00:00+00:00"))
    keep(store, "run-1", [(Session("zebra"), ok(0)), (Session("zebra"), lost(1)), (Session("mango"), ok(0))])
    summaries = store.runs()
    assert [summary.run.id for summary in summaries] == ["new", "run-1", "old"]
    assert [summary.progress for summary in summaries] == [{}, {"ok": 2, "failed": 1}, {}]


@pytest.fixture(name="several")
def store_with_several_runs(store: Store, make_run: MakeRun) -> Store:
    for day, run_id in enumerate(["ab12", "ab34", "Ab56", "a%b"], start=1):
        store.create_run(make_run(run_id, created=f"2026-03-0{day}T00:00:00+00:00"))
    return store


@pytest.mark.parametrize(
    ("reference", "found"),
    [("ab12", "ab12"), ("ab1", "ab12"), ("A", "Ab56"), ("a%", "a%b"), ("r", "run-1"), ("latest", "a%b")],
)
def test_a_run_by_id_prefix_or_latest(several: Store, reference: str, found: str) -> None:
    assert several.run(reference).id == found


def test_an_id_that_another_begins_with_is_itself(several: Store, make_run: MakeRun) -> None:
    several.create_run(make_run("ab"))
    assert several.run("ab").id == "ab"


def test_a_prefix_of_several_runs_names_them(several: Store) -> None:
    with pytest.raises(NotFound, match="2 runs begin with 'ab': ab34, ab12") as caught:
        several.run("ab")
    assert "more of the id" in caught.value.hint


@pytest.mark.parametrize(
    ("reference", "hint"), [("ab13", "did you mean ab34, ab12"), ("", "newest runs are a%b"), ("zzz", "newest runs")]
)
def test_a_run_that_is_not_there_with_near_misses(several: Store, reference: str, hint: str) -> None:
    with pytest.raises(NotFound) as caught:
        several.run(reference)
    assert hint in caught.value.hint


@pytest.mark.parametrize("reference", ["latest", "ab"])
def test_no_run_yet(store: Store, reference: str) -> None:
    store.delete_run("run-1")
    with pytest.raises(NotFound, match="there is no run in"):
        store.run(reference)


def test_runs_are_found_by_fingerprint(store: Store, make_run: MakeRun) -> None:
    store.create_run(make_run("again", created="2026-05-01T00:00:00+00:00"))
    store.create_run(make_run("other", samples=2))
    found = store.find(make_run().conditions.fingerprint)
    assert [run.id for run in found] == ["again", "run-1"]
    assert store.find("0" * 64) == ()


def test_transcripts_in_the_order_of_the_suite(store: Store, make_run: MakeRun) -> None:
    """Samples one after the other, turns in order whatever the order of commits; the system prompt is with them."""
    store.create_run(make_run("many", samples=11))
    sessions = [Session(name, sample) for name in ("apple", "zebra") for sample in (10, 9, 0)]
    keep(store, "many", [(session, ok(turn)) for session in sessions for turn in (1, 0)])
    keep(store, "many", [(Session("unknown"), ok(0))])
    transcripts = list(store.transcripts("many"))
    assert [(item.session.conversation, item.session.sample) for item in transcripts] == [
        *[("zebra", 0), ("zebra", 9), ("zebra", 10), ("apple", 0), ("apple", 9), ("apple", 10), ("unknown", 0)]
    ]
    assert transcripts[0].turns == (ok(0), ok(1))
    assert [item.system for item in transcripts] == [None] * 3 + ["Be brief."] * 3 + [None]


@pytest.mark.parametrize("system", ["Always rhyme.", ""])
def test_the_system_prompt_of_the_arm_comes_before_the_conversations_own(
    store: Store, make_run: MakeRun, system: str
) -> None:
    store.create_run(make_run("arm", system=system))
    keep(store, "arm", [(Session("apple"), ok(0))])
    assert [transcript.system for transcript in store.transcripts("arm")] == [system]


def test_pages_cut_no_transcript(store: Store, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages smaller than a conversation's samples, and pages of several conversations, give the same transcripts."""
    store.create_run(make_run("paged", samples=7))
    tops = {"zebra": 7, "apple": 2, "mango": 1, "x": 3, "y": 1}
    sessions = [Session(name, sample) for name, top in tops.items() for sample in range(top)]
    keep(store, "paged", [(session, ok(turn)) for session in sessions for turn in (0, 1)])
    for size in (1, 2, 3, 5, 100):
        monkeypatch.setattr(pages, "PAGE_SESSIONS", size)
        transcripts = list(store.transcripts("paged"))
        assert [transcript.session for transcript in transcripts] == sessions
        assert all(transcript.turns == (ok(0), ok(1)) for transcript in transcripts)


def test_a_reader_who_pauses_holds_nothing_up(store: Store) -> None:
    """With an iterator half read, the write-ahead log can be written back to its end."""
    keep(store, "run-1", [(Session("zebra"), ok(0)), (Session("apple"), ok(0))])
    transcripts = store.transcripts("run-1")
    next(transcripts)
    keep(store, "run-1", [(Session("mango"), ok(0))])
    with store.engine.connect() as connection:
        connection.rollback()
        raw = connection.connection.cursor()
        busy, pages, written = raw.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        raw.close()
    assert (busy, pages) == (0, written)
    assert len(list(transcripts)) == 1


def test_transcripts_of_a_run_that_is_not_there(store: Store) -> None:
    with pytest.raises(NotFound, match="run run is not in"):
        next(store.transcripts("run"))


def test_what_is_done_needs_nothing_more(store: Store, make_run: MakeRun) -> None:
    """Every turn stored and none missing by the environment's doing; the model's own overflow is done."""
    store.create_run(make_run("some", samples=4))
    apple = [Session("apple", sample) for sample in range(4)]
    turns = [(apple[0], ok(0)), (apple[0], ok(1)), (apple[0], ok(2))]
    turns += [(apple[1], ok(0)), (apple[1], overflowed(1)), (apple[1], unreached(2, by_model=True))]
    turns += [(apple[2], ok(0)), (apple[2], lost(1)), (apple[2], unreached(2, by_model=False))]
    turns += [(apple[3], ok(0)), (apple[3], ok(1)), (Session("zebra"), ok(0))]
    turns += [(Session("mango", sample), unreached(0, by_model=bool(sample))) for sample in (0, 1)]
    keep(store, "some", turns)
    assert store.done_sessions("some") == {apple[0], apple[1], Session("mango", 1)}


def test_a_deleted_run_is_gone_with_its_turns_and_its_suite(store: Store, make_run: MakeRun, suite: Suite) -> None:
    """The suite stays as long as another run has it."""
    store.create_run(make_run("other"))
    keep(store, "run-1", [(Session("zebra"), ok(0))])
    keep(store, "other", [(Session("zebra"), ok(0))])
    store.delete_run("run-1")
    assert store.progress("run-1") == {}
    assert (store.progress("other"), store.suite(suite.digest)) == ({"ok": 1}, suite)
    store.delete_run("other")
    with pytest.raises(NotFound):
        store.suite(suite.digest)


def test_a_prefix_is_not_enough_to_delete(store: Store) -> None:
    with pytest.raises(NotFound, match="run run is not in"):
        store.delete_run("run")
