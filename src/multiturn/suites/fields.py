"""Stage two of reading a suite: one raw JSON object -> a Conversation, with every fault of it collected.

The fields and their types are those of :mod:`multiturn.conversation`, looked up there, so a new field is read as soon
as it exists. Other names are a user's own data and are left alone (with a note), unless they look like a field that is
not there: a misspelled field must not be lost in silence.
"""

from __future__ import annotations

import difflib
import functools
import re
import typing
import unicodedata
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from multiturn.conversation import MAX_ID_LENGTH, Conversation, Suite, Turn
from multiturn.suites.check_fields import read_checks
from multiturn.suites.findings import SHOWN_LENGTH, Findings, Place, kind_of, shown
from multiturn.suites.places import TAKEN, Entry, Raw, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

NEAR: Final = 0.8
"""From this similarity on (difflib's ratio) a name is taken for a misspelled one."""

OTHER_NAMES: Final[Mapping[type, Mapping[str, str]]] = {
    Turn: {
        "content": "text",
        "user": "text",
        "prompt": "text",
        "message": "text",
        "question": "text",
        "value": "text",
        "reference": "golden",
        "expected": "golden",
        "answer": "golden",
        "assistant": "golden",
    },
    Conversation: {
        "question_id": "id",
        "conversation_id": "id",
        "_id": "id",
        "key": "id",
        "name": "id",
        "uid": "id",
        "messages": "turns",
        "conversation": "turns",
        "conversations": "turns",
        "prompts": "turns",
        "questions": "turns",
        "history": "turns",
        "system_prompt": "system",
    },
    Suite: {"title": "name"},
}
"""Names that other tools use for our fields."""

NEVER: Final[Mapping[type, Mapping[str, str]]] = {
    Turn: {
        "role": "a turn is always the user's; leave role out, and leave assistant and system messages out of the turns",
    },
    Conversation: {"checks": "checks stand beside the turn whose reply they look at; move them into a turn"},
    Suite: {},
}
"""Names that would promise something we don't do (until they are fields)."""

_UNSEEN: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0"  # fillers and joiners that are no Cf
    + "".join(map(chr, range(0xFE00, 0xFE10)))  # variation selectors
)
_UNSEEN_KINDS: Final = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_UNFIT_FOR_TEXT: Final = re.compile("[\x00\ud800-\udfff]")
_UNFIT_FOR_ID: Final = frozenset("\u200b\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def read_conversation(entry: Entry, findings: Findings) -> tuple[str | None, Conversation | None]:
    """The conversation's id, if it has a sound one, and the conversation, if all of it is sound."""
    place = Place(findings, entry.line, entry.path)
    before = len(findings.faults)
    raw = entry.value
    if not isinstance(raw, Raw):
        place.fault(f'a conversation must be an object like {{"id": ..., "turns": [...]}}, not {kind_of(raw)}')
        return None, None
    report_everywhere(raw, place)
    values = _read_fields(Conversation, raw, place, special=("id", "turns"))
    meant = _report_names(Conversation, raw, place)
    identifier = _read_id(raw, place.at("id"), missing="id" not in meant)
    turns = _read_turns(raw, place.at("turns"), missing="turns" not in meant)
    if len(findings.faults) > before or identifier is None:
        return identifier, None
    try:
        return identifier, Conversation(id=identifier, turns=turns, **values)  # type: ignore[arg-type] # read by type
    except ValueError as error:
        place.fault(str(error))
        return identifier, None


def read_header(header: Raw, findings: Findings) -> dict[str, str]:
    """What stands beside the list of conversations: name, version, description."""
    place = Place(findings, None, "")
    header.setdefault("conversations", TAKEN)  # where it is missing, stage one has told
    report_everywhere(header, place)
    _report_names(Suite, header, place)
    version = header.get("version")
    if isinstance(version, int) and not isinstance(version, bool):
        header["version"] = str(version)
    values = _read_fields(Suite, header, place, special=("conversations",))
    return {name: value for name, value in values.items() if isinstance(value, str)}


def same_id(identifier: str) -> str:
    """What two ids have in common that look alike: their composed form."""
    return unicodedata.normalize("NFC", identifier)


def seen(text: str) -> bool:
    """False for text that shows nothing: white space, zero-width and control characters."""
    return any(character not in _UNSEEN and unicodedata.category(character) not in _UNSEEN_KINDS for character in text)


def _read_id(raw: Raw, place: Place, *, missing: bool) -> str | None:
    if "id" not in raw:
        if missing:
            place.fault("is missing; give each conversation an id of its own")
        return None
    return sound_id(raw["id"], place)


def sound_id(value: object, place: Place) -> str | None:
    """An id as it stands in a file, as text; None where it is none, with the fault put down."""
    if isinstance(value, Refused):
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        place.fault(f"must be text or a whole number, not {kind_of(value)}")
        return None
    fault = _fault_of_id(value)
    if fault:
        place.fault(fault)
        return None
    return value


def _fault_of_id(value: str) -> str:
    unfit = [c for c in value if c in _UNFIT_FOR_ID or unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}]
    if not seen(value):
        return "is empty; write a word or a number"
    if unfit:
        return f"holds the unprintable character U+{ord(unfit[0]):04X}; leave it out"
    if value != value.strip():
        return f"begins or ends with white space: {shown(value)}; leave that out"
    if len(value) > MAX_ID_LENGTH:
        return f"is {len(value)} characters long; {MAX_ID_LENGTH} are the most"
    return ""


def _read_turns(raw: Raw, place: Place, *, missing: bool) -> tuple[Turn, ...]:
    value = raw.get("turns")
    if "turns" not in raw:
        if missing:
            place.fault("is missing; write the user's messages as a list of texts")
        return ()
    if isinstance(value, Refused):
        return ()
    if not isinstance(value, list):
        more = "; put square brackets around it" if isinstance(value, str) else ""
        place.fault(f"must be a list of texts or objects, not {kind_of(value)}{more}")
        return ()
    if not value:
        place.fault("is empty; a conversation needs at least one turn")
    turns = [_read_turn(item, index, place.item(index)) for index, item in enumerate(value)]
    return tuple(turn for turn in turns if turn is not None)


def _read_turn(value: object, index: int, place: Place) -> Turn | None:
    if isinstance(value, Refused):
        return None
    try:
        if isinstance(value, str):
            return Turn(text=sound_text(value))
        if isinstance(value, Raw):
            return _read_turn_object(value, index, place)
    except ValueError as error:
        place.fault(str(error))
        return None
    place.fault(f'must be text, or an object like {{"text": ...}}, not {kind_of(value)}')
    return None


def _read_turn_object(raw: Raw, index: int, place: Place) -> Turn | None:
    values = _read_fields(Turn, raw, place, special=("checks",))
    values["checks"] = read_checks(raw.get("checks"), index, place.at("checks"))
    meant = _report_names(Turn, raw, place)
    if "text" not in raw and "text" not in meant:
        place.at("text").fault("is missing; write the user's message there")
    distance = values.get("distance")
    if isinstance(distance, int) and distance > index:
        most = f"turns[{index}] can look back {index} at most" if index else "leave it out of the first turn"
        place.at("distance").fault(f"{distance} reaches back before the first turn; {most}")
    return Turn(**values) if "text" in values else None  # type: ignore[arg-type] # each was read by its field's type


def _read_fields(
    kind: type[Turn | Conversation | Suite], raw: Raw, place: Place, special: tuple[str, ...] = ()
) -> dict[str, object]:
    """The fields that are there and sound, each read by its type; null counts as left out where that is allowed."""
    values: dict[str, object] = {}
    for field in _fields(kind):
        if field.name in special or field.name not in raw:
            continue
        value = raw[field.name]
        if isinstance(value, Refused) or (value is None and not field.required):
            continue
        try:
            values[field.name] = _read_as(field.type, value, blank_allowed=field.name in ("why", "description"))
        except ValueError as error:
            place.at(field.name).fault(str(error))
    return values


@functools.cache
def _fields(kind: type[Turn | Conversation | Suite]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _read_as(wanted: object, value: object, *, blank_allowed: bool) -> object:
    """The value as the wanted type.

    Raises:
        ValueError: it is not of that type; the text says what to write.
    """
    choices = [one for one in (typing.get_args(wanted) or (wanted,)) if one is not type(None)]
    if typing.get_origin(wanted) is Literal:
        return _one_of(typing.get_args(wanted), value)
    if len(choices) == 1 and typing.get_origin(choices[0]) is Literal:
        return _one_of(typing.get_args(choices[0]), value)
    if choices == [str]:
        if not isinstance(value, str):
            raise ValueError(f"must be text, not {kind_of(value)}")
        return sound_text(value, blank_allowed=blank_allowed)
    if choices == [int]:  # every whole number in a suite is a distance
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"must be a whole number, 1 or more, not {kind_of(value)}")
        return value
    if choices == [bool]:
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false, not {kind_of(value)}")
        return value
    try:
        return msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def _one_of(words: tuple[str, ...], value: object) -> str:
    if isinstance(value, str) and value in words:
        return value
    plain = value.casefold().replace(" ", "_").replace("-", "_") if isinstance(value, str) else ""
    near = difflib.get_close_matches(plain, words, n=1)
    more = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"must be one of {', '.join(words)}, not {kind_of(value)}{more}")


def sound_text(value: str, *, blank_allowed: bool = False) -> str:
    """Text with a line feed for every line end.

    Raises:
        ValueError: nothing can be seen of it, or it holds what no model can be sent.
    """
    if not (blank_allowed or seen(value)):
        raise ValueError("is empty: white space or invisible characters only" if value else "is empty")
    unfit = _UNFIT_FOR_TEXT.search(value)
    if unfit:
        what = "a NUL character" if unfit[0] == "\x00" else "half of a surrogate pair"
        raise ValueError(f"holds U+{ord(unfit[0]):04X}, {what}, which can't be sent; leave it out")
    return value.replace("\r\n", "\n").replace("\r", "\n")


def _report_names(kind: type[Turn | Conversation | Suite], raw: Raw, place: Place) -> set[str]:
    """Tell of names that are no fields; returns the fields that such names seem to stand for."""
    known = kind.__struct_fields__
    meant: set[str] = set()
    for name in raw:
        if name in known:
            continue
        here = place.at(name)
        field = _meant(kind, name)
        if name in NEVER[kind]:
            here.fault(NEVER[kind][name])
        elif field is not None and field not in raw:
            here.fault(f"is no field; write it as {field}")
            meant.add(field)
        else:
            here.note("is no field and is not read")
    return meant


@functools.lru_cache(maxsize=1024)
def _meant(kind: type[Turn | Conversation | Suite], name: str) -> str | None:
    """The field that a name seems to stand for."""
    plain = name.casefold().strip().replace("-", "_").replace(" ", "_")
    if plain in OTHER_NAMES[kind]:
        return OTHER_NAMES[kind][plain]
    near = difflib.get_close_matches(plain[:SHOWN_LENGTH], kind.__struct_fields__, n=1, cutoff=NEAR)
    return near[0] if near else None


def report_everywhere(raw: Raw, place: Place) -> None:
    """Tell of names given twice and of numbers that are none, at any depth, in the user's own data too."""
    waiting: list[tuple[object, Place]] = [(raw, place)]
    while waiting:
        value, here = waiting.pop()
        if isinstance(value, Refused):
            here.fault(value.reason)
        elif isinstance(value, Raw):
            for name in value.repeated:
                here.at(name).fault("is given twice in one object; keep one")
            waiting += [(item, here.at(name)) for name, item in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(item, here.item(index)) for index, item in reversed(list(enumerate(value)))]
