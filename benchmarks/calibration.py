"""How often the statistics err: coverage, false alarms, false equivalence and power, by simulation.

    python benchmarks/calibration.py [--runs 10000 | --quick] [--only coverage] [--json FILE]

A fixed grid of cells, 10,000 runs a cell, one process. Each cell has a source of randomness of its own, so that a
question asked alone gives the same figures. Intervals, Holm's adjustment and the minimum detectable effect come from
the package's own functions; the words are ``verdicts.word_of`` run by run, and a test holds them against it.
``calibration_cells.py`` says how runs are drawn and what the correlations are of, ``calibration_family.py`` what the
family beside the primary measure is drawn from, ``calibration_grid.py`` which cells there are.

The goals hold for each cell, and among a thousand cells some miss theirs by chance. So a cell that misses is run again,
ten times as often and from other randomness: it is outside the goal if that misses too. A run without an interval (all
differences equal) misses nothing, and is counted apart.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from calibration_grid import RATING_RULES, RATING_TRUTHS, TRUTHS, Case, differences, families, rates, ratings

RUNS: Final = 10_000
QUICK: Final = 500
TIMES: Final = 10
"""How much oftener a cell that misses is run again."""
SHOWN: Final = 5
WIDE: Final = 0.97
"""Coverage above this is allowed, and listed."""


class Goal(NamedTuple):
    """One figure of some cells, and where it should lie."""

    question: str
    says: str
    kind: str
    truths: tuple[str, ...]
    figure: str
    low: float
    high: float
    least: int = 0
    """Conversations from which on it holds."""

    def beyond(self, value: float) -> float:
        """How far outside the goal; below 0 inside."""
        return max(self.low - value, value - self.high)


ANY: Final = math.inf
GOALS: Final = (
    Goal("coverage", "interval of a difference", "difference", TRUTHS, "covered", 0.93, ANY, 12),
    Goal("coverage", "interval of one arm's rate", "rate", ("one arm",), "covered", 0.93, ANY, 12),
    Goal("aa", "regressed in A/A, 99 % bound", "difference", ("0",), "regressed at most", -ANY, 0.035),
    Goal("equivalence", "equivalent at the margin", "difference", ("-m", "+m"), "equivalent", -ANY, 0.055),
    Goal("power", "found at the stated effect", "difference", ("MDE",), "found lower", 0.75, 0.88, 24),
    Goal("family", "false words in the family", "family", ("0",), "family", -ANY, 0.06),
    *(
        goal
        for kind in RATING_RULES
        for goal in (
            Goal("ratings", f"{kind}: interval of a difference", kind, RATING_TRUTHS, "covered", 0.93, ANY, 12),
            Goal("ratings", f"{kind}: regressed in A/A, 99 % bound", kind, ("0",), "regressed at most", -ANY, 0.035),
            Goal("ratings", f"{kind}: equivalent at the margin", kind, RATING_TRUTHS[1:], "equivalent", -ANY, 0.055),
        )
    ),
)


@dataclass(frozen=True)
class Outcome:
    """What came of one cell: its figures, and those of the second time if it missed a goal."""

    kind: str
    truth: str
    cell: str
    n: int
    runs: int
    figures: dict[str, float]
    again: dict[str, float] | None

    def missed(self, goal: Goal) -> bool:
        """Whether it is outside, the second time too."""
        return all(goal.beyond(seen[goal.figure]) > 0 for seen in (self.figures, self.again) if seen is not None)


def goals_of(asked: str | None) -> list[Goal]:
    """Those of one question, or all."""
    return [goal for goal in GOALS if asked in (None, goal.question)]


def concerns(goal: Goal, cell: Case | Outcome) -> bool:
    """Whether the goal is about this cell."""
    return cell.kind == goal.kind and cell.truth in goal.truths and cell.n >= goal.least


def cases(goals: Sequence[Goal]) -> Iterator[Case]:
    """The cells that these goals look at."""
    asked = {(goal.kind, truth) for goal in goals for truth in goal.truths}
    kinds = {kind for kind, _ in asked}
    for truth in TRUTHS:
        if ("difference", truth) in asked:
            yield from differences(truth)
    if "rate" in kinds:
        yield from rates()
    if "family" in kinds:
        yield from families()
    if kinds & RATING_RULES.keys():
        yield from chain.from_iterable(ratings(truth) for truth in RATING_TRUTHS)


def run(case: Case, goals: Sequence[Goal], runs: int) -> Outcome:
    """One cell, and once more if it misses a goal."""
    figures = case.figures(runs, "")
    missed = any(concerns(goal, case) and goal.beyond(figures[goal.figure]) > 0 for goal in goals)
    again = case.figures(TIMES * runs, ", again") if missed else None
    return Outcome(case.kind, case.truth, case.cell, case.n, runs, figures, again)


def seen(goal: Goal, outcome: Outcome) -> float:
    """The figure from the most runs that there are."""
    return (outcome.again or outcome.figures)[goal.figure]


def show(goal: Goal, outcomes: Sequence[Outcome]) -> str:
    """Print the table of one goal; give its closing line."""
    cells = sorted((one for one in outcomes if concerns(goal, one)), key=lambda one: -goal.beyond(seen(goal, one)))
    first = sum(goal.beyond(one.figures[goal.figure]) > 0 for one in cells)
    missed = [one for one in cells if one.missed(goal)]
    print(f"\n{goal.says}: {within(goal)}\n")
    print("| % | truth | cell |\n|---|---|---|")
    for one in cells[:SHOWN]:
        again = "" if one.again is None else f" ({100 * one.figures[goal.figure]:.2f} at first)"
        print(f"| {100 * seen(goal, one):.2f}{again} | {named(one)} | {one.cell} |")
    print(f"\n{len(cells)} cells, {first} outside at first, {len(missed)} of them again")
    if goal.figure == "covered":
        show_wide(goal, cells)
    if missed:
        end = f"missed in {len(missed)} of {len(cells)} cells, worst {100 * seen(goal, missed[0]):.1f} %"
    else:
        end = f"met in {len(cells)} cells, nearest {100 * seen(goal, cells[0]):.1f} %"
    return f"{goal.says}, {within(goal)}: {end}"


def named(outcome: Outcome) -> str:
    """The truth, with its value where the name does not say it."""
    value = outcome.figures.get("true value")
    return f"{outcome.truth} ({100 * value:.1f} pp)" if outcome.truth == "MDE" and value is not None else outcome.truth


def within(goal: Goal) -> str:
    """Where the figure should lie."""
    least = f" with {goal.least} conversations or more" if goal.least else ""
    if goal.high == ANY:
        return f"at least {100 * goal.low:.0f} %{least}"
    if goal.low == -ANY:
        return f"at most {100 * goal.high:.1f} %{least}"
    return f"{100 * goal.low:.0f} to {100 * goal.high:.0f} %{least}"


def show_wide(goal: Goal, cells: Sequence[Outcome]) -> None:
    """Which intervals are wider than they need be, and how often there is none."""
    total = Counter((one.truth, one.n) for one in cells)
    wide = Counter((one.truth, one.n) for one in cells if one.figures["covered"] > WIDE)
    print(f"above {100 * WIDE:.0f} %: {wide.total()}")
    for truth in goal.truths:
        sizes = sorted(n for at, n in total if at == truth)
        print(f"  {truth}: " + ", ".join(f"n {n}: {wide[truth, n]} of {total[truth, n]}" for n in sizes))
    without = [one.figures["without interval"] for one in cells if one.figures["without interval"]]
    if without:
        print(f"runs without an interval in {len(without)} cells, at most {100 * max(without):.2f} % of a cell's")


def show_totals(outcomes: Sequence[Outcome]) -> None:
    """What no goal is set for: any false word at all, of the primary measure or the family."""
    cells = [one for one in outcomes if one.kind == "family"]
    if cells:
        print(
            "\nno goal: a false word of the primary measure, of the family, of either, in the worst cell of each size\n"
        )
        print("| n | primary, % | family, % | either, % |\n|---|---|---|---|")
    for n in sorted({one.n for one in cells}):
        here = [one.figures for one in cells if one.n == n]
        worst = (max(figures[name] for figures in here) for name in ("primary", "family", "either"))
        print(f"| {n} | " + " | ".join(f"{100 * value:.2f}" for value in worst) + " |")


def show_equivalent(outcomes: Sequence[Outcome]) -> None:
    """What no goal is set for: how often arms that do not differ are said to be equivalent, least, median and most."""
    cells = [one for one in outcomes if one.truth == "0" and "equivalent" in one.figures]
    if cells:
        print("\nno goal: equivalent where nothing differs, least, median and most of the cells of each size\n")
        print("| | n | least, % | median, % | most, % |\n|---|---|---|---|---|")
    for kind, n in sorted({(one.kind, one.n) for one in cells}):
        here = sorted(one.figures["equivalent"] for one in cells if (one.kind, one.n) == (kind, n))
        shown = (here[0], statistics.median(here), here[-1])
        print(f"| {kind} | {n} | " + " | ".join(f"{100 * value:.1f}" for value in shown) + " |")


def main() -> None:
    """Run the cells that are asked for and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} runs a cell: too few to judge a goal by")
    parser.add_argument("--only", choices=list(dict.fromkeys(goal.question for goal in GOALS)))
    parser.add_argument("--json", type=Path, metavar="FILE", help="all cells with all figures")
    asked = parser.parse_args()
    runs, goals, begun = QUICK if asked.quick else asked.runs, goals_of(asked.only), time.process_time()
    outcomes = [run(case, goals, runs) for case in cases(goals)]
    closing = [show(goal, outcomes) for goal in goals]
    show_totals(outcomes)
    show_equivalent(outcomes)
    print("", *closing, sep="\n")
    print(f"{len(outcomes)} cells, {runs} runs each, {time.process_time() - begun:.0f} s of CPU")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
