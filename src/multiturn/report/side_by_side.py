"""Two transcripts of one conversation for a terminal: side by side where there is room, else one above the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from multiturn.report.marks import CheckLines
from multiturn.report.transcripts import INDENT, SYSTEM, USER, WARNED, about, reply_of, said
from multiturn.report.trimmed import Trimmed
from multiturn.text.differing import differing
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, ConsoleOptions

    from multiturn.conversation import Conversation
    from multiturn.finding import Assessed
    from multiturn.report.marks import Stretches
    from multiturn.report.transcripts import Who
    from multiturn.results import Change

WIDE: Final = 100
"""Columns from which on two replies stand beside each other: each then has about as many as a line reads well with."""

ARMS: Final[tuple[Who, Who]] = (("base", "bold blue"), ("tuned", "bold magenta"))
"""What the arms are called before each reply, and how that looks."""

Row = tuple[RenderableType, RenderableType]
"""Of base and of tuned: what stands beside each other."""


class SideBySide:
    """Two transcripts for ``Console.print``, turn by turn, each reply with what its checks say.

    Words that the other reply has not are marked where there is colour, and so are those that decided a check. A check
    that flipped is said to be lost or won.
    """

    def __init__(
        self,
        both: tuple[Assessed | None, Assessed | None],
        names: tuple[str, str],
        conversation: Conversation | None,
        change: Change | None = None,
    ) -> None:
        """One of ``both`` may be None: that run did not hold it.

        ``names`` say which run each is; ``change`` how far apart they are, None where that is not known.

        Raises:
            ValueError: neither held it.
        """
        held = [one.transcript for one in both if one is not None]
        if not held:
            raise ValueError("neither of two runs held this conversation")
        self._both: Final = both
        self._names: Final = names
        self._conversation: Final = conversation
        self._change: Final = change
        self._transcript: Final = held[0]
        self._records: Final = tuple(
            {} if one is None else {record.turn: record for record in one.transcript.turns} for one in both
        )

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Rich's own door: how wide it is shown is known only here."""
        placed = _in_columns if options.max_width >= WIDE else _stacked
        parts: list[RenderableType] = [*self._head()]
        systems = [None if one is None else one.transcript.system or "" for one in self._both]
        parts += [placed([_beside("system", systems, SYSTEM)])] if _apart(systems) else _once("system", systems, SYSTEM)
        for turn in sorted(self._records[0].keys() | self._records[1].keys()):
            who = f"user {turn + 1}"
            users = [records[turn].user if turn in records else None for records in self._records]
            parts.append(Text())
            if _apart(users):
                parts.append(placed([_beside(who, users, USER), self._replies(turn)]))
            else:
                parts += [*_once(who, users, USER), placed([self._replies(turn)])]
        yield Trimmed(Group(*parts))

    def _head(self) -> Iterator[Text]:
        yield from about(self._transcript, self._conversation)
        if self._change is not None and self._change.reasons:
            yield Text.assemble(("changed: ", "bold"), printable("; ".join(self._change.reasons)))
        for (name, style), run in zip(ARMS, self._names, strict=True):
            yield Text.assemble((f"{name}: ", style), printable(run))

    def _replies(self, turn: int) -> Row:
        first, second = (records[turn].reply if turn in records else None for records in self._records)
        marks = _differing(first or "", second or "")
        before, after = ((() if one is None else one.checks_of(turn)) for one in self._both)
        lines = CheckLines(before, reasons=False), CheckLines(after, reasons=False, before=before)
        return self._reply(0, turn, lines[0], marks[0]), self._reply(1, turn, lines[1], marks[1])

    def _reply(self, at: int, turn: int, checks: CheckLines, differing: Stretches) -> Group:
        one, record = self._both[at], self._records[at].get(turn)
        if one is None or record is None:
            return Group(Text.assemble((f"{ARMS[at][0]}: ", ARMS[at][1]), ("(not held)", WARNED)))
        text = reply_of(one, record, self._conversation, ARMS[at], differing)
        other = self._records[0].get(turn)
        if at and record.reply and other is not None and record.reply == other.reply:
            text.append("  [the same words]", "dim")
        return Group(text, Padding(checks, INDENT))


def _apart(texts: Sequence[str | None]) -> bool:
    """Whether the arms that have it have it otherwise."""
    return len({text for text in texts if text is not None}) > 1


def _once(who: str, texts: Sequence[str | None], style: str) -> Iterator[Text]:
    """What both were told."""
    text = next((text for text in texts if text is not None), "")
    if text:
        yield said(who, text, style)


def _beside(who: str, texts: Sequence[str | None], style: str) -> Row:
    """What each was told, where that is not the same."""
    first, second = (text or "" for text in texts)
    marks = _differing(first, second)
    return said(who, first or "(none)", style, marks[0]), said(who, second or "(none)", style, marks[1])


def _differing(first: str, second: str) -> tuple[Stretches, Stretches]:
    """What differs, as far as it helps a reader to see it: not where hardly a word is the same, nor beside nothing."""
    found = differing(first, second) if first and second else None
    return ((), ()) if found is None or found.throughout else (found.first, found.second)


def _stacked(rows: Sequence[Row]) -> Group:
    """All of base above all of tuned."""
    return Group(*(row[0] for row in rows), *(row[1] for row in rows))


def _in_columns(rows: Sequence[Row]) -> Table:
    table = Table(box=box.MINIMAL, show_header=False, show_edge=False, pad_edge=False, expand=True)
    for _ in ARMS:
        table.add_column(ratio=1, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
