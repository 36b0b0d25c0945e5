"""A reply cut into pieces by what is marked in it: marks of several sorts may overlap, and all of them stay. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_JOINERS: Final = "\u200c\u200d"
_TOGETHER: Final = re.compile("\r\n|[\u200c\u200d]")


class Mark(NamedTuple):
    """A part of a reply, offsets in characters; ``sort`` is what it is marked as.

    ``sign`` stands behind its end, so that a reader finds what it belongs to; "" for none.
    """

    start: int
    end: int
    sort: str
    sign: str = ""


class Piece(NamedTuple):
    """A stretch of a reply; ``sorts`` are those of all marks on it, in order, with a space between; "" for none.

    ``signs`` are those of the marks that end with it.
    """

    text: str
    sorts: str
    signs: str


def pieces_of(reply: str, marks: Iterable[Mark]) -> list[Piece]:
    """The whole reply in pieces; what lies outside of it marks nothing. Neighbours that are marked alike are one."""
    begun: defaultdict[int, list[Mark]] = defaultdict(list)
    ended: defaultdict[int, list[Mark]] = defaultdict(list)
    fixed = _TOGETHER.search(reply) is None
    for mark in marks:
        start, end = min(mark.start, len(reply)), min(mark.end, len(reply))
        if not fixed:
            start, end = _settled(reply, start), _settled(reply, end)
        if start < end:
            begun[start].append(mark)
            ended[end].append(mark)
    pieces: list[Piece] = []
    here, alive = 0, list[Mark]()
    for edge in sorted({len(reply), *begun, *ended}):
        if edge > here:
            signs = _joined([mark.sign for mark in ended[edge]]) if edge in ended else ""
            piece = Piece(reply[here:edge], _joined([mark.sort for mark in alive]), signs)
            if pieces and pieces[-1].sorts == piece.sorts and not pieces[-1].signs:
                piece = Piece(pieces.pop().text + piece.text, piece.sorts, piece.signs)
            pieces.append(piece)
        for mark in ended.get(edge, ()):
            alive.remove(mark)
        alive += begun.get(edge, ())
        here = edge
    return pieces


def _joined(words: Sequence[str]) -> str:
    """Each word once, in order."""
    if len(words) <= 1:
        return words[0] if words else ""
    return " ".join(sorted({*words} - {""}))


def _settled(text: str, edge: int) -> int:
    """The first place from here on at which the text may be cut: not inside of a line end, nor beside a joiner.

    Each piece is made harmless by itself, and these are read together.
    """
    while 0 < edge < len(text):
        before, after = text[edge - 1], text[edge]
        if before not in _JOINERS and after not in _JOINERS and (before, after) != ("\r", "\n"):
            break
        edge += 1
    return edge
