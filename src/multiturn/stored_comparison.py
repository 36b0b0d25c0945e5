"""Two runs in the store -> what their comparison says, with every note that a reader must have.

What this module does not know: how runs are held, what is written of a comparison, and where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from multiturn.comparable import comparison_notes, same_arm
from multiturn.compare import compare, require_measures
from multiturn.errors import UsageError
from multiturn.extension import further_look, take_look
from multiturn.stored import assessed

if TYPE_CHECKING:
    from multiturn.conditions import RunRecord
    from multiturn.finding import Assessed
    from multiturn.results import Comparison, Plan
    from multiturn.store import Store

Passing = Callable[[int, "Iterable[Assessed]"], "Iterable[Assessed]"]
"""What the transcripts of an arm (0 is base) go through on their way, unchanged."""

LATE_PLAN: Final = (
    "both runs were there before this primary measure or margin was given: if it was chosen after looking at them, "
    "verdicts are wrong more often than is said"
)


def conclude(
    store: Store,
    runs: tuple[RunRecord, RunRecord],
    plan: Plan,
    *,
    vary: Sequence[str] = (),
    extend: bool = False,
    held_before: bool = True,
    late_plan: bool = False,
    passing: Passing | None = None,
) -> Comparison:
    """What the comparison of two stored runs says.

    Args:
        store: Where both are.
        runs: Base and tuned.
        plan: What is to be concluded.
        vary: Conditions that may differ, by name.
        extend: Whether this is a declared look (:mod:`multiturn.extension`); it is then kept that it was taken.
        held_before: Of a declared look: whether both runs had replies before it was declared.
        late_plan: Whether both runs were there before this plan was given.
        passing: What the transcripts go through while they are read.

    Raises:
        UsageError: They are of different suites, or the plan names no measure, or a look is not allowed.
        ConditionsDiffer: Something differs that ``vary`` does not name.
    """
    require_measures(plan)
    _require_one_suite(runs)
    base, tuned = runs
    notes = comparison_notes(base, tuned, vary)
    if extend:
        plan, told = take_look(store, plan, base, tuned, held_before=held_before)
        notes = (*notes, *told)
    else:
        notes = (*notes, *further_look(store, base, tuned))
    if late_plan:
        notes = (*notes, LATE_PLAN)
    return compare(
        store.suite(base.conditions.suite_digest),
        *(_read(store, run, arm, passing) for arm, run in enumerate(runs)),
        base_run=base.id,
        tuned_run=tuned.id,
        notes=notes,
        plan=plan,
        same_model=same_arm(base, tuned),
        samples=(base.conditions.planned_samples, tuned.conditions.planned_samples),
    )


def _read(store: Store, run: RunRecord, arm: int, passing: Passing | None) -> Iterator[Assessed]:
    found = assessed(store, run)
    yield from found if passing is None else passing(arm, found)


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
