"""The first screen: what the comparison comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from multiturn.report.conclusion import sentences

if TYPE_CHECKING:
    from multiturn.report.page.shown import Page


class Front(msgspec.Struct, frozen=True):
    """What stands on the first screen."""

    title: str
    sentences: tuple[str, ...]


def front(page: Page) -> Front:
    """The first screen of this page."""
    said = tuple(sentences(page.comparisons[0])) if page.comparisons else ()
    return Front(" and ".join(arm.label for arm in page.collected.arms), said)
