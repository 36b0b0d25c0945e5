"""Dossiers whose every field holds what a test asks for, from the pages of the same kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.report.page.filled import OF_RUN, page_of

from multiturn.report.dossier import Dossier, FailedCheck
from multiturn.report.page.read_first import read_first

if TYPE_CHECKING:
    from tests.report.page.filled import Fields


def filled(*conversations: Fields, run: Fields = OF_RUN, arms: int = 2, command: str = "multiturn runs") -> Dossier:
    """A dossier of these conversations, each as its fields say; one run's failing checks hold the same fields."""
    page = page_of(conversations or ({},), run, arms=arms)
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
        read=read_first(page),
        failed=failed if arms == 1 else (),
        failing=len(failed) if arms == 1 else 0,
    )
