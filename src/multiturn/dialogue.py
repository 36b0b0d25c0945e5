"""One conversation held with one engine: the heart. It decides policy; the engine only replies or raises.

Knows values and the Engine seam. Knows no store, no statistics, no terminal: what is committed goes through ``commit``.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Final, Self

import msgspec

from multiturn.cleaning import OPENERS, Cleaned, clean
from multiturn.codec import clean_surrogates
from multiturn.conditions import Conditions
from multiturn.conversation import Category, Conversation, Message, Turn
from multiturn.errors import ContextOverflow, ReplyFailed, UsageError
from multiturn.facts import Unknown
from multiturn.protocols import Engine
from multiturn.text.measure import is_blank
from multiturn.transcript import (
    Cause,
    Failure,
    Flag,
    HistoryMode,
    OverflowPolicy,
    Prompt,
    Reply,
    Request,
    Sampling,
    Session,
    Status,
    ThinkPolicy,
    Transcript,
    TurnRecord,
)

Commit = Callable[[TurnRecord], Awaitable[None]]
"""Called with each turn when it is over; the next turn waits until it returns."""


MOST_LETTERS_A_TOKEN: Final = 20
"""Text has about 4 letters a token, and never so many: a server's prompt that grows by less was cut."""


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """How every conversation of a run is held.

    ``system`` takes the place of the conversation's own system prompt where it is not None. ``window`` is the budget
    in tokens for prompt and reply; None where the engine does not know. ``think`` says whether the reasoning of earlier
    replies is sent back. ``temperatures`` are those of conversations by their category, in place of the sampling's.
    """

    sampling: Sampling
    system: str | None = None
    history: HistoryMode = "self"
    overflow: OverflowPolicy = "stop"
    window: int | None = None
    think: ThinkPolicy = "auto"
    temperatures: dict[Category, float] = {}

    @classmethod
    def of(cls, conditions: Conditions) -> Manner:
        """The manner that a run's conditions ask for.

        Raises:
            UsageError: nobody says how its replies were drawn.
        """
        if conditions.sampling is None:
            raise UsageError(
                "this run was imported, and how its replies were drawn is not known: it can be read, not gone on with",
                hint="hold the conversations with a model that you name: multiturn run MODEL --suite FILE",
            )
        return cls(
            sampling=conditions.sampling,
            system=conditions.system,
            history=conditions.history,
            overflow=conditions.overflow,
            window=conditions.context_window,
            think=conditions.think,
            temperatures=conditions.temperatures,
        )

    def for_one(self, conversation: Conversation) -> Manner:
        """The manner of this conversation: its category may have a temperature of its own."""
        own = self.temperatures.get(conversation.category) if conversation.category else None
        if own is None:
            return self
        return msgspec.structs.replace(self, sampling=msgspec.structs.replace(self.sampling, temperature=own))

    def system_of(self, conversation: Conversation) -> str | None:
        """The system prompt that this conversation is held with; an empty one is none."""
        return (conversation.system if self.system is None else self.system) or None


def turn_seed(run_seed: int, conversation: str, turn: int, sample: int) -> int:
    """The seed of one turn, from 0 to 2**31 - 1: the same whatever the order and the number of workers."""
    name = f"{run_seed}\x1f{conversation}\x1f{turn}\x1f{sample}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:4]) & 0x7FFFFFFF


async def hold(
    conversation: Conversation,
    engine: Engine,
    manner: Manner,
    *,
    sample: int = 0,
    committed: Sequence[TurnRecord] = (),
    commit: Commit,
) -> Transcript:
    """Hold a conversation to its end and return the transcript.

    Args:
        conversation: what is said.
        engine: who replies.
        manner: under which conditions.
        sample: which of K samples, from 0.
        committed: turns that had their reply before an interruption. They are kept; where the engine asks for it they
            are held again, so that what follows is what would have followed, and must come out the same.
        commit: keeps each further turn.

    Raises:
        whatever ``commit`` raises, and EngineSetupError; overflows and failed replies become statuses.
    """
    system = manner.system_of(conversation)
    async with Dialogue(engine, manner.for_one(conversation), Session(conversation.id, sample), system) as dialogue:
        for index, turn in enumerate(conversation.turns):
            if index < len(committed):
                await dialogue.again(turn, committed[index])
            else:
                await commit(await dialogue.say(turn))
        return dialogue.transcript


class _Asked(msgspec.Struct, frozen=True):
    """A request with its reply: what was to be sent, the reply, and whether oldest turns were left out for it."""

    request: Request
    prompt: Prompt | Unknown
    reply: Reply
    dropped: bool


class Dialogue:
    """A conversation in the middle: what was said so far, and the next turn. Use it in an ``async with``."""

    def __init__(self, engine: Engine, manner: Manner, session: Session, system: str | None) -> None:
        self._engine = engine
        self._manner = manner
        self._session = session
        self._system = system
        self._turns: list[Turn] = []
        self._records: list[TurnRecord] = []
        self._prompt_text = ""
        self._sent_characters = 0
        self._tried: tuple[Message, ...] = ()
        self._marks: tuple[Flag, ...] = ()
        self._broken: Failure | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.shield(self._engine.end(self._session))

    @property
    def transcript(self) -> Transcript:
        """The conversation so far."""
        return Transcript(session=self._session, turns=tuple(self._records), system=self._system)

    async def say(self, turn: Turn) -> TurnRecord:
        """Hold the next turn."""
        record = await self._hold(turn)
        self._remember(turn, record)
        return record

    async def again(self, turn: Turn, record: TurnRecord) -> None:
        """Take over a committed turn, holding it again where the engine's promise rests on that."""
        if self._engine.facts.replays and self._broken is None and record.reply is not None:
            fresh = await self._hold(turn)
            if fresh.status == "failed":
                self._broken = fresh.failure
            elif (fresh.reply, fresh.raw) != (record.reply, record.raw) and "replay_differs" not in self._marks:
                self._marks = (*self._marks, "replay_differs")
        self._remember(turn, record)

    def _remember(self, turn: Turn, record: TurnRecord) -> None:
        self._turns.append(turn)
        self._records.append(record)

    async def _hold(self, turn: Turn) -> TurnRecord:
        stopped = next((earlier for earlier in self._records if earlier.reply is None), None)
        if stopped is not None:
            return self._without_reply(turn, "not_reached", cause=stopped.cause)
        if self._broken is not None:
            return self._without_reply(turn, "failed", cause="environment", failure=self._broken)
        try:
            return self._replied(turn, await self._ask(turn))
        except ContextOverflow as error:
            return self._overflowed(turn, error.message)
        except ReplyFailed as error:
            failure = Failure(error.kind, clean_surrogates(error.message))
            return self._without_reply(turn, "failed", cause="environment", failure=failure)

    async def _ask(self, turn: Turn) -> _Asked:
        """Ask for the reply, with whole oldest turns left out where that is allowed and needed."""
        index, sampling = len(self._records), self._manner.sampling
        messages, dropped = self._messages(turn), False
        while True:
            self._tried = messages
            request = Request(
                session=self._session,
                turn=index,
                messages=messages,
                sampling=sampling,
                seed=turn_seed(sampling.seed, self._session.conversation, index, self._session.sample),
            )
            try:
                prompt = await self._engine.prompt(request)
                self._require_room(prompt)
                reply = await self._engine.reply(request)
            except ContextOverflow:
                shorter = _without_oldest(messages)
                if self._manner.overflow == "stop" or shorter is None:
                    raise
                messages, dropped = shorter, True
            else:
                return _Asked(request, prompt, reply, dropped)

    def _require_room(self, prompt: Prompt | Unknown) -> None:
        needed, window = self._needed(prompt), self._manner.window
        if needed is not None and window is not None and needed > window:
            raise ContextOverflow(
                f"prompt and reply need {needed} tokens; the window has {window}", needed=needed, window=window
            )

    def _needed(self, prompt: Prompt | Unknown) -> int | None:
        if isinstance(prompt, Unknown) or prompt.tokens is None:
            return None
        return prompt.tokens + self._manner.sampling.max_tokens + self._manner.sampling.reasoning_tokens

    def _messages(self, turn: Turn) -> tuple[Message, ...]:
        messages = [Message("system", self._system)] if self._system else []
        think = self._manner.think
        keeps = think == "keep" or (think == "auto" and self._engine.facts.keeps_reasoning)
        for earlier, record in zip(self._turns, self._records, strict=True):
            golden = earlier.golden if self._manner.history == "golden" else None
            said = record.reply or "" if golden is None else golden
            reasoning = record.reasoning if keeps and golden is None else ""
            messages += [Message("user", earlier.text), Message("assistant", said, reasoning)]
        return (*messages, Message("user", turn.text))

    def _replied(self, turn: Turn, asked: _Asked) -> TurnRecord:
        request, prompt, reply = asked.request, asked.prompt, asked.reply
        text = prompt.text if isinstance(prompt, Prompt) else ""
        characters = sum(len(message.content) for message in request.messages)
        before = self._records[-1].prompt_tokens if self._records else None
        if (
            before is not None
            and reply.prompt_tokens is not None
            and characters > self._sent_characters
            and reply.prompt_tokens - before <= _least_growth(asked)
            and not asked.dropped
        ):
            told = f"the server read {reply.prompt_tokens} prompt tokens after {before}: it cut the conversation"
            return msgspec.structs.replace(self._overflowed(turn, told), raw=clean_surrogates(reply.text))
        raw = clean_surrogates(reply.text)
        cleaned = clean(raw, stop=request.sampling.stop, opened=not reply.reasoning and text.rstrip().endswith(OPENERS))
        kept = _common(self._prompt_text, text)
        self._prompt_text, self._sent_characters = text, characters
        blank = is_blank(cleaned.text)
        sent = prompt.flags if isinstance(prompt, Prompt) else ()
        spoken = cleaned.text.lstrip() if "fallback_template" in sent else cleaned.text  # written behind "Assistant:"
        final = "" if blank else spoken
        dropped: tuple[Flag, ...] = ("dropped_turns",) if asked.dropped else ()
        endless = blank and reply.finish == "length" and bool(cleaned.reasoning or reply.reasoning)
        unfinished: tuple[Flag, ...] = ("reasoning_unfinished",) if endless else ()
        flags = (*sent, *dropped, *cleaned.flags, *unfinished, *self._marks)
        return TurnRecord(
            turn=request.turn,
            user=turn.text,
            status=_status(cleaned, reply, blank=blank),
            reply=final,
            raw=raw if raw != final else None,
            reasoning=clean_surrogates(reply.reasoning) or cleaned.reasoning,
            flags=tuple(dict.fromkeys(flags)),
            finish=reply.finish,
            seed=request.seed,
            temperature=request.sampling.temperature if self._manner.temperatures else None,
            prompt_kept=kept,
            prompt_delta=text[kept:] if text else None,
            prompt_sha256=hashlib.sha256(text.encode()).hexdigest() if text else None,
            prompt_tokens=reply.prompt_tokens,
            cached_tokens=reply.cached_tokens,
            new_tokens=reply.new_tokens,
            token_ids=reply.token_ids,
            timing=reply.timing,
            served_model=clean_surrogates(reply.served_model),
        )

    def _overflowed(self, turn: Turn, told: str) -> TurnRecord:
        """An overflow is the model's own doing where its own earlier replies are what filled the window."""
        own = self._manner.history == "self" and any(message.role == "assistant" for message in self._tried)
        cause: Cause = "model" if own else "environment"
        return self._without_reply(turn, "overflowed", cause=cause, failure=Failure("overflow", clean_surrogates(told)))

    def _without_reply(
        self, turn: Turn, status: Status, *, cause: Cause | None, failure: Failure | None = None
    ) -> TurnRecord:
        return TurnRecord(
            turn=len(self._records), user=turn.text, status=status, cause=cause, failure=failure, flags=self._marks
        )


def _status(cleaned: Cleaned, reply: Reply, *, blank: bool) -> Status:
    if reply.finish == "filter":
        return "filtered"
    if blank:
        return "empty"
    stopped_by_us = not {"run_on", "stop_ignored"}.isdisjoint(cleaned.flags)
    return "length" if reply.finish == "length" and not stopped_by_us else "ok"


def _least_growth(asked: _Asked) -> int:
    """Tokens that a whole prompt must have grown by, and more; 0 where they were counted before they were sent."""
    if isinstance(asked.prompt, Prompt) and asked.prompt.tokens is not None:
        return 0
    added = asked.request.messages[-2:]
    return sum(letter.isalnum() for message in added for letter in message.content) // MOST_LETTERS_A_TOKEN


def _common(one: str, other: str) -> int:
    """How many first characters two texts share."""
    if other.startswith(one):
        return len(one)
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if other.startswith(one[:middle]) else (low, middle - 1)
    return low


def _without_oldest(messages: tuple[Message, ...]) -> tuple[Message, ...] | None:
    """The messages without their oldest user message and the reply to it; None where only the last is left."""
    start = 1 if messages[0].role == "system" else 0
    return (*messages[:start], *messages[start + 2 :]) if len(messages) - start > 1 else None
