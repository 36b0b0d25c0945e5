"""The conversations to read first, each with the turn that proves what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from multiturn.finding import FAILS_AS_REFUSAL
from multiturn.report.conclusion import primary_of
from multiturn.report.page.links import conversation_link

if TYPE_CHECKING:
    from multiturn.report.page.shown import Page, Proof, Row
    from multiturn.results import Change

MOST: Final = 3
"""Conversations that a first screen has room for."""
Flipped = Literal["lost", "won", ""]
NO_REPLY: Final = "no reply"
EMPTY: Final = "an empty reply"
NOT: Final = "not: "
"""How the meaning of a check begins that has no words of the suite's own."""


class Replied(msgspec.Struct, frozen=True):
    """What one arm replied, in short; or that it did not, then ``absent``."""

    arm: str
    at: int
    text: str
    absent: bool


class ReadFirst(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation to read: why, and the turn that shows it.

    ``flip``: whether a check that the first arm passes fails in another (``lost``), or the other way round (``won``);
    ``what`` says of that check what it is about, "" where none flipped.
    """

    conversation: str
    href: str
    place: str
    why: str
    user: str
    replies: tuple[Replied, ...]
    flip: Flipped
    what: str


def read_first(page: Page) -> tuple[ReadFirst, ...]:
    """The most changed conversations: those first whose proof is a check that went the way of the primary measure.

    Of them those first in which the arm that passes it replied well: what a poor reply passes proves little.
    """
    changes = largest_changes(page)
    way = "won" if _improved(page) else "lost"
    found = [(row, _flip(page, row, row.proof)) for row in page.collected.rows if row.proof and row.id in changes]
    found.sort(key=lambda one: (one[1] != way, not _is_sound(one[0]), -changes[one[0].id].score))
    return tuple(_shown(page, row, flip, changes[row.id]) for row, flip in found[:MOST])


def _is_sound(row: Row) -> bool:
    return row.proof is not None and row.proof.sound


def about_check(what: str) -> str:
    """What a check is about, as the suite says it; where it does not, what the check wants."""
    if what == FAILS_AS_REFUSAL:
        return "The reply is a refusal."
    wants = what.removeprefix(NOT)
    return f"The suite's note on it: {what}" if wants == what else f"It wants: {wants}"


def largest_changes(page: Page) -> dict[str, Change]:
    """How far each conversation changed that did at all; of several comparisons where it changed most."""
    changes: dict[str, Change] = {}
    for comparison in page.comparisons:
        for one in comparison.changes:
            known = changes.get(one.conversation)
            if one.score > 0 and (known is None or one.score > known.score):
                changes[one.conversation] = one
    return changes


def _improved(page: Page) -> bool:
    """Whether the primary measure did, in every comparison."""
    words = [primary.word for one in page.comparisons if (primary := primary_of(one)) is not None]
    return bool(words) and set(words) == {"improved"}


def _flip(page: Page, row: Row, proof: Proof) -> Flipped:
    """How a check flipped at the turn that is shown of a conversation; of several, what was lost is shown."""
    tags = [page.collected.tags[at] for at in row.turn_tags[proof.sample * row.turns + proof.turn]]
    return "lost" if ("flip", "lost") in tags else "won" if ("flip", "won") in tags else ""


def _shown(page: Page, row: Row, flip: Flipped, change: Change) -> ReadFirst:
    proof = row.proof
    assert proof is not None  # noqa: S101 - rows without one are left out
    sample = f", sample {proof.sample + 1}" if row.samples > 1 else ""
    return ReadFirst(
        conversation=row.id,
        href=conversation_link(row.id, proof.turn, proof.sample),
        place=f"turn {proof.turn + 1}{sample}",
        why="; ".join(change.reasons) or "other words",
        user=proof.user,
        replies=tuple(
            Replied(arm.name, at, text or (NO_REPLY if text is None else EMPTY), not text)
            for at, (arm, text) in enumerate(zip(page.collected.arms, proof.replies, strict=True))
        ),
        flip=flip,
        what=about_check(proof.what) if proof.what else "",
    )
