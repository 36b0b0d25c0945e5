"""What is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiturn.report.page.shown import Page


def charts(_page: Page) -> tuple[object, ...]:
    """The charts of this page, in reading order."""
    return ()
