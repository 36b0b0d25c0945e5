"""The same work in several tasks at once: as many conversations, or sittings of a judge, as an engine keeps warm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine


async def together(work: Callable[[], Coroutine[None, None, None]], workers: int) -> None:
    """Run the same work in several tasks; the first error stops all and is raised as itself."""
    tasks = [asyncio.create_task(work()) for _ in range(workers)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
