"""A chat server on loopback that does what a script says: replies rightly, fails in every known way, writes down all.

    with FaultyServer(Script(steps=(Step(status=500),))) as server: ...   # in a thread of this process
    python faulty_server.py PORT_FILE SCRIPT                              # a process of its own, to be killed

It speaks the OpenAI form (``/v1/chat/completions``, ``/v1/models``) and Ollama's own (``/api/chat``, ``/api/tags``,
``/api/show``). A right reply is a function of all messages (:func:`right_reply`), so that a message that was lost,
changed or swapped between conversations shows in the text. The process listens on the port that stands in PORT_FILE, or
on a free one that it then writes there; SCRIPT is a JSON file; what it is asked goes line by line to PORT_FILE.asked.
"""

from __future__ import annotations

import asyncio
import collections
import hashlib
import os
import random
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

import msgspec
from aiohttp import web

HOST: Final = "127.0.0.1"
MODEL: Final = "tester"
NOTHING: Final = 0
"""The status of a request that gets no status: it is reset, or hangs."""
PIECES: Final = 40
KEY: Final = "{key}"
"""In a scripted body, stands for the key that came with the request."""
LINGER_NOT: Final = struct.pack("ii", 1, 0)
"""Close a socket with a reset, not with a goodbye."""


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one request is answered; by default with 200 and the right reply.

    ``delay`` is in seconds, before anything is sent. ``fault``: ``reset`` before a byte is sent or ``reset_mid_body``,
    ``hang`` (nothing is ever sent), ``slow_body`` (in pieces, ``pause`` seconds apart), ``cut_body`` (the JSON ends in
    its middle, the HTTP reply is whole). ``body`` takes the place of the whole reply, ``message`` of the message in it
    and ``choices`` of its choices. ``prompt_tokens`` is a count that does not grow; None counts words.
    """

    status: int = 200
    headers: dict[str, str] = {}
    delay: float = 0.0
    fault: Literal["", "reset", "reset_mid_body", "hang", "slow_body", "cut_body"] = ""
    pause: float = 0.05
    body: str | None = None
    content_type: str = "application/json"
    message: dict[str, Any] | None = None
    choices: list[dict[str, Any]] | None = None
    finish: str | None = "stop"
    usage: bool = True
    prompt_tokens: int | None = None
    served_model: str = MODEL


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """What a server does: ``steps`` in the order of chat requests, then ``always``.

    ``chance`` is the share of requests that meet one of ``faults`` in place of ``always``, decided by ``seed``, the
    messages and how often they were sent: the order of conversations has no part in it. More requests at once than
    ``capacity`` are answered with ``refusal``. ``models`` is how the list of models is asked for. ``seeds``: whether the
    text depends on the seed (``honoured``), comes out anew each time (``ignored``), or neither.
    """

    steps: tuple[Step, ...] = ()
    always: Step = Step()
    chance: float = 0.0
    seed: int = 0
    faults: tuple[Step, ...] = ()
    capacity: int | None = None
    refusal: Step = Step(status=429, body='{"error": {"message": "too many at once"}}')
    models: Step = Step(body=f'{{"object": "list", "data": [{{"id": "{MODEL}", "object": "model"}}]}}')
    seeds: Literal["unread", "honoured", "ignored"] = "unread"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it came: ``at`` in seconds of the monotonic clock, ``in_flight`` with itself among them."""

    method: str
    path: str
    headers: dict[str, str]
    body: str
    at: float
    in_flight: int
    status: int

    @property
    def chat(self) -> dict[str, Any]:
        """What was sent with it."""
        sent: dict[str, Any] = msgspec.json.decode(self.body)
        return sent

    @property
    def is_chat(self) -> bool:
        """Whether it asked for a reply."""
        return self.method == "POST" and self.path.endswith(("/chat/completions", "/api/chat"))


def right_reply(messages: Sequence[tuple[str, str]]) -> str:
    """What a healthy server says to these messages (role, content)."""
    digest = hashlib.sha256(repr([tuple(message) for message in messages]).encode()).hexdigest()[:12]
    return f"{messages[-1][1]} ({len(messages)} messages, {digest})"


def error_body(message: str, code: str | None = None) -> str:
    """The OpenAI form of an error."""
    return msgspec.json.encode({"error": {"message": message, "type": "error", "param": None, "code": code}}).decode()


class Service:
    """The handlers of one server."""

    def __init__(self, script: Script, note: Callable[[Asked], object]) -> None:
        self._script = script
        self._note = note
        self._chats = 0
        self._in_flight = 0
        self._sent: collections.Counter[str] = collections.Counter()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer any request."""
        self._in_flight += 1
        try:
            body = await request.text()
            step, content = self._answer(request, body)
            silent = step.fault in {"reset", "hang"}
            self._note(
                Asked(
                    method=request.method,
                    path=request.path,
                    headers=dict(request.headers),
                    body=body,
                    at=time.monotonic(),
                    in_flight=self._in_flight,
                    status=NOTHING if silent else step.status,
                )
            )
            return await _send(request, step, content)
        finally:
            self._in_flight -= 1

    def _answer(self, request: web.Request, body: str) -> tuple[Step, bytes]:
        path = request.path
        if request.method == "POST" and path.endswith(("/chat/completions", "/api/chat")):
            step = self._step(body)
            content = step.body.encode() if step.body is not None else self._reply(step, path, body)
        elif path.endswith(("/models", "/api/tags")):
            step = self._script.models
            content = (step.body or "").encode()
            if path == "/api/tags" and step.status == 200:
                content = msgspec.json.encode({"models": [{"name": f"{MODEL}:latest", "model": f"{MODEL}:latest"}]})
        elif path == "/api/show":
            step, content = (
                Step(),
                msgspec.json.encode({"model_info": {}, "template": "", "capabilities": ["completion"]}),
            )
        else:
            step, content = Step(status=404), b'{"detail": "Not Found"}'
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return step, content.replace(KEY.encode(), key.encode())

    def _step(self, body: str) -> Step:
        script = self._script
        number, self._chats = self._chats, self._chats + 1
        tries, self._sent[body] = self._sent[body], self._sent[body] + 1
        if script.capacity is not None and self._in_flight > script.capacity:
            return script.refusal
        if number < len(script.steps):
            return script.steps[number]
        chance = random.Random(f"{script.seed} {tries} {body}")  # noqa: S311 - no secret
        return chance.choice(script.faults) if chance.random() < script.chance else script.always

    def _reply(self, step: Step, path: str, body: str) -> bytes:
        sent = msgspec.json.decode(body)
        messages = [(message["role"], message["content"]) for message in sent["messages"]]
        text = right_reply(messages)
        if self._script.seeds == "honoured":
            text += f" by seed {sent.get('seed', sent.get('options', {}).get('seed'))}"
        elif self._script.seeds == "ignored":
            text += f" by chance {self._chats}"
        counted = sum(len(content.split()) + 4 for _, content in messages)
        prompt_tokens = counted if step.prompt_tokens is None else step.prompt_tokens
        message = {"role": "assistant", "content": text} if step.message is None else step.message
        form = _ollama if path == "/api/chat" else _openai
        whole = msgspec.json.encode(form(step, message, prompt_tokens, len(text.split())))
        return whole[: len(whole) // 2] if step.fault == "cut_body" else whole


def _openai(step: Step, message: dict[str, Any], prompt_tokens: int, new_tokens: int) -> dict[str, Any]:
    choices = [{"index": 0, "message": message, "finish_reason": step.finish}]
    whole: dict[str, Any] = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1,
        "model": step.served_model,
        "choices": choices if step.choices is None else step.choices,
    }
    if step.usage:
        total = prompt_tokens + new_tokens
        whole["usage"] = {"prompt_tokens": prompt_tokens, "completion_tokens": new_tokens, "total_tokens": total}
    return whole


def _ollama(step: Step, message: dict[str, Any], prompt_tokens: int, new_tokens: int) -> dict[str, Any]:
    whole = {"model": step.served_model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True}
    counts = {"prompt_eval_count": prompt_tokens, "eval_count": new_tokens} if step.usage else {}
    return whole | {"done_reason": step.finish} | counts


async def _send(request: web.Request, step: Step, content: bytes) -> web.StreamResponse:
    await asyncio.sleep(step.delay)
    if step.fault == "hang":
        await asyncio.sleep(3600)
    response = web.StreamResponse(status=step.status, headers=step.headers)
    if step.fault == "reset":
        _reset(request)
        return response
    response.content_type = step.content_type
    response.content_length = len(content)
    await response.prepare(request)
    half = len(content) // 2
    if step.fault == "reset_mid_body":
        await response.write(content[:half])
        await asyncio.sleep(0.02)  # so that the half is on its way before the reset
        _reset(request)
    elif step.fault == "slow_body":
        size = max(1, len(content) // PIECES)
        for start in range(0, len(content), size):
            await asyncio.sleep(step.pause)
            await response.write(content[start : start + size])
    else:
        await response.write(content)
    return response


def _reset(request: web.Request) -> None:
    transport = request.transport
    if transport is not None:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
        transport.abort()


async def _serve(service: Service, port: int, ready: Callable[[int], object], stop: asyncio.Event) -> None:
    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", service.handle)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port, backlog=512).start()
        ready(runner.addresses[0][1])
        await stop.wait()
    finally:
        await runner.cleanup()


class FaultyServer:
    """A server in a thread of this process, with an event loop of its own; use it in a ``with``."""

    def __init__(self, script: Script = Script(), *, port: int = 0) -> None:  # noqa: B008 - a frozen value
        self._script = script
        self.port = port
        self.asked: list[Asked] = []

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._main(ready),), name="faulty server")
        self._thread.start()
        assert ready.wait(10), "the server did not start"
        return self

    async def _main(self, ready: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()

        def listening(port: int) -> None:
            self.port = port
            ready.set()

        await _serve(Service(self._script, self.asked.append), self.port, listening, self._stop)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Listen no more, and drop every connection; may be called twice."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)
            assert not self._thread.is_alive(), "the server did not stop"

    @property
    def url(self) -> str:
        """Where the OpenAI form begins."""
        return f"http://{HOST}:{self.port}/v1"

    @property
    def spec(self) -> str:
        """The model spec of its model."""
        return f"openai:{MODEL}@{self.url}"

    @property
    def ollama_spec(self) -> str:
        """The same model through Ollama's own route."""
        return f"ollama:{MODEL}@http://{HOST}:{self.port}"

    @property
    def chats(self) -> list[Asked]:
        """The requests for a reply, in the order in which they came."""
        return [asked for asked in self.asked if asked.is_chat]


def main(port_file: Path, script: Path) -> None:
    """Serve until killed."""
    asked_file = port_file.with_name(f"{port_file.name}.asked")
    port = int(port_file.read_text(encoding="utf-8")) if port_file.exists() else 0

    def note(asked: Asked) -> None:
        line = msgspec.json.encode(asked) + b"\n"
        descriptor = os.open(asked_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        os.write(descriptor, line)  # in one write, so that no line is torn when the process is killed
        os.close(descriptor)

    def listening(port: int) -> None:
        fresh = port_file.with_name(f"{port_file.name}.new")
        fresh.write_text(str(port), encoding="utf-8")
        fresh.replace(port_file)
        sys.stdout.write("listening\n")
        sys.stdout.flush()

    async def forever() -> None:
        await _serve(Service(script_of(script), note), port, listening, asyncio.Event())

    asyncio.run(forever())


def script_of(path: Path) -> Script:
    """The script in a JSON file."""
    return msgspec.json.decode(path.read_bytes(), type=Script)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
