"""One llama.cpp server inside the process: load, tokenise, decode, give up, close. Only this file knows xllamacpp.

Requests go over its loopback listener (a random port, guarded by a random key), so that one in flight can be given up
at any moment: llama.cpp stops decoding as soon as its client has gone.
"""

from __future__ import annotations

import contextlib
import http.client
import importlib.metadata
import secrets
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec

from multiturn.errors import ContextOverflow, EngineSetupError, MissingExtra, ReplyFailed
from multiturn.transcript import Piece

try:
    import xllamacpp
except ImportError as error:
    raise MissingExtra("the llamacpp engine needs xllamacpp", hint="pip install xllamacpp") from error

INFERENCE_TIMEOUT: Final = 3600.0  # seconds; a long reply of a large model on a slow CPU
T = TypeVar("T")


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """What a server loads. ``window`` is in tokens, for each of its ``slots``."""

    model: Path
    adapters: tuple[Path, ...]
    window: int
    slots: int
    threads: int
    gpu_layers: int


class Timings(msgspec.Struct, frozen=True):
    """What llama.cpp measured, in tokens and milliseconds."""

    cache_n: int
    prompt_ms: float
    predicted_n: int
    predicted_ms: float


class _Likely(msgspec.Struct, frozen=True):
    """A token as text, and its log-probability."""

    token: str
    logprob: float


class _Probability(msgspec.Struct, frozen=True):
    """The token that was drawn, and the likeliest in its place."""

    token: str
    logprob: float
    top_logprobs: list[_Likely]


class Decoded(msgspec.Struct, frozen=True):
    """What llama.cpp decoded for a prompt: only what is used of it."""

    content: str
    tokens: list[int]
    stop_type: str
    timings: Timings
    completion_probabilities: list[_Probability] = []

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Each token with the likeliest in its place; none where that was not asked for."""
        return tuple(
            Piece(
                text=one.token,
                logprob=one.logprob,
                alternatives=tuple((likely.token, likely.logprob) for likely in one.top_logprobs),
            )
            for one in self.completion_probabilities
        )


class Flight:
    """One request in flight, which can be given up from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: http.client.HTTPConnection | None = None
        self._given_up = False

    def take_off(self, connection: http.client.HTTPConnection) -> None:
        """Connect, unless the request was given up already."""
        with self._lock:
            if self._given_up:
                raise ReplyFailed("connection", "the request was given up")
            connection.connect()
            self._connection = connection

    def give_up(self) -> None:
        """End the request: who waits for it gets ReplyFailed, and llama.cpp stops decoding."""
        with self._lock:
            self._given_up = True
            if self._connection is not None and self._connection.sock is not None:
                with contextlib.suppress(OSError):  # gone already
                    self._connection.sock.shutdown(socket.SHUT_RDWR)


class _Tokens(msgspec.Struct, frozen=True):
    tokens: list[int]


class _Text(msgspec.Struct, frozen=True):
    content: str


class _Fault(msgspec.Struct, frozen=True):
    message: str = ""
    type: str = ""
    n_prompt_tokens: int | None = None
    n_ctx: int | None = None


class _Refused(msgspec.Struct, frozen=True):
    error: _Fault


class Server:
    """A loaded model that can be asked from any thread."""

    def __init__(self, loaded: Loaded) -> None:
        self._key = secrets.token_hex(16)
        parameters = _parameters(loaded, self._key)
        try:
            self._server: Any = xllamacpp.Server(parameters)
        except RuntimeError as error:
            raise EngineSetupError(
                f"llama.cpp can't load {' with '.join(map(str, (loaded.model, *loaded.adapters)))}",
                hint="is the file whole, and is there enough free memory? A smaller --context-window takes less",
            ) from error
        address = urlsplit(self._server.listening_address)
        self._host, self._port = address.hostname or "127.0.0.1", address.port or 0
        self._flights: set[Flight] = set()
        self._lock = threading.Lock()
        self._closed = False

    def tokenize(self, text: str, *, control: bool, flight: Flight | None = None) -> list[int]:
        """Token ids of a text, nothing added. ``control``: whether text that spells a control token becomes one."""
        body = {"content": text, "add_special": False, "parse_special": control}
        return self._post("/tokenize", body, _Tokens, flight or Flight()).tokens

    def spell(self, ids: list[int], flight: Flight | None = None) -> str:
        """The text of token ids, control tokens too."""
        return self._post("/detokenize", {"tokens": ids}, _Text, flight or Flight()).content

    def decode(self, body: dict[str, Any], flight: Flight | None = None) -> Decoded:
        """The reply to a prompt of token ids.

        Raises:
            ContextOverflow: the prompt alone fills the window.
            ReplyFailed: it refused, went away, or the flight was given up.
        """
        return self._post("/completion", body, Decoded, flight or Flight())

    def close(self) -> None:
        """Free the model. Requests in flight are given up. May be called twice."""
        with self._lock:
            self._closed = True
            flights = list(self._flights)
        for flight in flights:
            flight.give_up()
        self._server = None

    def _post(self, path: str, body: dict[str, Any], kind: type[T], flight: Flight) -> T:
        with self._lock:
            if self._closed:
                raise ReplyFailed("engine", "the llama.cpp server is closed")
            self._flights.add(flight)
        connection = http.client.HTTPConnection(self._host, self._port, timeout=INFERENCE_TIMEOUT)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        try:
            flight.take_off(connection)
            connection.request("POST", path, msgspec.json.encode(body), headers)
            back = connection.getresponse()
            data = back.read()
        except (OSError, http.client.HTTPException) as error:
            raise ReplyFailed("connection", f"the llama.cpp server went away: {error}", retryable=True) from error
        finally:
            with self._lock:
                self._flights.discard(flight)
            connection.close()
        if back.status != http.client.OK:
            raise _translated(back.status, data)
        try:
            return msgspec.json.decode(data, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ReplyFailed("protocol", f"the llama.cpp server said something unreadable: {error}") from error


def _translated(status: int, data: bytes) -> ContextOverflow | ReplyFailed:
    try:
        fault = msgspec.json.decode(data, type=_Refused).error
    except msgspec.DecodeError:
        fault = _Fault(message=data[:200].decode("utf-8", errors="replace"))
    if fault.type == "exceed_context_size_error":
        return ContextOverflow(fault.message, needed=fault.n_prompt_tokens, window=fault.n_ctx)
    unwell = status >= http.client.INTERNAL_SERVER_ERROR
    return ReplyFailed("server" if unwell else "bad_request", f"llama.cpp: {fault.message or status}", retryable=unwell)


def _parameters(loaded: Loaded, key: str) -> Any:  # noqa: ANN401 - an extension type without stubs
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(loaded.model)
    parameters.n_ctx = loaded.window * loaded.slots
    parameters.n_parallel = loaded.slots
    parameters.kv_unified = False
    parameters.cpuparams.n_threads = loaded.threads
    parameters.cpuparams_batch.n_threads = loaded.threads
    parameters.n_gpu_layers = loaded.gpu_layers
    parameters.cache_ram_mib = 0  # it gives prompts back whatever adapter made them
    parameters.ctx_shift = False
    parameters.warmup = False
    parameters.fit_params = False
    parameters.verbosity = -1
    parameters.ui = False
    parameters.api_keys = [key]
    parameters.lora_init_without_apply = True
    parameters.lora_adapters = [_adapter(path) for path in loaded.adapters]
    return parameters


def _adapter(path: Path) -> Any:  # noqa: ANN401 - an extension type without stubs
    return xllamacpp.CommonAdapterLoraInfo(str(path), 0.0)


def adapters_on(adapters: Sequence[Path], chosen: Path | None) -> list[dict[str, float]]:
    """The ``lora`` field of a request: the chosen adapter on, all others off."""
    return [{"id": index, "scale": 1.0 if path == chosen else 0.0} for index, path in enumerate(adapters)]


def processor() -> str:
    """Which instructions llama.cpp computes with: they decide the last bits, and so near-ties."""
    found = [
        part.split("=")[0].strip() for part in xllamacpp.get_system_info().split("|") if part.strip().endswith("= 1")
    ]
    return " ".join(part.rpartition(":")[2].strip() for part in found)


def package_version() -> str:
    """Version of xllamacpp, which fixes that of llama.cpp."""
    return importlib.metadata.version("xllamacpp")
