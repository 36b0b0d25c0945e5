"""Remarks on a suite that reads without a fault: what makes it weaker than it could be. Pure; nothing is refused."""

from __future__ import annotations

import math
import typing
from collections import Counter, defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from multiturn.conversation import Capability, Conversation, Suite

if TYPE_CHECKING:
    from collections.abc import Iterator

SHIPPED: Final = frozenset({"mtbench_conversations", "safety_conversations"})
"""The suites that come with the package; each of their conversations has all of ``SHIPPED_FIELDS``."""

SHIPPED_FIELDS: Final = ("why", "capability", "category", "domain", "pattern", "link")
MOST_WORDS: Final = 150
"""A turn with more words tests reading more than holding a conversation, and fills small context windows."""

FEWEST_SHARED_WORDS: Final = 6
"""Shorter turns ("Shorter, please.") are alike by nature."""

ALIKE: Final = 0.8
"""Turns are near-duplicates from this share of common words on: words in both / words in either."""

Rule = Literal[
    "required_field",
    "one_turn",
    "long_turn",
    "first_turn_link",
    "partial_golden",
    "alike_conversations",
    "alike_turns",
    "uncovered_capability",
]


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """What could be better, and where: a conversation's id ("" for the suite) and, if it is about one, its turn."""

    rule: Rule
    conversation: str
    turn: int | None = None
    text: str

    def __str__(self) -> str:
        turn = "" if self.turn is None else f" turns[{self.turn}]"
        return f"{self.conversation or 'suite'}{turn}: {self.text}"


def lint(suite: Suite, *, most_words: int = MOST_WORDS) -> tuple[Remark, ...]:
    """All remarks: conversation by conversation, then those that compare conversations, then on the whole suite."""
    remarks: list[Remark] = []
    for conversation in suite.conversations:
        if suite.name in SHIPPED:
            remarks += _required_fields(conversation)
        remarks += _shape(conversation, most_words)
    remarks += _alike_conversations(suite)
    remarks += _alike_turns(suite)
    remarks += _uncovered(suite)
    return tuple(remarks)


def _required_fields(conversation: Conversation) -> Iterator[Remark]:
    for name in SHIPPED_FIELDS:
        if not getattr(conversation, name):
            text = f"{name} is missing; the suites we ship have it in each conversation"
            yield Remark(rule="required_field", conversation=conversation.id, text=text)


def _shape(conversation: Conversation, most_words: int) -> Iterator[Remark]:
    turns = conversation.turns
    if len(turns) == 1:
        text = "a one-turn conversation can't show memory; add a turn that depends on the first"
        yield Remark(rule="one_turn", conversation=conversation.id, text=text)
    for index, turn in enumerate(turns):
        words = len(turn.text.split())
        if words > most_words:
            text = f"{words} words, more than {most_words}; a small model's context window fills up early"
            yield Remark(rule="long_turn", conversation=conversation.id, turn=index, text=text)
    if turns[0].link in ("backward", "implicit"):
        text = f"the first turn has link {turns[0].link}, but nothing comes before it"
        yield Remark(rule="first_turn_link", conversation=conversation.id, turn=0, text=text)
    without = [index for index, turn in enumerate(turns) if turn.golden is None]
    if 0 < len(without) < len(turns):
        where = ", ".join(f"turns[{index}]" for index in without)
        text = f"golden replies for some turns only; {where} without one, so golden history can't be used"
        yield Remark(rule="partial_golden", conversation=conversation.id, text=text)


def _alike_conversations(suite: Suite) -> Iterator[Remark]:
    """Conversations that share capability, pattern and domain with an earlier one."""
    first: dict[tuple[str, str, str], str] = {}
    for conversation in suite.conversations:
        capability, pattern, domain = conversation.capability, conversation.pattern, conversation.domain
        if capability is None or pattern is None or domain is None:
            continue
        earlier = first.setdefault((capability, pattern, domain.casefold()), conversation.id)
        if earlier != conversation.id:
            text = f"same capability, pattern and domain as {earlier!r} ({capability}, {pattern}, {domain})"
            yield Remark(rule="alike_conversations", conversation=conversation.id, text=text)


def _alike_turns(suite: Suite) -> Iterator[Remark]:
    """Turns that are nearly those of an earlier conversation; each is told once, with the first it resembles.

    Two sets of words can be alike only if they share one of their rarest words (as many as may differ, plus one), so
    only those are looked up: the time grows with the suite, not with its square.
    """
    turns = [
        (number, index, frozenset(_words(turn.text)))
        for number, conversation in enumerate(suite.conversations)
        for index, turn in enumerate(conversation.turns)
    ]
    frequency = Counter(word for _, _, words in turns for word in words)
    holders: defaultdict[str, list[tuple[int, int, frozenset[str]]]] = defaultdict(list)
    for number, group in groupby(turns, key=lambda turn: turn[0]):
        added: list[tuple[str, tuple[int, int, frozenset[str]]]] = []
        for turn in group:
            _, index, words = turn
            if len(words) < FEWEST_SHARED_WORDS:
                continue
            rarest = sorted(words, key=lambda word: (frequency[word], word))
            prefix = rarest[: len(words) - math.ceil(ALIKE * len(words)) + 1]
            earlier = (other for word in prefix for other in holders[word])
            twin = next((other for other in earlier if _share(words, other[2]) >= ALIKE), None)
            if twin is not None:
                text = f"nearly the same as turns[{twin[1]}] of {suite.conversations[twin[0]].id!r}"
                identifier = suite.conversations[number].id
                yield Remark(rule="alike_turns", conversation=identifier, turn=index, text=text)
            added += [(word, turn) for word in prefix]
        for word, turn in added:
            holders[word].append(turn)


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text.casefold()).split()


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _uncovered(suite: Suite) -> Iterator[Remark]:
    """Capabilities that no turn probes, in suites that name capabilities at all."""
    probed = {
        conversation.capability_of(index)
        for conversation in suite.conversations
        for index in range(len(conversation.turns))
    } | {conversation.capability for conversation in suite.conversations}
    if probed == {None}:
        return
    for capability in typing.get_args(Capability):
        if capability not in probed:
            text = f"no turn probes {capability}; nothing will be said of it"
            yield Remark(rule="uncovered_capability", conversation="", text=text)
