# ruff: noqa: E501, RUF001 - letters of many scripts
"""Phrases: how the words of a check are found in a reply. ``docs/checks.md`` has the rules.

Each set of phrases becomes one pattern over folded text, without nested repetition: time is linear in the reply's
length for each phrase. Whether a phrase is denied where it stands, ``negation`` knows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

import msgspec

from multiturn.checks.negation import is_negated
from multiturn.checks.part import Part
from multiturn.finding import Span
from multiturn.text.fold import fold, unaccented

_GLUED: Final = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Letters of scripts that put no spaces between words, and hangul, which glues particles to them: they are no edge."""

_NO_SPACES: Final = re.compile(f"[{_GLUED}]")
_LETTER: Final = rf"[^\W{_GLUED}]"
_REST: Final = rf"{_LETTER}{{0,40}}"

_GAP: Final = r"(?:\s{1,20}|-\s?)"
_LONGEST: Final = 200
_LONGEST_FOUND: Final = 4_000
"""No phrase is found in more characters than these, stars and gaps at their widest."""

_OPENING: Final = re.compile(r"(?:[\s\"'(\[{<>*_~#|«‹»›„‚「『《【（¡¿•·-]|\d{1,3}[.)]\s)*+")
_SAID: Final = re.compile(r"[^\W_]|[$%‰°+#&=@¢-¥\u20a0-\u20cf]")
"""What no end is passed over for: letters, digits, and the signs that are read out as words."""

_NO_ACCENTS: Final = "\ufe0f\ufe0e\u20e3"
"""Marks that make an emoji of what stands before them."""

_MOST_CLOSING: Final = 12
"""A phrase that itself ends in marks ("Bye!") is looked for behind so many of the last ones."""

_TAILS: Final = frozenset(["s", "t", "d", "m", "ll", "re", "ve"])
"""Of ``it's`` and its like: not the size S, the option D."""


def phrase_fault(phrase: str) -> str:
    """What is wrong with a phrase; empty where nothing is."""
    bare = phrase.strip().strip("*")
    if not _spelled(bare):
        return "is empty, or markup only"
    if "*" in bare:
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
            if not (unless_negated and _is_denied(match)):
                yield part.span_of_folded(match.start(), match.end())

    def at_start(self, part: Part) -> Span | None:
        """Where one of them begins the part, spaces, quotes and markup passed over."""
        text = part.folded.text
        pattern = _pattern(self.phrases)
        opening = _OPENING.match(text)
        behind = opening.end() if opening else 0
        for start in dict.fromkeys((len(text) - len(text.lstrip()), behind)):
            match = pattern.match(text, start)
            if match is not None:
                return part.span_of_folded(match.start(), match.end())
        return None

    def at_end(self, part: Part) -> Span | None:
        """Where one of them ends the part, closing punctuation, quotes, markup and emoji passed over."""
        text = part.folded.text
        pattern = _ending(self.phrases)
        last, bare = len(text.rstrip()), _end_of_words(text)
        for end in (*range(last, max(bare, last - _MOST_CLOSING), -1), bare):
            match = pattern.search(text, max(0, end - _LONGEST_FOUND), end)
            if match is not None:
                return part.span_of_folded(match.start(), match.end())
        return None


def _end_of_words(text: str) -> int:
    """Where the last letter, digit or spoken sign ends, with the marks on it; 0 where there is none."""
    found = _SAID.search(text[::-1])
    if found is None:
        return 0
    end = len(text) - found.start()
    while end < len(text) and text[end] not in _NO_ACCENTS and unicodedata.category(text[end]).startswith("M"):
        end += 1
    return end


def first_of_each(
    part: Part, choices: tuple[tuple[str, ...], ...], passed_over: Callable[[str, int, int], bool]
) -> list[tuple[int, Span]]:
    """Which of several sets of phrases the part names, each with its first place, in the order of these places.

    Where one set's phrase stands inside another's ("red" in "dark red"), the longer is named. A place that is denied
    does not count, nor one of which ``passed_over(folded text, start, end)`` is true.
    """
    found: dict[int, Span] = {}
    for match in _pattern(tuple(phrase for phrases in choices for phrase in phrases)).finditer(part.folded.text):
        index = next(index for index, phrases in enumerate(choices) if _is_of(match, phrases))
        if index in found or _is_denied(match) or passed_over(match.string, match.start(), match.end()):
            continue
        found[index] = part.span_of_folded(match.start(), match.end())
        if len(found) == len(choices):
            break
    return list(found.items())


def _is_of(match: re.Match[str], phrases: tuple[str, ...]) -> bool:
    """Whether this place was found for one of these phrases."""
    own = _pattern(phrases).match(match.string, match.start())
    return own is not None and own.end() == match.end()


def _is_denied(match: re.Match[str]) -> bool:
    """Whether the phrase is denied there; of a word that a star lets go on ("walnussfrei"), also behind its stem."""
    ends = {match.end(), match.start(match.lastindex) if match.lastindex else match.end()}
    return any(is_negated(match.string, match.start(), end) for end in ends)


@lru_cache(maxsize=4096)
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all of them; the longest is tried first. Of no phrases, one that matches nowhere."""
    each = sorted({_one(phrase) for phrase in phrases}, key=len, reverse=True)
    return re.compile("|".join(each) or "(?!)")


@lru_cache(maxsize=1024)
def _ending(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?:{_pattern(phrases).pattern})\Z")


def _one(phrase: str) -> str:
    """The pattern of one phrase; what its last star stands for is a group."""
    phrase = phrase.strip()
    bare = _spelled(phrase.strip("*"))
    body = _GAP.join(re.escape(word) for word in bare.split()).replace("е", "[её]")
    left = rf"(?<!{_LETTER}){_REST}" if phrase.startswith("*") else _edge(bare[0], behind=False)
    left += rf"(?<!{_LETTER}')" if bare in _TAILS else ""
    right = f"({_REST})" if phrase.endswith("*") else _edge(bare[-1], behind=True)
    return left + body + right


def _spelled(phrase: str) -> str:
    """As a reply is spelled for matching, and with one letter for two in Russian, where people write either."""
    return unaccented(fold(phrase)).strip().replace("ё", "е")


def _edge(char: str, *, behind: bool) -> str:
    """What may not stand beside a phrase that begins (or ends) with this character; a unit may follow a digit."""
    if _NO_SPACES.match(char) or not (char.isalnum() or char == "_"):
        return ""
    if char.isdigit():
        return r"(?!\d|[.,:]\d)" if behind else rf"(?<!{_LETTER})(?<!\d[.,:])"
    return rf"(?!{_LETTER}|'t(?!{_LETTER}))" if behind else rf"(?<!{_LETTER})"
