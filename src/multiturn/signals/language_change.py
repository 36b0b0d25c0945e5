# ruff: noqa: RUF001 - characters of many scripts are what this is about
"""Replies in a language that the user has neither used nor asked for.

Made to be believed when it speaks: it stays silent where either language is not known, where a language or a
translation is named anywhere so far, and where the user has used the reply's language in any turn or line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from multiturn.text.fold import fold, unaccented
from multiturn.text.language import UNKNOWN, language

_NAMES: Final = re.compile(
    r"\b(?:translat|ubersetz|tradu[icz]|перев[ео]д|переклад|vertaal|tlumacz|cevir|"
    r"english|englisch|anglais|ingles|englisch|английск|german|deutsch|allemand|aleman|tedesco|немецк|french|franzosisch|francais|frances|французск|"
    r"spanish|spanisch|espagnol|espanol|spagnolo|испанск|italian|portugu|dutch|niederlandisch|nederlands|polish|polnisch|polsk|russian|russisch|russe|ruso|русск|"
    r"ukrain|украин|україн|chinese|chinesisch|chinois|chino|mandarin|cantonese|китайск|japanese|japanisch|japonais|japones|японск|korean|koreanisch|coreen|корейск|"
    r"arabic|arabisch|arabe|hindi|turkish|turkisch|turkce|vietnam|indonesian|swedish|svenska|danish|norwegian|finnish|greek|griechisch|hebrew|thai|latin\b|"
    r"czech|hungarian|romanian|persian|farsi|urdu|bengali|tamil|language|sprache|langue\b|idioma|lingua\b|язык|esperanto|multilingual|bilingual)"
    r"|翻译|翻譯|翻訳|訳して|英语|英語|中文|汉语|漢語|日语|日語|日本語|韩语|韓語|法语|法語|德语|德語|西班牙语|俄语|语言|語言|言語|영어|한국어|일본어|중국어|번역|언어"
)
_LINES: Final = re.compile(r"\n+|(?<=[:：])\s+|\"")


class LanguageChange(msgspec.Struct, frozen=True):
    """Whether the reply changed the language (None where that can't be said, with the reason), and what it is in."""

    changed: bool | None
    found: str
    reason: str = ""


def language_change(reply: str, users: Sequence[str], system: str | None = None) -> LanguageChange:
    """Compare a reply with what the user said up to it.

    Args:
        reply: The reply's text.
        users: The user's messages so far, the one replied to last.
        system: The system prompt; a language named in it counts as asked for.
    """
    found = language(reply)
    if found == UNKNOWN:
        return LanguageChange(None, found, "the reply's language is not known: too short, or not clear")
    spoken = {language(user) for user in users} - {UNKNOWN}
    if not spoken:
        return LanguageChange(None, found, "the user's language is not known: too short, or not clear")
    if found in spoken:
        return LanguageChange(changed=False, found=found)
    if any(_NAMES.search(unaccented(fold(said))) for said in (*users, system or "")):
        return LanguageChange(None, found, "a language is named: another one may have been asked for")
    if any(language(line) == found for user in users for line in _LINES.split(user)):
        return LanguageChange(changed=False, found=found)
    return LanguageChange(changed=True, found=found)
