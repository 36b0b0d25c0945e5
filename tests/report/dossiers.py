"""Dossiers whose every field holds what a test asks for, from the pages of the same kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.report.page.filled import OF_RUN, page_of

from multiturn.report.dossier import Dossier, Excerpt, FailedCheck

if TYPE_CHECKING:
    from tests.report.page.filled import Fields


def filled(*conversations: Fields, run: Fields = OF_RUN, arms: int = 2, command: str = "multiturn runs") -> Dossier:
    """A dossier of these conversations, each as its fields say; one run's failing checks hold the same fields."""
    page = page_of(conversations or ({},), run, arms=arms)
    reasons = {change.conversation: change.reasons for comparison in page.comparisons for change in comparison.changes}
    excerpts = tuple(
        Excerpt(conversation=row.id, reasons=reasons.get(row.id, ()), proof=row.proof)
        for row in page.collected.rows
        if row.proof is not None
    )
    failed = tuple(
        FailedCheck(
            conversation=row.id,
            sample=0,
            turn=0,
            capability=None,
            what=fields.get("check_why", ""),
            reason=fields.get("reason", ""),
            words=fields.get("reply"),
        )
        for row, fields in zip(page.collected.rows, conversations or ({},), strict=True)
    )
    return Dossier(
        runs=page.runs,
        arms=page.collected.arms,
        command=command,
        comparisons=page.comparisons,
        ranking=page.ranking,
        rates=page.rates,
        excerpts=excerpts,
        failed=failed if arms == 1 else (),
        failing=len(failed) if arms == 1 else 0,
    )
