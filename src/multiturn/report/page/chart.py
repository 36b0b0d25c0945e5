"""One chart: what it shows, in words, numbers and lines, and how it is put together.

What this module does not know: which charts there are, how a picture is drawn (``drawing.py``), HTML.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from markupsafe import Markup

from multiturn.report.page.plotted import Course, Plane, Rows, Tallies, paint_of, shape_of
from multiturn.report.page.reach import TableLinks
from multiturn.report.page.svg import fit
from multiturn.report.tables import Table, footnotes_once

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from multiturn.report.page.plotted import Picture

MANY: Final = 5
"""Groups below each other that make a chart tall."""


class Key(msgspec.Struct, frozen=True):
    """What an arm looks like in a chart: its place and name, its shape as a path and the paint of it."""

    arm: int
    name: str
    path: str
    fill: str
    stroke: str


class Said(NamedTuple):
    """The words of a chart, as in :class:`Chart`."""

    title: str
    subject: str
    alternative: str
    note: str = ""


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """A drawing with its finding (``title``), a text alternative, and the numbers behind it.

    ``subject`` is what is drawn, ``note`` what is to be known of the finding; ``keys`` are the arms that are told apart
    by shape and colour, none where there is nothing to tell apart. ``links`` lead from the tables to the transcripts.
    ``beside`` are tables without which it is easily misread: they are seen at once. ``tall``: it is about twice as high
    as others.
    """

    id: str
    title: str
    subject: str
    alternative: str
    svg: Markup
    tables: tuple[Table, ...]
    beside: tuple[Table, ...] = ()
    note: str = ""
    keys: tuple[Key, ...] = ()
    links: TableLinks | None = None
    tall: bool = False


def chart_of(
    name: str,
    picture: Picture,
    said: Said,
    tables: Sequence[Table],
    names: Sequence[str],
    *,
    links: TableLinks | None = None,
    beside: Sequence[Table] = (),
) -> Chart:
    """The chart of this picture, drawn; ``names`` are the arms'."""
    title, subject, alternative, note = said
    told_apart = len(names) > 1 and isinstance(picture, Rows | Course | Plane)
    return Chart(
        id=name,
        title=f"{title[:1].upper()}{title[1:]}",
        subject=subject,
        alternative=alternative,
        svg=drawn(picture, alternative),
        tables=tuple(_as_drawn(one) for one in footnotes_once(tables)),
        beside=tuple(beside),
        note=note,
        keys=tuple(Key(at, one, shape_of(at), *paint_of(at)) for at, one in enumerate(names)) if told_apart else (),
        links=links,
        tall=(isinstance(picture, Rows) and len(picture.lines) > MANY)
        or (isinstance(picture, Tallies) and len(picture.arms) > MANY),
    )


def drawn(picture: Picture, alternative: str) -> Markup:
    """The picture as SVG. What draws is loaded now, not with the Python interface: altair takes 0.6 s to import."""
    draw: Callable[[Picture], str] = importlib.import_module("multiturn.report.page.drawing").draw
    return fit(draw(picture), alternative)


def _as_drawn(table: Table) -> Table:
    """The same under a title of its own: the page has a table of the same numbers elsewhere."""
    return msgspec.structs.replace(table, title=f"{table.title}, as drawn")
