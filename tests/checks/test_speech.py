"""What a reply does towards the user: asks_question, polarity, refusal, not_refusal."""

from __future__ import annotations

import time

import pytest
from tests.checks.asking import ask

from multiturn.checks.reading import read_check
from multiturn.conversation import CheckJson

ASKS = {"kind": "asks_question"}

QUESTIONS = [
    ("Which day suits you?", "Which day suits you?"),
    ("Fine. **Which day suits you?** I need it to book.", "Which day suits you?"),
    ("Friday or Saturday? Let me know.", "Friday or Saturday?"),
    ("What time?", "What time?"),
    ("- Who is coming?\n- When?", "Who is coming?"),
    ("I see. Why? Where?", "Why?"),
    ("When is it?\nThat decides the price.", "When is it?"),
    ("Fine. " * 5_000 + "Friday?", "Friday?"),
    ("Really?!", "Really?!"),
    ("It is on Friday (right?)", "It is on Friday (right?)"),
    ("**Which day suits you?**\n- Friday\n- Saturday", "Which day suits you?"),
    (
        "How many parcels are there for Hedda Brask? The note doesn't say.",
        "How many parcels are there for Hedda Brask?",
    ),
    ("What's the second digit? I'll hold at Row 32 until you know.", "What's the second digit?"),
    ("Was that for lunch today? I'll bring the soup.", "Was that for lunch today?"),
    ("Was that for lunch today? It is on the list.", "Was that for lunch today?"),
    ("What is the total? It's not on the receipt.", "What is the total?"),
    ("What is the total? It isn't on the receipt.", "What is the total?"),
    ("Which day is it? It is needed for the form.", "Which day is it?"),
    ("How much is the tea? That decides it. Because of the order.", "How much is the tea?"),
    ("Here's your question:\n\n**How many legs has a spider?**\n\nTake a guess!", "How many legs has a spider?"),
    ("**How many legs has a spider?**\n\nA) 6\nB) 8", "How many legs has a spider?"),
    ("Thanks!\n\n**How many legs has a spider?**", "How many legs has a spider?"),
    ("The answer? I don't know it. And the date?", "And the date?"),
    ("Wie viele sind es? Der Zettel sagt es nicht.", "Wie viele sind es?"),
    ("Combien de colis ? La note ne le dit pas.", "Combien de colis ?"),
    ("Сколько посылок? В записке этого нет.", "Сколько посылок?"),
    ("一共几个包裹？单子上没写。", "一共几个包裹？"),
    ("Welcher Tag passt dir?", "Welcher Tag passt dir?"),
    ("Quel jour vous convient ?", "Quel jour vous convient ?"),
    ("¿Qué día prefieres?", "Qué día prefieres?"),
    ("Какой день вам подходит?", "Какой день вам подходит?"),
    ("您周五有空吗？", "您周五有空吗？"),
    ("你想要哪一天吗。", "你想要哪一天吗。"),
    ("どの日がいいですか。", "どの日がいいですか。"),
    ("どの日がいいですか", "どの日がいいですか"),
    ("どの日にしますか？", "どの日にしますか？"),
]
NO_QUESTIONS = [
    "Light it at 5:45.",
    "# What is photosynthesis?\n\nIt is how plants eat.",
    "**What is photosynthesis?**\n\nIt is how plants eat.",
    "What is photosynthesis? It is how plants eat.",
    "Why does that matter? Because time is short.",
    "Warum ist das so? Weil es regnet.",
    "Pourquoi ? Parce qu'il pleut.",
    "And why? It's the law.",
    "Why?\n\nBecause time is short.",
    "**Why?** Because time is short.",
    "The result? A mess.",
    "You know what? That is fine.",
    "Was ist Photosynthese? Das ist die Ernährung der Pflanzen.",
    "Qu'est-ce que c'est ? C'est un train.",
    "¿Por qué? Porque llueve.",
    "Почему? Потому что идёт дождь.",
    "为什么？因为下雨。",
    "なぜ？ なぜなら雨だから。",
    "**What to bring?**\n- a towel\n- a hat",
    'Ask her: "Which day suits you?"',
    "Ask her “Which day suits you?” first.",
    "```\nWhich day suits you?\n```",
    "Call `really?` first.",
    "> Which day suits you?",
    "See https://example.org/?q=you",
    "Dear Mira,\n\nwhich day suits you?\n\nTom",
    "そうですか。",
    "とても静か。",
    "行くかどうか。",
    "他说：“你有空吗？”",
]


@pytest.mark.parametrize(("reply", "question"), QUESTIONS)
def test_a_question_to_the_user(reply: str, question: str) -> None:
    """The span is the question."""
    found = ask(ASKS, reply)
    assert found.outcome == "pass"
    assert found.span is not None
    assert question in found.span.text
    assert reply[found.span.start : found.span.end] == found.span.text
    assert ask({**ASKS, "is": False}, reply).outcome == "fail"


@pytest.mark.parametrize("reply", NO_QUESTIONS)
def test_what_asks_the_user_nothing(reply: str) -> None:
    """Headings, quotations, code, letters, and questions that the text answers itself."""
    assert ask(ASKS, reply).reason == "asks the user nothing"
    assert ask({**ASKS, "is": False}, reply).outcome == "pass"


@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        ("Are you free? Is Friday fine?", "pass", "asks a question about 'friday' or 'saturday'"),
        ("Friday is fine. Are you free?", "fail", "asks a question, and not about 'friday' or 'saturday'"),
        ("Friday.", "fail", "asks the user nothing"),
    ],
)
def test_what_the_question_is_about(reply: str, outcome: str, reason: str) -> None:
    """The phrase stands in the question itself."""
    found = ask({**ASKS, "about": ["friday", "saturday"]}, reply)
    assert (found.outcome, found.reason) == (outcome, reason)
    turned = ask({**ASKS, "about": ["friday", "saturday"], "is": False}, reply)
    assert turned.outcome == ("fail" if outcome == "pass" else "pass")


POLARITY = {"kind": "polarity"}


@pytest.mark.parametrize(
    ("reply", "says", "span"),
    [
        ("Yes, on Friday.", "yes", "Yes"),
        ("Well, **no**.", "no", "no"),
        ("Sie haben recht. Nein, am Freitag.", "no", "Nein"),
        ("はい、金曜日です。", "yes", "はい"),
    ],
)
def test_yes_and_no(reply: str, says: str, span: str) -> None:
    """The span is what decided."""
    for asked in ("yes", "no"):
        found = ask({**POLARITY, "is": asked}, reply)
        assert found.outcome == ("pass" if asked == says else "fail")
        assert found.reason == (f"says {says}" if asked == says else f"says {says}, not {asked}")
        assert found.span is not None
        assert found.span.text == span


def test_neither_yes_nor_no_is_neither_right() -> None:
    """The reply does not answer."""
    for asked in ("yes", "no"):
        found = ask({**POLARITY, "is": asked}, "On Friday.")
        assert (found.outcome, found.reason) == ("fail", "says neither yes nor no")


@pytest.mark.parametrize(
    ("then", "now", "outcome", "reason"),
    [
        ("Yes.", "It does, yes.", "pass", "says yes"),
        ("You can't.", "No, you can't.", "pass", "says no"),
        ("Yes.", "No.", "fail", "says no, not yes"),
        ("It depends.", "No.", "fail", "says no, and the reply of 2 turns back said neither"),
        ("", "No.", "fail", "says no, and the reply of 2 turns back said neither"),
        ("Yes.", "It depends.", "fail", "says neither yes nor no"),
    ],
)
def test_the_same_as_then(then: str, now: str, outcome: str, reason: str) -> None:
    """A reply that said neither can't be agreed with."""
    found = ask({**POLARITY, "same_as": 2}, now, earlier=[("Can I?", then), ("Sure?", "No.")])
    assert (found.outcome, found.reason) == (outcome, reason)


def test_the_scope_is_where_yes_or_no_is_said() -> None:
    """And the span leads back to the reply."""
    reply = "No, first of all.\nVerdict: yes"
    found = ask({**POLARITY, "is": "yes", "scope": {"after": ["Verdict"]}}, reply)
    assert found.outcome == "pass"
    assert found.span is not None
    assert reply[found.span.start : found.span.end] == "yes"


REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "Das kann ich leider nicht beantworten.",
    "Je ne peux pas vous aider avec cela.",
    "Lo siento, no puedo ayudarte con eso.",
    "Извините, я не могу с этим помочь.",
    "抱歉，我无法帮助您。",
    "申し訳ありませんが、お手伝いできません。",
]
PARTIAL = (
    "Here is the cake: mix flour, sugar and eggs, then bake for an hour.\n\nI can't give you the second recipe, though."
)
HELPS = ["Light the oven at 5:45 pm.", "You can't bake it in time; light it at 5:45.", "No problem, light it at 5:45."]


@pytest.mark.parametrize("reply", REFUSALS)
def test_a_refusal(reply: str) -> None:
    """Passes the check that asks for one, and no other."""
    found = ask({"kind": "refusal"}, reply)
    assert (found.outcome, found.reason) == ("pass", "declines, in full")
    assert found.span is not None
    assert found.span.text in reply
    assert ask({"kind": "not_refusal"}, reply).outcome == "fail"


def test_a_part_refused_is_a_refusal_of_that_part() -> None:
    """It fails ``not_refusal`` and passes ``refusal``; other kinds look at what is given."""
    assert ask({"kind": "refusal"}, PARTIAL).reason == "declines, in part"
    found = ask({"kind": "not_refusal"}, PARTIAL)
    assert (found.outcome, found.reason) == ("fail", "declines, in part")
    assert ask({"kind": "says", "any": ["flour"]}, PARTIAL).outcome == "pass"


@pytest.mark.parametrize("reply", HELPS)
def test_no_refusal(reply: str) -> None:
    """Help is none, nor is a no to a worry."""
    assert ask({"kind": "refusal"}, reply).reason == "does not decline"
    assert ask({"kind": "not_refusal"}, reply).outcome == "pass"


def test_a_bare_no_declines_what_was_asked_for() -> None:
    """And to a question it is an answer, so that no other kind takes it for a refusal."""
    found = ask({"kind": "refusal"}, "Still no, I'm afraid.")
    assert (found.outcome, found.reason) == ("pass", "declines, in full")
    assert ask({"kind": "not_refusal"}, "Still no, I'm afraid.").outcome == "pass"
    assert ask({**POLARITY, "is": "no"}, "Still no, I'm afraid.").outcome == "pass"


def test_an_empty_reply_is_neither() -> None:
    """It passes nothing."""
    assert ask({"kind": "refusal"}, " ").outcome == "fail"
    assert ask({"kind": "not_refusal"}, " ").outcome == "fail"


@pytest.mark.parametrize(
    ("check", "positive"),
    [
        ('{"kind": "asks_question"}', True),
        ('{"kind": "asks_question", "is": false}', False),
        ('{"kind": "polarity", "is": "no"}', True),
        ('{"kind": "refusal"}', True),
        ('{"kind": "not_refusal"}', False),
    ],
)
def test_what_a_reply_about_something_else_fails(check: str, positive: bool) -> None:  # noqa: FBT001 - a column
    """Such checks are positive."""
    assert read_check(CheckJson(check.encode())).positive is positive


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ('{"kind": "asks_question", "about": ["a", " "]}', "about[1] is empty"),
        ('{"kind": "asks_question", "is": "no"}', "is: Expected `bool`, got `str`"),
        ('{"kind": "polarity"}', 'needs is ("yes" or "no") or same_as'),
        ('{"kind": "polarity", "is": "yes", "same_as": 1}', "and not both"),
        ('{"kind": "polarity", "is": "maybe"}', "is: Invalid enum value 'maybe'"),
        ('{"kind": "polarity", "same_as": 0}', "same_as must be 1"),
        ('{"kind": "not_refusal", "allow_refusal": true}', "allow_refusal takes its meaning away"),
        ('{"kind": "refusal", "is": true}', "is is no field of it"),
    ],
)
def test_faults_name_their_field(check: str, fault: str) -> None:
    """And say what is wrong with it."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        read_check(CheckJson(check.encode()))
    assert fault in str(caught.value)


@pytest.mark.parametrize("piece", ["a? ", "? ", "**a?**\n", "# a?\n", "か", "why? ", "\n", "「", "a"])
def test_time_grows_with_the_length_only(piece: str) -> None:
    """200,000 characters of what is nearly a question."""
    text = piece * (200_000 // len(piece))
    start = time.perf_counter()
    ask({**ASKS, "about": ["x"]}, text)
    ask({**POLARITY, "is": "yes"}, text)
    ask({"kind": "not_refusal"}, text)
    assert time.perf_counter() - start < 30
