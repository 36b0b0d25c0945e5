"""Reading in pages: how a run is cut, so that few of its conversations are in memory at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

PAGE_SESSIONS: Final = 128
"""Conversations (times samples) that are in memory at once while transcripts are read."""


def windows(tops: Sequence[tuple[str, int]]) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Cut a run into pages of at most ``PAGE_SESSIONS``: conversations, first sample, end of samples.

    ``tops`` are the conversations in order, each with its highest sample.
    """
    names: list[str] = []
    size = 0
    for name, top in tops:
        if names and size + top + 1 > PAGE_SESSIONS:
            yield tuple(names), 0, PAGE_SESSIONS
            names, size = [], 0
        if top >= PAGE_SESSIONS:
            yield from (((name,), first, first + PAGE_SESSIONS) for first in range(0, top + 1, PAGE_SESSIONS))
        else:
            names.append(name)
            size += top + 1
    if names:
        yield tuple(names), 0, PAGE_SESSIONS
