"""Which form a suite file has: ours, or one of those that other tools write. By content, never by the file's name.

Knows the names by which forms are told apart; how each is read stands in ``fields`` (ours), ``benchmarks`` (FastChat's
questions, MT-Bench-101) and ``chat_logs`` (OpenAI messages, ShareGPT).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from multiturn.conversation import Conversation
from multiturn.suites.places import Document, Entry, Raw

Form = Literal["multiturn", "fastchat", "mtbench101", "messages", "sharegpt"]

Replies = Literal["golden", "drop"]
"""What becomes of the replies that stand in a file of another form: kept as golden ones, or left out."""

FORMS: Final[Mapping[Form, str]] = {
    "multiturn": "a conversation of multiturn's own form",
    "fastchat": "a question of FastChat (question_id, turns)",
    "mtbench101": "a dialogue of MT-Bench-101 (history of user and bot)",
    "messages": "OpenAI messages (messages of role and content)",
    "sharegpt": "a ShareGPT conversation (conversations of from and value)",
}
"""Each form in words."""

CHAT_LISTS: Final[Mapping[Form, tuple[str, ...]]] = {
    "messages": ("messages",),
    "sharegpt": ("conversations", "conversation"),
}
"""Where a chat log has its messages."""


SHAREGPT: Final = frozenset({"from", "value"})
"""The names of one of its messages."""


class Found(msgspec.Struct, frozen=True):
    """What one entry of a file became: its id if it has a sound one, and the conversation if all of it is sound.

    ``made`` says that the file has no id, so that one was made of what is said.
    """

    id: str | None = None
    conversation: Conversation | None = None
    made: bool = False


def form_of(raw: Raw) -> Form:
    """The form of one raw conversation; ours where no other's names stand there."""
    if "turns" in raw:
        return "fastchat" if "question_id" in raw and "id" not in raw else "multiturn"
    if _begins(raw.get("history"), {"user", "bot"}):
        return "mtbench101"
    if raw.get("messages") == [] or _begins(raw.get("messages"), {"role"}):
        return "messages"
    if any(_begins(raw.get(name), SHAREGPT) for name in CHAT_LISTS["sharegpt"]):
        return "sharegpt"
    return "multiturn"


def list_name(raw: Raw, form: Form) -> str:
    """The name under which a chat log has its messages; the usual one where it has none."""
    names = CHAT_LISTS[form]
    return next((name for name in names if isinstance(raw.get(name), list)), names[0])


def first_form(document: Document) -> Form:
    """The form of the first object of a file."""
    return next((form_of(entry.value) for entry in document.entries if isinstance(entry.value, Raw)), "multiturn")


def whole(document: Document) -> Document:
    """The document, where a file that is one conversation of another form is that one entry.

    Such a file was taken for a list of conversations, which are messages here, or for an object around nothing.
    """
    entries, header = document.entries, document.header
    values = [entry.value for entry in entries]
    lone, line, faults = None, 1, document.faults
    if not entries and form_of(header) != "multiturn":
        lone = header
        line = next((fault.line or 1 for fault in faults if fault.path == "conversations"), 1)
        faults = tuple(fault for fault in faults if fault.path != "conversations")
    elif entries and entries[0].path and _begins(values, SHAREGPT):
        lone = Raw(header, conversations=values)
    elif entries and entries[0].path and _begins(values, {"role", "content"}):
        lone = Raw(header, messages=values)
        lone.pop("conversations", None)
    if lone is None:
        return document
    lone.repeated = header.repeated
    return Document((Entry(value=lone, line=entries[0].line if entries else line, path=""),), Raw(), faults)


def _begins(value: object, names: frozenset[str] | set[str]) -> bool:
    """Whether this is a list whose first item is an object with these names."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], Raw) and names <= value[0].keys()
