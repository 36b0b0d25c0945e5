"""What a notebook shows of a value: said from above, so that values know nothing of pages.

A value asks here (``html_of``) in its ``_repr_html_``; ``multiturn.api`` says what its own values are shown as.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Show = Callable[[Any], str]
"""From a value to HTML in which all text is escaped."""

_SHOWS: Final[dict[type, Show]] = {}


def show_as(shows: Mapping[type, Show]) -> None:
    """From now on show values of these types so."""
    _SHOWS.update(shows)


def html_of(value: object) -> str | None:
    """A value as HTML; None where nobody has said how, and then a notebook shows its ``repr``."""
    show = _SHOWS.get(type(value))
    return None if show is None else str(show(value))
