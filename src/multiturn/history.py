"""What its own history costs a model: checks passed when it goes on from its own replies, against golden ones.

A gap, not a cause: under golden history a model also sees good replies that it can copy, so a gap says that the two
differ, not that early slips are why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from multiturn.conditions import RunRecord
from multiturn.errors import UsageError
from multiturn.groups import EVERYTHING, Layout
from multiturn.measures import PRIMARY
from multiturn.pass_rates import summary_of_checks
from multiturn.results import Contrast, HistoryGap
from multiturn.stats.paired import mean_interval, paired_difference
from multiturn.stats.rates import share_interval
from multiturn.store import Store

LEVEL: Final = 0.95
DIFFERENCES: Final = (-1.0, 1.0)
"""A gap is a difference of two shares."""

Values = Mapping[str, float | None]


def history_gap(store: Store, *arms: tuple[RunRecord, RunRecord]) -> HistoryGap:
    """The gap of one model, or of base and tuned with the difference between their gaps.

    Args:
        store: where the runs are.
        arms: for each model its run with golden history, and its run with its own.

    Raises:
        UsageError: a run has the other history, or the suite has no checks.
    """
    values = []
    for golden, own in arms:
        for run, history in ((golden, "golden"), (own, "self")):
            if run.conditions.history != history:
                raise UsageError(f"run {run.id} has {run.conditions.history} history, not {history}", hint="swap them")
        values.append((_passed(store, golden), _passed(store, own)))
    gaps = [_gap(*both) for both in values]
    between = None
    if len(gaps) > 1:
        between = Contrast(
            measure="history_gap",
            group=EVERYTHING,
            base=mean_interval(tuple(gaps[0].values()), LEVEL, within=DIFFERENCES),
            tuned=mean_interval(tuple(gaps[1].values()), LEVEL, within=DIFFERENCES),
            difference=paired_difference(gaps[0], gaps[1], LEVEL),
        )
    arms_found = tuple(_contrast(golden, own) for golden, own in values)
    return HistoryGap(models=tuple(own.arm.spec for _, own in arms), arms=arms_found, between=between)


def _passed(store: Store, run: RunRecord) -> dict[str, float | None]:
    """Each conversation's share of checks passed; None where it is missing."""
    suite = store.suite(run.conditions.suite_digest)
    layout = Layout(suite)
    if not layout.has(EVERYTHING, "checked"):
        raise UsageError(f"{suite.name} has no checks", hint="docs/writing.md shows how a conversation gets them")
    golden = run.conditions.history == "golden"
    arm = summary_of_checks(layout, store.transcripts(run.id), golden_history=golden)
    return arm.values(PRIMARY, EVERYTHING)


def _gap(golden: Values, own: Values) -> dict[str, float | None]:
    """Own less golden, conversation by conversation; None where either is missing."""
    gaps: dict[str, float | None] = {}
    for name in golden.keys() | own.keys():
        good, mine = golden.get(name), own.get(name)
        gaps[name] = None if good is None or mine is None else mine - good
    return gaps


def _contrast(golden: Values, own: Values) -> Contrast:
    """``base`` is golden history and ``tuned`` the model's own: the difference is the gap."""
    return Contrast(
        measure=PRIMARY,
        group=EVERYTHING,
        base=share_interval(tuple(golden.values()), LEVEL),
        tuned=share_interval(tuple(own.values()), LEVEL),
        difference=paired_difference(golden, own, LEVEL, extreme=1.0),
        orientation="higher_is_better",
    )
