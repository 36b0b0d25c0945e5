"""What differs between two texts: the words that a person would underline, and no more."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from multiturn.text.differing import EXACT, LITTLE, MOST, SHORT, Differing, common_runs, differing, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    Spans = tuple[tuple[int, int], ...]

WORDS = st.lists(
    st.sampled_from(["a", "the", "kettle", "green,", "It's", "3.14", "...", "(no)", "水壶", "!"]), max_size=30
)
SPACED = WORDS.flatmap(lambda words: st.sampled_from([" ", "\n", " \t\r\n"]).map(lambda space: space.join(words)))
TEXT = SPACED | st.text(max_size=60)


def compared(first: str, second: str) -> Differing:
    found = differing(first, second)
    assert found is not None
    return found


def bracketed(text: str, spans: Spans) -> str:
    """The text with what is marked in brackets."""
    for start, end in reversed(spans):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


def both(first: str, second: str) -> tuple[str, str]:
    found = compared(first, second)
    return bracketed(first, found.first), bracketed(second, found.second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The kettle is [green].", "The kettle is [blue]."),
        ("The kettle is green.", "The [old] kettle is green[, I think]."),
        ("At [6] pm in the old mill.", "At [7] pm in the old mill."),
        ("That makes [1,050.50] euros in all.", "That makes [1,050.60] euros in all."),
        ("It [doesn't] matter at all.", "It [does] matter at all."),
        ("The kettle is green.", "The kettle is [**]green[**]."),
        ("Wait[.] It is here.", "Wait[...] It is here."),
        ("Place: mill\nDate: [13] March", "Place: mill\nDate: [14] March"),
        ("水壶是[绿]色的。", "水壶是[蓝]色的。"),
        ("वह [हिन्दी] बोलती है।", "वह [उर्दू] बोलती है।"),
        ("می‌خواهم [چای]", "می‌خواهم [قهوه]"),
        ("[True]", "[False]"),
        ("", "[One word]"),
        ("[Say] it", "[say] it"),
    ],
)
def test_the_words_that_differ_are_found(first: str, second: str) -> None:
    """Whole words and numbers, signs by themselves, wide characters one by one."""
    plain = [text.replace("[", "").replace("]", "") for text in (first, second)]
    assert both(plain[0], plain[1]) == (first, second)


def test_a_word_by_chance_is_no_island() -> None:
    """A short one between two stretches that have nothing to do with each other; a long run stays."""
    assert both(
        "Well, a garden party on the terrace would be lovely. See you at the old mill on Saturday.",
        "Sorry, nobody told me which of the guests eat meat. See you at the old mill on Saturday.",
    ) == (
        "[Well, a garden party on the terrace would be lovely]. See you at the old mill on Saturday.",
        "[Sorry, nobody told me which of the guests eat meat]. See you at the old mill on Saturday.",
    )


def test_an_island_that_goes_may_take_its_neighbour_along() -> None:
    """What stands between two dropped runs counts as one stretch, and that is longer."""
    first = "aaaaaaaaaa there bbbb on cccccccc the end of all that was said"
    second = "dddddddddd there eeee on ffffffff the end of all that was said"
    assert both(first, second) == (
        "[aaaaaaaaaa there bbbb on cccccccc] the end of all that was said",
        "[dddddddddd there eeee on ffffffff] the end of all that was said",
    )


def test_a_stretch_that_only_one_text_has_counts_too() -> None:
    """A word by chance may stand between two insertions."""
    assert both("Come by on the train today.", "Come by, if you like that, on Sunday or Monday the train today.") == (
        "Come by [on] the train today.",
        "Come by[, if you like that, on Sunday or Monday] the train today.",
    )


def test_texts_with_little_in_common_are_told_as_such() -> None:
    """A refusal against an answer; but texts of a few words are marked all the same."""
    assert compared(
        "Take the 14:20 to the coast, coach 9.", "I'm sorry, but I can't help with that request."
    ).throughout
    assert not compared("Coach 9, seat 12.", "Coach 9, seat 14.").throughout
    assert not compared(" ".join("abcd"[:SHORT]), "x").throughout
    assert compared(" ".join("abcde"[: SHORT + 1]), "x").throughout


def test_how_much_is_in_common_is_a_share_of_both_texts() -> None:
    """In characters of words: ten of twice twenty."""
    found = compared("aaaaaaaaaa bbbbbbbbbb", "aaaaaaaaaa cccccccccc")
    assert found.common == 0.5
    assert compared("a b", "b c").common < 1
    assert compared("", " \n").common == 1


@pytest.mark.parametrize("text", ["", " ", "One and the same.", "\t\r\n"])
def test_equal_texts_differ_nowhere(text: str) -> None:
    assert compared(text, text) == Differing((), (), 1.0, throughout=False)


def test_spaces_and_line_breaks_are_no_words() -> None:
    assert both("a  b\n\nc", " a b c\t") == ("a  b\n\nc", " a b c\t")


def unmarked(text: str, spans: Spans) -> list[str]:
    """The words outside the marks."""
    return [word for start, end in gaps(len(text), spans) for word in words_of(text[start:end])]


def gaps(length: int, spans: Spans) -> list[tuple[int, int]]:
    edges = [0, *(edge for span in spans for edge in span), length]
    return list(zip(edges[::2], edges[1::2], strict=True))


@given(TEXT, TEXT)
def test_what_is_not_marked_is_the_same_in_both(first: str, second: str) -> None:
    """Word for word; and the marks are in order, apart, inside the text and never empty."""
    found = compared(first, second)
    assert unmarked(first, found.first) == unmarked(second, found.second)
    assert 0 <= found.common <= 1
    for text, spans in ((first, found.first), (second, found.second)):
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(before[1] < after[0] or before[1] == after[0] for before, after in pairwise(spans))
        assert all(text[start:end].strip() == text[start:end] for start, end in spans)


@given(TEXT, TEXT)
@example("aaaa bbbb cc cc", "cc aaaa")
def test_it_makes_no_difference_which_text_is_first(first: str, second: str) -> None:
    there, back = compared(first, second), compared(second, first)
    assert (there.first, there.second, there.common) == (back.second, back.first, back.common)


@given(WORDS, WORDS)
def test_runs_in_common_are_the_longest(first: list[str], second: list[str]) -> None:
    """As many words as a table of all pairs finds, and the same ones in both texts."""
    runs = common_runs(first, second)
    assert [first[at : at + size] for at, _, size in runs] == [second[at : at + size] for _, at, size in runs]
    assert sum(size for *_, size in runs) == longest(first, second)


def longest(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common sequence, the slow way."""
    before = [0] * (len(second) + 1)
    for word in first:
        row = [0]
        for at, other in enumerate(second):
            row.append(before[at] + 1 if word == other else max(before[at + 1], row[at]))
        before = row
    return before[-1]


def many(count: int, seed: int) -> list[str]:
    """Words as a text has them, some often and most seldom, without a generator of random numbers."""
    return [f"w{(at * at * seed + at) % (7 + at % 997)}" for at in range(count)]


def test_texts_of_any_size_are_quick() -> None:
    """A megabyte in one word, 50,000 words with a few changes and without any likeness, a megabyte of signs."""
    long = many(50_000, 3)
    changed = [*long[:100], "x", *long[101:25_000], "y", "z", *long[25_000:]]
    before = time.process_time()
    assert compared("a" * 10**6, "b" * 10**6).common == 0
    near = compared(" ".join(long), " ".join(changed))
    assert (len(near.first), len(near.second)) == (1, 2)
    assert compared(" ".join(long), " ".join(many(50_000, 5))).common < 1
    assert compared(" " * 10**6, "\n" * 10**6).common == 1
    assert differing("?!" * 100_000, "!?!" * 60_000) is None
    assert len(compared("!" * 10**6, "?").first) == 1
    assert time.process_time() - before < 60


def test_above_a_size_a_common_sequence_is_found_in_little_memory() -> None:
    """It may be shorter than the longest; what is left unmarked is the same in both all the same."""
    first, second = many(11_000, 3), many(11_000, 5)
    assert EXACT < len(first) * len(second) < MOST
    found = compared(" ".join(first), " ".join(second))
    assert unmarked(" ".join(first), found.first) == unmarked(" ".join(second), found.second)


def test_little_lies_between_chance_and_likeness() -> None:
    """A rewritten sentence has more in common than that, two unrelated ones less."""
    said = "On Sunday the choir sings at the harbour, and everyone brings a cake."
    assert compared(said, "On Sunday the choir meets at the harbour, and Nele brings two cakes.").common > 2 * LITTLE
    assert compared(said, "A stack is a list that gives back first what was put into it last.").common < LITTLE / 2
