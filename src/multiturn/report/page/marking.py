"""A reply cut into pieces by what is marked in it, and a long one into blocks. Pure.

Marks of several sorts may overlap, and all of them stay.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from multiturn.text.printable import goes_with_another

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_JOINERS: Final = "\u200c\u200d"
_TOGETHER: Final = re.compile("\r\n|[\u0300-\U0010ffff]")
"""Where there is none of these, a text may be cut anywhere."""

LONGEST: Final = 12_000
"""Characters that a browser is given to lay out at once. Chromium takes 33 s of CPU for 100,000 letters of Arabic
without a space, and 39 s where the direction changes with each letter; for as many as this, half a second."""
_NEAR: Final = 500
"""So far before the end of a block a place between two words is looked for."""


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


def blocks_of(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The same pieces in blocks of about :data:`LONGEST` characters at most; one block, if an empty one, for most."""
    blocks: list[list[Piece]] = [[]]
    room = LONGEST
    for piece in pieces:
        rest = piece.text
        while len(rest) > room and (cut := _between_words(rest, room)) < len(rest):
            if cut:
                blocks[-1].append(Piece(rest[:cut], piece.sorts, ""))
            blocks.append([])
            rest, room = rest[cut:], LONGEST
        blocks[-1].append(Piece(rest, piece.sorts, piece.signs))
        room = max(0, room - len(rest))
    return blocks


def texts_of(text: str) -> list[str]:
    """A text without marks, in such blocks."""
    return ["".join(piece.text for piece in block) for block in blocks_of([Piece(text, "", "")])]


def _between_words(text: str, room: int) -> int:
    """The last place behind a space or line end at which the text still fits, if there is one near; else any."""
    near = max(text.rfind(" ", room - _NEAR, room), text.rfind("\n", room - _NEAR, room)) if room > _NEAR else -1
    return _settled(text, near + 1 if near >= 0 else room)


def _joined(words: Sequence[str]) -> str:
    """Each word once, in order."""
    if len(words) <= 1:
        return words[0] if words else ""
    return " ".join(sorted({*words} - {""}))


def _settled(text: str, edge: int) -> int:
    """The first place from here on at which the text may be cut: not inside of a line end, nor beside a joiner, nor
    between a letter and its marks.

    Each piece is made harmless by itself, and these are read together.
    """  # noqa: D205 - one sentence
    while 0 < edge < len(text):
        before, after = text[edge - 1], text[edge]
        joined = before in _JOINERS or after in _JOINERS or (before, after) == ("\r", "\n")
        if not joined and not goes_with_another(after):
            break
        edge += 1
    return edge
