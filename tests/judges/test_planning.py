"""What is asked of a judge about a run or two, in which order, and what it would take."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judges.shown import exhibit, record, transcript

from multiturn.errors import UsageError
from multiturn.judges.planning import (
    Expected,
    Plan,
    estimate,
    sittings_for,
    turns_to_judge,
)
from multiturn.judges.prompts import asked
from multiturn.judges.rubrics import load_rubric
from multiturn.judgment import Exhibit, Question
from multiturn.rubric import Rubric, Scale, Template
from multiturn.transcript import Status, TurnRecord

QUALITY = load_rubric("quality")
PREFERENCE = load_rubric("preference")
HARM = load_rubric("harm")
ALONE = Plan(run="r")
AGAINST = Plan(run="r", opponent="o")
LOST = record(1, None, "failed")
OVERFLOWED = record(1, None, "overflowed")
EMPTY = record(1, "", "empty")
FIRST_TURN = Rubric(
    name="first",
    version="1",
    mode="rating",
    scale=Scale(),
    templates=(Template(name="t", system="", prompt="{question}{answer}", turns=1),),
)


def questions_for(exhibits: Iterable[Exhibit], rubric: Rubric, plan: Plan) -> list[Question]:
    """The questions of all sittings, one after the other."""
    return [question for sitting in sittings_for(exhibits, rubric, plan) for question in sitting.questions]


@pytest.mark.parametrize(
    ("second", "rated", "labelled"),
    [
        (record(1, "b"), (0, 1), (0, 1)),
        (EMPTY, (0, 1), (0, 1)),
        (record(1, "b", "length"), (0, 1), (0, 1)),
        (record(1, "", "filtered"), (0, 1), (0, 1)),
        (OVERFLOWED, (0, 1), (0,)),
        (LOST, (0,), (0,)),
    ],
)
def test_what_the_environment_lost_is_not_judged(
    second: TurnRecord, rated: tuple[int, ...], labelled: tuple[int, ...]
) -> None:
    """What the model lost by its own doing is rated; it has nothing to be labelled."""
    shown = exhibit(transcript("a", second))
    assert turns_to_judge(shown, "rating") == rated
    assert turns_to_judge(shown, "label") == labelled


@pytest.mark.parametrize(
    ("one", "other", "compared"),
    [
        (record(1, "b"), record(1, "c"), (0, 1)),
        (EMPTY, record(1, "c"), (0, 1)),
        (OVERFLOWED, record(1, "c"), (0, 1)),
        (record(1, "b"), OVERFLOWED, (0, 1)),
        (OVERFLOWED, OVERFLOWED, (0,)),
        (LOST, record(1, "c"), (0,)),
        (record(1, "b"), LOST, (0,)),
    ],
)
def test_a_turn_is_compared_where_the_environment_lost_neither(
    one: TurnRecord, other: TurnRecord, compared: tuple[int, ...]
) -> None:
    """And at least one replied."""
    assert turns_to_judge(exhibit(transcript("a", one), transcript("a", other)), "preference") == compared


def test_a_turn_that_the_opponent_never_held_is_not_compared() -> None:
    """Nothing is known of it."""
    assert turns_to_judge(exhibit(transcript("a", "b"), transcript("a")), "preference") == (0,)


def test_a_rating_asks_about_every_turn_once() -> None:
    """In one sitting for each conversation."""
    (sitting,) = sittings_for([exhibit(transcript("a", "b", "c", sample=4))], QUALITY, ALONE)
    assert [(question.turn, question.sample, question.seat) for question in sitting.questions] == [
        (0, 4, "first"),
        (1, 4, "first"),
        (2, 4, "first"),
    ]
    assert {(question.run, question.opponent, question.mode) for question in sitting.questions} == {("r", "", "rating")}


def test_a_preference_asks_about_every_turn_and_the_whole_in_both_seats() -> None:
    """One sitting for each seat: its prompts begin alike."""
    sittings = list(sittings_for([exhibit(transcript("a", "b"), transcript("c", "d"))], PREFERENCE, AGAINST))
    asked_of = [[(question.seat, question.turn) for question in sitting.questions] for sitting in sittings]
    assert asked_of == [
        [("first", 0), ("first", 1), ("first", None)],
        [("second", 0), ("second", 1), ("second", None)],
    ]


@pytest.mark.parametrize(("one", "other"), [(LOST, record(1, "d")), (record(1, "b"), LOST)])
def test_the_whole_is_compared_only_where_nothing_is_missing(one: TurnRecord, other: TurnRecord) -> None:
    """A conversation that the environment broke off is no whole."""
    questions = questions_for([exhibit(transcript("a", one), transcript("c", other))], PREFERENCE, AGAINST)
    assert [question.turn for question in questions] == [0, 0]


def test_turns_are_chosen_and_the_whole_is_left_out() -> None:
    """Where that is asked for; a turn that a conversation does not have is no fault."""
    shown = exhibit(transcript("a", "b"), transcript("c", "d"))
    plan = Plan(run="r", opponent="o", turns=frozenset({1, 7}), whole=False)
    assert [question.turn for question in questions_for([shown], PREFERENCE, plan)] == [1, 1]


def test_repeats_ask_the_same_again_beside_each_other() -> None:
    """Each with its number, so that no answer stands for two."""
    plan = Plan(run="r", opponent="o", repeats=2, whole=False)
    sittings = list(sittings_for([exhibit(transcript("a"), transcript("b"))], PREFERENCE, plan))
    seats = [(sitting.questions[0].seat, sitting.questions[0].repeat) for sitting in sittings]
    assert seats == [("first", 0), ("first", 1), ("second", 0), ("second", 1)]


def test_a_conversation_without_anything_to_judge_has_no_sitting() -> None:
    """It was lost from the start."""
    assert list(sittings_for([exhibit(transcript(record(0, None, "failed")))], QUALITY, ALONE)) == []


def test_a_rubric_for_some_turns_refuses_others_before_anything_is_asked() -> None:
    """With the flag that leaves them out, and then goes on."""
    shown = exhibit(transcript("a", "b"))
    with pytest.raises(UsageError) as refused:
        list(sittings_for([shown], FIRST_TURN, ALONE))
    assert "rubric first judges turn 1 only, and conversation 'c' has turn 2 to judge" in str(refused.value)
    assert "--turns 1;" in refused.value.hint
    plan = Plan(run="r", turns=frozenset({0}))
    assert [question.turn for question in questions_for([shown], FIRST_TURN, plan)] == [0]


def test_a_rubric_without_words_for_the_whole_is_not_asked_for_it() -> None:
    """FastChat has none."""
    pair = Rubric(
        name="p",
        version="1",
        mode="preference",
        templates=(Template(name="t", system="", prompt="{question}{answer_a}{answer_b}", turns=1),),
    )
    shown = exhibit(transcript("a"), transcript("b"))
    assert [question.turn for question in questions_for([shown], pair, AGAINST)] == [0, 0]


@pytest.mark.parametrize(("rubric", "plan"), [(PREFERENCE, ALONE), (QUALITY, AGAINST), (HARM, AGAINST)])
def test_an_opponent_goes_with_a_preference(rubric: Rubric, plan: Plan) -> None:
    """Anything else is a programming error."""
    with pytest.raises(ValueError, match="an opponent goes with mode preference"):
        list(sittings_for([exhibit(transcript("a"))], rubric, plan))


def test_a_run_is_not_compared_with_itself() -> None:
    """Every verdict would be about nothing."""
    with pytest.raises(ValueError, match="another one"):
        Plan(run="r", opponent="r")


def test_an_estimate_counts_calls_and_what_would_be_sent() -> None:
    """By the engine's count where it is given, else a token for every four bytes; nothing is asked."""
    sittings = list(sittings_for([exhibit(transcript("a", "b"))], QUALITY, ALONE))
    expected = estimate(sittings, QUALITY, schema=False, goldens=True, count=lambda _: 10)
    assert expected == Expected(calls=2, prompt_tokens=20)
    guessed = estimate(sittings, QUALITY, schema=False, goldens=True)
    sent = [
        asked(QUALITY, question, sitting.exhibit, schema=False, goldens=True, seed=0)
        for sitting in sittings
        for question in sitting.questions
    ]
    size = sum(len(message.content.encode()) for one in sent for message in one.messages)
    assert size / 4 <= guessed.prompt_tokens <= size / 4 + 2
    assert estimate([], QUALITY, schema=False, goldens=True) == Expected()


STATUS: st.SearchStrategy[Status] = st.sampled_from(["ok", "failed", "overflowed"])


@given(st.lists(st.lists(STATUS, min_size=1, max_size=4), max_size=4), st.integers(min_value=1, max_value=3))
def test_no_question_is_asked_twice_and_prompts_that_begin_alike_follow_each_other(
    conversations: list[list[Status]], repeats: int
) -> None:
    """Whatever is lost."""
    shown = []
    for sample, statuses in enumerate(conversations):
        records = [record(turn, "x" if one == "ok" else None, one) for turn, one in enumerate(statuses)]
        one, other = transcript(*records, sample=sample), transcript(*["y"] * len(statuses), sample=sample)
        shown.append(exhibit(one, other))
    questions = questions_for(shown, PREFERENCE, Plan(run="r", opponent="o", repeats=repeats))
    assert len(set(questions)) == len(questions)
    beginnings = [(question.sample, question.seat) for question in questions]
    assert [one for one, _ in itertools.groupby(beginnings)] == list(dict.fromkeys(beginnings))
    lost = sum(statuses.count("failed") for statuses in conversations)
    whole = sum("failed" not in statuses for statuses in conversations)
    assert len(questions) == 2 * repeats * (sum(map(len, conversations)) - lost + whole)
