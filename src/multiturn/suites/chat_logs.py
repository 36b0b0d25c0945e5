"""Chat logs as conversations: OpenAI messages and ShareGPT. Pure.

::

    {"messages": [{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}, ...]}
    {"conversations": [{"from": "human", "value": "..."}, {"from": "gpt", "value": "..."}, ...]}

A user's message is a turn, an assistant's the golden reply to it. Tools, functions and anything but text can't be held
again here: a log with them is a fault, so that no turn is asked out of its context.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from multiturn.conversation import Conversation, Turn
from multiturn.suites.fields import seen, sound_id, sound_text
from multiturn.suites.findings import Place, kind_of, shown
from multiturn.suites.forms import Form, Found, Replies, list_name
from multiturn.suites.places import Raw, Refused

Speaker = Literal["user", "assistant", "system"]

SPEAKERS: Final[Mapping[str, Speaker]] = {
    "user": "user",
    "human": "user",
    "prompter": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bard": "assistant",
    "bing": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
}
TOOLS: Final = frozenset(
    {"tool", "function", "function_call", "function_response", "observation", "tool_call", "tool_response", "ipython"}
)
TOOL_FIELDS: Final = ("tool_calls", "function_call")
TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})
IDS: Final = ("id", "conversation_id", "chat_id", "uuid")
LEAVE_OUT: Final = "leave this conversation out"
MADE_ID: Final = "chat-"
"""How an id begins that was made of what is said."""


class _Said(msgspec.Struct, frozen=True):
    """One message: who said it and what; None where it is blank."""

    speaker: Speaker
    text: str | None
    place: Place


def read_chat(raw: Raw, place: Place, form: Form, replies: Replies) -> Found:
    """A conversation of messages. Without an id it gets one that is made of all that is said in it."""
    before = len(place.findings.faults)
    for name in raw.repeated:
        place.at(name).fault("is given twice in one object; keep one")
    for name in ("tools", "functions"):
        if raw.get(name):
            place.at(name).fault(f"tools can't be used here; {LEAVE_OUT}")
    key = next((name for name in IDS if raw.get(name) is not None), None)
    identifier = None if key is None else sound_id(raw[key], place.at(key))
    name = list_name(raw, form)
    said = _messages(raw.get(name), place.at(name), form)
    system, turns = _turns(said)
    if not turns and len(place.findings.faults) == before:
        place.at(name).fault(f"holds no user's message; {LEAVE_OUT}")
    if len(place.findings.faults) > before or (identifier is None and key is not None):
        return Found(identifier)
    made = identifier or _made_id(system, turns)
    if replies == "drop":
        turns = [msgspec.structs.replace(turn, golden=None) for turn in turns]
    return Found(made, Conversation(id=made, turns=tuple(turns), system=system), made=identifier is None)


def _made_id(system: str | None, turns: list[Turn]) -> str:
    said = [system, *((turn.text, turn.golden) for turn in turns)]
    return MADE_ID + hashlib.sha256(msgspec.json.encode(said)).hexdigest()[:12]


def _messages(value: object, place: Place, form: Form) -> list[_Said]:
    if not isinstance(value, list):
        place.fault(f"must be a list of messages, not {kind_of(value)}")
        return []
    names = ("role", "content") if form == "messages" else ("from", "value")
    found = [_message(item, place.item(index), *names) for index, item in enumerate(value)]
    return [one for one in found if one is not None]


def _message(item: object, place: Place, role: str, content: str) -> _Said | None:
    if not isinstance(item, Raw):
        place.fault(f'must be a message like {{"{role}": ..., "{content}": ...}}, not {kind_of(item)}')
        return None
    for name in item.repeated:
        place.at(name).fault("is given twice in one object; keep one")
    who = item.get(role)
    plain = who.casefold().strip() if isinstance(who, str) else ""
    if plain in TOOLS:
        place.at(role).fault(f"is {shown(plain)}: what a tool says can't be said again here; {LEAVE_OUT}")
        return None
    if plain not in SPEAKERS:
        place.at(role).fault(f"must be user, assistant or system, not {kind_of(who)}")
        return None
    for name in TOOL_FIELDS:
        if item.get(name):
            place.at(name).fault(f"a tool is called; tools can't be used here; {LEAVE_OUT}")
            return None
    before = len(place.findings.faults)
    text = _content(item.get(content), place.at(content), SPEAKERS[plain])
    return None if len(place.findings.faults) > before else _Said(SPEAKERS[plain], text, place.at(content))


def _content(value: object, place: Place, speaker: Speaker) -> str | None:
    """A message's text, or that of its parts; None where it is blank, which a user's may not be."""
    text = _flat(value, place)
    if text is None or (speaker != "user" and not seen(text)):
        return None
    try:
        return sound_text(text)
    except ValueError as error:
        place.fault(str(error))
        return None


def _flat(value: object, place: Place) -> str | None:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Refused):
        place.fault(value.reason)
        return None
    if not isinstance(value, list):
        place.fault(f"must be text, not {kind_of(value)}")
        return None
    texts: list[str] = []
    for index, part in enumerate(value):
        kind = part.get("type", "text") if isinstance(part, Raw) else None
        text = part.get("text") if isinstance(part, Raw) else None
        if kind not in TEXT_PARTS or not isinstance(text, str):
            what = f"is of type {shown(str(kind))}" if isinstance(part, Raw) and "type" in part else "is no text"
            place.item(index).fault(f"{what}: only text can be said here; {LEAVE_OUT}")
            return None
        texts.append(text)
    return "".join(texts)


def _turns(said: list[_Said]) -> tuple[str | None, list[Turn]]:
    """The system prompt and the turns; what can't be kept as it stands is put down at its place."""
    systems: list[str] = []
    turns: list[Turn] = []
    for index, one in enumerate(said):
        if one.speaker == "system":
            if turns:
                one.place.fault(f"a system message after the first turn can't be kept; {LEAVE_OUT}")
            systems += [one.text] if one.text else []
        elif one.speaker == "user":
            if index and said[index - 1].speaker == "user":
                one.place.note("follows a user's message without a reply between; it is a turn of its own")
            turns += [Turn(text=one.text)] if one.text else []
        elif not turns:
            one.place.note("an assistant's message before the first turn is left out")
        elif one.text is None:
            one.place.note("an assistant's message without text is left out")
        elif turns[-1].golden is None:
            turns[-1] = msgspec.structs.replace(turns[-1], golden=one.text)
        else:
            turns[-1] = msgspec.structs.replace(turns[-1], golden=f"{turns[-1].golden}\n\n{one.text}")
            one.place.note("follows an assistant's message; both are taken as one reply")
    return "\n\n".join(systems) or None, turns
