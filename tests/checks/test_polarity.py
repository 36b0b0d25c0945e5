"""What says yes, what says no, what says neither."""

from __future__ import annotations

import time

import pytest

from multiturn.checks.polarity import polarity_of

YES = [
    "Yes.",
    "Yes, you can.",
    "**Yes** — it keeps for three days.",
    "✅ Yes",
    "yeah, sure",
    "Absolutely! It is not too late.",
    "Of course. You can't miss it.",
    "That's right.",
    "You're right, it was Friday.",
    "Correct.",
    "Right, it was Friday.",
    "Well, yes.",
    "Short answer: yes.",
    "Great question! Yes, that works.",
    "I think so.",
    "I'd say yes.",
    "You can eat it on Friday.",
    "It is safe to eat.",
    "They are.",
    "Indeed it does.",
    "No problem, you can do that.",
    "It is not only safe but tasty. Yes.",
    "Is it safe? Yes.",
    "1. Yes",
    "# Yes",
    "Answer: Yes",
    "“Yes.”",
    "Based on what you told me, yes, she can.",
    "In your case: yes.",
    "It does contain nuts.",
    "Mira can eat it.",
    "Ja, das geht.",
    "Genau.",
    "Das stimmt.",
    "Doch, natürlich.",
    "Auf jeden Fall!",
    "Kein Problem, du kannst das essen.",
    "Oui, bien sûr.",
    "Si, tu peux.",
    "C'est vrai.",
    "Tout à fait.",
    "Sí, claro.",
    "Sí puedes.",
    "Claro que sí.",
    "Es correcto.",
    "Да, можно.",
    "Конечно.",
    "К сожалению, да.",
    "是的，可以。",
    "对，是周六。",
    "没错。",
    "可以的。",
    "您可以吃。",
    "はい、大丈夫です。",
    "ええ、そうです。",
    "もちろんです。",
    "食べても大丈夫です。",
    "食べても問題ありません。",
]
NO = [
    "No.",
    "No. 71.1",
    "No.\n**71.1**",
    "No.\n\n71",
    "No.\n7 is the right one.",
    "No. 12 tins are left.",
    "No. 7, not 8.",
    "**No.** 71.",
    "No. $5 is enough.",
    "No. 5% is the rate.",
    "Well, no. 71.",
    "No, it isn't.",
    "**No**, not yet.",
    "❌ No",
    "nope",
    "Unfortunately, no.",
    "Sorry, no.",
    "Actually, it's not.",
    "Not really.",
    "Not yet.",
    "I'm afraid not.",
    "I don't think so.",
    "That's not right.",
    "That is incorrect.",
    "Incorrect.",
    "You can't eat it.",
    "It is not safe.",
    "The oven is not hot enough.",
    "Since it has walnuts, Mira can't eat it.",
    "Mira cannot eat that cake.",
    "It contains no nuts.",
    "There are no nuts in it.",
    "Never.",
    "Definitely not.",
    "Of course not!",
    "Hmm. No, I'd wait.",
    "I wouldn't.",
    "Good question! It doesn't.",
    "According to your list, no, it closes at 6.",
    "I'm sorry, but no.",
    "There's not enough time.",
    "That isn't safe for Mira.",
    "Nein, leider nicht.",
    "Leider nein.",
    "Natürlich nicht.",
    "Auf keinen Fall.",
    "Das stimmt nicht.",
    "Das ist nicht sicher.",
    "Du kannst ihn nicht essen.",
    "Es enthält keine Nüsse.",
    "Non, pas encore.",
    "Pas du tout.",
    "Malheureusement, non.",
    "Ce n'est pas possible.",
    "Vous ne pouvez pas.",
    "No, no puedes.",
    "En absoluto.",
    "No es seguro.",
    "El pastel no es seguro.",
    "Нет, нельзя.",
    "К сожалению, нет.",
    "Неверно.",
    "Это не так.",
    "Вам это нельзя.",
    "不，不行。",
    "不是。",
    "没有。",
    "您不能吃。",
    "抱歉，不可以。",
    "いいえ、違います。",
    "食べられません。",
    "残念ながら、できません。",
    "それは正しくないです。",
]
NEITHER = [
    "It depends.",
    "Light the oven at 5:45 pm.",
    "Friday.",
    "Maybe.",
    "It can be either.",
    "I can't tell from what you gave me.",
    "Is it? Can it?",
    "No?",
    "You can eat it?",
    "What a question!",
    'She said "no" and left.',
    "Sure! Here is the list:",
    "I don't know.",
    "If you can't, call me.",
    "No. 5 is the best.",
    "No. 7 goes to the station.",
    "Take No. 7.",
    "Bus no. 7, at 5:45.",
    "Say `yes`.",
    "Vielleicht.",
    "Das hängt davon ab.",
    "Si quieres, te ayudo.",
    "Ça dépend.",
    "Возможно.",
    "是否可以",
    "不过，看情况。",
    "对不起。",
    "多分。",
    "",
    " ",
]


@pytest.mark.parametrize("text", YES)
def test_yes(text: str) -> None:
    """In seven languages: a word, its like, what is granted."""
    found = polarity_of(text)
    assert found is not None
    assert found.says == "yes"
    assert text[found.span.start : found.span.end] == found.span.text


@pytest.mark.parametrize("text", NO)
def test_no(text: str) -> None:
    """A word, its like, what is denied."""
    found = polarity_of(text)
    assert found is not None
    assert found.says == "no"


@pytest.mark.parametrize("text", NEITHER)
def test_neither(text: str) -> None:
    """Questions, quotations, conditions, and what only begins so."""
    assert polarity_of(text) is None


@pytest.mark.parametrize(
    ("text", "says", "span"),
    [
        ("It depends on the weather. Yes, if it is dry. No, if it rains.", "yes", "Yes"),
        ("Let me see.\n\nNo, you said *Saturday*.", "no", "No"),
        ("Well, that's **not right**: it was Friday.", "no", "that's **not"),
        ("Das ist eine gute Frage. Nein.", "no", "Nein"),
    ],
)
def test_the_first_sentence_that_decides_does(text: str, says: str, span: str) -> None:
    """The span is what decided, as it stands in the text."""
    found = polarity_of(text)
    assert found is not None
    assert (found.says, found.span.text) == (says, span)


@pytest.mark.parametrize(
    "piece", ["a", " ", "a ", "no problem ", "well, ", "since a ", "不", "。", ". ", "n' ", "です", "the "]
)
def test_time_is_bounded(piece: str) -> None:
    """Only the beginning of a long text is read."""
    start = time.perf_counter()
    polarity_of(piece * (1_000_000 // len(piece)))
    assert time.perf_counter() - start < 10
