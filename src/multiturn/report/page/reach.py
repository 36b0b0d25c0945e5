"""Which conversations are behind what the page says: how many have some tags, and the address of their list.

Only what some conversation has is linked: no address leads to an empty list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.numbers import number
from multiturn.report.page.links import conversation_link, list_link
from multiturn.report.page.shown import BASE, TUNED
from multiturn.report.tables import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from multiturn.report.page.facets import Tag
    from multiturn.report.page.shown import Collected
    from multiturn.report.tables import Place, Table

BEHIND: Final[dict[str, Tag]] = {
    "check_pass": ("check", "pass"),
    "turn_pass": ("check", "pass"),
    "refusal": ("refusal", "any"),
    "refusal_full": ("refusal", "full"),
    "refusal_unexpected": ("refusal", "unexpected"),
    "refusal_missing": ("refusal", "missing"),
    "empty": ("status", "empty"),
    "cut_off": ("status", "length"),
    "overflowed": ("status", "overflowed"),
    "collapse": ("raised", "collapse"),
    "language_change": ("raised", "language_change"),
    "role_leakage": ("raised", "role_leakage"),
    "missing": ("missing", "yes"),
}
"""Which tag a reply has that a measure counts; the other measures are numbers that every reply has."""

_GROUPS: Final = frozenset({"turn", "capability", "distance", "category", "domain"})
"""Kinds of groups that are tags too."""


class Behind(msgspec.Struct, frozen=True):
    """The conversations behind something, and in how many of their turns it is so (of all samples)."""

    href: str
    conversations: int
    turns: int

    @property
    def text(self) -> str:
        """``1 conversation``, ``7 conversations``."""
        return counted(self.conversations, "conversation")


class Reach:
    """Finds the conversations of a page by their tags."""

    def __init__(self, collected: Collected, tuned: str = TUNED) -> None:
        """``tuned``: the name of the arm that tables call tuned."""
        self._places: Final = {tag: at for at, tag in enumerate(collected.tags)}
        self._turns: Final[dict[int, set[int]]] = {}
        self._owner: Final[list[int]] = []
        self._arms: Final = {BASE: collected.arms[0].name, TUNED: tuned}
        for at, row in enumerate(collected.rows):
            for tags in row.turn_tags:
                for tag in (*row.tags, *tags):
                    self._turns.setdefault(tag, set()).add(len(self._owner))
                self._owner.append(at)

    def behind(self, tags: Mapping[str, str]) -> Behind | None:
        """The conversations in which one turn has all these tags; None where there is none."""
        found: set[int] | None = None
        for tag in tags.items():
            turns = self._turns.get(self._places.get(tag, -1), set())
            found = turns if found is None else found & turns
        if not found:
            return None
        return Behind(list_link(tags), len({self._owner[turn] for turn in found}), len(found))

    def cell(self, table: Table, row: int, column: int) -> str:
        """The address behind one cell of a table, "" where there is none."""
        about = table.rows_about[row] if table.rows_about else None
        if isinstance(about, Spot):
            return conversation_link(about.conversation, about.turn, about.sample) if column == 0 else ""
        across = table.columns_about[column] if table.columns_about else None
        if column and across is None:
            return ""
        return self._href([about, across, table.about if column else None])

    def heading(self, table: Table, column: int) -> str:
        """The address behind a column, "" where there is none."""
        across = table.columns_about[column] if table.columns_about else None
        return self._href([across, table.about]) if across is not None else ""

    def _href(self, places: Iterable[Place | None]) -> str:
        tags = dict(self._tags([place for place in places if place is not None]))
        found = self.behind(tags) if tags else None
        return found.href if found is not None else ""

    def _tags(self, places: Iterable[Place]) -> Iterator[Tag]:
        """The tags of places together; an arm and a measure are one tag."""
        known = dict(places)
        yield from ((kind, name) for kind, name in known.items() if kind in _GROUPS)
        arm, behind = self._arms.get(known.get("arm", "")), BEHIND.get(known.get("measure", ""))
        if arm is not None and behind is not None:
            yield f"{arm}.{behind[0]}", behind[1]


def counted(count: int, thing: str) -> str:
    """So many things in words: ``1 reply``, ``12 replies``."""
    if count == 1:
        return f"1 {thing}"
    return f"{number(count, 'count')} {thing[:-1]}ies" if thing.endswith("y") else f"{number(count, 'count')} {thing}s"
