"""Which of several servers a conversation is at: it stays there, and moves when that server fails. Pure, no clock."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Final

from multiturn.transcript import Session

REST: Final = 30.0
"""Seconds for which a server that failed is left alone, while there is another."""


class Seats:
    """Seats conversations at ``count`` servers, each new one where the fewest are."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._at: dict[Session, int] = {}
        self._rests_until = [-math.inf] * count

    def of(self, session: Session, *, now: float, avoid: Collection[int] = ()) -> int:
        """The server of this session, from 0; ``avoid`` those that failed for this very request.

        One that rests is given up for another; where all rest or are to be avoided, the one that rests the shortest of
        those that are left is asked anyhow.
        """
        seat = self._at.get(session)
        if seat is None or seat in avoid or (self._rests_until[seat] > now and self._others(avoid, now)):
            seat = self._at[session] = self._best(avoid, now)
        return seat

    def failed(self, seat: int, *, now: float) -> None:
        """This server could not be had."""
        self._rests_until[seat] = now + REST

    def leave(self, session: Session) -> None:
        """The conversation is over; unknown ones are fine."""
        self._at.pop(session, None)

    def _others(self, avoid: Collection[int], now: float) -> bool:
        return any(self._rests_until[seat] <= now for seat in range(self._count) if seat not in avoid)

    def _best(self, avoid: Collection[int], now: float) -> int:
        left = [seat for seat in range(self._count) if seat not in avoid] or list(range(self._count))
        taken = list(self._at.values())
        return min(left, key=lambda seat: (max(self._rests_until[seat] - now, 0.0), taken.count(seat), seat))
