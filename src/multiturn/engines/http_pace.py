"""How hard a server is asked: a limit that shrinks when it says "too many" and grows back; what Retry-After asks for.

``Limit`` and ``retry_after`` are pure: times are arguments. ``Gate`` is the limit with those who wait at it.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import email.utils
import math
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Limit:
    """How many requests may be in flight at one server: from ``full`` down to 1 and up again.

    A refusal halves it, but only a refusal of a request that was sent after the last halving: those sent before it say
    nothing of the new limit, so that one burst of refusals halves once. As many replies as the limit, one after the
    other, raise it by one.
    """

    def __init__(self, full: int) -> None:
        self.full = max(1, full)
        self.now = self.full
        self._well = 0
        self._halved_at = -math.inf

    def went_well(self) -> None:
        """A request had its reply."""
        if self.now == self.full:
            return
        self._well += 1
        if self._well >= self.now:
            self.now += 1
            self._well = 0

    def refused(self, *, sent_at: float, now: float) -> None:
        """A request was refused for there being too many; times in seconds of one clock."""
        self._well = 0
        if sent_at > self._halved_at:
            self.now = max(1, self.now // 2)
            self._halved_at = now


class Gate:
    """Lets through as many as its limit says; the others wait in the order in which they came."""

    def __init__(self, full: int) -> None:
        self.limit = Limit(full)
        self.inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> None:
        """Wait for a place; it is taken when this returns."""
        if self.inside < self.limit.now and not self._waiting:
            self.inside += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self.let_in()  # those before may have given up
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # the place was given in the same moment
            raise

    def leave(self) -> None:
        """Give the place back."""
        self.inside -= 1
        self.let_in()

    def let_in(self) -> None:
        """Wake as many as there is room for: after a place came free, or the limit grew."""
        while self._waiting and self.inside < self.limit.now:
            turn = self._waiting.popleft()
            if not turn.done():
                self.inside += 1
                turn.set_result(None)


def retry_after(headers: Mapping[str, str], now: dt.datetime) -> float | None:
    """Seconds that a refusal asks to wait, 0 or more; None where it names none that can be read.

    Args:
        headers: of the refusal, found whatever their capitals; ``Retry-After`` in seconds or as a date of HTTP, or
            ``retry-after-ms`` in milliseconds.
        now: what a date is counted from, with its time zone.
    """
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("Retry-After")
    seconds = _seconds(asked)
    if seconds is not None or asked is None:
        return seconds
    try:
        date = email.utils.parsedate_to_datetime(asked)
    except ValueError:
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=dt.UTC)) - now).total_seconds())


def _seconds(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
