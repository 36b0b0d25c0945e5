"""Words and sentences are counted as people count them."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.text.measure import count_sentences, count_words, is_blank, sentence_spans, sentences

SENTENCES = [
    ("", 0),
    ("  \n ", 0),
    ("...", 0),
    ("👍", 0),
    ("one line without a full stop", 1),
    ("Halt! Who goes there? A friend.", 3),
    ("Really?! Yes.", 2),
    ("Wow!!! Great.", 2),
    ("Is it? no.", 2),
    ("Hello there. it rained. then we left.", 3),
    ("Yahoo! is a company.", 1),
    ("Dr. Ames lives in the U.S. He is old.", 2),
    ("J. R. R. Tolkien wrote it. I agree.", 2),
    ("George W. Bush won.", 1),
    ("Choose option B. It is best.", 2),
    ("At 3 a.m. the dog barked. At 4 p.m. It slept.", 3),
    ("Use plums, pears, etc. and sugar. Stir.", 2),
    ("We sell plums, pears, etc. We open at noon.", 2),
    ("e.g. Plums are nice. i.e. The red ones.", 2),
    ("approx. five. Yes.", 2),
    ("See Fig. 3 and No. 5 for it. Good.", 2),
    ("Version 3.0.1 costs 12.75 euros. It is 5.", 2),
    ("Use node.js or Node.Js today. It is good.", 2),
    ("Write to a.b@c.example. Thanks.", 2),
    ("See https://x.example/a.html?b=1. Thanks!", 2),
    ("I like it.Then I left.", 2),
    ("Wait... then go.", 1),
    ("Wait… Then go.", 2),
    ("I... I don't know.", 1),
    ('He said "Stop." Then he left.', 2),
    ('He said: "I won." and left.', 1),
    ("“Go!” she said. He went.", 2),
    ("(It rained.) We left.", 2),
    ("**Bold.** Then text.", 2),
    ("Hello! 😀 Bye.", 2),
    ("- one\n- two\n- three", 3),
    ("1. First do this.\n2. Then that.", 2),
    ("Steps: 1. Do this. 2. Do that.", 2),
    ("# Title\n\nText here. More.", 2),
    ("```python\nprint(1). \nx = 2. y\n```\nDone.", 1),
    ("| a | b |\n|---|---|\n| c | d |", 2),
    ("> Quoted text. More.", 2),
    ("This line\ngoes on here.", 1),
    ("One paragraph\n\nanother one", 2),
    ("Das ist z. B. gut, d.h. sehr gut. Ja.", 2),
    ("Am 3. Oktober kam er. Dann ging er.", 2),
    ("Er kam um 8. Dann schlief er.", 2),
    ("M. Dupont est là. Il part.", 2),
    ("Sr. García vino. ¡Muy bien! ¿Qué tal?", 3),
    ("Т.е. он ушёл. Да.", 2),
    ("你好吗？我很好。", 2),
    ("「行こう。」と彼は言った。そして行った。", 2),
    ("यह है। वह है।", 2),
    ("هل تعرف؟ نعم.", 2),
]

WORDS = [
    ("", 0),
    ("...", 0),
    ("—", 0),
    ("👍 ok 🙂", 1),
    ("0", 1),
    ("don't stop", 2),
    ("It’s O’Neil’s", 2),
    ("rock 'n' roll", 3),
    ("state-of-the-art kit", 2),
    ("a — b -- c—d", 4),
    ("wait...then wait…now", 4),
    ("one,two,three", 3),
    ("1,000 euros, 3.14 and 50%", 5),
    ("one\u00a0two\u2009three\u3000four", 4),
    ("a\u200bb", 1),
    ("hello , world !", 2),
    ("**bold** _it_ and `code`", 4),
    ("## Plan\nrun fast", 3),
    ("- first\n* second\n+ third item", 4),
    ("1. First\n2) Second\na) third", 3),
    ("- [ ] open\n- [x] done", 2),
    ("> quote here", 2),
    ("| a | b |\n|---|---|\n| c | d |", 4),
    ("```python\nx = 1\n```", 2),
    ("see https://a.example/b?c=d or www.b.example", 4),
    ("[two words](https://a.example) more", 3),
    ("me@there.example", 1),
    ("C++ & C#", 2),
    ("and/or", 1),
    ("Paris–London 1990–1995", 3),
    ("naïve cafe\u0301", 2),
    ("你好世界", 4),
    ("使用Python编程", 5),
    ("ラーメン", 4),
    ("안녕하세요 세계", 2),
    ("3 4 5", 3),
]


@pytest.mark.parametrize(("text", "count"), SENTENCES)
def test_sentences_are_counted(text: str, count: int) -> None:
    """Abbreviations, numbers, addresses, lists, quotes and scripts do not mislead the count."""
    assert count_sentences(text) == count, sentences(text)


@pytest.mark.parametrize(("text", "count"), WORDS)
def test_words_are_counted(text: str, count: int) -> None:
    """Contractions, hyphens, dashes, markdown and scripts do not mislead the count."""
    assert count_words(text) == count


def test_sentences_stand_as_written() -> None:
    """Each sentence is a part of the text, without the list marker and the spaces around it."""
    assert sentences("1. Go on.  Stop!\n\n- **Now.** Later") == ("Go on.", "Stop!", "**Now.**", "Later")


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\u200b\u200b", "\u00a0\ufeff", "<|im_end|>", " <|im_end|>\n</s>", "\u2800\u3164"]
)
def test_nothing_to_see_is_blank(text: str) -> None:
    """Spaces, characters of no width and control tokens are nothing to see."""
    assert is_blank(text, ("<|im_end|>", "</s>"))


@pytest.mark.parametrize("text", ["...", "👍", "0", "No.", "<|im_end|>"])
def test_something_to_see_is_not_blank(text: str) -> None:
    """A point, an emoji or a token that is no control token is something."""
    assert not is_blank(text)


PIECES = st.sampled_from(
    [
        "word",
        "It's",
        "3.5",
        "e.g.",
        "Dr.",
        "end.",
        "end!",
        "\n",
        "\n\n",
        "- ",
        "# ",
        "“",
        "”",
        "...",
        "你好。",
        "`x`",
        "```\n",
    ]
)


@given(st.lists(PIECES, max_size=25).map(" ".join) | st.text(max_size=80))
def test_sentence_spans_are_ordered(text: str) -> None:
    """Spans come in order, do not overlap, hold a letter or digit, and carry no space at their ends."""
    done = 0
    for start, end in sentence_spans(text):
        assert done <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert any(char.isalnum() for char in text[start:end])
        done = end


@given(
    st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), max_size=20),
    st.sampled_from([" ", "\n", "\u00a0", "\t ", "  "]),
)
def test_spacing_and_case_do_not_change_the_words(words: list[str], space: str) -> None:
    """However words are spaced, cased or emphasised, they are as many."""
    assert count_words(space.join(words)) == len(words)
    assert count_words(space.join(f"**{word.upper()}**" for word in words)) == len(words)


@pytest.mark.parametrize("unit", ["a.b! ", "a", '("', "„a", "1. ", "... ", "—", "](a", "> ", 'x." ', " '", "/"])
def test_long_odd_texts_take_no_long_time(unit: str) -> None:
    """100,000 characters made to mislead are counted in time that grows with their length."""
    text = unit * (100_000 // len(unit))
    start = time.perf_counter()
    count_words(text)
    count_sentences(text)
    assert time.perf_counter() - start < 5


def test_pieces_that_are_joined_again_and_again_take_linear_time() -> None:
    """Every numeral goes on with the one before it; four times the text takes about four times as long."""

    def seconds(length: int) -> float:
        text = "1. " * (length // 3)
        start = time.perf_counter()
        count_sentences(text)
        return time.perf_counter() - start

    seconds(1_000)  # what is loaded once
    assert seconds(800_000) < 9 * seconds(200_000)


def test_counting_loads_no_model() -> None:
    """Whoever only counts words loads neither the language model nor numpy."""
    code = "import sys, multiturn.text.measure; print([m for m in ('py3langid', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
