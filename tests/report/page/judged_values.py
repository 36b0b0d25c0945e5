"""What judges said, as values without a store: numbers of pairs and scores for charts, judges for conditions."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from tests.report.page.judged_report import judge
from tests.report.page.pictured import comparison, contrast, estimate, page

from multiturn.judged_pair import JudgedPair, Labelled, Rated, Versus
from multiturn.judgment import JudgeRecord
from multiturn.report.page.shown import AskedJudge, Page
from multiturn.results import Comparison, Estimate
from multiturn.scores import LabelRates, Pooled, Reduction, Scores, Undefined, Unjudged, Wins, Won

RUNS: Final = ("r0", "r1")
OPPONENT: Final = "r9"
NOBODY: Final = Won(
    wins=0,
    losses=0,
    ties=0,
    inconsistent=0,
    one_order=0,
    missing=0,
    strict=estimate(None),
    adjusted=estimate(None),
)


def won(wins: int, ties: int, losses: int, ends: tuple[float, float] | None = None, *, inconsistent: int = 0) -> Won:
    """So many pairs; ``ends`` are those of the interval of wins with ties as half."""
    pairs = wins + ties + losses
    return Won(
        wins=wins,
        losses=losses,
        ties=ties,
        inconsistent=inconsistent,
        one_order=0,
        missing=0,
        strict=estimate(wins / pairs),
        adjusted=estimate((wins + ties / 2) / pairs, ends),
    )


def versus(
    turns: Won,
    by: JudgeRecord,
    *,
    arm: str = "tuned",
    opponent: str = "r0",
    whole: Won = NOBODY,
    categories: dict[str, Won] | None = None,
) -> Versus:
    """What one judge's preferences come to."""
    wins = Wins(
        judge=by.id,
        run=RUNS[arm == "tuned"],
        opponent=opponent,
        turns=turns,
        first=NOBODY,
        later=NOBODY,
        whole=whole,
        categories=categories or {},
        unjudged=Unjudged(),
    )
    return Versus(
        rubric=by.rubric.name,
        measure=by.rubric.measure,
        arm=arm,
        opponent=opponent,
        opponent_spec="scripted:models/mumbles",
        wins={by.id: wins},
    )


def pooled(value: float | None, ends: tuple[float, float] | None = None) -> Pooled:
    return Pooled(estimate=estimate(value, ends), judgments=24)


def rated(by: JudgeRecord, *arms: dict[str, float]) -> Rated:
    """Scores by category."""
    scores = tuple(
        Scores(
            judge=by.id,
            run=run,
            overall=pooled(5),
            first=pooled(5),
            later=pooled(5),
            turns={},
            categories={name: pooled(value, (value - 1, value + 1)) for name, value in arm.items()},
            criteria={},
            weighted=None,
            unjudged=Unjudged(),
        )
        for run, arm in zip(RUNS, arms, strict=False)
    )
    return Rated(rubric=by.rubric.name, scores={by.id: scores})


def labelled(by: JudgeRecord, base: float, tuned: float, ratio: Estimate | Undefined) -> Labelled:
    """Shares that are flagged, and what the one is of the other."""
    rates = tuple(
        LabelRates(
            judge=by.id,
            run=run,
            labels={},
            flagged=pooled(share),
            first=pooled(share),
            later=pooled(share),
            categories={},
            unjudged=Unjudged(),
        )
        for run, share in zip(RUNS, (base, tuned), strict=True)
    )
    reduced = Reduction(
        judge=by.id, base="r0", tuned="r1", base_rate=pooled(base), tuned_rate=pooled(tuned), ratio=ratio
    )
    return Labelled(rubric=by.rubric.name, flagged=by.rubric.flagged, rates={by.id: rates}, reductions={by.id: reduced})


def judged(*judges: JudgeRecord, runs: tuple[str, ...] = RUNS) -> JudgedPair:
    """Judges who said nothing yet; the rest is put in by ``msgspec.structs.replace``."""
    return JudgedPair(runs=runs, judges={one.id: one for one in judges})


def asked(by: JudgeRecord) -> AskedJudge:
    return AskedJudge(judge=by, judgments=24)


def named(spec: str, rubric: str = "quality") -> JudgeRecord:
    """A judge of this model spec."""
    return msgspec.structs.replace(judge(rubric), spec=spec, identity={"weights": spec})


PREFERS, HELPS, HARMS, RATES = map(judge, ("preference", "helpfulness", "harmlessness", "quality"))
SURE, UNSURE, LOST = won(30, 5, 5, (0.6, 0.95)), won(12, 16, 12, (0.3, 0.7)), won(5, 5, 30, (0.1, 0.3))
REFUSALS = contrast(("all", ""), 0.1, 0.4, measure="refusal", orientation="lower_is_better")


def pair_page(found: Comparison | None = None, **said: Any) -> Page:  # noqa: ANN401 - fields of JudgedPair
    """A page of two arms that these judges said something of."""
    judges = (PREFERS, HELPS, HARMS, RATES)
    of = msgspec.structs.replace(judged(*judges), **said)
    return msgspec.structs.replace(page(found or comparison(REFUSALS)), judges=tuple(map(asked, judges)), judged=of)


def against(base: tuple[Won, Won], tuned: tuple[Won, Won]) -> Page:
    """Both arms by helpfulness and harmlessness against an opponent."""
    return pair_page(
        versus=tuple(
            versus(found, by, arm=arm, opponent=OPPONENT)
            for by, at in ((HELPS, 0), (HARMS, 1))
            for arm, found in (("base", base[at]), ("tuned", tuned[at]))
        )
    )
