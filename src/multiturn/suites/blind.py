"""Replies that were held blind: whether they are this suite's, turn for turn, and what they leave out. Pure.

Knows nothing of checks; ``proof`` asks those.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from multiturn.errors import UsageError

MOST_TOLD: Final = 5
"""So many of those that are missing are named."""


class Held(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A conversation as somebody replied who saw only the user turns, one at a time, in a style.

    ``place`` is the file and line that it was read from, empty where it was not.
    """

    conversation: str
    style: str
    replies: tuple[str, ...]
    place: str = ""


class Covered(msgspec.Struct, frozen=True, kw_only=True):
    """Of the conversations (``what``) that were to be held in a style: how many were, and which were not."""

    style: str
    what: str
    held: int
    missing: tuple[str, ...]

    def __str__(self) -> str:
        told = ", ".join(self.missing[:MOST_TOLD])
        more = f" and {len(self.missing) - MOST_TOLD} more" if len(self.missing) > MOST_TOLD else ""
        missing = f"; missing: {told}{more}" if self.missing else ""
        style = f" in style {self.style}" if self.style else ""
        return f"{self.held} of {self.held + len(self.missing)} {self.what} were held{style}{missing}"


def covered(wanted: Sequence[str], held: Sequence[Held], what: str) -> tuple[Covered, ...]:
    """For each style, in order of the alphabet, how many of the wanted ids were held; without replies, none were."""
    found: list[Covered] = []
    for style in sorted({one.style for one in held}) or [""]:
        there = {one.conversation for one in held if one.style == style}
        missing = tuple(name for name in wanted if name not in there)
        found.append(Covered(style=style, what=what, held=len(wanted) - len(missing), missing=missing))
    return tuple(found)


def require_of_suite(suite: str, turns: Mapping[str, int], held: Sequence[Held], what: str) -> None:
    """That replies are the suite's, one for each turn, and nothing twice in one style.

    Args:
        suite: its name, for messages.
        turns: how many replies each id needs.
        held: the replies.
        what: what the ids are: "conversation" or "probe".

    Raises:
        UsageError: they are not; the first fault is told, with its place.
    """
    first: dict[tuple[str, str], Held] = {}
    for one in held:
        at = f"{one.place}: " if one.place else ""
        name, given = one.conversation, len(one.replies)
        if name not in turns:
            near = difflib.get_close_matches(name, turns, n=1) or list(turns)[:1]
            hint = f"ids are like {near[0]!r}" if near else f"{suite} has none"
            raise UsageError(
                f"{at}{name!r} is no {what} of {suite}", hint=f"give the file that was held for this suite; {hint}"
            )
        if given != turns[name]:
            raise UsageError(
                f"{at}{name!r} has {given} {'reply' if given == 1 else 'replies'}, and {turns[name]} are needed",
                hint='give one reply for each turn that was said, in order; an empty one is ""',
            )
        earlier = first.setdefault((name, one.style), one)
        if earlier is not one:
            there = f", at {earlier.place}" if earlier.place else ""
            raise UsageError(
                f"{at}{name!r} was already held in style {one.style!r}{there}",
                hint="take one of the two out, or give it a style of its own",
            )
