# ruff: noqa: RUF001 - dashes, spaces and words of many scripts
"""What stands around a run of digits, and what it makes of it: a name, an ordinal, a date, an hour, a negative number.

Every question looks at a few characters before and behind, so that a text full of digits takes linear time. Knows
nothing of values.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from multiturn.checks import number_words as words
from multiturn.text.abbreviations import GERMAN_AFTER_ORDINAL

NEAR: Final = 40
"""So many characters before a number are looked at."""

_LONGEST_LABEL: Final = 16
_READ: Final = 5_000
_MOST_DAYS: Final = 31
_YEAR_DIGITS: Final = 4

_NAME_BEFORE: Final = re.compile(r"(?:[^\W\d_\u0e00-\u1dff\u2000-\uffff][-\u2010\u2011_]?|#|\^[-−]?|[\^_]\{[-−]?|第)\Z")
_NO_NAME_BEFORE: Final = re.compile(rf"(?:(?<![^\W\d_])(?:{words.CURRENCIES})|\\[a-zA-Z]{{1,12}}|[0-9] ?[xX])\Z")
_NO_NUMBER_BEHIND: Final = re.compile(
    r"[⁰¹²³⁴-⁹₀-₉]|\s?\^|\ufe0f?\u20e3|[ºª]|.?目|h[0-9]{2}|-[а-яё]{1,3}(?![а-яё])|-[A-Z](?![a-zA-Z])"
    r"|(?:(?i:st|nd|rd|th|er|re|e|ème|eme|ère|nde)|s?te[nrms]?|k|K|M|B|bn|mn|D|G)(?![^\W_])"
)
_DATE_BEHIND: Final = re.compile(
    rf"(?i:st|nd|rd|th|er|º)?\.?\s(?:of\s|de\s)?(?:{words.MONTHS})(?!\w)"
    r"|年\s?[0-9]{1,2}\s?月|月\s?[0-9]{1,2}\s?[日号號]|(?<=[12][0-9]{3})年"
)
_DATE_BEFORE: Final = re.compile(
    rf"(?<!\w)(?:{words.MONTHS})(?:\s[0-9]{{1,2}}(?:st|nd|rd|th)?,?|\sde|\sdel)?\s\Z|[0-9]\s?[年月]\s?\Z"
)
_WORD_BEHIND_POINT: Final = re.compile(r"\.\s+([^\W\d_]+)")
_GERMAN_ARTICLE: Final = re.compile(
    r"(?<!\w)(?:am|der|die|das|den|dem|im|vom|zum|zur|beim|jede[rsnm]?|mein\w{0,2}|dein\w{0,2}|sein\w{0,2}|ihr\w{0,2})\s\Z",
    re.IGNORECASE,
)
_LABEL_BEFORE: Final = re.compile(rf"(?<!\w)(?:{words.NUMBERED})\Z", re.IGNORECASE)
_TIME_BEHIND: Final = re.compile(rf"\s?(?:{words.TIMES_OF_DAY})", re.IGNORECASE)
_SIGN_BEFORE: Final = re.compile(r"[-−–](?:[$€£¥₹₽]\s?)?\Z")
_TAKEN_FROM: Final = re.compile(r"(?:[0-9)%°²][\s*_]{0,3}|[^\W_]|[-–—])\Z")
_MINUS_BEFORE: Final = re.compile(
    r"(?:(?:\A|[.!?:=(,;\n*])|(?<!\w)(?:is|was|be|to|at|of|about|around|equals|from|and|ist|sind|war|auf|bei|von|und|est|à|de|es|son|a|до|от|около)"
    r"|[是为])[\s*]{0,3}(?P<minus>minus|negative|moins|menos|минус|负|零下|マイナス)\s?\Z",
    re.IGNORECASE,
)
_LARGER_BEFORE: Final = re.compile(
    rf"(?<!\w)(?:{words.LARGER})(?:[\s-]|\s(?:and|et|y|und)\s|-et-)\Z|[^\W_]-\Z", re.IGNORECASE
)
_LARGER_BEHIND: Final = re.compile(rf"[\s-](?:{words.LARGER}|{words.PARTS})(?!\w)", re.IGNORECASE)
_ENGLISH: Final = re.compile(rf"\b(?:{words.ENGLISH})\b", re.IGNORECASE)
_COMMA_LANGUAGES: Final = re.compile(rf"\b(?:{words.COMMA_LANGUAGES})\b", re.IGNORECASE)


def is_no_number(text: str, start: int, end: int) -> bool:
    """Whether the digits at ``text[start:end]`` are part of a name, an ordinal, a power or a date."""
    before = text[max(0, start - NEAR) : start]
    if _NAME_BEFORE.search(before[-3:]) and not _NO_NAME_BEFORE.search(before):
        return True
    if _NO_NUMBER_BEHIND.match(text, end) or _DATE_BEHIND.match(text, end):
        return True
    return text[end : end + 1] == "." and _is_german_ordinal(before, text, end)


def needs_unit(text: str, start: int, end: int) -> bool:
    """Whether the digits count something of their own (Day 3, Step 2), or are an hour (7 pm) or a day (May 5)."""
    before = text[max(0, start - NEAR) : start]
    label = before[-_LONGEST_LABEL:].rstrip()
    if (label[-1:].isalpha() or label.endswith(("°", "№", "o.", "s.", "r."))) and _LABEL_BEFORE.search(label):
        return True
    if (before[-1:].isspace() or before[-1:] in "年月") and before and _DATE_BEFORE.search(before):
        return _may_be_of_a_date(text[start:end])
    return _TIME_BEHIND.match(text, end) is not None


def sign_start(text: str, start: int) -> int | None:
    """Where the minus stands that makes the number behind it negative; None where there is none."""
    before = text[max(0, start - NEAR) : start]
    sign = _SIGN_BEFORE.search(before[-3:])
    if sign:
        rest = before[: len(before) - len(sign[0])]
        return None if _TAKEN_FROM.search(rest[-5:]) else start - len(sign[0])
    minus = _MINUS_BEFORE.search(before) if before.rstrip()[-1:].isalpha() else None
    return start - len(before) + minus.start("minus") if minus else None


def is_part_of_larger(text: str, start: int, end: int) -> bool:
    """Whether a number word is a part of another one: twenty-two, two hundred, two thirds."""
    before = text[max(0, start - NEAR) : start]
    return bool(_LARGER_BEFORE.search(before) or _LARGER_BEHIND.match(text, end))


@lru_cache(maxsize=64)
def comma_is_decimal(text: str) -> bool:
    """Whether the text is plainly in a language that writes 1,5 for one and a half; its small words tell."""
    read = text[:_READ]
    return len(_COMMA_LANGUAGES.findall(read)) > len(_ENGLISH.findall(read))


def _may_be_of_a_date(digits: str) -> bool:
    return digits.isdigit() and (
        len(digits) == _YEAR_DIGITS or (len(digits) < _YEAR_DIGITS and int(digits) <= _MOST_DAYS)
    )


def _is_german_ordinal(before: str, text: str, end: int) -> bool:
    """``am 3. Oktober``, ``der 3. Versuch``: the point ends no sentence."""
    word = _WORD_BEHIND_POINT.match(text, end)
    if word is None:
        return False
    return word[1] in GERMAN_AFTER_ORDINAL or (
        bool(_GERMAN_ARTICLE.search(before)) and word[1][0].isupper() and comma_is_decimal(text)
    )
