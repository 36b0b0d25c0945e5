"""All tables of a page, in groups that a reader opens; the verdicts come first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.contents import grouped_tables
from multiturn.report.judged import judged_tables
from multiturn.report.numbers import number
from multiturn.report.page.reach import Reach, TableLinks
from multiturn.report.ranking import ranking_tables
from multiturn.report.tables import pass_rates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from multiturn.report.page.shown import Page
    from multiturn.report.tables import Table
    from multiturn.results import Comparison


MOST_ROWS: Final = 500
"""Rows of one table: 5,000 conversations can have as many flipped checks, a megabyte that nobody reads."""


class TableGroup(msgspec.Struct, frozen=True):
    """Tables that are opened together."""

    name: str
    tables: tuple[Table, ...]


class TablePart(msgspec.Struct, frozen=True, kw_only=True):
    """The groups of one comparison, or those of all arms together; ``title`` is "" where there is one part."""

    title: str
    groups: tuple[TableGroup, ...]
    links: TableLinks


def tables_shown(page: Page, reach: Reach, naming: Callable[[str], str]) -> tuple[TablePart, ...]:
    """Every table that has a row. ``naming`` gives an arm of a ranking the name that it has on the page."""
    return tuple(part for part in _parts(page, reach, naming) if part.groups)


def _parts(page: Page, reach: Reach, naming: Callable[[str], str]) -> Iterator[TablePart]:
    arms, none = page.collected.arms, TableLinks(reach, {})
    if page.ranking is not None:
        tables = tuple(ranking_tables(page.ranking, naming))
        yield TablePart(title="All arms", groups=(TableGroup("Ranking", tables),) if tables else (), links=none)
    if page.rates is not None and page.rates.rates:
        yield TablePart(title="", groups=(TableGroup("Checks passed", (pass_rates(page.rates),)),), links=none)
    for comparison, arm in zip(page.comparisons, arms[1:], strict=True):
        names = {"base": arms[0].name, "tuned": arm.name}
        title = "" if reach.pair else f"{arm.name} against {arms[0].name}; in these tables {arm.name} is called tuned"
        yield TablePart(title=title, groups=_groups(comparison), links=TableLinks(reach, names))
    if page.judged is not None:
        judged = tuple(map(_cut, judged_tables(page.judged)))
        yield TablePart(title="", groups=(TableGroup("What judges say", judged),), links=none)


def _groups(comparison: Comparison) -> tuple[TableGroup, ...]:
    """The one of verdicts first."""
    groups = [TableGroup(name, tuple(map(_cut, tables))) for name, tables in grouped_tables(comparison)]
    return (*groups[-1:], *groups[:-1]) if comparison.verdicts else tuple(groups)


def _cut(table: Table) -> Table:
    """The table with the first of its rows, and how many more there are."""
    more = len(table.rows) - MOST_ROWS
    if more <= 0:
        return table
    told = f"{number(more, 'count')} more rows are left out; the filters of the list find all conversations."
    return msgspec.structs.replace(
        table,
        rows=table.rows[:MOST_ROWS],
        rows_about=table.rows_about[:MOST_ROWS],
        footnote=f"{table.footnote} {told}".strip(),
    )
