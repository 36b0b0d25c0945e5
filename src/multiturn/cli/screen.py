"""What the terminal shows: lines, errors, progress. What came from a model or a file is made harmless."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console, ConsoleOptions
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from multiturn.errors import EXIT_OK, MultiturnError
from multiturn.text.printable import printable
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from rich.console import RenderableType

    from multiturn.conditions import Arm
    from multiturn.run import Progress as RunProgress


LEAST_COLUMNS: Final = 80
"""Standard output is laid out for so many at least; a narrower terminal wraps the lines itself and loses nothing."""


class _Screen(Console):
    """What is written never depends on the terminal but in its line breaks: nothing is cut off for want of room.

    A reader that has gone (head, less) ends the output: the command where it was the results, else nothing.
    """

    @property
    def options(self) -> ConsoleOptions:
        """How to lay out what is written: standard output for no fewer than ``LEAST_COLUMNS``."""
        found = super().options
        return found if self.stderr else found.update_width(max(found.max_width, LEAST_COLUMNS))

    def print(self, *objects: Any, crop: bool | None = None, **how: Any) -> None:  # noqa: ANN401 - as rich has it
        """As ever; lines of standard output are not cut off at the terminal's edge unless that is asked for."""
        super().print(*objects, crop=self.stderr if crop is None else crop, **how)

    def on_broken_pipe(self) -> None:
        """Write no more."""
        self.quiet = True
        with open(os.devnull, "wb") as nothing:  # noqa: PTH123 - a device
            os.dup2(nothing.fileno(), self.file.fileno())
        if not self.stderr:
            raise SystemExit(EXIT_OK)


_STYLES: Final = None if os.environ.get("NO_COLOR") else "auto"
"""Who wants no colours gets no other escape codes either: nothing that is marked is told by its mark alone."""
OUT: Final = _Screen(highlight=False, color_system=_STYLES)
ERR: Final = _Screen(stderr=True, highlight=False, color_system=_STYLES)
PLAIN_EVERY: Final = 5.0
"""Seconds between two lines of progress where there is no terminal."""


def say(text: str, style: str = "") -> None:
    """A line of ours to standard output; any text in it is shown as it is."""
    OUT.print(Text(printable(text)), style=style, soft_wrap=True)


def read(shown: RenderableType) -> None:
    """What is made of prose to standard output, in lines as long as the terminal's: no table needs more."""
    OUT.print(shown, width=OUT.width)


def warn(text: str) -> None:
    """A line to standard error."""
    ERR.print(Text(printable(text)), style="yellow", soft_wrap=True)


def complain(error: MultiturnError) -> None:
    """An error and what to do next."""
    ERR.print(Text(f"multiturn: {printable(error.message)}"), style="red", soft_wrap=True)
    if error.hint:
        ERR.print(Text(f"  next: {printable(error.hint)}"), soft_wrap=True)


class Watching:
    """Shows how far each arm's run is: bars on a terminal, a plain line now and then elsewhere."""

    def __init__(self, bars: Progress | None, marks: Mapping[Arm, str] | None = None) -> None:
        self._bars = bars
        self._marks = marks or {}
        self._tasks: dict[tuple[Arm, int], TaskID] = {}
        self._runs: dict[Arm, tuple[int, int]] = {}
        self._last = 0.0

    def __call__(self, arm: Arm, progress: RunProgress) -> None:
        """Called by the run whenever a turn is durable."""
        run, done = self._runs.get(arm, (0, 0))
        run += progress.turns_done < done  # a second run of one arm: an A/A run, or another history
        self._runs[arm] = run, progress.turns_done
        label = printable(f"{short_spec(arm.spec)}{self._marks.get(arm, '')}{', again' if run else ''}")
        if self._bars is None:
            self._line(label, progress)
            return
        if (arm, run) not in self._tasks:
            self._tasks[arm, run] = self._bars.add_task(label, total=progress.turns, detail="")
        self._bars.update(self._tasks[arm, run], completed=progress.turns_done, detail=_detail(progress))

    def _line(self, label: str, progress: RunProgress) -> None:
        now = time.monotonic()
        if now - self._last >= PLAIN_EVERY or progress.conversations_done == progress.conversations:
            self._last = now
            left = _seconds_left(progress)
            ends = "" if left is None else f", about {duration(left)} left"
            with contextlib.suppress(BrokenPipeError):  # progress that nobody reads is not worth a run
                print(
                    f"{label}: {progress.turns_done}/{progress.turns} turns, {_detail(progress)}{ends}",
                    file=sys.stderr,
                    flush=True,
                )


@contextmanager
def watching(*, quiet: bool, marks: Mapping[Arm, str] | None = None) -> Iterator[Callable[[Arm, RunProgress], None]]:
    """What shows progress for as long as runs are held; with ``quiet``, what shows nothing.

    ``marks`` are added to the arms' specs, where these alone do not tell them apart.
    """
    if quiet:
        yield lambda _arm, _progress: None
    elif ERR.is_terminal:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=ERR) as bars:
            yield Watching(bars, marks)
    else:
        yield Watching(None, marks)


def _detail(progress: RunProgress) -> str:
    seconds = max(progress.seconds, 1e-9)
    failed = f", {progress.missing} without a reply" if progress.missing else ""
    return (
        f"{progress.conversations_done}/{progress.conversations} conversations, "
        f"{progress.replies / seconds:.1f} replies/s, {progress.new_tokens / seconds:.0f} tokens/s{failed}"
    )


def _seconds_left(progress: RunProgress) -> float | None:
    if not progress.replies:
        return None
    return (progress.turns - progress.turns_done) * progress.seconds / progress.replies


def duration(seconds: float) -> str:
    """``40 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if whole < 60:  # noqa: PLR2004 - seconds in a minute
        return f"{whole} s"
    if minutes < 60:  # noqa: PLR2004 - minutes in an hour
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def counted(number: int, thing: str) -> str:
    """``1 turn``, ``3 turns``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
