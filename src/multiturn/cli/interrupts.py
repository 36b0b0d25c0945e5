"""Ctrl-C: stop asking, keep what is done, be gone within two seconds."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from multiturn.errors import EXIT_INTERRUPTED, Interrupted

GRACE_SECONDS: Final = 1.5
"""How long an engine may take to stop; a model that is loading, or reading a long prompt, can't be told to."""
MESSAGE: Final = "interrupted; every reply that came in is kept"
HINT: Final = "give the same command again: it goes on from here"
T = TypeVar("T")


def run_until_done(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine; SIGINT and SIGTERM cancel it and end the process, if need be the hard way.

    Leaving the hard way loses nothing: a turn counts as done only when it is on the disk.

    Raises:
        Interrupted: the user asked to stop.
    """

    async def guarded() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        stopped = False

        def stop(*_: object) -> None:
            nonlocal stopped
            if stopped or task is None:
                os._exit(EXIT_INTERRUPTED)
            stopped = True
            loop.call_soon_threadsafe(task.cancel)
            timer = threading.Timer(GRACE_SECONDS, _leave)
            timer.daemon = True
            timer.start()

        for number in before:
            signal.signal(number, stop)  # not the loop's handlers: those wait for whatever the loop is busy with
        return await work

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return asyncio.run(guarded())
    except asyncio.CancelledError:
        raise Interrupted(MESSAGE, hint=HINT) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave() -> None:
    print(f"multiturn: {MESSAGE}\n  next: {HINT}", file=sys.stderr, flush=True)
    os._exit(EXIT_INTERRUPTED)
