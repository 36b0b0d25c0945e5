"""What a run would cost before it is begun: replies, prompt tokens about, and a time from a few warm replies.

Nothing is stored. The estimate rests on one conversation held for up to three turns: the first reply warms the engine
up and is not counted. It says so, and it is no promise.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec

from multiturn.conversation import Conversation, Suite
from multiturn.dialogue import Manner, hold
from multiturn.protocols import Engine
from multiturn.transcript import TurnRecord

WARM_TURNS: Final = 3


class Estimated(msgspec.Struct, frozen=True, kw_only=True):
    """``prompt_tokens`` and ``new_tokens`` are rough; ``seconds`` is None where no warm reply could be timed.

    ``prompt_tokens`` counts what is read once with a prompt cache: each turn's own text, not the history again.
    """

    replies: int
    prompt_tokens: int
    new_tokens: int
    seconds: float | None
    warm_replies: int
    at_once: int


async def estimate(suite: Suite, engine: Engine, manner: Manner, samples: int) -> Estimated:
    """Hold a few turns of the suite's longest conversation and reckon up the whole suite from them."""
    probe = max(suite.conversations, key=lambda conversation: len(conversation.turns))
    shortened = msgspec.structs.replace(probe, turns=probe.turns[:WARM_TURNS])
    records: list[TurnRecord] = []

    async def keep(record: TurnRecord) -> None:
        records.append(record)

    await hold(shortened, engine, manner, commit=keep)
    replies = suite.turn_count * samples
    at_once = min(engine.facts.open_conversations, len(suite.conversations) * samples)
    warm = [record for record in records[1:] if record.timing is not None and record.reply is not None]
    spoken = [record.new_tokens for record in records if record.new_tokens is not None]
    mean_new = sum(spoken) / len(spoken) if spoken else float(manner.sampling.max_tokens)
    per_character = _tokens_per_character(records)
    prompt_tokens = sum(len(turn.text) for one in suite.conversations for turn in one.turns) * per_character * samples
    times = [record.timing.total for record in warm if record.timing is not None]
    mean = sum(times) / len(times) if times else None
    return Estimated(
        replies=replies,
        prompt_tokens=round(prompt_tokens + _fixed_tokens(records, shortened, per_character) * replies),
        new_tokens=round(mean_new * replies),
        seconds=None if mean is None else mean * math.ceil(replies / at_once),
        warm_replies=len(warm),
        at_once=at_once,
    )


def _tokens_per_character(records: list[TurnRecord]) -> float:
    """Of the prompt's text, template included; a quarter where the engine does not count."""
    last = next((record for record in reversed(records) if record.prompt_tokens), None)
    if last is None or last.prompt_delta is None or last.prompt_tokens is None:
        return 0.25
    return last.prompt_tokens / max(1, last.prompt_kept + len(last.prompt_delta))


def _fixed_tokens(records: list[TurnRecord], conversation: Conversation, per_character: float) -> float:
    """Tokens that the template adds to every turn, on average."""
    deltas = [record.prompt_delta for record in records if record.prompt_delta is not None]
    if not deltas:
        return 0.0
    replies = [record.raw or record.reply or "" for record in records[: len(deltas) - 1]]
    spoken = sum(len(turn.text) for turn in conversation.turns[: len(deltas)]) + sum(map(len, replies))
    return max(0.0, (sum(map(len, deltas)) - spoken) * per_character / len(deltas))
