"""Folding makes typography equal and keeps the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.text.fold import fold, fold_mapped, unaccented

SAMPLES = st.text(st.sampled_from("aB é’'“\"*_`#~ßﬁ…\u200b\ufeff\u0301ｆ。😀\n\t-—0️"), max_size=60) | st.text(
    max_size=60
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("I can’t", "i can't"),
        ("Iʼm", "i'm"),
        ("don`t", "don't"),
        ("“so” „so“", '"so" "so"'),
        ("**BOLD** _it_ ~~gone~~ `code`", "bold it gone code"),
        ("## Plan", " plan"),
        ("snake_case and 2*3", "snake_case and 2*3"),
        ("* item", "* item"),
        ("ｆｕｌｌ ﬁne… Straße", "full fine... strasse"),
        ("a\u200bb\ufeff\u00adc", "abc"),
        ("one\u00a0two", "one two"),
        ("e\u0301", "é"),
        ("C# is #1", "c# is #1"),
    ],
)
def test_typography_is_folded(text: str, folded: str) -> None:
    """Texts that differ only in typography become one text."""
    assert fold(text) == folded


def test_a_match_quotes_the_original() -> None:
    """A range of the folded text leads to the very characters that were written."""
    folded = fold_mapped("So: **I can’t** help.")
    start = folded.text.index("i can't")
    span = folded.span(start, start + len("i can't help"))
    assert span.text == "I can’t** help"
    assert folded.original[span.start : span.end] == span.text


def test_an_empty_range_is_refused() -> None:
    """There is no span of nothing."""
    with pytest.raises(ValueError, match="no folded text from 1 to 1"):
        fold_mapped("abc").span(1, 1)


@given(SAMPLES)
def test_offsets_are_ordered_and_inside(text: str) -> None:
    """Every folded character has its place in the original, in reading order; folding piecewise gives it again."""
    folded = fold_mapped(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert list(folded.starts) == sorted(folded.starts)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))
    assert folded.text == fold(text)


@given(SAMPLES.filter(bool))
def test_spans_round_trip(text: str) -> None:
    """The span of a folded character holds what it was folded from, and ``index`` finds it again."""
    folded = fold_mapped(text)
    for place in range(len(folded.text)):
        span = folded.span(place, place + 1)
        assert text[span.start : span.end] == span.text
        assert folded.starts[folded.index(span.start)] == span.start


@given(st.text(st.characters(categories=["L", "N", "P", "Z"], exclude_characters="*_`#~"), max_size=60))
def test_case_does_not_matter(text: str) -> None:
    """Folding is the same before and after folding."""
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=80))
def test_unaccented_keeps_every_place(text: str) -> None:
    """Accents go, offsets stay."""
    assert len(unaccented(text)) == len(text)
    assert unaccented("àéîõü ñç ž") == "aeiou nc z"
