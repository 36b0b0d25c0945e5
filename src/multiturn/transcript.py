"""What is asked of a model and what came back: sampling, requests, replies, turn records, transcripts. Pure values."""

from __future__ import annotations

import math
from typing import Final, Literal

import msgspec

from multiturn.conversation import Message, is_text, require
from multiturn.display import html_of
from multiturn.errors import FailureKind

Status = Literal["ok", "empty", "length", "overflowed", "filtered", "failed", "not_reached"]
"""How a turn ended. ``empty``, ``length``, ``overflowed`` and ``filtered`` are the model's own doing; ``failed`` is the
environment's; ``not_reached`` counts as its ``cause`` counts."""

Cause = Literal["model", "environment"]

Flag = Literal[
    "run_on",  # the model went on as the user; what it added was cut from the reply
    "stop_ignored",  # the engine went on past a stop string; the rest was cut from the reply
    "role_echo",  # the reply began with a role label; the label was cut
    "control_tokens",  # control-token text was cut from the reply
    "dropped_turns",  # whole oldest turns were left out of the prompt so that it fits
    "system_folded",  # the template has no system role: its text went into the first user turn
    "fallback_template",  # the model has no chat template: the plain User:/Assistant: form was used
    "reencoded",  # the history was tokenised again, since its text is not what was generated
    "reasoning_unfinished",  # the reply's budget ended inside its reasoning
    "prompt_echo",  # an imported reply began with its own prompt, which was cut
    "replay_differs",  # held again after an interruption, an earlier reply of this conversation came out otherwise
]
FinishReason = Literal["stop", "length", "filter", "unknown"]
HistoryMode = Literal["self", "golden"]
OverflowPolicy = Literal["stop", "drop-oldest"]
ThinkPolicy = Literal["auto", "keep", "drop"]
"""Whether the reasoning of earlier replies stays in the history; ``auto``: where the model's template wants it."""

MANY_ENDLESS: Final = 0.05
"""Share of replies that end inside their reasoning, above which a reader is told."""

REPLIED: Final[frozenset[Status]] = frozenset({"ok", "empty", "length", "filtered"})
"""Statuses of turns that have a reply, if an empty one."""


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    """Every field that decides how a reply is drawn; none is left to an engine's default.

    ``temperature`` 0 is greedy. ``top_k`` 0 and ``min_p`` 0 are off, ``top_p`` 1 and ``repeat_penalty`` 1 too.
    ``max_tokens`` is the reply's budget, ``reasoning_tokens`` is added to it for models that think first. ``seed`` is
    the run's; each turn's own seed is derived from it.
    """

    temperature: float = 0.7
    top_p: float = 0.9
    top_k: int = 0
    min_p: float = 0.0
    repeat_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    max_tokens: int = 220
    reasoning_tokens: int = 0
    stop: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("temperature", "top_p", "min_p", "repeat_penalty", "presence_penalty", "frequency_penalty"):
            require(math.isfinite(getattr(self, name)), f"{name} must be a finite number")
        require(0 <= self.temperature <= 10, "temperature must be from 0 to 10")  # noqa: PLR2004 - said in the text
        require(0 < self.top_p <= 1, "top_p must be above 0 and at most 1")
        require(self.top_k >= 0, "top_k must be 0 (off) or more")
        require(0 <= self.min_p < 1, "min_p must be from 0 to below 1")
        require(self.repeat_penalty > 0, "repeat_penalty must be above 0")
        require(self.max_tokens >= 1, "max_tokens must be 1 or more")
        require(self.reasoning_tokens >= 0, "reasoning_tokens must be 0 or more")
        require(all(self.stop), "a stop string is empty")
        require(all(map(is_text, self.stop)), "a stop string holds bytes that are no UTF-8 text")
        require(0 <= self.seed < 2**63, "seed must be from 0 to 2**63 - 1")


class Session(msgspec.Struct, frozen=True):
    """One conversation, held once: what an engine keeps a slot and a cache for. ``sample`` counts from 0."""

    conversation: str
    sample: int = 0


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine is asked: the reply to the last message. ``turn`` counts from 0; ``seed`` is this turn's.

    ``json_schema`` (JSON text; empty for none) binds the reply to a form, ``logprobs`` asks for its tokens'
    log-probabilities and for ``MOST_LIKELY`` others in each place: both only where the engine's facts say that it can.
    """

    session: Session
    turn: int
    messages: tuple[Message, ...]
    sampling: Sampling
    seed: int
    json_schema: str = ""
    logprobs: bool = False

    def __post_init__(self) -> None:
        require(len(self.messages) > 0, "a request needs a message")
        require(self.messages[-1].role == "user", "the last message of a request must be the user's")


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What will really be sent: the rendered text, its length in tokens (None if unknown), and what had to be done.

    ``bos`` counts the BOS tokens that it begins with, None where the engine does not see them or there is none.
    """

    text: str
    tokens: int | None
    bos: int | None = None
    flags: tuple[Flag, ...] = ()


class Timing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Seconds: all in all, reading the prompt, writing the reply. ``None`` where the engine does not say."""

    total: float
    prompt: float | None = None
    generate: float | None = None

    def __post_init__(self) -> None:
        seconds = [part for part in (self.total, self.prompt, self.generate) if part is not None]
        require(all(math.isfinite(part) and part >= 0 for part in seconds), "times must be finite and not negative")


MOST_LIKELY: Final = 20
"""So many tokens are told of each place of a reply; hosted services tell no more."""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A token of a reply as text, with its log-probability and those of the likeliest in its place.

    Natural logarithms, before temperature and whatever else sampling does: the token may not be among the likeliest.
    """

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What came back, uncut. Token counts are None where the engine does not say.

    ``logprobs`` and ``pieces`` are there where they were asked for and the engine tells; either may be None without the
    other.
    """

    text: str
    finish: FinishReason
    timing: Timing
    reasoning: str = ""
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    pieces: tuple[Piece, ...] | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    new_tokens: int | None = None
    served_model: str = ""


class Failure(msgspec.Struct, frozen=True):
    """Why there is no reply: a kind that can be counted, and the words of the engine."""

    kind: FailureKind | Literal["overflow"]
    message: str


class TurnRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn as it was held: what was sent, what came back, how it ended.

    ``reply`` is the text that goes into the history and is measured; ``raw`` is what the model wrote where that
    differs. ``reply`` is None where there is none. The prompt is kept as what it adds to the one before: its first
    ``prompt_kept`` characters are those of the turn before, ``prompt_delta`` follows; ``prompt_sha256`` is over the
    whole. ``cause`` says whose doing it is that a turn has no reply. ``temperature`` is what the reply was drawn at
    where that depends on the conversation's category; else the run's sampling says it.
    """

    turn: int
    user: str
    status: Status
    reply: str | None = None
    raw: str | None = None
    reasoning: str = ""
    cause: Cause | None = None
    failure: Failure | None = None
    flags: tuple[Flag, ...] = ()
    finish: FinishReason | None = None
    seed: int | None = None
    temperature: float | None = None
    prompt_kept: int = 0
    prompt_delta: str | None = None
    prompt_sha256: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    new_tokens: int | None = None
    token_ids: tuple[int, ...] | None = None
    timing: Timing | None = None
    served_model: str = ""

    def __post_init__(self) -> None:
        require(self.turn >= 0, "turn must be 0 or more")
        require((self.reply is not None) == (self.status in REPLIED), f"status {self.status} and reply disagree")
        require((self.status == "failed") <= (self.failure is not None), "a failed turn needs its failure")
        require((self.reply is None) == (self.cause is not None), "a cause goes with a turn without a reply")

    @property
    def missing(self) -> bool:
        """True where the environment, not the model, is why there is no reply."""
        return self.cause == "environment"


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation as one model held it, one record for each of its turns."""

    session: Session
    turns: tuple[TurnRecord, ...]
    system: str | None = None

    @property
    def complete(self) -> bool:
        """True where no turn is missing through the environment's doing."""
        return not any(turn.missing for turn in self.turns)

    def _repr_html_(self) -> str | None:
        """For notebooks."""
        return html_of(self)
