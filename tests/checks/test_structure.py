"""The structure of replies: which lines are headings, list items, tables, code."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.checks.structure import blocks, cells, code_blocks, items, lines_of, tables


def kinds(text: str) -> list[str]:
    return [line.kind for line in lines_of(text)]


LINES = [
    ("", ["blank"]),
    ("Text\n", ["text", "blank"]),
    ("# Title\n#1 of all", ["heading", "text"]),
    ("Title\n=====\nText", ["heading", "underline", "text"]),
    ("Title\n---", ["heading", "underline"]),
    ("That is all.\n---\nBye.", ["text", "rule", "text"]),
    ("one\ntwo\n---", ["text", "text", "rule"]),
    ("Regards\n--\nMira", ["text", "text", "text"]),
    ("* * *\n***\n- - -", ["rule", "rule", "rule"]),
    ("> said\nby him", ["quote", "text"]),
    ("- a\n* b\n+ c\n• d\n– e", ["item"] * 5),
    ("1. a\n2) b\n(3) c\na) d\n(b) e", ["item"] * 5),
    ("1、买牛奶\n2、买面包", ["item", "item"]),
    ("— Bonjour.\n— Salut.", ["text", "text"]),
    ("-5 degrees\n-no space", ["text", "text"]),
    ("- ", ["text"]),
    ("36. That is all of them.", ["text"]),
    ("3. Oktober: we are shut.", ["text"]),
    ("4. Paint it.\n5. Let it dry.", ["item", "item"]),
    ("2. a\n   - x\n3. b\n\n7. Mai", ["item", "item", "item", "blank", "text"]),
    ("2.5 km\n3.Next", ["text", "text"]),
    ("1. a\n   goes on\n\n   and on\nthe end", ["item", "more", "blank", "more", "text"]),
    ("- a\nnext line", ["item", "text"]),
    ("```\nx\n```\ny", ["fence", "code", "fence", "text"]),
    ("~~~\n```\n~~~", ["fence", "code", "fence"]),
    ("````\n```\n````", ["fence", "code", "fence"]),
    ("```\n- x\n\n1. y", ["fence", "code", "code", "code"]),
    ("```x``` is code", ["text"]),
    ("1. ```\n   - x\n   ```\n2. b", ["item", "code", "fence", "item"]),
    ("a\r\n- b\r\n\r\n---\r\n", ["text", "item", "blank", "rule", "blank"]),
    ("| a | b |\n|---|:-:|\n| 1 | 2 |\n\nx", ["row", "divider", "row", "blank", "text"]),
    ("a | b\n--- | ---\n1 | 2\nx", ["row", "divider", "row", "text"]),
    ("| a | b |\n|---|\n| 1 | 2 |", ["text", "text", "text"]),
    ("| a \\| b |\n|---|\n", ["row", "divider", "blank"]),
    ("- a\n\n| b |\n|---|\n\n  c", ["item", "blank", "row", "divider", "blank", "text"]),
    ("- a\n\n  | b |\n  |---|\n\n  c", ["item", "blank", "row", "divider", "blank", "more"]),
    ("either a | b or c | d", ["text"]),
    ("```\na | b\n--- | ---\n```", ["fence", "code", "code", "fence"]),
]


@pytest.mark.parametrize(("text", "wanted"), LINES)
def test_each_line_has_its_kind(text: str, wanted: list[str]) -> None:
    """As a reader of the reply would say."""
    assert kinds(text) == wanted


def test_items_are_nested_by_their_indent() -> None:
    """Two columns are enough, also below a number; a list that is indented as a whole is not nested."""
    text = "  1. a\n    - x\n      - deep\n    - y\n  2. b\nText.\n\n- c\n - d\n\t- e"
    levels = [(text[line.content : line.end], line.level) for line in lines_of(text) if line.kind == "item"]
    assert levels == [("a", 0), ("x", 1), ("deep", 2), ("y", 1), ("b", 0), ("c", 0), ("d", 0), ("e", 1)]


def test_items_go_on_over_lines() -> None:
    """Indented lines and code belong to the item above; the list ends at the next line at the margin."""
    text = "1. Type\n\n   ```sh\n   ls\n   ```\n\n   and look.\n2. Done\nBye."
    assert [text[start:end] for start, end in items(text)] == [
        "Type\n\n   ```sh\n   ls\n   ```\n\n   and look.",
        "Done",
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("```Python\nx = 1\n```\n~~~\ny\n~~~", [("python", "x = 1"), ("", "y")]),
        ('```{.r echo="no"}\nz\n```', [("r", "z")]),
        ("```js:app.js\nz\n```", [("js", "z")]),
        ("```c++\nz\n```", [("c++", "z")]),
        ("```json\n{}", [("json", "{}")]),
        ("```\n```", [("", "")]),
        ("- ```py\n  a\n\n  b\n  ```\n- c", [("py", "  a\n\n  b")]),
        ("> ```\n> x\n> ```", []),
        ("no code", []),
        ("```py\r\nx\r\n```", [("py", "x")]),
    ],
)
def test_code_blocks_with_their_language(text: str, wanted: list[tuple[str, str]]) -> None:
    """In small letters, without what stands behind it; empty and unclosed blocks too."""
    assert [(block.language, text[block.start : block.end]) for block in code_blocks(text)] == wanted


def test_tables_with_their_cells() -> None:
    """Outer bars make no difference, escaped ones stand in their cell, and two tables are two."""
    text = "a | b\n--- | ---\n1 \\| 2 | 3\n\n| c |\n| - |\n"
    found = tables(text)
    assert [(table.columns, len(table.rows)) for table in found] == [(2, 1), (1, 0)]
    assert [cells(text, table.header) for table in found] == [("a", "b"), ("c",)]
    assert cells(text, found[0].rows[0]) == ("1 | 2", "3")


def test_blocks_are_runs_of_lines() -> None:
    """With the kinds that may go on in them."""
    text = "> a\n> b\n\n- c\n  d\n- e"
    assert [len(block) for block in blocks(text, "quote")] == [2]
    assert [len(block) for block in blocks(text, "item", "more")] == [3]


SHAPES = st.lists(
    st.sampled_from(
        ["- a", "1. b", "2. c", "  - d", "```", "~~~", "| a | b |", "|---|---|", "text", "", "---", "===", "> q", "  x"]
    )
    | st.text(alphabet="-*|`~#>= 1.ab\t\r", max_size=12)
).map("\n".join)


@given(SHAPES)
def test_every_character_is_in_one_line(text: str) -> None:
    """Lines cover the text but for line ends, in order; what a line says lies inside it; only items have markers."""
    lines = lines_of(text)
    assert "\n".join(text[line.start : line.end] for line in lines) == text.replace("\r\n", "\n").removesuffix("\r")
    for line in lines:
        assert line.start <= line.content <= line.end
        assert line.kind == "item" or not (line.level or line.ordered)


@given(SHAPES)
def test_blank_lines_around_a_reply_change_no_line(text: str) -> None:
    """But for a fence that is never closed, which takes them in."""
    found = kinds("\n\n" + text + "\n\n")[2:-2]
    assert found == kinds(text) or kinds(text + "\n\n")[-1] == "code"


@pytest.mark.parametrize(
    "unit", ["a", "7", "|", "`", "~", "[", "- \n", "- a\n", "1. a\n", " ", "\n", "* ", "|-|\n", "- ", "a\n---\n"]
)
def test_hostile_replies_take_linear_time(unit: str) -> None:
    """A megabyte of anything is read within seconds; four times the time of a quarter of it, about."""
    text = unit * (1_000_000 // len(unit))
    start = time.perf_counter()
    lines_of(text + "x")
    code_blocks(text + "x")
    tables(text + "x")
    assert time.perf_counter() - start < 10
