"""From a paired difference to a word: each situation by hand, the laws that hold for all, and several together."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec
import pytest
from tests.comparing import decided, differing, pair

from multiturn.pairing import Pair
from multiturn.results import Orientation, Plan, Verdict, VerdictWord
from multiturn.verdicts import as_family, p_of, word_of

FALL: Final = (-0.3, -0.2, -0.3, -0.2)
"""Mean -0.25, standard deviation 0.0577, standard error 0.0289; t(3) is 3.182: 95 % is -0.342 to -0.158."""

SMALL: Final = (0.03, 0.05, 0.03, 0.05)
"""Mean 0.04, standard error 0.00577: 90 % (t = 2.353) is 0.026 to 0.054, 95 % is 0.022 to 0.058."""

MIXED: Final = (-0.3, -0.2, 0.1, 0.0)
"""Mean -0.1, squares 0.1, standard deviation 0.1826, standard error 0.0913: 95 % is -0.391 to 0.191."""


LONG: Final = pair(
    [3001 / 3, 3250 / 3, 3503 / 3, 3778 / 3, 3999 / 3], [third / 3 + 1 / 15 for third in (3001, 3250, 3503, 3778, 3999)]
)
"""Of these sums one is off by 1e-13, so that one difference is not quite the same: Student's p would be 1e-49."""


NONE_OF_12: Final = (
    "no change seen; at most about 24.6% of conversations like these would change; "
    "27 unchanged ones would be called equivalent"
)
"""(1 + 2.201) / 13 is 0.246; 27 is the first n with (1 + t) / (n + 1) below 0.1, t the 95 % quantile."""


class Situation(NamedTuple):
    """A pair, what it is held against, and what is to be said."""

    name: str
    of: Pair
    word: VerdictWord
    margin: float | None = 0.1
    orientation: Orientation = "higher_is_better"
    extreme: float | None = None
    level: float = 0.95


SITUATIONS: Final = (
    Situation("a fall", differing(*FALL), "regressed"),
    Situation("a rise", differing(*(-one for one in FALL)), "improved"),
    Situation("a fall where lower is better", differing(*FALL), "improved", orientation="lower_is_better"),
    Situation(
        "a rise where lower is better", differing(*(-one for one in FALL)), "regressed", orientation="lower_is_better"
    ),
    Situation("a fall where neither is better", differing(*FALL), "changed", orientation="neither"),
    Situation("a fall inside the margin", differing(*FALL), "equivalent", margin=0.4),
    Situation("a fall that reaches the margin: 90 % is -0.318 to -0.182", differing(*FALL), "regressed", margin=0.317),
    Situation("a real but small difference", differing(*SMALL), "equivalent"),
    Situation("the same beside a smaller margin", differing(*SMALL), "improved", margin=0.05),
    Situation("the same without a margin", differing(*SMALL), "improved", margin=None),
    Situation("an interval across 0", differing(*MIXED), "inconclusive"),
    Situation("an interval across 0 inside the margin: 90 % is -0.315 to 0.115", differing(*MIXED), "equivalent", 0.32),
    Situation("nothing", pair([], []), "inconclusive"),
    Situation("one conversation, however far it fell", pair([1], [0]), "inconclusive", extreme=1.0),
    Situation("one conversation, equal", pair([1], [1]), "inconclusive", extreme=1.0),
    Situation("all 0 in 26: (1 + 1.708) / 27 is more than 0.1", differing(*[0] * 26), "inconclusive", extreme=1.0),
    Situation("all 0 in 27: (1 + 1.706) / 28 is less", differing(*[0] * 27), "equivalent", extreme=1.0),
    Situation("all 0 and no bound", differing(*[0] * 50), "inconclusive"),
    Situation("all 0 but for rounding, and no bound", pair([0.3] * 6, [0.1 + 0.2] * 6), "inconclusive"),
    Situation("all 0 but for rounding", pair([0.3] * 27, [0.1 + 0.2] * 27), "equivalent", extreme=1.0),
    Situation("5 that all fell alike: p = 2/32", differing(*[-0.5] * 5), "inconclusive", extreme=1.0),
    Situation("6 that all fell alike: p = 2/64", differing(*[-0.5] * 6), "regressed", extreme=1.0),
    Situation("6 that all fell alike, at 97.5 %", differing(*[-0.5] * 6), "inconclusive", level=0.975),
    Situation("7 that all fell alike, at 97.5 %: p = 2/128", differing(*[-0.5] * 7), "regressed", level=0.975),
    Situation("6 equal but for rounding", pair([0.2, 0.1, 0.7] * 2, [0.3, 0.2, 0.8] * 2), "improved"),
    Situation("5 of about 1,200 words, a fifteenth longer each but for rounding", LONG, "inconclusive"),
    Situation(
        "48 replies, each a word longer: so all changed, and nothing bounds another", differing(*[1] * 48, base=36),
        "changed", margin=9, orientation="neither",
    ),
    Situation("40 shares, each a point lower", differing(*[-0.01] * 40), "equivalent", extreme=1.0),
    Situation("20 shares, each a point lower: one more may be lost", differing(*[-0.01] * 20), "regressed", extreme=1.0),
    Situation(
        "hardly any difference in 4 says little of those not drawn", differing(0.01, -0.01, 0.01, -0.01),
        "inconclusive", extreme=1.0,
    ),
    Situation("the same where a conversation has no bound", differing(0.01, -0.01, 0.01, -0.01), "equivalent"),
    Situation("4 of 20 fell: t = 2.179, p = 0.042", differing(*[-1] * 4, *[0] * 16, base=1), "regressed", extreme=1.0),
    Situation(
        "the same at 97.5 %", differing(*[-1] * 4, *[0] * 16, base=1), "inconclusive", extreme=1.0, level=0.975
    ),
)  # fmt: skip


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda one: one.name)
def test_each_situation_has_its_word(situation: Situation) -> None:
    _, of, word, margin, orientation, extreme, level = situation
    assert word_of(of, margin=margin, orientation=orientation, extreme=extreme, level=level) == word


# The verdict and its advice


def test_a_verdict_carries_what_it_rests_on() -> None:
    """Standard error 0.0913, t = 1.095 with 3 degrees of freedom; detectable (3.182 + 0.978) x 0.0913."""
    found = decided("check_pass", differing(*MIXED))
    assert (found.measure, found.role, found.word, found.margin) == ("check_pass", "primary", "inconclusive", 0.1)
    assert found.p == pytest.approx(0.3534, abs=5e-5)
    assert found.error == pytest.approx(0.0912871)
    assert found.detectable == pytest.approx(0.37984, abs=5e-5)
    assert (found.adjusted_p, found.exact_p, found.filled, found.depends_on_missing) == (None, None, None, False)


def test_what_would_settle_it_is_said() -> None:
    """(t1 + t2)^2 x (0.1826 / 0.1)^2 conversations: 28.1 where t is normal, 29 with Student's quantiles."""
    assert decided("check_pass", differing(*MIXED)).advice == (
        "this comparison finds a true difference of 38.0 pp in 80 of 100 cases; "
        "about 29 conversations like these would find one of 10.0 pp"
    )


def test_where_the_margin_is_already_within_reach_only_more_conversations_tell() -> None:
    found = decided("check_pass", differing(*MIXED), Plan(margins={"check_pass": 0.3}))
    assert found.advice.startswith("this comparison finds a true difference of 38.0 pp")
    near = decided("check_pass", differing(-0.1, -0.14, 0.02, 0, -0.16, -0.02, 0.02, -0.02))
    assert near.word == "inconclusive"
    assert near.detectable is not None
    assert near.detectable < 0.1
    assert near.advice.endswith("less than the margin of 10.0 pp: only more conversations can tell")


def test_a_margin_too_small_for_any_number_of_conversations_is_no_fault() -> None:
    found = decided("check_pass", differing(*MIXED), Plan(margins={"check_pass": 1e-12}))
    assert found.advice == "this comparison finds a true difference of 38.0 pp in 80 of 100 cases"


@pytest.mark.parametrize(
    ("measure", "of", "word", "p", "advice"),
    [
        ("check_pass", pair([], []), "inconclusive", None, "nothing measured"),
        ("check_pass", pair([1], [0]), "inconclusive", None, "one conversation says nothing of others"),
        (
            "check_pass",
            differing(*[0] * 12),
            "inconclusive",
            1.0,
            NONE_OF_12,
        ),
        (
            "words",
            pair([7, 9, 8, 8, 9, 7], [7, 9, 8, 8, 9, 7]),
            "inconclusive",
            1.0,
            "no change seen; how much one that was not held would change can't be told",
        ),
        (
            "check_pass",
            differing(*[-0.5] * 5),
            "inconclusive",
            0.0625,
            "all 5 differences are equal: exact sign-flip test, p = 0.062; no interval",
        ),
        (
            "check_pass",
            differing(*[-0.5] * 6),
            "regressed",
            0.03125,
            "all 6 differences are equal: exact sign-flip test, p = 0.031; no interval",
        ),
        ("words", differing(*SMALL, base=1.0), "equivalent", 0.0062, "a real but small difference"),
        ("check_pass", differing(*FALL), "regressed", 0.0032, ""),
    ],
    ids=["nothing", "one", "all 0", "all 0 unbounded", "5 equal", "6 equal", "small", "plain"],
)
def test_the_defined_corners(measure: str, of: Pair, word: VerdictWord, p: float | None, advice: str) -> None:
    """None has an interval of width 0; what is detectable is said from the spread, or for changes altogether."""
    found = decided(measure, of)
    assert (found.word, found.advice) == (word, advice)
    assert found.p == (None if p is None else pytest.approx(p, abs=5e-5))
    ends = found.contrast.difference.low, found.contrast.difference.high
    assert ends == (None, None) or (ends[0] is not None and ends[1] is not None and ends[0] < ends[1])
    spreads = advice in ("", "a real but small difference")
    assert (found.error is not None) == spreads
    assert (found.detectable is not None) == (spreads or (measure == "check_pass" and found.p == 1))


def test_the_margin_of_a_length_is_a_share_of_bases_mean() -> None:
    """Of 100 words; +20 with 90 % from 17.3 to 22.7 is inside 25 words, and not inside 20."""
    longer = differing(18, 22, 18, 22, base=100)
    wide, narrow = decided("words", longer), decided("words", longer, Plan(margins={"words": 0.2}))
    assert (wide.word, wide.margin) == ("equivalent", 25)
    assert (narrow.word, narrow.margin) == ("changed", 20)
    assert decided("words", differing(18, 22, 18, 22, base=0)).margin is None, "a share of nothing"
    assert decided("words", pair([], [])).margin is None


def test_a_plan_names_margin_and_level() -> None:
    """Its level is that of the interval and of what is detectable. With one more that fell by 1, 90 % is to -0.757."""
    assert decided("check_pass", differing(*FALL), Plan(margins={"check_pass": 0.76})).word == "equivalent"
    assert decided("check_pass", differing(*FALL), Plan(margins={"check_pass": 0.75})).word == "regressed"
    assert decided("check_pass", differing(*FALL), Plan(margins={"turn_pass": 0.76})).word == "regressed"
    of = differing(*[-1] * 4, *[0] * 16, base=1)
    once, twice = decided("check_pass", of), decided("check_pass", of, Plan(level=0.975))
    assert (once.word, twice.word) == ("regressed", "inconclusive")
    assert once.detectable is not None
    assert twice.detectable is not None
    assert twice.detectable > once.detectable


def test_mcnemars_test_is_made_where_each_conversation_has_one_verdict() -> None:
    """Six of ten pass with base only: 2/64. Not with several samples, halves, or what is no flag."""
    of = pair([1] * 8 + [0] * 2, [0] * 6 + [1] * 2 + [0] * 2)
    found = decided("refusal", of)
    assert (found.word, found.exact_p, found.advice) == ("improved", 0.03125, "")
    assert decided("refusal", of, samples=2).exact_p is None
    assert decided("words", of).exact_p is None, "replies of no or one word are counted, not judged"
    assert decided("refusal", pair([*of.base, 0.5], [*of.tuned, 0.5])).exact_p is None
    assert decided("refusal", pair([], [])).exact_p is None
    assert decided("refusal", pair([0, 1], [0, 1])).exact_p == 1


def test_mcnemars_test_is_told_where_it_says_otherwise() -> None:
    """5 of 20 fell: t = 2.517, p = 0.021; 5 pairs that differ, all in one direction: 2/32."""
    found = decided("check_pass", differing(*[-1] * 5, *[0] * 15, base=1))
    assert (found.word, found.exact_p) == ("regressed", 0.0625)
    assert found.advice == (
        "a test that only counts how many conversations changed each way (McNemar's exact one) disagrees: p = 0.062"
    )


# What is missing


def test_a_verdict_that_missing_data_would_change_says_so() -> None:
    """The first of the filled pairs is the lowest difference that could be."""
    low, high = differing(*FALL, -0.4, -0.3), differing(*FALL, 1, 0.9, base=0)
    found = decided("check_pass", differing(*FALL), filled=(low, high))
    assert (found.word, found.filled, found.depends_on_missing) == ("regressed", ("regressed", "inconclusive"), True)
    assert found.filled_p == (p_of(low), p_of(high))
    assert found.advice == (
        "depends on missing data: regressed if all that is missing had gone against tuned, inconclusive if in its "
        "favour (-25.0 pp as it stands)"
    )


def test_one_that_it_would_not_change_does_not() -> None:
    ends = differing(*FALL, -0.4), differing(*FALL, -0.1)
    found = decided("check_pass", differing(*FALL), filled=ends)
    assert (found.filled, found.depends_on_missing, found.advice) == (("regressed", "regressed"), False, "")


def test_the_worst_for_tuned_comes_first_whichever_direction_is_better() -> None:
    """More refusals are worse, so what lowers the difference is in tuned's favour."""
    low, high = differing(*FALL, -0.3), differing(*FALL, 1, base=0)
    found = decided("refusal", differing(*FALL), filled=(low, high))
    assert (found.word, found.filled) == ("improved", ("inconclusive", "improved"))
    assert "inconclusive if all that is missing had gone against tuned, improved if in its favour" in found.advice
    words = decided("words", differing(*FALL, base=1), Plan(margins={"words": 0.01}), filled=(low, high))
    assert words.filled == ("changed", "inconclusive")
    assert "changed if all that is missing had taken tuned down as far as can be, inconclusive if up" in words.advice


def test_with_nothing_measured_all_depends_on_what_is_missing() -> None:
    ends = pair([1] * 6, [0] * 6), pair([0] * 6, [1] * 6)
    found = decided("check_pass", pair([], [], missing=6), filled=ends)
    assert (found.word, found.filled, found.depends_on_missing) == ("inconclusive", ("regressed", "improved"), True)
    assert found.advice.startswith("nothing measured; depends on missing data: regressed if")


# Several together


def moved(p: float | None, word: VerdictWord = "regressed", **more: Any) -> Verdict:  # noqa: ANN401 - fields of Verdict
    """A verdict that rests on this p value."""
    of = differing(*MIXED)
    made = decided("check_pass", of, role="secondary")
    return msgspec.structs.replace(made, word=word, p=p, advice="", **more)


def test_what_moved_must_stand_among_the_whole_family() -> None:
    """Holm by hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, and 0.04 that is not below the one before."""
    found = as_family([moved(0.01), moved(0.04), moved(0.03, "improved"), moved(0.005, "changed")], 0.95)
    assert [one.adjusted_p for one in found] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [one.word for one in found] == ["regressed", "inconclusive", "inconclusive", "changed"]
    assert [one.p for one in found] == [0.01, 0.04, 0.03, 0.005], "the p value itself stays"
    assert found[2].advice.startswith(
        "by itself it would be improved (p = 0.030), but it is one of 4 that are judged together: the more there are, "
        "the sooner one comes out so by chance; this comparison finds"
    )
    assert "by itself" not in found[0].advice


def test_a_family_of_one_is_not_adjusted_and_none_is_none() -> None:
    (one,) = as_family([moved(0.04)], 0.95)
    assert (one.word, one.adjusted_p) == ("regressed", 0.04)
    assert as_family([], 0.95) == ()


def test_where_there_was_no_test_nothing_is_counted() -> None:
    """One conversation, or none: its word is inconclusive already, and the others have a smaller family."""
    found = as_family([moved(None, "inconclusive"), moved(0.03), moved(0.5, "inconclusive")], 0.95)
    assert [one.adjusted_p for one in found] == [None, 0.06, 0.5]
    assert found[1].word == "inconclusive"
    assert "one of 2 that are" in found[1].advice
    assert as_family([moved(None)], 0.95)[0].word == "inconclusive", "nothing stands on no test"


def test_the_level_of_the_plan_holds_for_the_family() -> None:
    assert as_family([moved(0.03)], 0.95)[0].word == "regressed"
    assert as_family([moved(0.03)], 0.975)[0].word == "inconclusive"


def test_equivalence_needs_no_adjustment_but_a_small_difference_that_is_called_real_does() -> None:
    small = decided("words", differing(*SMALL, base=1.0), role="secondary")
    assert [one.word for one in as_family([small] * 9, 0.95)] == ["equivalent"] * 9
    assert as_family([small], 0.95)[0].advice == "a real but small difference"
    assert as_family([small] * 9, 0.95)[0].advice == "", "9 x 0.0062 is above 0.05"


def test_equal_differences_that_do_not_stand_are_still_called_equal() -> None:
    found = as_family([decided("refusal", differing(*[-0.5] * 6), role="secondary")] * 2, 0.95)[0]
    assert found.word == "inconclusive"
    assert found.advice == (
        "by itself it would be improved (p = 0.031), but it is one of 2 that are judged together: the more there are, "
        "the sooner one comes out so by chance; all 6 differences are equal: exact sign-flip test, p = 0.031; no interval"
    )


@pytest.mark.parametrize(
    ("one", "word", "filled"),
    [
        (moved(0.03, filled=("regressed",) * 2, filled_p=(0.03, 0.04)), "inconclusive", ("inconclusive",) * 2),
        (
            moved(0.03, filled=("regressed", "inconclusive"), filled_p=(0.001, 0.4)),
            "inconclusive",
            ("regressed", "inconclusive"),
        ),
        (moved(0.02, filled=("regressed",) * 2, filled_p=(0.001, 0.03)), "regressed", ("regressed", "inconclusive")),
        (
            moved(0.2, "inconclusive", filled=("regressed", "inconclusive"), filled_p=(0.04, 0.6)),
            "inconclusive",
            ("inconclusive",) * 2,
        ),
        (
            moved(0.02, filled=("inconclusive", "regressed"), filled_p=(None, 0.001)),
            "regressed",
            ("inconclusive", "regressed"),
        ),
    ],
    ids=["neither stands", "the worst would stand", "the best would not", "alone it would", "no test of the worst"],
)
def test_the_filled_words_are_held_to_the_family_too(
    one: Verdict, word: VerdictWord, filled: tuple[VerdictWord, VerdictWord]
) -> None:
    """Beside one more measure, so every p value counts twice."""
    found = as_family([one, moved(0.9, "inconclusive")], 0.95)[0]
    assert (found.word, found.filled) == (word, filled)
    assert found.depends_on_missing == (set(filled) != {word})
    assert ("depends on missing data" in found.advice) == found.depends_on_missing


def test_a_filling_fills_the_whole_family() -> None:
    """0.03 stands beside 0.01, which counts twice: 0.02. Beside 0.9 it counts twice itself: 0.06."""
    (other, steady) = (
        moved(0.9, "inconclusive", filled=("regressed", "inconclusive"), filled_p=(0.01, 0.9)),
        moved(0.9, "inconclusive", filled=("regressed", "inconclusive"), filled_p=(0.03, 0.9)),
    )
    assert as_family([steady, other], 0.95)[0].filled == ("regressed", "inconclusive")
    assert as_family([steady, moved(0.9, "inconclusive")], 0.95)[0].filled == ("inconclusive", "inconclusive")
