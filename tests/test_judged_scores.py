"""What judgments come to: small ones by hand, and the figures that others published."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.published_judgments import MISSING, PUBLISHED, mt_bench, preferences, ratings

from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import UsageError
from multiturn.judged_scores import label_rates, reduction, scores_of, wins_of
from multiturn.judges.games import both_orders
from multiturn.judgment import Failed, Judged, Judgment, Label, Preference, Question, Rating, Seat, Unreadable, Winner
from multiturn.rubric import Scale
from multiturn.scores import Undefined, Wins

SUITE = Suite(
    name="s",
    conversations=(
        Conversation(id="a", category="writing", turns=(Turn(text="1"), Turn(text="2"), Turn(text="3"))),
        Conversation(id="b", category="math", turns=(Turn(text="1"), Turn(text="2"))),
        Conversation(id="c", turns=(Turn(text="1"),)),
    ),
)
UNREAD = Unreadable(kind="no_verdict", fault="no grade")
GONE = Failed(kind="timeout", message="no reply in 60 s")


def rated(conversation: str, turn: int, said: Judgment, *, run: str = "r", repeat: int = 0) -> Judged:
    asked = Question(mode="rating", run=run, conversation=conversation, turn=turn, repeat=repeat)
    return Judged(judge="j", question=asked, judgment=said)


def labelled(conversation: str, turn: int, name: str | None, *, run: str = "r", judge: str = "j") -> Judged:
    said = UNREAD if name is None else Label(name=name)
    asked = Question(mode="label", run=run, conversation=conversation, turn=turn)
    return Judged(judge=judge, question=asked, judgment=said)


def game(
    conversation: str, turn: int | None, seat: Seat, said: Winner | None, *, run: str = "r", opponent: str = "o"
) -> Judged:
    asked = Question(mode="preference", run=run, opponent=opponent, conversation=conversation, turn=turn, seat=seat)
    return Judged(judge="j", question=asked, judgment=UNREAD if said is None else Preference(winner=said))


def games(conversation: str, turn: int | None, first: Winner | None, second: Winner | None) -> list[Judged]:
    return [game(conversation, turn, "first", first), game(conversation, turn, "second", second)]


def wins(judged: Iterable[Judged]) -> Wins:
    return wins_of(judged, SUITE, "r", "o")


# Scores


def test_a_score_pools_all_that_can_be_read() -> None:
    """The mean of 8, 6, 4 and 10 is 7; by turn 9, 5; by conversation 6 and 10. What can't be read is in none."""
    found = scores_of(
        [
            rated("a", 0, Rating(value=8, criteria={"coherence": 3}, weighted=7.5)),
            rated("a", 1, Rating(value=6, criteria={"coherence": 5})),
            rated("a", 2, Rating(value=4)),
            rated("b", 0, Rating(value=10)),
            rated("b", 1, UNREAD),
            rated("c", 0, GONE),
        ],
        SUITE,
        Scale(),
    )
    assert (found.judge, found.run) == ("j", "r")
    assert (found.overall.estimate.value, found.overall.judgments) == (7, 4)
    assert (found.overall.estimate.n, found.overall.estimate.missing) == (2, 1)
    assert (found.first.estimate.value, found.later.estimate.value) == (9, 5)
    assert {turn: one.estimate.value for turn, one in found.turns.items()} == {1: 9, 2: 6, 3: 4}
    assert {name: one.estimate.value for name, one in found.categories.items()} == {"writing": 6, "math": 10}
    assert found.criteria["coherence"].estimate.value == 4
    assert found.weighted is not None
    assert (found.weighted.estimate.value, found.weighted.judgments) == (7.5, 1)
    assert (found.unjudged.unreadable, found.unjudged.failed, found.unjudged.count) == ({"no_verdict": 1}, 1, 2)


def test_a_run_that_can_not_be_read_at_all_has_no_score() -> None:
    """No number, and all of it missing; never 0."""
    found = scores_of([rated("a", 0, UNREAD), rated("b", 0, GONE)], SUITE, Scale())
    assert (found.overall.estimate.value, found.overall.estimate.n, found.overall.estimate.missing) == (None, 0, 2)
    assert found.weighted is None


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 1), st.integers(1, 10)), min_size=1))
def test_repeats_are_judgments_like_others(drawn: list[tuple[str, int, int]]) -> None:
    """The mean is over all rows, in whatever order they come."""
    judged = [rated(name, turn, Rating(value=grade), repeat=at) for at, (name, turn, grade) in enumerate(drawn)]
    found, turned = scores_of(judged, SUITE, Scale()), scores_of(reversed(judged), SUITE, Scale())
    assert found.overall.estimate.value == pytest.approx(sum(grade for *_, grade in drawn) / len(drawn))
    assert found.overall.judgments == len(drawn)
    assert turned.overall.estimate.value == found.overall.estimate.value


@pytest.mark.parametrize(
    ("judged", "complaint"),
    [
        ([], "no judgment"),
        ([rated("a", 0, UNREAD), rated("a", 0, UNREAD, run="s")], "2 runs"),
        ([labelled("a", 0, "harmful")], "mode label"),
        ([rated("z", 0, UNREAD)], "'z'"),
    ],
)
def test_judgments_that_make_no_score(judged: list[Judged], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint) as told:
        scores_of(judged, SUITE, Scale())
    assert told.value.hint


# Preferences


def test_a_pair_is_won_where_both_orders_say_so() -> None:
    """One of each: won, lost, tied, tied since the orders disagree, and one that can't be read."""
    found = wins(
        [
            *games("a", 0, "first", "second"),
            *games("a", 1, "second", "first"),
            *games("a", 2, "tie", "tie"),
            *games("b", 0, "first", "first"),
            *games("b", 1, "first", None),
        ]
    ).turns
    assert (found.wins, found.losses, found.ties, found.inconsistent, found.missing) == (1, 1, 2, 1, 1)
    assert (found.strict.value, found.adjusted.value, found.pairs) == (0.25, 0.5, 4)
    assert (found.strict.n, found.strict.missing) == (2, 0)


def test_turns_and_whole_conversations_are_apart() -> None:
    found = wins(
        [*games("a", 0, "first", "second"), *games("a", 1, "second", "first"), *games("a", None, "tie", "tie")]
    )
    assert (found.first.wins, found.first.pairs, found.later.losses, found.later.pairs) == (1, 1, 1, 1)
    assert (found.whole.ties, found.whole.pairs, found.turns.pairs) == (1, 1, 2)
    assert {name: one.pairs for name, one in found.categories.items()} == {"writing": 2}


def test_one_order_alone_decides_and_is_counted() -> None:
    found = wins([game("a", 0, "second", "second")]).turns
    assert (found.wins, found.one_order, found.inconsistent) == (1, 1, 0)


def test_one_order_of_two_is_no_win_for_a_judge_that_is_still_asked() -> None:
    found = wins_of([game("a", 0, "second", "second")], SUITE, "r", "o", rule=both_orders).turns
    assert (found.wins, found.losses, found.missing, found.one_order) == (0, 0, 1, 0)


def test_a_pair_that_was_asked_from_both_runs_counts_once() -> None:
    """The same two orders, as questions of the run and as questions of its opponent; an answer that can be read wins."""
    turned = [
        game("a", 0, "second", "first", run="o", opponent="r"),
        game("a", 0, "first", None, run="o", opponent="r"),
    ]
    found = wins([*games("a", 0, "first", "second"), *turned]).turns
    assert (found.pairs, found.wins, found.missing) == (1, 1, 0)
    assert wins([*turned, *games("a", 0, "first", "second")]).turns == found


def test_it_does_not_matter_which_run_was_the_judged_one() -> None:
    """The opponent judged against the run: its first seat is the run's second."""
    turned = [
        game("a", 0, "second", "first", run="o", opponent="r"),
        game("a", 0, "first", "second", run="o", opponent="r"),
    ]
    found = wins(turned).turns
    assert (found.wins, found.losses, found.one_order) == (1, 0, 0)
    other = wins_of(turned, SUITE, "o", "r").turns
    assert (other.wins, other.losses) == (0, 1)


def test_no_win_leaves_room_for_some() -> None:
    """Of three conversations none won: up to 56 % of conversations like these would be (Wilson)."""
    found = wins([one for name in "abc" for one in games(name, 0, "second", "first")]).turns
    assert (found.strict.value, found.strict.low) == (0, 0)
    assert found.strict.high == pytest.approx(0.5615, abs=5e-5)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["first", "second", "tie", None])), min_size=1))
def test_seen_from_the_other_run_wins_are_losses(drawn: list[tuple[str, Winner | None]]) -> None:
    judged = [
        Judged(
            judge="j",
            question=Question(mode="preference", run="r", opponent="o", conversation=name, turn=0, repeat=at),
            judgment=UNREAD if said is None else Preference(winner=said),
        )
        for at, (name, said) in enumerate(drawn)
    ]
    one, other = wins_of(judged, SUITE, "r", "o").turns, wins_of(judged, SUITE, "o", "r").turns
    assert (one.wins, one.losses, one.ties, one.missing) == (other.losses, other.wins, other.ties, other.missing)
    if one.adjusted.value is not None:
        assert other.adjusted.value == pytest.approx(1 - one.adjusted.value)


def test_preferences_of_another_pair_are_refused() -> None:
    with pytest.raises(UsageError, match="between runs r and x"):
        wins_of([game("a", 0, "first", "tie")], SUITE, "r", "x")


# Labels


def test_labels_are_counted_and_the_flagged_are_a_rate() -> None:
    found = label_rates(
        [
            labelled("a", 0, "harmful"),
            labelled("a", 1, "harmless"),
            labelled("b", 0, "harmless"),
            labelled("c", 0, None),
        ],
        SUITE,
        ("harmful",),
    )
    assert found.labels == {"harmful": 1, "harmless": 2}
    assert found.flagged.estimate.value == pytest.approx(1 / 3)
    assert (found.flagged.judgments, found.flagged.estimate.missing, found.unjudged.count) == (3, 1, 1)
    assert found.later.estimate.value == 0


def test_a_reduction_is_over_the_turns_that_both_arms_have() -> None:
    """Base 2 of 3, tuned 1 of 3; a turn without a label in one arm is out of both."""
    base = [
        labelled("a", 0, "harmful"),
        labelled("a", 1, "harmful"),
        labelled("b", 0, "harmless"),
        labelled("c", 0, "harmful"),
    ]
    tuned = [
        labelled("a", 0, "harmless"),
        labelled("a", 1, "harmful"),
        labelled("b", 0, "harmless"),
        labelled("c", 0, None),
    ]
    found = reduction(base, [_of(one, "t") for one in tuned], ("harmful",))
    assert (found.base, found.tuned) == ("r", "t")
    assert found.base_rate.estimate.value == pytest.approx(2 / 3)
    assert found.tuned_rate.estimate.value == pytest.approx(1 / 3)
    assert not isinstance(found.ratio, Undefined)
    assert found.ratio.value == pytest.approx(0.5)
    assert (found.ratio.n, found.ratio.missing) == (2, 1)
    relative = found.relative
    assert not isinstance(relative, Undefined)
    assert relative.value == pytest.approx(0.5)


def test_a_reduction_of_nothing_is_undefined_and_says_why() -> None:
    """Never 0 and never infinite; none in tuned is a bound on one side."""
    clean = [labelled(name, 0, "harmless") for name in "abc"]
    dirty = [labelled(name, 0, "harmful", run="t") for name in "abc"]
    found = reduction(clean, dirty, ("harmful",))
    assert (
        found.ratio
        == found.relative
        == Undefined(reason="base has no flagged reply, so there is nothing to reduce", n=3)
    )
    apart = reduction([labelled("a", 0, "harmful")], [labelled("b", 0, "harmful", run="t")], ("harmful",))
    assert apart.ratio == Undefined(reason="no turn has a label in both arms")
    gone = reduction(dirty, clean, ("harmful",)).relative
    assert not isinstance(gone, Undefined)
    assert (gone.value, gone.high) == (1, 1)
    assert gone.low is not None
    assert gone.low < 1


def test_a_reduction_is_one_judges() -> None:
    with pytest.raises(UsageError, match="by k"):
        reduction([labelled("a", 0, "harmful")], [labelled("a", 0, "harmful", judge="k")], ("harmful",))


def _of(one: Judged, run: str) -> Judged:
    return labelled(one.question.conversation, one.question.turn or 0, getattr(one.judgment, "name", None), run=run)


# Published figures


published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason=MISSING)


@published
@pytest.mark.parametrize(
    ("file", "model", "means"),
    [
        ("claude/gpt-4_single.jsonl", "claude-3-5-sonnet-20240620", (9.2375, 9.175, 9.20625)),
        ("claude/gpt-4_single.jsonl", "claude-3-opus-20240229", (9.04375, 8.30625, 8.675)),
        ("routellm/judgements.jsonl", "gpt-4-1106-preview", (9.40625, 9.05, 9.228125)),
    ],
)
def test_published_scores(file: str, model: str, means: tuple[float, float, float]) -> None:
    """First turn, second turn, and the average over all remaining rows, to the last digit."""
    found = scores_of((one for one in ratings(file) if one.question.run == model), mt_bench(), Scale())
    assert [one.estimate.value for one in (found.first, found.later, found.overall)] == pytest.approx(means, abs=1e-12)
    assert found.unjudged.count == 0
    assert len(found.categories) == 8
    assert found.overall.estimate.low is not None
    assert found.overall.estimate.high is not None
    assert 8 < found.overall.estimate.low < means[2] < found.overall.estimate.high < 10


@published
def test_a_judgment_that_the_judge_wrote_no_grade_in_is_dropped_and_counted() -> None:
    """Two of 960 of one judge; the mean of all is not the mean of the two turns then."""
    by_run: dict[str, list[Judged]] = {}
    for one in ratings("repro_en/qwen2.5-32b_single.jsonl", ("single", "single-multi-turn")):
        by_run.setdefault(one.question.run, []).append(one)
    found = [scores_of(judged, mt_bench(), Scale()) for judged in by_run.values()]
    assert sum(one.unjudged.count for one in found) == 2
    short = next(one for one in found if one.first.judgments != one.later.judgments)
    assert short.overall.judgments == 160 - short.unjudged.count
    first, later, overall = (one.estimate.value or 0 for one in (short.first, short.later, short.overall))
    whole = first * short.first.judgments + later * short.later.judgments
    assert overall == pytest.approx(whole / short.overall.judgments)
    assert not math.isclose(overall, (first + later) / 2, abs_tol=1e-9)


@published
def test_published_wins() -> None:
    """phi-3 against its DPO-trained self: 73 of 75 rows valid, 18 won, 20 lost, 35 tied, 0.486301 adjusted."""
    found = wins_of(preferences("phi3/gpt-4_pair.jsonl"), mt_bench(), "phi-3", "phi-3-dpo").turns
    assert (found.wins, found.losses, found.ties, found.missing, found.pairs) == (18, 20, 35, 2, 73)
    assert found.adjusted.value == pytest.approx(0.486301, abs=5e-7)
    assert found.strict.value == pytest.approx(18 / 73)
    assert (found.adjusted.n, found.adjusted.missing) == (73, 2)


@published
@pytest.mark.parametrize(
    ("judge", "prompts", "mean", "rows"),
    [
        ("gpt-4o-mini", ("single", "single-multi-turn"), 7.76, 960),
        ("qwen2.5-32b", ("single", "single-multi-turn"), 7.66, 958),
        ("gpt-4o-mini", ("single-reference", "single-reference-multi-turn"), 5.30, 174),
        ("qwen2.5-32b", ("single-reference", "single-reference-multi-turn"), 5.18, 174),
    ],
)
def test_published_means_of_six_models(judge: str, prompts: tuple[str, ...], mean: float, rows: int) -> None:
    """All models' rows pooled, with and without a reference."""
    by_run: dict[str, list[Judged]] = {}
    for one in ratings(f"repro_en/{judge}_single.jsonl", prompts):
        by_run.setdefault(one.question.run, []).append(one)
    found = [scores_of(judged, mt_bench(), Scale()).overall for judged in by_run.values()]
    assert len(found) == 6
    assert sum(one.judgments for one in found) == rows
    pooled = sum((one.estimate.value or 0) * one.judgments for one in found) / rows
    assert round(pooled, 2) == mean


@published
@pytest.mark.parametrize(("judge", "disagree", "valid"), [("gpt-4o-mini", 399, 1193), ("qwen2.5-32b", 371, 1198)])
def test_published_disagreements_of_the_two_orders(judge: str, disagree: int, valid: int) -> None:
    """Every pair of six models, both orders."""
    by_pair: dict[tuple[str, str], list[Judged]] = {}
    for one in preferences(f"repro_en/{judge}_pair.jsonl"):
        by_pair.setdefault((one.question.run, one.question.opponent), []).append(one)
    found = [wins_of(judged, mt_bench(), *pair).turns for pair, judged in by_pair.items()]
    assert len(found) == 15
    assert sum(one.inconsistent for one in found) == disagree
    assert sum(one.pairs for one in found) == valid
