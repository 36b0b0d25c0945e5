"""How phrases are found: letters, edges, stars, gaps, scripts; and in what time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.checks.asking import ask

from multiturn.checks.matching import Variants, listed, phrase_fault
from multiturn.checks.part import Part, whole

FOUND = [
    ("Straße", "In der STRASSE 5", "STRASSE"),
    ("Müller", "Herr Muller", "Muller"),
    ("ещё", "Еще раз", "Еще"),
    ("еще", "Ещё раз", "Ещё"),
    ("¿qué tal?", "¿Que tal?", "¿Que tal?"),
    ("avion", "dans l'avion", "avion"),
    ("don't", "I don't", "don't"),
    ("dark green", "dark - green", None),
    ("dark green", "dark   \n green", "dark   \n green"),
    ("dark green", "darkgreen", None),
    ("dark-green", "dark green", None),
    ("can", "I can.", "can"),
    ("can", "I can't.", None),
    ("can", "CAN’T", None),
    ("Mira", "Mira’s", "Mira"),
    ("S", "It's size S.", "S"),
    ("D", "I'd take it", None),
    ("M", "I'm", None),
    ("7,300", "$7,300.", "7,300"),
    ("7,300", "17,300", None),
    ("7,300", "7,300,000", None),
    ("12", "12%", "12"),
    ("12", "12th", "12"),
    ("12", "A12", None),
    ("12.5", "12.5 kg", "12.5"),
    ("12", "12.", "12"),
    ("1998", "(1998)", "1998"),
    ("5:45", "５：４５", "５：４５"),
    ("un*", "the undone", "undone"),
    ("*ing", "keep going!", "going"),
    ("*edel*", "Ein Edelstein", "Edelstein"),
    ("*stein", "Steine", None),
    ("東京", "私は東京都に住む", "東京"),
    ("サウル", "サウルス", "サウル"),
    ("서울", "저는 서울에서", "서울"),
    ("กรุงเทพ", "อยู่กรุงเทพฯ", "กรุงเทพ"),
    ("Berlin", "在Berlin住", "Berlin"),
    ("C#", "in C# and F#", "C#"),
    (":)", "hi :)", ":)"),
    ("5:45", "**5**:45", "5**:45"),
    ("snake_case", "use `snake_case`", "snake_case"),
    ("x", "", None),
]


@pytest.mark.parametrize(("phrase", "reply", "span"), FOUND)
def test_a_phrase_and_what_it_finds(phrase: str, reply: str, span: str | None) -> None:
    """The span is as it stands in the reply."""
    found = Variants((phrase,)).find(whole(reply))
    assert (found.text if found else None) == span
    assert found is None or reply[found.start : found.end] == found.text


def test_the_longest_of_several_is_found_first_at_a_place() -> None:
    """``dark red`` is not read as ``dark``; places come in order, without overlap."""
    found = Variants(("dark", "dark red", "red")).all(whole("red, dark red, dark"))
    assert [span.text for span in found] == ["red", "dark red", "dark"]


def test_a_span_in_several_pieces_leads_back_to_the_reply() -> None:
    """A part is pieces of a reply; a phrase across two of them is quoted as far as the first goes."""
    reply = "- dark\n- green tea"
    part = Part(reply, ((2, 6), (9, len(reply))))
    tea, across = Variants(("tea",)).find(part), Variants(("dark green",)).find(part)
    assert tea is not None
    assert across is not None
    assert (tea.text, across.text) == ("tea", "dark")
    assert reply[tea.start : tea.end] == "tea"


@pytest.mark.parametrize("phrase", ["", " ", "*", " ** ", "`", "\u200b", "#", "**\u00ad**"])
def test_a_phrase_of_nothing_is_a_fault(phrase: str) -> None:
    """It would be found nowhere, or everywhere; the fault names its place."""
    assert phrase_fault(phrase) == "is empty, or markup only"
    with pytest.raises(ValueError, match=r"^any\[1\] is empty"):
        ask({"kind": "says", "any": ["fine", phrase]}, "x")


@pytest.mark.parametrize("phrase", ["5:45", "*stein", "C++", "**bold**", "?", "北京", "a" * 200])
def test_what_can_be_looked_for_is_no_fault(phrase: str) -> None:
    """Marks alone too."""
    assert phrase_fault(phrase) == ""
    assert listed((phrase, "x")) == f"{phrase!r} or 'x'"


@given(st.text(max_size=60), st.text(max_size=200))
def test_whatever_is_no_fault_can_be_looked_for_in_anything(phrase: str, reply: str) -> None:
    """No pattern breaks, and what is found stands in the reply."""
    if phrase_fault(phrase):
        return
    for negated in (False, True):
        for span in Variants((phrase,)).all(whole(reply), unless_negated=negated):
            assert reply[span.start : span.end] == span.text


@given(st.text(st.sampled_from("abc é5.,-'*北 "), min_size=1, max_size=20), st.text(max_size=30), st.text(max_size=30))
def test_a_phrase_between_spaces_is_always_found(phrase: str, before: str, behind: str) -> None:
    """Whatever stands around it."""
    if phrase_fault(phrase) or "*" in phrase:
        return
    phrase = " ".join(phrase.split())
    assert Variants((phrase,)).find(whole(f"{before} {phrase} {behind}")) is not None


MANY = ("walnut*", "*nut", "a a a a a a a a a a a a b", "x " * 99 + "y", "北京", "5", "a-b", "'a")
HOSTILE = ["a", " ", "word ", "x ", "a ", "5.5", "a-", '"*_', "北", "\n", "- ", "x" + " " * 25, "walnu "]


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_length_only(piece: str) -> None:
    """A million characters, made to nearly match at every place."""
    part = whole(piece * (1_000_000 // len(piece)))
    start = time.perf_counter()
    for phrases in (MANY, ("walnuts",)):
        Variants(phrases).find(part, unless_negated=True)
        Variants(phrases).at_start(part)
        Variants(phrases).at_end(part)
    assert time.perf_counter() - start < 20
