"""What OpenAI-compatible servers tell of themselves: lists of models, versions, llama.cpp's settings. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from multiturn.engines.http_json import Reader
from multiturn.engines.http_openai import Server
from multiturn.errors import ReplyFailed

SAMPLING: Final = (
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
_OFF_AT_ONE: Final = frozenset({"top_p", "typical_p", "repeat_penalty"})


class Meta(msgspec.Struct, frozen=True):
    """llama.cpp's of a model: sizes in weights and bytes."""

    n_ctx: int | None = None
    n_params: int | None = None
    size: int | None = None


class Model(msgspec.Struct, frozen=True):
    """One entry of ``/models``.

    ``max_model_len`` is vLLM's window in tokens, ``root`` what it loaded; an adapter has a ``parent``, its base.
    """

    id: str = ""
    owned_by: str | None = None
    max_model_len: int | None = None
    root: str | None = None
    parent: str | None = None
    aliases: list[str] | None = None
    meta: Meta | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What it can be asked for by."""
        return (self.id, *(self.aliases or ()))

    def served_as(self, name: str) -> str:
        """What runs under a name, with llama.cpp's size of it; empty where that is no more than the name."""
        root = last_of_path(self.root or self.id)
        size = f" ({self.meta.n_params} weights, {self.meta.size} bytes)" if self.meta and self.meta.size else ""
        return "" if root == name and not size else root + size


def window_of(model: Model, models: Sequence[Model]) -> int | None:
    """The window in tokens: the model's own, or that of the base that it is an adapter for."""
    if model.max_model_len is not None or model.parent is None:
        return model.max_model_len
    return next((base.max_model_len for base in models if base.id == model.parent), None)


class Props(msgspec.Struct, frozen=True):
    """llama.cpp's ``/props``."""

    class Settings(msgspec.Struct, frozen=True):
        """What it generates with where a request says nothing; ``n_ctx`` is the window of one slot, in tokens."""

        params: dict[str, Any] = {}
        n_ctx: int | None = None

    default_generation_settings: Settings = Settings()
    chat_template: str | None = None
    bos_token: str | None = None
    eos_token: str | None = None
    total_slots: int | None = None
    build_info: str | None = None

    @property
    def defaults(self) -> dict[str, str]:
        """Sampling fields that are not off by default, with their values."""
        params = self.default_generation_settings.params
        numbers = {name: params[name] for name in SAMPLING if isinstance(params.get(name), int | float)}
        return {
            name: f"{value:.6g}" for name, value in numbers.items() if value != (1.0 if name in _OFF_AT_ONE else 0.0)
        }


class Version(msgspec.Struct, frozen=True):
    """What vLLM and Ollama say at their ``version``."""

    version: str = ""


class Tokens(msgspec.Struct, frozen=True):
    """llama.cpp's ``/tokenize``."""

    tokens: list[int]


class _Adapter(msgspec.Struct, frozen=True):
    path: str = ""
    scale: float = 0.0


class _Models(msgspec.Struct, frozen=True):
    data: list[Model] | None = None


class _Replied(msgspec.Struct, frozen=True):
    choices: list[Any] | None = None


class _Adapters(msgspec.Struct, frozen=True):
    data: list[_Adapter] | None = None


PROPS: Final = Reader(Props, dispensable=("default_generation_settings", "chat_template", "bos_token", "eos_token"))
VERSION: Final = Reader(Version)
TOKENS: Final = Reader(Tokens)
_MODELS: Final = Reader(_Models)
_REPLIED: Final = Reader(_Replied)
_ADAPTERS: Final = Reader(_Adapters)


def read_models(data: bytes) -> list[Model] | None:
    """The models of a list, in OpenAI's form or bare; None where it is none."""
    try:
        return _MODELS.read(_as_table(data)).data
    except ReplyFailed:
        return None


def has_choices(data: bytes) -> bool:
    """Whether it is a reply of the chat route."""
    try:
        return bool(_REPLIED.read(data).choices)
    except ReplyFailed:
        return False


def read_adapters(data: bytes) -> tuple[str, ...]:
    """The LoRA adapters that llama.cpp applies to every request, with their scales."""
    try:
        listed = _ADAPTERS.read(_as_table(data)).data or ()
    except ReplyFailed:
        return ()
    return tuple(f"{last_of_path(one.path)} at {one.scale:g}" for one in listed if one.scale)


def server_kind(models: list[Model] | None) -> Server:
    """Which kind of server lists these, by what it calls their owner."""
    owners = {model.owned_by for model in models or ()}
    kinds: tuple[Server, ...] = ("vllm", "sglang", "llamacpp")
    return next((kind for kind in kinds if kind in owners), "other")


def last_of_path(path: str) -> str:
    """The file's or folder's name of a path that begins at the root; a relative name stays as it is."""
    plain = path.replace("\\", "/").rstrip("/")
    return plain.rpartition("/")[2] if plain.startswith("/") or plain[1:2] == ":" else plain


def _as_table(data: bytes) -> bytes:
    return b'{"data":' + data + b"}" if data.lstrip().startswith(b"[") else data
