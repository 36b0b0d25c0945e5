# ruff: noqa: RUF001 - quotation marks of many scripts
"""Which part of a reply a check looks at, with the way back to where it stands. ``docs/checks.md`` has the rules.

What it knows: markdown line by line (``structure``), sentences, and the talk around what was asked for (``lead_ins``).
What it does not: what was asked for. So ``artefact`` goes by the form of the reply alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal

import msgspec

from multiturn.checks.lead_ins import without_closing, without_lead_in
from multiturn.checks.matching import Variants
from multiturn.checks.part import Part, Range, whole
from multiturn.checks.structure import Line, items, lines_of
from multiturn.conversation import require
from multiturn.finding import Span
from multiturn.text.measure import sentence_spans

_ENOUGH: Final = 1 / 3
"""Blocks with this share of a reply's characters are the artefact, wherever they stand."""

_INLINE_CODE: Final = re.compile(r"`([^`\n]{1,300})`")
_QUOTED: Final = re.compile(
    r"\"([^\"\n]{1,600})\"|“([^“”]{1,2000})”|„([^„“”]{1,2000})[“”]|«([^«»]{1,2000})»|»([^«»]{1,2000})«"
    r"|「([^「」]{1,2000})」|『([^『』]{1,2000})』|(?<!\w)‘([^‘’\n]{1,300}(?:’\w[^‘’\n]{0,300}){0,9})’(?!\w)"
    r"|(?<!\w)'(?=\S)((?:[^'\n]|'(?=\w)){1,300})(?<=\S)'(?!\w)"
)
_BEHIND_LABEL: Final = re.compile(r"[*_]{0,3}[ \t]{0,9}[*_]{0,3}[:：]?[*_]{0,3}\s*")
_LABEL_END: Final = re.compile(r"[*_]{0,3}[ \t]{0,9}(?:[:：]|[*_#]{0,3}[ \t\r]{0,9}(?:\n|\Z))")


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
    """The scope in words, for reasons: "the reply has no ..."."""
    if isinstance(scope, After):
        return f"text after {' or '.join(map(repr, scope.after))}"
    return scope.replace("_", " ")


@lru_cache(maxsize=64)
def part_of(reply: str, scope: Scope) -> Part | None:
    """The part of the reply that a scope names; None where the reply has no such part.

    Pieces are in order, inside the reply and without overlap. The first and the last have more than spaces; an empty
    one between them is an empty line of a block quote.
    """
    if scope == "reply":
        return whole(reply)
    found = _after(reply, scope.after) if isinstance(scope, After) else _PIECES[scope](reply)
    said = [number for number, (start, end) in enumerate(found) if not reply[start:end].isspace() and start < end]
    return Part(reply, tuple(found[said[0] : said[-1] + 1])) if said else None


def _after(reply: str, labels: tuple[str, ...]) -> list[Range]:
    """Behind the first place that has a label's form (a colon or a line end follows), else behind the first place."""
    first: Span | None = None
    for found in Variants(labels).all(whole(reply)):
        first = first or found
        if _LABEL_END.match(reply, found.end):
            first = found
            break
    if first is None:
        return []
    behind = _BEHIND_LABEL.match(reply, first.end)
    return [(behind.end() if behind else first.end, len(reply))]


def _first_sentence(reply: str) -> list[Range]:
    return list(sentence_spans(reply)[:1])


def _last_sentence(reply: str) -> list[Range]:
    return list(sentence_spans(reply)[-1:])


def _first_line(reply: str) -> list[Range]:
    return next(([(line.content, line.end)] for line in lines_of(reply) if _is_said(reply, line)), [])


def _last_line(reply: str) -> list[Range]:
    return next(([(line.content, line.end)] for line in reversed(lines_of(reply)) if _is_said(reply, line)), [])


def _is_said(reply: str, line: Line) -> bool:
    return line.kind != "fence" and any(map(str.isalnum, reply[line.content : line.end]))


def _code(reply: str) -> list[Range]:
    fenced = _runs(line for line in lines_of(reply) if line.kind == "code")
    return fenced or [match.span(1) for match in _INLINE_CODE.finditer(reply)]


def _prose(reply: str) -> list[Range]:
    return _runs(line for line in lines_of(reply) if line.kind not in ("fence", "code", "row", "divider"))


def _quoted(reply: str) -> list[Range]:
    lines = lines_of(reply)
    found = [(line.content, line.end) for line in lines if line.kind == "quote"]
    for start, end in _runs(line for line in lines if line.kind not in ("code", "fence", "quote")):
        found += [match.span(match.lastindex or 0) for match in _QUOTED.finditer(reply, start, end)]
    return sorted(found)


def _artefact(reply: str) -> list[Range]:
    """Fenced blocks or block quotes, where they open the reply or are much of it; else all without the talk."""
    start = without_lead_in(reply)
    lines = [line for line in lines_of(reply) if line.end > start and line.kind not in ("blank", "rule", "underline")]
    opening = next((line.kind for line in lines if line.kind != "heading"), "blank")
    enough = _ENOUGH * _size(reply, [line for line in lines if line.kind != "fence"])
    fenced = [line for line in lines if line.kind == "code"]
    if fenced and (opening == "fence" or _size(reply, fenced) >= enough):
        return _runs(fenced)
    quotes = [line for line in lines if line.kind == "quote"]
    if quotes and (opening == "quote" or _size(reply, quotes) >= enough):
        return [(line.content, line.end) for line in quotes]
    return [(max(start, lines[0].start), without_closing(reply, start))] if lines else []


def _size(reply: str, lines: Sequence[Line]) -> int:
    """Characters in these lines; spaces and markers don't count."""
    return sum(len("".join(reply[line.content : line.end].split())) for line in lines)


def _runs(lines: Iterable[Line]) -> list[Range]:
    """Lines, with those that follow each other made one."""
    found: list[Range] = []
    for line in lines:
        if found and line.start == found[-1][1] + 1:
            found[-1] = (found[-1][0], line.end)
        else:
            found.append((line.start, line.end))
    return found


_PIECES: Final[Mapping[ScopeName, Callable[[str], Sequence[Range]]]] = {
    "artefact": _artefact,
    "first_sentence": _first_sentence,
    "last_sentence": _last_sentence,
    "first_line": _first_line,
    "last_line": _last_line,
    "list_items": items,
    "code": _code,
    "prose": _prose,
    "quoted": _quoted,
}
