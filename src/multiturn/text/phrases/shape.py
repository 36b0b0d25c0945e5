"""What is known of one language's ways to decline.

All patterns meet folded text (``text.fold``) without accents: small letters, straight apostrophes, ASCII punctuation.
So they are written ``repondre``, ``strasse``, ``ich mochte``. Every gap is bounded, so that matching takes time in
proportion to the length of the text.
"""

from __future__ import annotations

from typing import Final

import msgspec

GAP: Final = r"[^.!?;:\n]"
"""A character inside one clause."""


class Phrases(msgspec.Struct, frozen=True, kw_only=True):
    """One language's ways to decline and what stands around them.

    ``hint`` and ``speaker`` are pieces of text, looked for first because that is fast: a clause with none of ``hint``,
    or none of ``speaker`` where it is given, declines nothing. ``latin`` says whether its words, folded, are in ASCII
    letters. All others are regular expressions. ``declines`` say that the speaker does not do what was asked. ``lacks``
    say that the speaker has no way to, which declines only where nothing else is offered. ``bare`` are whole sentences
    that say no again ("Still no"), to a request or to a question. ``never`` are turns of phrase
    that look like either and are not. ``filler`` are sentences that give nothing of what was asked: apologies, reasons,
    offers, advice to ask elsewhere. ``offers`` open help.
    """

    language: str
    hint: tuple[str, ...]
    speaker: tuple[str, ...] = ()
    latin: bool = True
    declines: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    filler: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
