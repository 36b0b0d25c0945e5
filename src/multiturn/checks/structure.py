# ruff: noqa: RUF001 - tables of words and marks of many scripts
"""The markdown structure of a reply, line by line: headings, lists, tables, code, quotes. Two passes, linear time.

This is what a reader sees in replies, not all of CommonMark: inline marks are not read here, nested lists are told by
their indent, and a fence that is never closed reaches to the end. Where readers and CommonMark differ:

- an item goes on in lines that are indented; a line at the margin is text again;
- ``36. That is all.`` alone is a sentence that begins with a number: a numbered item is number 1 (or 0), or has a
  neighbour that counts on;
- a title over ``===`` or ``---`` is a heading if it is one line and ends like no sentence; else the dashes are a rule;
- a long dash at the start of a line is somebody speaking, as French, Spanish and Russian print it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

import msgspec

LineKind = Literal[
    "blank", "text", "heading", "underline", "item", "more", "fence", "code", "row", "divider", "quote", "rule"
]
"""``more`` goes on with the item above; ``row`` is of a table, its header too; ``divider`` is the line below that;
``underline`` makes the line above a heading."""

_FENCE: Final = re.compile(r"[ \t]{0,12}(?P<mark>`{3,}(?=[^`]*\Z)|~{3,})[ \t]*\{?\.?(?P<language>[^\s`{},:]{0,40})")
_HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]+|\Z)")
_RULE: Final = re.compile(r"[ ]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_QUOTE: Final = re.compile(r"[ ]{0,3}>[ \t]?")
_ITEM: Final = re.compile(
    r"(?P<indent>[ \t]{0,24})(?:(?P<bullet>[-*+•‣◦▪·–])|\(?(?P<number>\d{1,3})[.)、．]|(?P<letter>\(?[a-zA-Z]\)))"
    r"(?:[ \t]+(?:\[[ xX]\][ \t]+)?|(?<=[、．•‣◦▪])(?=\S))(?=\S)"
)
_INDENTED: Final = re.compile(r"[ \t]{2,}\S")
_UNDERLINE: Final = re.compile(r"[ ]{0,3}(?:={3,}|-{3,})")
_ENDS_SENTENCE: Final = re.compile(r"[.!?:;,…。！？：][\"'”’»)*_]{0,4}\Z")
_LONGEST_TITLE: Final = 120

_BAR: Final = re.compile(r"(?<!\\)\|")
_DIVIDER: Final = re.compile(r"[\s|:-]+")
_DASHES: Final = re.compile(r":?-+:?")
_TAB: Final = 4
_DEEPER: Final = 2
"""An item so many columns to the right of another one is inside it."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line: ``text[start:end]`` without its line end; what it says begins at ``content`` (behind a marker).

    ``level`` is how deep an item is nested, 0 for the outermost; ``language`` is what the fence that opens here names,
    in small letters.
    """

    kind: LineKind
    start: int
    end: int
    content: int
    ordered: bool = False
    indent: int = 0
    level: int = 0
    language: str = ""


class CodeBlock(msgspec.Struct, frozen=True):
    """A fenced block: the code is ``text[start:end]``, fences not included. ``closed``: it has a fence at its end."""

    language: str
    start: int
    end: int
    closed: bool = True


class Table(msgspec.Struct, frozen=True):
    """A markdown table: its header, the rows below the divider, and how many columns the header has."""

    header: Line
    rows: tuple[Line, ...]
    columns: int


@lru_cache(maxsize=64)
def lines_of(text: str) -> tuple[Line, ...]:
    """Each line of the text with its kind, in order."""
    raw = list(_raw_lines(text))
    known = _headings(text, raw)
    known.update(_table_lines(text, raw))
    return tuple(_classified(text, raw, known))


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


def code_blocks(text: str) -> tuple[CodeBlock, ...]:
    """The fenced blocks, in order; an empty one too."""
    found: list[CodeBlock] = []
    opened: Line | None = None
    last: Line | None = None
    for line in lines_of(text):
        if line.kind == "code":
            last = line
        elif opened is not None:
            found.append(_block(text, opened, last))
            opened = last = None
        elif line.kind == "fence" or (line.kind == "item" and _FENCE.match(text[line.content : line.end])):
            opened = line
    if opened is not None:
        found.append(msgspec.structs.replace(_block(text, opened, last), closed=False))
    return tuple(found)


def tables(text: str) -> tuple[Table, ...]:
    """The tables, in order."""
    found: list[tuple[Line, list[Line]]] = []
    before: Line | None = None
    for line in lines_of(text):
        if line.kind == "divider" and before is not None:
            found.append((before, []))
        elif line.kind == "row" and found and before is not None and before.kind in ("row", "divider"):
            found[-1][1].append(line)
        before = line
    return tuple(Table(header, tuple(rows), len(cells(text, header))) for header, rows in found)


def cells(text: str, line: Line) -> tuple[str, ...]:
    """The cells of a row, without the spaces around them; an escaped bar stands inside its cell."""
    return tuple(cell.strip().replace("\\|", "|") for cell in _cells(text[line.start : line.end]))


def _cells(line: str) -> list[str]:
    found = _BAR.split(line.strip())
    first = 1 if len(found) > 1 and not found[0] else 0
    last = len(found) - 1 if len(found) > 1 and not found[-1].strip() else len(found)
    return found[first:last]


def _block(text: str, opened: Line, last: Line | None) -> CodeBlock:
    if last is None:
        end = min(opened.end + 1, len(text))
        return CodeBlock(opened.language, end, end)
    return CodeBlock(opened.language, text.find("\n", opened.start) + 1, last.end)


def _raw_lines(text: str) -> Iterator[tuple[int, int]]:
    """Where each line stands, without its line end, be that of Windows or of Unix."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end - 1 if end > start and text[end - 1] == "\r" else end
        start = end + 1


def _table_lines(text: str, raw: list[tuple[int, int]]) -> dict[int, LineKind]:
    """Which lines are of a table: a header, a divider with as many cells, and what follows with bars."""
    found: dict[int, LineKind] = {}
    for number, (above, here) in enumerate(pairwise(raw), 1):
        if (number - 1) in found or not _is_divider(text[here[0] : here[1]]):
            continue
        header = text[above[0] : above[1]]
        if not header.strip() or len(_cells(header)) != len(_cells(text[here[0] : here[1]])):
            continue
        found[number - 1], found[number] = "row", "divider"
        for later in range(number + 1, len(raw)):
            if "|" not in text[raw[later][0] : raw[later][1]]:
                break
            found[later] = "row"
    return found


def _is_divider(line: str) -> bool:
    if "-" not in line or "|" not in line or not _DIVIDER.fullmatch(line):
        return False
    return all(_DASHES.fullmatch(cell.strip()) for cell in _cells(line))


def _headings(text: str, raw: list[tuple[int, int]]) -> dict[int, LineKind]:
    """Which lines are a title of one line over ``===`` or ``---``, and which are the line under it."""
    found: dict[int, LineKind] = {}
    blank_before = True
    for number, ((start, end), (below, below_end)) in enumerate(pairwise(raw)):
        title = text[start : min(end, start + _LONGEST_TITLE + 1)].rstrip()
        if (
            blank_before
            and _UNDERLINE.match(text, below, below_end)
            and not text[below:below_end].strip(" \t=-")
            and 0 < len(title) <= _LONGEST_TITLE
            and not _ENDS_SENTENCE.search(title)
            and _plain(title, 0, len(title), in_item=False).kind == "text"
        ):
            found[number], found[number + 1] = "heading", "underline"
        blank_before = not title
    return found


def _sentence_starts(text: str, raw: list[tuple[int, int]]) -> frozenset[int]:
    """Which lines begin with a number and a point that number nothing: not 0 or 1, and without a neighbour."""
    numbered: dict[int, list[tuple[int, int]]] = {}
    for number, (start, end) in enumerate(raw):
        marker = _ITEM.match(text, start, end)
        if marker and marker["number"]:
            numbered.setdefault(_indent(marker["indent"]), []).append((number, int(marker["number"])))
    alone: set[int] = set()
    for column in numbered.values():
        for index, (number, value) in enumerate(column):
            before = column[index - 1][1] if index else None
            after = column[index + 1][1] if index + 1 < len(column) else None
            if value > 1 and before not in (value - 1, value) and after != value + 1:
                alone.add(number)
    return frozenset(alone)


def _indent(blanks: str) -> int:
    return len(blanks.expandtabs(_TAB))


def _classified(text: str, raw: list[tuple[int, int]], known: dict[int, LineKind]) -> Iterator[Line]:
    fence = ""
    open_items: list[int] = []  # the indents of the item above and of those it is in
    sentences = _sentence_starts(text, raw)
    for number, (start, end) in enumerate(raw):
        line = text[start:end]
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            closing = mark is not None and mark["mark"].startswith(fence) and not line[mark.end("mark") :].strip()
            yield Line(kind="fence" if closing else "code", start=start, end=end, content=start)
            fence = "" if closing else fence
        elif mark is not None:
            fence = mark["mark"]
            yield Line(kind="fence", start=start, end=end, content=start, language=mark["language"].lower())
        elif number in known:
            if not line[:1].isspace():
                open_items.clear()
            yield Line(kind=known[number], start=start, end=end, content=start)
        else:
            found = _plain(line, start, end, in_item=bool(open_items))
            if found.kind == "item" and number in sentences:
                found = Line(
                    kind="more" if open_items and found.indent else "text", start=start, end=end, content=start
                )
            if found.kind == "item":
                found, fence = _nested(text, found, open_items)
            elif found.kind not in ("more", "blank"):
                open_items.clear()
            yield found


def _nested(text: str, item: Line, open_items: list[int]) -> tuple[Line, str]:
    """The item with its level, and the fence that opens in it; ``open_items`` is brought up to it."""
    while open_items and item.indent < open_items[-1]:
        open_items.pop()
    if not open_items or item.indent >= open_items[-1] + _DEEPER:
        open_items.append(item.indent)
    mark = _FENCE.match(text[item.content : item.end])
    language = mark["language"].lower() if mark else ""
    level = len(open_items) - 1
    return msgspec.structs.replace(item, level=level, language=language), mark["mark"] if mark else ""


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
            ordered=item["bullet"] is None,
            indent=_indent(item["indent"]),
        )
    more = in_item and _INDENTED.match(line) is not None
    return Line(kind="more" if more else "text", start=start, end=end, content=start)
