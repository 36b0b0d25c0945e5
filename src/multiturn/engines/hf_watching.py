"""Says when a reply is over: at a stop token, at a stop string wherever it stands, or when its budget is spent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec

Ended = Literal["token", "string", "limit"]
THINKING: Final = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
)
"""How models mark their thinking: begin and end."""
_LONGEST_MARKER: Final = max(len(marker) for pair in THINKING for marker in pair)
_TOKENS_A_LETTER: Final = 4  # bytes of a letter in UTF-8, at worst a token each


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply's ids say: its text up to the first stop string, and the reasoning before it."""

    reply: str
    reasoning: str


class Watch:
    """One reply's stops and budgets. A training may teach reasoning that no template knows of, so it is looked for.

    Args:
        decode: from ids to text, control tokens as their own text.
        stop_ids: tokens that end the reply.
        stops: strings that end the reply; they are looked for in what is not reasoning.
        budget: tokens for the reply.
        reasoning: further tokens, for what the model thinks first.
        opened: the prompt has opened the reasoning already.
    """

    def __init__(
        self,
        decode: Callable[[Sequence[int]], str],
        *,
        stop_ids: frozenset[int],
        stops: Sequence[str],
        budget: int,
        reasoning: int = 0,
        opened: bool = False,
    ) -> None:
        self._decode = decode
        self._stop_ids = stop_ids
        self._stops = tuple(stops)
        self._budget = budget
        self.limit: Final = budget + reasoning
        self._opened = opened
        self._tail = _TOKENS_A_LETTER * max(map(len, (*self._stops, ""))) + 8
        self._began: bool | None
        self._thought: int | None
        self.restart()

    def restart(self) -> None:
        """Forget what was seen: the reply is decoded again from its first token."""
        self._began = True if self._opened else None
        self._thought = None

    def after(self, ids: Sequence[int]) -> Ended | None:
        """Whether the reply is over after these generated ids; called once for each token, in order."""
        if ids[-1] in self._stop_ids:
            return "token"
        self._look_for_reasoning(ids)
        thinking = self._began is not False and self._thought is None
        if not thinking and self._stops and self._stopped(ids):
            return "string"
        spent = len(ids) if thinking else len(ids) - (self._thought or 0)
        return "limit" if len(ids) >= self.limit or (not thinking and spent >= self._budget) else None

    def within_budget(self, ids: list[int]) -> list[int]:
        """The ids of a reply that is over: without the few that it took to see that it does not open a reasoning."""
        return ids if self._began else ids[: self._budget]

    def text(self, ids: Sequence[int]) -> Text:
        """What the ids say, taken apart. The end of a reasoning that says nothing stays in front of the reply."""
        if ids and ids[-1] in self._stop_ids:
            ids = ids[:-1]
        text = self._decode(ids)
        reasoning, reply = split_reasoning(text, opened=self._opened)
        ends = [at for at in (reply.find(stop) for stop in self._stops) if at >= 0]
        cut = reply[: min(ends)] if ends else reply
        return Text(reply=cut if reasoning else text.removesuffix(reply) + cut, reasoning=reasoning)

    def _look_for_reasoning(self, ids: Sequence[int]) -> None:
        if self._began is None:
            text = self._decode(ids).lstrip()
            waits = any(begin.startswith(text) for begin, _ in THINKING)
            if any(text.startswith(begin) for begin, _ in THINKING):
                self._began = True
            elif not waits or (not text and len(ids) >= self._budget):
                self._began, self._thought = False, 0
        if self._began and self._thought is None:
            tail = self._decode(ids[-(_TOKENS_A_LETTER * _LONGEST_MARKER) :])
            if any(end in tail for _, end in THINKING):
                self._thought = len(ids)

    def _stopped(self, ids: Sequence[int]) -> bool:
        """Whether a stop string is there; only the last tokens are looked at, and the whole where they have one."""
        tail = self._decode(ids[-self._tail :])
        return any(stop in tail for stop in self._stops) and self._has_stop(ids)

    def _has_stop(self, ids: Sequence[int]) -> bool:
        reply = split_reasoning(self._decode(ids), opened=self._opened)[1]
        return any(stop in reply for stop in self._stops)


def split_reasoning(text: str, *, opened: bool) -> tuple[str, str]:
    """Reasoning and the reply after it: none of either where the other has no end, or no begin.

    Args:
        text: what the model wrote.
        opened: it was inside its reasoning from the start.
    """
    begun = text.lstrip()
    pair = next((pair for pair in THINKING if begun.startswith(pair[0])), None)
    if pair is None and not opened:
        return "", text
    inside = begun.removeprefix(pair[0]) if pair else text
    ends = [inside.find(end) for _, end in ([pair] if pair else THINKING) if end in inside]
    if not ends:
        return inside.strip(), ""
    end = next(end for _, end in ([pair] if pair else THINKING) if inside.startswith(end, min(ends)))
    return inside[: min(ends)].strip(), inside[min(ends) + len(end) :].lstrip("\n")
