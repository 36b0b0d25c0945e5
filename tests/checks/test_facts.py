"""What was said before: recalls, chooses, keeps."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest
from tests.checks.asking import ask

from multiturn.checks.kept import name_particulars, number_particulars
from multiturn.checks.reading import read_check
from multiturn.conversation import CheckJson

TIME = {
    "kind": "recalls",
    "facts": [["5:45", "17:45", "quarter to six"], "oven"],
    "distractors": ["6:15", "Friday"],
    "unless_negated": True,
}


def fault_of(check: str) -> str:
    """What is wrong with a check."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        read_check(CheckJson(check.encode()))
    return str(caught.value)


@pytest.mark.parametrize(
    ("reply", "outcome", "reason", "span"),
    [
        ("Light the oven at 5:45 pm.", "pass", "recalls '5:45' or '17:45'", "5:45"),
        ("At quarter\nto six the OVEN must be lit.", "pass", "recalls", "quarter\nto six"),
        ("The oven, at 5:45, on Saturday instead of Friday.", "pass", "recalls", "5:45"),
        ("Light it at 5:45 pm.", "fail", "does not give 'oven'", None),
        ("Light it.", "fail", "does not give '5:45' or '17:45' or 'quarter to six' and 'oven'", None),
        ("Light the oven at 5:45, or at 6:15.", "fail", "says '6:15'", "6:15"),
        ("Light the oven at 6:15.", "fail", "quarter to six' and says '6:15'", "6:15"),
        ("Light the oven on Friday at 5:45.", "fail", "says 'Friday'", "Friday"),
    ],
)
def test_a_reply_recalls_each_fact_and_no_distractor(reply: str, outcome: str, reason: str, span: str | None) -> None:
    """The span is the first fact, or the distractor; what is denied is none, where the check says so."""
    found = ask(TIME, reply)
    assert found.outcome == outcome
    assert reason in found.reason
    assert (found.span.text if found.span else None) == span


@pytest.mark.parametrize(
    ("fact", "reply", "outcome"),
    [
        (["Freitag"], "Am Freitag.", "pass"),
        (["vendredi"], "C’est vendredi.", "pass"),
        (["пятниц*"], "В пятницу.", "pass"),
        (["周五", "星期五"], "是星期五。", "pass"),
        (["金曜"], "金曜日です。", "pass"),
        (["金曜"], "土曜日です。", "fail"),
    ],
)
def test_facts_in_other_languages(fact: list[str], reply: str, outcome: str) -> None:
    """As phrases match."""
    assert ask({"kind": "recalls", "facts": [fact]}, reply).outcome == outcome


def test_denied_distractors_count_unless_the_check_says_otherwise() -> None:
    """``unless_negated`` is off where it is left out."""
    check = {"kind": "recalls", "facts": ["Saturday"], "distractors": ["Friday"]}
    assert ask(check, "On Saturday, not on Friday.").outcome == "fail"
    assert ask({**check, "unless_negated": True}, "On Saturday, not on Friday.").outcome == "pass"


PLACES = [["aquarium"], ["planetarium", "star theatre"], ["zoo"]]
CHOICE = {"kind": "chooses", "options": PLACES}


@pytest.mark.parametrize(
    ("reply", "outcome", "reason", "span"),
    [
        ("Go to the aquarium.", "pass", "chooses 'aquarium'", "aquarium"),
        ("The aquarium, not the planetarium.", "pass", "chooses 'aquarium'", "aquarium"),
        ("I'd pick the aquarium over the planetarium.", "pass", "chooses 'aquarium'", "aquarium"),
        ("Rather the aquarium than the zoo.", "pass", "chooses 'aquarium'", "aquarium"),
        ("I prefer the aquarium to the zoo.", "pass", "chooses 'aquarium'", "aquarium"),
        ("I'd prefer going to the aquarium.", "pass", "chooses 'aquarium'", "aquarium"),
        ("I prefer a trip to the aquarium.", "pass", "chooses 'aquarium'", "aquarium"),
        ("The aquarium beats the zoo.", "pass", "chooses 'aquarium'", "aquarium"),
        ("The aquarium instead of the star theatre.", "pass", "chooses 'aquarium'", "aquarium"),
        ("Neither the zoo nor the planetarium: the aquarium.", "pass", "chooses 'aquarium'", "aquarium"),
        ("The aquarium! I love the aquarium.", "pass", "chooses 'aquarium'", "aquarium"),
        ("Go to the **star theatre**.", "fail", "chooses 'planetarium', not 'aquarium'", "star theatre"),
        ("The aquarium or the zoo.", "fail", "names more than one: 'aquarium' and 'zoo'", "zoo"),
        ("Go to the museum.", "fail", "names none of 'aquarium', 'planetarium', 'zoo'", None),
        ("Not the aquarium.", "fail", "names none of", None),
    ],
)
def test_one_option_is_chosen(reply: str, outcome: str, reason: str, span: str | None) -> None:
    """What is denied or passed over is not chosen; two are no choice."""
    found = ask({**CHOICE, "is": 0}, reply)
    assert found.outcome == outcome
    assert reason in found.reason
    assert (found.span.text if found.span else None) == span


@pytest.mark.parametrize(
    "reply",
    [
        "Lieber ins Aquarium als ins Planetarium.",
        "Ins Aquarium, nicht ins Planetarium.",
        "Das Aquarium ist besser als das Planetarium.",
        "L'aquarium plutôt que le planétarium.",
        "Mejor el aquarium que el planetarium.",
        "Aquarium, а не planetarium.",
        "Aquarium лучше, чем planetarium.",
        "Aquarium比planetarium好。",
        "是aquarium，不是planetarium。",
        "planetariumよりaquariumがいいです。",
        "planetariumではなくaquariumです。",
    ],
)
def test_what_is_passed_over_in_other_languages(reply: str) -> None:
    """Compared, denied, put behind."""
    assert ask({"kind": "chooses", "options": ["aquarium", "planetarium"], "is": 0}, reply).outcome == "pass"


def test_without_is_and_back_any_one_option_is_a_choice() -> None:
    """But one it must be."""
    assert ask(CHOICE, "The zoo.").outcome == "pass"
    assert ask(CHOICE, "The zoo and the aquarium.").outcome == "fail"


def test_the_longer_of_two_options_is_named() -> None:
    """``dark red`` names no ``red``, unless that stands there too."""
    check = {"kind": "chooses", "options": ["red", "dark red", "red wine"], "is": 1}
    assert ask(check, "Dark red.").outcome == "pass"
    assert ask(check, "Red wine.").reason == "chooses 'red wine', not 'dark red'"
    assert ask(check, "Dark red, or red.").reason == "names more than one: 'dark red' and 'red'"


@pytest.mark.parametrize(
    ("then", "now", "outcome", "reason"),
    [
        ("The zoo.", "As I said, the zoo.", "pass", "chooses 'zoo'"),
        ("The zoo. It is better than the aquarium.", "The zoo.", "pass", "chooses 'zoo'"),
        ("The zoo: the aquarium is small.", "The zoo.", "pass", "chooses 'zoo'"),
        ("Not the zoo. The aquarium.", "The aquarium.", "pass", "chooses 'aquarium'"),
        ("The zoo.", "The aquarium.", "fail", "chooses 'aquarium', not 'zoo'"),
        ("It depends.", "The aquarium.", "fail", "the reply of 2 turns back named none of them"),
        ("", "The aquarium.", "fail", "named none of them"),
        ("The zoo.", "It depends.", "fail", "names none of"),
    ],
)
def test_the_same_choice_as_then(then: str, now: str, outcome: str, reason: str) -> None:
    """What was chosen then is the only option named, else the one named first; a reply that chose none has no same."""
    found = ask({**CHOICE, "back": 2}, now, earlier=[("Where to?", then), ("Fine.", "The planetarium is nice.")])
    assert found.outcome == outcome
    assert reason in found.reason


def test_a_reply_that_is_missing_can_not_be_compared_with() -> None:
    """Not the model's doing."""
    assert ask({**CHOICE, "back": 3}, "The zoo.", earlier=[("a", "b")]).outcome == "not_applicable"


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ('{"kind": "recalls", "facts": []}', "facts is empty"),
        ('{"kind": "recalls"}', "Object missing required field `facts`"),
        ('{"kind": "recalls", "facts": ["a", ["b", " "]]}', "facts[1][1] is empty"),
        ('{"kind": "recalls", "facts": [[]]}', "facts[0] is empty"),
        ('{"kind": "recalls", "facts": ["a"], "distractors": ["x*y"]}', "distractors[0] has a star inside"),
        ('{"kind": "recalls", "facts": ["a"], "unless_negated": true}', "unless_negated is for distractors"),
        ('{"kind": "recalls", "facts": ["a"], "distractor": ["b"]}', "did you mean 'distractors'?"),
        ('{"kind": "recalls", "facts": "a"}', "facts: Expected `array`"),
        ('{"kind": "chooses", "options": ["a"]}', "options needs two or more"),
        ('{"kind": "chooses", "options": ["a", []]}', "options[1] is empty"),
        ('{"kind": "chooses", "options": ["a", ["b", ""]]}', "options[1][1] is empty"),
        ('{"kind": "chooses", "options": ["a", ["b", "A"]]}', "options: 'a' stands for two of them"),
        ('{"kind": "chooses", "options": ["a", "b"], "is": 2}', "is must be from 0 to 1"),
        ('{"kind": "chooses", "options": ["a", "b"], "is": -1}', "is must be from 0 to 1"),
        ('{"kind": "chooses", "options": ["a", "b"], "is": 0, "back": 1}', "is and back exclude each other"),
        ('{"kind": "chooses", "options": ["a", "b"], "back": 0}', "back must be 1"),
        ('{"kind": "keeps", "back": []}', "back is empty"),
        ('{"kind": "keeps", "back": [1, 1]}', "back names a turn twice"),
        ('{"kind": "keeps", "back": 1, "what": []}', "what is empty"),
        ('{"kind": "keeps", "back": 1, "what": ["words"]}', "what[0]: Invalid enum value 'words'"),
        ('{"kind": "keeps", "back": 1, "share": 0}', "share must be above 0"),
        ('{"kind": "keeps", "back": 1, "share": 1.1}', "share must be above 0 and at most 1"),
        ('{"kind": "keeps", "back": 1, "except": [""]}', "except[0] is empty"),
        ('{"kind": "keeps"}', "Object missing required field `back`"),
    ],
)
def test_faults_name_their_field(check: str, fault: str) -> None:
    """And say what is wrong with it."""
    assert fault in fault_of(check)


USER = "We are 12 people, Mira Novak among us. It costs $1,250.50 and starts at 7:15 in Oslo; call Ben’s office."
KEEPS = {"kind": "keeps", "back": 1}
ALL = "For 12 people: $1250.50, at 7:15, in OSLO. Tell Mira\nNovak and Ben."


@pytest.mark.parametrize(
    ("fields", "reply", "outcome", "reason"),
    [
        ({}, ALL, "pass", "keeps 6 of 6"),
        ({}, ALL.replace("12 p", "twelve p"), "pass", "keeps 6 of 6"),
        ({}, ALL.replace("$1250.50", "1,250.5 dollars"), "pass", "keeps 6 of 6"),
        ({}, ALL.replace("7:15", "7:45"), "fail", "keeps 5 of 6, without '7:15'"),
        ({}, ALL.replace("Novak", ""), "fail", "without 'Mira Novak'"),
        ({}, "Nothing.", "fail", "without '12', '1,250.50', '7:15', 'Mira Novak', 'Oslo' and 1 more"),
        ({"what": ["numbers"]}, "12, 1250.5, 7:15", "pass", "keeps 3 of 3"),
        ({"what": ["names"]}, "Mira Novak, Ben, Oslo", "pass", "keeps 3 of 3"),
        ({"share": 0.5}, "Mira Novak, Ben, Oslo", "pass", "keeps 3 of 6"),
        ({"share": 0.51}, "Mira Novak, Ben, Oslo", "fail", "keeps 3 of 6"),
        ({"except": ["Ben", "7:15", "Novak"]}, "12, 1250.5, Oslo", "pass", "keeps 3 of 3"),
    ],
)
def test_numbers_and_names_are_kept(fields: Mapping[str, object], reply: str, outcome: str, reason: str) -> None:
    """Numbers by their values, times as written, names as phrases; what is lost is told."""
    found = ask({**KEEPS, **fields}, reply, earlier=[(USER, "Fine.")])
    assert found.outcome == outcome
    assert reason in found.reason


def test_several_turns_are_kept_together() -> None:
    """Of the user, not of the model."""
    earlier = [("We have 30 chairs.", "And 99 tables."), ("Now 5 more.", "Fine.")]
    check = {"kind": "keeps", "back": [1, 2]}
    assert ask(check, "30 and 5.", earlier=earlier).outcome == "pass"
    assert ask(check, "35.", earlier=earlier).reason == "keeps 0 of 2, without '5', '30'"


def test_nothing_to_keep_is_not_applicable() -> None:
    """A user who gave no number and no name asks for none."""
    found = ask(KEEPS, "Fine.", earlier=[("Tell me more.", "Fine.")])
    assert (found.outcome, found.reason) == ("not_applicable", "the user gave no numbers or names then")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mira bakes. I like Mira.", ["Mira", "Mira"]),
        ("Mira bakes.", []),
        ("Tell Anna-Lena O’Brien that I'm late.", ["Anna-Lena O’Brien"]),
        ("We fly from New York to Rio.", ["New York", "Rio"]),
        ("- Milk\n- Eggs\n- from Oslo", ["Oslo"]),
        ("Guests: Tom, Ana", ["Tom", "Ana"]),
        ("He said “Hello there” to NASA.", ["NASA"]),
        ("Können Sie mir den Zug nach Köln nennen?", ["Zug", "Köln"]),
        ("Мы едем в Казань.", ["Казань"]),
        ("我们去北京。", []),
        ("I think I can.", []),
        ("", []),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    """Capitalised words inside a sentence, those in a row together."""
    assert [one.text for one in name_particulars(text)] == names


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3 cups and 1/2 spoon, not 3.0.1", ["3", "1/2", "3.0.1"]),
        ("On 12/05/2024 at 7:15", ["12/05/2024", "7:15"]),
        ("eight of them, and one more", ["eight"]),
        ("1. Milk\n2. Eggs", []),
        ("-5 °C", ["-5"]),
    ],
)
def test_numbers(text: str, numbers: list[str]) -> None:
    """As a reader counts them; what is digits and no number must stand as it was written."""
    assert [one.text for one in number_particulars(text)] == numbers


@pytest.mark.parametrize("piece", ["red ", "not red ", "Mira ", "12 ", "A", " ", "1:1", "’s"])
def test_time_grows_with_the_length_only(piece: str) -> None:
    """Replies of 200,000 characters, and as long a user turn."""
    text = piece * (200_000 // len(piece))
    start = time.perf_counter()
    ask({"kind": "chooses", "options": ["red", "blue", "dark red"]}, text)
    ask(KEEPS, text, earlier=[("Mira and 12.", "Fine.")])
    ask({"kind": "recalls", "facts": ["blue"], "distractors": ["red"], "unless_negated": True}, text)
    list(name_particulars(text))
    assert time.perf_counter() - start < 30
