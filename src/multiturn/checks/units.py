# ruff: noqa: E501, RUF001 - words of many languages
"""Which numbers have a unit beside them: "36 square metres", "36 m²", "€36", "36 of the red tins", "Tins: 36".

The unit stands behind the number, with at most one word between (and "of the" or its like), or before it: directly, if
it is written without small letters (€, EUR), as the label of its line, or as what is counted ("the tins are 36"). In a
range ("3 to 4 eggs") it is the unit of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import msgspec

from multiturn.checks.numbers import Number
from multiturn.checks.part import Part
from multiturn.text.fold import Folded, fold, unaccented

_WIDE: Final = r"\u0e00-\u0eff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_NO_WORD_BETWEEN: Final = r"and|or|und|oder|et|ou|y|o|e|и|или|for|in|to|per|from|minus|plus|than|not|with|out|fur|in|pro|von|mit|a|por|con|par|avec|pour|на|с|за"
_GAP: Final = (
    r"(?:\\[,;: ]|[ \t$(\[~-]){0,4}(?:\\(?:text|mathrm)\{ ?)?"
    r"(?:of (?:the|these|those|your|our|my|them)? ?|von (?:den|diesen|deinen|ihren) |des |de (?:los|las|les|ces|tus|sus)? ?|из (?:этих )?)?"
    rf"(?:(?!(?:{_NO_WORD_BETWEEN})\b)[^\W\d_{_WIDE}]{{1,24}}[ -]{{1,2}}|[{_WIDE}]{{1,3}}?)?"
)
_RANGE: Final = re.compile(
    r"[ \t*_]{0,4}(?:[-\u2010-\u2015~～至到]|to|or|bis|oder|à|ou|a|o|до|или)[ \t*_$€£¥]{0,4}", re.IGNORECASE
)
_LONGEST_LINK: Final = 16
_BEFORE: Final = 120
_IS: Final = r"(?:is|are|was|were|equals|ist|sind|war|waren|est|sont|es|son|это|=|是|は) ?(?:[^\W\d_]{1,16} )?"
_RAISED: Final = re.compile(r"(?<=[a-z])([23])\Z")
_DIGIT: Final = re.compile(r"\d")


class Unit(msgspec.Struct, frozen=True):
    """Phrases of which one must stand beside a number."""

    phrases: tuple[str, ...]

    def beside(self, part: Part, numbers: Sequence[Number]) -> tuple[Number, ...]:
        """Those of the numbers in the part's text that have the unit."""
        text, folded = part.text, part.folded
        has: list[bool] = []
        taken = 0  # a unit that stands behind one number is not before the next
        for number in numbers:
            behind = _behind(self.phrases).match(folded.text, folded.index(number.end))
            has.append(behind is not None or self._is_before(folded, number, taken))
            taken = behind.end() if behind else taken
        linked = [_linked(text, one, other) for one, other in pairwise(numbers)]
        for index in reversed(range(len(linked))):
            has[index] = has[index] or (linked[index] and has[index + 1])
        for index, link in enumerate(linked):
            has[index + 1] = has[index + 1] or (link and has[index])
        return tuple(number for number, beside in zip(numbers, has, strict=True) if beside)

    def _is_before(self, folded: Folded, number: Number, taken: int) -> bool:
        digit = _DIGIT.search(folded.original, number.start, number.end)
        end = folded.index(digit.start() if digit else number.start)
        return _before(self.phrases).search(folded.text, max(0, end - _BEFORE, taken), end) is not None


def _linked(text: str, one: Number, other: Number) -> bool:
    """Whether two numbers make a range."""
    return other.start - one.end <= _LONGEST_LINK and _RANGE.fullmatch(text, one.end, other.start) is not None


@lru_cache(maxsize=1024)
def _behind(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"{_GAP}(?:{'|'.join(_patterns(phrases))})")


@lru_cache(maxsize=1024)
def _before(phrases: tuple[str, ...]) -> re.Pattern[str]:
    each = "|".join(_patterns(phrases))
    signs = "|".join(_patterns(tuple(phrase for phrase in phrases if _is_sign(phrase))))
    label = rf"(?:\A|\n)[^\w\n]{{0,8}}(?:{each})[^\w\n]{{1,6}}\Z"
    said = rf"(?<![^\W_])(?:{each})[^\w\n=]{{0,4}}{_IS}[$ ]{{0,2}}[-\u2212]?\Z"
    directly = rf"|(?<![^\W\d_])(?:{signs})[ \t$]{{0,2}}[-\u2212]?\Z" if signs else ""
    return re.compile(f"{label}|{said}{directly}")


def _is_sign(phrase: str) -> bool:
    """Whether it is written without small letters, and without those that have no capitals: €, EUR, US$."""
    return not any(char.isalpha() and not char.isupper() for char in phrase)


def _patterns(phrases: tuple[str, ...]) -> Iterator[str]:
    """Each phrase as it stands in a folded text, the longest first."""
    for phrase in sorted(phrases, key=len, reverse=True):
        bare = unaccented(fold(phrase.strip().strip("*")))
        body = r"[\s-]{1,3}".join(map(re.escape, bare.split()))
        first = r"[^\W\d_]{0,40}" if phrase.strip().startswith("*") else ""
        edge = rf"(?![^\W_{_WIDE}])" if bare[-1:].isalnum() else ""
        last = r"\w{0,40}" if phrase.strip().endswith("*") else edge
        yield first + _RAISED.sub(r"\\}?\\^?\\{?\1", body) + last
