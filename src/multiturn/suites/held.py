"""The results file of another script: bytes -> the conversations that one or two models held, or all faults at once.

::

    {"base_model": "...", "tuned_model": "...",
     "base_results":  [{"id": "...", "transcript": [{"user": "...", "assistant": "..."}], "refusal_count": 0}, ...],
     "tuned_results": [...]}

and its usual relatives: one model's list alone, a plain list of conversations, JSON Lines, an object of transcripts by
id, other names for the fields, messages with roles, pairs. Fields that are not named here are not read, and may hold
anything, NaN too.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.conversation import MAX_ID_LENGTH
from multiturn.suites.exchanges import Exchanges, HeldTurn, field_of, read_exchanges, read_text, zipped
from multiturn.suites.fields import seen
from multiturn.suites.findings import Findings, Place, kind_of, shown
from multiturn.suites.places import Fault, Raw, Refused, read_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BASE: Final = ("base_results", "base", "baseline_results", "baseline", "original_results", "original", "before")
TUNED: Final = (
    "tuned_results",
    "tuned",
    "finetuned_results",
    "fine_tuned_results",
    "finetuned",
    "fine_tuned",
    "ft_results",
    "after",
)
LISTS: Final = ("results", "conversations", "transcripts", "data", "samples")
TRANSCRIPT: Final = (
    "transcript",
    "conversation",
    "conversations",
    "messages",
    "turns",
    "history",
    "dialogue",
    "dialog",
    "exchanges",
    "chat",
)
IDS: Final = ("id", "conversation_id", "name", "question_id", "key", "uid", "title", "conversation")
REPLIES: Final = ("replies", "responses", "answers", "outputs", "completions")
BASE_MODELS: Final = ("base_model", "baseline_model", "original_model", "base", "baseline")
TUNED_MODELS: Final = ("tuned_model", "finetuned_model", "fine_tuned_model", "ft_model", "tuned", "finetuned")
MODELS: Final = ("model", "model_name", "model_id")
SHAPE: Final = (
    '{"base_model": ..., "tuned_model": ..., "base_results": [{"id": ..., "transcript": [{"user": ..., '
    '"assistant": ...}]}], "tuned_results": [...]}'
)
ARMS: Final = 2
_STAGE_ONE: Final = "conversations"
"""Where a suite has its list; other files have theirs elsewhere, which is no fault here."""


class HeldConversation(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation as it was held. ``refusals`` is the script's own count of them, None where it has none."""

    id: str
    turns: tuple[HeldTurn, ...]
    sample: int = 0
    system: str | None = None
    refusals: int | None = None


class HeldArm(msgspec.Struct, frozen=True, kw_only=True):
    """What one model held; ``model`` is its name in the file, "" where there is none."""

    model: str
    conversations: tuple[HeldConversation, ...]


class HeldFile(msgspec.Struct, frozen=True, kw_only=True):
    """All of a file: one arm, or base and tuned. ``notes`` are for the reader; with faults, no arm counts."""

    arms: tuple[HeldArm, ...]
    faults: tuple[Fault, ...] = ()
    notes: tuple[Fault, ...] = ()


class _Item(msgspec.Struct, frozen=True):
    """A raw conversation, where it stands, and the id that it has by its place in an object."""

    value: object
    place: Place
    id: str | None = None


class _Read(msgspec.Struct, frozen=True):
    """A sound conversation with the model that it names."""

    conversation: HeldConversation
    model: str


def read_held(data: bytes) -> HeldFile:
    """Read all of a results file, and tell what is wrong instead of raising."""
    document = read_document(data)
    findings = Findings()
    findings.faults += [fault for fault in document.faults if fault.path != _STAGE_ONE]
    header, top = document.header, Place(findings, None, "")
    base, tuned = _list_under(header, BASE), _list_under(header, TUNED)
    arms: list[HeldArm] = []
    if base or tuned:
        both = ((base, BASE_MODELS), (tuned, TUNED_MODELS))
        arms = [_named_arm(header, name, models, top) for name, models in both if name is not None]
    elif document.entries and _is_export(document.entries[0].value):
        top.fault("this is a run that multiturn export wrote; bring it back with: multiturn import run FILE")
    elif document.entries:
        items = [_Item(entry.value, Place(findings, entry.line, entry.path)) for entry in document.entries]
        arms = _by_model(_conversations(items, findings), header, top)
    elif header:
        arms = _by_model(_conversations(_items(header, top), findings), header, top)
    if not findings.faults and not any(arm.conversations for arm in arms):
        top.fault("no conversations are in it")
    return HeldFile(arms=tuple(arms), faults=tuple(findings.faults), notes=tuple(findings.notes))


def _named_arm(header: Raw, name: str, models: Sequence[str], top: Place) -> HeldArm:
    """The arm under a name of its own: ``base_results`` with ``base_model`` beside it, or a model's name inside."""
    value, place = header[name], top.at(name)
    read = _conversations(_items(value, place), top.findings)
    inside = _text_under(value, MODELS) if isinstance(value, Raw) else ""
    named = {one.model for one in read if one.model}
    told = _text_under(header, models) or inside or (named.pop() if len(named) == 1 else "")
    return HeldArm(model=told, conversations=_distinct(read, place))


def _text_under(raw: Raw, names: Sequence[str]) -> str:
    """The first text that stands under one of these names."""
    found = (field_of(raw, (name,)) for name in names)
    return next((value for name in found if name is not None and isinstance(value := raw[name], str)), "")


def _list_under(raw: Raw, names: Sequence[str]) -> str | None:
    """The first of these names that holds a list or an object."""
    found = (field_of(raw, (name,)) for name in names)
    return next((name for name in found if name is not None and isinstance(raw[name], list | Raw)), None)


def _by_model(read: list[_Read], header: Raw, top: Place) -> list[HeldArm]:
    """One arm; two where the conversations name two models, the first of them being the base."""
    models = list(dict.fromkeys(one.model for one in read))
    if len(models) > ARMS:
        top.fault(f"names {len(models)} models; give a file for each, or keep two")
    if len(models) == ARMS and all(models):
        top.note(f"two models are named: {shown(models[0])}, which comes first, is taken as base")
        return [
            HeldArm(model=model, conversations=_distinct([one for one in read if one.model == model], top))
            for model in models
        ]
    told = models[0] if len(models) == 1 else ""
    return [HeldArm(model=told or _text_under(header, (*MODELS, *BASE_MODELS)), conversations=_distinct(read, top))]


def _items(value: object, place: Place) -> list[_Item]:
    """The raw conversations of a list, of an object that holds such a list, or of an object of transcripts by id."""
    if isinstance(value, list):
        return [_Item(item, place.item(index)) for index, item in enumerate(value)]
    if not isinstance(value, Raw):
        place.fault(f"must be a list of conversations, not {kind_of(value)}")
        return []
    inner = _list_under(value, LISTS)
    if inner is not None:
        return _items(value[inner], place.at(inner))
    if _transcript_of(value) is not None:
        return [_Item(value, place)]
    if value and all(isinstance(item, list) and item for item in value.values()):
        return [_Item(item, place.at(name), name) for name, item in value.items()]
    names = ", ".join(shown(name) for name in list(value)[:8])
    place.fault(f"holds no conversations under a name that is known (the names here: {names or 'none'})")
    return []


def _transcript_of(raw: Raw) -> str | None:
    """The name under which an object has its turns."""
    there = [name for name in (field_of(raw, (name,)) for name in TRANSCRIPT) if name is not None]
    return next((name for name in there if isinstance(raw[name], list)), None)


def _conversations(items: Sequence[_Item], findings: Findings) -> list[_Read]:
    read = [_conversation(item, index) for index, item in enumerate(items)]
    numbered = sum(one is not None and one.conversation.id == _numbered(index) for index, one in enumerate(read))
    if numbered and items:
        text = f"{numbered} of {len(items)} conversations have no id; they are numbered by their place"
        Place(findings, None, items[0].place.path.partition("[")[0]).note(text)
    return [one for one in read if one is not None]


def _is_export(value: object) -> bool:
    return isinstance(value, Raw) and {"schema", "run"} <= value.keys()


def _numbered(index: int) -> str:
    return f"conversation-{index + 1}"


def _conversation(item: _Item, index: int) -> _Read | None:
    place, raw = item.place, item.value
    before = len(place.findings.faults)
    if isinstance(raw, list):
        raw = Raw(transcript=raw)
    if not isinstance(raw, Raw):
        place.fault(f'must be a conversation like {{"id": ..., "transcript": [...]}}, not {kind_of(raw)}')
        return None
    for name in raw.repeated:
        place.at(name).fault("is given twice in one object; keep one")
    identifier = item.id or _identifier(raw, place) or _numbered(index)
    exchanges = _exchanges(raw, place)
    system = field_of(raw, ("system", "system_prompt"))
    text = read_text(raw[system], place.at(system)) if system is not None else None
    sample, refusals, model = raw.get("sample", 0), raw.get("refusal_count"), field_of(raw, MODELS)
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 0:
        place.at("sample").fault(f"must be a whole number, 0 or more, not {kind_of(sample)}")
    if len(place.findings.faults) > before:
        return None
    counted = isinstance(refusals, int) and not isinstance(refusals, bool)
    conversation = HeldConversation(
        id=identifier,
        turns=exchanges.turns,
        sample=sample if isinstance(sample, int) else 0,
        system=text or exchanges.system,
        refusals=refusals if counted and isinstance(refusals, int) else None,
    )
    named = raw[model] if model is not None else ""
    return _Read(conversation, named if isinstance(named, str) else "")


def _exchanges(raw: Raw, place: Place) -> Exchanges:
    name, beside = _transcript_of(raw), field_of(raw, REPLIES)
    users = name or field_of(raw, ("prompts", "questions", "users"))
    if users is not None and beside is not None and isinstance(raw[users], list) and _all_text(raw[users]):
        return zipped(raw[users], raw[beside], place.at(users), place.at(beside))
    if name is not None:
        return read_exchanges(raw[name], place.at(name))
    other = field_of(raw, TRANSCRIPT)
    if other is not None and other != field_of(raw, IDS):
        return read_exchanges(raw[other], place.at(other))
    names = ", ".join(shown(key) for key in list(raw)[:8])
    place.at("transcript").fault(f"is missing: the list of the turns (the names here: {names or 'none'})")
    return Exchanges(())


def _all_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _identifier(raw: Raw, place: Place) -> str | None:
    """The conversation's id as text; None where it has none."""
    for wanted in IDS:
        name = field_of(raw, (wanted,))
        value = raw[name] if name is not None else None
        if name is None or value is None or (isinstance(value, list) and name == _transcript_of(raw)):
            continue
        here = place.at(name)
        if isinstance(value, Refused):
            here.fault(value.reason)
        elif isinstance(value, bool) or not isinstance(value, str | int):
            here.fault(f"must be text or a whole number, not {kind_of(value)}")
        elif not seen(str(value)) or len(str(value)) > MAX_ID_LENGTH or not str(value).isprintable():
            here.fault(f"must be 1 to {MAX_ID_LENGTH} printable characters, not {shown(str(value))}")
        else:
            return str(value).strip()
        return None
    return None


def _distinct(read: Iterable[_Read], place: Place) -> tuple[HeldConversation, ...]:
    """The conversations; one whose id came before, with the same user's turns, is a further sample of it."""
    longest: dict[str, list[str]] = {}
    taken: set[tuple[str, int]] = set()
    again: dict[str, None] = {}
    found: list[HeldConversation] = []
    for one in (item.conversation for item in read):
        said = [turn.user for turn in one.turns]
        short, long = sorted((longest.get(one.id, []), said), key=len)
        longest[one.id] = long
        if long[: len(short)] != short:
            place.fault(f"id {shown(one.id)} occurs twice, with other user's turns; give each conversation its own id")
            continue
        sample = next(number for number in count(one.sample) if (one.id, number) not in taken)
        if sample != one.sample:
            again[one.id] = None
        taken.add((one.id, sample))
        found.append(msgspec.structs.replace(one, sample=sample))
    if again:
        ids = ", ".join(shown(name) for name in again)
        place.note(f"ids that occur again with the same user's turns are taken as further samples: {ids}")
    return tuple(found)
