"""JSON in replies, as the standard has it: no NaN, no key twice, no trailing comma, no comment.

Two questions: is a text nothing but JSON (``only_json``), and which JSON does a text with talk around it give
(``json_in``). Knows no schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

import msgspec

from multiturn.checks.lead_ins import without_closing, without_lead_in
from multiturn.checks.part import Range
from multiturn.checks.structure import CodeBlock, code_blocks, lines_of

Value = dict[str, "Value"] | list["Value"] | str | int | float | bool | None

_MOST_TRIED: Final = 8
"""So many lines that begin with a bracket are tried, so that a text full of them takes linear time."""

_BEHIND: Final = "something stands behind it"
_OPENS: Final = re.compile(r"(?m)^[ \t]{0,40}`?([\[{])")
_BLANK: Final = re.compile(r"[ \t]{0,100}`?[ \t]{0,100}\r?(?:\n|\Z)")


class Found(msgspec.Struct, frozen=True):
    """The value, and where its JSON stands."""

    value: Value
    start: int
    end: int


class Broken(msgspec.Struct, frozen=True):
    """Why there is no JSON, and where it breaks, if that is known."""

    fault: str
    at: int | None = None


def only_json(text: str) -> Found | Broken:
    """The JSON that the text is, bare or in one fence; anything beside it is a fault."""
    blocks = code_blocks(text)
    outside = [line for line in lines_of(text) if line.kind not in ("blank", "fence", "code")]
    if len(blocks) == 1 and not outside:
        return _whole(text, (blocks[0].start, blocks[0].end))
    return _whole(text, (0, len(text)))


def json_in(text: str) -> Found | Broken:
    """The JSON that the text gives, whatever talk stands around it.

    That is the first fenced block that is marked as JSON or begins with a bracket; else the text without its lead-in
    and closing; else the first bracket at the start of a line that parses to the end of a line.
    """
    fenced = json_block(text)
    if fenced is not None:
        return _whole(text, (fenced.start, fenced.end))
    start = without_lead_in(text)
    bare = _whole(text, (start, without_closing(text, start)))
    if isinstance(bare, Found):
        return bare
    broken: Broken | None = None
    for found in _at_line_starts(text):
        if isinstance(found, Found):
            return found
        broken = broken or found
    return broken or Broken("there is none")


def json_block(text: str) -> CodeBlock | None:
    """The first fenced block that is marked as JSON, else the first that begins with a bracket."""
    blocks = code_blocks(text)
    marked = next((block for block in blocks if "json" in block.language), None)
    return marked or next((block for block in blocks if _is_bracket(text, block)), None)


def _is_bracket(text: str, block: CodeBlock) -> bool:
    return text[block.start : block.end].lstrip()[:1] in ("{", "[")


def _whole(text: str, place: Range) -> Found | Broken:
    """The JSON that this part of the text is; spaces and backticks around it are passed over."""
    start, end = _stripped(text, *place)
    if end - start > 1 and text[start] == text[end - 1] == "`" != text[start + 1]:
        start, end = _stripped(text, start + 1, end - 1)
    found = _parsed(text, start)
    if isinstance(found, Found) and found.end < end:
        return Broken(_BEHIND, found.end)
    return found


def _stripped(text: str, start: int, end: int) -> Range:
    written = text[start:end]
    return start + len(written) - len(written.lstrip()), end - len(written) + len(written.rstrip())


def _at_line_starts(text: str) -> Iterator[Found | Broken]:
    for number, opening in enumerate(_OPENS.finditer(text)):
        if number == _MOST_TRIED:
            return
        found = _parsed(text, opening.start(1))
        if isinstance(found, Found) and not _BLANK.match(text, found.end):
            found = Broken(_BEHIND, found.end)
        yield found


def _parsed(text: str, start: int) -> Found | Broken:
    """The JSON value that begins there."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return Broken(_in_words(error.msg), min(error.pos, len(text)))
    except RecursionError:
        return Broken("it is nested too deeply")
    except ValueError as error:
        return Broken(str(error))
    return Found(value, start, end)


def _in_words(message: str) -> str:
    """As the library says it, inside a sentence."""
    return message[0].lower() + message[1:].removesuffix(" at")


def _once(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name!r} stands twice")
        found[name] = value
    return found


def _refused(constant: str) -> Value:
    raise ValueError(f"{constant} is no JSON")


def _whole_number(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise ValueError("a number has too many digits") from None


def _number(digits: str) -> float | int:
    """JSON knows one sort of numbers: 1.0 is 1."""
    value = float(digits)
    return int(value) if value.is_integer() else value


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_once, parse_constant=_refused, parse_int=_whole_number, parse_float=_number
)
