"""How a reply begins and ends: starts_with, ends_with."""

from __future__ import annotations

import time

import pytest
from tests.checks.asking import ask

from multiturn.checks.reading import read_check
from multiturn.conversation import CheckJson

STARTS = [
    ("Dear Mira", "Dear Mira,\n\nthank you.", "Dear Mira"),
    ("Dear Mira", "  \n**Dear Mira**, thank you.", "Dear Mira"),
    ("Dear Mira", "> “Dear Mira, thank you.”", "Dear Mira"),
    ("Dear Mira", "# Dear Mira", "Dear Mira"),
    ("Dear Mira", "- Dear Mira", "Dear Mira"),
    ("Dear Mira", "1. Dear Mira", "Dear Mira"),
    ("Dear Mira", "Dear\nMira!", "Dear\nMira"),
    ("Dear Mira", "Here it is: Dear Mira", None),
    ("Dear Mira", "Dear Miranda", None),
    ("dear*", "Dearest", "Dearest"),
    ("1.", "1. First", "1."),
    ("1", "1. First", "1"),
    ("“", "“Dear Mira”", "“"),
    ("Liebe", "„Liebe Mira“", "Liebe"),
    ("Chère", "« Chère Mira »", "Chère"),
    ("¿Cuándo", "¿Cuándo llega?", "¿Cuándo"),
    ("Cuándo", "¿Cuándo llega?", "Cuándo"),
    ("Дорогая", "«Дорогая Мира»", "Дорогая"),
    ("亲爱的", "「亲爱的米拉」", "亲爱的"),
    ("拝啓", "拝啓 ミラ様", "拝啓"),
    ("米拉", "亲爱的米拉", None),
]
ENDS = [
    ("Yours, Tom", "Thanks.\n\nYours,\nTom", "Yours,\nTom"),
    ("Yours, Tom", "Thanks.\n\nYours, Tom", "Yours, Tom"),
    ("Tom", "Thanks.\n\n— **Tom**.\n", "Tom"),
    ("Tom", "“... said Tom.”", "Tom"),
    ("Tom", "said Tom...", "Tom"),
    ("Tom", "said Tom?!", "Tom"),
    ("Tom", "said Tom )", "Tom"),
    ("Tom", "Tom said", None),
    ("Tom", "said Atom", None),
    ("tom", "TOM", "TOM"),
    ("*tom", "an atom.", "atom"),
    ("Bye!", "Good-bye. Bye!", "Bye!"),
    ("Bye!", "Bye!”", "Bye!"),
    ("Bye!", "Bye.", None),
    ("?", "Is that fine?", "?"),
    ("?", "Is that fine? Yes.", None),
    ("5", "It is 3.5", None),
    ("3.5", "It is 3.5.", "3.5"),
    ("5", "1.5, 5", "5"),
    ("Grüßen", "Mit freundlichen Grüßen!", "Grüßen"),
    ("merci", "Et voilà, merci !", "merci"),
    ("gracias", "Muchas gracias.", "gracias"),
    ("спасибо", "Большое спасибо!", "спасибо"),
    ("谢谢", "非常谢谢。", "谢谢"),
    ("Tom", "Yours, Tom 😊", "Tom"),
    ("Tom", "Yours, **Tom** ❤️🎉!", "Tom"),
    ("Tom", "Yours, Tom 👩🏽‍🍳", "Tom"),
    ("Tom", "Yours, Tom :-)", "Tom"),
    ("Tom", "Yours, Tom ✓ ★ → •", "Tom"),
    ("Bye!", "Good-bye. Bye! 👋🏽", "Bye!"),
    ("👋", "Bye! 👋", "👋"),
    ("नमस्ते", "मीरा, नमस्ते 🙏", "नमस्ते"),
    ("Tom", "Tom 😊 and Mira 😊", None),
    ("5", "It costs 5 €", None),
    ("5", "It is 5%", None),
    ("5", "It is 5°", None),
    ("C", "Write it in C++", None),
    ("C++", "Write it in C++ 🙂", "C++"),
    ("Tom", "😊", None),
    ("ます", "ありがとうございます。」", "ます"),
]


@pytest.mark.parametrize(("phrase", "reply", "span"), STARTS)
def test_what_a_reply_starts_with(phrase: str, reply: str, span: str | None) -> None:
    """Spaces, quotes and markup before it are passed over, words are not."""
    found = ask({"kind": "starts_with", "any": ["nothing of it", phrase]}, reply)
    assert (found.outcome, found.span.text if found.span and span else None) == ("pass" if span else "fail", span)


@pytest.mark.parametrize(("phrase", "reply", "span"), ENDS)
def test_what_a_reply_ends_with(phrase: str, reply: str, span: str | None) -> None:
    """Punctuation, quotes, markup and emoji behind it are passed over, unless the phrase itself ends so.

    Signs that are read out (€, %) are not.
    """
    found = ask({"kind": "ends_with", "any": ["nothing of it", phrase]}, reply)
    assert (found.outcome, found.span.text if found.span and span else None) == ("pass" if span else "fail", span)
    if found.span:
        assert reply[found.span.start : found.span.end] == found.span.text


def test_another_edge_is_quoted() -> None:
    """A few words of it, none cut."""
    reply = "Certainly! I would be glad to write you a letter for that occasion, and here it comes at last: Dear Mira"
    began, ended = (ask({"kind": kind, "any": ["x"]}, reply) for kind in ("starts_with", "ends_with"))
    assert began.span is not None
    assert ended.span is not None
    assert began.span.text == "Certainly! I would be glad to write you a letter for that"
    assert ended.span.text == "for that occasion, and here it comes at last: Dear Mira"
    assert (began.reason, ended.reason) == ("does not begin with 'x'", "does not end with 'x'")
    assert ask({"kind": "starts_with", "any": ["x"]}, " Fine. ").span is not None


def test_the_edges_are_those_of_the_scope() -> None:
    """The last line begins with its own first word."""
    check = {"kind": "starts_with", "any": ["Yours"], "scope": "last_line"}
    assert ask(check, "Thanks.\n\nYours, Tom").outcome == "pass"
    assert ask({**check, "scope": "reply"}, "Thanks.\n\nYours, Tom").outcome == "fail"
    assert ask({**check, "scope": "code"}, "Thanks.").reason == "the reply has no code"


def test_a_reply_that_was_cut_off_has_no_end() -> None:
    """It has a beginning."""
    reply = "Dear Mira, yours Tom"
    assert ask({"kind": "ends_with", "any": ["Tom"]}, reply, status="length").outcome == "fail"
    assert ask({"kind": "starts_with", "any": ["Dear"]}, reply, status="length").outcome == "pass"


@pytest.mark.parametrize("kind", ["starts_with", "ends_with"])
@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ('"any": []', "any is empty"),
        ('"any": ["a", "*"]', "any[1] is empty"),
        ('"all": ["a"]', "all is no field of it"),
    ],
)
def test_faults_name_their_field(kind: str, fields: str, fault: str) -> None:
    """And say what is wrong with it."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        read_check(CheckJson(f'{{"kind": "{kind}", {fields}}}'.encode()))
    assert fault in str(caught.value)


@pytest.mark.parametrize("piece", [" ", "*", "“", "- ", "1. ", "a", "!", "...", "end ", "\n", "😊", "a\u0301\u0301"])
def test_time_grows_with_the_length_only(piece: str) -> None:
    """A million characters that are nearly an edge."""
    text = piece * (1_000_000 // len(piece)) + "x"
    start = time.perf_counter()
    for kind in ("starts_with", "ends_with"):
        for reply in (text, "x" + text[:-1]):
            ask({"kind": kind, "any": ["a b c", "*q*", "end end end."]}, reply)
    assert time.perf_counter() - start < 30
