"""Scopes: which part of a reply a check looks at."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.checks.scope import After, Scope, part_of, scope_name

SCOPES: tuple[Scope, ...] = (
    "reply",
    "artefact",
    "first_sentence",
    "last_sentence",
    "first_line",
    "last_line",
    "list_items",
    "code",
    "prose",
    "quoted",
    After(("Final list", "最终")),
)

LETTER = "Dear Ms Weber,\n\nThe concert is on Saturday at 6 pm.\n\nKind regards,\nTom"


def text_of(reply: str, scope: Scope) -> str | None:
    """The part's text; None where there is none."""
    part = part_of(reply, scope)
    return None if part is None else part.text


@pytest.mark.parametrize(
    "reply",
    [
        LETTER,
        f"Sure! Happy to help :) Here you go:\n\n{LETTER}\n\nLet me know if you'd like any changes!",
        f"Of course! Here's a short letter:\n\n---\n\n{LETTER}\n\n---\n\nWould you like me to make it more formal?",
        f"```\n{LETTER}\n```",
        f"Here is the letter:\n\n```text\n{LETTER}\n```\n\n{'It gives the day first, and is short on purpose. ' * 9}",
        "### Your letter\n\n> " + LETTER.replace("\n", "\n> ") + "\n\n---\n*Want a shorter one?*",
        f"I've written a letter that gives day and time:\n\n{LETTER}\n\n---\n\n**Why this works:** it is short.",
        f"{LETTER}\n\n*(Note: I left out the place.)*\n\nHope this helps! 😊",
    ],
)
def test_the_artefact_is_the_same_in_every_style_of_reply(reply: str) -> None:
    """Terse, chatty, heavy with markdown: what was asked for is one text."""
    assert text_of(reply, "artefact") == LETTER


@pytest.mark.parametrize(
    ("reply", "artefact"),
    [
        ("Klar! Hier ist die kürzere Fassung:\n\nKomm um neun.\n\nSoll ich sie noch kürzer machen?", "Komm um neun."),
        (
            "Gerne, hier ist der Satz: Komm um neun. Sag mir gern Bescheid, falls du noch etwas ändern möchtest!",
            "Komm um neun.",
        ),
        (
            "Bien sûr\u00a0! Voici la phrase\u00a0:\n\nViens à neuf heures.\n\nSouhaitez-vous que je la modifie ?",
            "Viens à neuf heures.",
        ),
        (
            "¡Claro que sí! Aquí tienes la frase:\n\nVen a las nueve.\n\n¿Quieres que la haga más formal?",
            "Ven a las nueve.",
        ),
        (
            "Конечно! Вот предложение:\n\nПриходи в девять.\n\nЕсли нужно, могу сделать его короче.",
            "Приходи в девять.",
        ),
        ("好的，以下是这句话：\n\n九点来吧。\n\n如果您需要修改，请随时告诉我。", "九点来吧。"),
        ("もちろんです。以下がその文です。\n\n九時に来て。\n\n他にご希望があればお知らせください。", "九時に来て。"),
        ("Sure thing — here's one sentence: Come at nine.", "Come at nine."),
        ("Sure, I can help with that! Come at nine.", "Come at nine."),
        ("You're right, I'm sorry! Here is the corrected list:\n- milk", "- milk"),
        ("With Mira's allergy in mind, here are two ideas:\n- soup\n- rice", "- soup\n- rice"),
        ("Come at nine. Feel free to ask if anything is unclear. I hope this helps!", "Come at nine."),
        ("Come at nine.\n\n(3 words)", "Come at nine."),
        ("Come at nine.\n\n**Word count:** 3", "Come at nine."),
        ("No worries! Come at nine.\n\n—\n\nWant another? 😊", "Come at nine."),
        ("Thanks for the correction! Here's the new one:\n\nCome at nine.\n\nHappy to tweak it!", "Come at nine."),
        ("Come at nine. Want it shorter? I can also turn it into a poem.", "Come at nine."),
        ("Here's a haiku:\n\n  old pond\n  a frog", "  old pond\n  a frog"),
    ],
)
def test_talk_in_seven_languages_is_left_out(reply: str, artefact: str) -> None:
    """Lead-ins and closings, on lines of their own or in the line of the artefact; an indent stays."""
    assert text_of(reply, "artefact") == artefact


@pytest.mark.parametrize(
    "reply",
    [
        "Sure!",
        "Got it.",
        "Sure! Here you go:",
        "No problem, take your time.",
        "Sure, nine is fine.",
        "Of course the train is late.",
        "Hi Tom,\n\nhere is what we need:\n- milk\n\nBest,\nAna",
        "Hi Tom, dinner is at 7. Let me know if you can come!",
        "Dear Tom, here's the plan:\n- nine o'clock\n- ten o'clock",
        "Thanks for the flowers! They are lovely.",
        "I'd be happy to come on Friday. See you at the mill!",
        "Great! See you at eight.",
        "Shopping list:\n- milk\n- eggs",
        "Buy:\n- milk",
        "Ana: Friday\nBoris: Wednesday",
        '"Of course!" said the wolf.\n"Come in."',
        "The door creaks open and you smell smoke. What will you do?",
        "Welcome to the Heron. Would you like some ale? Would you like me to show you the room?",
        "I can think of two reasons: cost and time.",
        "Here lies old Bram, who kept the light. He kept it well.",
        "Heron House: Sure! Breakfast is at nine.",
        "Let me know if you need a lift.",
        "One.\n\n---\n\nTwo.",
        "# Rain\n\nIt rains.",
        "Note: the oven is slow.",
        "Thanks! See you at eight.",
        "🎉 Party! 🎉\n🎉🎉",
        "I live in two places: Paris and Rome.",
        "What do you think, sailor?",
        "It has 48 words in all.",
        "Klar, um neun geht es.",
        "Liebe Anna,\n\nhier ist der Plan:\n- neun Uhr",
        "你好，李老师：\n\n明天九点见。",
        "こんにちは。九時に会いましょう。",
    ],
)
def test_what_was_asked_for_is_no_talk(reply: str) -> None:
    """Letters, titles, questions of a character, polite words of the text itself; and a reply that is nothing else."""
    assert text_of(reply, "artefact") == reply


def test_blocks_are_the_artefact_where_they_open_the_reply_or_are_a_third_of_it() -> None:
    """All of them, joined; in a reply that is mainly prose a block is an example."""
    explained = "It prints. " * 30
    assert text_of(f"Here's the code:\n```py\na = 1\n```\n{explained}", "artefact") == "a = 1"
    assert text_of(f"Here's the code. It is short.\n\n```py\na = 1\n```\n{explained}", "artefact") == "a = 1"
    assert text_of("First\n```\na = 1\n```\nthen\n```\nb = 2\n```", "artefact") == "a = 1\nb = 2"
    for example in ("```\na = 1\n```", "> a"):
        prose = f"{explained}\n{example}\n\n{explained}"
        assert text_of(prose, "artefact") == prose.rstrip()
    assert text_of("Try this:\n\n> one\n>\n> two", "artefact") == "one\n\ntwo"


def test_a_fence_stays_closed() -> None:
    """Where a block is an example, it is one as a whole."""
    explained = "It prints. " * 30
    reply = f"{explained}\n```\na = 1\n```\n\nLet me know if you have any questions!"
    assert text_of(reply, "artefact") == f"{explained}\n```\na = 1\n```"


def test_a_bracket_on_a_line_of_its_own_stays() -> None:
    """What sets a closing off are rules and emojis."""
    assert text_of('[\n  "milk"\n]\n\n🎉\n\nI hope this helps!', "artefact") == '[\n  "milk"\n]'


def test_a_heading_stays_and_a_rule_at_the_edges_goes() -> None:
    """A title may have been asked for."""
    assert text_of("---\n# Rain\n\nIt rains.\n\n---\n", "artefact") == "# Rain\n\nIt rains."


MIXED = (
    "# Plan\n\nWe leave at 9 a.m. on Monday. Bring `tea`:\n\n- **water**\n  and ice\n- “good” shoes\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\necho \"x\"\n```\n\n> Go slow.\n>\n> Go far.\n\nFinal list: tea, 'dry bread'.\n---\n"
)


@pytest.mark.parametrize(
    ("scope", "text"),
    [
        ("reply", MIXED),
        ("first_sentence", "We leave at 9 a.m. on Monday."),
        ("last_sentence", "Final list: tea, 'dry bread'."),
        ("first_line", "Plan"),
        ("last_line", "Final list: tea, 'dry bread'."),
        ("list_items", "**water**\n  and ice\n“good” shoes"),
        ("code", 'echo "x"'),
        ("quoted", "good\nGo slow.\n\nGo far.\ndry bread"),
        (After(("Final list",)), "tea, 'dry bread'.\n---\n"),
    ],
)
def test_each_scope_finds_its_part(scope: Scope, text: str) -> None:
    """And says where it stands."""
    part = part_of(MIXED, scope)
    assert part is not None
    assert part.text == text
    assert [MIXED[start:end] for start, end in part.pieces] == part.text.split("\n") or len(part.pieces) < 4


def test_prose_is_everything_but_code_and_tables() -> None:
    """Paragraphs around a block stay apart."""
    prose = text_of(MIXED, "prose")
    assert prose is not None
    assert "echo" not in prose
    assert "| 1" not in prose
    assert "We leave" in prose
    assert text_of("One\n\n```\nx\n```\n\nTwo", "prose") == "One\n\n\nTwo"


def test_inline_code_counts_where_there_is_no_block() -> None:
    """Without its marks."""
    assert text_of("Run `ls`, then `cd`.", "code") == "ls\ncd"


@pytest.mark.parametrize(
    ("reply", "quoted"),
    [
        ('He said "no", then "yes".', "no\nyes"),
        ("Il a dit « non ».", " non "),
        ("Er sagte „nein“ und »doch«.", "nein\ndoch"),
        ("他说「不」和“是”。", "不\n是"),
        ("It's the dog's ‘old’ bone, isn't it?", "old"),
        ("“two\n\nparagraphs”", "two\n\nparagraphs"),
        ('```\n"code"\n```\n"text"', "text"),
        ('a 5" pipe\nand "this"', "this"),
    ],
)
def test_quotation_marks_of_many_languages(reply: str, quoted: str) -> None:
    """An apostrophe is none, and code quotes nothing."""
    assert text_of(reply, "quoted") == quoted


@pytest.mark.parametrize(
    ("reply", "after"),
    [
        ("Let me think.\n\n**Final list:**\n- tea", "- tea"),
        ("### Final list\n\n- tea", "- tea"),
        ("My final list comes last.\nFinal list: tea", "tea"),
        ("So the final list is tea.", "is tea."),
        ("最终：茶", "茶"),
        ("Final list:", None),
        ("No such label", None),
    ],
)
def test_after_a_label(reply: str, after: str | None) -> None:
    """The first place that is written like a label, else the first place at all; nothing behind it is no part."""
    assert text_of(reply, After(("Final list", "最终"))) == after


def test_what_a_reply_does_not_have_is_none() -> None:
    """So that the check fails, and says what is not there."""
    for scope in ("list_items", "code", "quoted", After(("Total",))):
        assert text_of("Plain words.", scope) is None
    assert text_of("---\n", "artefact") is None
    assert scope_name("list_items") == "list items"
    assert scope_name(After(("Total", "Sum"))) == "text after 'Total' or 'Sum'"


PIECES = st.sampled_from(
    [
        *(
            "Sure! ",
            "Here is it:\n",
            "\n",
            "\n\n",
            "- a\n",
            "1. b\n",
            "> q\n",
            ">\n",
            "```\n",
            "~~~\n",
            "# T\n",
            "---\n",
        ),
        *(
            "| a | b |\n",
            "|---|---|\n",
            "`x`",
            '"',
            "“",
            "”",
            "«",
            "»",
            "'",
            "‘",
            "’",
            "Let me know if you'd like more. ",
        ),
        *(
            "Final list",
            ":",
            ". ",
            "word ",
            "é",
            "好的，",
            "。",
            "\r\n",
            "\ud800",
            "\u2028",
            "\x00",
            "*",
            "__",
            "(note)\n",
        ),
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=60), st.sampled_from(SCOPES))
def test_pieces_are_in_order_inside_the_reply_and_apart(reply: str, scope: Scope) -> None:
    """Whatever the text; and every place in the part's text leads back to the same characters."""
    part = part_of(reply, scope)
    if part is None:
        return
    edge = 0
    for start, end in part.pieces:
        assert edge <= start <= end <= len(reply)
        edge = end
    assert (
        scope == "reply"
        or (part.text.strip() and not part.text[-1:].isspace())
        or scope == "prose"
        or part.text.strip()
    )
    for at, char in enumerate(part.text):
        span = part.span(at, at + 1)
        assert span.text in (char, "")


LONG = {
    "prose": "The train leaves at nine, and nobody knows why. ",
    "words": "word ",
    "letters": "a",
    "spaces": " ",
    "lines": "\n",
    "paragraphs": "Sure! It is late.\n\n",
    "list": "- an item\n",
    "rules": "---\n",
    "quotes": "> “so” he said\n",
    "opening quotes": "“",
    "marks": '"',
    "apostrophes": " '",
    "stars": "*",
    "backticks": "`",
    "fences": "```\n",
    "colons": "Here is this: ",
    "labels": "Final list ",
    "closings": "Let me know if you'd like more. ",
    "brackets": "(note ",
    "han": "好的，火车九点开。",
    "bars": "|-",
    "dashes and spaces": "-" + " " * 5000 + "x\n",
    "ticks and spaces": "```" + " " * 5000 + "`\n",
}


def seconds(text: str, size: int, scope: Scope) -> float:
    """How long the scope takes to find in a text of so many characters."""
    reply = (text * (size // len(text) + 1))[:size]
    start = time.process_time()
    part_of(reply, scope)
    return time.process_time() - start


@pytest.mark.parametrize("scope", SCOPES, ids=scope_name)
@pytest.mark.parametrize("text", LONG)
def test_time_grows_with_the_length_of_the_reply_and_no_faster(text: str, scope: Scope) -> None:
    """Four times the text takes at most eight times as long, or next to nothing."""
    small, large = seconds(LONG[text], 50_000, scope), seconds(LONG[text], 200_000, scope)
    assert large < 8 * small + 0.1


@pytest.mark.parametrize("scope", SCOPES, ids=scope_name)
def test_a_megabyte_is_no_trouble(scope: Scope) -> None:
    """Of everything a reply can have."""
    small, large = seconds(MIXED, 250_000, scope), seconds(MIXED, 1_000_000, scope)
    assert large < 8 * small + 0.1
