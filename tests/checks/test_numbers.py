"""The numbers in a text: forms of digits, words, and what is no number."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.checks.numbers import numbers_in


def read(text: str) -> list[str]:
    """What the text gives: the values; with ``+`` those that need a unit, with ``#`` those in headings."""
    marks = {"always": "", "with_unit": "+", "if_alone": "#"}
    return [marks[one.counts] + f"{one.value.normalize():f}" for one in numbers_in(text)]


DIGITS = [
    ("1000", "1000"),
    ("1,000", "1000"),
    ("1.000", "1000"),
    ("1 000", "1000"),
    ("1\u00a0000", "1000"),
    ("1\u202f000", "1000"),
    ("1'000", "1000"),
    ("1’000", "1000"),
    ("1_000", "1000"),
    ("1{,}000", "1000"),
    (r"1,\!000", "1000"),
    (r"1\,000", "1000"),
    ("１０００", "1000"),
    ("１，０００", "1000"),
    ("١٠٠٠", "1000"),
    ("1e3", "1000"),
    ("1 × 10^3", "1000"),
    (r"1 \times 10^{3}", "1000"),
    ("1·10³", "1000"),
    ("1 thousand", "1000"),
    ("5 mil", "5000"),
    ("2.5 million", "2500000"),
    ("2,5 Millionen", "2500000"),
    ("3万", "30000"),
    ("3 млн", "3000000"),
    ("1,234,567", "1234567"),
    ("1.234.567", "1234567"),
    ("1 234 567,5", "1234567.5"),
    ("1,234.5", "1234.5"),
    ("1.234,5", "1234.5"),
    ("12,34,567", "1234567"),
    ("1.5", "1.5"),
    ("1,5", "1.5"),
    ("12,50", "12.5"),
    ("0,125", "0.125"),
    ("0.125", "0.125"),
    (".5", "0.5"),
    ("3.1416", "3.1416"),
    ("1.2e3", "1200"),
    ("1.5e-3", "0.0015"),
    ("1/2", "0.5"),
    ("1 1/2", "1.5"),
    ("½", "0.5"),
    ("2½", "2.5"),
    (r"\frac{1}{2}", "0.5"),
    (r"1\frac{1}{4}", "1.25"),
    ("4.5/5", "0.9"),
    ("5%", "5"),
    ("5 %", "5"),
    ("$5", "5"),
    ("5€", "5"),
    ("EUR5", "5"),
    ("5km", "5"),
    ("5 m²", "5"),
    ("36°C", "36"),
    (r"\boxed{6,000}", "6000"),
    ("$7{,}300", "7300"),
    ("**5**", "5"),
    ("_5_", "5"),
    ("(5)", "5"),
    ("x=5", "5"),
    (r"\approx5", "5"),
    ("+5", "5"),
    ("5-star", "5"),
    ("我有5个", "5"),
    ("第5天 6", "6"),
]


@pytest.mark.parametrize(("text", "value"), DIGITS)
def test_forms_of_digits(text: str, value: str) -> None:
    """Alone, in a sentence, at its end, and before a comma."""
    for around in ("{}", "It is {} now.", "It is {}.", "They need {}, all in all."):
        assert read(around.format(text)) == [value]


SIGNS = [
    ("−5", ["-5"]),
    ("-5", ["-5"]),
    ("–5", ["-5"]),
    ("-5 or -6.5", ["-5", "-6.5"]),
    ("-$5", ["-5"]),
    ("$-5", ["-5"]),
    ("(-5)", ["-5"]),
    ("x = -5", ["-5"]),
    ("minus 5", ["-5"]),
    ("It is minus five.", ["-5"]),
    ("Es sind minus 5 Grad.", ["-5"]),
    ("零下5度", ["-5"]),
    ("10-5", ["10", "5"]),
    ("10 -5", ["10", "5"]),
    ("10 − 5 = 5", ["10", "5", "5"]),
    ("10 minus 5", ["10", "5"]),
    ("3-4 eggs", ["3", "4"]),
    ("3–4 eggs", ["3", "4"]),
    ("3 to 4 eggs", ["3", "4"]),
    ("- 5 eggs", ["5"]),
    ("It fell by 5.", ["5"]),
    ("so—5", ["5"]),
    ("so--5", ["5"]),
    ("10^-3 or 10^{-3}", []),
]


@pytest.mark.parametrize(("text", "values"), SIGNS)
def test_a_minus_is_a_sign_where_nothing_is_taken_away(text: str, values: list[str]) -> None:
    """Not in a range, not in a subtraction, not as the dash of a list."""
    assert read(text) == values


WORDS = [
    ("eight", ["8"]),
    ("Acht!", ["8"]),
    ("huit", ["8"]),
    ("ocho", ["8"]),
    ("восемь", ["8"]),
    ("около пяти", ["5"]),
    ("zwölf", ["12"]),
    ("twenty-two", []),
    ("twenty two", []),
    ("two hundred", []),
    ("one hundred and two", []),
    ("two thirds", []),
    ("quatre-vingts", []),
    ("soixante-dix", []),
    ("treinta y dos", []),
    ("zweiundzwanzig", []),
    ("7-Eleven", ["7"]),
    ("très bien", []),
    ("one of them", ["+1"]),
    ("eine Frage", ["+1"]),
    ("Eins.", ["1"]),
    ("The elf said it once.", ["+11", "+11"]),
    ("Es sind elf und das ist gut.", ["11"]),
    ("Son dos.", ["2"]),
    ("a DOS program", ["+2"]),
    ("三个", ["+3"]),
    ("十二个", ["+12"]),
    ("二十", []),
    ("第三天", []),
]


@pytest.mark.parametrize(("text", "values"), WORDS)
def test_number_words_up_to_twelve(text: str, values: list[str]) -> None:
    """Parts of larger numbers are none; articles and Chinese numbers need a unit."""
    assert read(text) == values


NONE = [
    "",
    ", , and nothing else,",
    "at 7:15",
    "from 7:15-8:00",
    "à 19h30",
    "on 3/4/2026",
    "on 2026-03-05",
    "am 24.12.2026",
    "5 May",
    "the 5th of May",
    "am 5. Mai",
    "el 5 de mayo",
    "5 мая",
    "version 3.0.1",
    "192.168.0.1",
    "call +49 30 1234567",
    "call (030) 123 4567",
    "call 555-123-4567",
    "call 555 123 4567",
    "see https://a.example/36/4?x=5",
    "A4",
    "x86-64",
    "GPT-4.5",
    "COVID-19",
    "H2O",
    "H₂O",
    "#1",
    "x_1",
    "1st, 2nd, 3rd, 24th",
    "le 2e et la 3ème",
    "2-й",
    "der 3. Versuch ist gut",
    "am 3. Oktober",
    "3番目",
    "5k or 2M",
    "3D in 4K",
    "2^10",
    "10²",
    "a ratio of 3:2",
    "1️⃣",
    "9" * 41,
    "5/0",
]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_number(text: str) -> None:
    """Times, dates, versions, telephone numbers, names, ordinals, powers, ratios."""
    assert read(text) == []


COUNTED = [
    ("Day 3: 5 km", ["+3", "5"]),
    ("on day 3", ["+3"]),
    ("Days 3 and 4: 5 km", ["+3", "+4", "5"]),
    ("Step 2: add 5", ["+2", "5"]),
    ("Turn 4", ["+4"]),
    ("Option #2", []),
    ("bus No. 7", ["+7"]),
    ("No. 7", ["7"]),
    ("Is it? No. 71.1", ["71.1"]),
    ("Tag 3", ["+3"]),
    ("Schritt 2", ["+2"]),
    ("Jour 3", ["+3"]),
    ("Étape 2", ["+2"]),
    ("Día 3", ["+3"]),
    ("День 3", ["+3"]),
    ("today 3 came", ["3"]),
    ("at 7 pm", ["+7"]),
    ("um 19 Uhr", ["+19"]),
    ("May 5", ["+5"]),
    ("2026年3月", ["+3"]),
    ("May 5, 2026", ["+5", "+2026"]),
    ("In May 36 people came", ["36"]),
    ("5 am Montag", ["5"]),
]


@pytest.mark.parametrize(("text", "values"), COUNTED)
def test_what_is_counted_by_a_number_needs_a_unit(text: str, values: list[str]) -> None:
    """Day 3 is no three; and an hour or a day of the month is no amount."""
    assert read(text) == values


LAYOUT = [
    ("1. add 5\n2. check 6", ["5", "6"]),
    ("1) add\n2) check\nTotal: 9", ["9"]),
    ("36. That is all.", ["36"]),
    ("**42.** That is all.", ["42"]),
    ("**1. Mix** 3 eggs\n\n**2. Bake** 5 hours", ["3", "5"]),
    ("## 3. Result\nIt is 36.", ["36"]),
    ("## Breakfast for 4\nIt is 36.", ["#4", "36"]),
    ("```python3\nx = 5\n```", ["5"]),
    ("| day | km |\n|---|---|\n| Mon | 5 |", ["5"]),
    ("I am 36. You are 3.", ["36", "3"]),
    ("1,2,3", ["1", "2", "3"]),
    ("2, 3 and 4", ["2", "3", "4"]),
    ("between 3 and 4, so 4.", ["3", "4", "4"]),
    ("6x13=78, 6 x 13", ["6", "13", "78", "6", "13"]),
    ("in 2024 100 people", ["2024", "100"]),
    ("3 + 4 = 7", ["3", "4", "7"]),
]


@pytest.mark.parametrize(("text", "values"), LAYOUT)
def test_lists_headings_and_rows(text: str, values: list[str]) -> None:
    """Markers and numbering are passed over; numbers in headings are told."""
    assert read(text) == values


@pytest.mark.parametrize(
    ("text", "value", "other"),
    [
        ("You get 1.250 of it.", "1.25", "1250"),
        ("Das sind 1.250 Liter und mehr.", "1250", "1.25"),
        ("You get 1,250 of it.", "1250", "1.25"),
        ("Das sind 1,250 Liter und mehr.", "1.25", "1250"),
        ("You get 1.000 of it.", "1000", "1"),
        ("Das sind 1,000 Liter und mehr.", "1000", "1"),
    ],
)
def test_one_mark_before_three_digits_has_two_readings(text: str, value: str, other: str) -> None:
    """The text's language says which comes first, unless three zeros do."""
    (found,) = numbers_in(text)
    assert (found.value, found.other) == (Decimal(value), Decimal(other))


def test_places_are_of_the_text_as_it_is() -> None:
    """With the sign, the fraction and the word for thousands; wide digits too."""
    text = "Ｉt is −5, 1 1/2, ２，０００ and 3 million; 4-6."
    found = [text[one.start : one.end] for one in numbers_in(text)]
    assert found == ["−5", "1 1/2", "２，０００", "3 million", "4", "6"]


def test_long_numbers_are_exact() -> None:
    """To the last of 40 digits, negative ones too."""
    digits = "1234567890" * 4
    assert [one.value for one in numbers_in(f"{digits} or -{digits}")] == [Decimal(digits), Decimal("-" + digits)]


WHOLE = st.integers(min_value=13, max_value=10**12)


@given(
    WHOLE, st.sampled_from([",", ".", " ", "\u00a0", "\u202f", "'", "_", "{,}", ""]), st.sampled_from(["", "−", "-"])
)
def test_a_formatted_number_comes_back_as_itself(value: int, mark: str, sign: str) -> None:
    """With any mark between thousands and any sign; where it has two readings, as one of them."""
    text = sign + f"{value:,}".replace(",", mark)
    (found,) = numbers_in(f"So it is {text}.")
    wanted = Decimal(-value if sign else value)
    assert wanted in (found.value, found.other)
    assert f"So it is {text}."[found.start : found.end] == text


@given(
    st.decimals(min_value=0, max_value=999, places=2),
    st.sampled_from([".", ","]),
    st.sampled_from(["{}", "**{}**", "{} m", "€{}", "({})", "`{}`", "= {}!"]),
)
def test_a_decimal_comes_back_as_itself(value: Decimal, mark: str, around: str) -> None:
    """With point or comma, whatever stands around it."""
    assert [one.value for one in numbers_in(around.format(f"{value:f}".replace(".", mark)))] == [value]


@given(st.text(alphabet="0123456789.,:/-−' \u00a0(){}\\^%e+#\nABkmone一十½٣１", max_size=60))
def test_numbers_are_ordered_and_where_they_say(text: str) -> None:
    """Whatever the text: finite values, in order, without overlap, each at a digit or a word."""
    end = 0
    for one in numbers_in(text):
        assert end <= one.start < one.end <= len(text)
        assert one.value.is_finite()
        assert any(char.isalnum() for char in text[one.start : one.end])
        end = one.end


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a",
            "7",
            ",",
            "|",
            "`",
            "[",
            "- \n",
            " ",
            "\n",
            "1 ",
            "1,",
            "1-",
            "1.",
            "1/",
            "1:",
            "1 000 ",
            "one ",
            "day 3 ",
        ),
        *("½", "+1", "(1", "0 ", "1e", "1.\n", "**1. x**\n", "\\frac{1}", "一", "٣", "https://1 "),
    ],
)
def test_hostile_texts_take_linear_time(unit: str) -> None:
    """100,000 characters of anything within seconds."""
    text = unit * (100_000 // len(unit))
    start = time.perf_counter()
    numbers_in(text)
    assert time.perf_counter() - start < 8
