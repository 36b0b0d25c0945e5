"""From the JSON of a check to the check, and from a transcript to what its checks say."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from multiturn.checks.base import Kind, Read
from multiturn.checks.kinds import KINDS
from multiturn.conversation import CheckJson, Conversation
from multiturn.finding import Checked
from multiturn.protocols import Check
from multiturn.transcript import Transcript, TurnRecord

DOCS: Final = "docs/checks.md has all kinds"
DEEPEST: Final = 5
"""So deep checks may stand in checks."""

NO_FIELD: Final = "is no field of it"
_EXAMPLE: Final = 'must be an object like {"kind": "says", "any": ["5:45"]}'
_OWN: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


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
        raise ValueError(_EXAMPLE)  # noqa: TRY004 - a fault of data
    return _built(dict(fields))


def longest_back(read: Read) -> int:
    """How many turns back the check looks; 0 where it looks at its own reply only."""
    return read.longest_back()


def check_from(fields: dict[str, object]) -> Read:
    """The check behind its decoded JSON; see :func:`read_check`."""
    return _built(dict(fields))


def _built(fields: dict[str, object], depth: int = 0) -> Read:
    kind = fields.pop("kind", None)
    if not isinstance(kind, str):
        raise ValueError(f"kind is missing; one of {', '.join(KINDS)}")  # noqa: TRY004 - a fault of data
    found = KINDS[kind] if kind in KINDS else _own_kind(kind)
    _build_inner(fields, found, depth)
    try:
        check = msgspec.convert(fields, found, strict=True)
    except msgspec.ValidationError as error:
        raise ValueError(_told(str(error), found)) from None
    wants = check.wants() if hasattr(check, "wants") else kind
    return Read(kind=kind, wants=wants, positive=getattr(check, "positive", True), check=check)


def _build_inner(fields: dict[str, object], kind: type[Check], depth: int) -> None:
    """Put checks in the place of the JSON of those that stand inside this one: in its fields made of ``Read``."""
    for field in msgspec.structs.fields(kind) if issubclass(kind, Kind) else ():
        name = field.encode_name
        written = fields.get(name)
        if field.type == tuple[Read, ...] and isinstance(written, list):
            fields[name] = [_inner(one, f"{name}[{index}]", depth + 1) for index, one in enumerate(written)]
        elif field.type is Read and name in fields:
            fields[name] = _inner(written, name, depth + 1)


def _inner(written: object, place: str, depth: int) -> Read:
    """A check that stands inside another, at this place of it."""
    if depth > DEEPEST:
        raise ValueError(f"{place} stands more than {DEEPEST} checks deep")
    if not isinstance(written, dict):
        raise ValueError(f"{place} {_EXAMPLE}")  # noqa: TRY004 - a fault of data
    try:
        return _built(dict(written), depth)
    except ValueError as error:
        fault = str(error)
        first = fault.partition(" ")[0]
        joint = "." if re.split(r"\W", first)[0] in _FIELDS or fault.startswith(f"{first} {NO_FIELD}") else ": "
        raise ValueError(f"{place}{joint}{fault}") from None


_FIELDS: Final = {"kind"} | {field.encode_name for kind in KINDS.values() for field in msgspec.structs.fields(kind)}
"""With one of these a fault begins that names its field."""


def _told(error: str, kind: type) -> str:
    """The message of msgspec, with the place first and the names that would be right."""
    message, _, path = error.partition(" - at ")
    place = path.strip("`").removeprefix("$").lstrip(".")
    unknown = re.search(r"unknown field `(.+)`", message)
    if unknown:
        names = [field.encode_name for field in msgspec.structs.fields(kind)]
        near = difflib.get_close_matches(unknown[1], names, n=1)
        more = f"did you mean {near[0]!r}?" if near else f"fields are {', '.join(names)}"
        return f"{f'{place}.' if place else ''}{unknown[1]} {NO_FIELD}; {more}"
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
        found.append(
            Checked(
                turn=record.turn,
                check=number,
                kind=read.kind,
                wants=read.wants,
                result=result,
                why=getattr(read.check, "why", ""),
            )
        )
    return found


def _as_golden(record: TurnRecord, golden: str | None) -> TurnRecord:
    return msgspec.structs.replace(record, reply=golden, status="ok", cause=None, failure=None) if golden else record
