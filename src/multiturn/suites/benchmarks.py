"""Conversations of published benchmarks: FastChat's questions (MT-Bench) and the dialogues of MT-Bench-101. Pure.

FastChat::

    {"question_id": 81, "category": "writing", "turns": ["...", "..."], "reference": ["...", "..."]}
    {"question_id": 101, "choices": [{"index": 0, "turns": ["...", "..."]}]}          a reference file

MT-Bench-101::

    {"task": "CM", "id": 5, "history": [{"user": "...", "bot": "..."}, ...]}

References and the bot's replies become golden replies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast, get_args

import msgspec

from multiturn.conversation import Category, Conversation, Suite, Turn
from multiturn.suites.fields import seen, sound_id, sound_text
from multiturn.suites.findings import Findings, Place, kind_of, shown
from multiturn.suites.forms import Found, Replies
from multiturn.suites.places import Fault, Raw, Refused, read_lines

CATEGORIES: Final[tuple[str, ...]] = get_args(Category)

TASKS: Final[Mapping[str, tuple[str, Category | None]]] = {
    "CM": ("context memory", None),
    "SI": ("separate input", None),
    "AR": ("anaphora resolution", None),
    "TS": ("topic shift", None),
    "CC": ("content confusion", None),
    "CR": ("content rephrasing", None),
    "FR": ("format rephrasing", None),
    "SC": ("self-correction", None),
    "SA": ("self-affirmation", None),
    "MR": ("mathematical reasoning", "math"),
    "GR": ("general reasoning", "reasoning"),
    "IC": ("instruction clarification", None),
    "PI": ("proactive interaction", None),
}
"""The tasks of MT-Bench-101 (Bai et al., arXiv:2402.14762, table 2): in words, and the category where it is one."""


class Referenced(msgspec.Struct, frozen=True, kw_only=True):
    """A suite with the references of a file, how many conversations got theirs, and what is wrong with the file.

    ``unknown`` are the ids that the suite does not have.
    """

    suite: Suite
    conversations: int
    unknown: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def read_question(raw: Raw, place: Place, replies: Replies) -> Found:
    """A question of FastChat. A category that is none of ours becomes the domain."""
    before = len(place.findings.faults)
    _tell_repeated(raw, place)
    identifier = sound_id(raw.get("question_id"), place.at("question_id"))
    texts = _texts(raw.get("turns"), place.at("turns"))
    goldens: Sequence[str | None] = ()
    if raw.get("reference") is not None:
        goldens = _references(raw["reference"], place.at("reference"))
        if texts and goldens and len(goldens) != len(texts):
            place.at("reference").fault(f"has {len(goldens)} texts for {len(texts)} turns; give one for each turn")
    category = raw.get("category")
    if category is not None and not isinstance(category, str):
        place.at("category").fault(f"must be text, not {kind_of(category)}")
    for name in raw:
        if name not in {"question_id", "turns", "reference", "category"}:
            place.at(name).note("is no field of a question and is not read")
    if len(place.findings.faults) > before or identifier is None:
        return Found(identifier)
    known = category in CATEGORIES
    goldens = goldens if replies == "golden" and goldens else [None] * len(texts)
    return Found(
        identifier,
        Conversation(
            id=identifier,
            turns=tuple(Turn(text=text, golden=golden) for text, golden in zip(texts, goldens, strict=True)),
            category=cast("Category", category) if known else None,
            domain=None if known or not isinstance(category, str) else category or None,
        ),
    )


def read_dialogue(raw: Raw, place: Place, replies: Replies) -> Found:
    """A dialogue of MT-Bench-101. Its task becomes the domain, and the category where it is one."""
    before = len(place.findings.faults)
    _tell_repeated(raw, place)
    identifier = sound_id(raw.get("id"), place.at("id"))
    turns = [turn for turn in (_exchange(item, here, replies) for item, here in _items(raw, place)) if turn is not None]
    task = raw.get("task")
    if task is not None and not isinstance(task, str):
        place.at("task").fault(f"must be text, not {kind_of(task)}")
    if len(place.findings.faults) > before or identifier is None:
        return Found(identifier)
    words, category = TASKS.get(str(task), (str(task), None))
    return Found(
        identifier,
        Conversation(id=identifier, turns=tuple(turns), category=category, domain=words if task else None),
    )


def with_references(suite: Suite, data: bytes) -> Referenced:
    """The suite, with the replies of a FastChat reference file as goldens; they take the place of its own.

    Of several rows for one question the last counts, and of its choices the first.
    """
    document = read_lines(data)
    findings = Findings()
    findings.faults += document.faults
    if not document.entries and not document.faults:
        Place(findings, None, "").fault("holds no references")
    by_id = {conversation.id: conversation for conversation in suite.conversations}
    goldens: dict[str, list[str]] = {}
    for entry in document.entries:
        place = Place(findings, entry.line, entry.path)
        if not isinstance(entry.value, Raw):
            place.fault(f"must be a reference with question_id and choices, not {kind_of(entry.value)}")
            continue
        identifier = sound_id(entry.value.get("question_id"), place.at("question_id"))
        texts = _first_choice(entry.value, place)
        there = by_id.get(identifier or "")
        if there is not None and texts and len(texts) != len(there.turns):
            text = f"{shown(there.id)} has {len(there.turns)} turns, and {len(texts)} references stand here"
            place.at("choices").fault(text)
        if identifier is not None and texts:
            goldens[identifier] = texts
    if findings.faults:
        return Referenced(suite=suite, conversations=0, faults=tuple(findings.faults))
    filled = tuple(_with_goldens(one, goldens.get(one.id)) for one in suite.conversations)
    return Referenced(
        suite=msgspec.structs.replace(suite, conversations=filled),
        conversations=len(goldens.keys() & by_id.keys()),
        unknown=tuple(name for name in goldens if name not in by_id),
    )


def _with_goldens(conversation: Conversation, goldens: Sequence[str] | None) -> Conversation:
    if goldens is None:
        return conversation
    both = zip(conversation.turns, goldens, strict=True)
    turns = tuple(msgspec.structs.replace(turn, golden=golden) for turn, golden in both)
    return msgspec.structs.replace(conversation, turns=turns)


def _first_choice(raw: Raw, place: Place) -> list[str]:
    choices = raw.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Raw):
        place.at("choices").fault('must be a list like [{"index": 0, "turns": [...]}]')
        return []
    return _texts(choices[0].get("turns"), place.at("choices").item(0).at("turns"))


def _tell_repeated(raw: Raw, place: Place) -> None:
    for name in raw.repeated:
        place.at(name).fault("is given twice in one object; keep one")


def _texts(value: object, place: Place) -> list[str]:
    """A list of texts, at least one."""
    if not isinstance(value, list) or not value:
        place.fault(f"must be a list of texts, at least one, not {kind_of(value) if value else 'nothing'}")
        return []
    found = [_text(item, place.item(index)) for index, item in enumerate(value)]
    return [text for text in found if text is not None]


def _references(value: object, place: Place) -> list[str | None]:
    """A list of references; where a turn has none, a blank text stands in the published files."""
    if not isinstance(value, list):
        place.fault(f"must be a list of texts, not {kind_of(value)}")
        return []
    blank = [isinstance(item, str) and not seen(item) for item in value]
    return [
        None if none else _text(item, place.item(at)) for at, (item, none) in enumerate(zip(value, blank, strict=True))
    ]


def _items(raw: Raw, place: Place) -> list[tuple[object, Place]]:
    history, here = raw.get("history"), place.at("history")
    if not isinstance(history, list) or not history:
        here.fault('must be a list like [{"user": ..., "bot": ...}], with at least one exchange')
        return []
    return [(item, here.item(index)) for index, item in enumerate(history)]


def _exchange(item: object, place: Place, replies: Replies) -> Turn | None:
    if not isinstance(item, Raw):
        place.fault(f'must be an exchange like {{"user": ..., "bot": ...}}, not {kind_of(item)}')
        return None
    _tell_repeated(item, place)
    user = _text(item.get("user"), place.at("user"))
    golden = None if item.get("bot") is None else _text(item["bot"], place.at("bot"))
    return None if user is None else Turn(text=user, golden=golden if replies == "golden" else None)


def _text(value: object, place: Place) -> str | None:
    if isinstance(value, Refused):
        place.fault(value.reason)
    elif not isinstance(value, str):
        place.fault(f"must be text, not {kind_of(value)}")
    else:
        try:
            return sound_text(value)
        except ValueError as error:
            place.fault(str(error))
    return None
