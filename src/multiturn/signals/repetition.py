"""Text that repeats itself: within a reply, at its end without end, and from one reply to the next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from multiturn.text.fold import fold

RUN: Final = 4
"""Words in a run whose second occurrence counts as repetition."""

_PIECES: Final = re.compile(
    r"[\u3041-\u309f\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W_\u3041-\u309f\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+(?:'[^\W\d_]+)?"
)
_LIKENESS_RUN: Final = 3
_READ: Final = 20_000

_TAIL: Final = 600
_LONGEST_UNIT: Final = 120
_MIN_COPIES: Final = 5
_MIN_LOOP: Final = 24
_LAST_WORDS: Final = 80
_LOOPING_SHARE: Final = 0.75
_LONG_CHARACTER: Final = re.compile(r"([^\W_])\1{19,}")
_END: Final = re.compile(r"[\s\W_]+\Z")


@lru_cache(maxsize=64)  # three signals ask it of a reply, and one of the reply before
def pieces(text: str) -> tuple[str, ...]:
    """Folded words; each Han or kana character is one."""
    return tuple(_PIECES.findall(fold(text[:_READ])))


def repetition(text: str) -> float | None:
    """The share of the text's runs of ``RUN`` words that occurred in it before: 1 - distinct runs / all runs.

    This is seq-rep-4 of Welleck and others (2020), on words. 0 is no repetition; a loop comes close to 1. None with
    fewer than ``RUN`` words.
    """
    return _repetition(pieces(text))


def _repetition(words: Sequence[str]) -> float | None:
    runs = list(zip(*(words[start:] for start in range(RUN)), strict=False))
    return 1 - len(set(runs)) / len(runs) if runs else None


def collapsed(text: str) -> bool:
    """Whether the text ends in a loop, or holds one letter drawn out over 20 places.

    A loop is a piece of at most 120 characters, with a letter or digit in it, that stands at the end at least five
    times in a row and fills 24 characters or more; or a last stretch of 80 words of which three quarters repeat.
    """
    if _LONG_CHARACTER.search(text[-_READ:]):
        return True
    folded = fold(text[-4 * _TAIL :])
    tail = _END.sub("", " ".join(folded[-2 * _TAIL :].split()))[-_TAIL:]
    if _loops(tail):
        return True
    words = _PIECES.findall(folded)[-_LAST_WORDS:]
    if len(words) < _LAST_WORDS:
        return False
    share = _repetition(words)
    return share is not None and share >= _LOOPING_SHARE


def _loops(tail: str) -> bool:
    """Whether the tail has a period: compare it, reversed, with itself moved by each possible length of the unit."""
    reverse = tail[::-1]
    for unit in range(1, min(_LONGEST_UNIT, len(reverse) // _MIN_COPIES) + 1):
        if reverse[unit : unit + 2] != reverse[:2]:
            continue
        length = _shared_start(reverse, reverse[unit:]) + unit
        if length >= max(_MIN_LOOP, _MIN_COPIES * unit) and any(char.isalnum() for char in reverse[:unit]):
            return True
    return False


def _shared_start(text: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    differs = (index for index, (a, b) in enumerate(zip(text, other, strict=False)) if a != b)
    return next(differs, min(len(text), len(other)))


def likeness(text: str, other: str) -> float | None:
    """How alike two texts are, from 0 (no run of three words in common) to 1 (the same words in the same order).

    The Dice coefficient of their runs of three words, with the text's ends counted as words so that short replies can
    be compared. None where one of them has no word.
    """
    here, there = _runs(text), _runs(other)
    total = here.total() + there.total()
    return 2 * (here & there).total() / total if here and there else None


@lru_cache(maxsize=16)  # of each reply twice: against the one before, and against the one behind
def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = pieces(text)
    if not words:
        return Counter()
    ends = [""] * (_LIKENESS_RUN - 1)
    padded = [*ends, *words, *ends]
    return Counter(zip(*(padded[start:] for start in range(_LIKENESS_RUN)), strict=False))
