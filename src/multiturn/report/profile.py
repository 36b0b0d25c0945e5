"""The profile of two models: what they hold turn by turn, by what is probed and by kind of task. Description only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.numbers import ABSENT, label_of, number, unit_of, whole
from multiturn.report.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.results import Comparison, Contrast, Estimate

FEW: Final = 5
"""Cells that rest on fewer conversations say on how many."""

WIDTH: Final = 80
"""Terminal columns that one table may take; further turns go into another."""

_GAP: Final = 2
_ALL: Final = "all"
_KINDS: Final = ("capability", "category")


def profile_tables(comparison: Comparison, kinds: Sequence[str] = _KINDS) -> list[Table]:
    """Every kind by every turn, in as many tables as fit beside each other; none where there is nothing to show."""
    return [table for kind in kinds for table in _Profile(comparison, kind).tables()]


def profile_in_short(comparison: Comparison) -> list[Table]:
    """What is probed by turn, in one table: from turn 2 on, where there is something to remember.

    Rows that are 0 in both arms throughout are named below it instead.
    """
    profile = _Profile(comparison, "capability", first=2)
    return [profile.one_table()] if profile.names else []


class _Profile:
    """One kind of group by turn: a row a group and one for all, a column a turn and one for all."""

    def __init__(self, comparison: Comparison, kind: str, *, first: int = 1) -> None:
        self._kind: Final = kind
        self._measure: Final = comparison.plan.primary
        self._cells: Final[dict[tuple[str, str], Contrast]] = {}
        for one in comparison.profile:
            if one.group[0] == f"{kind} and turn":
                name, _, turn = one.group[1].rpartition(", turn ")
                self._cells[name, turn] = one
        self.names: Final = list(dict.fromkeys(name for name, _ in self._cells))
        turns = sorted({int(turn) for _, turn in self._cells})
        self._left_out: Final = [str(turn) for turn in turns if turn < first <= turns[-1]]
        self._turns: Final = [str(turn) for turn in turns if str(turn) not in self._left_out]
        self._add_sums({one.group: one for one in comparison.contrasts if one.measure == self._measure})

    def tables(self) -> list[Table]:
        """The turns in portions, each of which fits."""
        return [self._table(turns) for turns in self._portions()] if self.names else []

    def one_table(self) -> Table:
        """The first of them, which names the turns that it has no room for."""
        turns = next(self._portions())
        unseen = [turn for turn in (*self._left_out, *self._turns) if turn not in turns]
        silent = [name for name in self.names if self._is_silent(name)]
        return self._table(turns, unseen, silent)

    def _is_silent(self, name: str) -> bool:
        """Whether everything that was measured of it is 0 in both arms, and nothing is missing."""
        found = [one for (row, _), one in self._cells.items() if row == name]
        return not any(one.base.value or one.tuned.value or one.difference.missing for one in found)

    def _add_sums(self, overall: dict[tuple[str, str], Contrast]) -> None:
        """The row and the column of all, from the contrasts that are there anyway."""
        for name in self.names:
            if (self._kind, name) in overall:
                self._cells[name, _ALL] = overall[self._kind, name]
        for turn in self._turns:
            if ("turn", turn) in overall:
                self._cells[_ALL, turn] = overall["turn", turn]
        if (_ALL, "") in overall:
            self._cells[_ALL, _ALL] = overall[_ALL, ""]

    def _portions(self) -> Iterator[list[str]]:
        labels = [label_of(name) for name in (*self.names, self._kind)]
        room = WIDTH - max(len(word) for label in labels for word in label.split())
        portion: list[str] = []
        left = room
        for turn in (_ALL, *self._turns):
            wide = _GAP + max(len(_heading(turn)), *(len(self._cell(name, turn)) for name in (*self.names, _ALL)))
            if wide > left and portion:
                yield portion
                portion, left = [], room
            portion.append(turn)
            left -= wide
        yield portion

    def _table(self, turns: Sequence[str], unseen: Sequence[str] = (), silent: Sequence[str] = ()) -> Table:
        names = [name for name in (*self.names, _ALL) if name not in silent]
        rows = [(label_of(name), *(self._cell(name, turn) for turn in turns)) for name in names]
        missing = any(" of " in text for row in rows for text in row[1:])
        return Table(
            title=f"Profile: {label_of(self._measure)} by {self._kind} and turn",
            header=(self._kind, *(_heading(turn) for turn in turns)),
            rows=tuple(rows),
            footnote=" ".join(self._about(unseen, silent, missing=missing)),
            words=(0,),
            rows_about=tuple(None if name == _ALL else (self._kind, name) for name in names),
            columns_about=(None, *(None if turn == _ALL else ("turn", turn) for turn in turns)),
        )

    def _about(self, unseen: Sequence[str], silent: Sequence[str], *, missing: bool) -> Iterator[str]:
        percent = " in %" if unit_of(self._measure) in {"share", "flag"} else ""
        lost = ", (2 of 3): one of 3 is missing" if missing else ""
        yield f"base->tuned{percent}; (2): of 2 conversations{lost}."
        yield "It shows where to read, not what is certain."
        if silent:
            yield f"Only 0->0: {', '.join(label_of(name) for name in silent)}."
        if unseen:
            yield f"Not here: turn{'s' if len(unseen) > 1 else ''} {', '.join(unseen)}."

    def _cell(self, name: str, turn: str) -> str:
        """``58->17 (2)``; nothing where no turn probes this."""
        found = self._cells.get((name, turn))
        if found is None:
            return ""
        paired, unit = found.difference, unit_of(self._measure)
        if not paired.n:
            return f"{ABSENT}{_rests_on(paired)}"
        return f"{whole(found.base.value, unit)}->{whole(found.tuned.value, unit)}{_rests_on(paired)}"


def _heading(turn: str) -> str:
    return turn if turn == _ALL else f"turn {turn}"


def _rests_on(paired: Estimate) -> str:
    """How many conversations, where they are few or some are missing."""
    if paired.missing:
        return f" ({number(paired.n, 'count')} of {number(paired.n + paired.missing, 'count')})"
    return f" ({number(paired.n, 'count')})" if paired.n < FEW else ""
