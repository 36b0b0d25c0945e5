"""Stored runs -> the page: one run by itself, a comparison, or several arms ranked.

What this module does not know: HTML (``report/page``), how runs are held, what a comparison concludes.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from multiturn.pass_rates import pass_rates
from multiturn.report.page.collect import Collector
from multiturn.report.page.shown import BASE, TUNED, Page, ShownArm
from multiturn.stored import assessed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.conditions import RunRecord
    from multiturn.conversation import Suite
    from multiturn.store import Store

ONE: Final = "model"
"""What the arm of a page of one run is called."""


def collector_of(suite: Suite, runs: Sequence[RunRecord]) -> Collector:
    """What gathers the transcripts of these runs for a page."""
    return Collector(suite, shown_arms(runs), [run.conditions.planned_samples for run in runs])


def shown_arms(runs: Sequence[RunRecord]) -> tuple[ShownArm, ...]:
    """What the arms are called: base and tuned; of more than two, base and then by number; of one, the model."""
    names = [ONE] if len(runs) == 1 else [BASE, TUNED] if len(runs) == 2 else []  # noqa: PLR2004 - a pair
    names = names or [BASE, *(f"arm {at}" for at in range(2, len(runs) + 1))]
    return tuple(ShownArm(name=name, label=run.arm.spec, run=run.id) for name, run in zip(names, runs, strict=True))


def page_of_one(store: Store, run: RunRecord) -> Page:
    """One run: how many checks it passes, and its transcripts."""
    suite = store.suite(run.conditions.suite_digest)
    collector = collector_of(suite, [run])
    seen = (one.transcript for one in collector.watch(0, assessed(store, run)))
    rates = pass_rates(suite, seen, name=run.arm.spec, golden_history=run.conditions.history == "golden")
    for _ in seen:  # of a suite without checks no rate asks for the transcripts
        pass
    return Page(runs=(run,), collected=collector.collected(), rates=rates)


def collected_in_step(store: Store, suite: Suite, runs: Sequence[RunRecord]) -> Collector:
    """Read all runs side by side, so that no transcript waits long for its counterparts."""
    collector = collector_of(suite, runs)
    reading = [collector.watch(at, assessed(store, run)) for at, run in enumerate(runs)]
    for _ in zip_longest(*reading):
        pass
    return collector
