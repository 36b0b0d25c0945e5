"""The self-check of a judge: asked once, kept, within its calls, and told before anything rests on the judge."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from tests.judges.stand_in import Faults, script_for, shipped_probes

from multiturn import api
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.engines.scripted import ScriptedEngine
from multiturn.errors import EngineError, ReplyFailed, UsageError
from multiturn.judge_card import Card
from multiturn.judge_check import Checking, CheckProgress, check_judge, judges_for, reworded
from multiturn.judges.meter import Budget, BudgetSpent, Meter, MeteredEngine
from multiturn.judges.model_judge import GREEDY, Manner
from multiturn.judges.rubrics import load_rubric
from multiturn.judgment import JudgeRecord
from multiturn.store import Store, open_store
from multiturn.transcript import Request, Sampling

QUALITY: Final = load_rubric("quality")
PREFERENCE: Final = load_rubric("preference")
SUITE: Final = Suite(
    name="s",
    conversations=tuple(
        Conversation(
            id=f"c{at}",
            turns=(
                Turn(text=f"hello {at}"),
                Turn(text=f"Say a dozen words or more of the number {at}, please, my friend."),
            ),
        )
        for at in range(8)
    ),
)


@pytest.fixture(name="store")
def empty_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "runs.db") as opened:
        yield opened


class Judge:
    """A scripted judge's engine, with what it was asked."""

    def __init__(self, script: Callable[[Request], str], **engine: object) -> None:
        self.requests: list[Request] = []

        def noting(request: Request) -> str:
            self.requests.append(request)
            return script(request)

        self.engine = ScriptedEngine(noting, spec="scripted:judge", **engine)  # type: ignore[arg-type]

    def checked(self, store: Store, *, preference: bool = False, manner: Manner = Manner(), **checking: object) -> Card:  # noqa: B008
        """Its card."""
        rubric = PREFERENCE if preference else QUALITY
        return asyncio.run(
            check_judge(store, self.engine, rubric, manner, Checking(**checking))  # type: ignore[arg-type]
        )


def eight(_request: Request) -> str:
    return "Fine.\nRating: [[8]]"


_honest = cache(lambda: script_for(shipped_probes("quality"), Faults(), 0))
"""Made when it is first asked: it reads two suites."""


def honest(request: Request) -> str:
    """A judge without a fault, on the shipped suites."""
    return _honest()(request)


def test_a_check_is_asked_once_and_its_card_kept(store: Store) -> None:
    first, again = Judge(honest), Judge(honest)
    card = first.checked(store)
    assert (card.conclusion, card.reasons) == ("fit", ())
    assert (card.questions, card.asked, card.calls) == (56, 56, 56) == (*(len(first.requests),) * 3,)
    assert again.checked(store) == card
    assert again.requests == []
    assert store.cards.of_judge(card.judge) == (card,)
    assert store.judgments.judge(card.judge).spec == card.spec == "scripted:judge"


def test_another_material_rubric_or_manner_is_another_check(store: Store) -> None:
    judge = Judge(eight)
    warm = Manner(sampling=Sampling(temperature=0.7, max_tokens=600))
    cards = [
        judge.checked(store),
        judge.checked(store, seed=1),
        judge.checked(store, manner=warm),
        judge.checked(store, calls=30),
    ]
    assert len({card.id for card in cards}) == 4
    assert len({card.judge for card in cards}) == 2


def test_no_check_takes_more_than_its_calls(store: Store) -> None:
    """A judge of which nothing can be read is asked everything twice: half of the questions are asked."""
    judge = Judge(lambda _request: "Hm.")
    card = judge.checked(store)
    assert (card.calls, len(judge.requests), card.asked, card.unreadable) == (60, 60, 30, 30)
    assert (card.conclusion, card.reasons) == ("not_fit", ("unreadable",))
    assert Judge(eight).checked(store, calls=20, seed=1).calls <= 20
    with pytest.raises(UsageError, match="1 to 60"):
        Checking(calls=61)


def test_every_finding_gets_its_share_of_few_calls(store: Store) -> None:
    card = Judge(lambda _request: "Hm.").checked(store)
    tried = {one.name: one.measured.missing + one.measured.n for one in card.findings if one.name != "unreadable"}
    assert max(tried.values()) - min(tried.values()) <= 1


def test_the_judge_is_asked_in_other_words_and_at_another_temperature(store: Store) -> None:
    """A greedy one warmly, a warm one greedily; all else is as it is to be used."""
    for heat, other in ((0.0, 0.7), (0.7, 0.0)):
        judge = Judge(eight)
        judge.checked(store, manner=Manner(sampling=Sampling(temperature=heat, max_tokens=round(99 - heat))))
        heats = Counter(request.sampling.temperature for request in judge.requests)
        assert heats == {heat: 49, other: 7}
        assert {request.sampling.max_tokens for request in judge.requests} == {round(99 - heat)}
    assert reworded(QUALITY) == load_rubric("quality_reworded")
    assert reworded(load_rubric("quality_reworded")) == QUALITY
    assert reworded(PREFERENCE) is None
    assert set(judges_for(ScriptedEngine(eight), PREFERENCE, Manner())) == {"plain", "temperature"}


def test_whoever_watches_hears_of_each_answer(store: Store) -> None:
    heard: list[CheckProgress] = []
    engine = ScriptedEngine(eight)
    asyncio.run(check_judge(store, engine, QUALITY, Manner(), Checking(), watch=heard.append))
    assert [one.asked for one in heard] == list(range(1, 57))
    assert {one.questions for one in heard} == {56}


def test_a_run_is_material_too(store: Store) -> None:
    """Its own replies come before the judged one, which is its own where the suite has no golden."""
    run = api.evaluate("scripted:echo", api.Job(suite=SUITE, store=store.path)).run
    judge = Judge(eight)
    card = judge.checked(store, run=run.id)
    assert card.material == f"conversations of run {run.id}"
    prompts = [request.messages[1].content for request in judge.requests]
    assert all("hello" in prompt and "please, my friend." in prompt for prompt in prompts)


def test_fastchats_prompts_are_tried_on_the_turns_that_they_have(store: Store, tmp_path: Path) -> None:
    """In a form of its own file with one prompt, for first turns."""
    row = (
        '{"name": "s", "type": "single", "system_prompt": "Judge.", "prompt_template": "{question} | {answer}", '
        '"description": "", "category": "general", "output_format": "[[rating]]"}\n'
    )
    (tmp_path / "judge_prompts.jsonl").write_text(row, encoding="utf-8")
    rubric = load_rubric(tmp_path / "judge_prompts.jsonl")
    card = asyncio.run(check_judge(store, ScriptedEngine(eight), rubric, Manner(), Checking()))
    assert card.rubric == "fastchat"
    assert card.asked == 56


def test_a_judge_that_is_gone_ends_the_check(store: Store) -> None:
    def gone(_request: Request) -> str:
        raise ReplyFailed("connection", "no route")

    with pytest.raises(EngineError, match="5 times in a row"):
        Judge(gone).checked(store)
    assert store.judgments.judges() == ()


def test_after_a_lost_reply_only_that_is_asked_again(store: Store) -> None:
    """The card says what is missing, and makes way for the whole one."""
    calls = Counter[str]()

    def once_lost(request: Request) -> str:
        calls["all"] += 1
        if calls["all"] == 5:
            raise ReplyFailed("timeout", "too late")
        return honest(request)

    card = Judge(once_lost).checked(store)
    assert (card.failed, store.cards.of_judge(card.judge)) == (1, (card,))
    again = Judge(honest)
    whole = again.checked(store)
    assert (len(again.requests), whole.asked, whole.failed, whole.calls) == (1, 56, 0, 56)
    assert store.cards.of_judge(card.judge) == (whole,)


def test_a_check_that_was_broken_off_goes_on_where_it_stopped(store: Store) -> None:
    """Whatever ended it, Ctrl-C even: its answers were kept as they came."""

    class StoppedError(Exception):
        pass

    judge = Judge(honest)

    def stopping(progress: CheckProgress) -> None:
        if progress.asked == 5:
            raise StoppedError

    with pytest.raises(StoppedError):
        asyncio.run(check_judge(store, judge.engine, QUALITY, Manner(), Checking(), watch=stopping))
    rest = Judge(honest)
    heard: list[CheckProgress] = []
    card = asyncio.run(check_judge(store, rest.engine, QUALITY, Manner(), Checking(), watch=heard.append))
    assert len(judge.requests) + len(rest.requests) == 56
    assert (card.asked, card.calls, card.conclusion) == (56, 56, "fit")
    assert heard[-1] == CheckProgress(questions=56, asked=56)


def test_the_calls_of_a_check_that_goes_on_are_counted_together(store: Store) -> None:
    """A judge of which nothing can be read is not asked more for being asked in two parts."""
    with pytest.raises(EngineError):
        Judge(_gone_after(20)).checked(store)
    rest = Judge(lambda _request: "Hm.")
    card = rest.checked(store)
    assert (card.calls, card.asked, len(rest.requests)) == (60, 30, 40)
    assert Judge(eight).checked(store) == card


def _gone_after(calls: int) -> Callable[[Request], str]:
    """A judge that says nothing of use, and then nothing at all."""
    made = Counter[str]()

    def judge(_request: Request) -> str:
        made["all"] += 1
        if made["all"] > calls:
            raise ReplyFailed("connection", "no route")
        return "Hm."

    return judge


def test_a_prompt_that_does_not_fit_is_a_finding_of_the_judge(store: Store) -> None:
    """It will not fit next time either, so the card is kept."""
    card = Judge(eight, window=700).checked(store)
    assert card.failed > 0
    assert store.cards.of_judge(card.judge) == (card,)


def test_with_a_larger_window_what_did_not_fit_is_asked_again(store: Store) -> None:
    """And the card is made anew; with the same window nothing is."""
    card = Judge(eight, window=700).checked(store)
    same, larger = Judge(eight, window=700), Judge(eight, window=9000)
    assert same.checked(store) == card
    assert same.requests == []
    whole = larger.checked(store)
    assert (len(larger.requests), whole.failed) == (card.failed, 0)


def test_where_another_budget_ends_the_check_the_card_is_of_what_there_is(store: Store) -> None:
    """Nothing that was paid for is asked again: each time it comes further, also where each time is one call."""
    judge = Judge(honest)
    for asked in (10, 20, 30):
        engine = MeteredEngine(judge.engine, Meter(Budget(max_calls=10)))
        card = asyncio.run(check_judge(store, engine, QUALITY, Manner(), Checking()))
        assert (card.asked, card.calls, card.questions, len(judge.requests)) == (asked, asked, 56, asked)
        assert store.cards.of_judge(card.judge) == (card,)


def test_a_budget_that_allows_no_answer_is_told(store: Store) -> None:
    engine = MeteredEngine(ScriptedEngine(eight), Meter(Budget(max_calls=0)))
    with pytest.raises(BudgetSpent):
        asyncio.run(check_judge(store, engine, QUALITY, Manner(), Checking()))
    assert store.judgments.judges() == ()


# Before judging


def judge_run(store: Store, **job: object) -> tuple[list[Card | None], api.JudgedBy]:
    """A new run judged by a judge that says 8: the cards that were told, and what came of it."""
    return judge_run_of(store, api.evaluate("scripted:echo", api.Job(suite=SUITE, store=store.path)).run.id, **job)


def judge_run_of(store: Store, run: str, **job: object) -> tuple[list[Card | None], api.JudgedBy]:
    """The same of a run that is there."""
    told: list[Card | None] = []

    def tell(_judge: JudgeRecord, card: Card | None) -> None:
        told.append(card)

    spec = "scripted:tests.test_judge_check:eight"
    (done,) = api.judge(store, run, api.JudgeJob(judges=(spec,), **job), tell=tell)  # type: ignore[arg-type]
    return told, done


def test_a_judge_without_a_card_is_checked_before_it_judges(store: Store) -> None:
    told, done = judge_run(store, checking=Checking())
    assert [card.conclusion for card in told if card] == ["not_fit"]
    assert done.card == told[0]
    assert (done.judging.asked, done.judging.calls) == (16, 72)


def test_a_judge_with_a_card_is_not_checked_again(store: Store) -> None:
    """Nor by another material: any card will do."""
    _, first = judge_run(store, checking=Checking(seed=3))
    told, done = judge_run(store, checking=Checking())
    assert told == [first.card]
    assert done.judging.calls == 0


def test_of_several_cards_the_one_of_most_questions_counts(store: Store) -> None:
    """A short check later does not hide a whole one."""
    _, first = judge_run(store, checking=Checking())
    job = api.JudgeJob(judges=("scripted:tests.test_judge_check:eight",), checking=Checking(calls=8))
    (short,) = api.check_judges(store, job)
    assert short.asked == 8
    told, _ = judge_run(store, checking=Checking())
    assert told == [first.card]


def test_a_check_counts_as_part_of_the_budget(store: Store) -> None:
    """And is left out, and said to be, where it would take more than half of it."""
    told, done = judge_run(store, checking=Checking(), budget=Budget(max_calls=119))
    assert told == [None]
    assert (done.judging.calls, done.judging.spent) == (16, "")


def test_a_budget_of_tokens_below_the_cost_of_a_check_gets_somewhere_each_time(store: Store) -> None:
    """Half of it is the check's, which goes on until it is done; and there is judging each time."""
    api.evaluate("scripted:echo", api.Job(suite=SUITE, store=store.path))
    asked, judged = [], []
    for _ in range(40):
        told, done = judge_run_of(store, "latest", checking=Checking(), budget=Budget(max_tokens=4000))
        asked.append(told[0].asked if told[0] else 0)
        judged.append(done.judging.questions - done.judging.left)
        if asked[-1] == 56 and done.judging.left == 0:
            break
    assert asked[-1] == 56
    assert judged[-1] == 16
    assert asked[0] < 56
    assert judged[0] > 0
    assert asked == sorted(asked)


def test_unless_asked_for_nothing_is_checked(store: Store) -> None:
    told, done = judge_run(store)
    assert (told, done.card, done.judging.calls) == ([], None, 16)


def test_from_python_a_panel_is_checked_at_once(store: Store) -> None:
    specs = tuple(f"scripted:tests.test_judge_check:{name}" for name in ("eight", "honest"))
    cards = api.check_judges(store, api.JudgeJob(judges=specs, manner=Manner(sampling=GREEDY)))
    assert [card.conclusion for card in cards] == ["not_fit", "fit"]
