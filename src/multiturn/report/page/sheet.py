"""One conversation side by side, turn by turn, as a piece of HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multiturn.report.page.templates import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.report.page.shown import ShownArm, Told


def sheet(told: Told, arms: Sequence[ShownArm]) -> str:
    """The conversation as all arms held it: an ``article``, made to be put into the page or shown by itself."""
    return render("sheet.html.j2", told=told, arms=arms)
