"""Models behind HTTP servers: any OpenAI-compatible one, and Ollama.

openai:NAME[@URL[,URL2...]]
ollama:NAME[@URL]
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import aiohttp
import msgspec
import stamina

from multiturn.errors import ContextOverflow, ReplyFailed
from multiturn.facts import EngineOptions, Facts, Unknown
from multiturn.transcript import Reply, Request, Session, Timing


class HttpEngine:
    """One model name on one server."""

    def __init__(self, spec: str, options: EngineOptions) -> None:
        self.spec = spec
        self._kind, _, rest = spec.partition(":")
        name, found, url = rest.partition("@http")
        self._name = name
        default = "http://127.0.0.1:11434" if self._kind == "ollama" else "https://api.openai.com/v1"
        self._url = ("http" + url.split(",")[0] if found else default).rstrip("/")
        self._server = options.server
        self._session: aiohttp.ClientSession | None = None
        self.facts = Facts(
            context_window=options.context_window,
            open_conversations=options.workers or 32,
            identity={"engine": self._kind, "weights": f"{name}@{self._url}"},
            system_role=True,
            seeds=None,
        )

    async def prompt(self, request: Request) -> Unknown:
        """The server renders."""
        del request
        return Unknown("the server renders the prompt")

    async def reply(self, request: Request) -> Reply:
        """The reply to the last message."""

        def worth(error: Exception) -> bool | float:
            return isinstance(error, ReplyFailed) and error.retryable

        async for attempt in stamina.retry_context(
            on=worth, attempts=self._server.retries + 1, timeout=None, wait_max=self._server.longest_wait
        ):
            with attempt:
                return await self._once(request)
        raise AssertionError

    async def _once(self, request: Request) -> Reply:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=self._server.timeout)
            )
        sampling = request.sampling
        body = {
            "model": self._name,
            "messages": [{"role": one.role, "content": one.content} for one in request.messages],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens + sampling.reasoning_tokens,
            "seed": request.seed,
        }
        started = time.perf_counter()
        key = os.environ.get("MULTITURN_API_KEY")
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        try:
            async with self._session.post(
                f"{self._url}/chat/completions", data=msgspec.json.encode(body), headers=headers, allow_redirects=False
            ) as back:
                data, status = await back.read(), back.status
        except TimeoutError:
            raise ReplyFailed("timeout", "no reply in time", retryable=True) from None
        except (aiohttp.ClientError, OSError) as error:
            raise ReplyFailed("connection", type(error).__name__, retryable=True) from None
        if status != 200:
            if b"context_length_exceeded" in data:
                raise ContextOverflow("the context window is full")
            again = status == 429 or status >= 500
            raise ReplyFailed("server" if again else "bad_request", f"the server said {status}", retryable=again)
        try:
            read: Any = msgspec.json.decode(data)
            text = read["choices"][0]["message"]["content"] or ""
        except (msgspec.DecodeError, LookupError, TypeError):
            raise ReplyFailed("protocol", "not a reply", retryable=True) from None
        return Reply(text=text, finish="stop", timing=Timing(total=time.perf_counter() - started))

    async def end(self, session: Session) -> None:
        """Nothing to free yet."""

    async def close(self) -> None:
        """End the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


def open_engines(specs: Sequence[str], options: EngineOptions) -> list[HttpEngine]:
    """Open one engine per spec."""
    return [HttpEngine(spec, options) for spec in specs]
