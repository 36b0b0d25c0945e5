"""What charts of a whole comparison show, each in a sentence: as far as its verdict says so, and no further. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.conclusion import does
from multiturn.report.numbers import (
    arms_of,
    counted,
    difference,
    estimate_alone,
    label_of,
    number,
    size,
    unit_of,
)
from multiturn.report.page.findings import listed
from multiturn.results import MOVED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from multiturn.ranking import Ranked, RateRanking, Strength, StrengthRanking
    from multiturn.results import Comparison, Contrast, Verdict

    Naming = Callable[[str], str]

CHANCE: Final = "which may be chance"
ONE_MODEL: Final = "both are one model, so that is chance"


def _names(comparison: Comparison) -> tuple[str, str]:
    return ("The second run", "the first") if comparison.same_model else ("Tuned", "base")


def difference_title(comparison: Comparison, verdict: Verdict) -> str:
    """What the difference between two arms comes to."""
    tuned, base = _names(comparison)
    paired, label, unit = verdict.contrast.difference, label_of(verdict.measure), unit_of(verdict.measure)
    value = paired.value or 0.0
    if verdict.word in MOVED:
        said = f"{tuned} {does(verdict.measure, value)} {base}, by {size(value, unit)}"
        if paired.low is not None and paired.high is not None and paired.low * paired.high > 0:
            near, far = sorted((abs(paired.low), abs(paired.high)))
            said += f", most likely by {size(near, unit, named=False)} to {size(far, unit)}"
    elif verdict.word == "equivalent":
        near_by = "" if verdict.margin is None else f": less than {size(verdict.margin, unit)} apart"
        said = f"{tuned} and {base} are about equal in {label}{near_by}"
    else:
        said = f"Whether {tuned.lower()} and {base} differ in {label} can't be told yet"
    if comparison.same_model:
        return f"{said}; {ONE_MODEL}" if verdict.word in MOVED else said
    return f"{said} (depends on missing data)" if verdict.depends_on_missing else said


def difference_alternative(verdict: Verdict, left: str, right: str) -> str:
    """What is drawn of a difference, with the numbers."""
    unit = unit_of(verdict.measure)
    margin = "" if verdict.margin is None else f" The margin is {size(verdict.margin, unit)} to either side of 0."
    return (
        f"{label_of(verdict.measure).capitalize()}, tuned - base: {difference(verdict.contrast.difference, unit)}. "
        f"Below 0 is {left}, above 0 {right}.{margin}"
    )


def measures_title(comparison: Comparison, measures: Sequence[str]) -> str:
    """What some measures come to over all turns: those that moved; where none did, the first one."""
    overall = {one.measure: one for one in comparison.contrasts if one.group[0] == "all"}
    verdicts = {one.measure: one for one in comparison.verdicts}
    known = [one for one in measures if one in overall]
    moved = [one for one in known if one in verdicts and verdicts[one].word in MOVED]
    text = "; ".join(_told(comparison, overall[one], verdicts.get(one)) for one in moved or known[:1])
    return f"{text[:1].upper()}{text[1:]}"


def _told(comparison: Comparison, contrast: Contrast, verdict: Verdict | None) -> str:
    tuned, base = _names(comparison)
    label, value = label_of(contrast.measure), contrast.difference.value
    arms = arms_of(contrast)[::-1]
    word = verdict.word if verdict is not None else "inconclusive"
    plain = f"{label}: {tuned.lower()} {arms[0]}, {base} {arms[1]}"
    if comparison.same_model:
        return f"{plain}; {ONE_MODEL}" if value else plain
    if verdict is not None and verdict.depends_on_missing:
        return f"{plain} (depends on missing data)"
    if word == "equivalent":
        return f"{plain}: about equal"
    if word in MOVED and value:
        return f"{tuned.lower()} {does(contrast.measure, value)} {base}: {arms[0]} against {arms[1]}"
    return f"{plain}, {CHANCE}" if value else plain


def rates_title(ranking: RateRanking, naming: Naming) -> str:
    """Who passes the most checks, and from whom that can be told apart."""
    known = [one for one in ranking.arms if one.estimate.value is not None]
    best = [one for one in known if one.rank == 1]
    if not best:
        return "Nothing could be measured in a conversation that all models have"
    others = [one for one in known if one.rank != 1]
    names = listed([naming(one.arm) for one in best])
    passes = f"{names} {'pass' if len(best) > 1 else 'passes'}"
    rate = number(best[0].estimate.value, "share")
    if not others:
        return f"{passes} {rate} of checks each" if len(best) > 1 else f"{passes} {rate} of checks"
    told = [one for one in others if all(_apart(one, first) for first in best)]
    if len(told) == len(others):
        return f"{passes} more checks than {'every other' if len(others) > 1 else naming(others[0].arm)}: {rate}"
    if not told:
        return f"{passes} the most checks ({rate}), but can't be told apart from {_any(others, naming)}"
    rest = [one for one in others if one not in told]
    return (
        f"{passes} the most checks ({rate}): certainly more than {_all(told, naming)}, "
        f"perhaps not more than {_all(rest, naming)}"
    )


def _apart(one: Ranked, other: Ranked) -> bool:
    return other.arm in one.told_apart_from or one.arm in other.told_apart_from


def _any(arms: Sequence[Ranked], naming: Naming) -> str:
    return naming(arms[0].arm) if len(arms) == 1 else "any other"


def _all(arms: Sequence[Ranked], naming: Naming) -> str:
    return listed([naming(one.arm) for one in arms])


def rates_alternative(ranking: RateRanking, naming: Naming) -> str:
    """The arms in their order, with the numbers."""
    told = (f"{naming(one.arm)} {estimate_alone(one.estimate, 'share')}" for one in ranking.arms)
    return f"Checks passed, best first: {'; '.join(told)}."


def strengths_title(ranking: StrengthRanking, naming: Naming) -> str:
    """Who is preferred most; and whether the ranges of strength leave that open."""
    first = ranking.arms[0]
    won = f"{naming(first.arm)} won {number(first.games.wins, 'count')} of {counted(first.games.known, 'vote')}"
    tied = f" and tied {number(first.games.ties, 'count')}" if first.games.ties else ""
    most = ", the most" if first.rank == 1 else ""
    return f"{won}{tied}{most}{_order(ranking)}"


def _order(ranking: StrengthRanking) -> str:
    """Whether the first one's range lies above all others'."""
    first, *others = ranking.arms
    lows = first.strength.low if first.strength is not None else None
    highs = [one.strength.high if one.strength is not None else None for one in others]
    if lows is None or any(high is None or high >= lows for high in highs):
        return "; who is first may be chance"
    return ""


def strengths_alternative(arms: Sequence[Strength], naming: Naming) -> str:
    """The votes of every arm."""
    return f"Votes by model, best first: {'; '.join(f'{naming(one.arm)} {votes(one)}' for one in arms)}."


def votes(one: Strength) -> str:
    """``12 won, 3 tied, 5 lost``."""
    games = one.games
    parts = ((games.wins, "won"), (games.ties, "tied"), (games.losses, "lost"))
    return ", ".join(f"{number(count, 'count')} {word}" for count, word in parts)
