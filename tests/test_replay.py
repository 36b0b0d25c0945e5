"""Going back into a stored conversation: what was held is taken over, what is said from there on is a run of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from multiturn.conditions import Arm, RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.dialogue import turn_seed
from multiturn.engines.scripted import Script, ScriptedEngine, echo
from multiturn.errors import ReplyFailed, UsageError
from multiturn.replay import Replay
from multiturn.run import Settings, find_or_begin, hold_run
from multiturn.store import Store, open_store
from multiturn.transcript import Reply, Request, Session

CONVERSATION = Conversation(
    id="c",
    turns=(Turn(text="one", golden="ONE"), Turn(text="two", golden="TWO"), Turn(text="three")),
    system="Be brief.",
    category="writing",
)
SUITE = Suite(name="s", conversations=(CONVERSATION, Conversation(id="d", turns=(Turn(text="x"),))))
ARM = Arm(spec="scripted:python")


class Watched(ScriptedEngine):
    """A scripted engine that keeps what it was asked."""

    def __init__(self, script: Script = echo, *, replays: bool = False, weights: str = "w") -> None:
        super().__init__(script, identity={"weights": weights})
        self.facts = msgspec.structs.replace(self.facts, replays=replays)
        self.requests: list[Request] = []

    async def reply(self, request: Request) -> Reply:
        """What the script says."""
        self.requests.append(request)
        return await super().reply(request)

    @property
    def sent(self) -> list[list[str]]:
        """The contents of the messages of each request."""
        return [[message.content for message in request.messages] for request in self.requests]


@pytest.fixture(name="store")
def empty_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "runs.db") as store:
        yield store


def run_of(
    store: Store, script: Script = echo, settings: Settings | None = None, arm: Arm = ARM, suite: Suite = SUITE
) -> RunRecord:
    """A run, held to its end."""
    engine = Watched(script)
    run = find_or_begin(store, suite, engine, arm, settings or Settings(), resume=None, fresh=False)
    asyncio.run(hold_run(store, run, suite, engine))
    return run


def replay_of(store: Store, run: RunRecord, start: int, *, sample: int = 0) -> Replay:
    transcript = next(one for one in store.transcripts(run.id) if one.session == Session("c", sample))
    return Replay(store, run, transcript, CONVERSATION, start)


def say(replay: Replay, engine: ScriptedEngine, *texts: str) -> list[str | None]:
    async def main() -> list[str | None]:
        async with replay.on(engine):
            return [(await replay.say(text)).reply for text in texts]

    return asyncio.run(main())


def test_what_is_said_follows_the_turns_that_were_held(store: Store) -> None:
    """With the system prompt of then; the turns before are neither asked for nor said again."""
    replay = replay_of(store, run_of(store, lambda request: f"reply {request.turn}"), 3)
    engine = Watched()
    assert (replay.original, len(replay.records)) == ("three", 2)
    assert say(replay, engine, "something else", "and on") == ["something else", "and on"]
    assert engine.sent[0] == ["Be brief.", "one", "reply 0", "two", "reply 1", "something else"]
    assert engine.sent[1][-3:] == ["something else", "something else", "and on"]
    assert engine.ended == [Session("c")]


def test_it_becomes_a_run_of_its_own(store: Store) -> None:
    """With a suite of the conversation as it was said, all turns, and the model that replied this time."""
    run = run_of(store)
    replay = replay_of(store, run, 2)
    engine = Watched(lambda _: "new", weights="other")
    say(replay, engine, "and now?")
    kept = replay.kept
    assert kept is not None
    assert kept.id != run.id
    (transcript,) = store.transcripts(kept.id)
    assert [(turn.user, turn.reply) for turn in transcript.turns] == [("one", "one"), ("and now?", "new")]
    assert transcript.system == "Be brief."
    assert transcript.turns[0] == replay.records[0]
    suite = store.suite(kept.conditions.suite_digest)
    assert [turn.text for turn in suite.conversations[0].turns] == ["one", "and now?"]
    assert (suite.name, suite.conversations[0].category) == (f"replay of {run.id}", "writing")
    assert kept.conditions.identity["weights"] == "other"
    assert (kept.turns, kept.conversations) == (2, 1)
    assert asyncio.run(hold_run(store, kept, suite, ScriptedEngine(echo))).replies == 0


def test_the_run_before_stays_as_it_was(store: Store) -> None:
    run = run_of(store)
    before = list(store.transcripts(run.id))
    say(replay_of(store, run, 1), Watched(lambda _: "new"), "one")
    assert list(store.transcripts(run.id)) == before


def test_where_nothing_is_said_nothing_is_kept(store: Store) -> None:
    run = run_of(store)
    replay = replay_of(store, run, 2)
    engine = Watched()
    assert say(replay, engine) == []
    assert replay.kept is None
    assert [one.run for one in store.runs()] == [run]
    assert engine.ended == [Session("c")]


def test_the_same_words_get_the_same_seed(store: Store) -> None:
    """A turn that is said again as it was can be compared with what came of it then, sample by sample."""
    run = run_of(store, settings=Settings(samples=2))
    engine = Watched()
    say(replay_of(store, run, 2, sample=1), engine, "two", "three")
    assert [request.seed for request in engine.requests] == [turn_seed(0, "c", 1, 1), turn_seed(0, "c", 2, 1)]
    assert engine.requests[0].session == Session("c", 1)


def test_an_arms_system_prompt_is_kept(store: Store) -> None:
    """Not the conversation's own; and an arm that has none sends none."""
    for system, first in (("Be kind.", "Be kind."), ("", "one")):
        run = run_of(store, arm=msgspec.structs.replace(ARM, system=system))
        engine = Watched()
        say(replay_of(store, run, 3), engine, "x")
        assert engine.sent[0][0] == first


def test_a_golden_history_goes_on_with_the_models_own_replies(store: Store) -> None:
    """Turns that are said anew have no golden reply; what the model said to them is what follows."""
    run = run_of(
        store, lambda _: "said", Settings(history="golden"), suite=Suite(name="g", conversations=(CONVERSATION,))
    )
    engine = Watched(lambda _: "new")
    say(replay_of(store, run, 3), engine, "a", "b")
    assert engine.sent[0][1:] == ["one", "ONE", "two", "TWO", "a"]
    assert engine.sent[1][1:] == ["one", "ONE", "two", "TWO", "a", "new", "b"]


def test_an_engine_that_replays_is_asked_for_the_turns_before(store: Store) -> None:
    """And where they come out otherwise, the new turns say so."""
    run = run_of(store)
    engine = Watched(lambda request: f"other {request.turn}", replays=True)
    replay = replay_of(store, run, 3)
    say(replay, engine, "x")
    assert [turn for _, turn in engine.asked] == [0, 1, 2]
    assert replay.kept is not None
    (transcript,) = store.transcripts(replay.kept.id)
    assert [turn.reply for turn in transcript.turns] == ["one", "two", "other 2"]
    assert transcript.turns[2].flags == ("replay_differs",)


def test_the_engine_hears_of_the_end_when_taking_up_breaks_off(store: Store) -> None:
    """Also where an error comes before anything could be said."""

    def script(_request: Request) -> str:
        raise ZeroDivisionError

    engine = Watched(script, replays=True)
    with pytest.raises(ZeroDivisionError):
        say(replay_of(store, run_of(store), 3), engine, "x")
    assert engine.ended == [Session("c")]


def test_what_was_said_before_an_error_is_kept(store: Store) -> None:
    """The error comes out as it is."""
    replay = replay_of(store, run_of(store), 2)

    async def main() -> None:
        async with replay.on(Watched()):
            await replay.say("hello")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(main())
    assert replay.kept is not None
    assert dict(store.progress(replay.kept.id)) == {"ok": 2}


def test_a_failed_reply_is_kept_as_that(store: Store) -> None:
    def script(_request: Request) -> str:
        raise ReplyFailed("timeout", "nobody there")

    replay = replay_of(store, run_of(store), 2)
    assert say(replay, Watched(script), "hello", "hello?") == [None, None]
    assert replay.kept is not None
    assert dict(store.progress(replay.kept.id)) == {"ok": 1, "failed": 1, "not_reached": 1}


@pytest.mark.parametrize("start", [0, 4, -1])
def test_a_turn_that_is_not_there(store: Store, start: int) -> None:
    """Turns count from 1; the hint says how far."""
    with pytest.raises(UsageError, match=f"has no turn {start}") as caught:
        replay_of(store, run_of(store), start)
    assert caught.value.hint == "--from 1 to 3"


def test_turns_without_a_reply_can_not_be_gone_back_behind(store: Store) -> None:
    """Up to the turn that failed it can; after it there is no history."""

    def script(request: Request) -> str:
        if request.turn == 1:
            raise ReplyFailed("timeout", "nobody there")
        return "ok"

    run = run_of(store, script)
    with pytest.raises(UsageError, match="no reply to every turn before turn 3"):
        replay_of(store, run, 3)
    assert say(replay_of(store, run, 2), Watched(), "hello") == ["hello"]
