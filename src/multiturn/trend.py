"""The runs of a group over time: a model against its own earlier versions, under one set of conditions.

The newest run's conditions count. A run that differs from it in more than the model, or of which much is missing, is
not in the series and is listed with the reason. Each version is compared with the one before and with the first, as
``multiturn compare`` would compare the two; since a long series of such steps raises false alarms, how many are to be
expected is said, and Holm's adjustment over the series says which differences stand all the same.

What this module does not know: how runs came to be, and what a reader is shown.
"""

from __future__ import annotations

import difflib
import shlex
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from multiturn.checks.reading import unread_notes
from multiturn.comparable import differing, same_arm
from multiturn.compare import orientations_of
from multiturn.errors import NotFound, UsageError
from multiturn.groups import EVERYTHING, Layout
from multiturn.measures import PRIMARY, measure_called
from multiturn.pairing import contrast, filled, one_arm, paired
from multiturn.pass_rates import floor_note, summary_of_checks
from multiturn.results import MOVED, Plan
from multiturn.series import Apart, FalseAlarms, Step, Trend, Version
from multiturn.stats.multiplicity import holm
from multiturn.stored import assessed
from multiturn.summary import Summary
from multiturn.verdicts import decide

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.conversation import Suite
    from multiturn.measures import Measure
    from multiturn.results import Estimate, Orientation
    from multiturn.store import Store

MOST_MISSING: Final = 0.1
"""Share of a run's turns that may be missing; with more of them it is not in the series."""

DEFAULT_PLAN: Final = Plan()
_OF_CHECKS_ALONE: Final = frozenset({PRIMARY, "turn_pass", "missing"})
"""Measures for which no signal has to be measured."""

_SHOWN: Final = 8
_IMPORTED: Final = (
    "these runs were imported, and nobody knows how their replies were drawn: that conditions were the same is assumed"
)


def group_runs(store: Store, name: str) -> tuple[RunRecord, ...]:
    """The runs of a group, oldest first.

    Raises:
        NotFound: there is no such group; the message names near ones.
    """
    runs = store.runs_in(name)
    if runs:
        return runs
    groups = store.groups()
    if not groups:
        raise NotFound(
            f"there is no group {name!r}: no run in {store.where} is in one",
            hint="put runs into it: multiturn group RUN NAME, or multiturn run MODEL --group NAME",
        )
    close = difflib.get_close_matches(name.casefold(), by_case := {one.casefold(): one for one in groups}, n=3)
    listed = sorted(groups)[:_SHOWN]
    more = f" and {len(groups) - len(listed)} more" if len(groups) > len(listed) else ""
    known = (
        f"did you mean {' or '.join(by_case[one] for one in close)}?" if close else f"groups: {', '.join(listed)}{more}"
    )
    raise NotFound(f"there is no group {name!r} in {store.where}", hint=known)


def trend(store: Store, group: str, measure: str = PRIMARY, plan: Plan = DEFAULT_PLAN) -> Trend:
    """The runs of a group over time. Each run is read once.

    Args:
        store: where the runs are.
        group: its name.
        measure: one of ``measures.MEASURES``.
        plan: level and margins; its primary measure does not matter here.

    Returns:
        With one version and no steps where only one run is fit to be compared.

    Raises:
        NotFound: there is no such group, or its newest run's suite is not in the store.
        UsageError: there is no such measure, or the suite has no turn that it is about.
    """
    runs = group_runs(store, group)
    reference = runs[-1]
    suite = store.suite(reference.conditions.suite_digest)
    layout = Layout(suite)
    chosen = _measure(measure, layout, suite)
    held: list[_Held] = []
    apart: list[Apart] = []
    for run in runs:
        reasons = _differences(run, reference)
        summary = None if reasons else _read(store, run, layout, chosen)
        if summary is not None:
            reasons = tuple(_incomplete(run, summary))
        if summary is None or reasons:
            apart.append(Apart(run=run, reasons=reasons))
        else:
            held.append(_Held(run, summary))
    series = _Series(layout, chosen, orientations_of(suite)[chosen.name], plan, tuple(held))
    return Trend(
        group=group,
        measure=measure,
        level=plan.level,
        reference=reference,
        versions=tuple(Version(run=run, estimate=series.estimate(summary)) for run, summary in held),
        before=series.steps([(at - 1, at) for at in range(1, len(held))]),
        first=series.steps([(0, at) for at in range(1, len(held))]),
        apart=tuple(apart),
        false_alarms=false_alarms(len(held) - 1, _chance(series.orientation, plan.level)) if len(held) > 1 else None,
        notes=tuple(_notes(suite, series)),
    )


def false_alarms(steps: int, each: float) -> FalseAlarms:
    """What to expect of so many steps in which nothing changed.

    The mean number is exact, since means add up however the steps depend on each other. The chance of at least one is
    exact only for steps without a run in common; ``benchmarks/trend_alarms.py`` measures what it is for a series.

    Args:
        steps: how many, 1 or more.
        each: the chance that one of them alone is a false alarm.
    """
    return FalseAlarms(steps=steps, each=each, expected=steps * each, any_if_apart=1 - (1 - each) ** steps)


class _Held(NamedTuple):
    run: RunRecord
    summary: Summary


class _Series(NamedTuple):
    """What all steps have in common, and the runs of the series."""

    layout: Layout
    measure: Measure
    orientation: Orientation
    plan: Plan
    held: tuple[_Held, ...]

    def estimate(self, summary: Summary) -> Estimate:
        """One version by itself."""
        numbers = summary.numbers(self.measure.name, self.layout.cells(EVERYTHING))
        return one_arm(self.measure, numbers, self.plan.level)

    def steps(self, pairs: Sequence[tuple[int, int]]) -> tuple[Step, ...]:
        """A step for each pair of versions, with Holm's adjustment over all of them."""
        steps = [self._step(earlier, later) for earlier, later in pairs]
        adjusted = holm([step.verdict.p for step in steps])
        return tuple(
            msgspec.structs.replace(
                step,
                verdict=msgspec.structs.replace(step.verdict, adjusted_p=p),
                stands=p is not None and p < 1 - self.plan.level if step.verdict.word in MOVED else None,
            )
            for step, p in zip(steps, adjusted, strict=True)
        )

    def _step(self, earlier: int, later: int) -> Step:
        base, tuned = self.held[earlier], self.held[later]
        arms, cells = (base.summary, tuned.summary), self.layout.cells(EVERYTHING)
        made = contrast(arms, self.measure, EVERYTHING, cells, orientation=self.orientation, level=self.plan.level)
        verdict = decide(
            self.measure,
            paired(arms, self.measure, cells),
            made,
            self.plan,
            filled=filled(arms, self.measure, cells),
            samples=tuned.run.conditions.samples,
        )
        return Step(earlier=earlier, later=later, verdict=verdict, same_model=same_arm(base.run, tuned.run))


def _measure(name: str, layout: Layout, suite: Suite) -> Measure:
    found = measure_called(name)
    if not layout.has(EVERYTHING, found.about):
        what = {"checked": "no checks"}.get(found.about, "no turn that says whether a refusal is right")
        raise UsageError(
            f"{suite.name} has {what}, so it has no {name}", hint="choose another measure: --measure words, say"
        )
    return found


def _differences(run: RunRecord, reference: RunRecord) -> tuple[str, ...]:
    """What keeps a run from being compared with the newest one: a line each, this run's value first."""
    if run.conditions.suite_digest != reference.conditions.suite_digest:
        mine, newest = (f"{one.suite_name}, version {one.suite_version}" for one in (run, reference))
        unlike = "; their conversations differ" if mine == newest else ""
        return (f"suite: {mine} / {newest}{unlike}",)
    return differing(run.conditions, reference.conditions)


def _read(store: Store, run: RunRecord, layout: Layout, measure: Measure) -> Summary:
    if measure.name in _OF_CHECKS_ALONE:
        golden = run.conditions.history == "golden"
        summary = summary_of_checks(layout, store.transcripts(run.id), golden_history=golden)
    else:
        summary = Summary(layout)
        for one in assessed(store, run):
            summary.add(one)
    summary.samples = run.conditions.planned_samples
    return summary


def _incomplete(run: RunRecord, summary: Summary) -> Iterator[str]:
    missing = run.turns - summary.turns + summary.lost.total()
    if missing > MOST_MISSING * run.turns:
        yield (
            f"{missing} of {run.turns} turns are missing; go on with it: "
            f"multiturn run {shlex.quote(run.arm.spec)} --resume {run.id}, with the same flags"
        )


def _chance(orientation: Orientation, level: float) -> float:
    """Of a false alarm in one step: one side's worth where one side is worse, else either's."""
    return 1 - level if orientation == "neither" else (1 - level) / 2


def _notes(suite: Suite, series: _Series) -> Iterator[str]:
    yield from unread_notes(suite)
    if any(held.run.conditions.sampling is None for held in series.held):
        yield _IMPORTED
    if series.held and series.measure.name == PRIMARY:
        yield from floor_note("the first version", series.estimate(series.held[0].summary))
