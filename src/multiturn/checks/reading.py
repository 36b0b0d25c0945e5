"""From the JSON of a check to the check, and from a transcript to what its checks say."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from multiturn.checks.base import Kind
from multiturn.checks.kinds import KINDS
from multiturn.conversation import CheckJson, Conversation
from multiturn.finding import Checked
from multiturn.protocols import Check
from multiturn.transcript import Transcript, TurnRecord

DOCS: Final = "docs/checks.md has all kinds"
_OWN: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Read(msgspec.Struct, frozen=True):
    """A check ready to be asked: its kind as the suite names it, what it wants in words, and whether it is positive."""

    kind: str
    wants: str
    positive: bool
    check: Check


def read_check(written: CheckJson) -> Read:
    """The check behind its JSON.

    Raises:
        ValueError: it is none; the text names the field and says what to write.
    """
    return _read(bytes(written))


@lru_cache(maxsize=8192)
def _read(written: bytes) -> Read:
    try:
        fields = msgspec.json.decode(written)
    except msgspec.DecodeError as error:
        raise ValueError(f"is no JSON: {error}") from None
    if not isinstance(fields, dict):
        raise ValueError('must be an object like {"kind": "says", "any": ["5:45"]}')  # noqa: TRY004 - a fault of data
    return _built(dict(fields))


def longest_back(read: Read) -> int:
    """How many turns back the check looks; 0 where it looks at its own reply only."""
    return read.check.longest_back() if isinstance(read.check, Kind) else 0


def check_from(fields: dict[str, object]) -> Read:
    """The check behind its decoded JSON; see :func:`read_check`."""
    return _built(dict(fields))


def _built(fields: dict[str, object]) -> Read:
    kind = fields.pop("kind", None)
    if not isinstance(kind, str):
        raise ValueError(f"kind is missing; one of {', '.join(KINDS)}")  # noqa: TRY004 - a fault of data
    found = KINDS[kind] if kind in KINDS else _own_kind(kind)
    try:
        check = msgspec.convert(fields, found, strict=True)
    except msgspec.ValidationError as error:
        raise ValueError(_told(str(error), found)) from None
    wants = check.wants() if hasattr(check, "wants") else kind
    return Read(kind=kind, wants=wants, positive=getattr(check, "positive", True), check=check)


def _told(error: str, kind: type) -> str:
    """The message of msgspec, with the place first and the names that would be right."""
    message, _, path = error.partition(" - at ")
    place = path.strip("`").removeprefix("$").lstrip(".")
    unknown = re.search(r"unknown field `(.+)`", message)
    if unknown:
        names = [field.encode_name for field in msgspec.structs.fields(kind)]
        near = difflib.get_close_matches(unknown[1], names, n=1)
        more = f"did you mean {near[0]!r}?" if near else f"fields are {', '.join(names)}"
        return f"{f'{place}.' if place else ''}{unknown[1]} is no field of it; {more}"
    return f"{place}: {message}" if place else message


def _own_kind(name: str) -> type[Check]:
    """A user's own kind."""
    if not _OWN.fullmatch(name):
        near = difflib.get_close_matches(name, KINDS, n=1)
        raise ValueError(f"kind {name!r} is none; " + (f"did you mean {near[0]!r}?" if near else DOCS))
    module, _, attribute = name.partition(":")
    try:
        own: type[Check] = getattr(importlib.import_module(module), attribute)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ValueError(f"kind {name!r} can't be loaded: {error}") from None
    return own


def check_transcript(
    conversation: Conversation, transcript: Transcript, *, golden: bool = False
) -> tuple[Checked, ...]:
    """What the checks of a conversation say of a transcript, turn by turn, check by check.

    Args:
        conversation: with its checks, as the suite has it now.
        transcript: as it was held; turns that were never held are left out.
        golden: the history was golden: what came before a turn are the golden replies.
    """
    records = {record.turn: record for record in transcript.turns}
    found: list[Checked] = []
    for index, turn in enumerate(conversation.turns):
        record = records.get(index)
        if record is None or not turn.checks:
            continue
        earlier = [records[before] for before in range(index) if before in records]
        if golden:
            earlier = [_as_golden(one, conversation.turns[one.turn].golden) for one in earlier]
        found += check_turn(turn.checks, msgspec.structs.replace(transcript, turns=tuple(earlier)), record)
    return tuple(found)


def check_turn(checks: Sequence[CheckJson], so_far: Transcript, record: TurnRecord) -> list[Checked]:
    """What each of these checks says of one turn."""
    found = []
    for number, written in enumerate(checks):
        read = read_check(written)
        result = read.check(so_far, record)
        found.append(Checked(turn=record.turn, check=number, kind=read.kind, wants=read.wants, result=result))
    return found


def _as_golden(record: TurnRecord, golden: str | None) -> TurnRecord:
    return msgspec.structs.replace(record, reply=golden, status="ok", cause=None, failure=None) if golden else record
