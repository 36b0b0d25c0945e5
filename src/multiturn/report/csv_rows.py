"""Flat rows as CSV: UTF-8, as RFC 4180 has it, letter for letter.

Nothing stands for a value that is not there, two quotes for an empty text: a reader that looks (not every one does) can
tell an empty reply from none. Lists are JSON. Every text comes back as it was, control characters and line ends
included; nothing is put before a text that a spreadsheet would take for a formula unless that is asked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from multiturn.report.flat import Column, Row, Value

_END: Final = "\r\n"
_TO_QUOTE: Final = re.compile(r'[",\r\n]')
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet computes."""
_GUARD: Final = "'"


def csv_lines(columns: Sequence[Column], rows: Iterable[Row], *, for_spreadsheet: bool = False) -> Iterator[str]:
    """The lines, with their ends, names of columns first.

    Args:
        columns: As :class:`multiturn.report.flat.Layout` gives them.
        rows: With as many values.
        for_spreadsheet: Put an apostrophe before a text that begins as a formula does, so that nothing in a reply is
            computed when the file is opened; what begins so is then no longer letter for letter.
    """
    yield ",".join(column.name for column in columns) + _END
    for row in rows:
        yield ",".join(_field(value, for_spreadsheet=for_spreadsheet) for value in row) + _END


def _field(value: Value, *, for_spreadsheet: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        text = msgspec.json.encode(value).decode("utf-8")
    elif isinstance(value, str):
        text = f"{_GUARD}{value}" if for_spreadsheet and value.startswith(_FORMULA) else value
    else:
        return repr(value)
    quotes = '"'
    return f'"{text.replace(quotes, quotes * 2)}"' if not text or _TO_QUOTE.search(text) else text
