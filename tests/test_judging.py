"""Stored runs to judges and back into the store: what is asked, what is not asked again, and where it stops."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from multiturn import api
from multiturn.conditions import RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.engines.scripted import Script, ScriptedEngine
from multiturn.errors import ContextOverflow, EngineError, ReplyFailed, UsageError
from multiturn.judges.meter import Budget, Meter, MeteredEngine
from multiturn.judges.model_judge import GREEDY, Manner, ModelJudge
from multiturn.judges.rubrics import load_rubric
from multiturn.judging import Asking, Judging, judge_run
from multiturn.judgment import Failed, Judged, Preference, Rating, Unreadable
from multiturn.store import Store, open_store
from multiturn.transcript import Request, Sampling

SUITE: Final = Suite(
    name="s",
    conversations=tuple(
        Conversation(id=f"c{at}", turns=(Turn(text=f"hello {at}"), Turn(text="and then?"), Turn(text="bye")))
        for at in range(6)
    ),
)
TURNS: Final = 18
QUALITY: Final = load_rubric("quality")
PREFERENCE: Final = load_rubric("preference")
UNLIMITED: Final = Budget()


def shouts(request: Request) -> str:
    """An arm that is not the echo."""
    return request.messages[-1].content.upper() + "!"


@pytest.fixture(name="store")
def store_with_two_runs(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "runs.db") as opened:
        yield opened


@pytest.fixture(name="runs")
def two_runs(store: Store) -> tuple[RunRecord, RunRecord]:
    """An echo, and one that shouts."""
    job = api.Job(suite=SUITE, store=store.path)
    one, other = (api.evaluate(model, job).run for model in ("scripted:echo", "scripted:tests.test_judging:shouts"))
    return one, other


class Bench:
    """A judge on a script, with a meter; ``asked`` counts the calls by what they end with."""

    def __init__(
        self, script: Script, *, preference: bool = False, budget: Budget = UNLIMITED, **manner: object
    ) -> None:
        self.meter = Meter(budget)
        self.engine = ScriptedEngine(script, spec="scripted:judge", open_conversations=3)
        self.judge = ModelJudge(
            MeteredEngine(self.engine, self.meter),
            PREFERENCE if preference else QUALITY,
            Manner(**manner),  # type: ignore[arg-type]  # any field, by name
        )

    def judges(self, store: Store, *runs: RunRecord, asking: Asking = Asking()) -> Judging:  # noqa: B008 - frozen
        """All that is left to ask of one run, or of two compared."""
        return asyncio.run(judge_run(store, self.judge, *runs, asking=asking, meter=self.meter))


def eight(_request: Request) -> str:
    return "Fine.\nRating: [[8]]"


def said(store: Store, run: RunRecord) -> list[Judged]:
    return sorted(
        store.judgments.of_run(run.id), key=lambda one: (one.question.conversation, one.question.turn or 0, one.id)
    )


def test_every_turn_is_rated_once_and_kept(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    bench = Bench(eight)
    done = bench.judges(store, runs[0])
    assert (done.questions, done.asked, done.calls, done.left, done.spent) == (TURNS, TURNS, TURNS, 0, "")
    found = said(store, runs[0])
    assert [(one.question.conversation, one.question.turn) for one in found] == [
        (f"c{at}", turn) for at in range(6) for turn in range(3)
    ]
    assert {getattr(one.judgment, "value", None) for one in found} == {8.0}
    assert all(one.text and one.prompt_sha256 and one.key and one.prompt_tokens for one in found)
    assert store.judgments.judge("scripted:judge") == bench.judge.record


def test_what_was_said_is_not_asked_again(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    Bench(eight).judges(store, runs[0])
    again = Bench(eight)
    done = again.judges(store, runs[0])
    assert (done.stored, done.asked, done.calls) == (TURNS, 0, 0)


def test_the_same_conversation_in_another_run_is_not_asked_again(
    store: Store, runs: tuple[RunRecord, RunRecord], tmp_path: Path
) -> None:
    """The second run of an echo has other seeds and the same texts: the very same prompts."""
    settings = api.Settings(sampling=Sampling(seed=1))
    twin = api.evaluate("scripted:echo", api.Job(suite=SUITE, store=tmp_path / "runs.db", settings=settings)).run
    Bench(eight).judges(store, runs[0])
    done = Bench(eight).judges(store, twin)
    assert (done.questions, done.shared, done.calls, done.left) == (TURNS, TURNS, 0, 0)
    assert len(said(store, twin)) == TURNS


def test_repeats_are_asked_each_by_itself(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """The same prompt, but no answer of one repeat stands for another, and each draws with its own seed."""
    seeds = Counter[int]()

    def noting(request: Request) -> str:
        seeds[request.seed] += 1
        return eight(request)

    warm = GREEDY.__class__(temperature=0.7)
    done = Bench(noting, sampling=warm).judges(store, runs[0], asking=Asking(repeats=3))
    assert (done.questions, done.asked, done.shared) == (3 * TURNS, 3 * TURNS, 0)
    assert len(seeds) == 3 * TURNS


def test_preferences_are_asked_in_both_seats_and_of_the_whole(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """The judge likes whoever shouts: the first seat where that is ours, else the second."""

    def likes_shouting(request: Request) -> str:
        shown = request.messages[-1].content
        return f"[[{'A' if shown.index('HELLO') < shown.rindex('hello') else 'B'}]]"

    done = Bench(likes_shouting, preference=True).judges(store, runs[1], runs[0])
    assert done.questions == done.asked == 6 * (3 + 1) * 2
    found = Counter(
        (one.question.seat, one.judgment.winner) for one in said(store, runs[1]) if isinstance(one.judgment, Preference)
    )
    assert found == {("first", "first"): 24, ("second", "second"): 24}


def test_a_verdict_that_cannot_be_read_is_asked_for_once_more_with_the_fault(
    store: Store, runs: tuple[RunRecord, RunRecord]
) -> None:
    """Told what was wrong, it mends it; what it said first is kept."""

    def mends(request: Request) -> str:
        return eight(request) if len(request.messages) > 2 else "Rating: [[11]]"

    done = Bench(mends).judges(store, runs[0])
    assert (done.asked, done.calls, done.unreadable) == (TURNS, 2 * TURNS, 0)
    first = said(store, runs[0])[0]
    assert isinstance(first.first, Unreadable)
    assert (first.first.kind, first.first_text, getattr(first.judgment, "value", None)) == (
        "out_of_range",
        "Rating: [[11]]",
        8.0,
    )


def test_a_judge_that_never_says_anything_is_counted_and_no_number(
    store: Store, runs: tuple[RunRecord, RunRecord]
) -> None:
    done = Bench(lambda _request: "").judges(store, runs[0])
    assert (done.asked, done.unreadable, done.calls, done.left) == (TURNS, TURNS, 2 * TURNS, 0)
    assert {type(one.judgment) for one in said(store, runs[0])} == {Unreadable}


@pytest.mark.parametrize("calls", [0, 1, 7])
def test_a_spent_budget_stops_cleanly_and_the_rest_is_asked_later(
    store: Store, runs: tuple[RunRecord, RunRecord], calls: int
) -> None:
    """Never one call more than allowed; what they said is kept."""
    done = Bench(eight, budget=Budget(max_calls=calls)).judges(store, runs[0])
    assert (done.calls, done.asked, done.spent, done.left) == (calls, calls, "max_calls", TURNS - calls)
    assert len(said(store, runs[0])) == calls
    rest = Bench(eight).judges(store, runs[0])
    assert (rest.stored, rest.asked, rest.left) == (calls, TURNS - calls, 0)


def test_one_call_at_a_time_comes_to_an_end_though_nothing_can_be_read_at_first(
    store: Store, runs: tuple[RunRecord, RunRecord]
) -> None:
    """What was paid for is kept, though there was no call left to ask once more."""
    for at in range(TURNS):
        done = Bench(lambda _request: "Hm.", budget=Budget(max_calls=1)).judges(store, runs[0])
        assert (done.stored, done.calls, done.unreadable) == (at, 1, 1)
    assert done.left == 0
    assert {(type(one.first), one.first_text) for one in said(store, runs[0])} == {(Unreadable, "Hm.")}


def test_a_budget_of_tokens_stops_too(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    done = Bench(eight, budget=Budget(max_tokens=1500)).judges(store, runs[0])
    assert done.spent == "max_tokens"
    assert 0 < done.asked < TURNS
    assert done.prompt_tokens + done.new_tokens >= 1500


def test_a_judge_whose_server_is_gone_is_given_up(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """After a few in a row; each is kept as what it is, and asked again the next time."""

    def gone(_request: Request) -> str:
        raise ReplyFailed("connection", "nobody listens")

    with pytest.raises(EngineError, match="5 times in a row; the last time: nobody listens"):
        Bench(gone).judges(store, runs[0])
    kept = said(store, runs[0])
    assert {type(one.judgment) for one in kept} == {Failed}
    done = Bench(eight).judges(store, runs[0])
    assert (done.stored, done.asked, done.left) == (0, TURNS, 0)
    assert {type(one.judgment) for one in said(store, runs[0])} == {Rating}


def windowed(window: int | None, script: Script = eight) -> ModelJudge:
    """The judge with a window of so many words."""
    return ModelJudge(ScriptedEngine(script, spec="scripted:judge", window=window), QUALITY)


def test_a_conversation_too_long_for_the_judge_is_missing_and_asked_about_once(
    store: Store, runs: tuple[RunRecord, RunRecord]
) -> None:
    """However many there are in a row: the judge is there, it is its window that is small, and it stays so."""
    for asked in (TURNS, 0):
        done = asyncio.run(judge_run(store, windowed(100), runs[0]))
        assert (done.asked, done.failed, done.overflowed, done.left) == (asked, 0, TURNS, 0)
    (kind,) = {one.judgment.kind for one in said(store, runs[0]) if isinstance(one.judgment, Failed)}
    assert kind == "overflow"


def test_with_another_window_the_same_judge_is_asked_again(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    asyncio.run(judge_run(store, windowed(100), runs[0]))
    done = asyncio.run(judge_run(store, windowed(9000), runs[0]))
    assert (done.asked, done.overflowed, done.left) == (TURNS, 0, 0)
    assert {type(one.judgment) for one in said(store, runs[0])} == {Rating}


def test_where_nobody_knows_the_window_a_refusal_is_not_paid_for_again(
    store: Store, runs: tuple[RunRecord, RunRecord]
) -> None:
    calls = Counter[str]()

    def refuses(_request: Request) -> str:
        calls["all"] += 1
        raise ContextOverflow("the prompt is too long", window=100)

    for _ in range(2):
        done = asyncio.run(judge_run(store, windowed(None, refuses), runs[0]))
        assert (done.overflowed, calls["all"]) == (TURNS, TURNS)


def test_sittings_end_and_never_more_are_open_than_the_engine_keeps_warm(
    store: Store, runs: tuple[RunRecord, RunRecord]
) -> None:
    """Whatever the order in which they come to an end."""
    open_now: set[str] = set()
    most = 0

    async def slowly(request: Request) -> str:
        nonlocal most
        open_now.add(request.session.conversation)
        most = max(most, len(open_now))
        await asyncio.sleep(0.001)
        if request.turn == 4:
            open_now.discard(request.session.conversation)
        return eight(request)

    bench = Bench(slowly)
    bench.judges(store, runs[0])
    assert most == 3
    assert len(bench.engine.ended) == len(set(bench.engine.ended)) == 6


def test_a_rubric_must_fit_what_is_named(store: Store, runs: tuple[RunRecord, RunRecord], tmp_path: Path) -> None:
    other = api.evaluate("scripted:echo", api.Job(suite=SUITE, store=tmp_path / "runs.db", limit=2)).run
    for bench, named, fault in (
        (Bench(eight, preference=True), (runs[0],), "compares two runs, and only one is named"),
        (Bench(eight), runs, "judges one run by itself"),
        (Bench(eight, preference=True), (runs[0], runs[0]), "compared with itself"),
        (Bench(eight, preference=True), (runs[0], other), "another one"),
    ):
        with pytest.raises(UsageError, match=fault):
            bench.judges(store, *named)


def test_one_of_two_that_ask_the_same_is_turned_away(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """Both would pay for the same answers."""
    bench = Bench(eight)

    async def twice() -> list[object]:
        asked = (judge_run(store, bench.judge, runs[0]) for _ in range(2))
        return await asyncio.gather(*asked, return_exceptions=True)

    found = asyncio.run(twice())
    assert sorted(type(one).__name__ for one in found) == ["Judging", "StoreError"]


def test_with_golden_history_turns_of_one_conversation_are_asked_at_once_in_sessions_of_their_own(
    store: Store, tmp_path: Path
) -> None:
    """An engine that keeps what it has read of a session must not find another turn's prompt there."""
    turns = tuple(Turn(text=f"say {at}", golden=f"golden {at}") for at in range(3))
    suite = Suite(name="g", conversations=(Conversation(id="c", turns=turns),))
    job = api.Job(suite=suite, store=tmp_path / "runs.db", settings=api.Settings(history="golden"))
    run = api.evaluate("scripted:echo", job).run
    open_now: list[str] = []
    all_open = asyncio.Event()

    async def slowly(request: Request) -> str:
        open_now.append(request.session.conversation)
        if len(open_now) == 3:
            all_open.set()
        await all_open.wait()
        return eight(request)

    assert Bench(slowly, goldens=False).judges(store, run).asked == 3
    assert len(set(open_now)) == 3


def test_with_golden_history_a_reply_is_judged_behind_what_the_model_saw(store: Store, tmp_path: Path) -> None:
    """Its own earlier replies were never shown to it; what came later is not there either, nor a whole to compare."""
    turns = tuple(Turn(text=f"say {at}", golden=f"golden {at}") for at in range(3))
    suite = Suite(name="g", conversations=(Conversation(id="c", turns=turns),))
    settings = api.Settings(history="golden")
    runs = [
        api.evaluate(model, api.Job(suite=suite, store=tmp_path / "runs.db", settings=settings)).run
        for model in ("scripted:echo", "scripted:tests.test_judging:shouts")
    ]
    shown: list[str] = []

    def noting(request: Request) -> str:
        shown.append(request.messages[1].content)
        return "[[C]]" if "Rating" not in request.messages[0].content else eight(request)

    assert Bench(noting, goldens=False).judges(store, runs[0]).asked == 3
    shown.sort(key=len)  # all three are asked at once
    assert "golden 0" in shown[2]
    assert "golden 1" in shown[2]
    assert "say 2" in shown[2]
    assert "say 1" not in shown[0]
    assert shown[2].count("say 1") == 1  # the user's; the model's own reply, an echo, is not there
    assert Bench(noting, preference=True, goldens=False).judges(store, *runs).asked == 3 * 2


def test_a_verdict_that_can_only_be_asked_for_once_is_unreadable_and_no_overflow(
    store: Store, runs: tuple[RunRecord, RunRecord]
) -> None:
    """The first prompt fits the window, the second, with the judge's reply in it, does not: it did say something."""
    wide = Bench(eight)
    wide.judges(store, runs[0])
    longest = max(one.prompt_tokens or 0 for one in said(store, runs[0]))
    window = longest + GREEDY.max_tokens
    small = ScriptedEngine(lambda _request: "no verdict " * 40, spec="scripted:rambling", window=window)
    done = asyncio.run(judge_run(store, ModelJudge(small, QUALITY), runs[0]))
    found = [one for one in said(store, runs[0]) if one.judge != wide.judge.record.id]
    assert (done.asked, done.overflowed, len(found)) == (TURNS, 0, TURNS)
    assert {type(one.judgment) for one in found} == {Unreadable}
