"""Marks of several sorts in one text: they may lie over each other, and none is lost."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from multiturn.report.page.marking import LONGEST, Mark, Piece, blocks_of, pieces_of, texts_of
from multiturn.text.printable import printable

ODD = st.lists(
    st.sampled_from(["a", "\r\n", "\n\r", "👩\u200d👩", "م\u200cم", "\u200d", "e\u0301", "\U0001f3fd"]), max_size=6
).map("".join)
MARKS = st.lists(
    st.builds(
        Mark,
        start=st.integers(0, 14),
        end=st.integers(0, 14),
        sort=st.sampled_from(["differs", "fail", "pass", "refusal"]),
        sign=st.sampled_from(["", "1", "2", "R"]),
    ),
    max_size=6,
)


def told(text: str, *marks: Mark) -> list[Piece]:
    return pieces_of(text, marks)


def test_a_text_without_marks_is_one_piece() -> None:
    """An empty one none."""
    assert told("abcdef") == [Piece("abcdef", sorts="", signs="")]
    assert told("") == []


def test_what_is_marked_is_a_piece_of_its_own() -> None:
    """Its sign stands behind it."""
    assert told("abcdef", Mark(2, 4, "fail", "1")) == [("ab", "", ""), ("cd", "fail", "1"), ("ef", "", "")]


def test_marks_that_overlap_are_all_there() -> None:
    """Split at the edges: each piece has all sorts that lie on it, and a sign only where its mark ends."""
    marks = Mark(0, 4, "fail", "1"), Mark(2, 6, "differs"), Mark(3, 4, "refusal", "R")
    assert told("abcdef", *marks) == [
        ("ab", "fail", ""),
        ("c", "differs fail", ""),
        ("d", "differs fail refusal", "1 R"),
        ("ef", "differs", ""),
    ]


def test_neighbours_that_are_marked_alike_are_one_piece() -> None:
    """Unless a sign stands between them."""
    assert told("abcd", Mark(0, 2, "differs"), Mark(2, 4, "differs"), Mark(1, 3, "differs")) == [
        ("abcd", "differs", "")
    ]
    assert told("abcd", Mark(0, 2, "fail", "1"), Mark(2, 4, "fail", "2")) == [("ab", "fail", "1"), ("cd", "fail", "2")]


@pytest.mark.parametrize("mark", [Mark(3, 3, "fail", "1"), Mark(4, 2, "fail", "1"), Mark(9, 12, "fail", "1")])
def test_what_has_no_letter_in_the_text_marks_nothing(mark: Mark) -> None:
    assert told("abcdef", mark) == [("abcdef", "", "")]


def test_a_mark_that_goes_on_behind_the_end_ends_with_the_text() -> None:
    assert told("abcdef", Mark(4, 99, "pass", "2")) == [("abcd", "", ""), ("ef", "pass", "2")]


@given(ODD, MARKS)
@example("a\r\nb", [Mark(2, 4, "fail")])
@example("👩\u200d👩", [Mark(1, 3, "fail")])
@example("👩\u200d👩", [Mark(2, 3, "fail")])
def test_pieces_make_the_text_before_and_after_they_are_made_harmless(text: str, marks: list[Mark]) -> None:
    """Line ends of two characters and joined letters are not cut."""
    pieces = pieces_of(text, marks)
    assert "".join(piece.text for piece in pieces) == text
    assert "".join(printable(piece.text) for piece in pieces) == printable(text)
    assert all(piece.text for piece in pieces)


@given(st.text("abc", max_size=14), MARKS)
def test_each_letter_has_the_sorts_of_all_marks_on_it(text: str, marks: list[Mark]) -> None:
    """As asking each mark for each letter finds."""
    found = [(letter, piece.sorts) for piece in pieces_of(text, marks) for letter in piece.text]
    assert found == [
        (letter, " ".join(sorted({mark.sort for mark in marks if mark.start <= at < mark.end})))
        for at, letter in enumerate(text)
    ]


def test_a_text_of_usual_length_is_one_block() -> None:
    """So is an empty one."""
    assert texts_of("a" * LONGEST) == ["a" * LONGEST]
    assert texts_of("") == [""]


def test_a_long_text_is_cut_between_words_where_it_has_some() -> None:
    """And anywhere where it has none; no block is longer."""
    first, second = texts_of("word " * (LONGEST // 5 + 1))
    assert (len(first), second) == (LONGEST, "word ")
    first, second = texts_of("a" * 200 + "word\n" * (LONGEST // 5))
    assert (first[-1], len(second)) == ("\n", 200)
    assert [len(one) for one in texts_of("a" * (2 * LONGEST + 1))] == [LONGEST, LONGEST, 1]


def test_a_sign_stands_behind_the_last_part_of_its_piece() -> None:
    """Each part keeps the sorts."""
    found = blocks_of([Piece("a" * LONGEST, "", ""), Piece("b" * (LONGEST + 1), "fail", "1"), Piece("c", "pass", "2")])
    assert [[(len(text), sorts, signs) for text, sorts, signs in block] for block in found] == [
        [(LONGEST, "", "")],
        [(LONGEST, "fail", "")],
        [(1, "fail", "1"), (1, "pass", "2")],
    ]


@given(ODD, st.integers(LONGEST - 4, LONGEST + 1), MARKS)
def test_blocks_make_the_text_before_and_after_they_are_made_harmless(
    text: str, before: int, marks: list[Mark]
) -> None:
    """Nothing that is read together is cut at a block's end either."""
    whole = "x" * before + text + "y" * 9
    moved = [Mark(mark.start + before, mark.end + before, mark.sort, mark.sign) for mark in marks]
    found = [piece.text for block in blocks_of(pieces_of(whole, moved)) for piece in block]
    assert "".join(found) == whole
    assert "".join(map(printable, found)) == printable(whole)
    assert all(found)
