"""Fluent but wrong: replies that judges rate highly, or in which nothing is raised, and which fail an exact check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.numbers import counted, number
from multiturn.report.page.gist import Led
from multiturn.report.page.links import conversation_link
from multiturn.report.page.read_first import about_check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.report.page.reach import Reach
    from multiturn.report.page.shown import Collected, ShownArm

MOST: Final = 10
"""Replies that are shown with their words."""


class FluentArm(msgspec.Struct, frozen=True):
    """How many such replies one arm has, and where they are."""

    arm: ShownArm
    at: int
    told: Led


class FluentReply(msgspec.Struct, frozen=True, kw_only=True):
    """One of them: where it is, what it fails, what it says in short; ``grade`` is "" where no judge rated it."""

    conversation: str
    href: str
    place: str
    arm: str
    at: int
    what: str
    reason: str
    reply: str
    lost: bool
    grade: str = ""


class FluentPart(msgspec.Struct, frozen=True, kw_only=True):
    """The section. ``checked``: the suite has checks, without which nothing can be found; ``more`` are not shown.

    ``rated``: judges say what reads well, and not the signals.
    """

    checked: bool
    rated: bool
    arms: tuple[FluentArm, ...]
    replies: tuple[FluentReply, ...]
    more: int


def fluent_part(collected: Collected, reach: Reach) -> FluentPart:
    """The counts of each arm, and the first replies: those that fail what the first arm passes come first."""
    arms, total = [], 0
    for at, arm in enumerate(collected.arms):
        found = reach.behind({f"{arm.name}.fluent": "wrong"})
        total += found.turns if found is not None else 0
        told = Led(f"{counted(found.turns, 'reply')} in {found.text}", found.href) if found is not None else Led("none")
        arms.append(FluentArm(arm, at, told))
    kinds = {key.rpartition(".")[2] for key, _ in collected.tags}
    return FluentPart(
        checked="check" in kinds,
        rated="grade" in kinds,
        arms=tuple(arms),
        replies=tuple(_replies(collected)),
        more=total - min(len(collected.fluent), MOST),
    )


def _replies(collected: Collected) -> Iterator[FluentReply]:
    samples = {row.id: row.samples for row in collected.rows}
    for one in collected.fluent[:MOST]:
        sample = f", sample {one.sample + 1}" if samples[one.conversation] > 1 else ""
        yield FluentReply(
            conversation=one.conversation,
            href=conversation_link(one.conversation, one.turn, one.sample),
            place=f"turn {one.turn + 1}{sample}",
            arm=collected.arms[one.arm].name,
            at=one.arm,
            what=about_check(one.what),
            reason=one.reason,
            reply=one.reply,
            lost=one.lost,
            grade="" if one.grade is None else number(one.grade, "score"),
        )
