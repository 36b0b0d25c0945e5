"""The turn that tells most of a conversation, and the replies that read well but are wrong: short, to lead a reader.

What this module does not know: how far a conversation changed (``changes.py`` counts that), and HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.numbers import in_short
from multiturn.report.page.shown import Fluent, Proof

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from multiturn.finding import Assessed, Checked
    from multiturn.report.page.facets import Tag
    from multiturn.report.page.shown import ShownArm, Told

QUOTED: Final = 280
"""Characters of what was said that a reader is shown before opening the transcript."""


def proof(told: Told) -> Proof | None:
    """The first turn at which another arm loses a check that the first one passes; else one that it wins, else one
    that only one of them declines, else the first whose replies differ. None where none do, or for one arm.
    """  # noqa: D205 - one sentence
    if not told.samples or len(told.samples[0]) == 1:
        return None
    found = min(_candidates(told), key=lambda one: one[0], default=None)
    return None if found is None else _short(told, *found[1:])


def _candidates(told: Told) -> Iterator[tuple[int, int, int, Sequence[Checked]]]:
    """Each turn that the first arm and another have: how little it tells (from 0), sample, turn, the check it tells."""
    for at, sample in enumerate(told.samples):
        first = sample[0]
        for other in sample[1:]:
            if first is None or other is None:
                continue
            for turn in range(len(told.conversation.turns)):
                flips = list(_flips(first, other, turn))
                lost = [one for one in flips if one.result.outcome == "fail"]
                declined = (turn in first.refusals) != (turn in other.refusals)
                replies = _reply(first, turn), _reply(other, turn)
                tells = (bool(lost), bool(flips), declined, replies[0] != replies[1])
                if any(tells):
                    yield tells.index(True), at, turn, (lost or flips)[:1]


def _flips(first: Assessed, other: Assessed, turn: int) -> Iterator[Checked]:
    """The other's checks that came out otherwise than the first one's."""
    before = {one.check: one.result.outcome for one in first.checks_of(turn)}
    for one in other.checks_of(turn):
        if {one.result.outcome, before.get(one.check)} == {"pass", "fail"}:
            yield one


def _short(told: Told, sample: int, turn: int, flips: Sequence[Checked]) -> Proof:
    replies = [None if one is None else _reply(one, turn) for one in told.samples[sample]]
    return Proof(
        turn=turn,
        sample=sample,
        user=in_short(told.conversation.turns[turn].text, QUOTED),
        replies=tuple(None if one is None else in_short(one, QUOTED) for one in replies),
        what=_meaning(flips[0]) if flips else "",
    )


def _reply(assessed: Assessed, turn: int) -> str | None:
    return next((one.reply for one in assessed.transcript.turns if one.turn == turn), None)


def _meaning(checked: Checked) -> str:
    return in_short(checked.why or f"not: {checked.wants}", QUOTED)


def fluent_but_wrong(told: Told, arms: Sequence[ShownArm], tags: Iterable[Sequence[Tag]]) -> Iterator[Fluent]:
    """Every reply in which nothing is raised and yet a check fails; ``tags`` are those of the turns."""
    turns = len(told.conversation.turns)
    for place, found in enumerate(tags):
        at, turn = divmod(place, turns)
        for arm, shown in enumerate(arms):
            held = told.samples[at][arm]
            if (f"{shown.name}.fluent", "wrong") not in found or held is None:
                continue
            first = told.samples[at][0]
            lost = [one for one in _flips(first, held, turn) if one.result.outcome == "fail"] if first else []
            failed = next(one for one in (*lost, *held.checks_of(turn)) if one.result.outcome == "fail")
            yield Fluent(
                conversation=told.conversation.id,
                turn=turn,
                sample=at,
                arm=arm,
                reply=in_short(_reply(held, turn) or "", QUOTED),
                what=_meaning(failed),
                reason=in_short(failed.result.reason, QUOTED),
                lost=bool(lost),
            )
