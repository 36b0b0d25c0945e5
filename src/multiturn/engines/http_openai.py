"""The wire of OpenAI-compatible servers: a request as JSON, a reply out of JSON. Pure; no connection, no clock.

Every sampling field that the server's kind has a name for is sent, so that none is left to its default. What a kind has
no name for can't be asked for: that stops a run before its first reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from multiturn.codec import clean_surrogates
from multiturn.conversation import Message
from multiturn.engines.http_errors import OK, Fault, fault_of, read_fault
from multiturn.engines.http_json import Reader
from multiturn.engines.http_logprobs import pieces, token_logprobs
from multiturn.engines.http_toml import MaxTokensField
from multiturn.engines.llamacpp_fields import GREEDY, SWITCHED_OFF
from multiturn.errors import ContextOverflow, EngineSetupError, ReplyFailed
from multiturn.transcript import MOST_LIKELY, FinishReason, Reply, Request, Sampling, Timing

Server = Literal["openai", "azure", "vllm", "sglang", "llamacpp", "other"]
"""What kind of server it is, as far as it says so itself."""

FINISH: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
}
BROKEN_OFF: Final = frozenset({"error", "abort", "insufficient_system_resource"})
"""Finish reasons of replies that the server gave up."""
_ALWAYS: Final = ("temperature", "top_p", "seed", "presence_penalty", "frequency_penalty", "stop")
_OFF: Final = {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0}


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """What a kind of server calls the fields that OpenAI has not; ``top_k_off`` is its number for no top-k.

    ``shows_control`` keeps control tokens in a reply's text: else a stop string that is one would not be seen.
    """

    names: dict[str, str]
    top_k_off: int = 0
    more: dict[str, Any] = {}
    shows_control: dict[str, Any] = {}
    only_if_asked: bool = False


_COMMON_NAMES: Final = {"top_k": "top_k", "min_p": "min_p", "repeat_penalty": "repetition_penalty"}
DIALECTS: Final[dict[Server, Dialect]] = {
    "openai": Dialect(names={}),
    "azure": Dialect(names={}),
    "vllm": Dialect(names=_COMMON_NAMES, top_k_off=-1, shows_control={"skip_special_tokens": False}),
    "sglang": Dialect(names=_COMMON_NAMES, top_k_off=-1, shows_control={"skip_special_tokens": False}),
    "llamacpp": Dialect(
        names={"top_k": "top_k", "min_p": "min_p", "repeat_penalty": "repeat_penalty"},
        more=SWITCHED_OFF | {"cache_prompt": True},
    ),
    "other": Dialect(names=_COMMON_NAMES, only_if_asked=True),
}
"""``other``: many servers refuse a field that they do not know, so there these are sent only where they are not off."""


class OpenAIWire(msgspec.Struct, frozen=True, kw_only=True):
    """How one model on one kind of server is asked.

    ``rendered`` asks by text (``/completions``), not by messages. ``window`` is in tokens. ``reasoning_field``: the
    server hands a field with earlier reasoning to its template. ``ends_in_control``: replies end at a control token,
    given as a stop string. ``omit`` are fields that are not sent, since this server refuses them.
    """

    model: str
    server: Server
    max_tokens_field: MaxTokensField = "max_tokens"
    extra: dict[str, Any] = {}
    rendered: bool = False
    window: int | None = None
    reasoning_field: bool = False
    ends_in_control: bool = False
    omit: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that a request carries, for the record."""
        dialect = DIALECTS[self.server]
        own = () if dialect.only_if_asked else tuple(dialect.names.values())
        return tuple(sorted({*_ALWAYS, *own, *dialect.more, *self._shows_control, self._limit_field} - set(self.omit)))

    @property
    def _shows_control(self) -> dict[str, Any]:
        return DIALECTS[self.server].shows_control if self.ends_in_control else {}

    @property
    def _limit_field(self) -> str:
        return "max_tokens" if self.rendered else self.max_tokens_field

    def budget(self, sampling: Sampling) -> int:
        """New tokens at most: the reply's, and those that were asked for its reasoning."""
        return sampling.max_tokens + sampling.reasoning_tokens

    def body(self, request: Request, text: str = "", stop: tuple[str, ...] = ()) -> bytes:
        """The JSON of a request.

        Args:
            request: what is asked.
            text: the rendered prompt, where the request is by text.
            stop: stop strings beside the sampling's own.

        Raises:
            EngineSetupError: a sampling field is asked for that this server has no name for.
        """
        sampling = request.sampling
        stops = (*sampling.stop, *stop)
        asked: dict[str, Any] = {
            "model": self.model,
            **({"prompt": text} if self.rendered else {"messages": self.messages(request.messages)}),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            self._limit_field: self.budget(sampling),
            "seed": request.seed,
            "presence_penalty": sampling.presence_penalty,
            "frequency_penalty": sampling.frequency_penalty,
            **self._own_fields(sampling),
            **self._shows_control,
            **self.extra,
        }
        for name in self.omit:
            asked.pop(name, None)
        if stops:
            asked["stop"] = stops
        if request.logprobs and "logprobs" not in self.omit:
            asked |= self._asks_for_logprobs()
        if request.json_schema:
            form = {"name": "reply", "strict": True, "schema": msgspec.Raw(request.json_schema.encode())}
            asked["response_format"] = {"type": "json_schema", "json_schema": form}
        return msgspec.json.encode(asked)

    def _asks_for_logprobs(self) -> dict[str, Any]:
        likely = 0 if "top_logprobs" in self.omit else MOST_LIKELY
        if self.rendered:
            return {"logprobs": likely}
        return {"logprobs": True, **({"top_logprobs": likely} if likely else {})}

    def messages(self, messages: Sequence[Message]) -> list[dict[str, str]]:
        """Messages as the chat routes take them."""
        return [wire_message(message, reasoning_field=self.reasoning_field) for message in messages]

    def _own_fields(self, sampling: Sampling) -> dict[str, Any]:
        dialect = DIALECTS[self.server]
        fields = dict(dialect.more)
        for ours, off in _OFF.items():
            value = getattr(sampling, ours)
            name = dialect.names.get(ours)
            if (name is None or name in self.omit) and value != off and ours not in self.extra:
                flag = f"--{ours.replace('_', '-')}"
                raise EngineSetupError(
                    f"{flag} {value:g} is asked for, and this server ({self.server}) has no such field",
                    hint=f"leave out {flag}",
                )
            if name is not None and not (dialect.only_if_asked and value == off):
                fields[name] = dialect.top_k_off if ours == "top_k" and value == off else value
        return fields | (GREEDY if self.server == "llamacpp" and sampling.temperature == 0 else {})

    def read(self, data: bytes, seconds: float, request: Request) -> Reply | Fault:
        """The reply in a body with status 200, or the fault that a server told with that status.

        Raises:
            ContextOverflow: the reply was cut off by the window, not by its budget.
            ReplyFailed: it is neither (``protocol``).
        """
        said = _READER.read(data)
        if said.error:  # also beside choices: a gateway whose model broke off sends what there was
            return read_fault(200, data)
        if not said.choices:
            raise ReplyFailed("protocol", "the server's JSON has no choices", retryable=True)
        choice, usage = said.choices[0], said.usage or _Usage()
        if choice.error or choice.finish_reason in BROKEN_OFF:
            return _fault_of(choice)
        text, reasoning = _texts(choice, rendered=self.rendered)
        finish = FINISH.get(choice.finish_reason or "", "unknown")
        self._require_room(finish, usage, self.budget(request.sampling))
        times = said.timings or _Timings()
        return Reply(
            text=clean_surrogates(text),
            finish=finish,
            reasoning=clean_surrogates(reasoning),
            timing=Timing(total=seconds, prompt=_seconds(times.prompt_ms), generate=_seconds(times.predicted_ms)),
            logprobs=token_logprobs(choice.logprobs) if request.logprobs else None,
            pieces=pieces(choice.logprobs) if request.logprobs else None,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else None,
            new_tokens=usage.completion_tokens,
            served_model=said.model or "",
        )

    def _require_room(self, finish: FinishReason, usage: _Usage, budget: int) -> None:
        """A reply that was cut off before its budget was spent, in a window that is full, is an overflow."""
        read, new = usage.prompt_tokens, usage.completion_tokens
        if finish != "length" or self.window is None or read is None or new is None:
            return
        if new < budget and read + budget > self.window:
            raise ContextOverflow(
                f"the reply was cut off after {new} tokens: prompt and reply need {read + budget} tokens, the window "
                f"has {self.window}",
                needed=read + budget,
                window=self.window,
            )


def wire_message(message: Message, *, reasoning_field: bool = False) -> dict[str, str]:
    """A message as the chat routes take it.

    Reasoning that is to be kept goes in front of the content, in the form that reasoning models are trained on, except
    where the server is known to hand a field of it to its template: the routes have none that all servers do.
    """
    plain = {"role": message.role, "content": message.content}
    if not message.reasoning or reasoning_field:
        return plain | ({"reasoning_content": message.reasoning} if message.reasoning else {})
    return {"role": message.role, "content": f"<think>\n{message.reasoning}\n</think>\n\n{message.content}"}


Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""Tokens, as a server tells them."""


class _Details(msgspec.Struct, frozen=True):
    cached_tokens: Count | None = None


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    prompt_tokens_details: _Details | None = None


class _Timings(msgspec.Struct, frozen=True):
    prompt_ms: float | None = None
    predicted_ms: float | None = None


class _Message(msgspec.Struct, frozen=True):
    content: Any = None
    refusal: Any = None
    reasoning_content: Any = None
    reasoning: Any = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message | None = None
    text: str | None = None
    finish_reason: str | None = None
    logprobs: Any = None
    error: Any = None


class _Said(msgspec.Struct, frozen=True):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    timings: _Timings | None = None
    model: str | None = None
    error: Any = None


_READER: Final = Reader(_Said, dispensable=("usage", "timings", "model"))


def _fault_of(choice: _Choice) -> Fault:
    told = f"the reply was given up ({choice.finish_reason})"
    return fault_of(OK, {"error": choice.error or told}) or Fault(status=OK, message=told)


def _texts(choice: _Choice, *, rendered: bool) -> tuple[str, str]:
    """Text and reasoning of a choice. A refusal is the model's own words where it says nothing else."""
    if rendered:
        if choice.text is None:
            raise ReplyFailed("protocol", "the server's JSON has a choice without text", retryable=True)
        return choice.text, ""
    message = choice.message
    if message is None:
        raise ReplyFailed("protocol", "the server's JSON has a choice without a message", retryable=True)
    text, thought = _joined(message.content)
    if not text and isinstance(message.refusal, str):
        text = message.refusal
    fields = (message.reasoning_content, message.reasoning, thought)
    return text, next((field for field in fields if isinstance(field, str) and field), "")


def _joined(content: Any) -> tuple[str, str]:  # noqa: ANN401 - a text, nothing, or a list of parts
    """A message's content as text and thinking."""
    if content is None:
        return "", ""
    if isinstance(content, str):
        return content, ""
    if not isinstance(content, list):
        raise ReplyFailed("protocol", "the server's JSON has a content that is no text", retryable=True)
    text, thought = "", ""
    for part in content:
        if isinstance(part, str):
            text += part
        elif isinstance(part, dict) and part.get("type") == "thinking":
            thought += _joined(part.get("thinking"))[0]
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            text += part["text"]
        elif isinstance(part, dict) and isinstance(part.get("refusal"), str):
            text += part["refusal"]
        elif not isinstance(part, dict):
            raise ReplyFailed("protocol", "the server's JSON has a part of a content that is no text", retryable=True)
    return text, thought


def _seconds(milliseconds: float | None) -> float | None:
    return milliseconds / 1000 if milliseconds is not None and milliseconds >= 0 else None
