"""Several samples of a conversation: their noise, and those that were never held."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.by_hand import checks, failed, held, ok, says, words
from tests.comparing import compared

from multiturn.compare import compare
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.finding import Assessed
from multiturn.groups import EVERYTHING, Layout
from multiturn.measures import BY_NAME, PRIMARY
from multiturn.pairing import Arms, filled, split
from multiturn.results import Comparison, NoiseFloor
from multiturn.summary import Summary

X = says("x")


def of_checks(*counts: int) -> Suite:
    """Conversations of one turn with so many checks."""
    return Suite(
        name="s",
        conversations=tuple(
            Conversation(id=f"c{at}", turns=(Turn(text="t", checks=(X,) * count),)) for at, count in enumerate(counts)
        ),
    )


def said(conversation: str, letters: str, sample: int = 0) -> Assessed:
    """A session whose checks say this; ``?`` was lost to the environment."""
    if letters == "?":
        return held(conversation, (failed(0),), sample=sample)
    return held(conversation, (ok(0),), said=checks(letters), sample=sample)


def sampled(conversation: str, *samples: str) -> list[Assessed]:
    """Its sessions in their order."""
    return [said(conversation, letters, at) for at, letters in enumerate(samples)]


def arms_of(
    suite: Suite, base: Sequence[Assessed], tuned: Sequence[Assessed], samples: int | None = None
) -> tuple[Arms, Layout]:
    """Both arms' numbers, each conversation to be held so often."""
    layout = Layout(suite)
    arms = Summary(layout, samples), Summary(layout, samples)
    for arm, sessions in zip(arms, (base, tuned), strict=True):
        for one in sessions:
            arm.add(one)
    return arms, layout


# Their noise


def test_the_variance_of_a_difference_is_split_into_conversations_and_samples() -> None:
    """By hand: sample by sample -1 and 0, and 0 and 1/2: variances 1/2 and 1/8, on average 0.3125.

    The conversations' differences are -1/2 and 1/4, their variance 0.28125, of which samples make 0.3125 / 2.
    """
    base = [*sampled("c0", "pp", "pf"), *sampled("c1", "pf", "fp")]
    tuned = [*sampled("c0", "ff", "pf"), *sampled("c1", "pf", "pp")]
    arms, layout = arms_of(of_checks(2, 2), base, tuned)
    apart = split(arms, BY_NAME["check_pass"], layout.cells(EVERYTHING))
    assert apart is not None
    found = apart.parts
    assert (apart.mean, apart.missing) == (-0.125, 0)
    assert (found.n, found.samples, found.judging) == (2, 2, None)
    assert (found.within, found.between) == pytest.approx((0.3125, 0.125))
    assert found.error_these == pytest.approx(math.sqrt(0.15625 / 2))
    assert found.degrees_these == 2


@pytest.mark.parametrize("lost", ["p?", "??"])
def test_without_a_second_sample_in_both_arms_nothing_can_be_split(lost: str) -> None:
    """A sample that the environment lost is none."""
    base = [*sampled("c0", "pp", "pf"), *sampled("c1", "pf", "fp")]
    tuned = [*sampled("c0", "pp"), *sampled("c1", "pp")]
    arms, layout = arms_of(of_checks(2, 2), base, tuned)
    assert split(arms, BY_NAME["check_pass"], layout.cells(EVERYTHING)) is None
    for at, letter in enumerate(lost):
        arms[1].add(said(f"c{at}", "?" if letter == "?" else "pf", 1))
    assert (split(arms, BY_NAME["check_pass"], layout.cells(EVERYTHING)) is None) == (lost == "??")


def test_samples_pair_by_their_number_and_one_that_an_arm_lacks_is_not_used() -> None:
    """Base has samples 0, 1 and 2 of c0, tuned 2, 1 and 3: differences 0 and 0, though the arms' means are apart.

    Of c1 they are 1 and 0, so that the variance of samples is 1/2 in one of two conversations.
    """
    base = [*sampled("c0", "pp", "pf", "ff"), *sampled("c1", "ff", "pf")]
    tuned = [said("c0", "ff", 2), said("c0", "fp", 1), said("c0", "pp", 3), *sampled("c1", "pp", "fp")]
    arms, layout = arms_of(of_checks(2, 2), base, tuned)
    apart = split(arms, BY_NAME["check_pass"], layout.cells(EVERYTHING))
    assert apart is not None
    found = apart.parts
    assert (apart.mean, apart.missing) == (0.25, 0)
    assert (found.n, found.samples, found.within) == (2, 2, 0.25)
    assert found.error == 0.25, "of 0 and 1/2"


def test_one_sample_that_both_have_is_no_second_one() -> None:
    """However many each has that the other lacks."""
    base = [*sampled("c0", "pp", "pf"), *sampled("c1", "pf", "fp")]
    tuned = [said(f"c{at}", "pp", sample) for at in range(2) for sample in (1, 2, 3)]
    arms, layout = arms_of(of_checks(2, 2), base, tuned)
    assert split(arms, BY_NAME["check_pass"], layout.cells(EVERYTHING)) is None


SAMPLES: Final = 4
CHECKS: Final = 5


def drawn(levels: np.ndarray, uniforms: np.ndarray) -> list[Assessed]:
    """A check passes where its uniform number lies below the conversation's level."""
    return [
        said(f"c{at}", "".join("p" if one < level else "f" for one in numbers), sample)
        for at, (level, samples) in enumerate(zip(levels.tolist(), uniforms.tolist(), strict=True))
        for sample, numbers in enumerate(samples)
    ]


class Drawn(NamedTuple):
    """A comparison of two models whose levels are known: what samples really add, and what conversations do."""

    found: Comparison
    within: float
    between: float

    @property
    def noise(self) -> NoiseFloor:
        """There is but one."""
        (noise,) = self.found.noise
        return noise


def two_models(seed: int, conversations: int = 40, *, shared: bool) -> Drawn:
    """One passes 60 % of checks on average, the other 57 %, drawing with the same numbers or with others.

    A check of a shared draw differs where its number lies between the two levels, so its variance is ``d (1 - d)``.
    """
    chance = np.random.default_rng(seed)
    shape = (conversations, SAMPLES, CHECKS)
    uniforms = chance.random(shape)
    other = uniforms if shared else chance.random(shape)
    level = np.clip(chance.normal(0.6, 0.15, conversations), 0, 1)
    moved = np.clip(level + chance.normal(-0.03, 0.1, conversations), 0, 1)
    apart = np.abs(moved - level)
    spread = apart * (1 - apart) if shared else level * (1 - level) + moved * (1 - moved)
    found = compared(of_checks(*[CHECKS] * conversations), drawn(level, uniforms), drawn(moved, other))
    return Drawn(found, float(spread.mean()) / CHECKS, float((moved - level).var(ddof=1)))


def half(low: float | None, high: float | None) -> float:
    assert low is not None
    assert high is not None
    return (high - low) / 2


@pytest.mark.parametrize("shared", [True, False])
def test_the_noise_floor_finds_what_samples_and_conversations_really_add(shared: bool) -> None:  # noqa: FBT001 - a case
    """On average, within 10 %, whether both models draw with the same seeds or not."""
    runs = [two_models(seed, shared=shared) for seed in range(24)]
    within, between = (
        (sum(getattr(one.noise, part) for one in runs), sum(getattr(one, part) for one in runs))
        for part in ("within", "between")
    )
    assert within[0] == pytest.approx(within[1], rel=0.1)
    assert between[0] == pytest.approx(between[1], rel=0.2)


def test_with_shared_draws_the_interval_of_exactly_these_is_no_wider_than_that_of_others_like_them() -> None:
    """Samples of one draw hardly differ between the models: what is left is that conversations do.

    So the first row of the outlook, as many conversations and samples as there were, is what the verdict could find.
    """
    for seed in range(12):
        run = two_models(seed, shared=True)
        noise = run.noise
        assert half(noise.these.low, noise.these.high) < half(noise.like_these.low, noise.like_these.high)
        assert noise.between > 0
        first = noise.outlook[0]
        assert (first.conversations, first.samples) == (40, SAMPLES)
        assert first.detectable == pytest.approx(run.found.verdicts[0].detectable)


# Those that were never held


def test_a_sample_that_was_never_held_could_have_failed_or_passed_everything() -> None:
    """C0 has 1 and 1/2 of three, so 1/2 to 5/6; c1 all three of them; c2 none, so anything."""
    sessions = [*sampled("c0", "pp", "pf"), *sampled("c1", "pp", "pf", "ff")]
    (arm, _), layout = arms_of(of_checks(2, 2, 2), sessions, [], samples=3)
    cells = layout.cells(EVERYTHING)
    low, high = arm.bounds(PRIMARY, cells)
    assert low.tolist() == pytest.approx([0.5, 0.5, 0])
    assert high.tolist() == pytest.approx([2.5 / 3, 0.5, 1])
    numbers = arm.numbers(PRIMARY, cells)
    assert numbers.values[:2].tolist() == [0.75, 0.5], "the mean rests on those that are there"
    assert numbers.missing.tolist() == [False, False, True]
    arm.samples = None
    assert [end.tolist() for end in arm.bounds(PRIMARY, cells)] == [[0.75, 0.5, 0], [0.75, 0.5, 1]]
    arm.samples = 1
    assert [end.tolist() for end in arm.bounds(PRIMARY, cells)] == [[0.75, 0.5, 0], [0.75, 0.5, 1]], "more than planned"
    assert arm.gaps(PRIMARY, cells).tolist() == [0, 0, 1]


def test_beside_a_sample_whose_checks_do_not_apply_one_that_was_not_held_is_missing() -> None:
    """It might have had some that apply."""
    (arm, _), layout = arms_of(of_checks(2), [said("c0", "--")], [], samples=2)
    found = arm.numbers(PRIMARY, layout.cells(EVERYTHING))
    assert (found.present.tolist(), found.missing.tolist()) == ([False], [True])
    arm.samples = 1
    assert arm.numbers(PRIMARY, layout.cells(EVERYTHING)).missing.tolist() == [False]


@pytest.mark.parametrize("samples", [None, (3, 3)])
def test_a_run_that_ended_early_is_told_of_and_its_verdict_may_depend_on_it(samples: tuple[int, int] | None) -> None:
    """Tuned has one of three samples of 40 of 48 conversations: no conversation is missing, but 80 samples are."""
    names = [f"c{at}" for at in range(48)]
    base = [said(name, "pf", sample) for name in names for sample in range(3)]
    tuned = [said(name, "pf", sample) for at, name in enumerate(names) for sample in range(3 if at < 8 else 1)]
    found = compare(of_checks(*[2] * 48), base, tuned, base_run="r1", tuned_run="r2", samples=samples)
    verdict = found.verdicts[0]
    assert (verdict.contrast.difference.n, verdict.contrast.difference.missing) == (48, 0)
    assert verdict.filled is not None
    assert (verdict.filled[0], verdict.filled[-1], verdict.depends_on_missing) == ("regressed", "improved", True)
    assert [note for note in found.notes if "held" in note] == ["tuned: 80 of 144 samples were not held"]


def test_a_run_that_was_to_have_fewer_samples_lacks_none() -> None:
    """With the numbers of samples varied on purpose; a conversation that was not held is told of by itself."""
    base, tuned = [*sampled("c0", "pp", "pf"), *sampled("c1", "pp")], [said("c0", "pp"), said("c1", "pp")]
    suite = of_checks(2, 2, 2)

    def told(samples: tuple[int, int] | None) -> tuple[str, ...]:
        return compare(suite, base, tuned, base_run="r1", tuned_run="r2", samples=samples).notes

    none_of_c2 = [f"{arm}: 1 of 3 conversations were not held" for arm in ("base", "tuned")]
    assert told((2, 1)) == (none_of_c2[0], "base: 1 of 4 samples of the others were not held", none_of_c2[1])
    assert told(None) == (*told((2, 1)), "tuned: 2 of 4 samples of the others were not held")


# Lengths

Spoken = tuple[int, int] | str | None
"""What a session of two turns has: words, ``?`` where its second turn was lost, None where it was not held."""


def spoken(sessions: Sequence[Sequence[Spoken]]) -> Iterator[Assessed]:
    """An arm's sessions, conversation by conversation."""
    for at, samples in enumerate(sessions):
        for sample, one in enumerate(samples):
            if isinstance(one, tuple):
                yield held(f"c{at}", (ok(0), ok(1)), words(*one), sample=sample)
            elif one is not None:
                yield held(f"c{at}", (ok(0), failed(1)), words(900, None), sample=sample)


def every_way(sessions: Sequence[Sequence[Spoken]], ends: tuple[float, float]) -> Iterator[list[float]]:
    """Each conversation's mean, with every lost or unheld sample as short as can be or as long, in all combinations."""
    slots = [one for samples in sessions for one in samples]
    for fills in itertools.product(ends, repeat=sum(not isinstance(one, tuple) for one in slots)):
        left = iter(fills)
        whole = [[sum(one) / 2 if isinstance(one, tuple) else next(left) for one in samples] for samples in sessions]
        yield [sum(samples) / len(samples) for samples in whole]


SESSION: Final = st.tuples(st.integers(0, 50), st.integers(0, 50)) | st.just("?") | st.none()
ARM: Final = st.lists(st.lists(SESSION, min_size=2, max_size=2), min_size=2, max_size=2)


@settings(deadline=None)
@given(ARM, ARM)
def test_filled_in_lengths_reach_as_far_as_any_way_to_fill_their_samples_in(
    base: list[list[Spoken]], tuned: list[list[Spoken]]
) -> None:
    """A session that lost a turn is lost as a whole: the words of the other turn (900) are no bound of anything."""
    turns = (Turn(text="a"), Turn(text="b"))
    suite = Suite(name="s", conversations=tuple(Conversation(id=f"c{at}", turns=turns) for at in range(2)))
    arms, layout = arms_of(suite, list(spoken(base)), list(spoken(tuned)), samples=2)
    found = filled(arms, BY_NAME["words"], layout.cells(EVERYTHING))
    slots = [one for arm in (base, tuned) for samples in arm for one in samples]
    seen = [sum(one) / 2 for one in slots if isinstance(one, tuple)]
    if len(seen) in (0, len(slots)):
        assert found is None, "nothing to fill with, or nothing to fill"
        return
    assert found is not None
    ends = min(seen), max(seen)
    means = [
        sum(other) / 2 - sum(one) / 2 for one, other in itertools.product(every_way(base, ends), every_way(tuned, ends))
    ]
    first, last = (float(one.differences.mean()) for one in (found[0], found[-1]))
    assert (first, last) == pytest.approx((min(means), max(means)), abs=1e-9)
    assert {one.base.size for one in found} == {2}


@pytest.mark.parametrize("missing", ["lost", "not held"])
def test_lengths_that_lost_samples_are_equivalent_only_as_they_stand(missing: str) -> None:
    """Tuned lost the second sample of 35 of 40 conversations, each of which has its first: none is missing."""

    def arm(most: int) -> list[Assessed]:
        return [
            held(f"c{at}", (ok(0),), words(10 + at % 31 + at % most), sample=sample)
            for at in range(40)
            for sample in range(2)
        ]

    base, tuned = arm(3), [one for at, one in enumerate(arm(2)) if at % 2 == 0 or at >= 70]
    if missing == "lost":
        tuned += [held(f"c{at}", (failed(0),), sample=1) for at in range(35)]
    (verdict,) = [one for one in compared(of_checks(*[0] * 40), base, tuned).verdicts if one.measure == "words"]
    assert (verdict.word, verdict.contrast.difference.missing) == ("equivalent", 0)
    assert verdict.filled is not None
    assert "equivalent" not in (verdict.filled[0], verdict.filled[-1])
    assert verdict.depends_on_missing


# Filled in between


def borderline(seed: int) -> tuple[Suite, list[Assessed], list[Assessed]]:
    """Twelve conversations in which tuned fails a check more in one of four, and up to three that it lost."""
    chance = np.random.default_rng(seed)
    lost = int(chance.integers(1, 4))
    passed = (3 + chance.choice([-1, 0, 1], 12, p=[0.25, 0.65, 0.1])).tolist()
    base = [said(f"c{at}", "pppff" if at < 12 else "ppppp") for at in range(12 + lost)]
    tuned = [said(f"c{at}", ("p" * passes).ljust(5, "f")) for at, passes in enumerate(passed)]
    return of_checks(*[5] * (12 + lost)), base, [*tuned, *(said(f"c{12 + at}", "?") for at in range(lost))]


def test_a_filling_in_between_may_say_what_neither_end_does() -> None:
    """Filled with 0 the lost conversations make the interval wide; filled much like the others they do not.

    So of a hundred borderline cases some are inconclusive as they stand and at both ends, and regressed in between:
    their verdict depends on what is missing.
    """
    verdicts = [compared(*borderline(seed)).verdicts[0] for seed in range(100)]
    words = [(one.word, one.filled or ()) for one in verdicts]
    found = [every for word, every in words if {word, every[0], every[-1]} == {"inconclusive"}]
    assert sum("regressed" in every for every in found) >= 5
    assert all(one.depends_on_missing == (set(one.filled or ()) != {one.word}) for one in verdicts)


def test_fillings_go_from_the_worst_to_the_best_for_tuned_in_equal_steps() -> None:
    """What both arms have stands to the digit; tuned's lost conversation rises from 0 to 1 and base's falls."""
    base = [said("c0", "ppf"), said("c1", "ppf"), said("c2", "?")]
    tuned = [said("c0", "pff"), said("c1", "?"), said("c2", "pff")]
    arms, layout = arms_of(of_checks(3, 3, 3), base, tuned)
    every = filled(arms, BY_NAME[PRIMARY], layout.cells(EVERYTHING))
    assert every is not None
    parts = [at / (len(every) - 1) for at in range(len(every))]
    assert {(one.base[0], one.tuned[0], one.base[1], one.tuned[2]) for one in every} == {(2 / 3, 1 / 3, 2 / 3, 1 / 3)}
    assert [float(one.tuned[1]) for one in every] == pytest.approx(parts)
    assert [float(one.base[2]) for one in every] == pytest.approx(parts[::-1])
