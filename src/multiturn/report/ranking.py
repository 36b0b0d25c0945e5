"""The tables of a ranking: pass rates, pairs of arms, strengths by preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.numbers import ABSENT, difference_alone, estimate_alone, level, number
from multiturn.report.tables import Table, rests_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from multiturn.ranking import Games, Ranked, Ranking, RateRanking, StrengthRanking

    Naming = Callable[[str], str]

ALL: Final = "all others"
NONE: Final = "none"


def ranking_tables(ranking: Ranking, naming: Naming = str) -> list[Table]:
    """Every table of a ranking, in reading order.

    Args:
        ranking: what to show.
        naming: gives an arm a shorter name; not used where two arms would have the same.
    """
    tables: list[Table] = []
    if ranking.rates is not None:
        names = _names((one.arm for one in ranking.rates.arms), naming)
        tables += [rates(ranking.rates, names), pairs(ranking.rates, names)]
    if ranking.strengths is not None:
        names = _names((one.arm for one in ranking.strengths.arms), naming)
        tables.append(strengths(ranking.strengths, names))
    return tables


def rates(ranking: RateRanking, names: Mapping[str, str]) -> Table:
    """Arms by the share of checks that they pass, each with those that it can be told apart from."""
    together = number(ranking.level, "share").replace(".0%", "%")
    return Table(
        title="Checks passed, best first",
        header=("rank", "arm", "checks passed", "n", "told apart from"),
        rows=tuple(
            (
                number(one.rank, "count"),
                names[one.arm],
                estimate_alone(one.estimate, "share"),
                rests_on(one.estimate),
                _apart(one, names),
            )
            for one in ranking.arms
        ),
        footnote=(
            "n: conversations that every arm has. [low, high] is simultaneous: the ranges are made so wide that in "
            f"{together} of cases all of them hold the true value at once, however many arms there are. Told apart: "
            "the difference is more than chance explains (the table of pairs); other arms may be equally good, "
            "whatever their ranks."
        ),
        words=(1, 4),
    )


def pairs(ranking: RateRanking, names: Mapping[str, str]) -> Table:
    """Every two arms: how far the first is ahead of the second."""
    together = number(ranking.level, "share").replace(".0%", "%")
    return Table(
        title="Pairs of arms",
        header=("first", "second", "first - second", "told apart"),
        rows=tuple(
            (
                names[one.first],
                names[one.second],
                difference_alone(one.difference, "share"),
                "yes" if one.told_apart else "no",
            )
            for one in ranking.pairs
        ),
        footnote=(
            "Each conversation is compared with itself. The ranges of all pairs hold at once in "
            f"{together} of cases; one that holds 0 leaves open which arm is better."
        ),
        words=(0, 1),
    )


def strengths(ranking: StrengthRanking, names: Mapping[str, str]) -> Table:
    """Arms by preferences, with what each won and lost; what is missing has a column where something is."""
    lost = ("missing",) if ranking.missing else ()
    return Table(
        title="Preferences, best first",
        header=("rank", "arm", "strength", "vs average", "W-L-T", "games", *lost),
        rows=tuple(
            (
                number(one.rank, "count"),
                names[one.arm],
                ABSENT if one.strength is None else difference_alone(one.strength, "score"),
                ABSENT if one.against_average is None else number(one.against_average.value, "share"),
                _record(one.games),
                number(one.games.known, "count"),
                *(number(one.games.missing, "count") for _ in lost),
            )
            for one in ranking.arms
        ),
        footnote=_strength_footnote(ranking),
        words=(1,),
    )


def _strength_footnote(ranking: StrengthRanking) -> str:
    shown = [one.strength for one in ranking.arms if one.strength is not None]
    games = "W-L-T: games won, lost, tied; a tie is half a win."
    if not shown:
        return f"{games} -: no finite number; the lines below say why."
    (interval,) = {level(one) for one in shown}
    drawn = number(ranking.conversations, "count")
    average = "average arm" if len(ranking.groups) == 1 else "average of the arms that it can be compared with"
    some = " -: no finite number; the lines below say why." if len(shown) < len(ranking.arms) else ""
    return (
        f"Strength: 0 is the {average}; an arm that is stronger by 0.7 wins about 2 to 1, by 1.1 about 3 to 1. "
        "vs average: how often it would be preferred to the average one. [low, high]: "
        f"{interval} interval, from drawing the {drawn} conversations anew, each with all its votes. {games}{some}"
    )


def _names(arms: Iterable[str], naming: Naming) -> dict[str, str]:
    """Short names where they stay different, else whole ones."""
    names = {arm: naming(arm) for arm in arms}
    return names if len(set(names.values())) == len(names) else {arm: arm for arm in names}


def _apart(one: Ranked, names: Mapping[str, str]) -> str:
    if not one.told_apart_from:
        return NONE
    if len(one.told_apart_from) == len(names) - 1:
        return ALL
    return ", ".join(names[other] for other in one.told_apart_from)


def _record(games: Games) -> str:
    return "-".join(number(count, "count") for count in (games.wins, games.losses, games.ties))
