"""Addresses inside the page: a list of conversations under a filter, one conversation, one of its turns.

``#list?capability=correction&flip=lost&q=teapot`` and ``#c=brass-teapot&t=3&s=1``; ``page.js`` reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Mapping


def list_link(tags: Mapping[str, str], text: str = "") -> str:
    """The list of conversations that have all these tags (``facets.py`` names them), and this text.

    Tags of turns must all hold of one turn.
    """
    asked = [*tags.items(), *([("q", text)] if text else [])]
    return "#list?" + "&".join(f"{quote(key, safe='')}={quote(value, safe='')}" for key, value in asked)


def conversation_link(conversation: str, turn: int | None = None, sample: int = 0) -> str:
    """One conversation side by side; ``turn`` and ``sample`` count from 0, in the address from 1."""
    place = "" if turn is None else f"&t={turn + 1}"
    return f"#c={quote(conversation, safe='')}{place}{f'&s={sample + 1}' if sample else ''}"
