"""The servers of one model file and the seats in them: how many, how loaded, who sits where."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from multiturn.engines import chat_template
from multiturn.engines.gguf import Header, file_digest, read_header
from multiturn.engines.llamacpp_server import Flight, Loaded, Server
from multiturn.errors import EngineSetupError, ReplyFailed, SpecError
from multiturn.facts import EngineOptions

LARGEST_DEFAULT_WINDOW: Final = 8192
MEMORY_SHARE: Final = 0.6  # of the memory available, that all servers together may take
T = TypeVar("T")


class Seat(msgspec.Struct, eq=False):
    """One slot of one server. ``server`` is None until somebody first sits there."""

    slot: int
    server: Server | None = None


class Pool:
    """One model file, loaded; engines that differ in nothing but the adapter share it.

    Raises:
        NotFound, SpecError, EngineSetupError: a file is missing, damaged or of the wrong kind, or the options can't be
            had together.
    """

    def __init__(self, model: Path, adapters: tuple[Path, ...], options: EngineOptions) -> None:
        self.header = read_header(model)
        _check_model(self.header)
        for adapter in adapters:
            _check_adapter(read_header(adapter), self.header)
        self.template = chat_template.template_for(
            options, self.header.chat_template, bos=self.header.token("bos"), eos=self.header.token("eos")
        )
        self.adapters = adapters
        self.window = _window(self.header, options)
        self.batched = options.slots is not None or options.gpu_layers > 0
        if self.batched and options.reproducible:
            raise SpecError(
                "texts are not reproducible with slots or on a GPU: they depend on what else is being decoded",
                hint="leave out --reproducible, or leave out --slots and --gpu-layers",
            )
        self.threads = options.threads or (cores() if self.batched else 1)
        if self.threads > 1 and options.reproducible:
            raise SpecError(
                f"texts are not reproducible with {self.threads} threads a server: how attention is split changes them",
                hint="leave out --reproducible, or leave out --threads",
            )
        wanted = options.slots or 1 if self.batched else options.workers or cores()
        self.size = wanted if self.batched else min(wanted, _fitting(self.header, self.window))
        self.notes: tuple[str, ...] = ()
        if self.size < wanted:
            self.notes = (f"memory holds {self.size} of {wanted} servers, and so many conversations at once",)
        self.gpu_layers = options.gpu_layers
        self._loaded = Loaded(
            model=model,
            adapters=adapters,
            window=self.window,
            slots=self.size if self.batched else 1,
            threads=self.threads,
            gpu_layers=options.gpu_layers,
        )
        self.digests = {path: file_digest(path) for path in (model, *adapters)}
        self._servers: list[Server] = []
        self._free: asyncio.Queue[Seat] = asyncio.Queue()
        for index in range(self.size):
            self._free.put_nowait(Seat(index if self.batched else 0))
        self._loading = asyncio.Lock()
        self._executor = ThreadPoolExecutor(2 * self.size, thread_name_prefix="llamacpp")
        self._closed = False
        self._users = 0

    def join(self) -> None:
        """One more engine uses this pool; each that joined leaves once."""
        self._users += 1

    def leave(self) -> None:
        """One engine is done with it; the last one frees the model."""
        self._users -= 1
        if self._users <= 0:
            self.close()

    async def take(self) -> tuple[Seat, Server]:
        """A free seat and its server, loaded when somebody first sits there; waits for a seat.

        Raises:
            EngineSetupError: llama.cpp can't load the model.
        """
        seat = await self._free.get()
        try:
            seat.server = seat.server or await self._server()
        except BaseException:  # also a cancellation
            self.give(seat)
            raise
        return seat, seat.server

    def give(self, seat: Seat) -> None:
        """The seat is free again."""
        self._free.put_nowait(seat)

    async def work(self, call: Callable[[Flight], T]) -> T:
        """Run a blocking call in a thread; when the waiting task is cancelled, its request is given up first."""
        if self._closed:
            raise ReplyFailed("engine", "the engine is closed")
        flight = Flight()
        future = asyncio.get_running_loop().run_in_executor(self._executor, call, flight)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            flight.give_up()
            await asyncio.gather(future, return_exceptions=True)
            raise

    async def _server(self) -> Server:
        """One server for all seats where they are slots of it, else one of one's own."""
        if not self.batched:
            return await self._load()
        async with self._loading:
            return self._servers[0] if self._servers else await self._load()

    async def _load(self) -> Server:
        if self._closed:
            raise ReplyFailed("engine", "the engine is closed")
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._load_now)

    def _load_now(self) -> Server:
        server = Server(self._loaded)
        self._servers.append(server)
        if self._closed:  # nobody waited for it
            server.close()
        return server

    def close(self) -> None:
        """Give up what is in flight and free the model. May be called twice."""
        if not self._closed:
            self._closed = True
            for server in self._servers:
                server.close()
            self._executor.shutdown(wait=False, cancel_futures=True)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check_model(header: Header) -> None:
    if header.is_adapter:
        raise SpecError(
            f"{header.path} is an adapter, not a model", hint=f"write llamacpp:BASE.gguf+lora={header.path}"
        )
    if header.text("tokenizer.ggml.model") is None:
        raise EngineSetupError(f"{header.path} holds no tokenizer", hint="convert the model again, with its tokenizer")


def _check_adapter(adapter: Header, model: Header) -> None:
    if not adapter.is_adapter or adapter.text("adapter.type") != "lora":
        raise SpecError(
            f"{adapter.path} is not a LoRA adapter", hint="convert it with llama.cpp's convert_lora_to_gguf.py"
        )
    if adapter.architecture != model.architecture:
        raise EngineSetupError(
            f"{adapter.path} is an adapter for {adapter.architecture}; {model.path} is {model.architecture}",
            hint="name the base model that the adapter was trained on",
        )


def _window(header: Header, options: EngineOptions) -> int:
    trained = header.context_length
    if options.context_window is None:
        return min(trained or LARGEST_DEFAULT_WINDOW, LARGEST_DEFAULT_WINDOW)
    if trained is not None and options.context_window > trained:
        raise SpecError(
            f"a window of {options.context_window} tokens was asked for; {header.path.name} was trained for {trained}",
            hint=f"--context-window {trained}, or less",
        )
    return options.context_window


def _fitting(header: Header, window: int) -> int:
    """How many servers of one slot the memory available can hold, at least one; many where that is not known."""
    each = header.path.stat().st_size + _cache_bytes(header, window)
    available = _available_memory()
    return sys.maxsize if available is None else max(1, int(MEMORY_SHARE * available / each))


def _cache_bytes(header: Header, window: int) -> int:
    """Keys and values of a full window, two bytes each: layers x key-value heads x head width x tokens."""

    def field(name: str, default: int) -> int:
        return header.number(f"{header.architecture}.{name}") or default

    heads, width = field("attention.head_count", 32), field("embedding_length", 4096)
    key_width = field("attention.key_length", width // heads)
    return 2 * 2 * field("block_count", 32) * field("attention.head_count_kv", heads) * key_width * window


def _available_memory() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:  # not Linux: no bound is known
        return None
    found = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    return found[0] if found else None
