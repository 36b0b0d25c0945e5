"""Kinds that count: count, one_sentence, shorter, longer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.checks.asking import ask

from multiturn.checks.counting import Of, count, first_surplus

LIST = "Here:\n\n- one\n  - inside\n- two\n- three\n\nDone."

COUNTS: list[tuple[str, str, int, str]] = [
    # of, reply, how many, the third one
    ("sentences", "One. Two! Three? Four.", 4, "Three?"),
    ("sentences", "- One\n- Two\n- Three", 3, "Three"),
    ("sentences", "Er kam um 8 Uhr. Dann, z. B., schlief er. Gut.", 3, "Gut."),
    ("sentences", "下雨了。我忘了伞！怎么办？", 3, "怎么办？"),
    ("words", "one two three four", 4, "three"),
    ("words", "**one** — two-fold *don't*", 3, "*don't*"),
    ("words", "我住北京", 4, "北"),
    ("lines", "one\n\ntwo\n---\nthree\n", 3, "three"),
    ("lines", "```\none\n```\ntwo\n| three |", 3, "| three |"),
    ("paragraphs", "One\none.\n\n# No\n\nTwo.\n\n- no\n\n> Three.", 3, "Three."),
    ("paragraphs", "One.\r\n\r\nTwo.\r\n\r\nThree.", 3, "Three."),
    ("bullets", LIST, 3, "three"),
    ("bullets", "1. a\n   - x\n   - y\n2. b\n   - z", 3, "z"),
    ("characters", " ab c\r\n", 4, " c"),
    ("characters", "e\u0301a\u0301o\u0301", 3, "o\u0301"),
    ("questions", "Yes? No. “Why?” *How?!* 什么？", 4, "*How?!*"),
]


@pytest.mark.parametrize(("of", "reply", "number", "third"), COUNTS)
def test_what_is_counted(of: Of, reply: str, number: int, third: str) -> None:
    """Exactly so many pass, one less and one more do not; the first one too many is the span."""
    check = {"kind": "count", "of": of}
    assert count(of, reply) == number
    assert ask({**check, "exactly": number}, reply).outcome == "pass"
    for other in (number - 1, number + 1):
        assert ask({**check, "exactly": other}, reply).outcome == "fail"
    assert ask({**check, "min": number}, reply).outcome == "pass"
    assert ask({**check, "min": number + 1}, reply).outcome == "fail"
    assert ask({**check, "max": number}, reply).outcome == "pass"
    found = ask({**check, "max": 2}, reply)
    assert (found.outcome, found.span and found.span.text) == ("fail", third)


def test_few_and_none() -> None:
    """Nothing is quoted where something is missing."""
    assert ask({"kind": "count", "of": "bullets", "max": 0}, "No list.").outcome == "pass"
    assert ask({"kind": "count", "of": "bullets", "max": 0}, "- a").reason == "has 1 bullet, not at most 0 bullets"
    assert (
        ask({"kind": "count", "of": "questions", "min": 1}, "No.").reason == "has 0 questions, not at least 1 question"
    )
    found = ask({"kind": "count", "of": "words", "exactly": 5, "tolerance": 1}, "one two three")
    assert (found.reason, found.span) == ("has 3 words, not exactly 5 words, give or take 1", None)


def test_tolerance_widens_both_ends() -> None:
    """Of a range too."""
    for number, outcome in ((3, "fail"), (4, "pass"), (6, "pass"), (7, "fail")):
        check = {"kind": "count", "of": "words", "exactly": 5, "tolerance": 1}
        assert ask(check, "word " * number).outcome == outcome
        check = {"kind": "count", "of": "words", "min": 5, "max": 5, "tolerance": 1}
        assert ask(check, "word " * number).outcome == outcome


def test_a_span_far_inside_a_long_reply() -> None:
    """The surplus word is found wherever it stands."""
    words = [f"w{number}" for number in range(3_000)]
    found = ask({"kind": "count", "of": "words", "max": 2_345}, " ".join(words))
    assert found.span
    assert found.span.text == "w2345"
    many = "a" * 999 + "B" + " b" * 100
    found = ask({"kind": "count", "of": "characters", "max": 999}, many)
    assert found.span
    assert found.span.text.startswith("B b b")


@pytest.mark.parametrize(
    "check",
    [
        {"kind": "count", "of": "words", "max": 5},
        {"kind": "count", "of": "words", "exactly": 2},
        {"kind": "one_sentence"},
        {"kind": "shorter"},
    ],
)
def test_upper_bounds_need_the_end_of_the_reply(check: dict[str, object]) -> None:
    """A reply cut off at the limit fails them, and not lower bounds."""
    earlier = [("Tell me.", "One two three four five.")]
    assert ask(check, "One two.", earlier=earlier).outcome == "pass"
    assert "cut off" in ask(check, "One two.", earlier=earlier, status="length").reason
    assert ask({"kind": "count", "of": "words", "min": 2}, "One two.", status="length").outcome == "pass"
    assert ask({"kind": "longer"}, "word " * 9, earlier=earlier, status="length").outcome == "pass"


@pytest.mark.parametrize(
    ("reply", "span"),
    [
        ("Dr. Ames lives at 3.5 High St. in the U.S. today", None),
        ("It is **done**!\n", None),
        ("She asked: “Why?”", None),
        ("今天下雨。", None),
        ("One. Two. Three.", "Two."),
        ("One\n\nTwo", "Two"),
        ("- One\n- Two", "Two"),
        ("Sure! It is done.", "It is done."),
    ],
)
def test_one_sentence(reply: str, span: str | None) -> None:
    """As ``count`` counts; the span of a fail is the second one."""
    found = ask({"kind": "one_sentence"}, reply)
    assert found.outcome == ("fail" if span else "pass")
    assert found.span
    assert found.span.text == (span or reply.strip())


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("Sure! Here it is: The cat sat.", "pass"),
        ("Of course. Here's the summary in one sentence:\n\nThe cat sat.", "pass"),
        ("Klar, gern! Hier ist der Satz:\n\n> Die Katze saß.", "pass"),
        ("Bien sûr ! Voici la phrase :\nLe chat dort.", "pass"),
        ("好的！以下是总结：\n猫坐着。", "pass"),
        ("The cat sat.", "pass"),
        ("Sure! Here it is: The cat sat. The dog ran.", "fail"),
        ("The cat sat. Here it is.", "fail"),
        ("The cat sat. Let me know if you want another.", "fail"),
    ],
)
def test_one_sentence_behind_a_lead_in(reply: str, outcome: str) -> None:
    """Only with ``allow_leadin``, and only before it."""
    assert ask({"kind": "one_sentence", "allow_leadin": True}, reply).outcome == outcome


def test_one_sentence_needs_one() -> None:
    """Code alone is none."""
    assert ask({"kind": "one_sentence"}, "```\nx = 1\n```").reason == "has no sentence"


EARLIER = [("Tell me.", "one two three four five six seven eight nine ten"), ("More?", "one two")]


@pytest.mark.parametrize(
    ("check", "words", "outcome"),
    [
        ({"kind": "shorter", "back": 2}, 9, "pass"),
        ({"kind": "shorter", "back": 2}, 10, "fail"),
        ({"kind": "shorter", "back": 2, "ratio": 0.29}, 2, "pass"),
        ({"kind": "shorter", "back": 2, "ratio": 0.29}, 3, "fail"),
        ({"kind": "shorter", "back": 2, "ratio": 0.5, "floor": 7}, 7, "pass"),
        ({"kind": "shorter", "back": 2, "ratio": 1}, 10, "pass"),
        ({"kind": "shorter"}, 1, "pass"),
        ({"kind": "shorter"}, 2, "fail"),
        ({"kind": "longer", "back": 2}, 11, "pass"),
        ({"kind": "longer", "back": 2}, 10, "fail"),
        ({"kind": "longer", "back": 2, "floor": 20}, 11, "fail"),
        ({"kind": "longer", "back": 2, "ratio": 2}, 20, "pass"),
        ({"kind": "longer", "back": 2, "ratio": 2}, 19, "fail"),
        ({"kind": "longer"}, 3, "pass"),
        ({"kind": "longer"}, 2, "fail"),
    ],
)
def test_shorter_and_longer(check: dict[str, object], words: int, outcome: str) -> None:
    """Than the reply so many turns back, by words."""
    assert ask(check, "word " * words, earlier=EARLIER).outcome == outcome


def test_shorter_quotes_the_first_word_too_many() -> None:
    """And says how many would do."""
    found = ask({"kind": "shorter", "back": 2}, "a b c d e f g h i j k", earlier=EARLIER)
    assert found.span
    assert found.span.text == "j"
    assert found.reason == "11 words against 10 2 turns back: 9 would do"


def test_the_same_scope_of_both_replies_is_compared() -> None:
    """Talk around what was asked for counts in neither; where the reply then has no such part, all of it counts."""
    earlier = [("Write it.", "Sure! Here it is:\n\n> one two three four\n\nLet me know if you want changes.")]
    check = {"kind": "shorter", "scope": "artefact"}
    assert ask(check, "> one two three", earlier=earlier).outcome == "pass"
    assert ask(check, "> one two three four", earlier=earlier).outcome == "fail"
    assert ask({"kind": "shorter", "scope": "list_items"}, "- one\n- two", earlier=earlier).outcome == "pass"


def test_chinese_and_kana_characters_are_words() -> None:
    """So replies in different scripts can be compared in one conversation of one language."""
    earlier = [("说说。", "我住在北京市朝阳区。")]
    assert ask({"kind": "shorter"}, "我住在北京。", earlier=earlier).outcome == "pass"
    assert ask({"kind": "longer"}, "我住在北京。", earlier=earlier).outcome == "fail"


def test_without_a_reply_to_compare_with_it_fails() -> None:
    """And says so."""
    assert ask({"kind": "shorter"}, "Yes.").reason == "there is no reply the turn before to compare with"
    earlier = [("Tell me.", "...")]
    assert "has no words" in ask({"kind": "longer"}, "Yes, sir.", earlier=earlier).reason


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({"kind": "count", "of": "words"}, "needs min, max or exactly"),
        ({"kind": "count", "of": "words", "min": -1}, "must be 0 or more"),
        ({"kind": "count", "of": "words", "min": 0}, "asks for nothing"),
        ({"kind": "count", "of": "words", "exactly": 1, "max": 2}, "exactly stands alone"),
        ({"kind": "count", "of": "words", "min": 3, "max": 2}, "min is more than max"),
        ({"kind": "count", "of": "word", "max": 2}, "of: Invalid"),
        ({"kind": "count", "max": 2}, "of"),
        ({"kind": "count", "of": "words", "max": 2.5}, "max: Expected"),
        ({"kind": "shorter", "back": 0}, "back must be 1"),
        ({"kind": "shorter", "ratio": 1.1}, "ratio must be"),
        ({"kind": "shorter", "ratio": 0}, "ratio must be"),
        ({"kind": "shorter", "ratio": "NaN"}, "ratio must be"),
        ({"kind": "longer", "ratio": 0.9}, "ratio must be 1 or more"),
        ({"kind": "longer", "floor": -1}, "floor must be 0"),
    ],
)
def test_faults_of_configuration(check: dict[str, object], fault: str) -> None:
    """Are told when the check is read."""
    with pytest.raises(ValueError, match=r".") as told:
        ask(check, "Yes.")
    assert fault in str(told.value)


EVERYTHING: tuple[Of, ...] = ("sentences", "words", "lines", "paragraphs", "bullets", "characters", "questions")
TEXTS = st.lists(
    st.sampled_from(
        ["One two. ", "Why? ", "\n", "\n\n", "- item", "1. item", "我住", "don't ", "**b** ", "# T\n", "> q\n"]
    )
    | st.text(max_size=6)
).map("".join)


@given(TEXTS, st.sampled_from(EVERYTHING))
def test_blank_space_behind_counts_nothing(text: str, of: Of) -> None:
    """Spaces and blank lines at the end make no difference; behind a fence that is open they are code."""
    assert count(of, text + " \n\n \n") == count(of, text) or "```" in text or "~~~" in text


@given(TEXTS, st.sampled_from(EVERYTHING), st.integers(min_value=0, max_value=8))
def test_a_surplus_stands_in_the_text_where_there_are_more(text: str, of: Of, most: int) -> None:
    """And nowhere else."""
    place = first_surplus(of, text, most)
    assert (place is not None) == (count(of, text) > most)
    if place is not None:
        assert 0 <= place[0] < place[1] <= len(text)


@pytest.mark.parametrize(
    ("unit", "length"),
    [(unit, 1_000_000) for unit in ("a", "7", ",", "|", "`", "[", "- \n", " ", "\n", "a ")]
    + [(unit, 200_000) for unit in ("- a\n", "a. ", "a? ", "的", "e\u0301", "Dr. ", "x\n\n")],
)
def test_hostile_replies_take_linear_time(unit: str, length: int) -> None:
    """A megabyte of anything within seconds, whatever is counted."""
    reply = unit * (length // len(unit))
    start = time.perf_counter()
    for of in EVERYTHING:
        count(of, reply)
        first_surplus(of, reply, 1_000)
    ask({"kind": "one_sentence", "allow_leadin": True}, reply)
    ask({"kind": "shorter"}, reply, earlier=[("Tell me.", reply)])
    assert time.perf_counter() - start < 30
