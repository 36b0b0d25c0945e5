"""Judgments of several judges -> what the panel says together, and how far its members differ. Pure.

Only what every member judged counts towards the panel's own numbers: a mean over whoever happened to be readable would
move with who is strict. What this module does not know: where judgments are stored, who the judges are.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from multiturn.errors import UsageError
from multiturn.judged_scores import ALL, CREDIT, LEVEL, Pools, Tally, outcomes_of
from multiturn.judges.games import Outcome, Rule, combine
from multiturn.judgment import Label, Rating
from multiturn.scores import Panel
from multiturn.stats.paired import PAIR
from multiturn.stats.panel import alpha_of_grades, alpha_of_names, spreads

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from multiturn.judgment import Judged, Judgment
    from multiturn.ranking import Winner
    from multiturn.rubric import Scale

    Cell = tuple[str, int, int | None]
    Said = Mapping[str, Iterable[Judged]]

Value = TypeVar("Value")
One = TypeVar("One")
HALF: Final = 0.5


def panel_of_ratings(said: Said, scale: Scale, level: float = LEVEL, seed: int = 0) -> Panel:
    """The panel's score of one run: of each reply the mean over judges, of each judge the mean over repeats.

    Args:
        said: By judge, what it said of the run.
        scale: The rubrics', which is one.
        level: Of the intervals, in (0, 1).
        seed: Of the draws behind alpha's interval.

    Raises:
        UsageError: There are fewer than two judges.
    """
    grades = {judge: _by_cell(judged, _grade) for judge, judged in _at_least_two(said).items()}
    cells, whole = _cells(grades)
    pools = {name: Pools() for name in ("", *grades)}
    for cell in cells:
        means = {judge: _mean(found[cell]) for judge, found in grades.items() if found.get(cell)}
        pools[""].add([ALL], cell[0], _mean(list(means.values())) if cell in whole else None)
        for judge in grades:
            pools[judge].add([ALL], cell[0], means[judge] if cell in whole else None)
    ends = (scale.lowest, scale.highest)
    found = spreads([[by[cell] for by in grades.values() if by.get(cell)] for cell in cells])
    return Panel(
        judges=tuple(grades),
        mode="rating",
        alpha=alpha_of_grades(_by_conversation(grades, _mean), level, seed=seed),
        left_out=len(cells) - len(whole),
        score=pools[""].pooled(ALL, ends, level),
        members={judge: pools[judge].pooled(ALL, ends, level) for judge in grades},
        between=found.between,
        within=found.within,
    )


def panel_of_preferences(
    said: Said,
    run: str,
    opponent: str,
    *,
    rules: Mapping[str, Rule] = MappingProxyType({}),
    about: Literal["turns", "whole"] = "turns",
    level: float = LEVEL,
    seed: int = 0,
) -> Panel:
    """The panel's preferences between two runs, seen from ``run``, at their turns or of whole conversations.

    A pair is won that more than half of the judges give to one run; all others are ties. A judge that was asked several
    times has one vote, by the same rule. ``members`` are each judge's tie-adjusted rates. ``rules`` say by judge how
    two orders make an outcome; FastChat's way where a judge has none.

    Raises:
        UsageError: There are fewer than two judges, or a judgment is not of this pair.
    """
    votes: dict[str, dict[Cell, list[Winner]]] = {}
    for judge, judged in _at_least_two(said).items():
        votes[judge] = {}
        outcomes = outcomes_of(judged, run, opponent, rules.get(judge, combine))
        for (name, sample, turn, _), (outcome, _) in outcomes.items():
            if (turn is None) == (about == "whole"):
                votes[judge].setdefault((name, sample, turn), []).extend([outcome.winner] if outcome.winner else [])
    cells, whole = _cells(votes)
    together, pools = Tally(), {judge: Pools() for judge in votes}
    for cell in cells:
        of_each = {judge: majority(found[cell]) for judge, found in votes.items() if found.get(cell)}
        winner = majority(list(of_each.values())) if cell in whole else None
        together.add(cell[0], Outcome(winner=winner, consistent=None if winner is None else True))
        for judge in votes:
            pools[judge].add([ALL], cell[0], CREDIT[of_each[judge]] if cell in whole else None)
    return Panel(
        judges=tuple(votes),
        mode="preference",
        alpha=alpha_of_names(_by_conversation(votes, majority), level, seed=seed),
        left_out=len(cells) - len(whole),
        members={judge: pools[judge].pooled(ALL, level=level) for judge in votes},
        won=together.won(level),
    )


def panel_of_labels(said: Said, flagged: Collection[str], level: float = LEVEL, seed: int = 0) -> Panel:
    """The share of one run's replies that more than half of the judges flag; half of them leave a reply undecided.

    Raises:
        UsageError: There are fewer than two judges.
    """

    def flag(judgment: Judgment) -> float | None:
        return float(judgment.name in flagged) if isinstance(judgment, Label) else None

    flags = {judge: _by_cell(judged, flag) for judge, judged in _at_least_two(said).items()}
    cells, whole = _cells(flags)
    together, pools, undecided = Pools(), {judge: Pools() for judge in flags}, 0
    for cell in cells:
        share = _mean([_mean(found[cell]) for found in flags.values()]) if cell in whole else None
        undecided += share == HALF
        together.add([ALL], cell[0], None if share in (None, HALF) else float(share > HALF))
        for judge, found in flags.items():
            pools[judge].add([ALL], cell[0], _mean(found[cell]) if cell in whole else None)
    return Panel(
        judges=tuple(flags),
        mode="label",
        alpha=alpha_of_names(_by_conversation(flags, _mean), level, seed=seed),
        left_out=len(cells) - len(whole),
        members={judge: pools[judge].pooled(ALL, level=level) for judge in flags},
        flagged=together.pooled(ALL, level=level),
        undecided=undecided,
    )


def majority(winners: Sequence[Winner]) -> Winner:
    """Whom more than half give it to; a tie where there is no such one."""
    return next((one for one in winners if winners.count(one) > len(winners) / 2), "tie")


def one_a_model(models: Mapping[str, str], answers: Mapping[str, int]) -> list[str]:
    """Of judges that are one model asked in several ways one: they are no panel of independent judges.

    Args:
        models: By judge its model; oldest first.
        answers: By judge how much it judged. Who judged most counts, and of those the newest.
    """
    chosen: dict[str, str] = {}
    for judge, model in models.items():
        if model not in chosen or answers[judge] >= answers[chosen[model]]:
            chosen[model] = judge
    return [judge for judge, model in models.items() if chosen[model] == judge]


def _at_least_two(said: Said) -> dict[str, Iterable[Judged]]:
    if len(said) < PAIR:
        raise UsageError("a panel needs two judges", hint="have another model judge the same run")
    return dict(said)


def _grade(judgment: Judgment) -> float | None:
    return judgment.value if isinstance(judgment, Rating) else None


def _by_cell(judged: Iterable[Judged], value: Callable[[Judgment], float | None]) -> dict[Cell, list[float]]:
    """What a judge said of each reply, of each repeat; nothing where it can't be read."""
    found: dict[Cell, list[float]] = {}
    for one in judged:
        asked, of_reply = one.question, value(one.judgment)
        found.setdefault((asked.conversation, asked.sample, asked.turn), []).extend(
            [] if of_reply is None else [of_reply]
        )
    return found


def _cells(said: Mapping[str, Mapping[Cell, Sequence[Value]]]) -> tuple[list[Cell], set[Cell]]:
    """All that some judge was asked about, and what every one has a verdict on."""
    cells = list(dict.fromkeys(cell for found in said.values() for cell in found))
    return cells, {cell for cell in cells if all(found.get(cell) for found in said.values())}


def _by_conversation(
    said: Mapping[str, Mapping[Cell, Sequence[Value]]], one: Callable[[Sequence[Value]], One]
) -> list[list[list[One]]]:
    """Of each conversation its replies, of each reply one value for each judge that has a verdict on it."""
    units: dict[str, list[list[One]]] = {}
    for cell in _cells(said)[0]:
        units.setdefault(cell[0], []).append([one(found[cell]) for found in said.values() if found.get(cell)])
    return list(units.values())


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
