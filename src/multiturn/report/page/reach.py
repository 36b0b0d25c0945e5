"""Which conversations are behind what the page says: how many have some tags, and the address of their list.

Only what some conversation has is linked: no address leads to an empty list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from multiturn.report.numbers import counted
from multiturn.report.page.links import conversation_link, list_link
from multiturn.report.tables import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from multiturn.report.page.facets import Tag
    from multiturn.report.page.shown import Collected
    from multiturn.report.tables import Place, Table

WHOLE_LIST: Final = "#list"
"""The address of all conversations."""

BEHIND: Final[dict[str, Tag]] = {
    "check_pass": ("check", "pass"),
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
    """Finds the conversations of a page by their tags. ``pair``: it has two arms, so that a flip is between these."""

    def __init__(self, collected: Collected) -> None:
        self.pair: Final = len(collected.arms) == 2  # noqa: PLR2004 - a pair
        self.conversations: Final = len(collected.rows)
        owner = [at for at, row in enumerate(collected.rows) for _ in row.turn_tags]
        found: dict[int, list[int]] = {}
        turn = 0
        for row in collected.rows:
            for tags in row.turn_tags:
                for tag in {*row.tags, *tags}:
                    found.setdefault(tag, []).append(turn)
                turn += 1
        self._owner: Final = np.array(owner, dtype=np.int64)
        self._turns: Final = {collected.tags[tag]: self._mask(turns) for tag, turns in found.items()}

    def behind(self, tags: Mapping[str, str]) -> Behind | None:
        """The conversations in which one turn has all these tags; None where there is none."""
        asked = [self._turns.get(tag) for tag in tags.items()]
        known = [turns for turns in asked if turns is not None]
        found = np.logical_and.reduce(known) if known and len(known) == len(asked) else None
        if found is None or not found.any():
            return None
        return Behind(list_link(tags), int(np.count_nonzero(np.bincount(self._owner[found]))), int(found.sum()))

    def _mask(self, turns: Sequence[int]) -> NDArray[np.bool_]:
        mask = np.zeros(self._owner.size, dtype=np.bool_)
        mask[turns] = True
        return mask


class TableLinks:
    """Leads from the cells of tables to the transcripts that they tell of."""

    def __init__(self, reach: Reach, arms: Mapping[str, str]) -> None:
        """``arms``: the names on this page of what tables call base and tuned."""
        self._reach: Final = reach
        self._arms: Final = arms

    def cell(self, table: Table, row: int, column: int) -> str:
        """The address behind one cell, "" where there is none."""
        about = table.rows_about[row] if table.rows_about else None
        if isinstance(about, Spot):
            return conversation_link(about.conversation, about.turn, about.sample) if column == 0 else ""
        if column == 0:
            return self._href([about])
        across = table.columns_about[column] if table.columns_about else None
        return self._href([about, across, table.about]) if across is not None else ""

    def heading(self, table: Table, column: int) -> str:
        """The address behind a column, "" where there is none."""
        across = table.columns_about[column] if table.columns_about else None
        return self._href([across, table.about]) if across is not None else ""

    def _href(self, places: Iterable[Place | None]) -> str:
        told = dict(place for place in places if place is not None)
        tags = dict(self._tags(told))
        found = self._reach.behind(tags) if tags else None
        arm = self._arms.get(told.get("arm", ""))
        if found is None and arm is not None and told.get("measure") == "check_pass":  # none does: those that fail
            found = self._reach.behind({**tags, f"{arm}.check": "fail"})
        return found.href if found is not None else ""

    def _tags(self, places: Mapping[str, str]) -> Iterator[Tag]:
        """The tags of places together; an arm and a measure are one tag."""
        yield from ((kind, name) for kind, name in places.items() if kind in _GROUPS)
        arm, behind = self._arms.get(places.get("arm", "")), BEHIND.get(places.get("measure", ""))
        if arm is not None and behind is not None:
            yield f"{arm}.{behind[0]}", behind[1]
