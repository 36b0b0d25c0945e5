"""Stage one of reading a suite: bytes -> raw JSON values, each with its place.

Knows encodings, JSON and JSON Lines; knows nothing of conversations, and judges no field. It goes on after a fault as
long as the text lets it, so that a reader is told of all faults at once. Lines count from 1 and end at line feeds only
(U+2028 and kin are ordinary characters of a JSON string); byte offsets count from 0.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DIGITS: Final = 1000
"""A longer whole number is refused: Python itself refuses to read numbers of a few thousand digits."""

SAVE_AS_UTF8: Final = "save the file as UTF-8"
TOO_DEEP: Final = "lists or objects are nested too deeply to be read"
EMPTY: Final = "no conversations: the file is empty"

_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
TAKEN: Final = ()
"""Stands in the header for a list of conversations that was taken item by item."""

_UTF8_MARK: Final = b"\xef\xbb\xbf"
_SPACE: Final = re.compile(r"[ \t\r\n\ufeff]*")


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, and where: a line (from 1; None: somewhere in the file) and the path of the field ("": all)."""

    line: int | None
    path: str
    text: str

    def told(self, source: str) -> str:
        """The fault as one line: ``file:line 3: turns[1].text: what is wrong``."""
        line = "" if self.line is None else f"line {self.line}:"
        return f"{source}:{line}{f' {self.path}:' if self.path else ''} {self.text}"


class Refused(msgspec.Struct, frozen=True):
    """Stands where the text holds a value that is refused: NaN, infinity, a number too long to read."""

    reason: str


class Raw(dict[str, object]):
    """A JSON object as it was written: ``repeated`` are the names given more than once (the last value is kept)."""

    repeated: tuple[str, ...] = ()


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One raw value, which should be a conversation; ``path`` is ``""`` in JSON Lines, else ``conversations[3]``."""

    value: object
    line: int
    path: str


class Document(msgspec.Struct, frozen=True):
    """A file after stage one: the conversations to be, and what stands beside them (``name``, ``version`` ...).

    ``broken_off`` where the text as a whole is no JSON.
    """

    entries: tuple[Entry, ...] = ()
    header: Raw = msgspec.field(default_factory=Raw)
    faults: tuple[Fault, ...] = ()
    broken_off: bool = False


def read_document(data: bytes) -> Document:
    """Find the raw conversations of a file, whatever its form: by content, not by the file's name."""
    lines, faults = _decode(data)
    first = next((line.strip("\ufeff \t\r") for line in lines if line is not None and not _blank(line)), None)
    if first is None:
        return Document(faults=faults or (Fault(line=1, path="", text=EMPTY),))
    if faults:
        by_line = _is_lines(lines, first)
        return _lines(lines, faults) if by_line else Document(faults=faults)
    whole = _Walker("\n".join(line or "" for line in lines)).document()
    if whole.broken_off and _is_lines(lines, first):
        return _lines(lines, ())
    return whole


def read_lines(data: bytes) -> Document:
    """The objects of a file that is JSON Lines and nothing else."""
    lines, faults = _decode(data)
    return _lines(lines, faults)


def _decode(data: bytes) -> tuple[list[str | None], tuple[Fault, ...]]:
    """The file's lines, None for those that are not UTF-8, with a fault for each of these."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = f"bytes at offset 0 say that the file is {encoding}; {SAVE_AS_UTF8}"
            return [], (Fault(line=1, path="", text=text),)
    zero = data.find(b"\x00")
    if zero >= 0:
        text = f"zero byte at offset {zero}: the file is UTF-16, or no text at all; {SAVE_AS_UTF8}"
        return [], (Fault(line=data.count(b"\n", 0, zero) + 1, path="", text=text),)
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")  # the line ends of the oldest Macs; bytes keep their offsets
    offset = len(_UTF8_MARK) if data.startswith(_UTF8_MARK) else 0
    lines: list[str | None] = []
    faults: list[Fault] = []
    for number, raw in enumerate(data[offset:].split(b"\n"), start=1):
        try:
            lines.append(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            lines.append(None)
            text = f"byte 0x{raw[error.start]:02X} at offset {offset + error.start} is not UTF-8; {SAVE_AS_UTF8}"
            faults.append(Fault(line=number, path="", text=text))
        offset += len(raw) + 1
    return lines, tuple(faults)


def _skip(text: str, at: int) -> int:
    """Where the space that begins at this place ends."""
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _blank(line: str) -> bool:
    return not line.strip().strip("\ufeff")


def _is_lines(lines: list[str | None], first: str) -> bool:
    """True where the file, which is not one JSON text, is better read line by line.

    A list never is. Else one line must hold a whole object. A file that begins as one object over several lines and
    breaks off can have such lines inside it, too: its first line shows by its end that it goes on.
    """
    if first.startswith("["):
        return False
    whole = (line for line in lines if line is not None and not _blank(line))
    if not any(isinstance(_value(line.strip("\ufeff"))[0], Raw) for line in whole):
        return False
    goes_on = first.endswith(("{", "[", ",")) and not first.endswith("},")
    return isinstance(_value(first)[0], Raw) or not goes_on


def _lines(lines: list[str | None], faults: tuple[Fault, ...]) -> Document:
    """Read JSON Lines: one object a line, blank lines skipped."""
    entries: list[Entry] = []
    found = list(faults)
    for number, line in enumerate(lines, start=1):
        if line is None or _blank(line):
            continue
        value, fault = _value(line.strip("\ufeff"))
        if fault:
            found.append(Fault(line=number, path="", text=fault))
        else:
            entries.append(Entry(value=value, line=number, path=""))
    return Document(entries=tuple(entries), faults=tuple(found))


def _value(line: str) -> tuple[object, str]:
    """The one value of a line, and what is wrong with it ("" where nothing is)."""
    start = _skip(line, 0)
    if line.startswith(("//", "/*", "#"), start):
        return None, "comments are no part of JSON; take the line out"
    try:
        value, end = _DECODER.raw_decode(line, start)
    except json.JSONDecodeError as error:
        return None, f"column {error.colno}: {_reason(error)}"
    except RecursionError:
        return None, TOO_DEEP
    rest = _skip(line, end)
    if rest < len(line):
        return None, f"column {rest + 1}: {line[rest]!r} after the end of the value; JSON Lines holds one object a line"
    return value, ""


def _reason(error: json.JSONDecodeError) -> str:
    """What the JSON parser says, and whether it came to the end of the text."""
    ended = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    said = error.msg.removesuffix(" starting at").removesuffix(" at").strip()
    return f"not JSON: {said[:1].lower()}{said[1:]}" + ("; is the text cut off here?" if ended else "")


def _pairs(pairs: list[tuple[str, object]]) -> Raw:
    raw = Raw(pairs)
    if len(raw) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raw.repeated = tuple(name for name, count in counts.items() if count > 1)
    return raw


def _integer(digits: str) -> object:
    return int(digits) if len(digits) <= MAX_DIGITS else Refused(f"a number of {len(digits)} digits is too long")


def _constant(name: str) -> Refused:
    return Refused(f"{name} is no JSON; write a number, or leave the field out")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_integer, parse_constant=_constant)


class _BrokenOffError(Exception):
    """The text can't be followed any further; the argument says why."""


class _Walker:
    """Reads one JSON text (a list of conversations, or an object with such a list), keeping the line of each item."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._counted = 0
        self._entries: list[Entry] = []
        self._faults: list[Fault] = []

    def document(self) -> Document:
        """The whole file; after a fault in the text, what came before it is kept."""
        header = Raw()
        broken_off = False
        try:
            header = self._take_document()
        except _BrokenOffError as error:
            broken_off = True
            text = f"column {self._column()}: {error}"
            self._faults.append(Fault(line=self._line_now(), path="", text=text))
        return Document(tuple(self._entries), header, tuple(self._faults), broken_off)

    def _take_document(self) -> Raw:
        header = Raw()
        start = self._next()
        if start == "[":
            self._take_items("")
        elif start == "{":
            header = self._take_object()
        else:
            self._take_other()
        if self._next():
            raise _BrokenOffError(
                f"{self._shown()} after the end of the JSON text; give one list, or one object a line"
            )
        return header

    def _take_other(self) -> None:
        line = self._line_now()
        self._take_value()
        text = "the file must hold a list of conversations, or an object with one under conversations"
        self._faults.append(Fault(line=line, path="", text=text))

    def _take_object(self) -> Raw:
        """The object form: the list under ``conversations`` is taken item by item, the rest whole."""
        line = self._line_now()
        pairs: list[tuple[str, object]] = []
        for _ in self._until("}"):
            if self._next() != '"':
                raise _BrokenOffError(f"not JSON: a name in double quotes must stand here, not {self._shown()}")
            name = str(self._take_value())
            if self._next() != ":":
                raise _BrokenOffError(f"not JSON: a colon must stand here, not {self._shown()}")
            self._at += 1
            if self._next() == "[" and name == "conversations":
                self._take_items(name)
                pairs.append((name, TAKEN))
            else:
                pairs.append((name, self._take_value()))
        header = _pairs(pairs)
        if isinstance(header.get("conversations"), tuple):
            return header
        if "conversations" in header:
            self._faults.append(Fault(line=line, path="conversations", text="must be a list of conversations"))
        elif "turns" in header or "id" in header:
            self._entries.append(Entry(value=header, line=line, path=""))
            return Raw()
        else:
            self._faults.append(Fault(line=line, path="conversations", text=_no_list(header)))
        return header

    def _take_items(self, name: str) -> None:
        """A list of conversations."""
        line = self._line_now()
        count = 0
        for index in self._until("]"):
            start = self._line_now()
            self._entries.append(Entry(value=self._take_value(), line=start, path=f"{name}[{index}]"))
            count += 1
        if count == 0:
            self._faults.append(Fault(line=line, path=name, text="no conversations: the list is empty"))

    def _until(self, closing: str) -> Iterator[int]:
        """Step through the items of a list or object up to its closing bracket; the caller takes each item."""
        self._at += 1
        if self._next() == closing:
            self._at += 1
            return
        index = 0
        while True:
            yield index
            index += 1
            mark = self._next()
            if mark not in (",", closing):
                raise _BrokenOffError(f"not JSON: a comma or {closing!r} must stand here, not {self._shown()}")
            self._at += 1
            if mark == closing:
                return
            if self._next() == closing:
                raise _BrokenOffError(f"not JSON: {closing!r} right after a comma; take the comma out")

    def _take_value(self) -> object:
        self._next()
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
        except json.JSONDecodeError as error:
            self._at = error.pos
            raise _BrokenOffError(_reason(error)) from None
        except RecursionError:
            raise _BrokenOffError(TOO_DEEP) from None
        return value

    def _next(self) -> str:
        """Skip space; the character that comes then, "" at the end."""
        self._at = _skip(self._text, self._at)
        return self._text[self._at : self._at + 1]

    def _shown(self) -> str:
        return repr(self._text[self._at]) if self._at < len(self._text) else "the end of the text (is it cut off?)"

    def _line_now(self) -> int:
        if self._at < self._counted:
            self._line, self._counted = 1, 0
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _column(self) -> int:
        return self._at - self._text.rfind("\n", 0, self._at)


def _no_list(header: Raw) -> str:
    near = difflib.get_close_matches("conversations", header, n=1)
    if near:
        return f"is missing; rename {near[0]!r} to it"
    return 'is missing; write {"conversations": [...]}, or a list [{"id": ..., "turns": [...]}]'
