"""Groups of turns (by position, capability, distance, category, domain), and where their numbers lie."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from multiturn.errors import UsageError
from multiturn.measures import ABOUT, About

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.conversation import Conversation, Suite
    from multiturn.transcript import Session

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
    """Where the numbers of each conversation lie: one slot for each group that it is in."""

    def __init__(self, suite: Suite) -> None:
        self.conversations: Final = suite.conversations
        self.position: Final = {conversation.id: at for at, conversation in enumerate(suite.conversations)}
        self.starts: Final = array("Q")
        self.size = 0
        members: dict[Group, dict[About, list[tuple[int, int]]]] = {}
        for at, conversation in enumerate(suite.conversations):
            self.starts.append(self.size)
            about = turns_about(conversation)
            for group, chosen in groups_of(conversation).items():
                for which, turns in about.items():
                    if not turns.isdisjoint(chosen):
                        members.setdefault(group, {}).setdefault(which, []).append((at, self.size))
                self.size += 1
        self._members: Final = members
        self.groups: Final = tuple(sorted(members, key=_group_order))

    def members(self, group: Group, about: About = "any") -> Sequence[tuple[int, int]]:
        """Each conversation with such a turn in the group, in suite order: its position in the suite, and its slot."""
        return self._members[group].get(about, ())

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
