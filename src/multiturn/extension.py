"""One declared extension of a comparison: two looks, which share the 5 % between them.

Who looks, finds nothing, holds more and looks again has two chances of a false alarm. Where the extension is declared
before the first look, each look is taken at 2.5 % (Bonferroni), so that both together err in 5 of 100 cases at most,
however much is added. What this module does not know: how runs are held, and what a comparison says.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.errors import UsageError
from multiturn.looks import MOST_LOOKS, Look
from multiturn.results import Plan

if TYPE_CHECKING:
    from multiturn.conditions import Conditions, RunRecord
    from multiturn.store import Store

LEVEL: Final = 0.975
"""Of every interval of either look: two times 2.5 % are 5 %."""


def refuse_third_look(store: Store, plan: Plan, suite: str, arms: tuple[Conditions, Conditions], *, size: int) -> None:
    """Raise before anything is held if this would be a third look, or no extension of the first.

    Args:
        store: Where looks are kept.
        plan: Its primary measure is part of what makes a comparison the same.
        suite: The name of the suite.
        arms: Conditions of both runs, held or to be held.
        size: Conversations times samples that are to be held.

    Raises:
        UsageError: As it says.
    """
    looks = store.looks(_key(plan, suite, *arms))
    known = {run.id: run for run in (summary.run for summary in store.runs())}
    for look in looks:
        runs = known.get(look.base_run), known.get(look.tuned_run)
        if [run.conditions for run in runs if run is not None] == list(arms):
            return  # the same look once more
    if len(looks) >= MOST_LOOKS:
        raise UsageError(
            "this comparison was extended once already; a third look would raise false alarms beyond what is said",
            hint="leave out --extend and hold conversations that neither look had (another suite), as a new comparison",
        )
    for look in looks:
        first = known.get(look.base_run)
        if first is not None and size <= first.conversations * first.conditions.samples:
            raise UsageError(
                f"the first look (runs {look.base_run} and {look.tuned_run}) was at as much or more",
                hint="an extension holds more: more --samples, or more of the suite (a higher --limit)",
            )


def take_look(store: Store, plan: Plan, base: RunRecord, tuned: RunRecord) -> tuple[Plan, tuple[str, ...]]:
    """Keep that these runs are looked at, durably, and give the plan by which to look and what a reader must know.

    Raises:
        UsageError: It would be a third look.
    """
    key = _key(plan, base.suite_name, base.conditions, tuned.conditions)
    looks = store.looks(key)
    now = next((look.look for look in looks if (look.base_run, look.tuned_run) == (base.id, tuned.id)), None)
    if now is None:
        if len(looks) >= MOST_LOOKS:
            raise UsageError("this comparison was extended once already", hint="leave out --extend, on a new suite")
        now = len(looks) + 1
        created = dt.datetime.now(dt.UTC).isoformat(timespec="microseconds")
        error = round(1 - LEVEL, 6)
        store.add_look(Look(key=key, look=now, created=created, base_run=base.id, tuned_run=tuned.id, level=error))
    return msgspec.structs.replace(plan, level=LEVEL, look=now), _notes(store, now, (base, tuned))


def _notes(store: Store, look: int, runs: tuple[RunRecord, RunRecord]) -> tuple[str, ...]:
    told = (
        "look 1 of 2: held to 2.5 % instead of 5 %, since it may be extended once (--extend with more --samples, or "
        "more of the suite)"
        if look == 1
        else "look 2 of 2, the extension: held to 2.5 % instead of 5 %; there is no third"
    )
    earlier = [
        summary.run.id
        for summary in store.runs()
        if any(
            summary.run.id != run.id
            and summary.run.created < run.created
            and summary.run.suite_name == run.suite_name
            and _grown(summary.run.conditions) == _grown(run.conditions)
            for run in runs
        )
    ]
    if look > 1 or not earlier:
        return (told,)
    return (
        told,
        (
            f"warning: {', '.join(earlier[:4])} held part of this before: if that was looked at without --extend, this "
            "is not the first look, and false alarms are more frequent than is said"
        ),
    )


def _key(plan: Plan, suite: str, base: Conditions, tuned: Conditions) -> str:
    """What makes a comparison the same one, however much of it is held."""
    told = msgspec.json.encode((plan.primary, suite, _grown(base), _grown(tuned)), order="sorted")
    return hashlib.sha256(told).hexdigest()


def _grown(conditions: Conditions) -> Conditions:
    """The conditions without what an extension changes."""
    return msgspec.structs.replace(conditions, suite_digest="", samples=1)
