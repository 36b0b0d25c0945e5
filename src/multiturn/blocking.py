"""Asynchronous work done to its end from ordinary code, in a script and inside a running event loop (a notebook)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; inside a running event loop (a notebook) in a thread with a loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    begun: Future[Callable[[], object]] = Future()

    async def stoppable() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        begun.set_result(lambda: loop.call_soon_threadsafe(task.cancel) if task else None)
        return await work

    with ThreadPoolExecutor(1, thread_name_prefix="multiturn") as thread:
        done = thread.submit(asyncio.run, stoppable())
        try:
            return done.result()
        except KeyboardInterrupt:  # a notebook's stop button: leaving this block waits for the thread
            begun.result()()
            raise
