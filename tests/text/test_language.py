"""The language of a text is named where it is plain, and "unknown" where it is not."""

from __future__ import annotations

import pytest

from multiturn.text.language import UNKNOWN, language

PLAIN = [
    ("en", "The cat sat on the mat and looked out of the window."),
    ("de", "Ich bin heute leider nicht da gewesen, aber morgen komme ich."),
    ("fr", "Je ne sais pas encore quoi faire de cette vieille maison."),
    ("es", "Mañana vamos a la playa con los niños si hace buen tiempo."),
    ("it", "Domani andiamo al mare con i bambini se fa bel tempo."),
    ("pt", "Amanhã vamos à praia com as crianças se o tempo estiver bom."),
    ("nl", "Morgen gaan we met de kinderen naar het strand als het mooi weer is."),
    ("ru", "Завтра мы поедем на море, если будет хорошая погода."),
    ("uk", "Завтра ми поїдемо на море, якщо буде гарна погода."),
    ("zh", "明天如果天气好我们就去海边。"),
    ("ja", "明日天気が良ければ海に行きます。"),
    ("ko", "내일 날씨가 좋으면 바다에 갑니다."),
    ("el", "Αύριο θα πάμε στη θάλασσα αν κάνει καλό καιρό."),
    ("he", "מחר נלך לים אם יהיה מזג אוויר טוב."),
    ("ar", "غدا سنذهب إلى البحر إذا كان الطقس جميلا."),
    ("th", "พรุ่งนี้ถ้าอากาศดีเราจะไปทะเลกัน"),
    ("hi", "कल अगर मौसम अच्छा रहा तो हम समुद्र तट पर जाएंगे।"),
]


@pytest.mark.parametrize(("code", "text"), PLAIN)
def test_plain_texts_are_named(code: str, text: str) -> None:
    """A sentence of a common language is recognised, with and without an expectation."""
    assert language(text) == code
    assert language(text, expected=[code, "en"]) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Yes.",
        "Das ist gut",
        "42 + 17 = 59",
        "```\nthis is only code in a block of its own\n```",
        "asdf qwer zxcv tyui ghjk bnm,",
    ],
)
def test_too_little_is_unknown(text: str) -> None:
    """Few letters, numbers, code and noise are in no known language."""
    assert language(text) == UNKNOWN


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('The word and the sign that stand above the shop in your street are "das Zeichen".', "en"),
        ("Er sagte the, that und with, und dann fuhr er mit dem Zug nach Hause an die Küste zurück.", "de"),
        ("Il a dit « the end », puis il est parti avec ses amis vers la côte, comme chaque année.", "fr"),
        ("The, and, that, you, with, this: zo beginnen veel zinnen in het Engels, maar deze is Nederlands.", "nl"),
    ],
)
def test_common_english_words_make_no_english_of_another_language(text: str, code: str) -> None:
    """They decide where they are many and the commonest words of other languages few."""
    assert language(text) == code


def test_code_and_links_do_not_count() -> None:
    """A German text stays German around English code and addresses."""
    text = "Die Funktion zählt die Wörter:\n```python\ndef count_words(text): return len(text.split())  # the number of words\n```\nSiehe https://docs.example.org/the/english/page"
    assert language(text) == "de"


def test_expectation_does_not_blind() -> None:
    """A text that is plainly in none of the expected languages is still called what it is."""
    assert language("Je ne sais pas encore quoi faire de cette vieille maison.", expected=["en", "de"]) == "fr"
    assert language("明日天気が良ければ海に行きます。", expected=["en"]) == "ja"


def test_a_few_foreign_words_do_not_sway() -> None:
    """An English text about Chinese words is English."""
    assert language("The greeting 你好 is made of two characters, and it simply means hello.") == "en"
