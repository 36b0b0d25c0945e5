"""Groups of turns (by position, capability, distance, category, domain), and where their numbers lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from multiturn.errors import UsageError
from multiturn.measures import ABOUT, About

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from multiturn.conversation import Conversation, Suite
    from multiturn.transcript import Session

    Cells = NDArray[np.bool_]

Group = tuple[str, str]
"""A kind of group and which one: ``("all", "")``, ``("turn", "2")``, ``("capability", "correction")`` ..."""

EVERYTHING: Final[Group] = ("all", "")
"""The group of all turns."""

DISTANCES: Final = ("1", "2", "3", "4+")
"""The groups by distance: suites have ever fewer turns the farther back, so 4 and more stand together."""

_KINDS: Final = ("all", "turn", "capability", "distance", "category", "domain")


def groups_of(conversation: Conversation) -> dict[Group, tuple[int, ...]]:
    """The groups that a conversation is in, each with those of its turns (from 0) that are in it."""
    everything = tuple(range(len(conversation.turns)))
    groups: dict[Group, tuple[int, ...]] = {("all", ""): everything}
    for at, turn in enumerate(conversation.turns):
        groups["turn", str(at + 1)] = (at,)
        named = (("capability", conversation.capability_of(at)), ("distance", distance_group(turn.distance)))
        for kind, name in named:
            if name is not None:
                groups[kind, name] = (*groups.get((kind, name), ()), at)
    if conversation.category is not None:
        groups["category", conversation.category] = everything
    if conversation.domain is not None:
        groups["domain", conversation.domain] = everything
    return groups


def distance_group(distance: int | None) -> str | None:
    """The one of :data:`DISTANCES` that a turn with this distance is in; None where it has none."""
    return None if distance is None else DISTANCES[min(distance, len(DISTANCES)) - 1]


class Layout:
    """Where the numbers of each turn lie: one cell for each turn of each conversation, in suite order."""

    def __init__(self, suite: Suite) -> None:
        self.conversations: Final = suite.conversations
        self.position: Final = {conversation.id: at for at, conversation in enumerate(suite.conversations)}
        lengths = [len(conversation.turns) for conversation in suite.conversations]
        self.starts: Final = np.cumsum([0, *lengths])[:-1]
        self.owner: Final = np.repeat(np.arange(len(lengths)), lengths)
        """The position in the suite of each cell's conversation."""
        self.turn: Final = np.arange(self.owner.size) - self.starts[self.owner]
        """Each cell's turn, from 0."""
        self.checks: Final = np.array([len(turn.checks) for one in suite.conversations for turn in one.turns], np.int64)
        """How many checks each cell has."""
        members: dict[Group, list[int]] = {}
        about: dict[About, list[int]] = {which: [] for which in ABOUT}
        for start, conversation in zip(self.starts.tolist(), suite.conversations, strict=True):
            for group, chosen in groups_of(conversation).items():
                members.setdefault(group, []).extend(start + turn for turn in chosen)
            for which, turns in turns_about(conversation).items():
                about[which].extend(start + turn for turn in turns)
        self._cells: Final = {group: self._mask(cells) for group, cells in members.items()}
        self._about: Final = {which: self._mask(cells) for which, cells in about.items()}
        self.groups: Final = tuple(sorted(members, key=_group_order))

    def cells(self, group: Group) -> Cells:
        """The turns in a group; none where the suite has no such group."""
        found = self._cells.get(group)
        return self._mask(()) if found is None else found

    def about(self, which: About) -> Cells:
        """The turns that a kind of measure is about."""
        return self._about[which]

    def has(self, group: Group, about: About) -> bool:
        """Whether a group has a turn that such a measure is about."""
        return bool((self.cells(group) & self._about[about]).any())

    def conversation(self, session: Session) -> int:
        """The position in the suite of the conversation that a session held.

        Raises:
            UsageError: The suite has no such conversation.
        """
        position = self.position.get(session.conversation)
        if position is None:
            raise UsageError(
                f"a transcript holds conversation {session.conversation!r}, which the suite does not have",
                hint="compare with the suite that the runs were held with",
            )
        return position

    def _mask(self, cells: Sequence[int]) -> Cells:
        mask = np.zeros(self.owner.size, dtype=np.bool_)
        mask[list(cells)] = True
        return mask


def turns_about(conversation: Conversation) -> dict[About, frozenset[int]]:
    """Which of a conversation's turns (from 0) each kind of measure is about; kinds that have none are left out."""
    found = {
        about: frozenset(at for at, turn in enumerate(conversation.turns) if is_one(turn))
        for about, is_one in ABOUT.items()
    }
    return {about: turns for about, turns in found.items() if turns}


def _group_order(group: Group) -> tuple[int, int]:
    """By kind; turns and distances by number; the rest as they first occur in the suite (sorting is stable)."""
    kind, name = group
    return _KINDS.index(kind), int(name.rstrip("+")) if kind in ("turn", "distance") else 0
