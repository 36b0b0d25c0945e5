"""What a comparison concludes: which verdicts there are, where the primary moved, decay, profile and noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest
from scipy import stats
from tests.by_hand import checks, says
from tests.comparing import LOST, compared, held, suite

from multiturn.conversation import Capability, Category, Conversation, Suite, Turn
from multiturn.finding import Assessed
from multiturn.results import Estimate, Plan, Verdict

X = says("x")
PROBES: Final[tuple[Capability | None, ...]] = (None, "recovery", "correction", "follow_up", "correction")
CATEGORIES: Final[tuple[Category, ...]] = ("math", "coding")


def probing(conversations: int, *counts: int) -> Suite:
    """Conversations whose turns have so many checks, and probe what ``PROBES`` says; math and coding take turns."""
    turns = tuple(
        Turn(text="t", checks=(X,) * count, capability=PROBES[at % len(PROBES)]) for at, count in enumerate(counts)
    )
    return Suite(
        name="s",
        conversations=tuple(
            Conversation(id=f"c{at}", turns=turns, category=CATEGORIES[at % 2]) for at in range(conversations)
        ),
    )


def said(at: int, *turns: str, sample: int = 0) -> Assessed:
    """One session of ``probing``; ``?`` is a turn that the environment lost."""
    replies = [LOST if turn == "?" else "a" for turn in turns]
    letters = ["" if turn == "?" else turn for turn in turns]
    return held(f"c{at}", *replies, said=checks(*letters), sample=sample)


def alike(count: int, *turns: str) -> list[Assessed]:
    return [said(at, *turns) for at in range(count)]


def named(verdicts: Sequence[Verdict]) -> dict[str, Verdict]:
    return {one.measure: one for one in verdicts}


# Which verdicts there are

WRONG: Final = {"refusal_unexpected"}
RIGHT: Final = {"refusal_missing"}


@pytest.mark.parametrize(
    ("expected", "family"),
    [
        ((None,), {"refusal"}),
        ((False,), WRONG),
        ((True,), RIGHT),
        ((False, True), WRONG | RIGHT),
        ((True, None), RIGHT),
    ],
)
def test_of_refusals_the_family_has_those_that_the_suite_speaks_of(
    expected: tuple[bool | None, ...], family: set[str]
) -> None:
    """The plain rate only where it says of no turn whether a refusal is right there."""
    turns = tuple(Turn(text="t", refusal_expected=one) for one in expected)
    the_suite = Suite(name="s", conversations=(Conversation(id="c0", turns=turns),))
    found = compared(the_suite, [], []).verdicts
    assert {one.measure for one in found} == family | {"repetition", "words"}
    assert {one.role for one in found} == {"secondary"}, "there are no checks, so nothing is primary"


@pytest.mark.parametrize("primary", ["check_pass", "turn_pass", "words", "refusal", "empty"])
def test_the_primary_comes_first_and_is_left_out_of_the_family(primary: str) -> None:
    first, *family = compared(probing(2, 1), [], [], Plan(primary=primary)).verdicts
    assert (first.measure, first.role) == (primary, "primary")
    assert {one.measure for one in family} == {"check_pass", "refusal", "repetition", "words"} - {primary}
    assert {one.role for one in family} == {"secondary"}


def test_holms_adjustment_runs_over_the_family_and_leaves_the_primary_alone() -> None:
    """Six fewer refusals in six: p = 2/64, which counts twice beside words; repetition applies to no reply."""
    base = [held(f"c{at}", "Sorry", said=checks("p")) for at in range(6)]
    tuned = [held(f"c{at}", "a", said=checks("f")) for at in range(6)]
    found = named(compared(probing(6, 1), base, tuned).verdicts)
    assert (found["check_pass"].word, found["check_pass"].p, found["check_pass"].adjusted_p) == (
        "regressed",
        0.03125,
        None,
    )
    refusals = found["refusal"]
    assert (refusals.word, refusals.p, refusals.adjusted_p) == ("inconclusive", 0.03125, 0.0625)
    assert refusals.advice.startswith("by itself it would be improved (p = 0.031), but it is one of 2")
    assert (found["words"].p, found["words"].adjusted_p) == (1.0, 1.0)
    assert "repetition" not in found, "it applies to no reply of either arm"


def test_mcnemars_test_goes_with_one_sample_of_each_conversation() -> None:
    base, tuned = alike(6, "p"), alike(6, "f")
    again = [said(at, "p", sample=1) for at in range(6)]
    assert compared(probing(6, 1), base, tuned).verdicts[0].exact_p == 0.03125
    assert compared(probing(6, 1), [*base, *again], tuned).verdicts[0].exact_p is None


def test_a_level_is_that_of_all_that_is_shown() -> None:
    """Where a comparison may be extended once, each look has 97.5 %."""
    the_suite = probing(8, 0, 1, 0, 1)
    base = [said(at, "", "p", "", "pf"[at % 2], sample=sample) for at in range(8) for sample in range(2)]
    tuned = [said(at, "", "p", "", "pf"[sample], sample=sample) for at in range(8) for sample in range(2)]
    found = compared(the_suite, base, tuned, Plan(level=0.975))
    assert found.decay is not None
    (noise,) = found.noise
    shown: list[Estimate] = [noise.like_these, noise.these, *(one.ratio for one in found.ratios)]
    for contrast in (*found.contrasts, *found.profile, found.decay, *(one.contrast for one in found.verdicts)):
        shown += [contrast.base, contrast.tuned, contrast.difference]
    assert {one.level for one in shown} == {0.975}


def test_a_verdict_that_lost_turns_could_change_depends_on_missing_data() -> None:
    """Eight of fourteen came out alike; the other six could all have failed (p = 0.007), or all have passed."""
    base, tuned = alike(14, "p"), [*alike(8, "p"), *(said(at, "?") for at in range(8, 14))]
    verdict = compared(probing(14, 1), base, tuned).verdicts[0]
    assert verdict.filled is not None
    assert (verdict.word, verdict.filled[0], verdict.filled[-1]) == ("inconclusive", "regressed", "inconclusive")
    assert verdict.depends_on_missing
    assert "depends on missing data: regressed if all that is missing had gone against tuned" in verdict.advice


@pytest.mark.parametrize("missing", ["lost", "not held"])
def test_one_that_they_could_not_change_does_not(missing: str) -> None:
    base, tuned = alike(14, "p"), [*alike(12, "f"), *([said(12, "?"), said(13, "?")] if missing == "lost" else [])]
    verdict = compared(probing(14, 1), base, tuned).verdicts[0]
    assert (verdict.word, set(verdict.filled or ()), verdict.depends_on_missing) == ("regressed", {"regressed"}, False)
    assert compared(probing(14, 1), base, alike(14, "f")).verdicts[0].filled is None, "nothing is missing"


# Where it moved


def test_once_the_primary_moved_capabilities_say_where() -> None:
    """Recovery fell in all of eight, p = 2/2**8, which counts twice; correction stood, and follow_up has no checks."""
    base, tuned = alike(8, "", "p", "p", "", "f"), alike(8, "", "f", "p", "", "f")
    found = compared(probing(8, 0, 1, 1, 0, 1), base, tuned)
    assert (found.verdicts[0].role, found.verdicts[0].word) == ("primary", "regressed")
    where = {one.contrast.group: one for one in found.localisation}
    assert set(where) == {("capability", "recovery"), ("capability", "correction")}
    assert {one.role for one in found.localisation} == {"localisation"}
    recovery, correction = where["capability", "recovery"], where["capability", "correction"]
    assert (recovery.word, recovery.p, recovery.adjusted_p) == ("regressed", 2 / 2**8, 4 / 2**8)
    assert (correction.word, correction.contrast.difference.value, correction.contrast.base.value) == (
        "inconclusive",
        0,
        0.5,
    )


def test_while_the_primary_has_not_moved_no_capability_is_looked_at() -> None:
    """However far one of them moved: here recovery fell as far as another rose."""
    found = compared(probing(8, 0, 1, 1), alike(8, "", "p", "f"), alike(8, "", "f", "p"))
    assert (found.verdicts[0].word, found.localisation) == ("inconclusive", ())


def test_a_secondary_measure_that_moved_is_not_localised() -> None:
    """Without checks the first verdict is of the family."""
    base = [held(f"c{at}", "a", "Sorry") for at in range(20)]
    found = compared(suite(20), base, [held(f"c{at}", "a", "a") for at in range(20)])
    assert (found.verdicts[0].role, found.verdicts[0].word, found.localisation) == ("secondary", "improved", ())


# Early and late


def test_late_is_turn_4_and_on_and_early_is_turn_2() -> None:
    """Turns 1 and 3 count in neither: base keeps 1 in turn 2 and 1/2 in turns 4 and 5, tuned 1 and 0."""
    found = compared(
        probing(2, 1, 1, 1, 1, 1), alike(2, "f", "p", "f", "p", "f"), alike(2, "p", "p", "p", "f", "f")
    ).decay
    assert found is not None
    assert [one.value for one in (found.base, found.tuned, found.difference)] == [-0.5, -1.0, -0.5]
    assert (found.measure, found.group, found.orientation) == (
        "check_pass",
        ("late - early", ""),
        "higher_is_better",
    )


def test_conversations_without_late_turns_have_no_decay() -> None:
    assert compared(probing(2, 1, 1, 1), alike(2, "p", "p", "p"), alike(2, "p", "p", "p")).decay is None


def test_decay_is_of_the_primary_measure() -> None:
    replies = ("a", "a b c d", "a", "a b")
    runs = [held("c0", *replies), held("c1", *replies)]
    found = compared(suite(2, 4), runs, runs, Plan(primary="words")).decay
    assert found is not None
    assert (found.measure, found.base.value, found.tuned.value, found.difference.value) == ("words", -2, -2, 0)


# Capability and category by turn


def test_the_profile_has_the_primary_measure_by_capability_and_category_in_every_turn() -> None:
    """By hand: math passes in turn 2, coding does not; only tuned passes in turn 5."""
    the_suite = probing(4, 0, 1, 0, 0, 1)
    base = [said(at, "", "pf"[at % 2], "", "", "f") for at in range(4)]
    tuned = [said(at, "", "pf"[at % 2], "", "", "p") for at in range(4)]
    found = {one.group: one for one in compared(the_suite, base, tuned).profile}
    assert set(found) == {
        ("capability and turn", "recovery, turn 2"),
        ("capability and turn", "correction, turn 5"),
        *(("category and turn", f"{category}, turn {turn}") for category in CATEGORIES for turn in (2, 5)),
    }
    math, coding = (found["category and turn", f"{category}, turn 2"] for category in CATEGORIES)
    assert (math.base.value, coding.base.value, math.base.n) == (1, 0, 2)
    late = found["capability and turn", "correction, turn 5"]
    assert (late.base.value, late.tuned.value, late.difference.value, late.difference.n) == (0, 1, 1, 4)
    assert {one.measure for one in found.values()} == {"check_pass"}


def test_a_suite_without_the_primary_measure_has_no_profile() -> None:
    found = compared(suite(2), [held("c0", "a", "a")], [held("c0", "a", "a")])
    assert (found.profile, found.decay, found.noise, found.localisation) == ((), None, (), ())


# Samples

DRAWN: Final = (("pp", "pf", "ff", "pf"), ("pf", "fp", "pf", "pp"))
"""Of two conversations, base's two samples and tuned's: differences -1/2 and 1/4."""


def drawn(arm: int, samples: int = 2) -> list[Assessed]:
    return [
        said(at, letters[2 * arm + sample], sample=sample)
        for at, letters in enumerate(DRAWN)
        for sample in range(samples)
    ]


def test_the_noise_floor_says_where_the_uncertainty_comes_from() -> None:
    """By hand: sample by sample the differences are -1 and 0, and 0 and 1/2: their variances 1/2 and 1/8, 5/16 together.

    Those of the conversations have 9/32, of which samples make 5/32; samples of these two alone make an error of
    sqrt(5/16 / 2 / 2), with 2 degrees of freedom.
    """
    found = compared(probing(2, 2), drawn(0), drawn(1))
    (noise,) = found.noise
    assert (noise.measure, noise.samples, noise.judging) == ("check_pass", 2, None)
    assert (noise.between, noise.within) == pytest.approx((0.125, 0.3125))
    assert noise.like_these == found.contrasts[0].difference
    half = stats.t.ppf(0.975, 2) * (0.3125 / 4) ** 0.5
    assert half > 1
    assert (noise.these.low, noise.these.high) == (-1, 1), "no share changes by more"
    assert (noise.these.value, noise.these.n) == (-0.125, 2)


def test_exactly_these_are_the_conversations_that_share_a_sample() -> None:
    """Of c2 base has its first sample alone and tuned its second, and c3 tuned lost: neither was held twice alike.

    The paired difference has c2 in it, (-1/2 + 1/4 + 1) / 3. What is said of c0 and c1 is about their own, -1/8.
    """
    base = [*drawn(0), said(2, "ff"), said(3, "pp")]
    tuned = [*drawn(1), said(2, "pp", sample=1), said(3, "?")]
    (noise,) = compared(probing(4, 2), base, tuned).noise
    assert (noise.like_these.value, noise.like_these.n, noise.like_these.missing) == (0.25, 3, 1)
    assert (noise.these.value, noise.these.n, noise.these.missing) == (-0.125, 2, 2)


def test_the_outlook_says_what_more_samples_and_more_conversations_would_detect() -> None:
    """(t.975 + t.80) x sqrt((1/8 + 5/16 / samples) / conversations); more of either detects less."""
    (noise,) = compared(probing(2, 2), drawn(0), drawn(1)).noise
    assert [(one.conversations, one.samples) for one in noise.outlook] == [(2, 2), (2, 4), (4, 2), (8, 2)]
    for one in noise.outlook:
        quantiles = stats.t.ppf(0.975, one.conversations - 1) + stats.t.ppf(0.8, one.conversations - 1)
        error = ((0.125 + 0.3125 / one.samples) / one.conversations) ** 0.5
        assert one.detectable == pytest.approx(quantiles * error)
    detectable = [one.detectable for one in noise.outlook]
    assert detectable == sorted(detectable, reverse=True)


@pytest.mark.parametrize("samples", [(1, 1), (2, 1), (1, 2)])
def test_without_a_second_sample_in_both_arms_there_is_no_noise_floor(samples: tuple[int, int]) -> None:
    assert compared(probing(2, 2), drawn(0, samples[0]), drawn(1, samples[1])).noise == ()


def test_samples_that_are_all_alike_have_no_noise_and_no_interval_of_width_0() -> None:
    """For these conversations the difference is known; for others like these it is not."""
    base, tuned = ([said(at, letters[at], sample=sample) for at in range(4) for sample in range(2)] for letters in (
        ("pp", "pf", "pp", "ff"), ("pf", "ff", "pp", "pf"),
    ))  # fmt: skip
    (noise,) = compared(probing(4, 2), base, tuned).noise
    assert (noise.within, noise.these.low, noise.these.note) == (0, None, "every sample the same")
    assert noise.like_these.low is not None


# Lengths


def lengths(count: int, *, factor: int) -> list[Assessed]:
    return [held(f"c{at}", "a " * (at % 7 + 1) * factor) for at in range(count)]


@pytest.mark.parametrize("count", [30, 60])
def test_a_ratio_of_lengths_stands_in_its_interval(count: int) -> None:
    """Tuned's replies are twice as long, and four words longer in every third."""
    tuned = lengths(count, factor=2)
    tuned[::3] = [held(f"c{at}", "a " * (2 * (at % 7 + 1) + 4)) for at in range(0, count, 3)]
    (found,) = compared(suite(count, 1), lengths(count, factor=1), tuned).ratios
    ratio = found.ratio
    base = sum(at % 7 + 1 for at in range(count))
    assert (found.measure, ratio.n, ratio.missing) == ("words", count, 0)
    assert ratio.value == pytest.approx((2 * base + 4 * count / 3) / base)
    assert ratio.value is not None
    assert ratio.low is not None
    assert ratio.high is not None
    assert 2 < ratio.low < ratio.value < ratio.high


def test_a_ratio_says_how_many_are_missing_and_has_no_interval_where_it_has_no_spread() -> None:
    base, tuned = lengths(12, factor=1), [*lengths(10, factor=2), held("c10", LOST)]
    (found,) = compared(suite(12, 1), base, tuned).ratios
    assert (found.ratio.value, found.ratio.n, found.ratio.missing, found.ratio.low) == (2, 10, 2, None)
    assert found.ratio.note


def test_nothing_is_as_long_as_nothing() -> None:
    """A base that said nothing has no mean to divide by; a single conversation has no ratio at all."""
    silent = [held(f"c{at}", "") for at in range(6)]
    (found,) = compared(suite(6, 1), silent, lengths(6, factor=1)).ratios
    assert (found.ratio.value, found.ratio.n, found.ratio.note) == (None, 0, "the mean of base is 0")
    assert compared(suite(1, 1), lengths(1, factor=1), lengths(1, factor=1)).ratios == ()


def test_the_median_difference_of_lengths_is_not_moved_by_one_long_reply() -> None:
    base, tuned = lengths(40, factor=1), lengths(40, factor=1)
    tuned[0] = held("c0", "a " * 5000)
    (found,) = compared(suite(40, 1), base, tuned).medians
    assert (found.measure, found.estimate.value, found.estimate.n) == ("words", 0, 40)
