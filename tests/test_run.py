"""Many conversations into the store: as many at once as the engine keeps warm, and none twice after an interruption."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import subprocess
import sys
import tempfile
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiturn import __version__
from multiturn.conditions import Arm, RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.dialogue import turn_seed
from multiturn.engines.scripted import Script, ScriptedEngine, echo
from multiturn.errors import (
    ConditionsDiffer,
    ContextOverflow,
    EngineError,
    NotFound,
    ReplyFailed,
    StoreError,
    UsageError,
)
from multiturn.protocols import Engine
from multiturn.run import (
    GIVE_UP_AFTER,
    Progress,
    Settings,
    Watch,
    conditions_of,
    find_or_begin,
    finished,
    hold_run,
    standing,
)
from multiturn.store import Store, open_store
from multiturn.transcript import REPLIED, Failure, Request, Sampling, Session, Status, TurnRecord

OTHER_PROCESS = Path(__file__).with_name("store") / "committing_process.py"
ARM = Arm(spec="scripted:python")
DOWN = ReplyFailed("server", "the server says 500")


def suite_of(conversations: int, turns: int = 3) -> Suite:
    return Suite(
        name="many",
        conversations=tuple(
            Conversation(id=f"c{number}", turns=tuple(Turn(text=f"{number} {turn}") for turn in range(turns)))
            for number in range(conversations)
        ),
    )


@pytest.fixture(name="store")
def empty_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "runs.db") as store:
        yield store


def begun(
    store: Store,
    suite: Suite,
    engine: Engine,
    settings: Settings | None = None,
    *,
    resume: str | None = None,
    fresh: bool = False,
) -> RunRecord:
    return find_or_begin(store, suite, engine, ARM, settings or Settings(), resume=resume, fresh=fresh)


def held(store: Store, run: RunRecord, suite: Suite, engine: Engine, watch: Watch = lambda _: None) -> Progress:
    return asyncio.run(hold_run(store, run, suite, engine, watch=watch))


Texts = dict[tuple[str, int, int], tuple[Status, str | None, int | None]]


def texts_of(store: Store, run: RunRecord) -> Texts:
    """What a run says, without times."""
    return {
        (transcript.session.conversation, transcript.session.sample, record.turn): (
            record.status,
            record.reply,
            record.seed,
        )
        for transcript in store.transcripts(run.id)
        for record in transcript.turns
    }


def fails_at(places: Mapping[tuple[str, int], Exception], otherwise: Script = echo) -> Script:
    """A script that raises at these conversations and turns."""

    def script(request: Request) -> object:
        error = places.get((request.session.conversation, request.turn))
        if error is not None:
            raise error
        return otherwise(request)

    return script  # type: ignore[return-value]  # what otherwise gives


def all_down(_request: Request) -> str:
    raise DOWN


# A run and its record


def test_a_run_holds_every_turn_of_every_sample(store: Store) -> None:
    suite = suite_of(3, 2)
    engine = ScriptedEngine(echo)
    run = begun(store, suite, engine, Settings(samples=2))
    progress = held(store, run, suite, engine)
    texts = texts_of(store, run)
    assert texts == {
        (f"c{number}", sample, turn): ("ok", f"{number} {turn}", turn_seed(0, f"c{number}", turn, sample))
        for number in range(3)
        for sample in range(2)
        for turn in range(2)
    }
    assert (progress.conversations, progress.conversations_done, progress.turns, progress.turns_done) == (6, 6, 12, 12)
    assert (progress.replies, progress.new_tokens, progress.failures) == (12, 24, 0)
    assert Counter(engine.ended) == {Session(f"c{number}", sample): 1 for number in range(3) for sample in range(2)}


def test_the_record_of_a_run(store: Store) -> None:
    """Who, what, how much of it, and with which versions; kept before the first reply, with its suite."""
    suite = suite_of(3, 2)
    engine = ScriptedEngine(echo, window=512)
    run = begun(store, suite, engine, Settings(samples=2, window=100))
    assert (run.conversations, run.turns, run.suite_name) == (3, 12, "many")
    assert run.arm == ARM
    assert run.versions["multiturn"] == __version__
    assert run.conditions == conditions_of(suite, engine, ARM, Settings(samples=2, window=100))
    assert store.run(run.id) == run
    assert store.suite(run.conditions.suite_digest) == suite


def test_a_fallback_template_is_noted(store: Store) -> None:
    engine = ScriptedEngine(echo)
    engine.facts = msgspec.structs.replace(engine.facts, fallback_template=True, notes=("from the engine",))
    notes = begun(store, suite_of(1), engine).notes
    assert notes[0] == "from the engine"
    assert "no chat template" in notes[1]


@pytest.mark.parametrize(
    ("own", "asked", "window"),
    [(None, None, None), (512, None, 512), (None, 100, 100), (512, 100, 100), (100, 512, 100)],
)
def test_the_window_is_the_smaller_one(own: int | None, asked: int | None, window: int | None) -> None:
    """Of the engine's own and the one asked for; unknown where neither is known."""
    engine = ScriptedEngine(echo, window=own)
    assert conditions_of(suite_of(1), engine, ARM, Settings(window=asked)).context_window == window


def test_a_run_is_held_as_its_conditions_say(store: Store) -> None:
    """System prompt, window and overflow policy come from the record, not from the engine."""
    seen: list[str] = []

    def script(request: Request) -> str:
        seen.append(request.messages[0].content)
        return "ok"

    suite = suite_of(1, 3)
    engine = ScriptedEngine(script)
    arm = msgspec.structs.replace(ARM, system="Be brief.")
    settings = Settings(sampling=Sampling(max_tokens=5), window=16, overflow="drop-oldest")
    run = find_or_begin(store, suite, engine, arm, settings, resume=None, fresh=False)
    held(store, run, suite, engine)
    (transcript,) = store.transcripts(run.id)
    assert seen == ["Be brief."] * 3
    assert transcript.system == "Be brief."
    assert [record.flags for record in transcript.turns] == [(), (), ("dropped_turns",)]


def test_golden_history_needs_goldens() -> None:
    """For every turn but the last; each that lacks is named before anything is asked."""
    whole = Conversation(id="whole", turns=(Turn(text="a", golden="A"), Turn(text="b")))
    lacking = Conversation(id="lacking", turns=(Turn(text="a"), Turn(text="b")))
    golden = Settings(history="golden")
    assert conditions_of(Suite(name="s", conversations=(whole,)), ScriptedEngine(echo), ARM, golden).history == "golden"
    with pytest.raises(UsageError, match=r"lacking \(turn 1\)") as caught:
        conditions_of(Suite(name="s", conversations=(whole, lacking)), ScriptedEngine(echo), ARM, golden)
    assert "whole" not in caught.value.message
    with pytest.raises(UsageError, match=r"c0 \(turn 1\).* and 2 more"):
        conditions_of(suite_of(7, 2), ScriptedEngine(echo), ARM, golden)


# At once


@pytest.mark.parametrize(("open_conversations", "conversations"), [(1, 5), (3, 10), (32, 4)])
def test_as_many_at_once_as_the_engine_keeps_warm(store: Store, open_conversations: int, conversations: int) -> None:
    """Never more sessions are open than that, and so many are, where there are enough."""
    open_now: set[Session] = set()
    most = 0

    class Counting(ScriptedEngine):
        async def end(self, session: Session) -> None:
            open_now.discard(session)
            await super().end(session)

    async def script(request: Request) -> str:
        nonlocal most
        open_now.add(request.session)
        most = max(most, len(open_now))
        await asyncio.sleep(0)
        return "ok"

    suite = suite_of(conversations)
    engine = Counting(script, open_conversations=open_conversations)
    held(store, begun(store, suite, engine), suite, engine)
    assert most == min(open_conversations, conversations)
    assert open_now == set()


def test_a_slow_conversation_does_not_hold_up_the_others(store: Store) -> None:
    """All others run to their end while one waits for its first reply: there is no barrier between turns."""
    suite = suite_of(8)

    async def main() -> None:
        others_done = asyncio.Event()
        left = {(f"c{number}", turn) for number in range(1, 8) for turn in range(3)}

        async def script(request: Request) -> str:
            if request.session.conversation == "c0":
                await others_done.wait()
            left.discard((request.session.conversation, request.turn))
            if not left:
                others_done.set()
            return "ok"

        engine = ScriptedEngine(script, open_conversations=2)
        progress = await hold_run(store, begun(store, suite, engine), suite, engine)
        assert progress.conversations_done == 8

    asyncio.run(asyncio.wait_for(main(), 20))


def test_neither_order_nor_number_changes_what_is_said(store: Store) -> None:
    """Replies that depend on the seed and the history come out the same, however many are open."""

    async def script(request: Request) -> str:
        for _ in range(request.seed % 7):
            await asyncio.sleep(0)
        return f"{request.seed} {len(request.messages)}"

    suite = suite_of(6)
    shuffled = msgspec.structs.replace(suite, conversations=tuple(reversed(suite.conversations)))
    found = []
    for open_conversations, one in ((1, suite), (4, suite), (32, suite), (4, shuffled)):
        engine = ScriptedEngine(script, open_conversations=open_conversations)
        run = begun(store, one, engine, fresh=True)
        held(store, run, one, engine)
        found.append(texts_of(store, run))
    assert all(texts == found[0] for texts in found)


def test_progress_only_grows(store: Store) -> None:
    """Whoever watches hears of every durable turn, and what is told is in the store."""
    suite = suite_of(4)
    engine = ScriptedEngine(echo, open_conversations=2)
    run = begun(store, suite, engine)
    told: list[Progress] = []

    def watch(progress: Progress) -> None:
        told.append(progress)
        assert sum(store.progress(run.id).values()) >= progress.turns_done

    last = held(store, run, suite, engine, watch)
    assert [progress.turns_done for progress in told] == sorted(progress.turns_done for progress in told)
    assert {progress.turns_done for progress in told} == set(range(1, 13))
    assert [progress.conversations_done for progress in told] == sorted(one.conversations_done for one in told)
    assert (last.turns_done, last.conversations_done) == (12, 4)


# Complete runs, and runs that are found again


def test_a_complete_run_asks_nothing(store: Store) -> None:
    suite = suite_of(3)
    run = begun(store, suite, ScriptedEngine(echo))
    first = held(store, run, suite, ScriptedEngine(echo))
    engine = ScriptedEngine(all_down)
    again = held(store, run, suite, engine)
    assert (engine.asked, engine.ended) == ([], [])
    assert again == msgspec.structs.replace(first, replies=0, new_tokens=0, seconds=again.seconds)


@pytest.mark.parametrize("turn", [0, 1])
def test_a_run_with_overflows_is_complete(store: Store, turn: int) -> None:
    """An overflow is final, whoever's doing: asked again it would overflow again."""
    suite = suite_of(2, 4)
    script = fails_at({("c1", turn): ContextOverflow("full")})
    run = begun(store, suite, ScriptedEngine(script))
    first = held(store, run, suite, ScriptedEngine(script))
    engine = ScriptedEngine(echo)
    again = held(store, run, suite, engine)
    assert engine.asked == []
    assert (again.turns_done, again.conversations_done) == (first.turns_done, first.conversations_done) == (8, 2)


def test_a_run_under_the_same_conditions_is_used_again(store: Store) -> None:
    """The newest of them, unless a fresh one is asked for."""
    suite = suite_of(2)
    engine = ScriptedEngine(echo)
    first = begun(store, suite, engine)
    assert begun(store, suite, ScriptedEngine(echo)) == first
    fresh = begun(store, suite, engine, fresh=True)
    assert fresh.id != first.id
    assert fresh.conditions == first.conditions
    assert begun(store, suite, engine) == fresh
    assert len(store.runs()) == 2


@pytest.mark.parametrize(
    "other",
    [
        Settings(samples=2),
        Settings(sampling=Sampling(seed=1)),
        Settings(window=400),
        Settings(overflow="drop-oldest"),
    ],
)
def test_a_run_under_other_conditions_is_not(store: Store, other: Settings) -> None:
    suite = suite_of(2)
    engine = ScriptedEngine(echo)
    first = begun(store, suite, engine)
    assert begun(store, suite, engine, other).id != first.id


def test_another_model_begins_a_run_of_its_own(store: Store) -> None:
    """The identity decides, not the spec's text."""
    suite = suite_of(2)
    first = begun(store, suite, ScriptedEngine(echo, identity={"weights": "one"}))
    assert begun(store, suite, ScriptedEngine(echo, identity={"weights": "two"})).id != first.id
    assert begun(store, suite, ScriptedEngine(echo, spec="scripted:b", identity={"weights": "one"})) == first


def test_resume_refuses_other_conditions_and_names_each(store: Store) -> None:
    """With both values of every one that differs; and nothing is begun."""
    suite = suite_of(2)
    run = begun(store, suite, ScriptedEngine(echo), Settings(sampling=Sampling(temperature=0.5)))
    other = ScriptedEngine(echo, identity={"weights": "w2"}, window=64)
    with pytest.raises(ConditionsDiffer) as caught:
        begun(store, suite_of(3), other, Settings(samples=2, sampling=Sampling(temperature=0.6)), resume=run.id)
    for line in (
        "sampling.temperature: 0.5 then, 0.6 now",
        "samples: 1 then, 2 now",
        "context_window: None then, 64 now",
        "identity.weights: 'scripted:python' then, 'w2' now",
        "suite_digest: ",
    ):
        assert line in caught.value.message
    assert "sampling.top_p" not in caught.value.message
    assert caught.value.hint
    assert len(store.runs()) == 1


def test_resume_by_the_beginning_of_an_id(store: Store) -> None:
    """A name that fits none is refused; fresh and resume at once go on with the run that is named."""
    suite = suite_of(2)
    run = begun(store, suite, ScriptedEngine(echo))
    assert begun(store, suite, ScriptedEngine(echo), resume=run.id[:-1]) == run
    assert begun(store, suite, ScriptedEngine(echo), resume="latest", fresh=True) == run
    with pytest.raises(NotFound):
        begun(store, suite, ScriptedEngine(echo), resume="nothing")


# Interruptions


def test_resume_asks_only_for_what_is_missing(store: Store) -> None:
    """What failed and what was not reached; a committed turn is not asked for again and stays as it was."""
    suite = suite_of(3)
    run = begun(store, suite, ScriptedEngine(echo))
    first = held(store, run, suite, ScriptedEngine(fails_at({("c1", 1): DOWN})))
    assert (first.failures, first.replies) == (1, 7)
    assert dict(store.progress(run.id)) == {"ok": 7, "failed": 1, "not_reached": 1}
    before = store.records(run.id, Session("c1"))
    engine = ScriptedEngine(echo)
    progress = held(store, run, suite, engine)
    assert engine.asked == [(Session("c1"), 1), (Session("c1"), 2)]
    assert store.records(run.id, Session("c1"))[0] == before[0]
    assert dict(store.progress(run.id)) == {"ok": 9}
    assert (progress.turns_done, progress.conversations_done, progress.failures, progress.replies) == (9, 3, 0, 2)


def test_a_run_that_failed_again_goes_on_a_third_time(store: Store) -> None:
    """Each time what stands is more, never less."""
    suite = suite_of(1, 4)
    run = begun(store, suite, ScriptedEngine(echo))
    for turn in range(1, 4):
        held(store, run, suite, ScriptedEngine(fails_at({("c0", turn): DOWN})))
        assert [record.status for record in store.records(run.id, Session("c0"))] == ["ok"] * turn + ["failed"] + [
            "not_reached"
        ] * (3 - turn)
    held(store, run, suite, ScriptedEngine(echo))
    assert [record.reply for record in store.records(run.id, Session("c0"))] == ["0 0", "0 1", "0 2", "0 3"]


def test_an_engine_that_replays_is_asked_for_committed_turns_too(store: Store) -> None:
    """They are not committed twice, and where they come out otherwise what is committed stays."""
    suite = suite_of(1, 3)
    run = begun(store, suite, ScriptedEngine(echo))
    held(store, run, suite, ScriptedEngine(fails_at({("c0", 2): DOWN})))
    before = store.records(run.id, Session("c0"))
    engine = ScriptedEngine(lambda request: f"other {request.turn}")
    engine.facts = msgspec.structs.replace(engine.facts, replays=True)
    held(store, run, suite, engine)
    after = store.records(run.id, Session("c0"))
    assert [turn for _, turn in engine.asked] == [0, 1, 2]
    assert after[:2] == before[:2]
    assert (after[2].reply, after[2].flags) == ("other 2", ("replay_differs",))


def test_a_run_that_replays_and_fails_meanwhile_can_still_go_on(store: Store) -> None:
    """A failure in the replay is a failed turn of the run, and a later resume takes it away."""
    suite = suite_of(1, 3)
    run = begun(store, suite, ScriptedEngine(echo))
    held(store, run, suite, ScriptedEngine(fails_at({("c0", 1): DOWN})))
    replaying = ScriptedEngine(fails_at({("c0", 0): DOWN}))
    replaying.facts = msgspec.structs.replace(replaying.facts, replays=True)
    held(store, run, suite, replaying)
    assert [record.status for record in store.records(run.id, Session("c0"))] == ["ok", "failed", "not_reached"]
    held(store, run, suite, ScriptedEngine(echo))
    assert [record.reply for record in store.records(run.id, Session("c0"))] == ["0 0", "0 1", "0 2"]


def test_a_cancelled_run_keeps_what_was_committed(store: Store) -> None:
    """Every conversation that was open is ended, and the run is free for the next process."""
    suite = suite_of(6)

    async def main() -> ScriptedEngine:
        stuck = asyncio.Event()

        async def script(request: Request) -> str:
            if request.turn == 1:
                stuck.set()
                await asyncio.Event().wait()
            return "ok"

        engine = ScriptedEngine(script, open_conversations=3)
        task = asyncio.create_task(hold_run(store, run, suite, engine))
        await stuck.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return engine

    run = begun(store, suite, ScriptedEngine(echo))
    engine = asyncio.run(main())
    assert sorted(session.conversation for session in engine.ended) == sorted({s.conversation for s, _ in engine.asked})
    kept = texts_of(store, run)
    assert kept
    assert {status for status, _, _ in kept.values()} == {"ok"}
    again = ScriptedEngine(lambda _: "ok")
    held(store, run, suite, again)
    assert {(session.conversation, session.sample, turn) for session, turn in again.asked}.isdisjoint(kept)
    assert len(texts_of(store, run)) == 18


def test_a_programming_error_stops_all_and_comes_out_as_it_is(store: Store) -> None:
    """No task is left behind; what was committed is kept."""
    suite = suite_of(4)
    engine = ScriptedEngine(fails_at({("c2", 1): ZeroDivisionError("a bug")}), open_conversations=2)
    run = begun(store, suite, engine)

    async def main() -> None:
        with pytest.raises(ZeroDivisionError, match="a bug"):
            await hold_run(store, run, suite, engine)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert texts_of(store, run)["c2", 0, 0][0] == "ok"
    assert sorted(session.conversation for session in engine.ended) == sorted({s.conversation for s, _ in engine.asked})


def said_at(request: Request) -> str:
    """A reply that depends on everything that may not be mixed up."""
    heard = "/".join(message.content for message in request.messages)
    return f"{request.session.conversation}.{request.session.sample}.{request.turn}.{request.seed}.{len(heard)}"


class Trouble:
    """Plays an engine's bad days: at some request of each round it fails, breaks, or the whole run is cancelled."""

    def __init__(self, plan: list[tuple[int, str]]) -> None:
        self.plan = list(plan)
        self.asked: list[tuple[Session, int]] = []
        self.said: Counter[tuple[Session, int]] = Counter()
        self.task: asyncio.Task[Progress] | None = None
        self.left = -1
        self.what = ""

    def next_round(self) -> bool:
        """Whether something goes wrong in the round that begins now."""
        self.asked.clear()
        self.left, self.what = self.plan.pop(0) if self.plan else (-1, "")
        return self.what != ""

    async def script(self, request: Request) -> str:
        """Reply, or not."""
        self.asked.append((request.session, request.turn))
        await asyncio.sleep(0)
        self.left -= 1
        if self.left < 0 and self.what == "down":
            raise DOWN
        if self.left == -1 and self.what == "fail":
            raise DOWN
        if self.left == -1 and self.what == "bug":
            raise ZeroDivisionError
        if self.left == -1 and self.what == "cancel":
            assert self.task is not None
            self.task.cancel()
            await asyncio.Event().wait()
        self.said[request.session, request.turn] += 1
        return said_at(request)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["fail", "down", "bug", "cancel"])), max_size=5),
    st.integers(1, 4),
    st.booleans(),
)
def test_whatever_interrupts_a_run_it_ends_as_if_nothing_had(
    plan: list[tuple[int, str]],
    open_conversations: int,
    replays: bool,  # noqa: FBT001
) -> None:
    """Every turn is committed once, a committed one stays as it is and, without replays, is not asked for again."""
    suite = suite_of(4, 3)
    trouble = Trouble(plan)
    rounds = len(plan) + 1

    async def one_round(store: Store, run: RunRecord) -> None:
        engine = ScriptedEngine(trouble.script, open_conversations=open_conversations)
        engine.facts = msgspec.structs.replace(engine.facts, replays=replays)
        trouble.task = asyncio.create_task(hold_run(store, run, suite, engine))
        with contextlib.suppress(EngineError, ZeroDivisionError, asyncio.CancelledError):
            await trouble.task

    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "runs.db") as store:
        run = begun(store, suite, ScriptedEngine(echo))
        standing_before: dict[tuple[Session, int], TurnRecord] = {}
        for _ in range(rounds):
            trouble.next_round()
            asyncio.run(one_round(store, run))
            stored = {(one.session, turn.turn): turn for one in store.transcripts(run.id) for turn in one.turns}
            assert {place: stored.get(place) for place in standing_before} == standing_before
            if not replays:
                assert standing_before.keys().isdisjoint(trouble.asked)
            assert len(trouble.asked) == len(set(trouble.asked))
            standing_before = {place: turn for place, turn in stored.items() if turn.status in REPLIED}
        uninterrupted = begun(store, suite, ScriptedEngine(said_at), fresh=True)
        held(store, uninterrupted, suite, ScriptedEngine(said_at))
        assert texts_of(store, run) == texts_of(store, uninterrupted)
        assert not any(turn.flags for one in store.transcripts(run.id) for turn in one.turns)
        if not replays:  # at most the replies in flight were asked for again
            assert sum(trouble.said.values()) - len(trouble.said) <= open_conversations * len(plan)


# Giving up


def test_a_run_gives_up_when_the_engine_is_gone(store: Store) -> None:
    """After so many conversations that failed with no reply between; what was done is kept, and resume goes on."""
    suite = suite_of(20, 2)
    engine = ScriptedEngine(fails_at({(f"c{number}", 0): DOWN for number in range(3, 20)}), open_conversations=1)
    run = begun(store, suite, engine)
    with pytest.raises(
        EngineError, match="5 conversations in a row failed; the last one: the server says 500"
    ) as caught:
        held(store, run, suite, engine)
    assert caught.value.hint
    assert len(engine.asked) == 3 * 2 + GIVE_UP_AFTER
    assert dict(store.progress(run.id)) == {"ok": 6, "failed": 5, "not_reached": 5}
    assert held(store, run, suite, ScriptedEngine(echo)).turns_done == 40
    assert dict(store.progress(run.id)) == {"ok": 40}


def test_failures_with_replies_between_are_no_reason_to_give_up(store: Store) -> None:
    suite = suite_of(20, 2)
    engine = ScriptedEngine(fails_at({(f"c{number}", 0): DOWN for number in range(20) if number % 5}))
    engine.facts = msgspec.structs.replace(engine.facts, open_conversations=1)
    progress = held(store, begun(store, suite, engine), suite, engine)
    assert (progress.failures, progress.conversations_done, progress.replies) == (16, 20, 8)


def test_a_small_run_that_fails_altogether_ends_without_an_error(store: Store) -> None:
    """Fewer conversations than it takes to give up: the failures are in the progress."""
    suite = suite_of(GIVE_UP_AFTER - 1)
    engine = ScriptedEngine(all_down)
    assert held(store, begun(store, suite, engine), suite, engine).failures == GIVE_UP_AFTER - 1


def test_overflows_are_no_reason_to_give_up(store: Store) -> None:
    """The model's own doing is a finding."""
    suite = suite_of(10, 2)
    engine = ScriptedEngine(fails_at({(f"c{number}", 1): ContextOverflow("full") for number in range(10)}))
    assert held(store, begun(store, suite, engine), suite, engine).failures == 0


# One process at a time


def test_a_run_that_another_process_holds_is_refused(store: Store) -> None:
    """Nothing is asked; when the other is done it can be held; a complete run needs no such leave."""
    suite = suite_of(2)
    run = begun(store, suite, ScriptedEngine(echo))
    engine = ScriptedEngine(echo)
    command = [sys.executable, str(OTHER_PROCESS), "hold", str(store.path), run.id]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match="is being held by another process"):
            held(store, run, suite, engine)
        assert engine.asked == []
        other.communicate("")
    assert held(store, run, suite, engine).turns_done == 6


def test_a_run_is_not_held_twice_in_one_process(store: Store) -> None:
    """Two tasks at once: one holds it, the other is refused, and every turn is asked for once."""
    suite = suite_of(3)
    engine = ScriptedEngine(echo)
    run = begun(store, suite, engine)

    async def main() -> list[Progress | BaseException]:
        both = (hold_run(store, run, suite, engine) for _ in range(2))
        return await asyncio.gather(*both, return_exceptions=True)

    outcomes = asyncio.run(main())
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Progress", "StoreError"]
    assert len(engine.asked) == len(set(engine.asked)) == 9


# What stands


def record(turn: int, status: Status) -> TurnRecord:
    return TurnRecord(
        turn=turn,
        user="x",
        status=status,
        reply="y" if status in REPLIED else None,
        cause=None if status in REPLIED else "environment",
        failure=Failure("server", "500") if status == "failed" else None,
    )


@pytest.mark.parametrize(
    ("statuses", "kept"),
    [
        ([], 0),
        (["ok", "ok"], 2),
        (["ok", "failed", "not_reached"], 1),
        (["failed"], 0),
        (["ok", "empty", "length", "filtered"], 4),
        (["ok", "overflowed"], 2),
        (["ok", "overflowed", "not_reached"], 2),
        (["not_reached", "ok"], 0),
    ],
)
def test_what_a_resumed_conversation_goes_on_from(statuses: list[Status], kept: int) -> None:
    records = tuple(record(turn, status) for turn, status in enumerate(statuses))
    assert standing(records) == records[:kept]


def test_nothing_stands_after_a_gap() -> None:
    assert standing((record(0, "ok"), record(2, "ok"))) == (record(0, "ok"),)
    assert standing((record(1, "ok"),)) == ()


@pytest.mark.parametrize(
    ("statuses", "whether"),
    [
        (["ok", "ok", "ok"], True),
        (["ok", "ok"], False),
        (["ok", "overflowed", "not_reached"], True),
        (["overflowed", "not_reached", "not_reached"], True),
        (["ok", "failed", "not_reached"], False),
        ([], False),
    ],
)
def test_when_a_session_needs_nothing_more(statuses: list[Status], whether: bool) -> None:  # noqa: FBT001
    records = tuple(record(turn, status) for turn, status in enumerate(statuses))
    assert finished(records, suite_of(1).conversations[0]) == whether


def test_a_conversation_cut_short_in_an_overflow_is_completed_without_asking(store: Store) -> None:
    """The process died between the overflow and the turns after it: they are still not reached."""
    suite = suite_of(1, 3)
    run = begun(store, suite, ScriptedEngine(echo))

    async def commit() -> None:
        async with store.writer(run.id) as writer:
            await writer.commit(Session("c0"), record(0, "ok"))
            await writer.commit(Session("c0"), record(1, "overflowed"))

    asyncio.run(commit())
    engine = ScriptedEngine(all_down)
    held(store, run, suite, engine)
    assert engine.asked == []
    assert [one.status for one in store.records(run.id, Session("c0"))] == ["ok", "overflowed", "not_reached"]


# Memory


def peak_of(conversations: int) -> int:
    """Bytes at most while a run of so many conversations with long replies is held."""
    suite = suite_of(conversations, 1)
    long_text = secrets.token_hex(4000)

    class Forgetful(ScriptedEngine):
        async def end(self, session: Session) -> None:
            self.asked.clear()
            await super().end(session)

    engine = Forgetful(lambda _: long_text + secrets.token_hex(8), open_conversations=8)
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "runs.db") as store:
        run = begun(store, suite, engine)
        tracemalloc.start()
        try:
            held(store, run, suite, engine)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def test_memory_does_not_grow_with_the_suite() -> None:
    """Transcripts go to the store and are let go: 1800 more replies of 8 KB each cost no more than 1 KB each.

    What does grow is the list of what is to be held, some 140 bytes a conversation.
    """
    peak_of(20)
    assert peak_of(2000) - peak_of(200) < 1800 * 1024
