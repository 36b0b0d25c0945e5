"""Lines that end with their last letter: rich fills them with blanks, which a narrow terminal shows as empty lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console, ConsoleOptions, RenderableType


class Trimmed:
    """The same, for ``Console.print``, without blanks at the ends of its lines."""

    def __init__(self, shown: RenderableType) -> None:
        self._shown: Final = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """Rich's own door."""
        return trimmed(console.render(self._shown, options))


def trimmed(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Line by line, without the blanks at its end."""
    for line in Segment.split_lines(segments):
        while line and not line[-1].text.strip():
            line.pop()
        if line:
            yield from line[:-1]
            yield Segment(line[-1].text.rstrip(), line[-1].style)
        yield Segment.line()
