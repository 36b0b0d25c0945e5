# ruff: noqa: E501, RUF001 - tables of words and marks of many scripts
"""Phrases: how the words of a check are found in a reply. ``docs/checks.md`` has the rules.

Each phrase becomes one pattern over folded text, without nested repetition: time is linear in the reply's length for
each phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import msgspec

from multiturn.checks.part import Part
from multiturn.finding import Span
from multiturn.text.fold import fold, unaccented

_GLUED: Final = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Letters of scripts that put no spaces between words, and hangul, which glues particles to them: they are no edge."""

_NO_SPACES: Final = re.compile(f"[{_GLUED}]")
_LETTER: Final = rf"[^\W{_GLUED}]"
_REST: Final = rf"{_LETTER}{{0,40}}"

_GAP: Final = r"(?:\s{1,20}|-\s?)"
_LONGEST: Final = 200

_NEGATION_BEFORE: Final = re.compile(
    r"(?:\b(?:no|not|non|never|nor|neither|without|w/o|avoid(?:s|ing)?|skip(?:s|ping)?|free of|instead of|rather than|rid of|"
    r"n't|nothing|none of|except|but not|replac(?:es?|ing)|isn't|cannot|zero|"
    r"kein\w{0,2}|nicht|ohne|statt|anstatt|anstelle(?: von)?|weder|noch|nie|"
    r"pas de|pas d'|pas|sans|ni|jamais|au lieu (?:de|du|d')|aucune?|plutot que|"
    r"sin|nunca|en (?:vez|lugar) del?|ningun\w?|tampoco|"
    r"не|без|нет|ни|вместо|никак\w{0,3})\b|n't|不是|不要|没有|不用|不含|不|没|无|而不是|ではなく|じゃなく|なし)"
    r"[\s*_\"'(]*(?:[^\s.!?;:。！？]{1,24}[\s,*_\"']+){0,4}\Z"
)
_NEGATION_BEHIND: Final = re.compile(
    r"[\"')*_]{0,3}(?:-?\s?(?:free|frei)\b|\s{0,2}(?:is|are|was|were)(?:n't|\s+(?:not|no longer|out|off))\b|"
    r"(?:は|を|が)?[^\s。]{0,6}(?:ない|なし|ません|ではなく|じゃなく)|\s?(?:nicht|kein\w{0,2})\b)"
)
_REACH: Final = 60
_CLAUSE: Final = re.compile(r"[.!?;:。！？\n]|, (?:but|aber|mais|pero|но)\b")


def phrase_fault(phrase: str) -> str:
    """What is wrong with a phrase; empty where nothing is."""
    bare = phrase.strip("*")
    if not any(char.isalnum() for char in fold(bare)) and not bare.strip():
        return "is empty"
    if "*" in bare.replace(r"\*", ""):
        return "has a star inside; a star stands at an end: stem*"
    if len(phrase) > _LONGEST:
        return f"is longer than {_LONGEST} characters"
    return ""


def as_variants(variants: str | tuple[str, ...]) -> tuple[str, ...]:
    """One phrase, or several of which one is enough."""
    return (variants,) if isinstance(variants, str) else variants


def listed(phrases: tuple[str, ...]) -> str:
    """Phrases in words: ``'5:45' or '17:45'``."""
    return " or ".join(repr(phrase) for phrase in phrases)


class Variants(msgspec.Struct, frozen=True):
    """Phrases of which one is looked for."""

    phrases: tuple[str, ...]

    def find(self, part: Part, *, unless_negated: bool = False) -> Span | None:
        """The first place in the part where one of them stands."""
        return next(self.all(part, unless_negated=unless_negated), None)

    def all(self, part: Part, *, unless_negated: bool = False) -> Iterator[Span]:
        """Every place in the part where one of them stands, in order, longest variant first."""
        text = part.folded.text
        for match in _pattern(self.phrases).finditer(text):
            if unless_negated and is_negated(text, match.start(), match.end()):
                continue
            yield part.span_of_folded(match.start(), match.end())


def is_negated(text: str, start: int, end: int) -> bool:
    """Whether what stands there is denied: "no walnuts", "instead of Friday", "walnut-free". ``text`` is folded."""
    before = text[max(0, start - _REACH) : start]
    clause = _CLAUSE.split(before)[-1]
    return bool(_NEGATION_BEFORE.search(clause) or _NEGATION_BEHIND.match(text, end))


@lru_cache(maxsize=4096)
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all of them; the longest is tried first."""
    each = sorted({_one(phrase) for phrase in phrases}, key=len, reverse=True)
    return re.compile("|".join(each))


def _one(phrase: str) -> str:
    bare = unaccented(fold(phrase.strip().strip("*").strip())) or unaccented(phrase.strip().strip("*").casefold())
    words = [re.escape(word) for word in bare.split()]
    body = _GAP.join(words)
    left = rf"(?<!{_LETTER}){_REST}" if phrase.strip().startswith("*") else _edge(bare[0], behind=False)
    right = _REST if phrase.strip().endswith("*") else _edge(bare[-1], behind=True)
    return left + body + right


def _edge(char: str, *, behind: bool) -> str:
    """What may not stand beside a phrase that begins (or ends) with this character; a unit may follow a digit."""
    if _NO_SPACES.match(char) or not (char.isalnum() or char == "_"):
        return ""
    if char.isdigit():
        return r"(?!\d|[.,:]\d)" if behind else rf"(?<!{_LETTER})(?<!\d[.,:])"
    return rf"(?!{_LETTER})" if behind else rf"(?<!{_LETTER})"
