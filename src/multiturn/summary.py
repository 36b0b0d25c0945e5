"""One arm's numbers, conversation by conversation and group by group: what counts, and what is missing.

* A turn that the environment lost (failed, or not reached through a failure, or never held) makes its session missing
  in every group that this turn is in, for the measures that are about it: a mean over the turns that happen to be left
  would compare early turns with all turns. The per-turn groups keep what was reached.
* A session's number is the mean over the turns to which the measure applies. Checks are pooled over them: all that
  passed by all that applied, so that each check of a conversation weighs the same, not each turn.
* With several samples of a conversation the sessions are averaged first: the conversation stays the unit.

Memory: a few numbers for each measure and each group that a conversation is in, and the lengths of each reply;
transcripts are let go at once.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Final

from multiturn.assess import APPLIED, INAPPLICABLE, PASSED, readings_of
from multiturn.groups import groups_of, turns_about
from multiturn.measures import ABOUT, LENGTHS, MEASURES, PRIMARY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from multiturn.finding import Assessed
    from multiturn.groups import Group, Layout
    from multiturn.measures import About
    from multiturn.transcript import Transcript

_ABOUT: Final = {measure.name: measure.about for measure in MEASURES}
_MEANS: Final = {
    about: [name for name, which in _ABOUT.items() if which == about and name not in (PRIMARY, "missing")]
    for about in ABOUT
}
"""The measures that are means over turns, by the turns that they are about."""


class Summary:
    """One arm's numbers, gathered transcript by transcript, in any order."""

    def __init__(self, layout: Layout) -> None:
        self._layout: Final = layout
        self._sums: Final = {name: _zeros(layout.size) for name in _ABOUT}
        self._counts: Final = {name: _counters(layout.size) for name in _ABOUT}
        self._held: Final = {about: _counters(layout.size) for about in ABOUT}
        self._lost: Final = {about: _counters(layout.size) for about in ABOUT}
        self._seen: Final = set[tuple[int, int]]()
        self.lengths: Final = {name: array("d") for name in LENGTHS}
        """Every reply's length, for its distribution."""
        self.turns = 0
        self.lost: Final = Counter[str]()
        """Turns that are missing, by the kind of failure; ``not held`` where there is no record."""
        self.endless = 0
        """Replies whose budget ended inside their reasoning."""
        self.replies = 0
        self.overflowed = 0
        """Turns without a reply since the model's own words overflowed the window."""
        self.applied = 0
        """Checks that passed or failed."""
        self.inapplicable = 0
        """Checks of turns that are not missing which could say neither."""

    @property
    def held(self) -> int:
        """Conversations of which there is at least one transcript."""
        return len({conversation for conversation, _ in self._seen})

    def add(self, assessed: Assessed) -> list[dict[str, float]]:
        """Take in one transcript, and give its readings turn by turn.

        Raises:
            UsageError: The suite has no such conversation.
            ValueError: This conversation and sample came before.
        """
        session = assessed.transcript.session
        at = self._layout.conversation(session)
        if (at, session.sample) in self._seen:
            raise ValueError(f"conversation {session.conversation!r}, sample {session.sample} came twice")
        self._seen.add((at, session.sample))
        conversation = self._layout.conversations[at]
        turns = readings_of(assessed, conversation)
        self._count(assessed.transcript, turns)
        for name, found in self.lengths.items():
            found.extend(turn[name] for turn in turns if name in turn)
        abouts = turns_about(conversation)
        for slot, chosen in enumerate(groups_of(conversation).values(), start=self._layout.starts[at]):
            for about, own in abouts.items():
                both = [turns[turn] for turn in chosen if turn in own]
                if both:
                    self._take(slot, about, both)
        return turns

    def _take(self, slot: int, about: About, turns: Sequence[Mapping[str, float]]) -> None:
        """Add a session's numbers over these turns, or that it is missing."""
        lost = sum(turn["missing"] for turn in turns)
        self._held[about][slot] += 1
        if about == "any":
            self._add("missing", slot, lost / len(turns))
        if lost:
            self._lost[about][slot] += 1
            return
        for name in _MEANS[about]:
            found = [turn[name] for turn in turns if name in turn]
            if found:
                self._add(name, slot, sum(found) / len(found))
        applied = sum(turn.get(APPLIED, 0) for turn in turns) if about == _ABOUT[PRIMARY] else 0
        if applied:
            self._add(PRIMARY, slot, sum(turn.get(PASSED, 0) for turn in turns) / applied)

    def _add(self, name: str, slot: int, value: float) -> None:
        self._sums[name][slot] += value
        self._counts[name][slot] += 1

    def values(self, measure: str, group: Group) -> dict[str, float | None]:
        """Each conversation of a group with its mean over samples and turns (for checks: passed by applied).

        None where it is missing: not held, or the environment lost a turn. One that has no turn that the measure is
        about, or that was held and to which it does not apply (a first reply has none before it to be the same as), is
        left out: nothing is missing there.
        """
        about = _ABOUT[measure]
        sums, counts, lost, held = self._sums[measure], self._counts[measure], self._lost[about], self._held[about]
        conversations = self._layout.conversations
        return {
            conversations[at].id: sums[slot] / counts[slot] if counts[slot] else None
            for at, slot in self._layout.members(group, about)
            if counts[slot] or lost[slot] or not held[slot]
        }

    def _count(self, transcript: Transcript, turns: Sequence[Mapping[str, float]]) -> None:
        self.turns += len(turns)
        self.overflowed += sum(turn.get("overflowed", 0.0) == 1 for turn in turns)
        self.applied += int(sum(turn.get(APPLIED, 0) for turn in turns))
        self.inapplicable += int(sum(turn.get(INAPPLICABLE, 0) for turn in turns))
        kind = "not reached"
        lost = 0
        for record in transcript.turns:
            self.replies += record.reply is not None
            self.endless += "reasoning_unfinished" in record.flags
            if record.missing:
                kind = record.failure.kind if record.failure is not None else kind
                self.lost[kind] += 1
                lost += 1
        absent = sum(turn["missing"] == 1 for turn in turns) - lost
        if absent:
            self.lost["not held"] += absent


def _zeros(size: int) -> array[float]:
    return array("d", bytes(8 * size))


def _counters(size: int) -> array[int]:
    return array("Q", bytes(8 * size))
