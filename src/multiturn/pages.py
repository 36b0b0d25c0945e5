"""Stored runs -> the page: one run by itself, a comparison, or several arms ranked.

What this module does not know: HTML (``report/page``), how runs are held, what a comparison concludes.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from multiturn.grading import panel_of
from multiturn.hearing import Hearing
from multiturn.judged_runs import judged_pair
from multiturn.pass_rates import pass_rates
from multiturn.rank import rank
from multiturn.report.page.collect import Collector
from multiturn.report.page.sheet import sheet
from multiturn.report.page.shown import BASE, TUNED, Page, ShownArm
from multiturn.stored import assessed
from multiturn.stored_comparison import Asked, conclude

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.conversation import Suite
    from multiturn.ranking import Ranking
    from multiturn.report.page.shown import Told
    from multiturn.results import Comparison
    from multiturn.store import Store

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
        return page_of_one(store, runs[0], asked, render)
    build = page_of_pair if len(runs) == PAIR else page_of_many
    return build(store, runs, asked, render)


def page_of_one(store: Store, run: RunRecord, asked: Asked = Asked(), render: Render = sheet) -> Page:  # noqa: B008 - frozen
    """One run: how many checks it passes, and its transcripts."""
    suite = store.suite(run.conditions.suite_digest)
    hearing = Hearing(store, shown_arms([run]))
    collector = collector_of(suite, [run], hearing, render)
    panel = panel_of(store, [run], asked.judges)
    seen = (one.transcript for one in collector.watch(0, assessed(store, run, panel=panel)))
    rates = pass_rates(suite, seen, name=run.arm.spec, golden_history=run.conditions.history == "golden")
    for _ in seen:  # of a suite without checks no rate asks for the transcripts
        pass
    return Page(
        runs=(run,),
        collected=collector.collected(),
        rates=rates,
        judges=hearing.judges,
        judged=judged_pair(store, [run]),
    )


def page_of_pair(store: Store, runs: Sequence[RunRecord], asked: Asked, render: Render = sheet) -> Page:
    """Base and tuned, which are read once."""
    base, tuned = runs
    hearing = Hearing(store, shown_arms(runs))
    collector = collector_of(store.suite(base.conditions.suite_digest), runs, hearing, render)
    comparison = conclude(store, (base, tuned), asked, collector.watch)
    return Page(
        runs=(base, tuned),
        collected=collector.collected(),
        comparisons=(comparison,),
        judges=hearing.judges,
        judged=judged_pair(store, runs),
    )


def page_of_many(store: Store, runs: Sequence[RunRecord], asked: Asked, render: Render = sheet) -> Page:
    """Several arms: their ranking, and the first one compared with each other one.

    What judges said is told at each reply and, of ratings, in each comparison; win rates and labels are of two runs.
    """
    ranking, comparisons = ranked(store, runs, asked)
    base = runs[0]
    hearing = Hearing(store, shown_arms(runs))
    collector = collector_of(store.suite(base.conditions.suite_digest), runs, hearing, render)
    panel = panel_of(store, runs, asked.judges)
    reading = [collector.watch(at, assessed(store, run, panel=panel)) for at, run in enumerate(runs)]
    for _ in zip_longest(*reading):  # side by side, so that no transcript waits long for its counterparts
        pass
    return Page(
        runs=tuple(runs),
        collected=collector.collected(),
        comparisons=comparisons,
        ranking=ranking,
        judges=hearing.judges,
    )


def ranked(store: Store, runs: Sequence[RunRecord], asked: Asked) -> tuple[Ranking | None, tuple[Comparison, ...]]:
    """The ranking of several runs, None where their suite has no checks, and each one's comparison with the first."""
    base, *others = runs
    suite = store.suite(base.conditions.suite_digest)
    checked = any(turn.checks for one in suite.conversations for turn in one.turns)
    ranking = rank(store, [run.id for run in runs], vary=asked.vary) if checked else None
    return ranking, tuple(conclude(store, (base, other), asked) for other in others)


def collector_of(suite: Suite, runs: Sequence[RunRecord], hearing: Hearing, render: Render = sheet) -> Collector:
    """What gathers the transcripts of these runs for a page, and what judges said of them."""
    samples = [run.conditions.samples for run in runs]
    return Collector(suite, shown_arms(runs), samples, render, hearing.of)


def shown_arms(runs: Sequence[RunRecord]) -> tuple[ShownArm, ...]:
    """What the arms are called: base and tuned; of more than two, base and then by number; of one, the model."""
    names = [ONE] if len(runs) == 1 else [BASE, TUNED] if len(runs) == 2 else []  # noqa: PLR2004 - a pair
    names = names or [BASE, *(f"arm {at}" for at in range(2, len(runs) + 1))]
    return tuple(ShownArm(name=name, label=run.arm.spec, run=run.id) for name, run in zip(names, runs, strict=True))
