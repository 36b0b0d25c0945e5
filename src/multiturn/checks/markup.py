"""The marks of markdown in a reply, where a reader who asked for plain text would see them.

None are: stars between numbers (2 * 3 * 4), names with underscores, #1, a dash inside a sentence, one line alone that
begins with "1." (two are a list), a dash before a name at the end of a letter, bullets (•) and letters (a)), which
markdown does not know, and ``__init__`` and its like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec

from multiturn.checks.structure import Line, lines_of

MarkKind = Literal["emphasis", "heading", "list", "table", "code", "link", "quote", "rule"]

_CODE: Final = re.compile(r"(?<!`)(`{1,2})(?=[^`\s])[^`\n]{1,400}(?<=[^`\s])\1(?!`)|(?<!`)`[^`\s]`(?!`)")
_DUNDER: Final = "init|main|name|file|all|str|repr|call|new|len|iter|next|enter|exit|eq|hash|dict|doc|version|future"
_EMPHASIS: Final = re.compile(
    r"(?<![\w)\]*\\])\*\*\*?(?=[^\s*])(?:[^*\n]|\*(?!\*)){1,400}?(?<=[^\s*\\])\*\*\*?"
    r"|(?<=[\u2e80-\uffff])\*\*(?=[^\s*])[^*\n]{1,400}(?<=[^\s*\\])\*\*"
    r"|(?<![\w)\]*\\])\*(?=[^\s*])[^*\n]{1,400}(?<=[^\s*\\])\*(?![\w*])"
    rf"|(?<![\w\\])(?!__(?:{_DUNDER})__)_{{1,3}}(?=[^\s_])[^_\n]{{1,400}}(?<=[^\s_\\])_{{1,3}}(?!\w)"
    r"|(?<![\\~])~~(?=[^\s~])[^~\n]{1,400}(?<=[^\s~])~~"
)
_LINK: Final = re.compile(
    r"(?<![\w\\])!?\[[^\[\]\n]{0,400}\]\([^()\s]{1,2000}(?: \"[^\"\n]{0,200}\")?\)|<https?://[^\s<>]{1,1000}>"
)
_BULLET: Final = re.compile(r"[ \t]{0,40}[-*+][ \t]")
_NUMBER: Final = re.compile(r"[ \t]{0,40}\d{1,9}[.)][ \t]")
_SIGNED: Final = re.compile(r"[ \t]{0,40}-[ \t]{1,4}\w")
_BY_LINE: Final[dict[str, MarkKind]] = {
    "heading": "heading",
    "rule": "rule",
    "quote": "quote",
    "fence": "code",
    "row": "table",
}


class Mark(msgspec.Struct, frozen=True, order=True):
    """A mark, with what it marks: ``text[start:end]``."""

    start: int
    end: int
    kind: MarkKind


def marks_in(text: str) -> Iterator[Mark]:
    """The marks of each line, line by line; those of one line in order."""
    lines = lines_of(text)
    lists = _list_lines(text, lines)
    for number, line in enumerate(lines):
        found: list[Mark] = []
        kind = _BY_LINE.get(line.kind)
        if kind is not None:
            found.append(Mark(line.start, line.end, kind))
        if number in lists:
            found.append(Mark(line.start, line.end, "list"))
        if line.kind not in ("fence", "code", "rule", "divider", "underline", "blank"):
            found += _inline(text, line)
        yield from sorted(found)


def _list_lines(text: str, lines: Sequence[Line]) -> frozenset[int]:
    """Which lines are items of a list that markdown knows, and that is more than one line like it."""
    items = [number for number, line in enumerate(lines) if line.kind == "item"]
    bullets = [number for number in items if _BULLET.match(text, lines[number].start)]
    numbers = [number for number in items if _NUMBER.match(text, lines[number].start)]
    if len(bullets) == 1 and _is_signature(text, lines, bullets[0]):
        bullets = []
    return frozenset([*bullets, *(numbers if len(numbers) > 1 else [])])


def _is_signature(text: str, lines: Sequence[Line], number: int) -> bool:
    """Whether the line is ``- Mira``, the last one of more."""
    said = [index for index, line in enumerate(lines) if line.kind != "blank"]
    return len(said) > 1 and said[-1] == number and _SIGNED.match(text, lines[number].start) is not None


def _inline(text: str, line: Line) -> Iterator[Mark]:
    """Code, links and emphasis; what stands in code is none of the others."""
    written = text[line.content : line.end]
    for code in _CODE.finditer(written):
        yield Mark(line.content + code.start(), line.content + code.end(), "code")
    bare = _CODE.sub(lambda code: "x" * len(code[0]), written)
    for link in _LINK.finditer(bare):
        yield Mark(line.content + link.start(), line.content + link.end(), "link")
    for emphasis in _EMPHASIS.finditer(bare):
        yield Mark(line.content + emphasis.start(), line.content + emphasis.end(), "emphasis")
