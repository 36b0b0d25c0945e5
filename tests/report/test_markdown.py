"""Rows of Markdown, read back by a Markdown parser."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from multiturn.report import markdown
from multiturn.report.tables import Table

PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")


def parsed(text: str, columns: int) -> list[list[str]]:
    """The cells of a row as a reader sees them, by a parser that lets HTML through."""
    page = PARSER.render(f"|{' h |' * columns}\n|{' --- |' * columns}\n{text}\n")
    body = page.partition("<tbody>")[2]
    rows = re.findall(r"<tr>(.*?)</tr>", body, flags=re.DOTALL)
    return [[html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row, flags=re.DOTALL)] for row in rows]


def test_pipes_and_line_ends_stay_in_their_cell() -> None:
    assert markdown.row(["a|b", "x\ny | z", "plain"]) == r"| a\|b | x<br>y \| z | plain |"
    assert parsed(markdown.row(["a|b", "x\ny | z", "plain"]), 3) == [["a|b", "x<br>y | z", "plain"]]


def test_backslashes_do_not_eat_the_border() -> None:
    assert parsed(markdown.row(["end\\", "a\\|b"]), 2) == [["end\\", "a\\|b"]]


def test_an_estimate_is_readable_as_it_stands() -> None:
    assert markdown.row(["words", "-12 [-30, +6] n=9"]) == "| words | -12 [-30, +6] n=9 |"


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)>",
        "![x](http://example.org/pixel)",
        "[x][y]",
        "`code | more`",
        "**bold** _it_ ~~gone~~ $x$",
        "&lt; &amp;",
        "\x1b[31mred",
    ],
)
def test_markup_is_shown_letter_for_letter(text: str) -> None:
    assert parsed(markdown.row([text, "next"]), 2) == [[text.replace("\x1b", "␛"), "next"]]


@given(st.lists(st.text(alphabet="ab|\\\n\r`*_[]()<>&~$! .-", max_size=12), min_size=2, max_size=4))
@example(["\\", "|", "\\|"])
def test_any_cells_make_one_row_of_as_many_columns(cells: list[str]) -> None:
    found = parsed(markdown.row(cells), len(cells))
    expected = [text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "<br>").strip() for text in cells]
    assert [[cell.strip() for cell in row] for row in found] == [expected]


def test_a_whole_table() -> None:
    table = Table(title="Refusals", header=("turn", "base"), rows=(("1", "0.0% n=2"),), footnote="n conversations")
    assert markdown.table(table) == (
        "### Refusals\n\n| turn | base |\n| --- | --- |\n| 1 | 0.0% n=2 |\n\nn conversations\n"
    )
