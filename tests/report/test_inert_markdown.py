"""Running text in Markdown that is shown letter for letter and does nothing, wherever it is put."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.report.page.hostile import TEXTS as HOSTILE

from multiturn.report.markdown import code, fenced, inert, inert_table
from multiturn.report.tables import Table
from multiturn.text.printable import printable

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
BREAK = "\u200b"
ACTIVE = re.compile(
    r"""[@#!$%~&^][\w"]|://|\b(?:www|mailto|xmpp)[.:]|\bGH-\d|:[\w+-]+:"""
    r"""|(?<![0-9A-Za-z])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,}(?![0-9A-Za-z])""",
    re.IGNORECASE,
)
"""What services make a link, a mention, a reference or an emoji of, once Markdown is done."""
TEXTS = st.text(alphabet="aZ 019@#!:/.`*_[]()<>&~$|\\\n\r\t-+=^%w\"'é\u202e\u200b\x1b", max_size=24)


def shown(markdown: str) -> str:
    """What a reader sees of one paragraph; that it is one, and holds nothing but text, is asserted."""
    blocks = PARSER.parse(markdown)
    assert [block.type for block in blocks] in ([], ["paragraph_open", "inline", "paragraph_close"]), blocks
    inside = blocks[1].children or [] if blocks else []
    assert {one.type for one in inside} <= {"text", "text_special"}, inside
    return "".join(one.content for one in inside)


def on_one_line(text: str) -> str:
    """As it was written, without its line ends and breaks."""
    return " ".join(printable(text).split())


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_are_text(text: str) -> None:
    """No element, no link, no picture, no code; every letter is there."""
    found = shown(inert(text))
    assert not ACTIVE.search(found)
    assert " ".join(found.replace(BREAK, "").split()) == on_one_line(text)


@settings(deadline=None)
@given(TEXTS)
@example("@bob #1 !2 $3 %4 ~a &5 ^b GH-6 a/b@0123abc :smile: https://x.example www.x.example a@b.example")
@example("[vulnerability:1] [ ] [x](y) ![z](w) [^1]")
@example("1. a")
@example("1) a")
@example("- a")
@example("+ a")
@example("* a")
@example("---")
@example("===")
@example("# a")
@example("> a")
@example("~~~")
@example("\\@a")
@example("a\\")
def test_any_text_is_one_paragraph_of_text(text: str) -> None:
    """Also where it begins as a heading, a list, a quotation or a rule would."""
    found = shown(inert(text))
    assert not ACTIVE.search(found)
    assert " ".join(found.replace(BREAK, "").split()) == on_one_line(text)


@settings(deadline=None)
@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), min_size=1, max_size=3))
def test_any_cells_stay_in_their_row_and_column(rows: list[list[str]]) -> None:
    page = PARSER.render(inert_table(Table(title="", header=("a", "b"), rows=tuple(map(tuple, rows)))) + "\n")
    body = re.findall(r"<tr>(.*?)</tr>", page.partition("<tbody>")[2], flags=re.DOTALL)
    cells = [[html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row, flags=re.DOTALL)] for row in body]
    expected = [["<br>".join(map(on_one_line, printable(cell).split("\n"))) for cell in row] for row in rows]
    assert [[cell.replace(BREAK, "") for cell in row] for row in cells] == expected


@settings(deadline=None)
@given(TEXTS)
@example("`a` ``b``")
@example("`")
@example("")
def test_code_ends_where_it_should(text: str) -> None:
    (_, inline, _) = PARSER.parse(f"see {code(text)} there")
    kinds = [one.type for one in inline.children or []]
    assert kinds == ["text", "code_inline", "text"]
    assert (inline.children or [])[1].content.strip() == on_one_line(text)


@settings(deadline=None)
@given(TEXTS)
@example("```\n# a\n````")
def test_a_block_of_code_ends_where_it_should(text: str) -> None:
    """Whatever fences stand in it."""
    blocks = PARSER.parse(f"{fenced(text, 'sh')}\n\nafter\n")
    assert [block.type for block in blocks] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert blocks[0].content == f"{printable(text)}\n"


def test_numbers_and_plain_words_stay_readable() -> None:
    """What nobody reads as markup is not escaped: the source is read too, in mails."""
    for text in ("-10.5 pp", "85.6% of replies", "+3", "Well, it's (mostly) fine; isn't it?", "20261130-175518-ff84"):
        assert inert(text) == text
