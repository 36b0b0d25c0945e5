"""A part of a reply: the text that a check looks at, with the way back to where it stands."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from multiturn.finding import Span
from multiturn.text.fold import Folded, fold_mapped, unaccented

Range = tuple[int, int]


class Part(msgspec.Struct, frozen=True):
    """Pieces of a reply: ``text`` is them, each on lines of its own; offsets lead back to the reply."""

    reply: str
    pieces: tuple[Range, ...]

    @property
    def text(self) -> str:
        """The pieces, joined by line ends."""
        return "\n".join(self.reply[start:end] for start, end in self.pieces)

    @property
    def folded(self) -> Folded:
        """The text in the spelling that matching uses: folded, and Latin letters without accents."""
        return folded(self.text)

    def span(self, start: int, end: int) -> Span:
        """The part of the reply behind ``text[start:end]``; where that crosses pieces, as far as the first goes.

        Raises:
            ValueError: ``start`` lies behind the end of the text.
        """
        before = 0
        for first, last in self.pieces:
            length = last - first
            if start <= before + length:
                here = first + start - before
                there = min(first + end - before, last)
                return Span(start=here, end=there, text=self.reply[here:there])
            before += length + 1
        raise ValueError(f"no text from {start} to {end}")

    def span_of_folded(self, start: int, end: int) -> Span:
        """The part of the reply behind ``folded.text[start:end]``."""
        found = self.folded.span(start, end)
        return self.span(found.start, found.end)


def whole(reply: str) -> Part:
    """The whole reply."""
    return Part(reply, ((0, len(reply)),))


@lru_cache(maxsize=64)
def folded(text: str) -> Folded:
    """Folded, without accents; offsets lead to ``text``."""
    mapped = fold_mapped(text)
    return msgspec.structs.replace(mapped, text=unaccented(mapped.text))
