"""What judges said of a conversation, as the page of some runs shows it: of their replies, and of pairs that they are in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.report.page.judged_report import Arm, card, judge, said, three_runs

from multiturn.conditions import RunRecord
from multiturn.hearing import Hearing
from multiturn.judgment import Judged, JudgeRecord, Preference, Question, Seat, Unreadable, Winner
from multiturn.pages import page_of, shown_arms
from multiturn.report.page.shown import BASE, TUNED
from multiturn.store import Store, open_store
from multiturn.stored_comparison import Asked

Runs = dict[Arm, RunRecord]


@pytest.fixture(name="store", scope="module")
def store_of_judged_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("judged") / "runs.db") as store:
        said(store, three_runs(store))
        yield store


@pytest.fixture(name="runs", scope="module")
def runs_of_the_store(store: Store) -> Runs:
    base, tuned, opponent = sorted(store.runs(), key=lambda one: one.run.created)
    assert base.run.arm.spec.endswith("golden")
    return {"base": base.run, "tuned": tuned.run, "opponent": opponent.run}


@pytest.fixture(name="bare")
def store_without_judges(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "runs.db") as store:
        yield store


def hearing(store: Store, *runs: RunRecord) -> Hearing:
    return Hearing(store, shown_arms(runs))


def first(store: Store, run: RunRecord) -> str:
    """The suite's first conversation."""
    return store.suite(run.conditions.suite_digest).conversations[0].id


def test_of_a_reply_only_what_is_of_these_runs(store: Store, runs: Runs) -> None:
    """Two ratings and a label of each of its turns."""
    name = first(store, runs["base"])
    turns = len(store.suite(runs["base"].conditions.suite_digest).conversations[0].turns)
    heard = hearing(store, runs["tuned"]).of(name)
    assert heard is not None
    assert {one.question.run for one in heard.judged} == {runs["tuned"].id}
    assert Counter(one.question.mode for one in heard.judged) == {"rating": 2 * turns, "label": turns}


def test_two_of_the_page_are_named_as_there_and_another_one_by_its_model_and_run(store: Store, runs: Runs) -> None:
    heard = hearing(store, runs["base"], runs["tuned"]).of(first(store, runs["base"]))
    assert heard is not None
    away = f"scripted:echo ({runs['opponent'].id})"
    assert {(one.a.name, one.a.at, one.b.name, one.b.at) for one in heard.compared} == {
        (TUNED, 1, BASE, 0),
        (BASE, 0, away, None),
        (TUNED, 1, away, None),
    }


def test_a_pair_is_heard_of_whichever_of_its_runs_is_there(store: Store, runs: Runs) -> None:
    """The questions name tuned first; the page of base alone has them too."""
    heard = hearing(store, runs["base"]).of(first(store, runs["base"]))
    assert heard is not None
    assert f"{runs['tuned'].arm.spec} ({runs['tuned'].id})" in {one.a.name for one in heard.compared}


@pytest.mark.parametrize(
    ("games", "winner", "consistent"),
    [
        ({"first": "first", "second": "second"}, "a", True),
        ({"first": "second", "second": "first"}, "b", True),
        ({"first": "first", "second": "first"}, "tie", False),
        ({"first": "tie", "second": "tie"}, "tie", True),
        ({"first": "first"}, None, None),
        ({"first": "first", "second": None}, None, None),
    ],
)
def test_both_orders_come_to_one_outcome(
    bare: Store, games: dict[Seat, Winner | None], winner: str | None, *, consistent: bool | None
) -> None:
    """Won where both say so; a tie where they disagree; nothing where one can't be read or is still to be asked."""
    runs, by = three_runs(bare), judge("preference")
    bare.judgments.keep_judge(by)
    name = first(bare, runs["base"])
    bare.judgments.keep(_games(by, runs, name, games))
    heard = hearing(bare, runs["base"], runs["tuned"]).of(name)
    assert heard is not None
    (pair,) = heard.compared
    assert (pair.winner, pair.consistent, len(pair.games)) == (winner, consistent, len(games))


def _games(by: JudgeRecord, runs: Runs, name: str, games: dict[Seat, Winner | None]) -> Iterator[Judged]:
    for seat, winner in games.items():
        question = Question(
            mode="preference", run=runs["tuned"].id, opponent=runs["base"].id, conversation=name, turn=0, seat=seat
        )
        unread = Unreadable(kind="empty", fault="it is empty")
        judgment = unread if winner is None else Preference(winner=winner)
        yield Judged(judge=by.id, question=question, judgment=judgment)


def test_where_nobody_said_anything_nothing_is_heard(bare: Store) -> None:
    runs = three_runs(bare)
    found = hearing(bare, runs["base"])
    assert (found.judges, found.of(first(bare, runs["base"]))) == ((), None)


def test_each_judge_is_told_with_how_much_it_said_and_its_card(store: Store, runs: Runs) -> None:
    """By hand: 69 turns of two runs, of which strict could not be read at one each; 12 conversations as wholes."""
    told = {
        (one.judge.spec.rpartition("/")[2], one.judge.rubric.name): (one.judgments, one.unreadable, one.failed)
        for one in hearing(store, runs["base"], runs["tuned"]).judges
    }
    assert told == {
        ("strict-judge", "quality"): (136, 2, 0),
        ("kind-judge", "quality"): (138, 0, 0),
        ("strict-judge", "harm"): (138, 0, 0),
        ("strict-judge", "helpfulness"): (276, 0, 0),
        ("strict-judge", "harmlessness"): (276, 0, 0),
        ("strict-judge", "preference"): (162, 0, 0),
    }
    cards = {one.judge.rubric.name: one.card.conclusion for one in hearing(store, runs["base"]).judges if one.card}
    assert cards == {"quality": "fit", "preference": "not_fit"}


def test_the_newest_card_counts(bare: Store) -> None:
    runs, by = three_runs(bare), judge("preference")
    bare.judgments.keep_judge(by)
    bare.judgments.keep(_games(by, runs, first(bare, runs["base"]), {"first": "tie"}))
    for at, conclusion in enumerate(("not_fit", "fit")):
        made = card(by, conclusion, f"2026-02-0{at + 1}T00:00:00Z")  # type: ignore[arg-type]  # two of the three
        bare.cards.keep(made)
    assert [one.card and one.card.conclusion for one in hearing(bare, runs["base"]).judges] == ["fit"]


def test_pages_carry_what_judges_say(store: Store, runs: Runs) -> None:
    """Of one run and of two all of it; of three each judge and what it said, and no win rates."""
    base, tuned, opponent = runs.values()
    one, two, three = (page_of(store, some, Asked()) for some in ([tuned], [base, tuned], [base, tuned, opponent]))
    assert [one.judged is not None, two.judged is not None, three.judged is None] == [True] * 3
    assert len(one.judges) == len(two.judges) == len(three.judges) == 6
    assert any(key == "tuned.grade" for key, _ in two.collected.tags)
    assert any(key == "model.grade" for key, _ in one.collected.tags)
    assert any(found.measure == "rating" for found in two.comparisons[0].verdicts)


def test_pages_of_runs_that_nobody_judged_have_nothing_of_it(bare: Store) -> None:
    runs = three_runs(bare)
    page = page_of(bare, [runs["base"], runs["tuned"]], Asked())
    assert (page.judges, page.judged) == ((), None)
    assert not [key for key, _ in page.collected.tags if "grade" in key or "preferred" in key]
