"""Remarks on a suite that reads without a fault: what makes it weaker than it could be. Pure; nothing is refused."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Final

from multiturn.conversation import Capability, Conversation, Suite
from multiturn.suites.lint_probes import lint_probes
from multiturn.suites.quotas import Quota, missed_quotas
from multiturn.suites.remarks import Remark

if TYPE_CHECKING:
    from collections.abc import Iterator

SHIPPED_FIELDS: Final = ("why", "capability", "category", "domain", "pattern", "link")
"""What each conversation of a suite that we ship has."""

MOST_WORDS: Final = 150
"""A turn with more words tests reading more than holding a conversation, and fills small context windows."""


def lint(suite: Suite, *, most_words: int = MOST_WORDS, quota: Quota | None = None) -> tuple[Remark, ...]:
    """All remarks: conversation by conversation, then those that compare conversations, then on the whole suite.

    Args:
        suite: as it was read.
        most_words: a turn with more is remarked.
        quota: what the suite must cover; with one, each conversation needs every label, too. The suites we ship have
            one each (``QUOTAS``); a user's own has none, whatever its name.
    """
    remarks: list[Remark] = []
    for conversation in suite.conversations:
        if quota is not None:
            remarks += _required_fields(conversation)
        remarks += _shape(conversation, most_words)
    remarks += _alike_conversations(suite)
    remarks += lint_probes(suite)
    remarks += _uncovered(suite)
    if quota is not None:
        remarks += missed_quotas(suite, quota)
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
