"""From the JSON of a check to the check, and from a transcript to what its checks say."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeVar

import msgspec

from multiturn.checks.base import Kind, Read, inapplicable
from multiturn.checks.kinds import KINDS
from multiturn.checks.own import Common, Own, own_class, with_common
from multiturn.conversation import CheckJson, Conversation, Suite
from multiturn.finding import Checked
from multiturn.protocols import Check
from multiturn.transcript import Transcript, TurnRecord

DOCS: Final = "docs/checks.md has all kinds"
DEEPEST: Final = 5
"""So deep checks may stand in checks."""

NO_FIELD: Final = "is no field of it"
_EXAMPLE: Final = 'must be an object like {"kind": "says", "any": ["5:45"]}'

T = TypeVar("T")


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
    except RecursionError:
        raise ValueError("is nested too deeply to be read") from None
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
    found = KINDS.get(kind) or own_class(kind, tuple(KINDS), DOCS)
    _build_inner(fields, found, depth)
    check = _made(fields, KINDS[kind]) if kind in KINDS else _made_own(kind, fields, found)
    return Read(kind=kind, wants=check.wants(), positive=check.positive, check=check)


def _made(fields: dict[str, object], kind: type[T]) -> T:
    try:
        return msgspec.convert(fields, kind, strict=True)
    except msgspec.ValidationError as error:
        raise ValueError(_told(str(error), kind)) from None


def _made_own(name: str, fields: dict[str, object], kind: type[Check]) -> Own:
    """A check of someone's own; its class may ignore what it does not know, and raise whatever it likes."""
    common = _made({field: fields.pop(field) for field in Common.__struct_fields__ if field in fields}, Common)
    names = _field_names(kind)
    unknown = next((field for field in fields if field not in names), None)
    if unknown is not None:
        raise ValueError(_no_field(unknown, names))
    try:
        check = _made(fields, kind)
    except ValueError:
        raise
    except Exception as error:  # noqa: BLE001 - someone else's code
        raise ValueError(f"kind {name!r} can't be made: {type(error).__name__}: {error}") from None
    return with_common(name, check, common)


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
        return f"{f'{place}.' if place else ''}{_no_field(unknown[1], _field_names(kind))}"
    return f"{place}: {message}" if place else message


def _no_field(name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    more = f"did you mean {near[0]!r}?" if near else f"fields are {', '.join(names) or 'none'}"
    return f"{name} {NO_FIELD}; {more}"


def _field_names(kind: type) -> list[str]:
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind) if field.init]
    return [field.encode_name for field in msgspec.structs.fields(kind)]


def unread_notes(suite: Suite) -> tuple[str, ...]:
    """A line for each fault for which checks of a suite can't be read here, with how many; none where all can."""
    faults: Counter[str] = Counter()
    for conversation in suite.conversations:
        for turn in conversation.turns:
            for written in turn.checks:
                try:
                    read_check(written)
                except ValueError as error:
                    faults[str(error)] += 1
    return tuple(f"checks that can't be read here, and so do not count: {n} ({fault})" for fault, n in faults.items())


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
    """What each of these checks says of one turn; one that can't be read here is not applicable."""
    return [_checked(number, written, so_far, record) for number, written in enumerate(checks)]


def _checked(number: int, written: CheckJson, so_far: Transcript, record: TurnRecord) -> Checked:
    try:
        read = read_check(written)
    except ValueError as error:
        kind = _kind_named(written)
        result = inapplicable(f"check can't be read: {error}")
        return Checked(turn=record.turn, check=number, kind=kind, wants=kind, result=result)
    return Checked(
        turn=record.turn,
        check=number,
        kind=read.kind,
        wants=read.wants,
        result=read.check(so_far, record),
        why=getattr(read.check, "why", ""),
    )


def _kind_named(written: CheckJson) -> str:
    """The kind that a check which can't be read is of, as far as it says."""
    try:
        return msgspec.json.decode(bytes(written), type=_Named).kind
    except (msgspec.DecodeError, RecursionError):
        return "unknown"


class _Named(msgspec.Struct, frozen=True):
    kind: str


def _as_golden(record: TurnRecord, golden: str | None) -> TurnRecord:
    return msgspec.structs.replace(record, reply=golden, status="ok", cause=None, failure=None) if golden else record
