"""Which rows the tables of a ranking have, and what stands below them. Read it as the specification."""

from __future__ import annotations

import itertools

from multiturn.ranking import Between, Games, Group, Ranked, Ranking, RateRanking, Separated, Strength, StrengthRanking
from multiturn.report.ranking import ranking_tables
from multiturn.results import Estimate


def estimate(value: float | None, reach: float = 0.1, missing: int = 0) -> Estimate:
    if value is None:
        return Estimate(value=None, n=0, missing=12)
    return Estimate(value=value, low=value - reach, high=value + reach, n=12, missing=missing, level=0.98)


def between(first: str, second: str, gap: float) -> Between:
    return Between(first=first, second=second, difference=estimate(gap))


RATES = RateRanking(
    level=0.95,
    arms=(
        Ranked(arm="x:/models/good", rank=1, estimate=estimate(0.8, missing=2), told_apart_from=("x:/models/poor",)),
        Ranked(arm="x:/models/fair", rank=1, estimate=estimate(0.8, missing=2), told_apart_from=()),
        Ranked(
            arm="x:/models/poor",
            rank=3,
            estimate=estimate(0.25, missing=2),
            told_apart_from=("x:/models/good", "x:/models/fair"),
        ),
    ),
    pairs=(between("x:/models/good", "x:/models/poor", 0.55), between("x:/models/fair", "x:/models/poor", 0.05)),
)


def short(spec: str) -> str:
    return spec.rpartition("/")[2]


def test_rates_and_pairs() -> None:
    """Each arm with those it can be told apart from; a rank that is shared is shown twice."""
    rates, pairs = ranking_tables(Ranking(rates=RATES), short)
    assert rates.header == ("rank", "arm", "checks passed", "n", "told apart from")
    assert rates.rows == (
        ("1", "good", "80.0% [70.0, 90.0]", "12, 2 missing", "poor"),
        ("1", "fair", "80.0% [70.0, 90.0]", "12, 2 missing", "none"),
        ("3", "poor", "25.0% [15.0, 35.0]", "12, 2 missing", "all others"),
    )
    assert pairs.header == ("first", "second", "first - second", "told apart")
    assert pairs.rows == (
        ("good", "poor", "+55.0 pp [+45.0, +65.0]", "yes"),
        ("fair", "poor", "+5.0 pp [-5.0, +15.0]", "no"),
    )


def test_what_simultaneous_means_is_said_in_words() -> None:
    """Below the table, with the family's level and not the one that each interval has alone."""
    rates, pairs = ranking_tables(Ranking(rates=RATES))
    assert "in 95% of cases all of them hold the true value at once" in rates.footnote
    assert "98%" not in rates.footnote + pairs.footnote


def test_names_stay_whole_where_short_ones_are_the_same() -> None:
    """Two folders with one file name."""
    arms = tuple(Ranked(arm=f"{folder}/m", rank=1, estimate=estimate(0.5)) for folder in "ab")
    rates, _ = ranking_tables(Ranking(rates=RateRanking(level=0.95, arms=arms, pairs=())), short)
    assert [row[1] for row in rates.rows] == ["a/m", "b/m"]


def test_nothing_measured_has_no_number() -> None:
    """No rank, no value, and how many are missing."""
    arms = tuple(Ranked(arm=name, rank=None, estimate=estimate(None)) for name in "ab")
    empty = (Between(first="a", second="b", difference=estimate(None)),)
    rates, pairs = ranking_tables(Ranking(rates=RateRanking(level=0.95, arms=arms, pairs=empty)))
    assert rates.rows[0] == ("-", "a", "- (12 missing)", "0, 12 missing", "none")
    assert pairs.rows == (("a", "b", "- (12 missing)", "no"),)


def strength(arm: str, rank: int | None, value: float | None, games: Games) -> Strength:
    return Strength(
        arm=arm,
        rank=rank,
        games=games,
        strength=None if value is None else estimate(value),
        against_average=None if value is None else estimate(0.5, 0.05),
    )


def strengths(*arms: Strength, missing: int = 0, separated: tuple[Separated, ...] = ()) -> StrengthRanking:
    return StrengthRanking(
        level=0.98,
        arms=arms,
        groups=(Group(arms=("a", "b")), *(Group(arms=(one.over[0],)) for one in separated)),
        separated=separated,
        disconnected=(),
        conversations=12,
        draws=2000,
        games=30,
        missing=missing,
    )


def test_preferences() -> None:
    """Strength, how often the average arm would be beaten, and the games; a column for missing where some are."""
    arms = strength("a", 1, 0.5, Games(wins=6, losses=2, ties=1, missing=3)), strength("b", 2, -0.5, Games(losses=2))
    (table,) = ranking_tables(Ranking(strengths=strengths(*arms, missing=3)))
    assert table.header == ("rank", "arm", "strength", "vs average", "W-L-T", "games", "missing")
    assert table.rows == (
        ("1", "a", "+0.50 [+0.40, +0.60]", "50.0%", "6-2-1", "9", "3"),
        ("2", "b", "-0.50 [-0.60, -0.40]", "50.0%", "0-2-0", "2", "0"),
    )
    assert "0 is the average arm" in table.footnote
    assert "98% interval, from drawing the 12 conversations anew" in table.footnote
    (table,) = ranking_tables(Ranking(strengths=strengths(*arms)))
    assert table.header[-1] == "games"


def test_strengths_that_are_not_finite_are_no_numbers() -> None:
    """A dash, and below that the reason follows."""
    arms = strength("c", 1, None, Games(wins=9)), strength("a", 2, 0.0, Games(wins=1)), strength("b", 2, 0.0, Games())
    (table,) = ranking_tables(
        Ranking(strengths=strengths(*arms, separated=(Separated(over=("c",), under=("a", "b")),)))
    )
    assert table.rows[0] == ("1", "c", "-", "-", "9-0-0", "9")
    assert "-: no finite number; the lines below say why." in table.footnote
    assert "average of the arms that it can be compared with" in table.footnote
    (table,) = ranking_tables(Ranking(strengths=strengths(arms[0])))
    assert table.footnote.endswith("-: no finite number; the lines below say why.")
    assert "Strength" not in table.footnote


def test_rows_are_as_long_as_the_header() -> None:
    """In every table."""
    full = Ranking(rates=RATES, strengths=strengths(strength("a", 1, 0.0, Games()), missing=1))
    tables = ranking_tables(full)
    assert [table.title for table in tables] == [
        "Checks passed, best first",
        "Pairs of arms",
        "Preferences, best first",
    ]
    assert {len(row) - len(table.header) for table in tables for row in itertools.chain(table.rows)} == {0}
