"""The model's own earlier words: quotes."""

from __future__ import annotations

import time

import pytest
from tests.checks.asking import ask

from multiturn.checks.reading import read_check
from multiturn.conversation import CheckJson

THEN = "A compiler translates the **whole program** before it runs; an interpreter reads it line by line."
EARLIER = [("What is a compiler?", THEN), ("Thanks.", "You're welcome.")]
QUOTES = {"kind": "quotes", "back": 2}


@pytest.mark.parametrize(
    ("reply", "span"),
    [
        ("I said: “a compiler translates the whole program”.", "a compiler translates the whole"),
        ("I said A COMPILER,\ntranslates - the `whole` thing.", "A COMPILER,\ntranslates - the `whole"),
        ("I said that an interpreter reads it line by line", "an interpreter reads it line"),
        ("A compiler translates the entire program.", None),
        ("A compiler translates the. Whole, yes.", "A compiler translates the. Whole"),
        ("I said something about compilers.", None),
        ("compiler", None),
    ],
)
def test_a_run_of_words_is_quoted_in_any_typography(reply: str, span: str | None) -> None:
    """Five words in a row; the span is the first such run as it stands in this reply."""
    found = ask(QUOTES, reply, earlier=EARLIER)
    assert found.outcome == ("pass" if span else "fail")
    assert (found.span.text if found.span else None) == span
    if found.span:
        assert reply[found.span.start : found.span.end] == span
    else:
        assert found.reason == "repeats no 5 words in a row of the reply of 2 turns back"


@pytest.mark.parametrize(("words", "outcome"), [(1, "pass"), (3, "pass"), (4, "pass"), (5, "fail"), (50, "fail")])
def test_how_many_words(words: int, outcome: str) -> None:
    """As many as the check asks for."""
    assert ask({**QUOTES, "words": words}, "A compiler translates the lot.", earlier=EARLIER).outcome == outcome


def test_each_of_several_replies_is_quoted() -> None:
    """One of them is not enough."""
    check = {"kind": "quotes", "back": [1, 2], "words": 2}
    assert ask(check, "You're welcome; line by line.", earlier=EARLIER).outcome == "pass"
    found = ask(check, "Line by line.", earlier=EARLIER)
    assert found.reason == "repeats no 2 words in a row of the reply of the turn before"


@pytest.mark.parametrize(
    ("then", "now", "words", "outcome"),
    [
        ("编译器先翻译整个程序。", "我说过：“编译器先翻译整个程序”。", 8, "pass"),
        ("编译器先翻译整个程序。", "编译器不翻译整个程序。", 8, "fail"),
        ("コンパイラは全体を翻訳します。", "「全体を翻訳します」と言いました。", 8, "pass"),
        ("Компилятор переводит всю программу сразу.", "Он «переводит всю программу сразу».", 4, "pass"),
        ("Ein Übersetzer übersetzt das ganze Programm.", "ein ubersetzer übersetzt das ganze", 5, "pass"),
    ],
)
def test_other_languages(then: str, now: str, words: int, outcome: str) -> None:
    """In Chinese and Japanese each character is a word."""
    assert ask({"kind": "quotes", "back": 1, "words": words}, now, earlier=[("?", then)]).outcome == outcome


def test_what_there_is_not_can_not_be_quoted() -> None:
    """A reply of few words is the model's own; a reply that is missing is not."""
    found = ask({**QUOTES, "back": 1}, "You're welcome.", earlier=EARLIER)
    assert (found.outcome, found.reason) == ("fail", "the reply of the turn before has only 3 words to repeat")
    assert ask({**QUOTES, "back": 1, "words": 3}, "You're welcome.", earlier=EARLIER).outcome == "pass"
    assert ask({**QUOTES, "back": 3}, "You're welcome.", earlier=EARLIER).outcome == "not_applicable"


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ('"back": 0', "back must be 1"),
        ('"back": []', "back is empty"),
        ('"back": 1, "words": 0', "words must be from 1 to 50"),
        ('"back": 1, "words": 51', "words must be from 1 to 50"),
        ('"back": "1"', "back: Expected `int | array`, got `str`"),
        ('"words": 5', "missing required field `back`"),
    ],
)
def test_faults_name_their_field(fields: str, fault: str) -> None:
    """And say what is wrong with it."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        read_check(CheckJson(b'{"kind": "quotes", ' + fields.encode() + b"}"))
    assert fault in str(caught.value)


@pytest.mark.parametrize("piece", ["a ", "a", "北", " ", "word "])
def test_time_grows_with_the_length_only(piece: str) -> None:
    """Replies of 400,000 characters, one nearly in the other."""
    text = piece * (400_000 // len(piece))
    start = time.perf_counter()
    ask({"kind": "quotes", "back": 1, "words": 50}, "b " + text, earlier=[("?", ("b " + text[:90]) * 4_000)])
    assert time.perf_counter() - start < 20
