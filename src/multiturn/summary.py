"""One arm's numbers: what counts, what is missing, conversation by conversation, for any choice of turns.

* A turn that the environment lost (failed, or not reached through a failure, or never held) makes its session missing
  wherever this turn is among those asked about: a mean over the turns that happen to be left would compare early turns
  with all turns. What was reached still counts where only reached turns are asked about.
* A session's number is the mean over the turns to which the measure applies. Checks are pooled over them: all that
  passed by all that applied, so that each check of a conversation weighs the same, not each turn.
* With several samples of a conversation the sessions are averaged first: the conversation stays the unit. Samples that
  were to be held and never were leave the mean to those that are there; they count in what could have been.

Memory: a few numbers for each turn of each session; transcripts are let go at once.
"""

from __future__ import annotations

from array import array
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from multiturn.assess import APPLIED, INAPPLICABLE, PASSED, UNRATED, readings_of
from multiturn.measures import BY_NAME, LENGTHS, PRIMARY, RATING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from multiturn.finding import Assessed
    from multiturn.groups import Cells, Group, Layout
    from multiturn.transcript import Transcript

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

_KEPT: Final = (*(name for name in BY_NAME if name != PRIMARY), PASSED, APPLIED, UNRATED)
"""What is kept of each turn; the primary measure follows from the counts of checks."""


class Numbers(NamedTuple):
    """One number for each conversation of the suite, in its order; a value counts only where ``present`` is true.

    ``missing``: not held, or a turn was lost to the environment. One that is neither was held and the measure does not
    apply to it, or has no turn that the measure is about.
    """

    values: Floats
    present: Flags
    missing: Flags


class Sessions(NamedTuple):
    """One number for each session (conversation and sample), in that order: the conversation's position beside it.

    ``sample`` is its number, from 0: sessions of one number in two arms draw with the same seeds.
    """

    conversation: NDArray[np.int64]
    sample: NDArray[np.int64]
    values: Floats
    present: Flags
    missing: Flags
    low: Floats
    high: Floats
    """What the number would be if all that is missing were at the lower of the measure's bounds, and at the upper."""


class Summary:
    """One arm's numbers, gathered transcript by transcript, in any order.

    Args:
        layout: Of the suite that was held.
        samples: How often each conversation was to be held, 1 or more; None: it is not known, so only conversations
            can be seen not to have been held, and none of their samples. May be set later.
    """

    def __init__(self, layout: Layout, samples: int | None = None) -> None:
        self._layout: Final = layout
        self.samples = samples
        self._kept: Final = {name: array("d") for name in _KEPT}
        self._there: Final = {name: bytearray() for name in _KEPT}
        self._cell: Final = array("q")
        """Of each row (a turn of a session), its place in the layout."""
        self._seen: Final = dict[tuple[int, int], int]()
        """Each session (position, sample), with its first row."""
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
        self.judged = False
        """Whether judges rated these replies."""

    @property
    def held(self) -> int:
        """Conversations of which there is at least one transcript."""
        return len({conversation for conversation, _ in self._seen})

    @property
    def sessions_held(self) -> int:
        """Transcripts that there are."""
        return len(self._seen)

    @property
    def most_samples(self) -> int:
        """How often the conversation was held that was held most often."""
        return max(Counter(conversation for conversation, _ in self._seen).values(), default=0)

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
        self._seen[at, session.sample] = len(self._cell)
        turns = readings_of(assessed, self._layout.conversations[at])
        self.judged = self.judged or bool(assessed.panel)
        self._count(assessed.transcript, turns)
        for name, found in self.lengths.items():
            found.extend(turn[name] for turn in turns if name in turn)
        start = int(self._layout.starts[at])
        self._cell.extend(range(start, start + len(turns)))
        for name in _KEPT:
            self._kept[name].extend(turn.get(name, 0.0) for turn in turns)
            self._there[name].extend(name in turn for turn in turns)
        self.__dict__.pop("_table", None)
        return turns

    def values(self, measure: str, group: Group) -> dict[str, float | None]:
        """Each conversation of a group with its mean over samples and turns (for checks: passed by applied).

        None where it is missing: not held, or the environment lost a turn. One that has no turn that the measure is
        about, or that was held and to which it does not apply (a first reply has none before it to be the same as), is
        left out: nothing is missing there.
        """
        found = self.numbers(measure, self._layout.cells(group))
        return {
            self._layout.conversations[at].id: float(found.values[at]) if found.present[at] else None
            for at in np.flatnonzero(found.present | found.missing).tolist()
        }

    def numbers(self, measure: str, cells: Cells) -> Numbers:
        """Each conversation's mean over samples and over those of these turns that the measure is about."""
        asked = self._asked(measure, cells)
        found = self.sessions(measure, cells)
        size = asked.size
        counts = np.bincount(found.conversation, weights=found.present, minlength=size)
        sums = np.bincount(found.conversation, weights=np.where(found.present, found.values, 0.0), minlength=size)
        lost = np.bincount(found.conversation, weights=found.missing, minlength=size) > 0
        short = self._unheld() > 0
        present = counts > 0
        values = np.divide(sums, counts, out=np.zeros(size), where=present)
        return Numbers(values, present, asked & ~present & (lost | short))

    def bounds(self, measure: str, cells: Cells, fill: tuple[float, float] | None = None) -> tuple[Floats, Floats]:
        """What each conversation's number lies between, whatever the lost turns and sessions would have been.

        Both are its value where nothing was lost. A measure that has bounds is filled turn by turn, with these; a
        sample that was to be held and was not has these.

        Args:
            measure: Its name.
            cells: The turns asked about.
            fill: Of a measure without bounds: the lowest and the highest that a session's number could be. A session
                that lost a turn is filled as a whole then, since the rest of its mean says nothing of what was lost.
        """
        found = self.sessions(measure, cells)
        size = len(self._layout.conversations)
        counted = found.present | found.missing
        unheld = self._unheld()
        counts = np.bincount(found.conversation, weights=counted, minlength=size) + unheld
        lowest, highest = BY_NAME[measure].bounds or (0.0, 1.0)
        sides = [(found.low, lowest), (found.high, highest)]
        if fill is not None:
            sides = [(np.where(found.present, found.values, whole), whole) for whole in fill]
        ends = []
        for end, whole in sides:
            sums = np.bincount(found.conversation, weights=np.where(counted, end, 0.0), minlength=size) + whole * unheld
            ends.append(np.divide(sums, counts, out=np.full(size, whole), where=counts > 0))
        return ends[0], ends[1]

    def gaps(self, measure: str, cells: Cells) -> NDArray[np.int64]:
        """Of each conversation, how many of its samples lost one of these turns or were never held."""
        found = self.sessions(measure, cells)
        lost = np.bincount(found.conversation[found.missing], minlength=len(self._layout.conversations))
        return lost + self._unheld()

    def share_of_any(self, flags: Iterable[str]) -> float | None:
        """In which share of the replies at least one of these flags is raised: the mean over conversations.

        Sessions that lost a turn are left out, as in :meth:`numbers`. None where no reply has one of the flags.
        """
        table, names = self._table, list(flags)
        size, conversations = table.conversation.size, len(self._layout.conversations)
        if not names:
            return None
        raised, there = (np.max([column[name] for name in names], axis=0) for column in (table.kept, table.there))
        tops, counts, lost = (
            np.bincount(table.session, weights=rows, minlength=size) for rows in (raised, there, table.kept["missing"])
        )
        present = (counts > 0) & (lost == 0)
        of = table.conversation[present]
        sums = np.bincount(of, weights=tops[present] / counts[present], minlength=conversations)
        sessions = np.bincount(of, minlength=conversations)
        held = sessions > 0
        return float((sums[held] / sessions[held]).mean()) if held.any() else None

    def sessions(self, measure: str, cells: Cells) -> Sessions:
        """Each session's mean over those of these turns that the measure is about."""
        table = self._table
        rows = np.flatnonzero((cells & self._layout.about(BY_NAME[measure].about))[table.cell])
        of, size = table.session[rows], table.conversation.size

        def summed(column: Floats) -> Floats:
            return np.asarray(np.bincount(of, weights=column[rows], minlength=size), dtype=np.float64)

        lost = table.kept["missing"]
        losses = summed(lost)
        if measure == PRIMARY:
            top, counts = summed(table.kept[PASSED]), summed(table.kept[APPLIED])
            unknown = summed(lost * self._layout.checks[table.cell])
        else:
            top, counts = summed(table.kept[measure]), summed(table.there[measure])
            losses = summed(table.kept[UNRATED]) if measure == RATING else losses
            unknown = np.zeros(size) if measure == "missing" else losses
        missing = (losses > 0) & (measure != "missing")
        applies = counts > 0
        present = applies & ~missing
        wholes = counts + unknown
        lowest, highest = BY_NAME[measure].bounds or (0.0, 1.0)
        return Sessions(
            conversation=table.conversation,
            sample=table.sample,
            values=np.divide(top, counts, out=np.zeros(size), where=present),
            present=present,
            missing=missing,
            low=np.divide(top + lowest * unknown, wholes, out=np.zeros(size), where=wholes > 0),
            high=np.divide(top + highest * unknown, wholes, out=np.zeros(size), where=wholes > 0),
        )

    def _asked(self, measure: str, cells: Cells) -> Flags:
        """The conversations that have one of these turns."""
        chosen = cells & self._layout.about(BY_NAME[measure].about)
        return np.bincount(self._layout.owner[chosen], minlength=len(self._layout.conversations)) > 0

    def _unheld(self) -> NDArray[np.int64]:
        """Of each conversation, how many of its samples are not there, though they were to be held."""
        held = np.bincount(self._table.conversation, minlength=len(self._layout.conversations))
        return np.maximum(0, (self.samples or 1) - held)

    @cached_property
    def _table(self) -> _Table:
        """All rows as arrays, sessions in the order of the suite and of their samples."""
        order = sorted(self._seen)
        starts = np.array([self._seen[session] for session in order], dtype=np.int64)
        sizes = [len(self._layout.conversations[at].turns) for at, _ in order]
        session = np.repeat(np.arange(len(order)), sizes)
        offsets = np.arange(session.size) - np.repeat(np.cumsum([0, *sizes])[:-1], sizes)
        rows = np.repeat(starts, sizes) + offsets
        return _Table(
            cell=np.array(self._cell, dtype=np.int64)[rows],
            session=session,
            conversation=np.array([at for at, _ in order], dtype=np.int64),
            sample=np.array([sample for _, sample in order], dtype=np.int64),
            kept={name: np.array(column)[rows] for name, column in self._kept.items()},
            there={name: np.array(column, dtype=np.float64)[rows] for name, column in self._there.items()},
        )

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


class _Table(NamedTuple):
    """Every turn of every session as a row: its cell, its session, what is kept of it and whether that is there."""

    cell: NDArray[np.int64]
    session: NDArray[np.int64]
    conversation: NDArray[np.int64]
    sample: NDArray[np.int64]
    kept: dict[str, Floats]
    there: dict[str, Floats]
