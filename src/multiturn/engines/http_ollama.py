"""The wire of Ollama's own routes: requests, replies, and what it tells of a model. Pure; no connection, no clock.

Its native route is used because its OpenAI route takes no window: there the server's default cuts long conversations
without a word. Here ``num_ctx`` is always set, cutting and shifting are switched off (``truncate`` and ``shift``, which
servers before 0.12 ignore), and a reply for which the window was too small is an overflow whatever the server did.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Final

import msgspec

from multiturn.codec import clean_surrogates
from multiturn.conversation import Message
from multiturn.engines.http_errors import Fault, read_fault
from multiturn.engines.http_json import Reader
from multiturn.engines.http_openai import Count
from multiturn.errors import ContextOverflow, ReplyFailed
from multiturn.transcript import FinishReason, Reply, Request, Sampling, Timing

DEFAULT_WINDOW: Final = 8192
FINISH: Final[dict[str, FinishReason]] = {"stop": "stop", "length": "length"}
OPTIONS: Final = (
    "frequency_penalty",
    "min_p",
    "num_ctx",
    "num_predict",
    "presence_penalty",
    "repeat_last_n",
    "repeat_penalty",
    "seed",
    "stop",
    "temperature",
    "top_k",
    "top_p",
    "typical_p",
)
"""What every request sets; a Modelfile's own values for these are never used."""
_NANOSECONDS: Final = 1e9


class OllamaWire(msgspec.Struct, frozen=True, kw_only=True):
    """How one model is asked. ``stop`` is the Modelfile's: a request's own list would take its place.

    ``rendered`` asks by text, past the model's template (``/api/generate``, raw). ``window`` is in tokens.
    """

    model: str
    window: int
    stop: tuple[str, ...] = ()
    thinks: bool = False
    extra: dict[str, Any] = {}
    rendered: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that a request carries, for the record."""
        return (*OPTIONS, "truncate", "shift", *(("think",) if self.thinks else ()))

    def budget(self, sampling: Sampling) -> int:
        """New tokens at most: the reply's, and those that were asked for its reasoning."""
        return sampling.max_tokens + sampling.reasoning_tokens

    def body(self, request: Request, text: str = "", stop: tuple[str, ...] = ()) -> bytes:
        """The JSON of a request; ``text`` and ``stop`` as for :class:`multiturn.engines.http_openai.OpenAIWire`."""
        sampling = request.sampling
        options = {
            "num_ctx": self.window,
            "num_predict": self.budget(sampling),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": 1 if sampling.temperature == 0 else sampling.top_k,
            "min_p": sampling.min_p,
            "typical_p": 1.0,
            "repeat_penalty": sampling.repeat_penalty,
            "repeat_last_n": 64,
            "presence_penalty": sampling.presence_penalty,
            "frequency_penalty": sampling.frequency_penalty,
            "seed": request.seed,
            "stop": (*sampling.stop, *stop, *self.stop),
        }
        extra = dict(self.extra)
        asked: dict[str, Any] = {
            "model": self.model,
            **(
                {"prompt": text, "raw": True}
                if self.rendered
                else {"messages": [wire_message(one) for one in request.messages]}
            ),
            "options": options | extra.pop("options", {}),
            "stream": False,
            "truncate": False,
            "shift": False,
            **({"think": True} if self.thinks else {}),
            **({"format": msgspec.Raw(request.json_schema.encode())} if request.json_schema else {}),
            **extra,
        }
        return msgspec.json.encode(asked)

    def read(self, data: bytes, seconds: float, request: Request) -> Reply | Fault:
        """The reply in a body with status 200, or the fault that a server told with that status.

        Raises:
            ContextOverflow: the window was too small for prompt and reply: the server cut or shifted.
            ReplyFailed: it is neither (``protocol``).
        """
        said = _READER.read(data)
        if said.error:
            return read_fault(200, data)
        text = said.response if self.rendered else said.message.content if said.message else None
        if text is None or not said.done:
            told = "a reply that is not done" if text is not None else "no message"
            raise ReplyFailed("protocol", f"the server's JSON has {told}", retryable=True)
        finish = FINISH.get(said.done_reason or "", "unknown")
        self._require_room(finish, said, self.budget(request.sampling))
        thought = (said.message.thinking if said.message else None) or said.thinking or ""
        return Reply(
            text=clean_surrogates(text),
            finish=finish,
            reasoning=clean_surrogates(thought),
            timing=Timing(
                total=seconds,
                prompt=_seconds(said.prompt_eval_duration),
                generate=_seconds(said.eval_duration),
            ),
            prompt_tokens=said.prompt_eval_count,
            new_tokens=said.eval_count,
            served_model=said.model or "",
        )

    def _require_room(self, finish: FinishReason, said: _Said, budget: int) -> None:
        read, new = said.prompt_eval_count or 0, said.eval_count
        if read + budget > self.window:
            raise ContextOverflow(
                f"prompt and reply need {read + budget} tokens, num_ctx is {self.window}",
                needed=read + budget,
                window=self.window,
            )
        if finish == "length" and new is not None and new < budget - 1:  # some servers count the last token, some not
            raise ContextOverflow(
                f"the reply was cut off after {new} of {budget} tokens: the window of {self.window} tokens was full",
                window=self.window,
            )


def wire_message(message: Message) -> dict[str, str]:
    """A message as Ollama takes it: reasoning that is to be kept has a field of its own."""
    plain = {"role": message.role, "content": message.content}
    return plain | ({"thinking": message.reasoning} if message.reasoning else {})


class Shown(msgspec.Struct, frozen=True):
    """What Ollama tells of a model. ``context_length`` is what it was trained for, None where it does not say."""

    template: str
    system: str
    context_length: int | None
    thinks: bool
    parameters: dict[str, tuple[str, ...]]

    @property
    def stop(self) -> tuple[str, ...]:
        """The Modelfile's stop strings."""
        return self.parameters.get("stop", ())

    @property
    def template_sha256(self) -> str:
        """Which template it is."""
        return hashlib.sha256(self.template.encode()).hexdigest()


class _Show(msgspec.Struct, frozen=True):
    template: str | None = None
    system: str | None = None
    parameters: str | None = None
    capabilities: list[str] | None = None
    model_info: dict[str, Any] | None = None


def read_show(data: bytes) -> Shown:
    """What ``/api/show`` says of a model.

    Raises:
        ReplyFailed: it is no such thing (``protocol``).
    """
    show = _SHOW.read(data)
    lengths = [value for name, value in (show.model_info or {}).items() if name.endswith(".context_length")]
    whole = [length for length in lengths if isinstance(length, int) and length > 0]
    return Shown(
        template=show.template or "",
        system=show.system or "",
        context_length=min(whole, default=None),
        thinks="thinking" in (show.capabilities or ()),
        parameters=read_parameters(show.parameters or ""),
    )


def read_parameters(text: str) -> dict[str, tuple[str, ...]]:
    """A Modelfile's parameters as ``/api/show`` prints them: a name and a value a line, texts in quotes."""
    found: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        name, _, value = line.strip().partition(" ")
        if name and value.strip():
            found[name] = (*found.get(name, ()), _unquoted(value.strip()))
    return found


def read_digests(data: bytes) -> dict[str, str]:
    """Digests of the models that ``/api/tags`` lists, by name; empty where it can't be read."""
    try:
        tags = _TAGS.read(data)
    except ReplyFailed:
        return {}
    return {model.name: model.digest for model in tags.models or () if model.name and model.digest}


def full_name(name: str) -> str:
    """The name with its tag, as Ollama lists it."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def _unquoted(value: str) -> str:
    """A text in Go's quotes, whose escapes are JSON's where Modelfiles use them."""
    if not re.fullmatch(r'".*"', value, re.DOTALL):
        return value
    try:
        return msgspec.json.decode(value, type=str)
    except msgspec.DecodeError:
        return value[1:-1]


class _Message(msgspec.Struct, frozen=True):
    content: str | None = None
    thinking: str | None = None


class _Said(msgspec.Struct, frozen=True):
    message: _Message | None = None
    response: str | None = None
    thinking: str | None = None
    done: bool = False
    done_reason: str | None = None
    prompt_eval_count: Count | None = None
    eval_count: Count | None = None
    prompt_eval_duration: float | None = None
    eval_duration: float | None = None
    model: str | None = None
    error: Any = None


class _Tag(msgspec.Struct, frozen=True):
    name: str = ""
    digest: str = ""


class _Tags(msgspec.Struct, frozen=True):
    models: list[_Tag] | None = None


_READER: Final = Reader(
    _Said, dispensable=("prompt_eval_count", "eval_count", "prompt_eval_duration", "eval_duration", "model")
)
_SHOW: Final = Reader(_Show, dispensable=("capabilities", "model_info", "parameters"))
_TAGS: Final = Reader(_Tags)


def _seconds(nanoseconds: float | None) -> float | None:
    return nanoseconds / _NANOSECONDS if nanoseconds is not None and nanoseconds >= 0 else None
