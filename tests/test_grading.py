"""Judges' ratings in a comparison: which count, what a turn's grade is, and what is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from multiturn import api
from multiturn.conditions import RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.engines.scripted import ScriptedEngine
from multiturn.errors import ReplyFailed
from multiturn.grading import panel_of
from multiturn.judged_runs import judged_pair
from multiturn.judges.meter import Budget, Meter, MeteredEngine
from multiturn.judges.model_judge import Manner, ModelJudge
from multiturn.judges.rubrics import load_rubric
from multiturn.judging import judge_run
from multiturn.results import Contrast, Verdict
from multiturn.store import Store, open_store
from multiturn.stored_comparison import Asked, conclude
from multiturn.transcript import Request, Sampling

SUITE: Final = Suite(
    name="s",
    conversations=tuple(
        Conversation(id=f"c{at}", turns=(Turn(text=f"hello {at}"), Turn(text="and then?"))) for at in range(12)
    ),
)
Reads = Callable[[str], "str | None"]


def shouts(request: Request) -> str:
    """An arm that is not the echo."""
    return request.messages[-1].content.upper() + "!"


@pytest.fixture(name="store")
def empty_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "runs.db") as opened:
        yield opened


@pytest.fixture(name="runs")
def two_runs(store: Store) -> tuple[RunRecord, RunRecord]:
    job = api.Job(suite=SUITE, store=store.path)
    one, other = (api.evaluate(model, job).run for model in ("scripted:echo", "scripted:tests.test_grading:shouts"))
    return one, other


def judges(
    store: Store, runs: tuple[RunRecord, ...], reads: Reads, *, name: str = "one", rubric: str = "quality"
) -> None:
    """Let a judge rate these runs: what it says of what it is shown; None is a server that is gone."""

    def script(request: Request) -> str:
        grade = reads(request.messages[1].content)  # also where it is asked again
        if grade is None:
            raise ReplyFailed("timeout", "no reply")
        return f"Rating: [[{grade}]]"

    judge = ModelJudge(ScriptedEngine(script, spec=f"scripted:{name}"), load_rubric(rubric))
    for run in runs:
        asyncio.run(judge_run(store, judge, run))


def likes_shouting(shown: str) -> str:
    """8 or 9 where someone shouts, else 6 or 7, by the conversation."""
    return str(6 + 2 * ("HELLO" in shown) + ("hello 1" in shown))


def rating(store: Store, runs: tuple[RunRecord, RunRecord]) -> Contrast | None:
    comparison = conclude(store, runs, Asked())
    return next((one for one in comparison.contrasts if one.measure == "rating" and one.group == ("all", "")), None)


def verdict(store: Store, runs: tuple[RunRecord, RunRecord]) -> Verdict | None:
    return next((one for one in conclude(store, runs, Asked()).verdicts if one.measure == "rating"), None)


def test_without_judges_there_is_no_rating(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """Not as a number, nor as something that is missing; one rated run is none to compare with."""
    assert (rating(store, runs), verdict(store, runs)) == (None, None)
    judges(store, runs[:1], likes_shouting)
    assert (rating(store, runs), panel_of(store, runs)) == (None, ())


def test_ratings_of_both_runs_are_a_measure_with_a_verdict(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    judges(store, runs, likes_shouting)
    found, said = rating(store, runs), verdict(store, runs)
    assert found is not None
    assert said is not None
    assert [found.base.value, found.tuned.value] == pytest.approx([6.25, 8.25])
    assert found.difference.n == 12
    assert (said.word, said.role, said.margin) == ("improved", "secondary", 0.5)


def test_a_grade_is_the_mean_of_the_panel(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """Each judge's own level stands on both sides, so it takes itself out of the difference."""
    judges(store, runs, likes_shouting)
    judges(store, runs, lambda _shown: "2", name="two")
    found = rating(store, runs)
    assert found is not None
    assert [found.base.value, found.tuned.value] == pytest.approx([4.125, 5.125])


def test_a_turn_that_one_judge_has_no_grade_of_is_missing(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """Whether it could not be read or could not be asked; its conversation is missing, and never a low grade."""
    judges(store, runs, likes_shouting)
    judges(store, runs, lambda shown: None if "HELLO 3" in shown else "99" if "hello 7" in shown else "5", name="two")
    found = rating(store, runs)
    assert found is not None
    assert (found.base.n, found.base.missing) == (11, 1)
    assert (found.tuned.n, found.tuned.missing) == (10, 2)
    assert (found.difference.n, found.difference.missing) == (10, 2)


def test_what_is_missing_is_filled_with_the_ends_of_the_scale(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """A third of tuned's conversations have no grade: those that have one are better, were all others at 1 it is not."""
    judges(store, runs, lambda shown: "99" if "HELLO 1" in shown or "HELLO 2" in shown else likes_shouting(shown))
    said = verdict(store, runs)
    assert said is not None
    assert said.filled is not None
    assert (said.word, said.filled[0], said.filled[-1]) == ("improved", "inconclusive", "improved")


def test_the_rubric_of_the_newest_judge_counts(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """Ratings by another rubric are another measure; a judge can be named."""
    judges(store, runs, lambda _shown: "3", rubric="quality_reworded")
    judges(store, runs, likes_shouting, name="two")
    (newest,) = panel_of(store, runs)
    assert (newest.spec, newest.rubric.name) == ("scripted:two", "quality")
    (named,) = panel_of(store, runs, ["scripted:one"])
    assert named.rubric.name == "quality_reworded"


def test_one_model_asked_in_two_ways_is_no_panel(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """The newest of them counts: agreeing with itself makes a judge no better."""
    judges(store, runs, lambda _shown: "3")
    again = ModelJudge(
        ScriptedEngine(lambda _request: "Rating: [[7]]", spec="scripted:one"),
        load_rubric("quality"),
        Manner(sampling=Sampling(temperature=0.5)),
    )
    for run in runs:
        asyncio.run(judge_run(store, again, run))
    assert panel_of(store, runs) == (again.record,)
    found = judged_pair(store, runs)
    assert found is not None
    assert (len(found.rated[0].scores), found.rated[0].panels) == (2, ())


def test_a_judge_that_was_stopped_takes_nobodys_place(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """Newer, on a panel or by another rubric: the comparison rests on whole ratings, and a note says what is left out."""
    judges(store, runs, likes_shouting)
    whole = panel_of(store, runs)
    before = rating(store, runs)
    for name, rubric in (("two", "quality"), ("one", "quality"), ("one", "quality_reworded")):
        engine = ScriptedEngine(lambda _request: "Rating: [[2]]", spec=f"scripted:{name}")
        for run in runs:
            metered = MeteredEngine(engine, Meter(Budget(max_calls=3)))
            stopped = ModelJudge(metered, load_rubric(rubric), Manner(sampling=Sampling(temperature=0.5)))
            asyncio.run(judge_run(store, stopped, run))
    assert panel_of(store, runs) == whole
    assert rating(store, runs) == before
    notes = [note for note in conclude(store, runs, Asked()).notes if "left out" in note]
    assert len(notes) == 3
    assert all("rated 3 replies of a run where another one rated 24" in note for note in notes)
    found = judged_pair(store, runs)
    assert found is not None
    assert [rated.panels for rated in found.rated] == [(), ()]


def test_a_huge_fall_keeps_its_interval(store: Store, runs: tuple[RunRecord, RunRecord]) -> None:
    """Farther than what is allowed for one conversation more, and never farther than the scale."""
    judges(store, runs, lambda shown: "1" if "HELLO" in shown else "10" if "hello 4" in shown else "9")
    found = rating(store, runs)
    assert found is not None
    difference = found.difference
    assert difference.low is not None
    assert difference.high is not None
    assert -9 <= difference.low < difference.value < difference.high < -7  # type: ignore[operator]  # there is a value
