"""What judges say, into a store as it comes: all that waits in one transaction, in another thread.

What this module does not know: what it writes into, and what was asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from multiturn.judgment import Judged


class Desk:
    """Writes with ``write``, at the end of its block too what then still waits; ``keep`` returns when it is durable."""

    def __init__(self, write: Callable[[Sequence[Judged]], None]) -> None:
        self._keep_all: Final = write
        self._waiting: list[tuple[Judged, asyncio.Future[None]]] = []
        self._lock: Final = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._write()

    async def keep(self, judged: Judged) -> None:
        """Keep one.

        Raises:
            StoreError: it can't be written.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((judged, done))
        await asyncio.shield(asyncio.ensure_future(self._write()))
        await done

    async def _write(self) -> None:
        async with self._lock:
            batch, self._waiting = self._waiting, []
            if not batch:
                return
            try:
                await asyncio.to_thread(self._keep_all, [judged for judged, _ in batch])
            except Exception as error:  # noqa: BLE001 - whoever waits must hear of it, whatever it is
                for _, done in batch:
                    if not done.done():
                        done.set_exception(error)
                return
            for _, done in batch:
                if not done.done():
                    done.set_result(None)
