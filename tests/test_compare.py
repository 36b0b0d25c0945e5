"""Two runs -> a comparison: pairing, missing, orientation, notes, and the order of what changed."""

from __future__ import annotations

import random
import re
import tracemalloc
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from tests.by_hand import checks, says
from tests.comparing import LOST, OVERFLOW, compared, contrast, held, suite

from multiturn.compare import compare
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import UsageError
from multiturn.finding import Assessed, Signal
from multiturn.measures import BY_NAME
from multiturn.results import Plan


def test_conversations_are_compared_in_pairs() -> None:
    found = compared(
        suite(3),
        [held("c0", "a b", "a b"), held("c1", "a b c d", "a b c d"), held("c2", "a", "a")],
        [held("c0", "a", "a"), held("c1", "a b", "a b c d"), held("c2", "a", "a b c")],
    )
    lengths = contrast(found, "words")
    assert [one.value for one in (lengths.base, lengths.tuned)] == pytest.approx([7 / 3, 2])
    assert lengths.difference.value == pytest.approx(-1 / 3)
    assert (lengths.difference.n, lengths.difference.missing) == (3, 0)
    assert contrast(found, "words", "turn", "2").difference.value == pytest.approx(1 / 3)
    assert (found.base_run, found.tuned_run) == ("r1", "r2")


def test_what_is_missing_is_counted_per_arm_and_never_a_number() -> None:
    found = compared(
        suite(3),
        [held("c0", "a", LOST), held("c1", "a", "a"), held("c2", "a", "a")],
        [held("c0", "a", "a"), held("c1", "a", "a b c"), held("c2", "a", "Sorry")],
    )
    lengths = contrast(found, "words")
    assert [(one.n, one.missing) for one in (lengths.base, lengths.tuned, lengths.difference)] == [
        (2, 1),
        (3, 0),
        (2, 1),
    ]
    assert lengths.difference.value == pytest.approx(0.5)
    assert contrast(found, "missing").base.value == pytest.approx(1 / 6)
    assert found.notes[-1] == "base: 1 of 6 turns are missing through no doing of the model (server 1)"


def test_n_and_missing_make_up_the_group_where_the_measure_applies() -> None:
    found = compared(suite(4), [held("c0", "a", OVERFLOW), held("c2", LOST, LOST)], [held("c0", "", "a")])
    for one in found.contrasts:
        sizes = {arm.n + arm.missing for arm in (one.base, one.tuned, one.difference)}
        assert sizes == {4} if one.measure in ("missing", "overflowed") else max(sizes) <= 4


def test_no_run_at_all_is_a_comparison_without_numbers() -> None:
    found = compared(suite(2), [], [])
    assert all(one.difference.value is None for one in found.contrasts)
    assert found.changes == ()
    assert found.notes == (
        "base: 2 of 2 conversations were not held",
        "tuned: 2 of 2 conversations were not held",
    )


def test_a_run_against_itself_differs_in_nothing() -> None:
    runs = [held(f"c{index}", "a b", "Sorry no") for index in range(4)]
    found = compared(suite(4), runs, runs)
    refusals = contrast(found, "refusal")
    assert (refusals.difference.value, refusals.difference.note) == (0, "no change seen")
    assert {change.score for change in found.changes} == {0}
    assert [change.conversation for change in found.changes] == ["c0", "c1", "c2", "c3"]


def test_no_refusal_in_twenty_conversations_is_not_certainty() -> None:
    runs = [held(f"c{index}", "a", "b") for index in range(20)]
    base = contrast(compared(suite(20), runs, runs), "refusal").base
    assert (base.value, base.low) == (0, 0)
    assert base.high == pytest.approx(0.1611, abs=5e-5)


def test_samples_do_not_make_n_larger() -> None:
    """Two samples of two conversations are two conversations."""
    base = [held(f"c{index}", "a b", "a b", sample=sample) for index in range(2) for sample in range(2)]
    tuned = [
        held(f"c{index}", "a", "a b c d" if sample else "a", sample=sample) for index in range(2) for sample in range(2)
    ]
    found = contrast(compared(suite(2), base, tuned), "words")
    assert (found.difference.n, found.tuned.value) == (2, 1.75)


def test_the_order_in_which_runs_are_read_changes_nothing() -> None:
    chance = random.Random(1)  # noqa: S311 - no secret
    base = [held(f"c{index}", "a " * index, "b") for index in range(12)]
    tuned = [held(f"c{index}", "a", "Sorry" if index % 3 else "b") for index in range(12)]
    straight = compared(suite(12), base, tuned)
    for runs in (base, tuned):
        chance.shuffle(runs)
    assert compared(suite(12), base, tuned) == straight


def test_swapping_the_arms_turns_every_difference_round() -> None:
    base = [held(f"c{index}", "a " * (index + 1), "b") for index in range(5)]
    tuned = [held(f"c{index}", "a", "Sorry") for index in range(5)]
    one, other = compared(suite(5), base, tuned), compared(suite(5), tuned, base)
    for there, back in zip(one.contrasts, other.contrasts, strict=True):
        assert there.base == back.tuned
        if there.difference.value is not None:
            assert back.difference.value == pytest.approx(-there.difference.value)


@pytest.mark.parametrize(("expected", "orientation"), [(None, "lower_is_better"), (True, "neither")])
def test_where_a_refusal_may_be_right_fewer_are_not_better(
    expected: bool | None,  # noqa: FBT001 - the suite's own field
    orientation: str,
) -> None:
    found = compared(suite(1, refusal_expected=expected), [], [])
    assert contrast(found, "refusal").orientation == orientation
    assert contrast(found, "empty").orientation == "lower_is_better"
    assert contrast(found, "words").orientation == "neither"


def test_the_most_changed_comes_first_and_ties_keep_the_suites_order() -> None:
    base = [held(f"c{index}", "a", "a") for index in range(4)]
    tuned = [held("c3", "Sorry", "a"), held("c1", "Sorry", "a"), held("c0", "a", "a"), held("c2", "Sorry", "Sorry")]
    assert [change.conversation for change in compared(suite(4), base, tuned).changes] == ["c2", "c1", "c3", "c0"]


def test_transcripts_are_let_go() -> None:
    """Memory holds a few numbers for each conversation, not what was said in it."""

    def many(count: int, word: str) -> Iterator[Assessed]:
        for index in range(count):
            yield held(f"c{index}", f"{word}{index} " * 3000, word)

    the_suite = suite(300)
    tracemalloc.start()
    try:
        compare(the_suite, many(300, "a"), many(300, "b"), base_run="r1", tuned_run="r2")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000  # the replies alone have 8 million characters


def test_lengths_are_told_with_their_distribution() -> None:
    """Over replies: an empty one counts with 0 words, a turn without a reply not at all."""
    base = [held("c0", "a b c d", ""), held("c1", "a b", LOST)]
    tuned = [held("c0", "a", "a"), held("c1", "a", "a")]
    found = compared(suite(2), base, tuned).distributions
    assert [(one.measure, one.arm, one.n, one.quantiles) for one in found] == [
        ("words", "base", 3, (0.0, pytest.approx(0.4), 2.0, pytest.approx(3.6), 4.0)),
        ("words", "tuned", 4, (1.0, 1.0, 1.0, 1.0, 1.0)),
    ]


def test_what_does_not_apply_is_not_missing() -> None:
    """An empty reply has no words of its own and no reply before it; only what the environment lost is missing."""
    base = [held("c0", "a b", "c"), held("c1", "a", LOST)]
    tuned = [held("c0", "", ""), held("c1", "a", "b")]
    found = {(one.measure, one.group): one for one in compared(suite(2), base, tuned).contrasts}
    nonempty = found["words_nonempty", ("all", "")]
    assert (nonempty.base.n, nonempty.base.missing) == (1, 1)
    assert (nonempty.tuned.n, nonempty.tuned.missing) == (1, 0)
    assert (nonempty.difference.n, nonempty.difference.missing) == (0, 1), "c1 is missing, c0 does not apply"
    assert (found["sameness", ("turn", "1")].base.missing, found["words", ("all", "")].difference.n) == (0, 1)


def leaking(conversation: str, leaks: str) -> Assessed:
    """A transcript whose turns leak where there is an x."""
    assessed = held(conversation, *("a" for _ in leaks))
    found = [
        Signal(name="role_leakage", turn=turn, value=float(leak == "x"), unit="flag") for turn, leak in enumerate(leaks)
    ]
    return Assessed(assessed.transcript, (*assessed.signals, *found))


def test_a_tune_that_leaves_its_role_oftener_is_told() -> None:
    """It may have been trained on another format than the one it is asked in."""
    clean, dirty = ([leaking(f"c{at}", leaks) for at in range(3)] for leaks in ("--", "x-"))
    assert any("was it trained on another format" in note for note in compared(suite(3), clean, dirty).notes)
    assert compared(suite(3), dirty, clean).notes == ()
    assert compared(suite(3), dirty, dirty).notes == ()


def thinking(conversation: str, endless: str) -> Assessed:
    """A transcript whose replies end inside their reasoning where there is an x."""
    assessed = held(conversation, *("" if end == "x" else "a" for end in endless))
    turns = tuple(
        msgspec.structs.replace(turn, flags=("reasoning_unfinished",) if end == "x" else ())
        for turn, end in zip(assessed.transcript.turns, endless, strict=True)
    )
    return Assessed(msgspec.structs.replace(assessed.transcript, turns=turns), assessed.signals)


def test_replies_that_end_inside_their_reasoning_are_told_above_one_in_twenty() -> None:
    few, many = ([thinking(f"c{at}", "x-" if at < most else "--") for at in range(10)] for most in (1, 2))
    (note,) = compared(suite(10), few, many).notes
    assert note.startswith("warning: tuned: 2 of 20 replies ended inside their reasoning")
    assert "--reasoning-tokens" in note


# Checks

X = says("x")
CHECKED = Suite(
    name="s",
    conversations=tuple(
        Conversation(
            id=name,
            turns=(
                Turn(text="a"),
                Turn(text="b", capability="recovery", distance=1, checks=(X, X)),
                Turn(text="c", distance=far, checks=(X, X)),
            ),
            category="writing",
        )
        for name, far in (("c0", 1), ("c1", 2), ("c2", 2))
    ),
)


def checked(conversation: str, *said: str, lost: bool = False) -> Assessed:
    """Replies that are alike in both arms, and what their checks say."""
    return held(conversation, "a", "a", LOST if lost else "a", said=checks("", *said))


def test_checks_are_compared_in_pairs_of_conversations() -> None:
    """By hand: base passes 4, 2, 4 of four checks, tuned 2, 1, 4: on average half of -1/2, -1/4 and 0."""
    found = compared(
        CHECKED,
        [checked("c0", "pp", "pp"), checked("c1", "pf", "pf"), checked("c2", "pp", "pp")],
        [checked("c0", "pp", "ff"), checked("c1", "pf", "ff"), checked("c2", "pp", "pp")],
    )
    assert found.contrasts[0] == contrast(found, "check_pass"), "it is the first"
    passed = contrast(found, "check_pass")
    assert (passed.base.value, passed.tuned.value) == pytest.approx((10 / 12, 7 / 12))
    assert passed.difference.value == pytest.approx(-0.25)
    assert (passed.difference.n, passed.orientation) == (3, "higher_is_better")
    turns = contrast(found, "turn_pass")
    assert (turns.base.value, turns.tuned.value) == pytest.approx((2 / 3, 1 / 2))
    by_distance = [contrast(found, "check_pass", "distance", name) for name in ("1", "2")]
    assert [one.base.value for one in by_distance] == pytest.approx([(1 + 1 / 2 + 1) / 3, (1 / 2 + 1) / 2])
    assert [one.difference.value for one in by_distance] == pytest.approx([-0.5 / 3, -0.25])
    assert contrast(found, "check_pass", "capability", "recovery").difference.value == 0
    assert contrast(found, "check_pass", "category", "writing").difference.value == pytest.approx(-0.25)


def test_a_lost_reply_is_missing_from_the_checks_and_the_other_pairs_stay() -> None:
    """The check says not applicable; the conversation is missing all the same, and not counted as inapplicable."""
    base = [checked(name, "pp", "pp") for name in ("c0", "c1", "c2")]
    tuned = [checked("c0", "pp", "--", lost=True), checked("c1", "pp", "ff"), checked("c2", "pp", "pp")]
    found = compared(CHECKED, base, tuned)
    passed = contrast(found, "check_pass")
    assert [(one.n, one.missing) for one in (passed.base, passed.tuned, passed.difference)] == [(3, 0), (2, 1), (2, 1)]
    assert passed.difference.value == -0.25
    assert contrast(found, "check_pass", "turn", "2").difference.n == 3
    assert not any("not applicable" in note for note in found.notes)


def test_checks_that_do_not_apply_are_counted_in_the_notes() -> None:
    base = [checked(name, "pp", "pp") for name in ("c0", "c1", "c2")]
    tuned = [checked("c0", "p-", "--"), checked("c1", "pp", "pp"), checked("c2", "--", "--")]
    found = compared(CHECKED, base, tuned)
    assert found.notes == ("tuned: 7 of 12 checks not applicable to their replies, and so not counted",)
    passed = contrast(found, "check_pass")
    assert [(one.n, one.missing) for one in (passed.base, passed.tuned, passed.difference)] == [(3, 0), (2, 0), (2, 0)]


def test_a_suite_without_checks_or_expected_refusals_has_no_rows_of_them() -> None:
    """Nor has a group in which no turn has one."""
    ours = {"check_pass", "turn_pass", "refusal_unexpected", "refusal_missing"}
    found = compared(suite(2), [held("c0", "a", "a")], [held("c0", "a", "a")])
    assert not ours & {one.measure for one in found.contrasts}
    found = compared(CHECKED, [], [])
    assert ("turn", "1") not in {one.group for one in found.contrasts if one.measure == "check_pass"}
    assert (contrast(found, "check_pass").base.n, contrast(found, "check_pass").base.missing) == (0, 3)


@pytest.mark.parametrize(
    ("base", "tuned", "told"),
    [
        ("pp", "pp", ()),
        ("ff", "pp", ("base passes 0.0% of checks, near the floor: it has hardly anything to lose",)),
        ("pp", "ff", ("tuned passes 0.0% of checks, near the floor: it fails nearly everywhere",)),
        ("ff", "ff", ("base passes", "tuned passes")),
    ],
)
def test_an_arm_near_the_floor_is_told_of(base: str, tuned: str, told: tuple[str, ...]) -> None:
    """A tuned model that fell there from a good base is a finding: only what it has left says little."""
    runs = [[checked(name, said, said) for name in ("c0", "c1", "c2")] for said in (base, tuned)]
    notes = compared(CHECKED, runs[0], runs[1]).notes
    assert len(notes) == len(told)
    assert all(note.startswith(beginning) for note, beginning in zip(notes, told, strict=True))


def test_where_a_refusal_is_right_and_where_it_is_wrong_are_rates_of_their_own() -> None:
    turns = (Turn(text="a", refusal_expected=False), Turn(text="b", refusal_expected=True))
    the_suite = Suite(name="s", conversations=(Conversation(id="c0", turns=turns), Conversation(id="c1", turns=turns)))
    found = compared(
        the_suite,
        [held("c0", "a", "Sorry"), held("c1", "a", "Sorry")],
        [held("c0", "Sorry", "a"), held("c1", "Sorry", "Sorry")],
    )
    unexpected, absent = contrast(found, "refusal_unexpected"), contrast(found, "refusal_missing")
    assert (unexpected.base.value, unexpected.tuned.value, unexpected.orientation) == (0, 1, "lower_is_better")
    assert (absent.base.value, absent.tuned.value, absent.orientation) == (0, 0.5, "lower_is_better")
    assert contrast(found, "refusal").orientation == "neither"


# The plan, and what comes first


def test_a_plan_must_name_measures_that_there_are() -> None:
    """The primary, and each that it gives a margin; the hint names near ones, or all."""
    for name, hint in (("chek_pass", "did you mean check_pass"), ("zzz", f"one of: {', '.join(BY_NAME)}")):
        for plan in (Plan(primary=name), Plan(margins={name: 0.1})):
            with pytest.raises(UsageError, match=f"no measure is called '{name}'") as caught:
                compared(suite(1), [], [], plan)
            assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize("fields", [{"level": 0.5}, {"level": 1.0}, {"margins": {"words": 0.0}}, {"look": 3}])
def test_a_plan_that_can_not_be_followed_is_refused(fields: dict[str, Any]) -> None:
    """At 50 % the interval of equivalence, of twice the error, would have a level of 0."""
    with pytest.raises(ValueError, match=next(iter(fields)).removesuffix("s")):
        Plan(**fields)


def test_a_comparison_bears_its_plan_and_whether_it_is_of_one_model() -> None:
    plan = Plan(primary="words", margins={"words": 0.1})
    found = compare(suite(1), [], [], base_run="r1", tuned_run="r2", plan=plan, same_model=True, notes=["first"])
    assert (found.plan, found.same_model, found.notes[0]) == (plan, True, "first")
    assert compared(suite(1), [], []).same_model is False


def broken(count: int, reply: str, *, of: int = 20) -> list[Assessed]:
    """Conversations of one turn, the first of them with this reply."""
    return [held(f"c{at}", reply if at < count else "a") for at in range(of)]


@pytest.mark.parametrize(
    ("reply", "told"),
    [("", "15.0% of {arm}'s replies are empty"), ("Sorry", "15.0% of {arm}'s replies are refusals")],
)
def test_an_arm_of_which_more_than_one_reply_in_ten_is_broken_is_to_be_fixed_first(reply: str, told: str) -> None:
    """It stands before all other notes, for either arm; one in ten is not yet enough."""
    few, many = broken(2, reply), broken(3, reply)
    assert compared(suite(20, 1), few, few).notes == ()
    for arm, runs in (("base", (many, few)), ("tuned", (few, many))):
        (note,) = compared(suite(20, 1), *runs).notes
        assert note.startswith(f"fix first: {told.format(arm=arm)}")


def cut(conversation: str, ends: str) -> Assessed:
    """Replies that ended at the limit where there is an x."""
    assessed = held(conversation, *("a" for _ in ends))
    found = [Signal(name="cut_off", turn=at, value=float(end == "x"), unit="flag") for at, end in enumerate(ends)]
    return Assessed(assessed.transcript, (*assessed.signals, *found))


def test_replies_that_were_cut_off_are_to_be_fixed_first() -> None:
    (note,) = compared(suite(1), [cut("c0", "x-")], [cut("c0", "--")]).notes
    assert note.startswith("fix first: 50.0% of base's replies are cut off at the limit")
    assert "--max-tokens" in note


@pytest.mark.parametrize(
    ("expected", "told"),
    [(None, r"refusals(?! where)"), (False, "refusals where none is right"), (True, None)],
)
def test_only_refusals_that_are_not_right_are_to_be_fixed(
    expected: bool | None,  # noqa: FBT001 - the suite's own field
    told: str | None,
) -> None:
    """A model that refuses what it should is sound."""
    runs = broken(20, "Sorry")
    notes = compared(suite(20, 1, refusal_expected=expected), runs, runs).notes
    assert len(notes) == (2 if told else 0), "one for each arm"
    assert all(re.search(rf" are {told}\W", note) for note in notes)
