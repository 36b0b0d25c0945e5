"""Two runs in the store -> what their comparison says, with every note that a reader must have.

What this module does not know: how runs are held, what is written of a comparison, and where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.comparable import comparison_notes, same_arm
from multiturn.compare import compare, require_measures
from multiturn.errors import UsageError
from multiturn.extension import further_look, take_look
from multiturn.grading import left_out_notes, panel_of
from multiturn.results import Plan
from multiturn.stored import assessed

if TYPE_CHECKING:
    from multiturn.conditions import RunRecord
    from multiturn.finding import Assessed
    from multiturn.judgment import JudgeRecord
    from multiturn.results import Comparison
    from multiturn.store import Store

Passing = Callable[[int, "Iterable[Assessed]"], "Iterable[Assessed]"]
"""What the transcripts of an arm (0 is base) go through on their way, unchanged."""

LATE_PLAN: Final = (
    "both runs were there before this primary measure or margin was given: if it was chosen after looking at them, "
    "verdicts are wrong more often than is said"
)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a comparison.

    ``plan`` is what is to be concluded, ``vary`` names the conditions that may differ. ``extend``: it is a declared
    look (:mod:`multiturn.extension`), which is then kept; ``held_before`` says whether both runs had replies before it
    was declared. ``late_plan``: both runs were there before this plan was given. ``judges`` are the judges whose
    ratings count, by id or model spec; none named: all that rated both runs by the newest one's rubric.
    """

    plan: Plan = Plan()
    vary: tuple[str, ...] = ()
    extend: bool = False
    held_before: bool = True
    late_plan: bool = False
    judges: tuple[str, ...] = ()


def conclude(
    store: Store, runs: tuple[RunRecord, RunRecord], asked: Asked, passing: Passing | None = None
) -> Comparison:
    """What the comparison of two stored runs, base and tuned, says.

    Args:
        store: Where both are.
        runs: Base and tuned.
        asked: What is to be concluded, and how.
        passing: What the transcripts go through while they are read.

    Raises:
        UsageError: They are of different suites, or the plan names no measure, or a look is not allowed.
        ConditionsDiffer: Something differs that ``vary`` does not name.
    """
    require_measures(asked.plan)
    _require_one_suite(runs)
    base, tuned = runs
    plan, notes = asked.plan, comparison_notes(base, tuned, asked.vary)
    if asked.extend:
        plan, told = take_look(store, plan, base, tuned, held_before=asked.held_before)
        notes = (*notes, *told)
    else:
        notes = (*notes, *further_look(store, base, tuned))
    if asked.late_plan:
        notes = (*notes, LATE_PLAN)
    panel = panel_of(store, runs, asked.judges)
    return compare(
        store.suite(base.conditions.suite_digest),
        *(_read(store, run, passing and partial(passing, arm), panel) for arm, run in enumerate(runs)),
        base_run=base.id,
        tuned_run=tuned.id,
        notes=(*notes, *left_out_notes(store, runs, asked.judges)),
        plan=plan,
        same_model=same_arm(base, tuned),
        samples=(base.conditions.planned_samples, tuned.conditions.planned_samples),
    )


def _read(
    store: Store,
    run: RunRecord,
    passing: Callable[[Iterable[Assessed]], Iterable[Assessed]] | None,
    panel: Sequence[JudgeRecord],
) -> Iterator[Assessed]:
    found = assessed(store, run, panel=panel)
    yield from found if passing is None else passing(found)


def _require_one_suite(runs: tuple[RunRecord, RunRecord]) -> None:
    first, second = runs
    if first.conditions.suite_digest == second.conditions.suite_digest:
        return
    of_one = first.suite_name == second.suite_name
    what = f"of {first.suite_name}, but of other parts or another history of it" if of_one else "of different suites"
    raise UsageError(
        f"runs {first.id} and {second.id} are {what}",
        hint="compare runs of the same conversations; multiturn runs lists them",
    )
