"""From transcripts to numbers: the signals of one transcript, and one arm's means, conversation by conversation.

What counts, and what is missing:

* A turn that the environment lost (failed, or not reached through a failure, or never held) makes its session missing
  in every group that this turn is in: a mean over the turns that happen to be left would compare early turns with all
  turns. The per-turn groups keep what was reached.
* What the model did itself stays: an empty reply has 0 words (``words_nonempty`` leaves it out), an overflowed turn
  counts in ``overflowed``. Where a measure does not apply to a turn (whether an absent reply refuses), the mean is over
  the turns where it does.
* With several samples of a conversation the sessions are averaged first: the conversation stays the unit.

Memory: a few numbers for each measure and each group that a conversation is in, and the lengths of each reply;
transcripts are let go at once.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.errors import UsageError
from multiturn.finding import REFUSED, Assessed, Signal
from multiturn.results import Orientation
from multiturn.signals.measure import measure
from multiturn.transcript import Session, Transcript, TurnRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from multiturn.conversation import Conversation, Suite

Group = tuple[str, str]
"""A kind of group and which one: ``("all", "")``, ``("turn", "2")``, ``("capability", "correction")`` ..."""


class Measure(msgspec.Struct, frozen=True):
    """Something every turn can have a number for; ``share``: the number runs from 0 to 1 (a flag is 0 or 1)."""

    name: str
    share: bool
    orientation: Orientation


MEASURES: Final = (
    *(
        Measure(name, share=True, orientation="lower_is_better")
        for name in (
            "refusal",
            "refusal_full",
            "empty",
            "cut_off",
            "overflowed",
            "repetition",
            "collapse",
            "sameness",
            "language_change",
            "role_leakage",
        )
    ),
    *(
        Measure(name, share=False, orientation="neither")
        for name in ("words", "words_nonempty", "sentences", "characters", "tokens")
    ),
    Measure("missing", share=True, orientation="neither"),
)
"""Every measure of a comparison, in the order of the report."""

LENGTHS: Final = ("words", "sentences", "characters", "tokens")
"""The measures whose distribution over replies is kept, in the order of the report."""

_NAMES: Final = frozenset(measure.name for measure in MEASURES)
_MEANS: Final = _NAMES - {"missing"}


def assess(transcript: Transcript, *, control_tokens: Sequence[str] = ()) -> Assessed:
    """Measure every signal on every reply of one transcript.

    Args:
        transcript: The conversation as it was held.
        control_tokens: The template's control tokens as text, which are no part of what is counted.
    """
    return Assessed(transcript, measure(transcript, control_tokens=control_tokens))


def readings(record: TurnRecord | None, signals: Iterable[Signal]) -> dict[str, float]:
    """The numbers of one turn by measure; a measure that can't be had is not there.

    Args:
        record: The turn as it was held; None where it never was, which counts as missing.
        signals: This turn's.
    """
    if record is None or record.missing:
        return {"missing": 1.0}
    overflowed = record.status in ("overflowed", "not_reached")
    found = {"missing": 0.0, "overflowed": float(overflowed)}
    for signal in signals:
        if signal.value is None:
            continue
        if signal.name == "refusal":
            found["refusal"] = float(signal.label in REFUSED)
            found["refusal_full"] = float(signal.label == "full")
        elif signal.name in _NAMES:
            found[signal.name] = signal.value
    if "words" in found and not found.get("empty"):
        found["words_nonempty"] = found["words"]
    return found


def readings_of(assessed: Assessed, turns: int) -> list[dict[str, float]]:
    """The readings of each of the conversation's turns, in order; ``turns`` is how many the suite has."""
    records = {record.turn: record for record in assessed.transcript.turns}
    signals: dict[int, list[Signal]] = {}
    for signal in assessed.signals:
        signals.setdefault(signal.turn, []).append(signal)
    return [readings(records.get(turn), signals.get(turn, ())) for turn in range(turns)]


def groups_of(conversation: Conversation) -> dict[Group, tuple[int, ...]]:
    """The groups that a conversation is in, each with those of its turns (from 0) that are in it."""
    everything = tuple(range(len(conversation.turns)))
    groups: dict[Group, tuple[int, ...]] = {("all", ""): everything}
    for turn in everything:
        groups["turn", str(turn + 1)] = (turn,)
        capability = conversation.capability_of(turn)
        if capability is not None:
            groups["capability", capability] = (*groups.get(("capability", capability), ()), turn)
    if conversation.category is not None:
        groups["category", conversation.category] = everything
    if conversation.domain is not None:
        groups["domain", conversation.domain] = everything
    return groups


_KINDS: Final = ("all", "turn", "capability", "category", "domain")


class Layout:
    """Where the numbers of each conversation lie: one slot for each group that it is in."""

    def __init__(self, suite: Suite) -> None:
        self.conversations: Final = suite.conversations
        self.position: Final = {conversation.id: at for at, conversation in enumerate(suite.conversations)}
        self.starts: Final = array("Q")
        self.size = 0
        members: dict[Group, list[tuple[int, int]]] = {}
        for at, conversation in enumerate(suite.conversations):
            self.starts.append(self.size)
            for group in groups_of(conversation):
                members.setdefault(group, []).append((at, self.size))
                self.size += 1
        self._members: Final = members
        self.groups: Final = tuple(sorted(members, key=_group_order))

    def members(self, group: Group) -> Sequence[tuple[int, int]]:
        """Each conversation of a group, in suite order: its position in the suite, and its slot."""
        return self._members[group]

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


def _group_order(group: Group) -> tuple[int, int]:
    """By kind; turns by number; the rest as they first occur in the suite (sorting is stable)."""
    kind, name = group
    return _KINDS.index(kind), int(name) if kind == "turn" else 0


class Summary:
    """One arm's numbers, gathered transcript by transcript, in any order."""

    def __init__(self, layout: Layout) -> None:
        self._layout: Final = layout
        self._sums: Final = {measure.name: array("d", bytes(8 * layout.size)) for measure in MEASURES}
        self._counts: Final = {measure.name: array("Q", bytes(8 * layout.size)) for measure in MEASURES}
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
        turns = readings_of(assessed, len(conversation.turns))
        self._count(assessed.transcript, turns)
        for name, found in self.lengths.items():
            found.extend(turn[name] for turn in turns if name in turn)
        for offset, chosen in enumerate(groups_of(conversation).values()):
            slot = self._layout.starts[at] + offset
            for name, value in _session_means([turns[turn] for turn in chosen]).items():
                self._sums[name][slot] += value
                self._counts[name][slot] += 1
        return turns

    def values(self, measure: str, group: Group) -> dict[str, float | None]:
        """Each conversation of a group with its mean over samples and turns.

        None where it is missing: not held, or the environment lost a turn. One that was held and to which the measure
        does not apply (a first reply has none before it to be the same as) is left out: nothing is missing there.
        """
        sums, counts = self._sums[measure], self._counts[measure]
        lost, held = self._sums["missing"], self._counts["missing"]
        conversations = self._layout.conversations
        return {
            conversations[at].id: sums[slot] / counts[slot] if counts[slot] else None
            for at, slot in self._layout.members(group)
            if counts[slot] or lost[slot] or not held[slot]
        }

    def _count(self, transcript: Transcript, turns: Sequence[Mapping[str, float]]) -> None:
        self.turns += len(turns)
        self.overflowed += sum(turn.get("overflowed", 0.0) == 1 for turn in turns)
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


def _session_means(turns: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """The mean of each measure over these turns; only ``missing`` itself where the environment lost one of them."""
    lost = sum(turn["missing"] for turn in turns)
    means = {"missing": lost / len(turns)}
    if lost:
        return means
    if len(turns) == 1:
        return turns[0]
    for name in _MEANS:
        found = [turn[name] for turn in turns if name in turn]
        if found:
            means[name] = sum(found) / len(found)
    return means
