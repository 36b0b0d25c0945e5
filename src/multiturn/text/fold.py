# ruff: noqa: RUF001 - characters of many scripts are what this is about
"""Folding: one spelling for texts that differ only in typography, with the way back to the original.

Folded are: compatibility forms (NFKC: full-width letters, ligatures, the ellipsis character), curly quotes and every
kind of apostrophe, letter case, and the markdown emphasis around words (stars, underscores, tildes, backticks, the
hashes of headings). Removed are characters of no width. Everything else stays, line breaks and list dashes included.

Knows nothing of words, sentences or languages.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from functools import lru_cache
from typing import Final

import msgspec

from multiturn.finding import Span

_SINGLE_QUOTES: Final = dict.fromkeys("‘’‚‛′ʼʹʻʽˈ`´＇ꞌ", "'")
_DOUBLE_QUOTES: Final = dict.fromkeys("“”„‟″〝〞＂", '"')
_DASHES: Final = dict.fromkeys("‐‑‒–—―−", "-")
_ONE_TO_ONE: Final = {**_SINGLE_QUOTES, **_DOUBLE_QUOTES, **_DASHES}

_UNSEEN_CATEGORIES: Final = frozenset({"Cf", "Cc", "Cs"})
_VARIATION_SELECTORS: Final = frozenset(chr(code) for code in (*range(0xFE00, 0xFE10), *range(0x180B, 0x180E)))

# A run of plain ASCII, a run of one markup character, or any other character with the marks that sit on it.
_TOKEN: Final = re.compile(
    r"(?P<plain>[\t\n\r -\"$-)+-^a-z{|}]+(?![\u0300-\u036f\u0483-\u0487\u3099\u309a]))"
    r"|(?P<markup>\*+|_+|~+|`+|\#+)"
    r"|(?P<cluster>[\s\S][\u0300-\u036f\u0483-\u0487\u3099\u309a\u1160-\u11ff]*)"
)
# What is not plain in a text of ASCII alone.
_ASCII_SPECIAL: Final = re.compile(r"(?P<markup>\*+|_+|~+|`+|\#+)|(?P<cluster>[^\t\n\r -~])")
_LONGEST_EMPHASIS: Final = 3


class Folded(msgspec.Struct, frozen=True):
    """A folded text and where each of its characters stood: ``text[i]`` comes from ``original[starts[i]:ends[i]]``.

    The places are worked out when they are first asked for, since most texts hold nothing that is looked for.
    ``written`` is what was folded: ``original``, but for parts that were blanked in their place.
    """

    text: str
    original: str
    written: str

    @property
    def starts(self) -> tuple[int, ...]:
        """Where the original of each character starts."""
        return _places(self.written)[0]

    @property
    def ends(self) -> tuple[int, ...]:
        """Where the original of each character ends."""
        return _places(self.written)[1]

    def span(self, start: int, end: int) -> Span:
        """The part of the original behind ``text[start:end]``; offsets are in characters.

        Raises:
            ValueError: The range is empty or does not lie inside the folded text.
        """
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"no folded text from {start} to {end}")
        first, last = self.starts[start], self.ends[end - 1]
        return Span(start=first, end=last, text=self.original[first:last])

    def index(self, offset: int) -> int:
        """The first folded character that comes from ``offset`` of the original or from after it."""
        return bisect_left(self.starts, offset)


@lru_cache(maxsize=256)  # signals and every check of a turn fold the same texts
def fold(text: str) -> str:
    """The text in the one spelling that matching uses. Folding twice gives the same as folding once, but for markup
    that the first folding brings together.
    """  # noqa: D205 - one sentence and its exception
    if text.isascii():
        return _ASCII_SPECIAL.sub(_folded_token, text.lower())
    return "".join(map(_folded_token, _TOKEN.finditer(text)))


def fold_mapped(text: str) -> Folded:
    """``fold``, with the offsets that lead back to the original text."""
    return Folded(text=fold(text), original=text, written=text)


@lru_cache(maxsize=16)
def _places(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where each character of the folded text starts and ends in the text."""
    starts: list[int] = []
    ends: list[int] = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if match.lastgroup == "plain":
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            length = len(_folded_token(match))
            starts.extend([start] * length)
            ends.extend([end] * length)
    return tuple(starts), tuple(ends)


def _folded_token(match: re.Match[str]) -> str:
    if match.lastgroup == "plain":
        return match[0].lower()
    if match.lastgroup == "markup":
        return _folded_markup(match.string, *match.span())
    return _folded_cluster(match[0])


def unaccented(folded: str) -> str:
    """Latin letters without their accents, one character for one, so that offsets stay: ``é`` is ``e``."""
    return folded if folded.isascii() else _ACCENTED.sub(lambda match: match[0].translate(_UNACCENT), folded)


@lru_cache(maxsize=8192)
def _folded_cluster(cluster: str) -> str:
    """One character and its combining marks, folded; empty where it has no width."""
    if cluster in _ONE_TO_ONE:
        return _ONE_TO_ONE[cluster]
    if cluster.isspace():
        return cluster if cluster in "\n\r\t\x0b\x0c" else " "
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cluster).casefold())
    return "".join(
        _ONE_TO_ONE.get(char, char)
        for char in folded
        if unicodedata.category(char) not in _UNSEEN_CATEGORIES and char not in _VARIATION_SELECTORS
    )


def _folded_markup(text: str, start: int, end: int) -> str:
    """A run of one markup character: nothing where it is emphasis, itself where it means something in the text."""
    run = text[start:end]
    before = text[start - 1] if start else "\n"
    after = text[end] if end < len(text) else "\n"
    inside_word = before.isalnum() and after.isalnum()
    between_spaces = before.isspace() and after.isspace()
    kept = {
        "#": not (before.isspace() and after.isspace()),
        "*": len(run) == 1 and (inside_word or between_spaces),
        "_": inside_word or between_spaces or len(run) > _LONGEST_EMPHASIS,
        "~": len(run) == 1,
        "`": False,
    }[run[0]]
    if run == "`" and inside_word:  # an apostrophe typed with the wrong key
        return "'"
    return run if kept else ""


def _unaccent_table() -> dict[int, str]:
    table = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base.isascii():
            table[code] = base
    return table


_UNACCENT: Final = _unaccent_table()
_ACCENTED: Final = re.compile(r"[\u00c0-\u024f\u1e00-\u1eff]+")
