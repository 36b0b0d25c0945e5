"""The turn that tells most of a conversation, and the replies that read well but are wrong: short, to lead a reader.

What this module does not know: how far a conversation changed (``changes.py`` counts that), and HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.finding import failing_means
from multiturn.report.numbers import in_short
from multiturn.report.page.shown import Fluent, Proof

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from multiturn.finding import Assessed, Checked
    from multiturn.report.page.facets import Tag
    from multiturn.report.page.shown import ShownArm, Told

QUOTED: Final = 280
"""Characters of what was said that a reader is shown before opening the transcript."""


def proof(told: Told, arms: Sequence[ShownArm], tags: Sequence[Sequence[Tag]]) -> Proof | None:
    """The turn that tells most of what changed; ``tags`` are those of the turns.

    That is the first at which another arm loses a check that the first one passes, before all others one at which the
    first arm's reply is sound (no check of the turn fails, nothing is raised): against a poor reply a loss proves
    little. Else one at which it wins a check, else one that only one of them declines, else the first whose replies
    differ. None where none do, or for one arm.
    """
    if not told.samples or len(arms) == 1:
        return None
    found = min(_candidates(told, arms, tags), key=lambda one: one[0], default=None)
    return None if found is None else _short(told, *found[1:])


def _candidates(
    told: Told, arms: Sequence[ShownArm], tags: Sequence[Sequence[Tag]]
) -> Iterator[tuple[int, int, int, bool, Sequence[Checked]]]:
    """Each turn that the first arm and another have.

    How little it tells (from 0), sample, turn, whether the arm that passes is sound there, and the check it tells of.
    """
    turns = len(told.conversation.turns)
    for at, sample in enumerate(told.samples):
        first = sample[0]
        for arm, other in enumerate(sample[1:], start=1):
            if first is None or other is None:
                continue
            for turn in range(turns):
                flips = list(_flips(first, other, turn))
                lost = [one for one in flips if one.result.outcome == "fail"]
                declined = (turn in first.refusals) != (turn in other.refusals)
                differ = _reply(first, turn) != _reply(other, turn)
                passing = arms[0 if lost else arm].name
                sound = bool(flips) and _is_sound(passing, tags[at * turns + turn])
                tells = (bool(lost) and sound, bool(lost), bool(flips), declined, differ)
                if any(tells):
                    yield tells.index(True), at, turn, sound, (lost or flips)[:1]


def _is_sound(arm: str, tags: Sequence[Tag]) -> bool:
    """Whether nothing is wrong with an arm's reply: it ended well, nothing is raised, no check of the turn fails."""
    wrong = {f"{arm}.raised", f"{arm}.flag"}
    refuses = (f"{arm}.refusal", "any") in tags and (f"{arm}.refusal", "expected") not in tags
    return (
        not refuses
        and (f"{arm}.status", "ok") in tags
        and (f"{arm}.check", "fail") not in tags
        and not any(key in wrong for key, _ in tags)
    )


def _flips(first: Assessed, other: Assessed, turn: int) -> Iterator[Checked]:
    """The other's checks that came out otherwise than the first one's."""
    before = {one.check: one.result.outcome for one in first.checks_of(turn)}
    for one in other.checks_of(turn):
        if {one.result.outcome, before.get(one.check)} == {"pass", "fail"}:
            yield one


def _short(told: Told, sample: int, turn: int, sound: bool, flips: Sequence[Checked]) -> Proof:  # noqa: FBT001 - a value
    replies = [None if one is None else _reply(one, turn) for one in told.samples[sample]]
    return Proof(
        turn=turn,
        sample=sample,
        user=in_short(told.conversation.turns[turn].text, QUOTED),
        replies=tuple(None if one is None else in_short(one, QUOTED) for one in replies),
        what=_meaning(flips[0]) if flips else "",
        sound=sound,
    )


def _reply(assessed: Assessed, turn: int) -> str | None:
    return next((one.reply for one in assessed.transcript.turns if one.turn == turn), None)


def _meaning(checked: Checked) -> str:
    return in_short(failing_means(checked.why, checked.wants, checked.result.reason), QUOTED)


def fluent_but_wrong(told: Told, arms: Sequence[ShownArm], tags: Iterable[Sequence[Tag]]) -> Iterator[Fluent]:
    """Every reply that reads well, as its tag says, and yet fails a check; ``tags`` are those of the turns."""
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
                grade=held.grade(turn),
            )
