"""The turns of a conversation that another script held: one raw list -> who said what, in any of the usual shapes.

::

    [{"user": "...", "assistant": "..."}, ...]        also prompt/response, question/answer, input/output
    [{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}, ...]   a system message may come first
    [["what the user said", "the reply"], ...]

A reply is text, or null where there is none. What can't be read is a fault; nothing is guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, get_args

import msgspec

from multiturn.codec import clean_surrogates
from multiturn.suites.fields import seen
from multiturn.suites.findings import kind_of, shown
from multiturn.suites.places import Raw, Refused
from multiturn.transcript import Cause, FinishReason, Flag, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multiturn.suites.findings import Place

USER: Final = ("user", "prompt", "question", "input", "human", "query", "instruction", "request", "user_message")
REPLY: Final = (
    "assistant",
    "reply",
    "response",
    "answer",
    "output",
    "completion",
    "bot",
    "model",
    "gpt",
    "generated_text",
    "assistant_message",
    "model_response",
)
ROLE: Final = ("role", "from", "speaker")
CONTENT: Final = ("content", "value", "text", "message")
ROLES: Final[Mapping[str, str]] = {
    "user": "user",
    "human": "user",
    "prompter": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
}
STATUSES: Final[Mapping[str, Status]] = {
    **{word: word for word in cast("tuple[Status, ...]", get_args(Status))},
    **dict.fromkeys(("success", "succeeded", "complete", "completed", "done", "finished"), "ok"),
    **dict.fromkeys(("error", "failure", "exception", "timeout"), "failed"),
}
"""How a turn ended, in our words and in those of others."""
FINISHES: Final[Mapping[str, FinishReason]] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
    "filter": "filter",
}
SHAPE: Final = '{"user": ..., "assistant": ...}'


class HeldTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn as it stands in a file.

    ``reply`` is None where there is none. ``status``, ``finish`` and ``cause`` are None where the file does not say.
    ``failure`` is the text of an error that stands beside, or in the place of, the reply. ``cleaned`` says that
    multiturn wrote it, so that nothing of a prompt or label can be left in the reply.
    """

    user: str
    reply: str | None
    status: Status | None = None
    finish: FinishReason | None = None
    cause: Cause | None = None
    failure: str = ""
    flags: tuple[Flag, ...] = ()
    cleaned: bool = False


class Exchanges(msgspec.Struct, frozen=True):
    """The turns of one conversation and the system prompt in front of them."""

    turns: tuple[HeldTurn, ...]
    system: str | None = None


def field_of(raw: Raw, names: Sequence[str]) -> str | None:
    """The name in this object that is one of those looked for, the first of them that is there."""
    there = {name.casefold().strip().replace("-", "_").replace(" ", "_"): name for name in raw}
    return next((there[name] for name in names if name in there), None)


def read_exchanges(value: object, place: Place) -> Exchanges:
    """The turns in a raw list; what is wrong is put down at its place."""
    if not isinstance(value, list):
        if not isinstance(value, Refused):
            place.fault(f"must be a list of turns like {SHAPE}, not {kind_of(value)}")
        return Exchanges(())
    if not value:
        place.fault("is empty: a conversation has at least one turn")
    if any(isinstance(item, Raw) and field_of(item, ROLE) for item in value):
        return _messages(value, place)
    turns = [_turn(item, place.item(index)) for index, item in enumerate(value)]
    return Exchanges(tuple(turn for turn in turns if turn is not None))


def zipped(users: object, replies: object, place: Place, other: Place) -> Exchanges:
    """The turns of two lists that go beside each other: what the user said, and the replies."""
    if not isinstance(users, list) or not isinstance(replies, list) or len(users) != len(replies):
        count = f"{len(users)} texts" if isinstance(users, list) else kind_of(users)
        other.fault(f"must be a list of as many replies as there are users' texts ({count})")
        return Exchanges(())
    pairs = [
        _pair(user, reply, (place.item(index), other.item(index)))
        for index, (user, reply) in enumerate(zip(users, replies, strict=True))
    ]
    return Exchanges(tuple(turn for turn in pairs if turn is not None))


def read_text(value: object, place: Place) -> str | None:
    """A text, or the texts of a message's parts; None for null, and where there is a fault."""
    if value is None:
        return None
    if isinstance(value, str):
        return clean_surrogates(value)
    if isinstance(value, Refused):
        place.fault(value.reason)
        return None
    if isinstance(value, list) and value and all(isinstance(part, Raw) and "text" in part for part in value):
        texts = [read_text(part["text"], place.item(index)) for index, part in enumerate(value)]
        return "".join(text or "" for text in texts)
    place.fault(f"must be text, or null where there is none, not {kind_of(value)}")
    return None


def _turn(item: object, place: Place) -> HeldTurn | None:
    if isinstance(item, list):
        if len(item) == 2:  # noqa: PLR2004 - a pair
            return _pair(item[0], item[1], (place.item(0), place.item(1)))
        place.fault(f"must be a pair, [what the user said, the reply], not a list of {len(item)}")
        return None
    if not isinstance(item, Raw):
        place.fault(f"must be a turn like {SHAPE}, not {kind_of(item)}")
        return None
    for name in item.repeated:
        place.at(name).fault("is given twice in one object; keep one")
    user, reply = field_of(item, USER), field_of(item, REPLY)
    if user is None:
        place.at("user").fault(f"is missing: a turn is {SHAPE}{_names(item)}")
    if reply is None:
        place.at("assistant").fault(f"is missing: write null where there is no reply{_names(item)}")
    if user is None or reply is None:
        return None
    turn = _pair(item[user], item[reply], (place.at(user), place.at(reply)))
    return turn and _with_status(turn, item, place)


def _pair(user: object, reply: object, places: tuple[Place, Place]) -> HeldTurn | None:
    before = len(places[0].findings.faults)
    said, replied = read_text(user, places[0]), read_text(reply, places[1])
    if len(places[0].findings.faults) > before:
        return None
    if said is None or not seen(said):
        places[0].fault("is empty: write what the user said")
        return None
    return HeldTurn(user=said, reply=replied)


def _with_status(turn: HeldTurn, item: Raw, place: Place) -> HeldTurn:
    """The turn with what the file says of how it ended."""
    word = item.get("status")
    status = STATUSES.get(word.casefold()) if isinstance(word, str) else None
    if word is not None and status is None:
        place.at("status").note(f"{shown(str(word))} is no word for how a turn ended, and is not read")
    finished = next((item[name] for name in ("finish", "finish_reason") if isinstance(item.get(name), str)), "")
    error = item.get("error", item.get("failure"))
    said = error.get("message") if isinstance(error, Raw) else error
    flags, cause = item.get("flags"), item.get("cause")
    return msgspec.structs.replace(
        turn,
        status=status,
        finish=FINISHES.get(str(finished).casefold()),
        cause=cause if cause in get_args(Cause) else None,
        failure=clean_surrogates(said) if isinstance(said, str) else "",
        flags=tuple(flag for flag in flags if flag in get_args(Flag)) if isinstance(flags, list) else (),
        cleaned=isinstance(flags, list) and "signals" in item,
    )


def _messages(items: list[object], place: Place) -> Exchanges:
    """Messages with roles; a user's message that none follows has no reply."""
    system: list[str] = []
    turns: list[HeldTurn] = []
    for index, item in enumerate(items):
        here = place.item(index)
        found = _message(item, here)
        if found is None:
            continue
        role, text = found
        if role == "system":
            if turns:
                here.fault("a system message after the first turn can't be kept; leave it out")
            system += [text] if text else []
        elif role == "user" and (text is None or not seen(text)):
            here.fault("is empty: write what the user said")
        elif role == "user":
            turns.append(HeldTurn(user=text or "", reply=None))
        elif not turns or turns[-1].reply is not None or turns[-1].status is not None:
            here.fault("an assistant's message must follow a user's")
        else:
            status: Status | None = None if text is not None else "failed"
            turns[-1] = msgspec.structs.replace(turns[-1], reply=text, status=status)
    return Exchanges(tuple(turns), "\n\n".join(system) or None)


def _message(item: object, place: Place) -> tuple[str, str | None] | None:
    role_name = field_of(item, ROLE) if isinstance(item, Raw) else None
    if not isinstance(item, Raw) or role_name is None:
        place.fault(
            f'must be a message like {{"role": "user", "content": ...}}, as the others are, not {kind_of(item)}'
        )
        return None
    role, content = item[role_name], field_of(item, CONTENT)
    known = ROLES.get(role.casefold()) if isinstance(role, str) else None
    if known is None:
        place.at(role_name).fault(f"must be user, assistant or system, not {kind_of(role)}")
        return None
    if content is None:
        place.at("content").fault(f"is missing: write null where there is no reply{_names(item)}")
        return None
    before = len(place.findings.faults)
    text = read_text(item[content], place.at(content))
    return None if len(place.findings.faults) > before else (known, text)


def _names(item: Raw) -> str:
    names: Iterator[str] = iter(shown(name) for name in list(item)[:8])
    return f" (the names here: {', '.join(names)})" if item else ""
