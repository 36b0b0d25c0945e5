"""Whether a comparison finds known damage: ten mutants of the goldens against the goldens, at the suite's full size.

    python benchmarks/mutants.py [--draws 2000]

Each mutant is compared with the undamaged replies as two models are: the verdict on checks passed, and by capability
how far it fell. Conversations are drawn anew with replacement (seeded), and counted is in how many draws the capability
that the mutant breaks has the largest fall. Goals: in 0.9 of the draws or more; every mutant *regressed*.
"""

from __future__ import annotations

import argparse
import asyncio
from typing import Final

import numpy as np
from numpy.typing import NDArray

from multiturn.api import DEFAULT_SUITE, load_suite
from multiturn.assess import assess
from multiturn.compare import compare
from multiturn.conversation import Suite
from multiturn.engines.mutants import MUTANTS, mutant
from multiturn.engines.scripted import ScriptedEngine
from multiturn.finding import Assessed
from multiturn.groups import Layout
from multiturn.measures import BY_NAME, PRIMARY
from multiturn.protocols import Engine
from multiturn.prove import GREEDY, golden_script, hold_all
from multiturn.report.numbers import change, difference_alone, label_of, number
from multiturn.summary import Summary

SEED: Final = 5

Fall = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""Each conversation's difference, and whether it has one."""


def held(suite: Suite, engine: Engine) -> list[Assessed]:
    """What is found in the suite as this engine holds it."""
    transcripts = asyncio.run(hold_all(suite, engine, GREEDY))
    return [assess(one, conversation=by) for one, by in zip(transcripts, suite.conversations, strict=True)]


def falls(suite: Suite, base: list[Assessed], tuned: list[Assessed]) -> dict[str, Fall]:
    """By capability how far each conversation fell."""
    layout = Layout(suite)
    arms = Summary(layout), Summary(layout)
    for arm, found in zip(arms, (base, tuned), strict=True):
        for one in found:
            arm.add(one)
    told = {}
    for group in layout.groups:
        if group[0] == "capability" and layout.has(group, BY_NAME[PRIMARY].about):
            first, second = (arm.numbers(PRIMARY, layout.cells(group)) for arm in arms)
            told[group[1]] = (second.values - first.values, first.present & second.present)
    return told


def largest(found: dict[str, Fall], capability: str, draws: int) -> float:
    """In which share of the draws this capability fell furthest."""
    names = list(found)
    conversations = len(next(iter(found.values()))[0])
    drawn = np.random.default_rng(SEED).integers(0, conversations, size=(draws, conversations))
    means = np.full((draws, len(names)), np.inf)
    for at, name in enumerate(names):
        differences, present = found[name]
        counts = present[drawn].sum(axis=1)
        sums = np.where(present, differences, 0.0)[drawn].sum(axis=1)
        np.divide(sums, counts, out=means[:, at], where=counts > 0)
    return float((means[:, names.index(capability)] <= means.min(axis=1) + 1e-12).mean())


def main() -> None:
    """Print a row for each mutant."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--suite", default=DEFAULT_SUITE)
    asked = parser.parse_args()
    suite = load_suite(asked.suite)
    good = held(suite, ScriptedEngine(golden_script(suite)))
    print("| mutant | should break | checks passed, tuned - base | verdict | its capability fell | furthest in |")
    print("|---|---|---|---|---|---|")
    for name, about in MUTANTS.items():
        bad = held(suite, mutant(ScriptedEngine(golden_script(suite)), name))
        found = compare(suite, good, bad, base_run="goldens", tuned_run=name)
        verdict = found.verdicts[0]
        difference = verdict.contrast.difference
        interval = difference_alone(difference, "share")
        by = falls(suite, good, bad)
        own = furthest = "-"
        if about.breaks in by:
            differences, present = by[about.breaks]
            own = change(float(differences[present].mean()), "share")
            furthest = number(largest(by, about.breaks, asked.draws), "share")
        print(f"| {name} | {label_of(about.breaks)} | {interval} | {verdict.word} | {own} | {furthest} |")
    print(f"n = {len(suite.conversations)} conversations; {asked.draws} draws")


if __name__ == "__main__":
    main()
