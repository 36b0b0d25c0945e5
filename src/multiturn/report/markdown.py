r"""Tables in Markdown (GitHub's): every cell is shown letter for letter and stays in its column and row.

Backslash and pipe would move columns, a line end would end the row, and angle brackets, ampersands, backticks, stars,
underscores, tildes, dollars and ``](`` would turn a reply's text into markup. See the GitHub Flavored Markdown spec,
"Tables (extension)" and "Backslash escapes".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.report.tables import Table

_ACTIVE: Final = re.compile(r"[\\|`*_~$<&]|\](?=[(\[])|\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_ENTITIES: Final = {"<": "&lt;", "&": "&amp;"}


def cell(text: str) -> str:
    """One cell's text, escaped; line ends become ``<br>``."""
    return _ACTIVE.sub(_escaped, printable(text)).strip()


def row(cells: Sequence[str]) -> str:
    """One row of a table, without its line end."""
    return f"| {' | '.join(cell(text) for text in cells)} |"


def table(content: Table) -> str:
    """A whole table: heading, header, rows, footnote; ends with a newline."""
    lines = [f"### {cell(content.title)}", "", row(content.header), f"|{' --- |' * len(content.header)}"]
    lines += [row(cells) for cells in content.rows]
    if content.footnote:
        lines += ["", cell(content.footnote)]
    return "\n".join(lines) + "\n"


def _escaped(match: re.Match[str]) -> str:
    found = match.group()
    if found.isspace():
        return "<br>"
    return _ENTITIES.get(found, f"\\{found}")
