# ruff: noqa: RUF001 - characters of many scripts are what this is about
"""Which words differ between two texts, so that a reader sees at a glance what one says and the other does not.

The longest sequence of words that stands in both texts in the same order is what they have in common. Of it only what
a person would call common is kept: a run of words that is shorter, in characters, than the differing stretch before it
and than the one behind it is no island; "the" between two sentences that have nothing to do with each other is chance.

A word is a run of letters and digits with what joins them (``don't``, ``3.14``, ``1,000``), a single Han or kana
character, or one sign again and again (``...``, ``**``). Capitals and every mark count; spaces and line breaks do not.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import msgspec
from rapidfuzz.distance import LCSseq, Levenshtein

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Run = tuple[int, int, int]
    """Words in common: where they begin in the first text and in the second one, and how many."""

LITTLE: Final = 0.15
"""Texts that have less than this share in common are told apart as wholes: their marks would only be in the way."""
SHORT: Final = 4
"""Texts of at most so many words are marked all the same: that takes no more than a look."""

EXACT: Final = 10**8
"""Pairs of words (of one text times of the other) up to which the common sequence is the longest: 13 MB for its table.
Above that it may be a little shorter, in a memory that does not grow."""
MOST: Final = 4 * 10**9
"""Pairs of words above which two texts are not compared word by word: it would take more than about two seconds."""

_SIGN: Final = (
    r"!-/:-@\[-^`{-~\u00a1-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2010-\u2027\u2030-\u205e"
    r"\u3001-\u3003\u3008-\u3020\u3030\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    r"\u055a-\u055f\u0589\u05be\u05c0\u05c3\u060c\u061b\u061f\u066a-\u066c\u06d4\u0964\u0965\u0e4f\u0e5a\u104a\u104b\u1362-\u1368\u17d4-\u17d6"
)
_WIDE: Final = (
    r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
_LETTERS: Final = rf"[^\s{_SIGN}{_WIDE}]+"
_WORD: Final = re.compile(
    rf"({_LETTERS}(?:['’]{_LETTERS}|(?<=\d)[.,:](?=\d){_LETTERS})*"
    rf"|[{_WIDE}][\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef]*|([{_SIGN}])\2*)"
)


class Differing(msgspec.Struct, frozen=True):
    """The stretches of each text that are not in the other: offsets in characters, in order, apart, none empty.

    ``common`` is the share of the characters of both texts' words that they have in common (0 to 1; 1 of two texts
    without words). ``throughout`` says that it is so little that marks would not help a reader.
    """

    first: tuple[tuple[int, int], ...]
    second: tuple[tuple[int, int], ...]
    common: float
    throughout: bool


_NOTHING: Final = Differing((), (), 1.0, throughout=False)


def differing(first: str, second: str) -> Differing | None:
    """What differs between two texts; which of them is given first makes no difference.

    None where they are too long to be compared word by word (:data:`MOST`).
    """
    if first == second:
        return _NOTHING
    if first > second:  # of several sequences of the same length the same one is found from both sides
        found = differing(second, first)
        return found and Differing(found.second, found.first, found.common, found.throughout)
    texts = _Words(first), _Words(second)
    words = texts[0].words, texts[1].words
    if words[0] == words[1]:
        return _NOTHING
    if len(words[0]) * len(words[1]) > MOST:
        return None
    lengths = texts[0].lengths, texts[1].lengths
    kept = _without_chance(common_runs(*words), lengths)
    shared = 2 * sum(lengths[0][at + size] - lengths[0][at] for at, _, size in kept)
    common = shared / (lengths[0][-1] + lengths[1][-1])
    return Differing(
        tuple(texts[0].between([(run[0], run[2]) for run in kept])),
        tuple(texts[1].between([(run[1], run[2]) for run in kept])),
        common,
        common < LITTLE and max(map(len, words)) > SHORT,
    )


def words_of(text: str) -> list[str]:
    """The words that are compared, in order; all that stands between them is space."""
    return _WORD.split(text)[1::3]


def common_runs(first: Sequence[str], second: Sequence[str]) -> list[Run]:
    """The longest sequence that stands in both, in runs of neighbours (up to :data:`EXACT`; above, a long one)."""
    longest = LCSseq if len(first) * len(second) <= EXACT else Levenshtein
    blocks = longest.editops(first, second).as_matching_blocks()
    return [(one.a, one.b, one.size) for one in blocks if one.size]


class _Words:
    """The words of a text, and where they are."""

    def __init__(self, text: str) -> None:
        parts: list[str] = _WORD.split(text)  # what is between words, a word, its sign if it is one, and so on
        self.words: Final = parts[1::3]
        self.lengths: Final = [*accumulate(map(len, self.words), initial=0)]
        """Characters of words before each word, and in all."""
        self._between: Final = [*accumulate(map(len, parts[::3]))]

    def between(self, runs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Where the stretches between runs begin and end; a run is told by its first word and how many it has."""
        here = 0
        for at, size in (*runs, (len(self.words), 0)):
            if at > here:
                yield self.lengths[here] + self._between[here], self.lengths[at] + self._between[at - 1]
            here = at + size


def _without_chance(runs: Sequence[Run], lengths: tuple[Sequence[int], Sequence[int]]) -> list[Run]:
    """The runs that are at least as long as what differs on one side of them.

    A run that goes makes the stretch around it longer, which may be too long for the run before it.
    """
    first, second = lengths

    def apart(one: Run, other: Run) -> int:
        """Characters that differ between two runs, in the text that has more of them."""
        size = one[2]
        return max(first[other[0]] - first[one[0] + size], second[other[1]] - second[one[1] + size])

    kept: list[Run] = [(0, 0, 0)]
    before: list[int] = [0]
    for run in (*runs, (len(first) - 1, len(second) - 1, 0)):
        behind = apart(kept[-1], run)
        while len(kept) > 1 and first[kept[-1][0] + kept[-1][2]] - first[kept[-1][0]] < min(before[-1], behind):
            kept.pop()
            before.pop()
            behind = apart(kept[-1], run)
        kept.append(run)
        before.append(behind)
    return kept[1:-1]
