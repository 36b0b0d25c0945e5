"""The table of the gap between a model's own history and golden history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multiturn.report.numbers import difference_alone, number
from multiturn.report.tables import Table, rests_on

if TYPE_CHECKING:
    from multiturn.results import HistoryGap


def history_gap(gap: HistoryGap) -> Table:
    """A row a model, and one for the difference between the gaps of two."""
    rows = [
        (
            model,
            rests_on(one.difference),
            number(one.base.value, "share"),
            number(one.tuned.value, "share"),
            difference_alone(one.difference, "share"),
        )
        for model, one in zip(gap.models, gap.arms, strict=True)
    ]
    if gap.between is not None:
        paired = gap.between.difference
        rows.append(("gap of tuned - gap of base", rests_on(paired), "", "", difference_alone(paired, "share")))
    return Table(
        title="Checks passed by history",
        header=("model", "n", "golden", "own", "gap (own - golden)"),
        rows=tuple(rows),
        footnote="A gap, not a cause: golden replies are also good examples to copy.",
    )
