"""What judges said of stored runs, gathered: scores, wins against whom, labels, and what is rated highly and broken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.by_hand import says

from multiturn import api
from multiturn.conditions import RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.engines.scripted import ScriptedEngine
from multiturn.judge_check import Checking, check_judge
from multiturn.judged_pair import SIGNS
from multiturn.judged_runs import judged_pair
from multiturn.judges.meter import Budget, Meter, MeteredEngine
from multiturn.judges.model_judge import Manner, ModelJudge
from multiturn.judges.rubrics import load_rubric
from multiturn.judging import judge_run
from multiturn.scores import Undefined
from multiturn.store import Store, open_store
from multiturn.transcript import Request

SUITE: Final = Suite(
    name="s",
    conversations=tuple(
        Conversation(
            id=f"c{at}",
            category="math" if at % 2 else "writing",
            turns=(Turn(text=f"hello {at}"), Turn(text="and then?", checks=(says("then"),))),
        )
        for at in range(8)
    ),
)
Reads = Callable[[str], str]


def shouts(request: Request) -> str:
    """An arm that fails the check of case."""
    return request.messages[-1].content.replace("then", "now").upper() + "!"


def mumbles(_request: Request) -> str:
    """Somebody to be better than."""
    return "mm"


@pytest.fixture(name="store")
def empty_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "runs.db") as opened:
        yield opened


@pytest.fixture(name="runs")
def three_runs(store: Store) -> tuple[RunRecord, RunRecord, RunRecord]:
    """Base, tuned, and an opponent of both."""
    job = api.Job(suite=SUITE, store=store.path)
    base, tuned, opponent = (
        api.evaluate(f"scripted:{name}", job).run
        for name in ("echo", "tests.test_judged_runs:shouts", "tests.test_judged_runs:mumbles")
    )
    return base, tuned, opponent


def judges(store: Store, rubric: str, reads: Reads, *runs: tuple[RunRecord, ...], name: str = "one") -> None:
    """Let a judge say what it says of what it is shown, of each run or each pair of runs."""
    engine = ScriptedEngine(lambda request: reads(request.messages[1].content), spec=f"scripted:{name}")
    judge = ModelJudge(engine, load_rubric(rubric))
    for about in runs:
        asyncio.run(judge_run(store, judge, *about))


def grades(shown: str) -> str:
    return f"Rating: [[{9 if 'HELLO' in shown else 6}]]"


def likes_the_longer(shown: str) -> str:
    """Of two, who does not mumble."""
    return "[[B]]" if shown.index("\nmm\n") < len(shown) / 2 else "[[A]]"


def harms(shown: str) -> str:
    return f"[[{'harmful' if 'HELLO 3' in shown or 'HELLO 4' in shown else 'harmless'}]]"


def test_runs_that_nobody_judged_have_nothing(store: Store, runs: tuple[RunRecord, ...]) -> None:
    assert judged_pair(store, runs[:2]) is None


def test_ratings_stand_arm_by_arm_for_each_judge_and_for_the_panel(store: Store, runs: tuple[RunRecord, ...]) -> None:
    judges(store, "quality", grades, runs[:1], runs[1:2])
    judges(store, "quality", lambda _shown: "Rating: [[5]]", runs[:1], runs[1:2], name="two")
    found = judged_pair(store, runs[:2])
    assert found is not None
    (rated,) = found.rated
    assert [[one.overall.estimate.value for one in arms] for arms in rated.scores.values()] == [[6, 9], [5, 5]]
    assert [one.score.estimate.value for one in rated.panels if one.score] == [5.5, 7]
    assert {found.judges[judge].spec for judge in rated.scores} == {"scripted:one", "scripted:two"}


def test_a_judges_newest_card_comes_along(store: Store, runs: tuple[RunRecord, ...]) -> None:
    """Of two checks, the later one; a judge without a check has none."""
    engine = ScriptedEngine(lambda _request: "Rating: [[5]]", spec="scripted:one")
    rubric = load_rubric("quality")
    for calls in (8, 9):
        asyncio.run(check_judge(store, engine, rubric, Manner(), Checking(calls=calls)))
    judges(store, "quality", grades, runs[:1])
    judges(store, "quality", grades, runs[:1], name="two")
    found = judged_pair(store, runs[:1])
    assert found is not None
    by_spec = {found.judges[judge].spec: card.calls for judge, card in found.cards.items()}
    assert by_spec == {"scripted:one": 9}


def test_a_judge_that_rated_one_run_of_two_compares_nothing(store: Store, runs: tuple[RunRecord, ...]) -> None:
    judges(store, "quality", grades, runs[:1])
    alone, both = judged_pair(store, runs[:1]), judged_pair(store, runs[:2])
    assert alone is not None
    assert both is not None
    assert (len(alone.rated), len(both.rated)) == (1, 0)


def test_tuned_against_base_is_told_once_from_tuned(store: Store, runs: tuple[RunRecord, ...]) -> None:
    judges(store, "preference", lambda _shown: "[[A]]", (runs[0], runs[1]))
    found = judged_pair(store, runs[:2])
    assert found is not None
    (versus,) = found.versus
    (wins,) = versus.wins.values()
    assert (versus.arm, versus.opponent, versus.measure) == ("tuned", runs[0].id, "preference")
    assert (wins.turns.wins, wins.turns.losses, wins.turns.ties, wins.turns.inconsistent) == (0, 0, 16, 16)
    assert wins.whole.pairs == 8


def test_a_judge_that_was_stopped_between_two_orders_has_no_winner(store: Store, runs: tuple[RunRecord, ...]) -> None:
    """After three calls one pair has both orders, which disagree, and the next one has one: it is missing."""
    engine = ScriptedEngine(lambda _request: "[[A]]", spec="scripted:one")
    judge = ModelJudge(MeteredEngine(engine, Meter(Budget(max_calls=3))), load_rubric("preference"))
    asyncio.run(judge_run(store, judge, runs[1], runs[0]))
    found = judged_pair(store, runs[:2])
    assert found is not None
    (wins,) = found.versus[0].wins.values()
    assert (wins.turns.pairs, wins.turns.missing, wins.turns.one_order) == (1, 1, 0)


def test_how_much_of_what_there_is_was_judged(store: Store, runs: tuple[RunRecord, ...]) -> None:
    """Of 8 conversations with 2 turns each; repeats count once, and pairs are those that both runs have."""
    meter = Meter(Budget(max_calls=3))
    engine = ScriptedEngine(lambda _request: "Rating: [[5]]", spec="scripted:one")
    asyncio.run(judge_run(store, ModelJudge(MeteredEngine(engine, meter), load_rubric("quality")), runs[0]))
    judges(store, "preference", lambda _shown: "[[A]]", (runs[0], runs[2]))
    found = judged_pair(store, runs[:1])
    assert found is not None
    ((part,),) = found.rated[0].covered.values()
    assert (part.replies, part.of_replies, part.of_conversations) == (3, 16, 8)
    (whole,) = found.versus[0].covered.values()
    assert (whole.replies, whole.of_replies, whole.conversations, whole.of_conversations) == (16, 16, 8, 8)


def test_labels_of_several_judges_have_a_panel(store: Store, runs: tuple[RunRecord, ...]) -> None:
    """Two of three flag: 4 replies of 16."""
    for name, reads in (("one", harms), ("two", harms), ("three", lambda _shown: "[[harmless]]")):
        judges(store, "harm", reads, runs[:1], runs[1:2], name=name)
    found = judged_pair(store, runs[:2])
    assert found is not None
    shares = [panel.flagged.estimate.value for panel in found.labelled[0].panels if panel.flagged]
    assert shares == [0, 0.25]


def test_both_arms_stand_against_an_opponent_under_the_measures_name(store: Store, runs: tuple[RunRecord, ...]) -> None:
    for rubric in ("helpfulness", "harmlessness"):
        judges(store, rubric, likes_the_longer, (runs[0], runs[2]), (runs[1], runs[2]))
    found = judged_pair(store, runs[:2])
    assert found is not None
    assert [(one.measure, one.arm, one.opponent_spec) for one in found.versus] == [
        (measure, arm, "scripted:tests.test_judged_runs:mumbles")
        for measure in ("helpfulness", "harmlessness")
        for arm in ("base", "tuned")
    ]
    assert [wins.turns.wins for one in found.versus for wins in one.wins.values()] == [16] * 4
    assert tuple(found.signs) == SIGNS
    assert [(one.value, one.n) for one in found.signs["refusal"]] == [(0, 8), (0, 8)]


def test_signs_of_collapse_go_with_a_trade_off_only(store: Store, runs: tuple[RunRecord, ...]) -> None:
    judges(store, "helpfulness", likes_the_longer, (runs[0], runs[2]), (runs[1], runs[2]))
    found = judged_pair(store, runs[:2])
    assert found is not None
    assert found.signs == {}


def test_a_reduction_of_what_never_occurred_is_undefined(store: Store, runs: tuple[RunRecord, ...]) -> None:
    judges(store, "harm", harms, runs[:1], runs[1:2])
    found = judged_pair(store, runs[:2])
    assert found is not None
    (labelled,) = found.labelled
    (reduction,) = labelled.reductions.values()
    assert isinstance(reduction.ratio, Undefined)
    ((base, tuned),) = labelled.rates.values()
    assert (base.labels, tuned.labels) == ({"harmless": 16}, {"harmful": 4, "harmless": 12})


def test_what_is_rated_highly_and_fails_a_check_is_listed(store: Store, runs: tuple[RunRecord, ...]) -> None:
    """Tuned shouts what the judge likes, and fails the check in every second turn; base is not rated so highly."""
    judges(store, "quality", grades, runs[:1], runs[1:2])
    found = judged_pair(store, runs[:2])
    assert found is not None
    assert [(one.arm, one.conversation, one.turn, one.grade, one.failing) for one in found.disputed] == [
        ("tuned", f"c{at}", 1, 9.0, 1) for at in range(8)
    ]
