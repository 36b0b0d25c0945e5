"""What is said of a whole comparison or ranking goes as far as its verdict, and no further."""

from __future__ import annotations

import pytest
from tests.report.page.pictured import comparison, contrast, estimate, verdict

from multiturn.ranking import Games, Group, Ranked, RateRanking, Strength, StrengthRanking
from multiturn.report.page.headlines import (
    difference_alternative,
    difference_title,
    measures_title,
    rates_alternative,
    rates_title,
    strengths_alternative,
    strengths_title,
)
from multiturn.results import Contrast

CHECKS = contrast(("all", ""), 0.162, 0.057, (-0.347, -0.015))
REFUSALS = contrast(("all", ""), 0.02, 0.35, (0.2, 0.5), measure="refusal_unexpected", orientation="lower_is_better")
MISSING = contrast(("all", ""), 0.3, 0.2, (-0.3, 0.1), measure="refusal_missing", orientation="lower_is_better")


def titled(word: str, found: Contrast, *, same_model: bool = False, **more: object) -> str:
    said = verdict(word, found, **more)
    return difference_title(comparison(found, verdicts=(said,), same_model=same_model), said)


@pytest.mark.parametrize(
    ("word", "found", "title"),
    [
        (
            "regressed",
            CHECKS,
            "Tuned passes fewer checks than base, by 10.5 points, most likely by 1.5 to 34.7 points",
        ),
        ("improved", contrast(("all", ""), 0.5, 0.75), "Tuned passes more checks than base, by 25.0 points"),
        (
            "regressed",
            contrast(("all", ""), 0.5, 0.25, (-0.4, 0.0)),
            "Tuned passes fewer checks than base, by 25.0 points",
        ),
        (
            "inconclusive",
            contrast(("all", ""), 0.5, 0.25, (-0.6, 0.1)),
            "Whether tuned and base differ in checks passed can't be told yet",
        ),
        (
            "equivalent",
            contrast(("all", ""), 0.5, 0.51, (-0.02, 0.04)),
            "Tuned and base are about equal in checks passed: less than 10.0 points apart",
        ),
        (
            "regressed",
            REFUSALS,
            "Tuned wrongly refuses more often than base, by 33.0 points, most likely by 20.0 to 50.0 points",
        ),
    ],
)
def test_the_word_of_the_verdict_is_kept(word: str, found: Contrast, title: str) -> None:
    """The range is told where it leaves out 0."""
    assert titled(word, found, margin=0.1) == title


def test_equal_without_a_margin() -> None:
    assert titled("equivalent", CHECKS) == "Tuned and base are about equal in checks passed"


def test_doubts_are_said() -> None:
    """Data that is missing could change the word; two runs of one model differ by chance."""
    assert titled("regressed", CHECKS, filled=("inconclusive",)).endswith("points (depends on missing data)")
    assert titled("regressed", CHECKS, same_model=True) == (
        "The second run passes fewer checks than the first, by 10.5 points, most likely by 1.5 to 34.7 points; "
        "both are one model, so that is chance"
    )
    assert titled("inconclusive", CHECKS, same_model=True).startswith("Whether the second run and the first differ")


def test_the_alternative_of_a_difference() -> None:
    said = verdict("regressed", CHECKS, margin=0.1)
    assert difference_alternative(said, "tuned worse", "tuned better") == (
        "Checks passed, tuned - base: -10.5 pp [-34.7, -1.5] n=12. Below 0 is tuned worse, above 0 tuned better. "
        "The margin is 10.0 points to either side of 0."
    )


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("regressed", "inconclusive"), "Tuned wrongly refuses more often than base: 35.0% against 2.0%"),
        (
            ("regressed", "improved"),
            (
                "Tuned wrongly refuses more often than base: 35.0% against 2.0%; "
                "tuned less often fails to refuse than base: 20.0% against 30.0%"
            ),
        ),
        (("inconclusive", "inconclusive"), "Unexpected refusals: tuned 35.0%, base 2.0%, which may be chance"),
        (("equivalent", "inconclusive"), "Unexpected refusals: tuned 35.0%, base 2.0%: about equal"),
        ((), "Unexpected refusals: tuned 35.0%, base 2.0%, which may be chance"),
    ],
)
def test_of_several_measures_those_that_moved_are_told(words: tuple[str, ...], title: str) -> None:
    """Where none did, the first one is; without a verdict nothing is claimed."""
    verdicts = tuple(verdict(word, one) for word, one in zip(words, (REFUSALS, MISSING), strict=False))
    found = comparison(REFUSALS, MISSING, verdicts=verdicts)
    assert measures_title(found, ["refusal_unexpected", "refusal_missing", "refusal"]) == title


def test_a_measure_that_is_the_same_in_both_or_of_one_model_or_depends_on_what_is_missing() -> None:
    even = contrast(("all", ""), 0.2, 0.2, measure="refusal")
    assert measures_title(comparison(even), ["refusal"]) == "Refusals: tuned 20.0%, base 20.0%"
    assert measures_title(comparison(even, same_model=True), ["refusal"]) == (
        "Refusals: the second run 20.0%, the first 20.0%"
    )
    same = comparison(REFUSALS, same_model=True, verdicts=(verdict("regressed", REFUSALS),))
    assert measures_title(same, ["refusal_unexpected"]) == (
        "Unexpected refusals: the second run 35.0%, the first 2.0%; both are one model, so that is chance"
    )
    doubtful = comparison(REFUSALS, verdicts=(verdict("regressed", REFUSALS, filled=("inconclusive",)),))
    assert measures_title(doubtful, ["refusal_unexpected"]).endswith("base 2.0% (depends on missing data)")


def ranked(*found: tuple[str, float | None, int | None, tuple[str, ...]]) -> RateRanking:
    arms = [
        Ranked(arm=name, estimate=estimate(value), rank=rank, told_apart_from=apart)
        for name, value, rank, apart in found
    ]
    return RateRanking(level=0.95, arms=tuple(arms), pairs=())


@pytest.mark.parametrize(
    ("ranking", "title"),
    [
        (
            ranked(("a", 0.8, 1, ("b", "c")), ("b", 0.5, 2, ("a",)), ("c", 0.4, 3, ("a",))),
            "a passes more checks than every other: 80.0%",
        ),
        (
            ranked(("a", 0.8, 1, ("c",)), ("b", 0.5, 2, ()), ("c", 0.4, 3, ("a",))),
            "a passes the most checks (80.0%): certainly more than c, perhaps not more than b",
        ),
        (
            ranked(("a", 0.8, 1, ()), ("b", 0.5, 2, ("c",)), ("c", 0.4, 3, ("b",))),
            "a passes the most checks (80.0%), but can't be told apart from any other",
        ),
        (
            ranked(("a", 0.8, 1, ()), ("b", 0.5, 2, ())),
            "a passes the most checks (80.0%), but can't be told apart from b",
        ),
        (ranked(("a", 0.8, 1, ("b",)), ("b", 0.5, 2, ("a",))), "a passes more checks than b: 80.0%"),
        (ranked(("a", 0.8, 1, ()), ("b", 0.8, 1, ())), "a and b pass 80.0% of checks each"),
        (ranked(("a", 0.8, 1, ()), ("b", None, None, ())), "a passes 80.0% of checks"),
        (ranked(("a", None, None, ())), "Nothing could be measured in a conversation that all models have"),
    ],
)
def test_who_is_ahead_is_said_as_far_as_arms_are_told_apart(ranking: RateRanking, title: str) -> None:
    assert rates_title(ranking, str) == title


def test_the_alternative_of_a_ranking_has_every_arm() -> None:
    ranking = ranked(("a", 0.8, 1, ()), ("b", None, None, ()))
    assert rates_alternative(ranking, str) == "Checks passed, best first: a 80.0%; b - (3 missing)."


def strengths(*found: tuple[str, Games, tuple[float, float] | None]) -> StrengthRanking:
    arms = [
        Strength(
            arm=name,
            rank=at,
            games=games,
            strength=None if ends is None else estimate(sum(ends) / 2, ends),
            against_average=None if ends is None else estimate(0.5),
        )
        for at, (name, games, ends) in enumerate(found, start=1)
    ]
    names = tuple(one.arm for one in arms)
    return StrengthRanking(
        level=0.95,
        arms=tuple(arms),
        groups=(Group(arms=names),),
        separated=(),
        disconnected=(),
        conversations=9,
        draws=100,
        games=20,
        missing=0,
    )


@pytest.mark.parametrize(
    ("second", "doubt"),
    [((-1.0, 0.4), ""), ((-1.0, 0.5), "; who is first may be chance"), (None, "; who is first may be chance")],
)
def test_the_most_preferred_is_first_by_chance_where_ranges_meet(
    second: tuple[float, float] | None, doubt: str
) -> None:
    ranking = strengths(
        ("a", Games(wins=12, ties=2, losses=1), (0.5, 1.5)), ("b", Games(wins=1, losses=12, ties=2), second)
    )
    assert strengths_title(ranking, str) == f"a won 12 of 15 votes and tied 2, the most{doubt}"


def test_the_alternative_of_votes() -> None:
    ranking = strengths(("a", Games(wins=1), None))
    assert strengths_alternative(ranking.arms, str) == "Votes by model, best first: a 1 won, 0 tied, 0 lost."
