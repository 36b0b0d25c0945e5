"""Does a reply only give the user's own messages back?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from multiturn.text.fold import fold, unaccented

FEWEST_CHARACTERS: Final = 15
"""A shorter message ("And an ant?") says nothing when it is repeated. A wide character counts as three."""

_LABELS: Final = """
    user human assistant question prompt message you i me said say asked ask wrote told just your is was the q a s
    sure ok okay certainly here
    nutzer benutzer frage du sie sagtest sagten fragtest fragten hast haben gesagt gefragt deine ihre
    utilisateur vous tu avez as dit demande usuario pregunta dijiste preguntaste usted dijo
    пользователь вопрос вы ты сказали сказал спросили спросил
"""
LABELS: Final = frozenset(_LABELS.split())
"""Words around an echo that make it no reply: "You said: ...", "User: ...". Folded and unaccented."""

_HAN_LABELS: Final = re.compile(
    "用户|用戶|[你您](?:说|說|问|問)|问题|問題|ユーザー|あなたは|質問|と言いました|と聞きました"
)
_WORD: Final = re.compile(r"\w+")
_SPACE: Final = re.compile(r"\s+")


def is_echo(reply: str, earlier: Sequence[str], message: str) -> bool:
    """Whether the reply repeats the message that it should reply to, and has no word of its own but a label.

    A question put again before its answer ("When do I light it? 5:45") is no echo, however short the answer.

    Args:
        reply: the whole reply.
        earlier: what the user said in the turns before.
        message: what the user said in this turn.
    """
    asked = _plain(message)
    if _length(asked) < FEWEST_CHARACTERS:
        return False
    before, found, behind = _plain(reply).rpartition(asked)
    if not found:
        return False
    for text in sorted({asked, *map(_plain, earlier)}, key=len, reverse=True):
        if _length(text) >= FEWEST_CHARACTERS:
            before, behind = before.replace(text, " "), behind.replace(text, " ")
        else:  # so short a one may be an answer where it follows, and part of a word anywhere
            before = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", " ", before) if text else before
    return LABELS.issuperset(_WORD.findall(_HAN_LABELS.sub(" ", f"{before} {behind}")))


def _length(text: str) -> int:
    return len(text) + 2 * sum(unicodedata.east_asian_width(char) in "WF" for char in text[:FEWEST_CHARACTERS])


def _plain(text: str) -> str:
    return _SPACE.sub(" ", unaccented(fold(text))).strip()
