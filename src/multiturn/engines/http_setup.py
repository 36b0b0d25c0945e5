"""What servers say of themselves before the first reply: whether they are there, take the key and know the model.

Asks for what costs nothing (lists of models, versions, templates), each server once for all specs of it. One that lists
no models is asked for a single short reply: else a wrong key or name would show only in the middle of a run.
"""

from __future__ import annotations

import asyncio
import difflib
from typing import Any, Final, TypeVar

import msgspec

from multiturn.engines.http_errors import OK, REDIRECTS, Redactor, read_fault
from multiturn.engines.http_json import Reader
from multiturn.engines.http_listing import (
    PROPS,
    TOKENS,
    VERSION,
    Model,
    Props,
    has_choices,
    last_of_path,
    read_adapters,
    read_models,
    server_kind,
    window_of,
)
from multiturn.engines.http_ollama import Shown, full_name, read_digests, read_show
from multiturn.engines.http_openai import Server
from multiturn.engines.http_refused import BUDGETS, in_file, lacks_template
from multiturn.engines.http_spec import Endpoint, Place
from multiturn.engines.http_transport import Heard, Transport, TryFailed
from multiturn.errors import EngineSetupError, ReplyFailed

TIMEOUT: Final = 10.0
"""Seconds for one question; a list of models is quick, whatever the model does."""
SHORT_REPLY: Final = 16
"""New tokens of the one reply that is asked for where a server lists no models."""
SHOWN_NAMES: Final = 8
UNAUTHORISED: Final = frozenset({401, 403})
NOT_READY: Final = frozenset({429, 503})
NOT_READY_WAITS: Final = (0.5, 1.5)
"""Seconds before a server that is not ready is asked again: what it says decides how it is asked for replies."""
NOT_FOUND: Final = 404
BAD_REQUEST: Final = 400
T = TypeVar("T", bound=msgspec.Struct)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a server says. ``served`` is what it runs under the name that was asked for, where it tells.

    ``window`` is in tokens, ``slots`` how many conversations it keeps in memory. ``defaults`` are sampling fields that
    it would set by itself. ``template``, ``bos`` and ``eos`` are the model's, where the server shows them, and
    ``adds_bos`` says whether it puts BOS before a text. ``shown`` and ``digest`` are Ollama's.
    """

    server: Server | None = None
    version: str = ""
    served: str = ""
    window: int | None = None
    slots: int | None = None
    template: str | None = None
    bos: str | None = None
    eos: str | None = None
    adds_bos: bool | None = None
    defaults: dict[str, str] = {}
    shown: Shown | None = None
    digest: str = ""
    notes: tuple[str, ...] = ()

    @property
    def runs(self) -> str:
        """What must be the same at all servers of one spec."""
        told = (self.server, self.version, self.served, self.digest[:12])
        return " ".join(part for part in told if part) or "nothing told"


class Setup:
    """Asks servers, remembering what each said."""

    def __init__(self, transport: Transport, redact: Redactor) -> None:
        self._transport = transport
        self._redact = redact
        self._heard: dict[tuple[str, str, bytes | None], Heard] = {}

    async def look(self, endpoint: Endpoint) -> Found:
        """What all servers of a spec say; they must agree.

        Raises:
            EngineSetupError: one is not there, refuses the key, does not know the model, or runs another one.
        """
        of_place = self._of_ollama if endpoint.kind == "ollama" else self._of_openai
        found = [await of_place(endpoint, place) for place in endpoint.places]
        first, firstly = found[0], endpoint.places[0].base
        for place, other in zip(endpoint.places, found, strict=True):
            if other.runs != first.runs:
                raise EngineSetupError(
                    f"{firstly} and {place.base} do not run the same: {first.runs} / {other.runs}",
                    hint="give only URLs of one model on one version of a server",
                )
        windows = [one.window for one in found if one.window is not None]
        return msgspec.structs.replace(first, window=min(windows, default=None))

    async def _of_openai(self, endpoint: Endpoint, place: Place) -> Found:
        heard = await self._asked(endpoint, place, place.models)
        if heard.status == NOT_FOUND:
            await self._require_v1(endpoint, place)
        models = read_models(heard.data) if heard.status == OK else None
        server: Server = "azure" if endpoint.azure else "openai" if endpoint.public else server_kind(models)
        if not models or endpoint.azure:
            await self._try_out(endpoint, place)
            return Found(server=server)
        model, notes = self._chosen(endpoint, place, models, server)
        if model is None:
            await self._require_reply(endpoint, place, models)
            found = Found(server=server, notes=notes)
        else:
            served = model.served_as(endpoint.model)
            found = Found(server=server, served=served, window=window_of(model, models), notes=notes)
        if model is not None and server == "llamacpp":
            return await self._of_llamacpp(place, model, found)
        if server == "vllm":
            version = await self._read(place, f"{place.root}/version", VERSION)
            return msgspec.structs.replace(found, version=version.version if version else "")
        return found

    def _chosen(
        self, endpoint: Endpoint, place: Place, models: list[Model], server: Server
    ) -> tuple[Model | None, tuple[str, ...]]:
        """The model of that name among those that a server lists, and what a reader should know of it.

        None where it is not among them: gateways reply to more names than they list (``model:provider``, aliases).
        """
        named = next((model for model in models if endpoint.model in model.names), None)
        if named is not None:
            told = f"{place.host} is Ollama, whose OpenAI route cuts long conversations: use ollama:{endpoint.model}"
            return named, (told,) if named.owned_by == "library" else ()
        if server == "llamacpp" and len(models) == 1:
            name = last_of_path(models[0].id)
            return models[0], (f"{place.host} (llama.cpp) takes any name for its one model: it serves {name}",)
        return None, (f"{place.host} does not list {endpoint.model!r}, but replies to it: its window is not told",)

    async def _require_reply(self, endpoint: Endpoint, place: Place, models: list[Model]) -> None:
        """Raise where a name that is not listed gets no reply either."""
        heard = await self._try_out(endpoint, place, unlisted=True)
        fault = read_fault(heard.status, heard.data) if heard else None
        if heard and heard.status == OK and has_choices(heard.data):
            return
        if fault and lacks_template(fault.message):
            return  # it is known: the first reply says what it lacks
        names = [name for model in models for name in model.names]
        words = f" ({fault.status}: {self._redact(fault.message)})" if fault else ""
        near = difflib.get_close_matches(endpoint.model, names, n=3, cutoff=0.4)
        more = "" if near or len(names) <= SHOWN_NAMES else f" and {len(names) - SHOWN_NAMES} more"
        shown = self._redact(", ".join(near or names[:SHOWN_NAMES]))
        raise EngineSetupError(
            f"{place.base} serves no model called {endpoint.model!r}{words}",
            hint=f"did you mean {shown}?" if near else f"it serves {shown}{more}",
        )

    async def _of_llamacpp(self, place: Place, model: Model, found: Found) -> Found:
        props = await self._read(place, f"{place.root}/props", PROPS) or Props()
        adapters = await self._quietly(place, f"{place.root}/lora-adapters")
        empty = await self._read(place, f"{place.root}/tokenize", TOKENS, {"content": "", "add_special": True})
        return msgspec.structs.replace(
            found,
            version=props.build_info or "",
            served=" + ".join((found.served, *(read_adapters(adapters.data) if adapters else ()))),
            window=props.default_generation_settings.n_ctx or (model.meta.n_ctx if model.meta else None),
            slots=props.total_slots,
            template=props.chat_template or None,
            bos=props.bos_token,
            eos=props.eos_token,
            adds_bos=None if empty is None else bool(empty.tokens),
            defaults=props.defaults,
        )

    async def _try_out(self, endpoint: Endpoint, place: Place, *, unlisted: bool = False) -> Heard | None:
        """What comes back for one short reply, None for nothing; raises where it shows what no later try would cure."""
        body = {
            "model": endpoint.model,
            "messages": [{"role": "user", "content": "Good day"}],
            endpoint.max_tokens_field: SHORT_REPLY,
            **endpoint.body,
        }
        try:
            heard = await self._get(place, place.chat, body)
        except TryFailed:
            return None  # slow or broken now; a run tries again
        self._require_key(place, heard)
        words = self._redact(read_fault(heard.status, heard.data).message)
        if heard.status == NOT_FOUND and not unlisted:
            raise EngineSetupError(
                f"{place.base} replies to no request for {endpoint.model!r} (404: {words})",
                hint="look at the name, and whether the URL ends as the server's API does (/v1)",
            )
        if heard.status == BAD_REQUEST and endpoint.max_tokens_field in words:
            raise EngineSetupError(
                f"{place.host} does not take {endpoint.max_tokens_field}: {words}",
                hint=in_file(endpoint, f'max_tokens_field = "{BUDGETS[endpoint.max_tokens_field]}"'),
            )
        self._require_json(place, heard)
        return heard

    async def _of_ollama(self, endpoint: Endpoint, place: Place) -> Found:
        base = place.base
        heard = await self._asked(endpoint, place, f"{base}/api/show", {"model": endpoint.model})
        tags = await self._quietly(place, place.models)
        digests = read_digests(tags.data) if tags else {}
        if heard.status == NOT_FOUND:
            near = difflib.get_close_matches(endpoint.model, digests, n=3, cutoff=0.4)
            names = self._redact(", ".join(near or list(digests)[:SHOWN_NAMES]))
            raise EngineSetupError(
                f"Ollama at {base} has no model {endpoint.model!r}" + (f"; it has {names}" if names else ""),
                hint=f"ollama pull {endpoint.model}",
            )
        if heard.status != OK:
            words = self._redact(read_fault(heard.status, heard.data).message)
            raise EngineSetupError(
                f"{base} said {heard.status}: {words}",
                hint=f"is it Ollama that listens there? curl {base}/api/version",
            )
        try:
            shown = read_show(heard.data)
        except ReplyFailed as error:
            raise EngineSetupError(
                f"{base} does not talk like Ollama: {error.message}",
                hint=f"for an OpenAI-compatible server write openai:{endpoint.model}@{base}/v1",
            ) from None
        version = await self._read(place, f"{base}/api/version", VERSION)
        return Found(
            version=version.version if version else "",
            digest=digests.get(full_name(endpoint.model), ""),
            shown=shown,
            template=shown.template or None,
            notes=("its Modelfile brings a system prompt, used where none is given",) if shown.system else (),
        )

    async def _require_v1(self, endpoint: Endpoint, place: Place) -> None:
        """Raise where the list of models is found under /v1, which the URL lacks."""
        if place.base.endswith("/v1") or endpoint.azure:
            return
        heard = await self._quietly(place, f"{place.base}/v1/models")
        if heard is not None and read_models(heard.data):
            raise EngineSetupError(
                f"{place.base} has no models, {place.base}/v1 has",
                hint=f"write {endpoint.kind}:{endpoint.model}@{place.base}/v1",
            )

    async def _asked(self, endpoint: Endpoint, place: Place, url: str, body: dict[str, str] | None = None) -> Heard:
        """What a server says to the first question, which it must be there for, and ready."""
        try:
            heard = await self._get(place, url, body)
            for wait in NOT_READY_WAITS:
                if heard.status in NOT_READY:
                    await asyncio.sleep(wait)
                    heard = await self._get(place, url, body)
        except TryFailed as error:
            start = "ollama serve" if endpoint.kind == "ollama" else "start the server"
            raise EngineSetupError(
                f"no server replies at {place.base}: {error.message}", hint=f"{start}, or mend the URL in the spec"
            ) from None
        self._require_key(place, heard)
        if heard.status in REDIRECTS:
            told = self._transport.refusal(heard, read_fault(heard.status, heard.data), place.host)
            raise EngineSetupError(
                told.message if told else f"{place.host} sends on to another address",
                hint="keys are not sent on to another address; give the final URL in the spec",
            )
        if heard.status in NOT_READY:
            words = self._redact(read_fault(heard.status, heard.data).message)
            raise EngineSetupError(
                f"{place.base} is there and not ready ({heard.status}: {words})",
                hint="wait until it is, then give the same command again",
            )
        self._require_json(place, heard)
        return heard

    def _require_key(self, place: Place, heard: Heard) -> None:
        if heard.status in UNAUTHORISED:
            words = self._redact(read_fault(heard.status, heard.data).message)
            told = f"refuses the key in ${place.key_variable}" if place.has_key else "wants a key, and none is set"
            raise EngineSetupError(
                f"{place.base} {told} ({heard.status}: {words})", hint=f"export {place.key_variable}=..."
            )

    def _require_json(self, place: Place, heard: Heard) -> None:
        if heard.status == OK and heard.is_page:
            raise EngineSetupError(
                f"{place.base} sends a page for people, not JSON",
                hint="is the URL the API's, with /v1 at its end, and no login page before it?",
            )

    async def _get(self, place: Place, url: str, body: dict[str, Any] | None = None) -> Heard:
        data = None if body is None else msgspec.json.encode(body)
        key = (url, repr(sorted(place.headers.items())), data)
        if key not in self._heard or self._heard[key].status in NOT_READY:
            self._heard[key] = await self._transport.ask("GET" if data is None else "POST", url, place.headers, data)
        return self._heard[key]

    async def _quietly(self, place: Place, url: str, body: dict[str, Any] | None = None) -> Heard | None:
        """What comes back with status 200; None where nothing does: for questions that may stay open."""
        try:
            heard = await self._get(place, url, body)
        except TryFailed:
            return None
        return heard if heard.status == OK else None

    async def _read(self, place: Place, url: str, reader: Reader[T], body: dict[str, Any] | None = None) -> T | None:
        heard = await self._quietly(place, url, body)
        try:
            return reader.read(heard.data) if heard else None
        except ReplyFailed:
            return None
