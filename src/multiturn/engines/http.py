"""Models behind HTTP servers: any OpenAI-compatible one (vLLM, llama.cpp, SGLang, OpenAI, Azure ...), and Ollama.

    openai:NAME[@URL[,URL2...]]     openai:FILE.toml
    ollama:NAME[@URL[,URL2...]]     ollama:FILE.toml

Set-up asks the servers whether they are there, take the key and know the model. A reply is asked for at once; what may
pass (429, 5xx, timeouts, broken connections) is tried again, what may not is raised. For one reply that takes at most
``(retries + 1) * (timeout + longest_wait)`` seconds at each server, apart from waiting until a place among those in
flight comes free; with several servers it moves on to the next.

The parts: ``http_spec`` and ``http_toml`` (what a spec means), ``http_setup`` (what servers say), ``http_facts`` (what
is true of an engine), ``http_text`` (templates of the user's), ``http_openai`` and ``http_ollama`` (the wire),
``http_transport`` (one request), ``http_errors`` and ``http_refused`` (what a refusal means, and which one ends a run),
``http_pace`` and ``http_seats`` (how many at once, and where).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import msgspec

from multiturn.conversation import Message
from multiturn.engines.http_errors import OK, Fault, Redactor, read_fault
from multiturn.engines.http_facts import Asking, asking, inspection
from multiturn.engines.http_json import Reader
from multiturn.engines.http_openai import OpenAIWire
from multiturn.engines.http_pace import Gate
from multiturn.engines.http_refused import may_be_the_schema, unusable
from multiturn.engines.http_seats import Seats
from multiturn.engines.http_setup import TIMEOUT, Found, Setup
from multiturn.engines.http_spec import Endpoint, parse_spec
from multiturn.engines.http_transport import Heard, Transport, TryFailed, tried_again
from multiturn.errors import ContextOverflow, ReplyFailed
from multiturn.facts import EngineOptions, Inspection, ServerOptions, Unknown
from multiturn.transcript import Flag, Prompt, Reply, Request, Session, Timing

BY_SERVER: Final = Unknown("the server renders the prompt")
TOO_MANY: Final = frozenset({429, 498, 503, 529})
"""Statuses that say that fewer requests should be in flight."""
MOVES: Final = frozenset({"connection", "server", "timeout"})
"""Kinds of failure for which another server is asked."""


class HttpEngine:
    """One model name on one or more servers."""

    def __init__(self, endpoint: Endpoint, found: Found, asked: Asking, server: ServerOptions) -> None:
        self.spec = endpoint.spec
        self.facts = asked.facts
        self._endpoint = endpoint
        self._found = found
        self._asking = asked
        self._wire = asked.wire
        self._server = server
        self._places = endpoint.places
        self._gates = [Gate(asked.at_once) for _ in endpoint.places]
        self._seats = Seats(len(endpoint.places))
        self._redact = Redactor(endpoint.secrets)
        self._transport = Transport(server.timeout, self._redact, os.environ)
        self._texts: dict[Session, tuple[tuple[Message, ...], str]] = {}
        self._name = ("", "")
        self._open = True
        self._replied = False

    async def prompt(self, request: Request) -> Prompt | Unknown:
        """The rendered text where we render; its length in tokens only the server knows."""
        if self._asking.form is None:
            return BY_SERVER
        template = self._asking.form.template
        flags: list[Flag] = []
        if template.system == "folded" and request.messages[0].role == "system":
            flags.append("system_folded")
        if template.fallback:
            flags.append("fallback_template")
        return Prompt(text=self._text(request), tokens=None, flags=tuple(flags))

    async def reply(self, request: Request) -> Reply:
        """The reply to the last message.

        Raises:
            EngineSetupError: a sampling field is asked for that this server has no name for; or, as long as there was
                no reply yet, the server refuses what every request would hold.
            ContextOverflow, ReplyFailed: as for any engine.
        """
        form = self._asking.form
        body = self._wire.body(request, self._text(request), form.stop) if form else self._wire.body(request)
        failed_at: list[int] = []
        tries = [0]
        now = asyncio.get_running_loop().time
        while True:
            seat = self._seats.of(request.session, now=now(), avoid=failed_at)
            try:
                return await self._insist(seat, body, request, tries, last=len(failed_at) + 1 == len(self._places))
            except TryFailed as failed:
                failed_at.append(seat)
                if failed.kind not in MOVES or len(failed_at) == len(self._places):
                    raise self._given_up(failed, tries[0], len(failed_at)) from None
                self._seats.failed(seat, now=now())

    async def end(self, session: Session) -> None:
        """Forget the session's server and text."""
        self._seats.leave(session)
        self._texts.pop(session, None)

    async def close(self) -> None:
        """End all connections."""
        self._open = False
        await self._transport.close()

    async def inspect(self) -> Inspection:
        """What the servers told of the model; nothing is asked."""
        return inspection(self._asking, self._found)

    async def rendered(self, messages: Sequence[Message]) -> str | None:
        """The text that the model would read, where we render or llama.cpp tells; else None."""
        if self._asking.form is not None:
            return self._asking.form.text(tuple(messages))
        if self._found.server != "llamacpp" or not isinstance(self._wire, OpenAIWire):
            return None
        place, wire = self._places[0], self._wire
        body = msgspec.json.encode({"messages": wire.messages(messages), **wire.extra})
        try:
            heard = await self._transport.ask("POST", f"{place.root}/apply-template", place.headers, body)
            return _RENDERED.read(heard.data).prompt if heard.status == OK else None
        except ReplyFailed:
            return None

    async def _insist(self, seat: int, body: bytes, request: Request, tries: list[int], *, last: bool) -> Reply:
        """Ask one server, again where that may help; one that is not there at all only where it is the last."""

        async def attempt() -> Reply:
            tries[0] += 1
            return await self._try(seat, body, request)

        try:
            return await attempt()
        except TryFailed as failed:
            if not failed.retryable or (failed.refused and not last):
                raise
            return await tried_again(
                attempt, failed, retries=self._server.retries, longest_wait=self._server.longest_wait
            )

    async def _try(self, seat: int, body: bytes, request: Request) -> Reply:
        if not self._open:
            raise ReplyFailed("engine", "the engine is closed")
        place, gate = self._places[seat], self._gates[seat]
        url = place.text if self._wire.rendered else place.chat
        clock = asyncio.get_running_loop().time
        await gate.enter()
        sent_at = clock()
        try:
            heard = await self._transport.ask("POST", url, place.headers, body)
            if heard.status in TOO_MANY:
                gate.limit.refused(sent_at=sent_at, now=clock())
            elif heard.status == OK:
                gate.limit.went_well()
        finally:
            gate.leave()
        return self._understood(heard, body, request, place.host)

    def _understood(self, heard: Heard, body: bytes, request: Request, host: str) -> Reply:
        """The reply in what came back."""
        if heard.status != OK:
            return self._refused(heard, read_fault(heard.status, heard.data), body, host)
        if heard.is_page:
            raise TryFailed("protocol", f"{host} sends a page for people, not a reply", retryable=False)
        try:
            reply = self._wire.read(heard.data, heard.seconds, request)
        except ContextOverflow:
            raise
        except ReplyFailed as error:
            raise TryFailed(error.kind, f"{host}: {error.message}", retryable=error.retryable) from None
        if isinstance(reply, Fault):
            return self._refused(heard, reply, body, host)
        self._replied = True
        if reply.served_model != self._name[0]:
            self._name = (reply.served_model, self._redact(reply.served_model))
        told, shown = self._name
        return reply if told == shown else msgspec.structs.replace(reply, served_model=shown)

    def _refused(self, heard: Heard, fault: Fault, body: bytes, host: str) -> Reply:
        error = self._transport.refusal(heard, fault, host)
        if isinstance(error, TryFailed) and not self._replied:
            stop = unusable(fault, error.message, self._endpoint, body)
            if stop is not None:
                raise stop
            if error.kind == "bad_request":
                raise TryFailed(error.kind, error.message + may_be_the_schema(fault, body), retryable=False)
        if error is not None:
            raise error
        return Reply(text="", finish="filter", timing=Timing(total=heard.seconds))

    def _given_up(self, failed: TryFailed, tries: int, servers: int) -> ReplyFailed:
        told = f"tried {tries} times" if tries > 1 else "tried once"
        where = f" at {servers} servers" if servers > 1 else ""
        return ReplyFailed(failed.kind, f"{failed.message} ({told}{where})", retryable=failed.retryable)

    def _text(self, request: Request) -> str:
        ready = self._texts.get(request.session)
        if ready is not None and ready[0] == request.messages:
            return ready[1]
        text = self._asking.form.text(request.messages) if self._asking.form else ""
        self._texts[request.session] = (request.messages, text)
        return text


class _Rendered(msgspec.Struct, frozen=True):
    prompt: str


_RENDERED: Final = Reader(_Rendered)


def open_engines(specs: Sequence[str], options: EngineOptions) -> list[HttpEngine]:
    """Open one engine per spec, once their servers have said that they are there and know the model.

    Raises:
        SpecError, NotFound: a spec or its file can't be read, or holds a secret.
        EngineSetupError: a server is not there, refuses the key, or does not know the model.
    """
    endpoints = [parse_spec(spec, os.environ) for spec in specs]
    redact = Redactor([secret for endpoint in endpoints for secret in endpoint.secrets])
    engines = []
    for endpoint, found in zip(endpoints, _look(endpoints, redact), strict=True):
        engines.append(HttpEngine(endpoint, found, asking(endpoint, found, options), options.server))
    return engines


def _look(endpoints: Sequence[Endpoint], redact: Redactor) -> list[Found]:
    """What the servers say; inside a running event loop from a thread with a loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_looked(endpoints, redact))
    with ThreadPoolExecutor(1, thread_name_prefix="multiturn set-up") as thread:
        return thread.submit(asyncio.run, _looked(endpoints, redact)).result()


async def _looked(endpoints: Sequence[Endpoint], redact: Redactor) -> list[Found]:
    transport = Transport(TIMEOUT, redact, os.environ)
    setup = Setup(transport, redact)
    try:
        return [await setup.look(endpoint) for endpoint in endpoints]
    finally:
        await transport.close()
