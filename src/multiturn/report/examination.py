"""What ``multiturn doctor`` prints: the prompt with its control tokens to be seen, then remark by remark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from multiturn.text.printable import printable

if TYPE_CHECKING:
    from multiturn.examination import Examination, Level

MARKS: Final[dict[Level, str]] = {"fine": "ok", "note": "note", "warning": "WARNING"}
STYLES: Final[dict[Level, str]] = {"fine": "green", "note": "cyan", "warning": "bold yellow"}
INDENT: Final = (0, 0, 0, 2)


def examination_text(examination: Examination) -> Group:
    """The page, for ``Console.print``."""
    return Group(
        Text(printable(examination.spec), "bold"),
        Text(""),
        *_prompt(examination),
        Text(""),
        *_reply(examination),
        _remarks(examination),
    )


def _prompt(examination: Examination) -> list[Text | Padding]:
    if not examination.rendered:
        said = "\n".join(f"{role}: {text}" for role, text in examination.said)
        head = f"What is sent for the second turn of a small conversation ({printable(examination.unrendered)}):"
        return [Text(head), Padding(Text(printable(said), "dim"), INDENT)]
    shown = Text()
    for text, control in examination.rendered:
        shown.append(_visible(text), "reverse" if control else "")
    controls = [text for text, control in examination.rendered if control]
    counts = ", ".join(f"{printable(token)} x{controls.count(token)}" for token in dict.fromkeys(controls))
    return [
        Text("What is sent for the second turn of a small conversation (⏎ is a line break):"),
        Padding(shown, INDENT),
        Text(f"control tokens in it: {counts or 'none'}", "dim"),
    ]


def _visible(text: str) -> str:
    """Line breaks marked; a tab or a run of spaces at a line's end would not be seen otherwise."""
    lines = printable(text).split("\n")
    return "⏎\n".join(line[: len(line.rstrip())] + "·" * (len(line) - len(line.rstrip())) for line in lines)


def _reply(examination: Examination) -> list[Text | Padding]:
    if examination.reply is None:
        return []
    reply = printable(examination.reply.strip()) or "(empty)"
    return [Text("A reply to its first turn:"), Padding(Text(reply, "dim"), INDENT), Text("")]


def _remarks(examination: Examination) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for remark in examination.remarks:
        mark = Text(MARKS[remark.level], STYLES[remark.level])
        table.add_row(mark, Text(printable(remark.topic)), Text(printable(remark.text)))
    return table
