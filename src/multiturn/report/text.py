"""Tables in a terminal. Cells are text, never rich markup; control characters are made harmless before they go out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from rich import box
from rich.cells import cell_len
from rich.console import Group
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from multiturn.report.broken import CONSEQUENCE, FIX_FIRST, broken
from multiturn.report.conclusion import sentences
from multiturn.report.contents import all_tables, not_shown, short_tables
from multiturn.report.tables import Table, footnotes_once, pass_rates
from multiturn.report.trimmed import trimmed
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from multiturn.results import Comparison, PassRates

_GAP: Final = 2
"""Terminal columns between two columns of a table."""

_KEEP: Final = 30
"""A column of at most this width is not broken, unless it is the first or one of words: an interval is one piece."""

_FOLDS_TO: Final = len("100.0%")
"""What any other column has at least, unless all that is in it is narrower."""

_ALONE_FOLDS_TO: Final = len("repetition")
"""The same of a first column beside which no other can be broken: most words of what a measure is called are whole."""


class _Whole(RichTable):
    """A table that is laid out wider than the terminal where its numbers have no room in it: none is ever cropped.

    Lines end with their last letter, since a narrow terminal would show the blanks of a filled one as empty lines.
    """

    least: int = 0
    """Terminal columns that it needs."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As ever, in the width that it needs."""
        wide = options.update_width(max(options.max_width, self.least))
        found = super().__rich_console__(console, wide)
        yield from trimmed(piece for one in found for piece in _segments(console, wide, one))


def _segments(console: Console, options: ConsoleOptions, one: RenderableType | Segment) -> Iterable[Segment]:
    """What a part of a table is written as."""
    return (one,) if isinstance(one, Segment) else console.render(one, options)


def render(table: Table) -> RichTable:
    """A table that fits itself to the terminal it is shown in, from about 80 columns on.

    Its lines are longer than the terminal's where that has no room for its numbers: print it with ``crop=False``, or
    rich cuts them off at the end. Rows with too few cells are filled with empty ones; cells beyond the header get a
    column without a heading.
    """
    columns = max([len(table.header), *(len(cells) for cells in table.rows)])
    header = _safe(table.header, columns)
    rows = [_safe(cells, columns) for cells in table.rows]
    shown = _Whole(
        title=_text(table.title) if table.title else None,
        caption=_text(table.footnote) if table.footnote else None,
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, _GAP - 1, 0, 0),
    )
    folds_to = _FOLDS_TO if table.words else _ALONE_FOLDS_TO
    for index, text in enumerate(header):
        widest = max((cell_len(line) for cells in rows for line in cells[index].splitlines()), default=0)
        whole = index > 0 and widest <= _KEEP and index not in table.words
        shown.add_column(Text(text), overflow="fold", no_wrap=whole)
        widest = max(widest, cell_len(text))
        shown.least += widest if whole else min(widest, folds_to)
    shown.least += _GAP * (columns - 1)
    for cells in rows:
        shown.add_row(*(Text(text) for text in cells))
    return shown


def render_comparison(comparison: Comparison, *, everything: bool = False) -> Group:
    """The evidence, the notes, what is to be fixed first, what is concluded; ``everything``: all kinds of groups."""
    tables = footnotes_once((all_tables if everything else short_tables)(comparison))
    evidence = len(tables) - bool(comparison.verdicts)
    parts: list[RichTable | Text] = []
    for index, table in enumerate(tables):
        if index == evidence:
            parts += _before_the_end(comparison, everything=everything)
        parts += _placed(table)
    if evidence == len(tables):
        parts += _before_the_end(comparison, everything=everything)
    first, *others = (_text(line) for line in sentences(comparison))
    return Group(*parts, first, Text(""), *([*others, Text("")] if others else []))


def _placed(table: Table) -> list[RichTable | Text]:
    """A table between its title and footnote, which may be wider than it is: a narrow one would fold them."""
    title = [Text(printable(table.title), "table.title")] if table.title else []
    below = [Text(printable(table.footnote), "table.caption")] if table.footnote else []
    return [*title, render(msgspec.structs.replace(table, title="", footnote="")), *below, Text("")]


def _before_the_end(comparison: Comparison, *, everything: bool) -> list[RichTable | Text]:
    """The notes; and under a heading of its own what comes before any verdict."""
    first = [note for note in comparison.notes if note.startswith(FIX_FIRST)]
    others = [note for note in comparison.notes if note not in first]
    if not everything and (unseen := not_shown(comparison)):
        others.insert(0, unseen)
    parts: list[RichTable | Text] = [*map(_text, others), *([Text("")] if others else [])]
    if first:
        parts.append(Text(FIX_FIRST.strip(" :").capitalize(), "table.title"))
        parts += [_text(line) for note in first for line in note.removeprefix(FIX_FIRST).split("; ")]
        differ = any(one.differs for one in broken(comparison.contrasts, comparison.unsound))
        parts += [*([_text(CONSEQUENCE)] if differ else []), Text("")]
    return parts


def render_pass_rates(found: PassRates) -> Group:
    """How many checks one run passes, and what to know of it; nothing where its suite has no checks."""
    if not found.rates:
        return Group()
    return Group(render(pass_rates(found)), *(_text(note) for note in found.notes))


def _safe(cells: Sequence[str], columns: int) -> list[str]:
    return [printable(text) for text in cells] + [""] * (columns - len(cells))


def _text(text: str) -> Text:
    return Text(printable(text))
