"""A server on loopback whose routes are functions: for what a test wants to say in its own words.

    with Loopback({"/v1/models": lambda asked: (200, {"data": []})}) as server: ...

A route gets what was asked and returns status and body: a table becomes JSON, bytes are sent as they are. Routes that are
not there are 404. It runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self

from aiohttp import web


class Asked(NamedTuple):
    """One request."""

    path: str
    query: str
    headers: dict[str, str]
    body: dict[str, Any]


Told = tuple[int, Any] | tuple[int, Any, dict[str, str]]
Route = Callable[[Asked], Told | Awaitable[Told]]


class Loopback:
    """Serves while in its ``with``; ``asked`` holds what came, in order."""

    def __init__(self, routes: Mapping[str, Route]) -> None:
        self.routes = dict(routes)
        self.asked: list[Asked] = []
        self.port = 0

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._serve(ready),))
        self._thread.start()
        assert ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    @property
    def root(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def bodies(self, path: str) -> list[dict[str, Any]]:
        """What was sent to one route."""
        return [asked.body for asked in self.asked if asked.path == path]

    async def _serve(self, ready: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.Response:
        raw = await request.read()
        asked = Asked(request.path, request.query_string, dict(request.headers), json.loads(raw) if raw else {})
        self.asked.append(asked)
        route = self.routes.get(request.path)
        told = (404, {"detail": "Not Found"}) if route is None else route(asked)
        status, body, *headers = await told if isinstance(told, Awaitable) else told
        plain = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = {"Content-Type": "application/json"}
        return web.Response(status=status, body=plain, headers=kind | (headers[0] if headers else {}))
