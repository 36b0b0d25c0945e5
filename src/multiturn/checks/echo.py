"""Does a reply only give the user's own messages back?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from multiturn.text.fold import fold

FEWEST_CHARACTERS: Final = 15
"""A shorter message ("And an ant?") says nothing when it is repeated."""

LEFT_OVER: Final = 3
"""At most so many words of a reply's own make it no reply."""

_WORD: Final = re.compile(r"\w+")
_SPACE: Final = re.compile(r"\s+")


def is_echo(reply: str, earlier: Sequence[str], message: str) -> bool:
    """Whether the reply repeats the message that it should reply to, and has next to nothing of its own.

    Args:
        reply: the whole reply.
        earlier: what the user said in the turns before.
        message: what the user said in this turn.
    """
    asked = _plain(message)
    if len(asked) < FEWEST_CHARACTERS or len(reply) < len(message):
        return False
    said = _plain(reply)
    if asked not in said:
        return False
    for text in (asked, *map(_plain, earlier)):
        said = said.replace(text, " ") if text else said
    return len(_WORD.findall(said)) <= LEFT_OVER


def _plain(text: str) -> str:
    return _SPACE.sub(" ", fold(text)).strip()
