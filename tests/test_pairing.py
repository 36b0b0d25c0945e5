"""Two arms side by side: who pairs with whom, and what could be if nothing were missing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.by_hand import checks, failed, held, ok, overflowed, refusals, says, unreached, words

from multiturn.conversation import Conversation, Suite, Turn
from multiturn.finding import Assessed
from multiturn.groups import EVERYTHING, Layout
from multiturn.measures import BY_NAME
from multiturn.pairing import Arms, Pair, contrast, decay, filled, pair_up, paired
from multiturn.summary import Numbers, Summary

if TYPE_CHECKING:
    from multiturn.groups import Cells

X = says("x")


def of_checks(*counts: Sequence[int]) -> Suite:
    """Conversations whose turns have so many checks."""
    return Suite(
        name="s",
        conversations=tuple(
            Conversation(id=f"c{at}", turns=tuple(Turn(text="t", checks=(X,) * count) for count in turns))
            for at, turns in enumerate(counts)
        ),
    )


def arms_of(suite: Suite, base: Sequence[Assessed], tuned: Sequence[Assessed]) -> tuple[Arms, Layout]:
    """Both arms' numbers."""
    layout = Layout(suite)
    arms = Summary(layout), Summary(layout)
    for arm, sessions in zip(arms, (base, tuned), strict=True):
        for one in sessions:
            arm.add(one)
    return arms, layout


def said(conversation: str, *turns: str, sample: int = 0) -> Assessed:
    """A session whose checks say this; ``?`` is a turn that the environment lost."""
    records = tuple(failed(at) if turn == "?" else ok(at) for at, turn in enumerate(turns))
    return held(conversation, records, said=checks(*("" if turn == "?" else turn for turn in turns)), sample=sample)


def both_ways(arms: Arms, layout: Layout, measure: str = "check_pass") -> tuple[list[float], list[float]] | None:
    """The differences with the missing filled in low, and high."""
    found = filled(arms, BY_NAME[measure], layout.cells(EVERYTHING))
    return None if found is None else (found[0].differences.tolist(), found[-1].differences.tolist())


# Who pairs with whom

STATES = {"there": (True, False), "missing": (False, True), "does not apply": (False, False)}


@pytest.mark.parametrize("base", STATES)
@pytest.mark.parametrize("tuned", STATES)
def test_a_conversation_pairs_where_both_arms_have_it(base: str, tuned: str) -> None:
    """It is missing where one lacks it and the other does not say that it does not apply."""
    arms = [
        Numbers(np.array([value]), np.array([there]), np.array([missing]))
        for value, (there, missing) in ((0.25, STATES[base]), (0.75, STATES[tuned]))
    ]
    found = pair_up(*arms)
    pairs = base == tuned == "there"
    assert found.differences.tolist() == ([0.5] if pairs else [])
    assert found.missing == (not pairs and "does not apply" not in (base, tuned))


def test_a_contrast_counts_what_each_arm_lacks_and_what_the_pair_lacks() -> None:
    """Of four: base lost one, tuned another, and one of tuned's has no check that applies."""
    arms, layout = arms_of(
        of_checks([2], [2], [2], [2]),
        [said("c0", "pp"), said("c1", "?"), said("c2", "pf"), said("c3", "pp")],
        [said("c0", "pf"), said("c1", "pp"), said("c2", "?"), said("c3", "--")],
    )
    found = contrast(
        arms, BY_NAME["check_pass"], EVERYTHING, layout.cells(EVERYTHING), orientation="higher_is_better", level=0.9
    )
    assert [(one.n, one.missing) for one in (found.base, found.tuned, found.difference)] == [(3, 1), (2, 1), (1, 2)]
    assert [one.value for one in (found.base, found.tuned, found.difference)] == pytest.approx([2.5 / 3, 0.75, -0.5])
    assert {found.base.level, found.tuned.level, found.difference.level} == {0.9}
    assert paired(arms, BY_NAME["check_pass"], layout.cells(EVERYTHING)).missing == found.difference.missing


# What could be if nothing were missing


def test_with_nothing_missing_there_is_nothing_to_fill() -> None:
    """Neither a check that does not apply, nor an empty reply, nor an overflow is missing."""
    gone = held("c1", (ok(0, ""), overflowed(1)), said=checks("f", "f"))
    arms, layout = arms_of(
        of_checks([1, 1], [1, 1]), [said("c0", "p", "-"), gone], [gone_as("c0"), said("c1", "p", "p")]
    )
    assert both_ways(arms, layout) is None
    assert both_ways(arms, layout, "words") is None
    assert arms[0].lost.total() == 0


def gone_as(conversation: str) -> Assessed:
    """A session that the model's own words ended."""
    return held(conversation, (ok(0), overflowed(1)), words(3), said=checks("p", "f"))


def test_a_lost_turn_is_filled_with_all_and_none_of_its_checks() -> None:
    """Tuned passed 1 of 2, and lost a turn of two: from 1 of 4 to 3 of 4, against base's 3 of 4."""
    arms, layout = arms_of(of_checks([2, 2], [2, 2]), [said("c0", "pp", "pf")], [said("c0", "pf", "?")])
    arms[0].add(said("c1", "pp", "pp"))
    arms[1].add(said("c1", "pp", "ff"))
    assert both_ways(arms, layout) == ([-0.5, -0.5], [0.0, -0.5])


def test_a_lost_sample_is_filled_beside_those_that_are_there() -> None:
    """One sample passed all; the other would have passed none or all: from 1/2 to 1, and it counts as it stands."""
    arms, layout = arms_of(of_checks([2]), [said("c0", "pp")], [said("c0", "pp"), said("c0", "?", sample=1)])
    assert both_ways(arms, layout) == ([-0.5], [0.0])
    assert paired(arms, BY_NAME["check_pass"], layout.cells(EVERYTHING)).differences.tolist() == [0.0]


def test_a_conversation_that_was_not_held_could_be_anything() -> None:
    arms, layout = arms_of(of_checks([2], [2]), [said("c0", "pp"), said("c1", "pf")], [said("c0", "pp")])
    assert both_ways(arms, layout) == ([0.0, -0.5], [0.0, 0.5])


def test_a_length_that_is_missing_is_filled_with_the_shortest_and_longest_that_was_seen() -> None:
    """Conversation by conversation, since a length has no bounds of its own."""
    suite = of_checks([0], [0], [0])
    lost = held("c1", (failed(0),))
    base = [held("c0", (ok(0),), words(10)), lost, held("c2", (ok(0),), words(30))]
    tuned = [held("c0", (ok(0),), words(50)), held("c1", (ok(0),), words(20))]
    arms, layout = arms_of(suite, base, tuned)
    assert both_ways(arms, layout, "words") == ([40, 20 - 50, 10 - 30], [40, 20 - 10, 50 - 30])
    nothing, _ = arms_of(suite, [lost], [])
    assert both_ways(nothing, layout, "words") is None, "nothing was seen to fill with"


def test_what_is_missing_is_itself_never_missing() -> None:
    """A turn that was lost is one that was lost, for sure."""
    arms, layout = arms_of(of_checks([1, 1]), [said("c0", "p", "p")], [said("c0", "p", "?")])
    assert both_ways(arms, layout, "missing") is None


class Arm(NamedTuple):
    """One arm's sessions by conversation: turn by turn what each unit (check, flag) says, or how many were lost."""

    sessions: list[list[list[str | int]]]


@st.composite
def two_arms(draw: st.DrawFn, letters: str, *, most: int) -> tuple[list[list[int]], tuple[Arm, Arm]]:
    """Up to three conversations of up to two turns of up to ``most`` units, held up to twice, cut short or not."""
    counts = draw(st.lists(st.lists(st.integers(1, most), min_size=1, max_size=2), min_size=1, max_size=3))
    arms = []
    for _ in range(2):
        sessions: list[list[list[str | int]]] = []
        for turns in counts:
            found: list[list[str | int]] = []
            for _ in range(draw(st.sampled_from([1, 1, 1, 2, 0]))):
                reached = draw(st.sampled_from([len(turns), len(turns), 1, 0]))
                found.append(
                    [
                        draw(st.text(letters, min_size=count, max_size=count)) if at < reached else count
                        for at, count in enumerate(turns)
                    ]
                )
            sessions.append(found)
        arms.append(Arm(sessions))
    return counts, (arms[0], arms[1])


def completions(arm: Arm, counts: list[list[int]]) -> Iterator[list[float | None]]:
    """Every way in which the arm's lost units could have come out, as each conversation's number."""
    whole = [found or [list(turns)] for found, turns in zip(arm.sessions, counts, strict=True)]
    unknown = sum(turn for found in whole for session in found for turn in session if isinstance(turn, int))
    for bits in itertools.product("pf", repeat=unknown):
        left = iter(bits)
        numbers: list[float | None] = []
        for found in whole:
            shares = []
            for session in found:
                units = [
                    unit
                    for turn in session
                    for unit in (turn if isinstance(turn, str) else itertools.islice(left, turn))
                    if unit != "-"
                ]
                if units:
                    shares.append(units.count("p") / len(units))
            numbers.append(math.fsum(shares) / len(shares) if shares else None)
        yield numbers


def lost_units(arm: Arm, counts: list[list[int]]) -> int:
    whole = [found or [list(turns)] for found, turns in zip(arm.sessions, counts, strict=True)]
    return sum(turn for found in whole for session in found for turn in session if isinstance(turn, int))


def means(counts: list[list[int]], base: Arm, tuned: Arm) -> list[float]:
    """The mean difference under each way to fill in what is missing."""
    found = []
    for one, other in itertools.product(completions(base, counts), completions(tuned, counts)):
        differences = [b - a for a, b in zip(one, other, strict=True) if a is not None and b is not None]
        if differences:
            found.append(math.fsum(differences) / len(differences))
    return found


def mean(of: Pair) -> float:
    return float(of.differences.mean())


def as_sessions(arm: Arm, measure: str) -> Iterator[Assessed]:
    """The arm as transcripts with checks, or with refusals (``p`` for one, so that a unit is 1)."""
    for at, found in enumerate(arm.sessions):
        for sample, session in enumerate(found):
            letters = [turn if isinstance(turn, str) else "" for turn in session]
            lost = next((turn for turn, units in enumerate(session) if isinstance(units, int)), len(session))
            records = tuple(
                ok(turn) if turn < lost else failed(turn) if turn == lost else unreached(turn)
                for turn in range(len(session))
            )
            if measure == "refusal":
                signals = refusals("".join("x" if one == "p" else "." for one in "".join(letters)))
                yield held(f"c{at}", records, signals, sample=sample)
            else:
                yield held(f"c{at}", records, said=checks(*letters), sample=sample)


def agrees(counts: list[list[int]], drawn: tuple[Arm, Arm], measure: str) -> None:
    """First and last filling are the extremes of the mean difference over all ways to fill in; None is but one way.

    From one to the other the mean rises step by step.
    """
    base, tuned = drawn
    assume(lost_units(base, counts) + lost_units(tuned, counts) <= 9)
    arms, layout = arms_of(of_checks(*counts), list(as_sessions(base, measure)), list(as_sessions(tuned, measure)))
    found = filled(arms, BY_NAME[measure], layout.cells(EVERYTHING))
    every = means(counts, base, tuned)
    if found is None:
        assert len(set(every)) <= 1
        return
    steps = [mean(one) for one in found]
    assert (steps[0], steps[-1]) == pytest.approx((min(every), max(every)), abs=1e-12)
    assert all(one < other for one, other in itertools.pairwise(steps))
    size = found[0].base.size
    assert {(one.missing, one.base.size, one.tuned.size) for one in found} == {(0, size, size)}


@settings(deadline=None)
@given(two_arms("pf-", most=2))
def test_filled_in_checks_reach_as_far_as_any_way_to_fill_them_in(
    drawn: tuple[list[list[int]], tuple[Arm, Arm]],
) -> None:
    agrees(*drawn, "check_pass")


@settings(deadline=None)
@given(two_arms("pf", most=1))
def test_filled_in_flags_reach_as_far_as_any_way_to_fill_them_in(
    drawn: tuple[list[list[int]], tuple[Arm, Arm]],
) -> None:
    agrees(*drawn, "refusal")


# Late against early


def late_and_early(layout: Layout) -> dict[str, Cells]:
    return {"late": layout.turn >= 3, "early": layout.turn == 1}


def test_decay_is_late_less_early_inside_conversations_that_have_both() -> None:
    """By hand: base -1/2, 0 and +1/2, tuned -1 and -1/2, and c3 lost.

    C1 has no late checks and c2 no early ones, so what c2 lost is not missing here.
    """
    suite = of_checks([0, 1, 0, 1, 1], [0, 1], [0, 0, 0, 1, 1], [0, 1, 0, 1, 1], [0, 1, 0, 1, 1])
    base = [
        said("c0", "", "p", "", "p", "f"),
        said("c1", "", "f"),
        said("c2", "", "", "", "f", "f"),
        said("c3", "", "p", "", "p", "p"),
        said("c4", "", "f", "", "p", "f"),
    ]
    tuned = [
        said("c0", "", "p", "", "f", "f"),
        said("c1", "", "p"),
        said("c2", "", "", "", "?", "?"),
        said("c3", "", "p", "", "?", "?"),
        said("c4", "", "p", "", "f", "p"),
    ]
    arms, layout = arms_of(suite, base, tuned)
    found = decay(arms, BY_NAME["check_pass"], **late_and_early(layout), orientation="higher_is_better", level=0.95)
    assert found is not None
    assert found.group == ("late - early", "")
    assert [one.value for one in (found.base, found.tuned, found.difference)] == [0.0, -0.75, -0.75]
    assert [(one.n, one.missing) for one in (found.base, found.tuned, found.difference)] == [(3, 0), (2, 1), (2, 1)]
    assert (found.difference.low, found.difference.high) == (-2, 2), "Student's would be -0.75 -+ 12.706 x 0.25"
    assert (found.tuned.low, found.tuned.high) == (-1, 1)
    assert found.base.low == -1, "and 4.303 x 0.289 on either side of 0"


def test_a_decay_of_which_the_interval_has_room_is_students() -> None:
    """Differences of -1/2 and 0 and 0 and 0, twelve conversations: by hand -1/8 -+ 2.201 x 0.0653."""
    letters = ["f", "pf", "pf", "pf"] * 3
    suite = of_checks(*[[0, 2, 0, 2]] * 12)
    base = [said(f"c{at}", "", "pf", "", "pf") for at in range(12)]
    tuned = [said(f"c{at}", "", "pf", "", one * 2 if len(one) == 1 else one) for at, one in enumerate(letters)]
    arms, layout = arms_of(suite, base, tuned)
    found = decay(arms, BY_NAME["check_pass"], **late_and_early(layout), orientation="higher_is_better", level=0.95)
    assert found is not None
    assert found.difference.low == pytest.approx(-0.125 - 2.201 * 0.06528, abs=1e-4)
    assert found.difference.high == pytest.approx(-0.125 + 2.201 * 0.06528, abs=1e-4)
    assert (found.base.value, found.base.low) == (0, None), "all equal, so there is nothing to cut"


def test_a_decay_of_lengths_has_no_bounds() -> None:
    suite = of_checks([0] * 4, [0] * 4)
    base = [held(f"c{at}", tuple(ok(turn) for turn in range(4)), words(9, 9, 9, 9 - at)) for at in range(2)]
    tuned = [held(f"c{at}", tuple(ok(turn) for turn in range(4)), words(9, 9, 9, 90 * at)) for at in range(2)]
    arms, layout = arms_of(suite, base, tuned)
    found = decay(arms, BY_NAME["words"], **late_and_early(layout), orientation="neither", level=0.95)
    assert found is not None
    assert found.difference.low is not None
    assert found.difference.low < -2
    assert found.tuned.low is not None
    assert found.tuned.low < -1


def test_a_conversation_that_does_not_apply_to_one_arm_is_not_missing_in_the_decay_of_both() -> None:
    """Base lost c0, and none of tuned's late checks of it applies; c1 base has and tuned lost, so that one is."""
    suite = of_checks([0, 1, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1])
    base = [said("c0", "", "p", "", "?"), said("c1", "", "p", "", "p"), said("c2", "", "p", "", "f")]
    tuned = [said("c0", "", "p", "", "-"), said("c1", "", "p", "", "?"), said("c2", "", "p", "", "p")]
    for arms, lost in (((base, tuned), (1, 1)), ((tuned, base), (1, 1))):
        both, layout = arms_of(suite, *arms)
        found = decay(both, BY_NAME["check_pass"], **late_and_early(layout), orientation="higher_is_better", level=0.95)
        assert found is not None
        assert (found.base.missing, found.tuned.missing) == lost
        assert (found.difference.n, found.difference.missing) == (1, 1)


def test_without_a_conversation_that_has_both_kinds_there_is_no_decay() -> None:
    suite = of_checks([0, 1], [0, 0, 0, 1], [1, 0, 1, 0, 0])
    sessions = [said("c0", "", "p"), said("c1", "", "", "", "p"), said("c2", "p", "", "p", "", "")]
    arms, layout = arms_of(suite, sessions, sessions)
    assert (
        decay(arms, BY_NAME["check_pass"], **late_and_early(layout), orientation="higher_is_better", level=0.95) is None
    )


def test_a_decay_of_which_all_is_lost_has_no_value_and_counts_what_is_missing() -> None:
    arms, layout = arms_of(of_checks([0, 1, 0, 1]), [said("c0", "", "p", "", "?")], [])
    found = decay(arms, BY_NAME["check_pass"], **late_and_early(layout), orientation="higher_is_better", level=0.95)
    assert found is not None
    assert [(one.value, one.missing) for one in (found.base, found.tuned, found.difference)] == [(None, 1)] * 3
