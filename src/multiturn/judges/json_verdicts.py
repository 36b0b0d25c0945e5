"""JSON objects in what a judge wrote, as tolerantly as is safe. Pure.

Read are objects with talk around them, a comma before the end, keys and strings in single quotes, and line breaks in
strings. Kept apart are two values of one key, which JSON libraries make one of. Numbers stay as they were written.

Knows nothing of what is a verdict: names are looked up by those who ask.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

_BEGINNING: Final = re.compile(r"\{(?=\s{0,40}[\"'])")
_MOST_TRIED: Final = 100
_MOST_REPAIRED: Final = 8
"""So many beginnings are tried from either end of a text, and so many that are no JSON once more: a text full of them
takes linear time then."""

_MOST_NESTED: Final = 200
_LONGEST_REPAIRED: Final = 20_000


class Pairs(msgspec.Struct, frozen=True):
    """An object: every key with its value, in the order in which they stand. What is no JSON value (NaN) is null.

    A number is its digits, as text: a grade in quotes is a grade.
    """

    items: tuple[tuple[str, object], ...]

    def named(self, names: Sequence[str]) -> list[object]:
        """All values of the first of these names that is there; capitals, spaces and hyphens don't count.

        Looked for in the object itself, then in the objects that are values of it.
        """
        for pairs in (self, *(value for _, value in self.items if isinstance(value, Pairs))):
            for name in names:
                found = [value for key, value in pairs.items if plain_key(key) == plain_key(name)]
                if found:
                    return found
        return []


class Found(msgspec.Struct, frozen=True):
    """An object, where it stands in the text, and whether it is all that a fence around it holds."""

    pairs: Pairs
    start: int
    end: int
    fenced: bool


def plain_key(name: str) -> str:
    """One spelling for keys that differ in capitals, spaces and hyphens."""
    return re.sub(r"[\s_-]+", "_", name.strip()).casefold()


def beginnings_in(text: str) -> list[int]:
    """Where an object with a first key seems to begin, whether one can be read there or not."""
    return [match.start() for match in _BEGINNING.finditer(text)]


def objects_in(text: str) -> Iterator[Found]:
    """The outermost objects of a text that hold something, in their order."""
    starts = beginnings_in(text)
    if len(starts) > 2 * _MOST_TRIED:
        starts = starts[:_MOST_TRIED] + starts[-_MOST_TRIED:]
    done, repaired = 0, 0
    for start in starts:
        if start < done:
            continue
        found = _decoded(text, start)
        if found is None and repaired < _MOST_REPAIRED:
            repaired += 1
            found = _repaired(text, start)
        if found is not None:
            pairs, done = found
            yield Found(pairs, start, done, fenced=_is_all_of_a_fence(text, start, done))


_FENCE_BEFORE: Final = re.compile(r"(?:^|\n)[ \t]{0,12}(?:`{3,}|~{3,})[ \t]{0,4}\w{0,12}\s{0,8}\Z")
_FENCE_AFTER: Final = re.compile(r"\s{0,8}(?:`{3,}|~{3,})[ \t]{0,8}(?:\r?\n|\Z)")


def _is_all_of_a_fence(text: str, start: int, end: int) -> bool:
    return bool(_FENCE_BEFORE.search(text[max(0, start - 60) : start]) and _FENCE_AFTER.match(text, end))


def _pairs(items: list[tuple[str, object]]) -> Pairs:
    return Pairs(tuple(items))


def _no_value(_: str) -> None:
    return None


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=str, parse_float=str, parse_constant=_no_value, strict=False
)


def _decoded(text: str, start: int) -> tuple[Pairs, int] | None:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, Pairs) else None


_TOKEN: Final = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|,(?=\s{0,40}[}\]])|\b(?:True|False|None)\b|[{}\[\]]", re.DOTALL
)
_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null"}


def _repaired(text: str, start: int) -> tuple[Pairs, int] | None:
    """The object that begins there, once its strings are in double quotes and no comma stands before an end."""
    pieces: list[str] = []
    depth, done = 0, start
    for token in _TOKEN.finditer(text, start, start + _LONGEST_REPAIRED):
        said = token[0]
        pieces += [text[done : token.start()], _as_json(said)]
        done = token.end()
        depth += (said in "{[") - (said in "}]")
        if depth > _MOST_NESTED:
            return None
        if depth == 0:
            found = _decoded("".join(pieces), 0)
            return (found[0], done) if found else None
    return None


def _as_json(written: str) -> str:
    if written[0] == "'":
        inner = re.sub(r"\\(.)", lambda escaped: escaped[1] if escaped[1] == "'" else escaped[0], written[1:-1])
        return '"' + re.sub(r'(?<!\\)"', '\\"', inner) + '"'
    return "" if written == "," else _CONSTANTS.get(written, written)
