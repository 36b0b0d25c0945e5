"""What the script knows of the conversations before it opens a sheet: the list's rows, as JSON. Pure.

Text that is shown is made harmless here, as templates do it elsewhere; ids and tags stay as they are, since addresses
hold them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.page.listing import CHANGED, FAILED, orders
from multiturn.report.page.tag_words import short_words, words
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.report.page.shown import Collected, Page, Proof, Row
    from multiturn.results import Change


LOST: Final = ("flip", "lost")


class IndexTag(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tag, and what it says in short and by itself. ``whole``: it is of a conversation, not of one of its turns."""

    key: str
    value: str
    short: str
    words: str
    whole: bool = False


class IndexRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of the list; as in :class:`Row`, but for what follows.

    ``name`` is the id as it is shown, where that differs. ``suite`` is its place in the suite. ``turn``, ``sample`` and
    ``what`` are those of its proof: the first two from 1, None without a proof; the last where a check is lost there.
    ``why`` says how it changed, the weightiest first, and ``arm`` which of several arms that is.
    """

    id: str
    name: str = ""
    suite: int
    turns: int
    samples: int = 1
    tags: tuple[int, ...] = ()
    turn_tags: tuple[tuple[int, ...], ...] = ()
    passed: tuple[int, ...]
    applied: tuple[int, ...]
    refusals: tuple[int, ...]
    chunk: int
    place: int
    turn: int | None = None
    sample: int | None = None
    what: str = ""
    why: tuple[str, ...] = ()
    arm: str = ""


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """Arms by name, tags, and rows in the list's first order."""

    arms: tuple[str, ...]
    tags: tuple[IndexTag, ...]
    rows: tuple[IndexRow, ...]


def index(page: Page) -> bytes:
    """The page's index.

    Of several comparisons the largest change of a conversation counts.
    """
    collected = page.collected
    changes = _largest_changes(page)
    rows = [_row(at, row, changes.get(row.id), collected) for at, row in enumerate(collected.rows)]
    first = orders(collected)[0]
    if first == CHANGED:
        rows.sort(key=lambda row: -changes[row.id][1].score if row.id in changes else 0)
    elif first == FAILED:
        rows.sort(key=lambda row: sum(row.passed) - sum(row.applied))
    return msgspec.json.encode(
        Index(
            arms=tuple(printable(arm.name) for arm in collected.arms),
            tags=_tags(collected),
            rows=tuple(rows),
        )
    )


def _largest_changes(page: Page) -> dict[str, tuple[int, Change]]:
    """By conversation, with the arm (its place) that it is a change to."""
    changes: dict[str, tuple[int, Change]] = {}
    for arm, comparison in enumerate(page.comparisons, start=1):
        for one in comparison.changes:
            if one.conversation not in changes or one.score > changes[one.conversation][1].score:
                changes[one.conversation] = arm, one
    return changes


def _tags(collected: Collected) -> tuple[IndexTag, ...]:
    whole = {at for row in collected.rows for at in row.tags}
    return tuple(
        IndexTag(
            key=tag[0],
            value=tag[1],
            short=printable(short_words(tag, collected.arms)),
            words=printable(words(tag, collected.arms)),
            whole=at in whole,
        )
        for at, tag in enumerate(collected.tags)
    )


def _row(at: int, row: Row, changed: tuple[int, Change] | None, collected: Collected) -> IndexRow:
    shown, proof = printable(row.id), row.proof
    arm, why = _told(changed, [one.name for one in collected.arms])
    return IndexRow(
        id=row.id,
        name="" if shown == row.id else shown,
        suite=at,
        turns=row.turns,
        samples=row.samples,
        tags=row.tags,
        turn_tags=row.turn_tags,
        passed=row.passed,
        applied=row.applied,
        refusals=row.refusals,
        chunk=row.chunk,
        place=row.place,
        turn=None if proof is None else proof.turn + 1,
        sample=None if proof is None or row.samples == 1 else proof.sample + 1,
        what=printable(proof.what) if proof is not None and _loses(row, proof, collected) else "",
        why=why,
        arm=arm,
    )


def _loses(row: Row, proof: Proof, collected: Collected) -> bool:
    """Whether a check is lost at the turn that proves most, so that what went wrong there is what the suite says."""
    tags = row.turn_tags[proof.sample * row.turns + proof.turn]
    return LOST in (collected.tags[at] for at in tags)


def _told(changed: tuple[int, Change] | None, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Which arm changed, where there are several, and how."""
    if changed is None:
        return "", ()
    arm, change = changed
    several = len(names) > 2  # noqa: PLR2004 - a pair
    return printable(names[arm]) if several else "", tuple(map(printable, change.reasons))
