"""Suites, conversations and turns: what is said to a model, and why. Pure values, checked when made."""

from __future__ import annotations

import hashlib
from typing import Final, Literal

import msgspec

Role = Literal["system", "user", "assistant"]

Capability = Literal[
    "context_retention",
    "follow_up",
    "correction",
    "format_switching",
    "instruction_hierarchy",
    "self_consistency",
    "task_persistence",
    "recovery",
]
Category = Literal["writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities"]
Pattern = Literal[
    "compression",
    "expansion",
    "pivot",
    "refinement",
    "correction",
    "recall",
    "accumulation",
    "comparison",
    "role_shift",
    "constraint",
    "restatement",
    "interruption",
]
Link = Literal["forward", "backward", "implicit"]

MAX_ID_LENGTH: Final = 200

CheckJson = msgspec.Raw
"""A check as a suite writes it: a JSON object with its ``kind``. ``multiturn.checks`` makes it a check."""


def require(condition: bool, fault: str) -> None:  # noqa: FBT001 - reads as a sentence at every call
    """Raise ``ValueError(fault)`` unless the condition holds."""
    if not condition:
        raise ValueError(fault)


def is_text(text: str) -> bool:
    """Whether it can be written as UTF-8: bytes of another encoding on a command line can't."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


class Message(msgspec.Struct, frozen=True):
    """One message as an engine gets it; ``reasoning`` is the thinking before an assistant's content, kept apart."""

    role: Role
    content: str
    reasoning: str = ""


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One user message and what is expected of the reply to it.

    ``distance`` counts turns back to where the probed fact or instruction was given (1 = the turn before).
    ``refusal_expected`` says whether a refusal would be right here; ``None`` where the suite does not say. ``checks``
    are what the reply must pass.
    """

    text: str
    capability: Capability | None = None
    distance: int | None = None
    link: Link | None = None
    why: str = ""
    golden: str | None = None
    refusal_expected: bool | None = None
    checks: tuple[CheckJson, ...] = ()

    def __post_init__(self) -> None:
        require(bool(self.text.strip()), "text is empty")
        require(self.distance is None or self.distance >= 1, "distance must be 1 or more")


class Conversation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An ordered list of user turns, with what each probes and why it is there."""

    id: str
    turns: tuple[Turn, ...]
    why: str = ""
    capability: Capability | None = None
    category: Category | None = None
    domain: str | None = None
    pattern: Pattern | None = None
    link: Link | None = None
    system: str | None = None

    def __post_init__(self) -> None:
        require(bool(self.id.strip()), "id is empty")
        require(len(self.id) <= MAX_ID_LENGTH, f"id is longer than {MAX_ID_LENGTH} characters")
        require(len(self.turns) > 0, "turns is empty")
        for index, turn in enumerate(self.turns):
            require(
                turn.distance is None or turn.distance <= index,
                f"turns[{index}].distance reaches back before the first turn",
            )

    def capability_of(self, turn: int) -> Capability | None:
        """What the turn at this index probes: its own capability, else the conversation's.

        The first turn has nothing before it, so the conversation's is none of its: it probes only what it says itself.
        """
        return self.turns[turn].capability or (self.capability if turn else None)


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """A named, versioned set of conversations with distinct ids."""

    name: str
    conversations: tuple[Conversation, ...]
    version: str = "1"
    description: str = ""

    def __post_init__(self) -> None:
        require(bool(self.name.strip()), "name is empty")
        require(len(self.conversations) > 0, "the suite has no conversations")
        seen: set[str] = set()
        for conversation in self.conversations:
            require(conversation.id not in seen, f"id {conversation.id!r} occurs twice")
            seen.add(conversation.id)

    @property
    def digest(self) -> str:
        """SHA-256 over what models are asked: ids, system prompts and user turns.

        What is expected of the replies is no part of it, so that runs stay what they are when a check is mended.
        """
        return self.digest_for("self")

    def digest_for(self, history: str) -> str:
        """The digest for runs with this history; with ``golden`` the golden replies are asked too."""
        digest = hashlib.sha256()
        for conversation in self.conversations:
            asked: list[str | None] = [conversation.id, conversation.system]
            asked += [turn.text for turn in conversation.turns]
            if history == "golden":
                asked += [turn.golden for turn in conversation.turns]
            digest.update(msgspec.json.encode(asked) + b"\n")
        return digest.hexdigest()

    @property
    def categories(self) -> str:
        """SHA-256 over which conversation has which category."""
        told = [(conversation.id, conversation.category) for conversation in self.conversations]
        return hashlib.sha256(msgspec.json.encode(told)).hexdigest()

    @property
    def expectations(self) -> str:
        """SHA-256 over all that stands in the conversations, what is expected of the replies included.

        Until checks came, this was the suite's digest: runs that were stored or exported then bear it.
        """
        digest = hashlib.sha256()
        for conversation in self.conversations:
            digest.update(msgspec.json.encode(conversation) + b"\n")
        return digest.hexdigest()

    @property
    def turn_count(self) -> int:
        """User turns in all conversations."""
        return sum(len(conversation.turns) for conversation in self.conversations)
