"""What the checks say, in a terminal: a line each with its mark; and a reply with the words that decided and differ."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from rich.table import Table
from rich.text import Text

from multiturn.finding import FAILS_AS_REFUSAL
from multiturn.report.numbers import in_short
from multiturn.report.trimmed import Trimmed
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console, ConsoleOptions

    from multiturn.finding import Checked, Outcome, Span

SIGNS: Final[dict[Outcome, str]] = {"pass": "✓", "fail": "✗", "not_applicable": "~"}
PLAIN_SIGNS: Final[dict[Outcome, str]] = {"pass": "pass", "fail": "FAIL", "not_applicable": "n/a"}
"""Where the terminal's encoding has no such letters."""
STYLES: Final[dict[Outcome, str]] = {"pass": "green", "fail": "bold red", "not_applicable": "dim"}

DIFFERS: Final = "underline"
"""The style of words that another arm's reply has not; it goes with any colour."""

TURNS: Final[dict[tuple[Outcome, Outcome], str]] = {("pass", "fail"): "lost", ("fail", "pass"): "won"}
"""What has become of a check from one arm to the other, in a word."""

WANTED: Final = 80
"""Characters of what a check wants, or of why it fails: a pattern or a list of variants can be long."""

Mark = tuple["Span", str]
"""A part of a reply, and the style that it is shown in."""

Stretches = Sequence[tuple[int, int]]
"""Parts of a reply that another one has not (``text/differing.py``): in order, apart, none empty."""


class CheckLines:
    """A line for each check, for ``Console.print``: its mark, and what it wants.

    A check that fails is told by what that means, where the suite says so; ``reasons`` adds why it does not pass.
    ``before`` is what the same checks say of another arm's reply: one that flipped is said to be lost or won.
    """

    def __init__(self, checks: Sequence[Checked], *, reasons: bool, before: Sequence[Checked] = ()) -> None:
        self._checks: Final = checks
        self._reasons: Final = reasons
        self._before: Final = {one.check: one.result.outcome for one in before}

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[Trimmed]:
        """Rich's own door: the encoding is known only where it is shown."""
        signs = signs_for(options.encoding)
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for checked in self._checks:
            outcome = checked.result.outcome
            flipped = TURNS.get((self._before.get(checked.check, outcome), outcome))
            told = Text.assemble(
                (f"{flipped}: " if flipped else "", STYLES[outcome]), self._told(checked, STYLES[outcome])
            )
            table.add_row(Text(signs[outcome], STYLES[outcome]), told)
        if table.rows:
            yield Trimmed(table)

    def _told(self, checked: Checked, style: str) -> Text:
        result = checked.result
        if not self._reasons and result.outcome == "fail" and result.reason == FAILS_AS_REFUSAL:
            return Text(printable(result.reason), style)  # what failing means did not happen
        if result.outcome == "fail" and checked.why:
            behind = f" ({printable(in_short(result.reason, WANTED))})" if self._reasons else ""
            return Text.assemble((printable(checked.why), style), (behind, "dim"))
        wants = printable(in_short(checked.wants, WANTED))
        why = f": {result.reason}" if self._reasons and result.outcome != "pass" else ""
        return Text.assemble((wants, ""), (printable(why), style))


def signs_for(encoding: str) -> dict[Outcome, str]:
    """The marks that can be written in this encoding."""
    try:
        "".join(SIGNS.values()).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return PLAIN_SIGNS
    return SIGNS


def marks_of(checks: Iterable[Checked]) -> list[Mark]:
    """The words that decided, each in the style of its outcome."""
    return [
        (checked.result.span, STYLES[checked.result.outcome]) for checked in checks if checked.result.span is not None
    ]


def marked(reply: str, marks: Sequence[Mark], differing: Stretches = ()) -> Text:
    """A reply with its marked parts; where marks overlap, the first one that is given shows.

    ``differing`` are marked as well.
    """
    inside = {edge for span, _ in marks for edge in (span.start, span.end) if edge < len(reply)}
    text = Text()
    left = deque(differing)
    for start, end in pairwise(sorted({0, len(reply)} | inside)):
        style = next((style for span, style in marks if span.start <= start and end <= span.end), "")
        at = start
        while left and left[0][0] < end:
            begins, ends = max(left[0][0], at), min(left[0][1], end)
            text.append(printable(reply[at:begins]), style)
            text.append(printable(reply[begins:ends]), f"{style} {DIFFERS}".lstrip())
            at = ends
            if left[0][1] > end:
                break
            left.popleft()
        text.append(printable(reply[at:end]), style)
    return text
