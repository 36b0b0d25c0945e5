"""What the checks say, in a terminal: a line each with its mark, and the words that decided, marked in the reply."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from rich.text import Text

from multiturn.report.numbers import in_short
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console, ConsoleOptions

    from multiturn.finding import Checked, Outcome, Span

SIGNS: Final[dict[Outcome, str]] = {"pass": "✓", "fail": "✗", "not_applicable": "~"}
PLAIN_SIGNS: Final[dict[Outcome, str]] = {"pass": "pass", "fail": "FAIL", "not_applicable": "n/a"}
"""Where the terminal's encoding has no such letters."""
STYLES: Final[dict[Outcome, str]] = {"pass": "green", "fail": "bold red", "not_applicable": "dim"}

WANTED: Final = 80
"""Characters of what a check wants, or of why it fails: a pattern or a list of variants can be long."""

Mark = tuple["Span", str]
"""A part of a reply, and the style that it is shown in."""


class CheckLines:
    """A line for each check, for ``Console.print``: its mark, and what it wants.

    A check that fails is told by what that means, where the suite says so; ``reasons`` adds why it does not pass.
    """

    def __init__(self, checks: Sequence[Checked], *, reasons: bool) -> None:
        self._checks: Final = checks
        self._reasons: Final = reasons

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Rich's own door: the encoding is known only where it is shown."""
        signs = signs_for(options.encoding)
        for checked in self._checks:
            outcome = checked.result.outcome
            text = Text(f"{signs[outcome]} ", STYLES[outcome])
            yield text.append_text(self._told(checked, STYLES[outcome]))

    def _told(self, checked: Checked, style: str) -> Text:
        result = checked.result
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


def marked(reply: str, marks: Sequence[Mark]) -> Text:
    """A reply with its marked parts; where marks overlap, the first one that is given shows."""
    inside = {edge for span, _ in marks for edge in (span.start, span.end) if edge < len(reply)}
    text = Text()
    for start, end in pairwise(sorted({0, len(reply)} | inside)):
        style = next((style for span, style in marks if span.start <= start and end <= span.end), "")
        text.append(printable(reply[start:end]), style)
    return text
