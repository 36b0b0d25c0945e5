"""Stored runs -> the page: one run by itself, a comparison, or several arms ranked.

What this module does not know: HTML (``report/page``), how runs are held, what a comparison concludes.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from multiturn.pass_rates import pass_rates
from multiturn.rank import rank
from multiturn.report.page.collect import Collector
from multiturn.report.page.sheet import sheet
from multiturn.report.page.shown import BASE, TUNED, Page, ShownArm
from multiturn.stored import assessed
from multiturn.stored_comparison import conclude

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.conversation import Suite
    from multiturn.ranking import Ranking
    from multiturn.report.page.shown import Told
    from multiturn.results import Comparison
    from multiturn.store import Store
    from multiturn.stored_comparison import Asked

    Render = Callable[[Told, Sequence[ShownArm]], str]

ONE: Final = "model"
"""What the arm of a page of one run is called."""
PAIR: Final = 2


def page_of(store: Store, runs: Sequence[RunRecord], asked: Asked, render: Render = sheet) -> Page:
    """The page of one run, of two (base and tuned), or of more; ``render`` makes a conversation's sheet.

    Raises:
        UsageError, ConditionsDiffer: the runs can't be compared.
    """
    if len(runs) == 1:
        return page_of_one(store, runs[0], render)
    build = page_of_pair if len(runs) == PAIR else page_of_many
    return build(store, runs, asked, render)


def page_of_one(store: Store, run: RunRecord, render: Render = sheet) -> Page:
    """One run: how many checks it passes, and its transcripts."""
    suite = store.suite(run.conditions.suite_digest)
    collector = collector_of(suite, [run], render)
    seen = (one.transcript for one in collector.watch(0, assessed(store, run)))
    rates = pass_rates(suite, seen, name=run.arm.spec, golden_history=run.conditions.history == "golden")
    for _ in seen:  # of a suite without checks no rate asks for the transcripts
        pass
    return Page(runs=(run,), collected=collector.collected(), rates=rates)


def page_of_pair(store: Store, runs: Sequence[RunRecord], asked: Asked, render: Render = sheet) -> Page:
    """Base and tuned, which are read once."""
    base, tuned = runs
    collector = collector_of(store.suite(base.conditions.suite_digest), runs, render)
    comparison = conclude(store, (base, tuned), asked, collector.watch)
    return Page(runs=(base, tuned), collected=collector.collected(), comparisons=(comparison,))


def page_of_many(store: Store, runs: Sequence[RunRecord], asked: Asked, render: Render = sheet) -> Page:
    """Several arms: their ranking, and the first one compared with each other one."""
    ranking, comparisons = ranked(store, runs, asked)
    base = runs[0]
    collector = collector_of(store.suite(base.conditions.suite_digest), runs, render)
    reading = [collector.watch(at, assessed(store, run)) for at, run in enumerate(runs)]
    for _ in zip_longest(*reading):  # side by side, so that no transcript waits long for its counterparts
        pass
    return Page(runs=tuple(runs), collected=collector.collected(), comparisons=comparisons, ranking=ranking)


def ranked(store: Store, runs: Sequence[RunRecord], asked: Asked) -> tuple[Ranking | None, tuple[Comparison, ...]]:
    """The ranking of several runs, None where their suite has no checks, and each one's comparison with the first."""
    base, *others = runs
    suite = store.suite(base.conditions.suite_digest)
    checked = any(turn.checks for one in suite.conversations for turn in one.turns)
    ranking = rank(store, [run.id for run in runs], vary=asked.vary) if checked else None
    return ranking, tuple(conclude(store, (base, other), asked) for other in others)


def collector_of(suite: Suite, runs: Sequence[RunRecord], render: Render = sheet) -> Collector:
    """What gathers the transcripts of these runs for a page."""
    return Collector(suite, shown_arms(runs), [run.conditions.samples for run in runs], render)


def shown_arms(runs: Sequence[RunRecord]) -> tuple[ShownArm, ...]:
    """What the arms are called: base and tuned; of more than two, base and then by number; of one, the model."""
    names = [ONE] if len(runs) == 1 else [BASE, TUNED] if len(runs) == 2 else []  # noqa: PLR2004 - a pair
    names = names or [BASE, *(f"arm {at}" for at in range(2, len(runs) + 1))]
    return tuple(ShownArm(name=name, label=run.arm.spec, run=run.id) for name, run in zip(names, runs, strict=True))
