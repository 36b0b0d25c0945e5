# ruff: noqa: E501, RUF001 - tables of words and marks of many scripts
"""Which part of a reply a check looks at, with the way back to where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

import msgspec

from multiturn.checks.matching import Variants
from multiturn.checks.part import Part, Range, whole
from multiturn.checks.structure import items, lines_of
from multiturn.conversation import require
from multiturn.text.measure import sentence_spans

_INLINE_CODE: Final = re.compile(r"`([^`\n]{1,300})`")
_QUOTED: Final = re.compile(
    r"\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|„[^“”\n]{1,600}[“”]|«[^»\n]{1,600}»|「[^」\n]{1,600}」|『[^』\n]{1,600}』"
    r"|(?<!\w)‘[^’\n]{1,300}’(?!\w)"
)
_BEHIND_LABEL: Final = re.compile(r"[\s*_]*[:：-]?[\s*_]*")
_OPENING: Final = (
    r"(?:sure|of course|certainly|absolutely|got it|no problem|happy to|here(?:'s|’s| is| are| you go)|okay|ok|great|"
    r"klar|gern|natürlich|hier (?:ist|sind)|bien sûr|voici|claro|por supuesto|aquí|конечно|вот|好的|当然|以下|はい|もちろん|承知)"
)
_LEAD_IN: Final = re.compile(rf"[*_#\s]*(?:{_OPENING}\b[^\n]{{0,160}}|[^\n.!?]{{0,100}}[:：])[*_\s]*", re.IGNORECASE)
_LEAD_IN_HERE: Final = re.compile(rf"[*_#\s]*{_OPENING}[^\n:：]{{0,120}}[:：][*_]*\s+(?=\S)", re.IGNORECASE)
_CLOSING: Final = re.compile(
    r"[*_\s]*(?:let me know|just let me know|feel free|want me to|would you like|if you(?:'d| would| want| need)|hope this|i hope|"
    r"happy to|anything else|sag(?:en sie)? (?:mir )?bescheid|möchtest du|möchten sie|n'hésite|dites-moi|souhaite[sz]|avís|si quieres|"
    r"¿quieres|дайте знать|если (?:нужно|хотите|хочешь)|хотите|хочешь|如果|需要我|必要|ご希望)",
    re.IGNORECASE,
)


class After(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What follows the first of these labels, to the end."""

    after: tuple[str, ...]

    def __post_init__(self) -> None:
        require(bool(self.after) and all(label.strip() for label in self.after), "after needs a label")


ScopeName = Literal[
    "reply",
    "artefact",
    "first_sentence",
    "last_sentence",
    "first_line",
    "last_line",
    "list_items",
    "code",
    "prose",
    "quoted",
]
Scope = ScopeName | After


def scope_name(scope: Scope) -> str:
    """The scope in words, for reasons."""
    if isinstance(scope, After):
        return f"label {' or '.join(map(repr, scope.after))}"
    return scope.replace("_", " ")


@lru_cache(maxsize=256)
def part_of(reply: str, scope: Scope) -> Part | None:
    """The part of the reply that a scope names; None where the reply has no such part."""
    if scope == "reply":
        return whole(reply)
    pieces = tuple(piece for piece in _pieces(reply, scope) if reply[piece[0] : piece[1]].strip())
    return Part(reply, pieces) if pieces else None


def _pieces(reply: str, scope: Scope) -> Iterator[Range]:
    """Where the part stands; pieces in order, without overlap."""
    if isinstance(scope, After):
        yield from _after(reply, scope.after)
    elif scope == "artefact":
        yield from _artefact(reply)
    elif scope in ("first_sentence", "last_sentence"):
        spans = sentence_spans(reply)
        yield from spans[:1] if scope == "first_sentence" else spans[-1:]
    elif scope in ("first_line", "last_line"):
        seen = [
            (line.content, line.end)
            for line in lines_of(reply)
            if line.kind != "fence" and any(letter.isalnum() for letter in reply[line.start : line.end])
        ]
        yield from seen[:1] if scope == "first_line" else seen[-1:]
    elif scope == "list_items":
        yield from items(reply)
    elif scope == "code":
        yield from _code(reply)
    elif scope == "prose":
        kept = [line for line in lines_of(reply) if line.kind not in ("fence", "code", "row", "divider")]
        yield from _joined([(line.start, line.end) for line in kept])
    else:
        yield from _quoted(reply)


def _after(reply: str, labels: tuple[str, ...]) -> Iterator[Range]:
    found = Variants(labels).find(whole(reply))
    if found is not None:
        behind = _BEHIND_LABEL.match(reply, found.end)
        yield (behind.end() if behind else found.end), len(reply)


def _code(reply: str) -> list[Range]:
    fenced = _joined([(line.start, line.end) for line in lines_of(reply) if line.kind == "code"])
    return fenced or [match.span(1) for match in _INLINE_CODE.finditer(reply)]


def _quoted(reply: str) -> list[Range]:
    blocks = _joined([(line.content, line.end) for line in lines_of(reply) if line.kind == "quote"])
    marks = [(match.start() + 1, match.end() - 1) for match in _QUOTED.finditer(reply)]
    return sorted([*blocks, *(mark for mark in marks if not any(start <= mark[0] < end for start, end in blocks))])


def _artefact(reply: str) -> list[Range]:
    """What was asked for: a fenced block or a block quote, else what stands between lead-in and closing offer."""
    lines = lines_of(reply)
    for kind in ("code", "quote"):
        found = _joined([(line.content, line.end) for line in lines if line.kind == kind])
        if found:
            return found
    shown = [line for line in lines if line.kind not in ("blank", "rule")]
    if len(shown) > 1 and _is_lead_in(reply[shown[0].start : shown[0].end]):
        shown = shown[1:]
    if len(shown) > 1 and _is_closing(reply[shown[-1].start : shown[-1].end]):
        shown = shown[:-1]
    if not shown:
        return []
    start = _behind_lead_in(reply, shown[0].content if shown[0].kind == "heading" else shown[0].start, shown[0].end)
    return [(start, _before_closing(reply, start, shown[-1].end))]


def _is_lead_in(line: str) -> bool:
    return _LEAD_IN.fullmatch(line.strip()) is not None


def _is_closing(line: str) -> bool:
    return _CLOSING.match(line.strip()) is not None


def _behind_lead_in(reply: str, start: int, end: int) -> int:
    """Where the artefact begins in a line that leads in and goes on: "Sure! Here it is: Come to ..."."""
    found = _LEAD_IN_HERE.match(reply, start, end)
    return found.end() if found else start


def _before_closing(reply: str, start: int, end: int) -> int:
    """Where the artefact ends whose last line closes with an offer."""
    spans = [
        span for span in sentence_spans(reply[start:end]) if _CLOSING.match(reply[start + span[0] : start + span[1]])
    ]
    last = len(sentence_spans(reply[start:end]))
    if spans and last > 1 and spans[-1] == sentence_spans(reply[start:end])[-1]:
        return start + len(reply[start : start + spans[-1][0]].rstrip())
    return end


def _joined(ranges: list[Range]) -> list[Range]:
    """Ranges with those that follow each other line by line made one."""
    found: list[Range] = []
    for start, end in ranges:
        if found and start <= found[-1][1] + 1:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
