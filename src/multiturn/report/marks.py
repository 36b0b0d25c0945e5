"""What the checks say, in a terminal: a line each with its mark, and the words that decided, marked in the reply."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from rich.text import Text

from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console, ConsoleOptions

    from multiturn.finding import Checked, Outcome, Span

SIGNS: Final[dict[Outcome, str]] = {"pass": "✓", "fail": "✗", "not_applicable": "~"}
PLAIN_SIGNS: Final[dict[Outcome, str]] = {"pass": "pass", "fail": "FAIL", "not_applicable": "n/a"}
"""Where the terminal's encoding has no such letters."""
STYLES: Final[dict[Outcome, str]] = {"pass": "green", "fail": "bold red", "not_applicable": "dim"}

Mark = tuple["Span", str]
"""A part of a reply, and the style that it is shown in."""


class CheckLines:
    """A line for each check: its mark, what it wants, and (``reasons``) why it does not pass. For ``Console.print``."""

    def __init__(self, checks: Sequence[Checked], *, reasons: bool) -> None:
        self._checks: Final = checks
        self._reasons: Final = reasons

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Rich's own door: the encoding is known only where it is shown."""
        signs = signs_for(options.encoding)
        for checked in self._checks:
            outcome = checked.result.outcome
            told = checked.result.reason if outcome != "fail" else checked.why or checked.result.reason
            why = f": {told}" if self._reasons and outcome != "pass" else ""
            yield Text.assemble(
                (f"{signs[outcome]} ", STYLES[outcome]), printable(checked.wants), (printable(why), STYLES[outcome])
            )


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
