# ruff: noqa: RUF001 - tables of words and marks of many scripts
"""The markdown structure of a reply, line by line: headings, lists, tables, code, quotes. One pass, linear time.

This is what a reader sees in replies, not all of CommonMark: inline marks are not read here, nested lists are told by
their indent, and a fence that is never closed reaches to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

import msgspec

LineKind = Literal["blank", "text", "heading", "item", "more", "fence", "code", "row", "divider", "quote", "rule"]
"""``more`` goes on with the item above; ``row`` is of a table, its header too; ``divider`` is the line below that."""

_FENCE: Final = re.compile(r"[ \t]{0,12}(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[^\s`]{0,40})[^`\n]*\Z")
_HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]+|\Z)")
_RULE: Final = re.compile(r"[ ]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_QUOTE: Final = re.compile(r"[ ]{0,3}>[ \t]?")
_ITEM: Final = re.compile(
    r"(?P<indent>[ \t]{0,24})(?:(?P<bullet>[-*+•‣◦▪·–—])|(?P<number>\(?\d{1,3}[.)、．]|\(?[a-zA-Z]\)))"
    r"(?:[ \t]+(?:\[[ xX]\][ \t]+)?|(?<=[、．•‣◦▪])(?=\S))(?=\S)"
)
_DIVIDER: Final = re.compile(r"[ \t]{0,8}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_INDENTED: Final = re.compile(r"[ \t]{2,}\S")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line: ``text[start:end]`` without its line end; what it says begins at ``content`` (behind a marker)."""

    kind: LineKind
    start: int
    end: int
    content: int
    ordered: bool = False
    indent: int = 0
    language: str = ""


@lru_cache(maxsize=64)
def lines_of(text: str) -> tuple[Line, ...]:
    """Each line of the text with its kind, in order."""
    raw = list(_raw_lines(text))
    tables = _table_lines(text, raw)
    return tuple(_classified(text, raw, tables))


def blocks(text: str, kind: LineKind, *more: LineKind) -> tuple[tuple[Line, ...], ...]:
    """Runs of lines that are of this kind, or of one of the others that go on with it."""
    found: list[list[Line]] = []
    open_ = False
    for line in lines_of(text):
        if line.kind == kind or (open_ and line.kind in more):
            if not open_:
                found.append([])
            found[-1].append(line)
            open_ = True
        else:
            open_ = False
    return tuple(tuple(block) for block in found)


def items(text: str) -> tuple[tuple[int, int], ...]:
    """Where the list items stand, without their markers, with the lines that go on with them."""
    found: list[tuple[int, int]] = []
    for line in lines_of(text):
        if line.kind == "item":
            found.append((line.content, line.end))
        elif line.kind == "more":
            found[-1] = (found[-1][0], line.end)
    return tuple(found)


def _raw_lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _table_lines(text: str, raw: list[tuple[int, int]]) -> dict[int, LineKind]:
    """Which lines are of a table: a divider under a line with a bar, and what follows with bars."""
    found: dict[int, LineKind] = {}
    for number, ((above, above_end), (start, end)) in enumerate(pairwise(raw), 1):
        if "-" not in text[start : start + 16] or not _DIVIDER.match(text[start:end]):
            continue
        if "|" not in text[above:above_end] or (number - 1) in found or "|" not in text[start:end]:
            continue
        found[number - 1], found[number] = "row", "divider"
        for later in range(number + 1, len(raw)):
            if "|" not in text[raw[later][0] : raw[later][1]]:
                break
            found[later] = "row"
    return found


def _classified(text: str, raw: list[tuple[int, int]], tables: dict[int, LineKind]) -> Iterator[Line]:
    fence = ""
    in_item = False
    for number, (start, end) in enumerate(raw):
        line = text[start:end].rstrip("\r")
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            closing = mark is not None and mark["mark"].startswith(fence) and not mark["language"]
            yield Line(kind="fence" if closing else "code", start=start, end=end, content=start)
            fence = "" if closing else fence
            continue
        if mark is not None:
            fence = mark["mark"]
            yield Line(kind="fence", start=start, end=end, content=start, language=mark["language"].lower())
            continue
        if number in tables:
            in_item = False
            yield Line(kind=tables[number], start=start, end=end, content=start)
            continue
        found = _plain(line, start, end, in_item=in_item)
        in_item = found.kind in ("item", "more") or (in_item and found.kind == "blank")
        yield found


def _plain(line: str, start: int, end: int, *, in_item: bool) -> Line:
    """A line that is neither code nor of a table."""
    if not line.strip():
        return Line(kind="blank", start=start, end=end, content=end)
    if _RULE.match(line):
        return Line(kind="rule", start=start, end=end, content=end)
    heading = _HEADING.match(line)
    if heading:
        return Line(kind="heading", start=start, end=end, content=start + heading.end())
    quote = _QUOTE.match(line)
    if quote:
        return Line(kind="quote", start=start, end=end, content=start + quote.end())
    item = _ITEM.match(line)
    if item:
        return Line(
            kind="item",
            start=start,
            end=end,
            content=start + item.end(),
            ordered=item["number"] is not None,
            indent=len(item["indent"].expandtabs(4)),
        )
    more = in_item and _INDENTED.match(line) is not None
    return Line(kind="more" if more else "text", start=start, end=end, content=start)
