"""What a terminal is given: the lines of something that rich shows."""

from __future__ import annotations

import io

from rich.console import Console, RenderableType


def shown(what: RenderableType, *, width: int = 80, colours: bool = False) -> str:
    """Everything that is written to a terminal so wide, as it is."""
    console = Console(
        file=io.StringIO(),
        width=width,
        color_system="standard" if colours else None,
        force_terminal=colours,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(what)
    return capture.get()


def lines(what: RenderableType, *, width: int = 80) -> list[str]:
    """Its lines without colours, but for empty ones."""
    return [line for line in shown(what, width=width).splitlines() if line]
