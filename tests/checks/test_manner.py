"""Language and manner: language, script, register."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.checks.asking import ask

from multiturn.checks.reading import check_from
from multiturn.checks.register_signs import signs_of
from multiturn.text.language import LANGUAGES, SCRIPTS, letters_by_script, scripts_of, without_code

SENTENCES = {
    "en": "The train to the coast leaves at nine in the morning.",
    "de": "Der Zug an die Küste fährt um neun Uhr morgens ab.",
    "fr": "Le train pour la côte part à neuf heures du matin.",
    "es": "El tren hacia la costa sale a las nueve de la mañana.",
    "ru": "Поезд на побережье отправляется в девять утра.",
    "zh": "去海边的火车早上九点出发。",
    "ja": "海岸行きの電車は朝九時に出ます。",
    "ko": "해안으로 가는 기차는 아침 아홉 시에 떠납니다.",
    "ar": "يغادر القطار إلى الساحل في الساعة التاسعة صباحا.",
}


@pytest.mark.parametrize("asked", SENTENCES)
@pytest.mark.parametrize("written", SENTENCES)
def test_a_sentence_is_in_its_own_language_only(asked: str, written: str) -> None:
    """Each of nine languages against each."""
    result = ask({"kind": "language", "is": asked}, SENTENCES[written])
    assert result.outcome == ("pass" if asked == written else "fail")
    assert (result.span is None) == (asked == written)
    assert ask({"kind": "language", "is": [asked, written]}, SENTENCES[written]).outcome == "pass"


@pytest.mark.parametrize(
    ("code", "reply", "outcome"),
    [
        ("de", "Um 17:45 Uhr.", "not_applicable"),
        ("en", "42", "not_applicable"),
        ("de", "```python\nprint('a long line of English code')\n```", "not_applicable"),
        ("zh", "好的。", "not_applicable"),
        ("zh", "Python", "fail"),
        ("ja", "Yes, nine.", "fail"),
        ("en", "好的。", "fail"),
        ("en", "Ок, да.", "fail"),
        ("ru", "Ok, fine.", "fail"),
        ("zh", "OK", "not_applicable"),
        ("zh", "iPhone 15 吧", "not_applicable"),
    ],
)
def test_a_short_reply_is_only_wrong_where_its_letters_say_so(code: str, reply: str, outcome: str) -> None:
    """Four letters, and none of a script in which the language is written."""
    result = ask({"kind": "language", "is": code}, reply)
    assert result.outcome == outcome
    assert result.reason


def test_the_reason_names_both_languages_and_quotes_the_beginning() -> None:
    """So that a reader needs no second look."""
    result = ask({"kind": "language", "is": ["de", "fr"]}, f"**{SENTENCES['en']}**\nMore of it.")
    assert result.reason == "is in the language 'en', not 'de' or 'fr'"
    assert result.span is not None
    assert result.span.text == f"{SENTENCES['en']}**"


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({"kind": "language", "is": "german"}, "'german' is no language known here"),
        ({"kind": "language", "is": "jp"}, "two letters"),
        ({"kind": "language", "is": []}, "is is empty"),
        ({"kind": "script", "is": "kanji"}, "kanji"),
        ({"kind": "register", "is": "polite"}, "polite"),
        ({"kind": "register", "is": "formal", "language": "it"}, "it"),
    ],
)
def test_what_is_not_known_is_a_fault_of_the_suite(check: dict[str, object], fault: str) -> None:
    """Said when the suite is read."""
    with pytest.raises(ValueError, match=fault):
        check_from(dict(check))


@pytest.mark.parametrize(
    ("script", "reply", "outcome"),
    [
        ("latin", "Zażółć gęślą jaźń", "pass"),
        ("latin", "Moskau heißt Москва auf Russisch.", "fail"),
        ("latin", "The Greek letter π is in this long line of Latin ones.", "pass"),
        ("cyrillic", "Москва — столица.", "pass"),
        ("han", "北京是首都。", "pass"),
        ("han", "東京は首都です。", "fail"),
        ("kana", "東京は首都です。", "pass"),
        ("kana", "トウキョウ", "pass"),
        ("kana", "東京首都", "fail"),
        ("hangul", "서울은 수도이다.", "pass"),
        ("hangul", "Seoul", "fail"),
        ("arabic", "القاهرة هي العاصمة", "pass"),
        ("greek", "Η Αθήνα είναι πρωτεύουσα", "pass"),
        ("hebrew", "ירושלים", "pass"),
        ("devanagari", "दिल्ली राजधानी है", "pass"),
        ("thai", "กรุงเทพเป็นเมืองหลวง", "pass"),
        ("latin", "17:45 h!", "not_applicable"),
        ("greek", "`alpha = 1`", "not_applicable"),
        ("cyrillic", "Напишите `print('hello world')` и нажмите.", "pass"),
    ],
)
def test_nine_letters_of_ten_make_a_script(script: str, reply: str, outcome: str) -> None:
    """Code, numbers and marks are no letters; Japanese has Han beside its kana, but not Han alone."""
    assert ask({"kind": "script", "is": script}, reply).outcome == outcome


def test_the_line_with_other_letters_is_quoted() -> None:
    """Not the first line, if that one is right."""
    result = ask({"kind": "script", "is": "cyrillic"}, "Москва — столица.\nMoskva - stolitsa.")
    assert result.span is not None
    assert result.span.text == "Moskva - stolitsa."
    assert "cyrillic" in result.reason


REGISTERS: list[tuple[str, str, str]] = [
    ("de", "formal", "Bitte nehmen Sie den Bus um neun."),
    ("de", "formal", "Könnten Sie mir Ihre Adresse schicken?"),
    ("de", "formal", "Wir danken Ihnen für die Geduld."),
    ("de", "formal", "Sehr geehrte Frau Weber,\nvielen Dank für die Einladung."),
    ("de", "formal", "Sie können den Koffer am Schalter abholen."),
    ("de", "informal", "Nimm den Bus um neun."),
    ("de", "informal", "Kannst du mir deine Adresse schicken?"),
    ("de", "informal", "Bitte schreib den Satz neu."),
    ("de", "informal", "Ihr könnt später kommen, wir warten auf euch."),
    ("de", "informal", "Sie ist krank, sagst du."),
    ("de", "neither", "Der Zug fährt um neun."),
    ("de", "neither", "Sie ist Lehrerin. Ihr Koffer ist grün."),
    ("de", "neither", "- Sie\n- Er"),
    ("de", "both", "Bitte nehmen Sie Platz, und bring deine Tasche mit."),
    ("fr", "formal", "Pourriez-vous m'envoyer votre adresse ?"),
    ("fr", "formal", "Prenez le bus de neuf heures."),
    ("fr", "formal", "N’oubliez pas le pain."),
    ("fr", "informal", "Tu peux m'envoyer ton adresse ?"),
    ("fr", "informal", "Je t’attends devant la gare."),
    ("fr", "informal", "Prends le bus de neuf heures."),
    ("fr", "neither", "Il y a un rendez-vous chez le médecin, c'est assez loin."),
    ("fr", "neither", "Il a changé de ton, semble-t-il."),
    ("fr", "neither", "Mme Lopez a le nez rouge."),
    ("fr", "both", "Prenez votre manteau, et dis-moi si tu viens."),
    ("es", "formal", "¿Podría usted enviarme la dirección?"),
    ("es", "formal", "Dígame la hora, por favor."),
    ("es", "formal", "Lleve su abrigo."),
    ("es", "informal", "¿Puedes enviarme tu dirección?"),
    ("es", "informal", "Haz la maleta, te espero."),
    ("es", "informal", "¿Vos tenés hambre?"),
    ("es", "informal", "Su maleta está contigo."),
    ("es", "neither", "El tren sale a las nueve y hay té verde."),
    ("es", "both", "Usted dijo que te gusta."),
    ("ru", "formal", "Не могли бы Вы прислать адрес?"),
    ("ru", "formal", "Возьмите зонт."),
    ("ru", "formal", "Ваш чемодан у нас."),
    ("ru", "informal", "Можешь прислать адрес?"),
    ("ru", "informal", "Возьми зонт."),
    ("ru", "informal", "Твой чемодан у нас."),
    ("ru", "neither", "Поезд уходит в девять, это лишь начало."),
    ("ru", "both", "Я жду тебя, возьмите зонт."),
    ("zh", "formal", "请问您几点到？"),
    ("zh", "formal", "尊敬的客人，早餐到十点。"),
    ("zh", "informal", "我们在等你们。"),
    ("zh", "neither", "迷你汽车很小。"),
    ("zh", "both", "您好，你几点到？"),
    ("ja", "formal", "電車は九時に出ます。何時に着きますか？"),
    ("ja", "formal", "お待ちください。ありがとうございます。"),
    ("ja", "formal", "いいですよ😊"),
    ("ja", "informal", "電車は九時に出る。"),
    ("ja", "informal", "うん、行くよ"),
    ("ja", "informal", "昨日は寒かったね！"),
    ("ja", "neither", "九時発の電車。"),
    ("ja", "neither", "はい。まだ。"),
    ("ja", "both", "電車は九時に出ます。早く来いよ！"),
    ("en", "formal", "Dear Ms Weber,\n\nThe concert is on Saturday."),
    ("en", "formal", "I am writing to ask about the concert!"),
    ("en", "formal", "It is at nine. I will be there."),
    ("en", "formal", "The list is here.\n\nYours faithfully,\nA. Bell"),
    ("en", "informal", "Hey Tom, the concert is off."),
    ("en", "informal", "I’m here, and it is nine."),
    ("en", "informal", "Gonna be late."),
    ("en", "informal", "Hi Tom,\nthe concert is on Saturday."),
    ("en", "informal", "Come at nine!"),
    ("en", "informal", "See you at nine 😊"),
    ("en", "neither", "The train leaves at nine."),
    ("en", "neither", "Thank you so much!"),
    ("en", "neither", "Tom's suitcase is green."),
    ("en", "neither", "Run `don't()` now."),
    ("en", "both", "Dear Sir or Madam, I can't come."),
]


@pytest.mark.parametrize(("language", "found", "reply"), REGISTERS)
def test_registers_of_seven_languages(language: str, found: str, reply: str) -> None:
    """Formal, informal; both is a fail of either; where nothing decides, it does not apply."""
    formal, informal = (
        ask({"kind": "register", "is": wanted, "language": language}, reply) for wanted in ("formal", "informal")
    )
    outcomes = {
        "formal": ("pass", "fail"),
        "informal": ("fail", "pass"),
        "both": ("fail", "fail"),
        "neither": ("not_applicable", "not_applicable"),
    }
    assert (formal.outcome, informal.outcome) == outcomes[found]
    assert (formal.span is None) == (found == "neither")
    if formal.span and informal.span:
        assert formal.span.text in reply
        assert (formal.span == informal.span) == (found != "both")


def test_the_word_that_decides_is_quoted() -> None:
    """Of a mixed reply, the one that is wrong; and the reason has both."""
    mixed = ask({"kind": "register", "is": "formal", "language": "de"}, "Ich danke Ihnen. Wo bist du?")
    assert mixed.reason == "is both formal ('Ihnen') and informal ('bist')"
    assert mixed.span is not None
    assert mixed.span.text == "bist"
    plain = ask({"kind": "register", "is": "formal", "language": "en"}, "It's nine.")
    assert plain.reason == 'is informal: "It\'s"'
    assert ask({"kind": "register", "is": "formal"}, "Nine.").reason == "nothing in it is formal or informal"


def test_each_language_has_a_script() -> None:
    """Of those that letters are counted for."""
    assert all(scripts_of(code) for code in LANGUAGES)
    assert {script for code in LANGUAGES for script in scripts_of(code)} <= set(SCRIPTS)


@given(st.text(max_size=80))
def test_code_is_blanked_in_its_place(text: str) -> None:
    """Offsets stay, and letters are counted in what is left."""
    plain = without_code(text)
    assert len(plain) == len(text)
    assert all(after in (before, " ") for before, after in zip(text, plain, strict=True))
    assert letters_by_script(plain) == letters_by_script(text) or "`" in text or "<" in text or "&" in text


@given(st.text(max_size=80), st.sampled_from(["en", "de", "fr", "es", "ru", "zh", "ja"]))
def test_signs_stand_in_the_text(text: str, language: str) -> None:
    """Whatever it is."""
    signs = signs_of(text, language)  # type: ignore[arg-type]  # sampled from its own names
    for place in (signs.formal, signs.informal):
        assert place is None or 0 <= place[0] < place[1] <= len(text)


LONG = {
    "prose": "The train leaves at nine, and nobody knows why. ",
    "letters": "a",
    "russian": "ы",
    "han": "火车九点开。",
    "kana": "です",
    "lines": "\n",
    "spaces": " ",
    "capitals": "Dear ",
    "backticks": "`",
    "tags": "<a",
    "stars": "**",
    "apostrophes": "n'",
    "addresses": "a@b.",
    "fences": "```\n",
}


@pytest.mark.parametrize(
    "check",
    [
        *(
            {"kind": "register", "is": "formal", "language": code}
            for code in ("en", "de", "fr", "es", "ru", "zh", "ja")
        ),
        {"kind": "language", "is": "en"},
        {"kind": "script", "is": "greek"},
    ],
    ids=lambda check: " ".join(check.values()),
)
def test_time_grows_with_the_length_of_the_reply_and_no_faster(check: dict[str, object]) -> None:
    """A megabyte takes at most eight times as long as a quarter of it, or next to nothing."""

    def seconds(text: str, size: int) -> float:
        reply = (text * (size // len(text) + 1))[:size]
        start = time.process_time()
        ask({**check, "allow_refusal": True}, reply)
        return time.process_time() - start

    for name, text in LONG.items():
        small, large = seconds(text, 250_000), seconds(text, 1_000_000)
        assert large < 8 * small + 0.1, name
