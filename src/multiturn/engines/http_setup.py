"""What servers say of themselves before the first reply: whether they are there, take the key and know the model.

Asks only for what costs nothing: lists of models, versions, templates. Each server is asked once for all specs of it.
"""

from __future__ import annotations

import difflib
from collections.abc import Awaitable
from typing import Any, Final, TypeVar

import msgspec

from multiturn.engines.http_errors import OK, REDIRECTS, Redactor, read_fault
from multiturn.engines.http_json import Reader
from multiturn.engines.http_ollama import Shown, full_name, read_digests, read_show
from multiturn.engines.http_openai import Server
from multiturn.engines.http_spec import Endpoint, Place
from multiturn.engines.http_transport import Heard, Transport, TryFailed
from multiturn.errors import EngineSetupError, ReplyFailed

TIMEOUT: Final = 10.0
"""Seconds for one question; a list of models is quick, whatever the model does."""
SHOWN_NAMES: Final = 8
UNAUTHORISED: Final = frozenset({401, 403})
NOT_FOUND: Final = 404
T = TypeVar("T", bound=msgspec.Struct)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a server says. ``served`` is what it runs under the name that was asked for, where it tells.

    ``window`` is in tokens. ``defaults`` are sampling fields that it would set by itself. ``template``, ``bos`` and
    ``eos`` are the model's, where the server shows them. ``shown`` and ``digest`` are Ollama's.
    """

    server: Server | None = None
    version: str = ""
    served: str = ""
    window: int | None = None
    template: str | None = None
    bos: str | None = None
    eos: str | None = None
    defaults: dict[str, str] = {}
    shown: Shown | None = None
    digest: str = ""
    notes: tuple[str, ...] = ()


class _Meta(msgspec.Struct, frozen=True):
    n_ctx: int | None = None
    n_params: int | None = None
    size: int | None = None


class _Model(msgspec.Struct, frozen=True):
    id: str = ""
    owned_by: str | None = None
    max_model_len: int | None = None
    root: str | None = None
    parent: str | None = None
    aliases: list[str] | None = None
    meta: _Meta | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.id, *(self.aliases or ()))


class _Models(msgspec.Struct, frozen=True):
    data: list[_Model] | None = None


class _Settings(msgspec.Struct, frozen=True):
    params: dict[str, Any] = {}
    n_ctx: int | None = None


class _Props(msgspec.Struct, frozen=True):
    default_generation_settings: _Settings | None = None
    chat_template: str | None = None
    bos_token: str | None = None
    eos_token: str | None = None
    build_info: str | None = None


class _Version(msgspec.Struct, frozen=True):
    version: str = ""


class _Adapter(msgspec.Struct, frozen=True):
    path: str = ""
    scale: float = 0.0


class _Adapters(msgspec.Struct, frozen=True):
    adapters: list[_Adapter] = []


_MODELS: Final = Reader(_Models)
_PROPS: Final = Reader(_Props, dispensable=("default_generation_settings", "chat_template", "bos_token", "eos_token"))
_VERSION: Final = Reader(_Version)
_SAMPLING: Final = (
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "typical_p",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
    "xtc_probability",
    "dry_multiplier",
    "mirostat",
)
_OFF: Final = {"top_p": 1.0, "typical_p": 1.0, "repeat_penalty": 1.0}
"""What the others are when they are off is 0."""


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
        first = found[0]
        for place, other in zip(endpoint.places, found, strict=True):
            if (other.server, other.version, other.served, other.digest) != (
                first.server,
                first.version,
                first.served,
                first.digest,
            ):
                raise EngineSetupError(
                    f"{endpoint.spec}: {endpoint.places[0].base} and {place.base} do not run the same: "
                    f"{_self_told(first)} / {_self_told(other)}",
                    hint="give only URLs of one model on one version of a server",
                )
        windows = [one.window for one in found if one.window is not None]
        return msgspec.structs.replace(first, window=min(windows, default=None))

    async def _of_openai(self, endpoint: Endpoint, place: Place) -> Found:
        heard = await self._asked(endpoint, place, place.models)
        if heard.status == NOT_FOUND:
            await self._require_v1(endpoint, place)
        models = _models(heard)
        server: Server = "azure" if endpoint.azure else "openai" if endpoint.public else _server(models)
        if models is None or endpoint.azure:
            why = "lists no deployments" if endpoint.azure else f"lists no models ({heard.status})"
            return Found(server=server, notes=(f"{place.host} {why}: the name {endpoint.model} was not checked",))
        model, notes = self._chosen(endpoint, place, models, server)
        found = Found(server=server, served=_served(model, endpoint.model), window=model.max_model_len, notes=notes)
        if server == "llamacpp":
            return await self._of_llamacpp(place, model, found)
        if server == "vllm":
            version = await self._read(place, f"{place.root}/version", _VERSION)
            return msgspec.structs.replace(found, version=version.version if version else "")
        return found

    def _chosen(
        self, endpoint: Endpoint, place: Place, models: list[_Model], server: Server
    ) -> tuple[_Model, tuple[str, ...]]:
        """The model of that name among those that a server lists."""
        named = next((model for model in models if endpoint.model in model.names), None)
        if named is not None:
            told = (
                (f"{place.host} is Ollama, whose OpenAI route cuts long conversations: use ollama:{endpoint.model}",)
                if named.owned_by == "library"
                else ()
            )
            return named, told
        if not models:
            return _Model(id=endpoint.model), (f"{place.host} lists no models: the name was not checked",)
        if server == "llamacpp" and len(models) == 1:
            name = _base_name(models[0].id)
            return models[0], (f"{place.host} (llama.cpp) takes any name for its one model: it serves {name}",)
        names = [name for model in models for name in model.names]
        near = difflib.get_close_matches(endpoint.model, names, n=3, cutoff=0.4)
        more = "" if near or len(names) <= SHOWN_NAMES else f" and {len(names) - SHOWN_NAMES} more"
        shown = self._redact(", ".join(near or names[:SHOWN_NAMES]))
        raise EngineSetupError(
            f"{place.base} serves no model called {endpoint.model!r}",
            hint=f"did you mean {shown}?" if near else f"it serves {shown}{more}",
        )

    async def _of_llamacpp(self, place: Place, model: _Model, found: Found) -> Found:
        props = await self._read(place, f"{place.root}/props", _PROPS) or _Props()
        settings = props.default_generation_settings or _Settings()
        window = settings.n_ctx or (model.meta.n_ctx if model.meta else None)
        loaded = await self._adapters(place)
        return msgspec.structs.replace(
            found,
            version=props.build_info or "",
            served=" + ".join((found.served, *loaded)),
            window=window,
            template=props.chat_template or None,
            bos=props.bos_token,
            eos=props.eos_token,
            defaults=_defaults(settings.params),
        )

    async def _adapters(self, place: Place) -> tuple[str, ...]:
        """LoRA adapters that llama.cpp applies to every request."""
        heard = await self._quietly(self._get(place, f"{place.root}/lora-adapters"))
        if heard is None or heard.status != OK:
            return ()
        try:
            listed = msgspec.convert(
                {"adapters": msgspec.json.decode(heard.data)}, _Adapters, strict=False
            )  # a bare list, which a Reader does not take
        except msgspec.DecodeError:
            return ()
        return tuple(f"{_base_name(one.path)} at {one.scale:g}" for one in listed.adapters if one.scale)

    async def _of_ollama(self, endpoint: Endpoint, place: Place) -> Found:
        base = place.base
        shown = await self._asked(endpoint, place, f"{base}/api/show", {"model": endpoint.model})
        if shown.status == NOT_FOUND:
            listed = await self._get(place, place.models)
            names = list(read_digests(listed.data))
            near = difflib.get_close_matches(endpoint.model, names, n=3, cutoff=0.4)
            has = f"; it has {self._redact(', '.join(near or names[:SHOWN_NAMES]))}" if names else ""
            raise EngineSetupError(
                f"Ollama at {base} has no model {endpoint.model!r}{has}", hint=f"ollama pull {endpoint.model}"
            )
        if shown.status != OK:
            fault = read_fault(shown.status, shown.data)
            raise EngineSetupError(
                f"Ollama at {base} said {shown.status}: {self._redact(fault.message)}",
                hint=f"is it Ollama that listens there? curl {base}/api/version",
            )
        try:
            told = read_show(shown.data)
        except ReplyFailed as error:
            raise EngineSetupError(
                f"{base} does not talk like Ollama: {error.message}",
                hint=f"for an OpenAI-compatible server write openai:{endpoint.model}@{base}/v1",
            ) from None
        version = await self._read(place, f"{base}/api/version", _VERSION)
        listed = await self._get(place, place.models)
        notes = ("its Modelfile brings a system prompt, used where none is given",) if told.system else ()
        return Found(
            version=version.version if version else "",
            digest=read_digests(listed.data).get(full_name(endpoint.model), ""),
            shown=told,
            template=told.template or None,
            notes=notes,
        )

    async def _require_v1(self, endpoint: Endpoint, place: Place) -> None:
        """Raise where the list of models is found under /v1, which the URL lacks."""
        if place.base.endswith("/v1") or endpoint.azure:
            return
        heard = await self._quietly(self._get(place, f"{place.base}/v1/models"))
        if heard is not None and heard.status == OK and _models(heard) is not None:
            raise EngineSetupError(
                f"{place.base} has no models, {place.base}/v1 has",
                hint=f"write {endpoint.kind}:{endpoint.model}@{place.base}/v1",
            )

    async def _asked(self, endpoint: Endpoint, place: Place, url: str, body: dict[str, str] | None = None) -> Heard:
        """What a server says to the first question, which it must be there for."""
        try:
            heard = await self._get(place, url, body)
        except TryFailed as error:
            start = "ollama serve" if endpoint.kind == "ollama" else "start the server"
            raise EngineSetupError(
                f"no server replies at {place.base}: {error.message}", hint=f"{start}, or mend the URL in the spec"
            ) from None
        if heard.status in UNAUTHORISED:
            words = self._redact(read_fault(heard.status, heard.data).message)
            told = f"refused the key in ${place.key_variable}" if place.has_key else "wants a key, and none is set"
            hint = f"export {place.key_variable}=..."
            raise EngineSetupError(f"{place.base} {told} ({heard.status}: {words})", hint=hint)
        if heard.status in REDIRECTS:
            fault = read_fault(heard.status, heard.data)
            told = str(self._transport.refusal(heard, fault, place.host))
            raise EngineSetupError(told, hint="keys are not sent on to another address; give the final URL in the spec")
        if heard.status == OK and heard.is_page:
            raise EngineSetupError(
                f"{place.base} sends a page for people, not JSON",
                hint="is the URL the API's, with /v1 at its end, and no login page before it?",
            )
        return heard

    async def _get(self, place: Place, url: str, body: dict[str, str] | None = None) -> Heard:
        data = None if body is None else msgspec.json.encode(body)
        key = (url, repr(sorted(place.headers.items())), data)
        if key not in self._heard:
            self._heard[key] = await self._transport.ask("GET" if data is None else "POST", url, place.headers, data)
        return self._heard[key]

    async def _quietly(self, asking: Awaitable[Heard]) -> Heard | None:
        """What comes back, None where nothing does: for questions that may stay open."""
        try:
            return await asking
        except TryFailed:
            return None

    async def _read(self, place: Place, url: str, reader: Reader[T]) -> T | None:
        heard = await self._quietly(self._get(place, url))
        if heard is None or heard.status != OK:
            return None
        try:
            return reader.read(heard.data)
        except ReplyFailed:
            return None


def _models(heard: Heard) -> list[_Model] | None:
    """The models of a list, in OpenAI's form or bare; None where it is none."""
    if heard.status != OK:
        return None
    data = heard.data
    try:
        return _MODELS.read(b'{"data":' + data + b"}" if data.lstrip().startswith(b"[") else data).data
    except ReplyFailed:
        return None


def _server(models: list[_Model] | None) -> Server:
    owners = {model.owned_by for model in models or ()}
    kinds: tuple[Server, ...] = ("vllm", "sglang", "llamacpp")
    return next((kind for kind in kinds if kind in owners), "other")


def _served(model: _Model, name: str) -> str:
    """What runs under a name: file or folder without its path, with llama.cpp's size of it; empty where no more."""
    root = _base_name(model.root or model.id)
    size = f" ({model.meta.n_params} weights, {model.meta.size} bytes)" if model.meta and model.meta.size else ""
    return "" if root == name and not size else root + size


def _base_name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _defaults(params: dict[str, Any]) -> dict[str, str]:
    numbers = {name: params[name] for name in _SAMPLING if isinstance(params.get(name), int | float)}
    return {name: f"{value:.6g}" for name, value in numbers.items() if value != _OFF.get(name, 0.0)}


def _self_told(found: Found) -> str:
    told = (found.server, found.version, found.served, found.digest[:12])
    return " ".join(part for part in told if part) or "nothing told"
