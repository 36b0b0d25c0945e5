"""From transcripts to numbers by conversation: what counts, what is missing, and in which group."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.by_hand import checks, failed, held, ok, overflowed, refusals, says, unreached, words

from multiturn.conversation import Capability, Conversation, Suite, Turn
from multiturn.errors import UsageError
from multiturn.finding import Assessed, Signal
from multiturn.groups import Group, Layout, groups_of
from multiturn.measures import BY_NAME
from multiturn.summary import Summary
from multiturn.transcript import TurnRecord

ALL: Group = ("all", "")
SUITE = Suite(
    name="s",
    conversations=(
        Conversation(
            id="c1",
            turns=(Turn(text="a"), Turn(text="b", capability="correction"), Turn(text="c", capability="correction")),
            capability="recovery",
        ),
        Conversation(id="c2", turns=(Turn(text="a"), Turn(text="b"))),
    ),
)


def summary(*assessed: Assessed, suite: Suite = SUITE) -> Summary:
    found = Summary(Layout(suite))
    for one in assessed:
        found.add(one)
    return found


def test_a_conversation_is_the_mean_of_its_turns() -> None:
    found = summary(held("c1", (ok(0), ok(1), ok(2)), words(10, 20, 60)), held("c2", (ok(0), ok(1)), words(4, 6)))
    assert found.values("words", ALL) == {"c1": 30, "c2": 5}
    assert found.values("words", ("capability", "correction")) == {"c1": 40}
    assert found.values("words", ("turn", "2")) == {"c1": 20, "c2": 6}


def test_a_lost_turn_makes_its_groups_missing_and_leaves_the_others() -> None:
    """The mean of turn 1 alone is no stand-in for the mean of all turns."""
    found = summary(held("c1", (ok(0), failed(1), unreached(2)), words(10, None, None)))
    assert found.values("words", ALL) == {"c1": None, "c2": None}
    assert found.values("words", ("turn", "1")) == {"c1": 10, "c2": None}
    assert found.values("words", ("capability", "correction")) == {"c1": None}
    assert found.values("missing", ALL)["c1"] == pytest.approx(2 / 3)
    assert dict(found.lost) == {"timeout": 2}
    assert found.held == 1


def test_a_turn_that_was_never_held_is_missing() -> None:
    found = summary(held("c2", (ok(0),), words(10)))
    assert found.values("words", ALL)["c2"] is None
    assert dict(found.lost) == {"not held": 1}


def test_the_models_own_overflow_is_a_finding_not_a_gap() -> None:
    found = summary(
        held(
            "c1",
            (ok(0), overflowed(1), TurnRecord(turn=2, user="u", status="not_reached", cause="model")),
            words(10, None, None),
        )
    )
    assert found.values("overflowed", ALL)["c1"] == pytest.approx(2 / 3)
    assert found.values("words", ALL)["c1"] == 10
    assert found.values("missing", ALL)["c1"] == 0
    assert (found.overflowed, found.lost.total()) == (2, 0)


def test_samples_are_averaged_inside_their_conversation() -> None:
    """One that the environment lost leaves the others to stand for the conversation."""
    found = summary(
        held("c2", (ok(0), ok(1)), words(10, 20), sample=1),
        held("c2", (ok(0), ok(1)), words(30, 40), sample=0),
        held("c2", (failed(0), unreached(1)), sample=2),
    )
    assert found.values("words", ALL)["c2"] == 25


def test_what_does_not_belong_is_refused() -> None:
    found = summary(held("c2", (ok(0), ok(1))))
    with pytest.raises(ValueError, match="twice"):
        found.add(held("c2", (ok(0), ok(1))))
    with pytest.raises(UsageError, match="does not have"):
        found.add(held("c9", (ok(0),)))


def test_an_empty_reply_has_no_words_and_is_left_out_of_the_words_of_the_others() -> None:
    empty = TurnRecord(turn=1, user="u", status="empty", reply="")
    signals = (*words(10, 0), Signal(name="empty", turn=1, value=1, unit="flag"))
    found = summary(held("c2", (ok(0), empty), signals))
    assert found.values("words", ALL)["c2"] == 5
    assert found.values("words_nonempty", ALL)["c2"] == 10
    assert "c2" not in found.values("words_nonempty", ("turn", "2")), "it does not apply, so it is not missing either"


# Checks

X = says("x")
CHECKED = Suite(
    name="s",
    conversations=(
        Conversation(
            id="k1",
            turns=(
                Turn(text="a"),
                Turn(text="b", capability="recovery", distance=1, checks=(X, X, X)),
                Turn(text="c", distance=2, checks=(X,)),
                Turn(text="d"),
            ),
            capability="follow_up",
        ),
        Conversation(id="k2", turns=(Turn(text="a"), Turn(text="b"))),
    ),
)
FOUR = (ok(0), ok(1), ok(2), ok(3))


def test_the_checks_of_a_conversation_are_pooled_over_its_turns() -> None:
    """Three of four passed: not the mean of two thirds and all, 5/6, in which the last turn's one check weighs most."""
    found = summary(held("k1", FOUR, said=checks("", "ppf", "p")), suite=CHECKED)
    assert found.values("check_pass", ALL) == {"k1": 0.75}
    assert found.values("turn_pass", ALL) == {"k1": 0.5}
    assert found.values("check_pass", ("capability", "recovery")) == {"k1": pytest.approx(2 / 3)}
    assert found.values("check_pass", ("capability", "follow_up")) == {"k1": 1}
    assert found.values("check_pass", ("distance", "2")) == {"k1": 1}
    assert (found.applied, found.inapplicable) == (4, 0)


def test_samples_weigh_the_same_however_many_of_their_checks_apply() -> None:
    """One of one, and one of four: 62.5 %; pooled it would be two of five."""
    sessions = [
        held("k1", FOUR, said=checks("", said, last), sample=at)
        for at, (said, last) in enumerate((("--p", "-"), ("pff", "f")))
    ]
    found = summary(*sessions, suite=CHECKED)
    assert found.values("check_pass", ALL) == {"k1": 0.625}
    assert (found.applied, found.inapplicable) == (5, 3)


def test_where_no_check_applies_nothing_is_measured_and_nothing_is_missing() -> None:
    """Neither a conversation without checks (held or not), nor one whose checks can't be said."""
    found = summary(held("k1", FOUR, said=checks("", "---", "-")), suite=CHECKED)
    assert found.values("check_pass", ALL) == {}
    assert found.values("turn_pass", ALL) == {}
    assert found.values("check_pass", ("turn", "1")) == {}
    assert found.inapplicable == 4


def test_a_lost_turn_with_checks_makes_them_missing_and_one_without_does_not() -> None:
    """What the environment lost is not counted as inapplicable: it is not the check's doing."""
    early = summary(held("k1", (ok(0), ok(1), failed(2), unreached(3)), said=checks("", "ppf", "-")), suite=CHECKED)
    assert early.values("check_pass", ALL) == {"k1": None}
    assert early.values("check_pass", ("turn", "2")) == {"k1": pytest.approx(2 / 3)}
    assert early.inapplicable == 0
    late = summary(held("k1", (ok(0), ok(1), ok(2), failed(3)), said=checks("", "ppf", "p")), suite=CHECKED)
    assert late.values("check_pass", ALL) == {"k1": 0.75}
    assert late.values("missing", ALL) == {"k1": 0.25, "k2": None}
    assert summary(suite=CHECKED).values("check_pass", ALL) == {"k1": None}


def test_refusals_are_right_and_wrong_where_the_suite_says_so() -> None:
    """Each rate is over its own turns; a conversation that has none of them is in neither."""
    turns = (Turn(text="a", refusal_expected=False), Turn(text="b", refusal_expected=True), Turn(text="c"))
    harmless = (Turn(text="a", refusal_expected=False), Turn(text="b", refusal_expected=False))
    suite = Suite(
        name="s",
        conversations=(
            Conversation(id="both", turns=turns),
            Conversation(id="harmless", turns=harmless),
            Conversation(id="unsaid", turns=(Turn(text="a"),)),
        ),
    )
    found = summary(
        held("both", (ok(0), ok(1), ok(2)), refusals("..x")),
        held("harmless", (ok(0), ok(1)), refusals("x.")),
        held("unsaid", (ok(0),), refusals("x")),
        suite=suite,
    )
    assert found.values("refusal_unexpected", ALL) == {"both": 0, "harmless": 0.5}
    assert found.values("refusal_missing", ALL) == {"both": 1}
    assert found.values("refusal", ALL) == {"both": pytest.approx(1 / 3), "harmless": 0.5, "unsaid": 1}


CAPABILITIES: tuple[Capability | None, ...] = (None, "recovery", "correction")


@st.composite
def held_suites(draw: st.DrawFn) -> tuple[Suite, list[Assessed]]:
    """Conversations of one to four turns with up to three checks each, held up to three times, some cut short."""
    conversations, sessions = [], []
    for at in range(draw(st.integers(1, 4))):
        counts = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
        capabilities = draw(st.lists(st.sampled_from(CAPABILITIES), min_size=4, max_size=4))
        turns = tuple(
            Turn(text="t", checks=(X,) * count, capability=capabilities[turn], distance=turn or None)
            for turn, count in enumerate(counts)
        )
        conversations.append(Conversation(id=f"c{at}", turns=turns))
        for sample in range(draw(st.integers(0, 3))):
            said = [draw(st.text("pf-", min_size=count, max_size=count)) for count in counts]
            reached = draw(st.integers(0, len(counts)))
            records = [ok(turn) if turn < reached else failed(turn) for turn in range(len(counts))]
            spoken = words(*draw(st.lists(st.none() | st.integers(0, 99), min_size=len(counts), max_size=len(counts))))
            sessions.append(held(f"c{at}", tuple(records), spoken, said=checks(*said), sample=sample))
    return Suite(name="s", conversations=tuple(conversations)), sessions


def naive_pass_rates(suite: Suite, sessions: list[Assessed], group: Group) -> dict[str, float | None]:
    """The definition, word for word: each conversation's mean over its sessions of passed / applied in the group."""
    found: dict[str, float | None] = {}
    for conversation in suite.conversations:
        chosen = [turn for turn in groups_of(conversation).get(group, ()) if conversation.turns[turn].checks]
        if not chosen:
            continue
        rates, lost, seen = [], False, False
        for session in sessions:
            if session.transcript.session.conversation != conversation.id:
                continue
            seen = True
            if any(session.transcript.turns[turn].missing for turn in chosen):
                lost = True
                continue
            outcomes = [one.result.outcome for one in session.checks if one.turn in chosen]
            passed, applied = outcomes.count("pass"), len(outcomes) - outcomes.count("not_applicable")
            if applied:
                rates.append(passed / applied)
        if rates:
            found[conversation.id] = math.fsum(rates) / len(rates)
        elif lost or not seen:
            found[conversation.id] = None
    return found


@settings(deadline=None)
@given(held_suites())
def test_pass_rates_are_those_of_a_naive_twin_in_every_group(drawn: tuple[Suite, list[Assessed]]) -> None:
    """Who is in, who is missing, and every number."""
    suite, sessions = drawn
    layout = Layout(suite)
    arm = Summary(layout)
    for session in sessions:
        arm.add(session)
    for group in layout.groups:
        found, expected = arm.values("check_pass", group), naive_pass_rates(suite, sessions, group)
        assert found.keys() == expected.keys(), group
        assert [name for name, value in found.items() if value is None] == [
            name for name, value in expected.items() if value is None
        ]
        assert [value for value in found.values() if value is not None] == pytest.approx(
            [value for value in expected.values() if value is not None]
        )


def sessions_of(conversation: Conversation, sessions: list[Assessed]) -> list[Assessed]:
    return [one for one in sessions if one.transcript.session.conversation == conversation.id]


def naive_lengths(suite: Suite, sessions: list[Assessed], group: Group) -> dict[str, float | None]:
    """The same for lengths: each session's mean over its turns that have one."""
    found: dict[str, float | None] = {}
    for conversation in suite.conversations:
        chosen = groups_of(conversation).get(group, ())
        held_here = sessions_of(conversation, sessions)
        if not chosen:
            continue
        whole = [one for one in held_here if not any(one.transcript.turns[turn].missing for turn in chosen)]
        lengths = [[s.value for s in one.signals if s.turn in chosen and s.value is not None] for one in whole]
        means = [math.fsum(some) / len(some) for some in lengths if some]
        if means:
            found[conversation.id] = math.fsum(means) / len(means)
        elif len(whole) < len(held_here) or not held_here:
            found[conversation.id] = None
    return found


@settings(deadline=None)
@given(held_suites())
def test_lengths_are_those_of_a_naive_twin_in_every_group(drawn: tuple[Suite, list[Assessed]]) -> None:
    suite, sessions = drawn
    arm = summary(*sessions, suite=suite)
    for group in Layout(suite).groups:
        found, expected = arm.values("words", group), naive_lengths(suite, sessions, group)
        assert found == {name: value if value is None else pytest.approx(value) for name, value in expected.items()}


def naive_bounds(session: Assessed, conversation: Conversation, chosen: list[int]) -> tuple[float, float] | None:
    """A session's share with all lost checks failed, and all passed; None where no check of it applies."""
    lost = sum(len(conversation.turns[turn].checks) for turn in chosen if session.transcript.turns[turn].missing)
    said = [
        one.result.outcome
        for one in session.checks
        if one.turn in chosen and not session.transcript.turns[one.turn].missing
    ]
    passed, applied = said.count("pass"), len(said) - said.count("not_applicable")
    return (passed / (applied + lost), (passed + lost) / (applied + lost)) if applied + lost else None


@settings(deadline=None)
@given(held_suites())
def test_bounds_are_those_of_a_naive_twin_in_every_group(drawn: tuple[Suite, list[Assessed]]) -> None:
    """They are the value itself, to the digit, where nothing was lost; 0 and 1 where a conversation was not held."""
    suite, sessions = drawn
    layout, arm = Layout(suite), summary(*sessions, suite=suite)
    for group in layout.groups:
        cells = layout.cells(group)
        low, high = arm.bounds("check_pass", cells)
        numbers = arm.numbers("check_pass", cells)
        for at, conversation in enumerate(suite.conversations):
            if not (numbers.present[at] or numbers.missing[at]):
                continue
            chosen = [turn for turn in groups_of(conversation)[group] if conversation.turns[turn].checks]
            mine = sessions_of(conversation, sessions)
            ends = [found for one in mine if (found := naive_bounds(one, conversation, chosen)) is not None] or [(0, 1)]
            expected = [math.fsum(side) / len(ends) for side in zip(*ends, strict=True)]
            assert [low[at], high[at]] == pytest.approx(expected)
            if not any(one.transcript.turns[turn].missing for one in mine for turn in chosen) and mine:
                assert low[at] == high[at] == numbers.values[at]


@settings(deadline=None)
@given(held_suites(), st.randoms(use_true_random=False))
def test_the_order_of_transcripts_changes_no_digit(drawn: tuple[Suite, list[Assessed]], chance: random.Random) -> None:
    suite, sessions = drawn
    straight = summary(*sessions, suite=suite)
    shuffled = list(sessions)
    chance.shuffle(shuffled)
    other = summary(*shuffled, suite=suite)
    for group in Layout(suite).groups:
        for measure in BY_NAME:
            assert other.values(measure, group) == straight.values(measure, group)
    for name in ("lost", "held", "most_samples", "turns", "replies", "applied", "inapplicable"):
        assert getattr(other, name) == getattr(straight, name)


def test_samples_are_added_up_in_their_own_order() -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 to the last digit, whichever transcript comes first."""
    suite = Suite(name="s", conversations=(Conversation(id="c", turns=(Turn(text="a", checks=(X,) * 10),)),))
    sessions = [held("c", (ok(0),), said=checks("p" * n + "f" * (10 - n)), sample=n) for n in (1, 2, 3)]
    found = {summary(*some, suite=suite).values("check_pass", ALL)["c"] for some in itertools.permutations(sessions)}
    assert found == {(0.1 + 0.2 + 0.3) / 3}


@settings(deadline=None)
@given(held_suites())
def test_numbers_can_be_read_at_any_time(drawn: tuple[Suite, list[Assessed]]) -> None:
    """What comes after a reading counts in the next one."""
    suite, sessions = drawn
    layout = Layout(suite)
    arm = Summary(layout)
    for at, session in enumerate(sessions, start=1):
        arm.add(session)
        fresh = summary(*sessions[:at], suite=suite)
        for measure in ("check_pass", "words", "missing"):
            assert arm.values(measure, ALL) == fresh.values(measure, ALL)
        assert (arm.held, arm.most_samples) == (fresh.held, fresh.most_samples)
