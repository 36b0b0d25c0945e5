"""Pages told by letters, as in ``tests/report/lettered.py``: what a front is made of, with numbers known by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from tests.report.lettered import arm, suite

from multiturn.compare import compare
from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.pages import shown_arms
from multiturn.pass_rates import pass_rates
from multiturn.ranking import Ranking
from multiturn.report.page.collect import Collector
from multiturn.report.page.shown import Page
from multiturn.results import Plan
from multiturn.stats.ranking import rank_rates
from multiturn.transcript import Sampling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.conversation import Suite
    from multiturn.finding import Assessed

NAMES: Final = "abcde"
HASH: Final = "0123456789abcdef" * 4


def run(the_suite: Suite, name: str, **conditions: object) -> RunRecord:
    """A run of ``scripted:name``; what is given replaces its conditions."""
    plain = Conditions(
        suite_digest=the_suite.digest,
        sampling=Sampling(),
        samples=1,
        history="self",
        overflow="stop",
        context_window=4096,
        system=None,
        template="model",
        reproducible=True,
        identity={"engine": "scripted", "engine_version": "1.0", "weights": HASH, "adapter": "none"},
    )
    return RunRecord(
        id=f"run-{name}",
        created="2026-11-30T17:55:18.814267+00:00",
        arm=Arm(spec=f"scripted:{name}"),
        suite_name=the_suite.name,
        suite_version=the_suite.version,
        conversations=len(the_suite.conversations),
        turns=the_suite.turn_count,
        conditions=msgspec.structs.replace(plain, **conditions),
        versions={"multiturn": "0.1.0"},
    )


def page(
    *arms: Sequence[str],
    words: Sequence[int] = (4, 4, 4, 4, 4),
    checked: bool = True,
    same_model: bool = False,
    notes: Sequence[str] = (),
    plan: Plan | None = None,
) -> Page:
    """A page of these arms, each told by letters; ``words`` are those of every reply of each."""
    held = [arm(letters, count, checked=checked) for letters, count in zip(arms, words, strict=False)]
    return page_of(suite(len(arms[0]), checked=checked), held, same_model=same_model, notes=notes, plan=plan)


def page_of(
    the_suite: Suite,
    held: Sequence[Sequence[Assessed]],
    *,
    runs: Sequence[RunRecord] = (),
    same_model: bool = False,
    notes: Sequence[str] = (),
    plan: Plan | None = None,
) -> Page:
    """A page of arms that held this suite."""
    runs = runs or [run(the_suite, name) for name, _ in zip(NAMES, held, strict=False)]
    collector = Collector(the_suite, shown_arms(runs), [1] * len(held))
    for at, transcripts in enumerate(held):
        assert list(collector.watch(at, transcripts)) == list(transcripts)
    comparisons = tuple(
        compare(
            the_suite,
            held[0],
            other,
            base_run=runs[0].id,
            tuned_run=one.id,
            notes=notes,
            plan=plan or Plan(),
            same_model=same_model,
        )
        for one, other in zip(runs[1:], held[1:], strict=True)
    )
    alone = len(held) == 1
    return Page(
        runs=tuple(runs),
        collected=collector.collected(),
        comparisons=comparisons,
        ranking=_ranking(runs, held) if len(held) > 2 else None,
        rates=pass_rates(the_suite, [one.transcript for one in held[0]], name=runs[0].arm.spec) if alone else None,
    )


def _ranking(runs: Sequence[RunRecord], held: Sequence[Sequence[Assessed]]) -> Ranking:
    """By the share of checks that pass in each conversation."""
    shares = {
        one.arm.spec: {each.transcript.session.conversation: _share(each) for each in arm}
        for one, arm in zip(runs, held, strict=True)
    }
    return Ranking(rates=rank_rates(shares))


def _share(held: Assessed) -> float | None:
    outcomes = [one.result.outcome for one in held.checks]
    return outcomes.count("pass") / len(outcomes) if outcomes else None
