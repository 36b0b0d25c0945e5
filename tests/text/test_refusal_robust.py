"""Refusals are found in any dress, in any length of text, and the tables of phrases are sound."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.text.fold import fold, unaccented
from multiturn.text.phrases.shape import Phrases
from multiturn.text.phrases.table import ALL_PHRASES
from multiturn.text.refusal import MAX_CHARACTERS, NONE, Refusal, refusal


@pytest.mark.parametrize(
    "wrapped",
    [
        "{}",
        "**{}**",
        "*{}*",
        "# {}",
        "Assistant: {}",
        "**Answer:** {}",
        "🙏 {}",
        '"{}"',
        "“{}”",
        "\u200b{}\ufeff",
        "{}\n\n",
        "<|im_start|>{}<|im_end|>",
        "SmolLM: {}",
    ],
)
@pytest.mark.parametrize("apostrophe", ["'", "’", "ʼ", "`", "´"])
@pytest.mark.parametrize("change", [str, str.upper, str.lower])
def test_dress_does_not_matter(wrapped: str, apostrophe: str, change: type[str]) -> None:
    """Emphasis, labels, quotation marks, emoji, capitals and every kind of apostrophe around the same words."""
    text = wrapped.format(change(f"I{apostrophe}m sorry, but I can{apostrophe}t help with that."))
    assert refusal(text, control_tokens=("<|im_start|>", "<|im_end|>")).kind == "full"


def test_the_span_quotes_the_reply() -> None:
    """The words that decided, as they stand in the reply."""
    text = "Hm. I’m sorry, but **I can’t help** with that."
    found = refusal(text)
    assert found.span is not None
    assert found.span.text == "I can’t help"
    assert text[found.span.start : found.span.end] == found.span.text


@pytest.mark.parametrize("phrases", ALL_PHRASES, ids=lambda phrases: str(phrases.language))
def test_tables_hold_what_folded_text_can_hold(phrases: Phrases) -> None:
    """A pattern with an accent, a curly quote or a full-width mark could never match."""
    for pattern in (
        *phrases.hint,
        *phrases.speaker,
        *phrases.declines,
        *phrases.lacks,
        *phrases.bare,
        *phrases.never,
        *phrases.filler,
        *phrases.offers,
    ):
        letters = "".join(char for char in pattern if not char.isascii())
        assert unaccented(fold(letters)) == letters


def test_languages_are_listed_once() -> None:
    """Each language has one table."""
    languages = [phrases.language for phrases in ALL_PHRASES]
    assert len(languages) == len(set(languages))


WORDS = st.sampled_from(
    [
        "I",
        "can't",
        "not",
        "help",
        "sorry,",
        "but",
        '"',
        "“",
        "here is",
        ":",
        "\n",
        "- ",
        "```",
        "> ",
        "unable to",
        "you",
        "Dear Tom,",
        "No.",
        "我不能",
        "帮",
    ]
)


@given(st.lists(WORDS, max_size=30).map(" ".join) | st.text(max_size=80))
def test_any_text_gives_a_sound_finding(text: str) -> None:
    """No text breaks it, and a span always quotes the text."""
    found = refusal(text)
    assert isinstance(found, Refusal)
    assert (found.span is None) == (found.kind == "none")
    if found.span:
        assert text[found.span.start : found.span.end] == found.span.text


@pytest.mark.parametrize(
    "unit",
    [
        "i ",
        "i can't ",
        "i can't really ",
        "i am not ",
        "'a ",
        '"a',
        "sorry, but ",
        "no",
        "a: b\n",
        "A: I can't help\n",
        "it is ",
        "ich kann nicht ",
        "我不能",
        "申し訳",
        "_a",
        "*",
        "«",
    ],
)
def test_long_odd_replies_take_no_long_time(unit: str) -> None:
    """100,000 characters made to mislead: only the first are read, and in time that grows with their length."""
    start = time.perf_counter()
    refusal(unit * (100_000 // len(unit)))
    assert time.perf_counter() - start < 3


def test_only_the_first_characters_are_read() -> None:
    """What stands behind the limit is not read."""
    assert refusal("word " * MAX_CHARACTERS + "\n\nI can't help with that.") == NONE
