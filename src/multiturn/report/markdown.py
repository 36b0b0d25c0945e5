r"""Markdown (GitHub's): tables and running text in which every text is shown letter for letter and does nothing.

Backslash and pipe would move columns, a line end would end the row, and angle brackets, ampersands, backticks, stars,
underscores, tildes, dollars and ``](`` would turn a reply's text into markup. See the GitHub Flavored Markdown spec,
"Tables (extension)" and "Backslash escapes".

Where it is put before people (a pull request, a model card), a text can do more than mark up: ``@name`` calls someone,
``#12`` and ``owner/name@abc1234`` link, addresses become links by themselves, ``:smile:`` an emoji. That is
done after Markdown, by looking at the words, so that no backslash helps: :func:`inert` puts a space of no width into
each. A text of others must never stand first in a line of its own: some services read ``/close`` there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.report.tables import Table

_ACTIVE: Final = re.compile(r"[\\|`*_~$<&]|\](?=[(\[])|\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_MARKUP: Final = re.compile(r"[\\|`*_~$<&\[\]]|\s+")
_LEADING: Final = re.compile(r"\A(?:[#>=]|[+-](?=[\s-]|\Z)|\d{1,9}[.)](?=\s|\Z))")
"""What makes a heading, a quotation, a rule or a list of a block that begins with it."""
_CALLS: Final = re.compile(
    r"""(?P<call>(?:[@\#!$%~&^](?=[\w"]))          # @name, and the references of GitHub and GitLab
        |GH-(?=\d)|:(?=//)|(?:www|mailto|xmpp)(?=[.:])  # issues and addresses
        |\[(?=\w+:)|:(?=[\w+-]+:)                  # [vulnerability:1], :smile:
        |(?<![0-9A-Za-z])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{3}(?=[0-9a-f]{4,}(?![0-9A-Za-z])))  # a commit""",
    re.VERBOSE | re.IGNORECASE,
)
_BREAK: Final = "\u200b"
_BREAK_ENTITY: Final = "&#8203;"
_ENTITIES: Final = {"<": "&lt;", "&": "&amp;"}


def cell(text: str) -> str:
    """One cell's text, escaped; line ends become ``<br>``."""
    return _ACTIVE.sub(_escaped, printable(text)).strip()


def inert(text: str) -> str:
    """Running text or a cell, on one line: no markup, no link, no mention, no reference, no emoji."""
    calm = _CALLS.sub(lambda found: f"{found.group()}{_BREAK}", printable(text)).strip()
    escaped = _MARKUP.sub(_escaped_inline, calm)
    leading = _LEADING.match(escaped)
    if leading is not None:
        at = leading.end() - 1
        escaped = f"{escaped[:at]}\\{escaped[at:]}"
    return escaped.replace(_BREAK, _BREAK_ENTITY)


def code(text: str) -> str:
    """A name or a command as code, on one line; not for a table, where a bar would end the cell."""
    line = " ".join(printable(text).split()) or " "
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def fenced(text: str, language: str = "") -> str:
    """Lines as a block of code."""
    shown = printable(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def inert_table(content: Table) -> str:
    """Header and rows, without title and footnote; each line of a cell is inert."""
    lines = [content.header, *content.rows]
    header, *rows = (f"| {' | '.join(map(_inert_cell, cells))} |" for cells in lines)
    return "\n".join([header, f"|{' --- |' * len(content.header)}", *rows])


def _inert_cell(text: str) -> str:
    return "<br>".join(map(inert, printable(text).split("\n")))


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


def _escaped_inline(match: re.Match[str]) -> str:
    found = match.group()
    return " " if found.isspace() else _ENTITIES.get(found, f"\\{found}")
