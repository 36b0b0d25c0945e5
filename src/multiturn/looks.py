"""A declared look at a comparison that may be extended: what must be remembered so that a third look is refused.

Looking twice at the same comparison and keeping the look that pleases makes false alarms more frequent than they are
said to be. An extendable comparison therefore keeps each look, with the level it was judged at, before it is shown.
What this module does not know: how levels are shared out between looks, and what a comparison's key is made of.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from multiturn.conversation import require

MOST_LOOKS: Final = 2
"""A comparison is looked at, extended at most once, and looked at again."""

_KEY: Final = re.compile("[0-9a-f]{64}")


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """One look at a comparison.

    ``key`` is the SHA-256, in hexadecimal, of what makes it the same comparison; ``look`` counts from 1. ``created`` is
    ISO 8601 in UTC. ``base_run`` and ``tuned_run`` are the runs looked at, which may be deleted by now: they were
    looked at all the same. ``level`` is the two-sided error rate that this look was judged at, between 0 and 1.
    ``plan`` is what was laid down for it, as JSON. ``held_before`` says that both runs had replies before the command
    that took the look, so that somebody may have looked at them without saying so.
    """

    key: str
    look: int
    created: str
    base_run: str
    tuned_run: str
    level: float
    plan: str
    held_before: bool

    def __post_init__(self) -> None:
        require(_KEY.fullmatch(self.key) is not None, "the key of a look must be 64 hexadecimal digits")
        require(1 <= self.look <= MOST_LOOKS, f"look must be from 1 to {MOST_LOOKS}")
        require(bool(self.created and self.base_run and self.tuned_run), "a look needs its time and both runs")
        require(bool(self.plan), "a look needs its plan")
        require(0.0 < self.level < 1.0, "the level of a look must lie between 0 and 1")
