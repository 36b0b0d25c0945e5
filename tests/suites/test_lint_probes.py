"""What lint says of probes, from the text alone."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.conversation import CheckJson, Conversation, Suite, Turn
from multiturn.suites.lint import lint
from multiturn.suites.lint_probes import GRAM, NEAR, SHORTEST
from multiturn.suites.remarks import Rule

LABELLED: frozenset[str] = frozenset({"uncovered_capability"})


def turn(text: str, *checks: Mapping[str, object], distance: int | None = None, why: str = "w") -> Turn:
    written = tuple(CheckJson(msgspec.json.encode(check)) for check in checks)
    return Turn(text=text, checks=written, distance=distance, why=why, capability="context_retention")


def remarks(*conversations: Conversation) -> list[tuple[Rule, str, int | None]]:
    found = lint(Suite(name="mine", conversations=conversations))
    return [(one.rule, one.conversation, one.turn) for one in found if one.rule not in LABELLED]


def held(*turns: Turn | str, identifier: str = "a", system: str | None = None) -> Conversation:
    said = tuple(Turn(text=one) if isinstance(one, str) else one for one in turns)
    return Conversation(id=identifier, turns=said, system=system)


SAYS = {"kind": "says", "any": ["7:15"]}
SHORT = {"kind": "count", "of": "words", "max": 5}
ASKS = {"kind": "asks_question"}
RECALLS = {"kind": "recalls", "facts": [["7:15", "quarter past seven"]], "distractors": ["8:15"]}


def test_a_good_probe_has_no_remarks() -> None:
    """The fact was given so many turns back as the distance says, and is not in the question."""
    probe = turn("So when do we sit down again?", RECALLS, distance=2)
    assert remarks(held("We sit down at 7:15 on Saturday.", "A starter, please.", probe)) == []


@pytest.mark.parametrize(
    ("probe", "rule"),
    [
        (turn("When do we eat, at 7:15?", RECALLS, distance=2), "answer_given"),
        (turn("When do we eat?", RECALLS, distance=1), "wrong_distance"),
        (turn("When do we eat?", RECALLS, distance=2, why=""), "undocumented_probe"),
        (turn("When do we eat?", {**RECALLS, "facts": ["Mira"]}, distance=2), "fact_never_given"),
        (turn("No nuts!", {"kind": "does_not_say", "any": ["walnut*"]}, distance=2), "no_positive_check"),
        (turn("How much, 12 or what?", {"kind": "number", "value": 12}, distance=2), "answer_given"),
        (turn("As I'll explain later, when?", RECALLS, distance=2), "later_reference"),
        (turn("When do we eat, at 7:15?", RECALLS), "answer_given"),
        (turn("Is it 7:15 then?", {"kind": "regex", "pattern": r"\b7[:.]15\b"}, distance=2), "answer_given"),
        (turn("So 7:15?", {"kind": "all_of", "checks": [SAYS, SHORT]}, distance=2), "answer_given"),
        (turn("So 7:15?", {"kind": "any_of", "checks": [SAYS, ASKS]}, distance=2), "answer_given"),
        (turn("So 7:15?", {"kind": "not", "check": ASKS}, SAYS, distance=2), "answer_given"),
        (turn("When?", {"kind": "all_of", "checks": [{**RECALLS, "facts": ["Mira"]}]}, distance=2), "fact_never_given"),
        (turn("When?", {"kind": "any_of", "checks": [RECALLS, SAYS]}, distance=1), "wrong_distance"),
    ],
)
def test_a_weak_probe(probe: Turn, rule: Rule) -> None:
    """Each is told once, at its turn."""
    assert remarks(held("We sit down at 7:15.", "A starter?", probe)) == [(rule, "a", 2)]


@pytest.mark.parametrize(
    "probe",
    [
        turn("When, at 7:15 or at 8:15?", SAYS, {"kind": "does_not_say", "any": ["8:15"]}, distance=2),
        turn("When, at 7:15 or at 8:15?", SAYS, {"kind": "regex", "pattern": "8:15", "absent": True}, distance=2),
        turn("When, at 7:15 or 8:15?", SAYS, {"kind": "not", "check": {**SAYS, "any": ["8:15"]}}, distance=2),
        turn("7:15 is for the starter. And who?", {"kind": "says", "all": ["7:15", "Mira"]}, distance=2),
        turn("7:15, and who is it?", {"kind": "all_of", "checks": [SAYS, {**SAYS, "any": ["Mira"]}]}, distance=2),
        turn("Say it again for 7:15.", SAYS, {"kind": "ends_with", "any": ["Ahoy"]}, distance=2),
        msgspec.structs.replace(turn("No, 7:15! Once more.", SAYS), capability="correction"),
    ],
)
def test_a_probe_that_does_not_give_itself_away(probe: Turn) -> None:
    """Where both answers stand in the turn, or a part of what is asked for, repeating the turn is no answer."""
    assert remarks(held("We sit down at 7:15.", "A starter?", probe)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Nimm die Uhrzeit, wie ich es dir später erkläre.",
        "Change the date, see below.",
        "Utilise l'adresse, comme je l'expliquerai.",
        "Ponlo como te explicaré más tarde.",
        "Сделай так, как я тебе позже объясню.",
        "就像我稍后会解释的那样修改。",
        "後で説明するとおりに直してください。",
        "Take the price from the list, see my next message.",
    ],
)
def test_a_reference_to_words_to_come(text: str) -> None:
    """In each language of the suites; at the first turn, too."""
    assert remarks(held(text, "And then?")) == [("later_reference", "a", 0)]
    assert remarks(held("Hello.", text)) == [("later_reference", "a", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "Correct the text, see below:\n\nThe sun shines.",
        "From now on translate what I say next into German.",
        "Do as I say. I'll explain later why.",
        "Mach es, wie ich es sage.",
        "Fais comme je te dis, et répète ce que je dirai.",
        "Hazlo como te digo.",
        "Сделай, как я скажу.",
        "请把我接下来说的翻译成英文。",
        "次のメッセージを英語に訳してください。",
    ],
)
def test_what_leans_on_no_words_to_come(text: str) -> None:
    """A text below in the same message, and orders for turns to come."""
    assert remarks(held(text, "And then?")) == []


@pytest.mark.parametrize(
    "text", ["先ほど言ったとおり、くるみなしで。", "像我刚才说的，不要核桃。", "Wie vorhin gesagt, ohne Nüsse."]
)
def test_a_reference_back_in_the_first_turn(text: str) -> None:
    assert remarks(held(text, "And then?")) == [("first_turn_link", "a", 0)]


def test_a_fact_that_is_given_later_or_by_the_system() -> None:
    """Later is too late; the system prompt is early enough."""
    probe = turn("When do we eat?", RECALLS)
    assert remarks(held("Hello.", probe, "We sit down at 7:15.")) == [("fact_never_given", "a", 1)]
    assert remarks(held("Hello.", probe, system="Dinner is at quarter past seven.")) == []


def test_a_first_turn_has_nothing_to_refer_to() -> None:
    """In words, too."""
    assert remarks(held("As I said, no walnuts.", "And then?")) == [("first_turn_link", "a", 0)]


def test_a_worn_template() -> None:
    """The fourth request that differs from others in names and numbers only."""
    texts = [
        f"Now tell me what {name} paid for the {number} tickets." for name, number in zip("ABCD", range(4), strict=True)
    ]
    texts = [text.replace("what A", "what Anna").replace("what B", "what Boris") for text in texts]
    conversations = [held("Hello.", text, identifier=str(index)) for index, text in enumerate(texts)]
    assert ("worn_template", "3", 1) in remarks(*conversations)
    assert [one for one in remarks(*conversations[:3]) if one[0] == "worn_template"] == []


def test_near_duplicates_across_conversations_of_one_language() -> None:
    """Case, punctuation and one changed word do not make a new turn; within a conversation, and in short turns, they may."""
    text = "Please write a short poem about the old harbour at night."
    near = "please write a short poem about the old harbour at noon!"
    other = "Wie viel kosten sieben grüne Äpfel auf dem Markt am Samstag?"
    assert remarks(held(text, text), held(near, "And on?", identifier="b"), held(other, identifier="c")) == [
        ("one_turn", "c", None),
        ("alike_turns", "b", 0),
    ]
    assert remarks(held("Shorter, please.", "x"), held("Shorter, please.", "y", identifier="b")) == []


@given(st.lists(st.text("ab ", min_size=SHORTEST, max_size=SHORTEST + 6), min_size=2, max_size=5))
def test_near_duplicates_are_those_that_comparing_all_finds(texts: list[str]) -> None:
    """The look-up by rare grams misses nothing."""
    texts = [f"x{text}x" for text in texts]
    found = [
        one[1]
        for one in remarks(*(held(text, "Go on.", identifier=str(i)) for i, text in enumerate(texts)))
        if one[0] == "alike_turns"
    ]

    def grams(text: str) -> set[str]:
        plain = " ".join("".join(c if c.isalnum() else " " for c in text).split())
        return {plain[start : start + GRAM] for start in range(len(plain) - GRAM + 1)}

    def alike(one: str, other: str) -> bool:
        left, right = grams(one), grams(other)
        return len(left & right) >= NEAR * len(left | right)

    assert found == [str(i) for i, text in enumerate(texts) if any(alike(text, other) for other in texts[:i])]
