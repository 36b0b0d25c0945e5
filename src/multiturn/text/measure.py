# ruff: noqa: RUF001 - characters of many scripts are what this is about
"""Counting words and sentences in replies as people count them, markdown and all.

What a word is: a run without spaces that holds a letter or a digit. So ``don't``, ``state-of-the-art``, ``1,000``,
``3.0.1`` and an address are one word each; a list marker, a dash, an emoji, a code fence are none. A long dash, an
ellipsis, a table bar and a comma between letters part words. Each Han and each kana character is a word (as word
processors count); Korean counts by its spaces; Thai, Lao, Khmer and Burmese, which write no spaces, count by their
spaces too, which is far too few.

What a sentence is: what sentencex finds, within one paragraph or list item, mended where replies need it
(abbreviations of several languages, German ordinals, numbered lists, closing quotes). A line without a full stop is a
sentence; headings, code blocks, rules and anything without a letter or digit are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from sentencex import get_sentence_boundaries

from multiturn.text.abbreviations import ENDS_NO_SENTENCE, GERMAN_AFTER_ORDINAL

_FENCE: Final = re.compile(r"[ ]{0,12}(```+|~~~+)")
_HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}[ \t]")
_UNDERLINE: Final = re.compile(r"[ ]{0,3}(?:=+|-+)[ \t]*")
_MARKER: Final = re.compile(
    r"[\s>]*(?:[-*+•‣◦▪·–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\))[ \t]+(?:\[[ xX]\][ \t]+)?|[ \t]*(?:>[ \t]?)+"
)
_TABLE_ROW: Final = re.compile(r"[ \t]*\|")

_LINK_TARGET: Final = re.compile(r"\]\([^()\s]{1,2000}(?:[ ]\"[^\"\n]{0,200}\")?\)")
_ADDRESS: Final = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{1,15}://|\bwww\.|\bmailto:)[^\s<>\"'`)\]}」』”，。]+", re.IGNORECASE
)
_TRAILING: Final = ".,;:!?"

_OF_NO_WIDTH: Final = r"\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_NO_WIDTH: Final = re.compile(f"[{_OF_NO_WIDTH}]")
_SEEN: Final = re.compile(rf"[^{_OF_NO_WIDTH}\s\x00-\x1f\x7f-\x9f\u115f\u1160\u2800\u3164\uffa0\U000e0000-\U000e0fff]")
_WIDE: Final = re.compile(
    r"[\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)
_PARTS: Final = re.compile(
    r"(?=[—―…|/\\.–,;<&-])(?:(?<![—―…|/\\])[—―…|/\\]*—[—―…|/\\]*|[―…|]+|--+|\.{2,}|(?<=[^\W\d_])–(?=[^\W\d_])|(?<=[^\W\d_])[,;](?=[^\W\d_])|<br\s?/?>|&nbsp;)"
)

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_RUN: Final = re.compile(r"[^\W_]\S*")
"""The rest of a run without spaces, from its first letter or digit on."""

_NEAR: Final = 60
_PORTION: Final = 6_000
_CLOSING_EMPHASIS: Final = re.compile(r"([.!?…])([*_]{1,3})(?=\s|\Z)")
_CLOSERS: Final = "\"'”’»)]}*_」』）】"
_SPLIT_AFTER_CLOSER: Final = re.compile(rf"[.!?…][{re.escape(_CLOSERS)}]{{1,4}}\s+(?=[\"'“‘«(*_]{{0,3}}[^\W\d_])")
_SPLIT_AFTER_ELLIPSIS: Final = re.compile(r"(?:\.{3}|…)\s+(?=[^\W\d_])")
_LAST_WORD: Final = re.compile(r"([^\s(\[\"'“‘«*_]{1,20})[.][*_]{0,3}\s*\Z")
_ORDINAL_END: Final = re.compile(r"(?:\A|\s)\d{1,3}\.\s*\Z")
_FIRST_WORD: Final = re.compile(r"[^\W\d_]+")
_LONE_MARKER: Final = re.compile(
    r"(?:.{0,2000}[:;.!?]\s+|\s*)\(?1[.)]\s*\Z|\s*\(?(?:\d{1,3}|[a-zA-Z])[.)]\s*\Z", re.DOTALL
)
_INNER_POINT: Final = re.compile(r"([^\W_]*)\.\Z")
_CONTINUES_QUOTE: Final = re.compile(r"(?:と|って|という|っていう|、|，)")


def count_words(text: str) -> int:
    """Words in the text, by the rules at the head of this module; 0 for a blank text."""
    seen = text if text.isascii() else _NO_WIDTH.sub("", text)
    prose = "\n".join(_without_marker(line) for line in seen.splitlines() if not _FENCE.match(line))
    prose = _LINK_TARGET.sub("] ", prose)
    if _may_have_address(prose):
        prose = _ADDRESS.sub(" address ", prose)
    prose = _PARTS.sub(" ", prose)
    wide = 0 if prose.isascii() else len(_WIDE.findall(prose))
    return wide + len(_RUN.findall(_WIDE.sub(" ", prose) if wide else prose))


def count_sentences(text: str) -> int:
    """Sentences in the text, by the rules at the head of this module; 0 for a blank text."""
    return len(sentence_spans(text))


def sentences(text: str) -> tuple[str, ...]:
    """The sentences in reading order, each as it stands in the text, without the spaces around it."""
    return tuple(text[start:end] for start, end in sentence_spans(text))


@lru_cache(maxsize=64)  # counted, searched for refusals and looked at by checks
def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where each sentence starts and ends: offsets in characters, in order, without overlap."""
    return tuple(span for start, end in _blocks(text) for span in _spans_of_block(text, start, end))


def is_blank(text: str, control_tokens: Iterable[str] = ()) -> bool:
    """True where a reader would see nothing: no character, or only spaces, characters of no width, control tokens."""
    for token in sorted(filter(None, control_tokens), key=len, reverse=True):
        text = text.replace(token, "")
    return _SEEN.search(text) is None


def _without_marker(line: str) -> str:
    marker = _MARKER.match(line)
    return line[marker.end() :] if marker else line


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, list items and table rows, without their markers; headings and code are left out."""
    start: int | None = None
    end = position = 0
    fence = ""
    for line in text.splitlines(keepends=True):
        here, position = position, position + len(line)
        opened = _FENCE.match(line)
        if fence:
            fence = "" if opened and opened[1].startswith(fence) else fence
            continue
        marker = _MARKER.match(line)
        fence = opened[1] if opened else ""
        alone = bool(opened or _HEADING.match(line) or not line.strip() or _UNDERLINE.fullmatch(line.rstrip("\r\n")))
        if start is not None and (alone or marker or _TABLE_ROW.match(line)):
            yield start, end
            start = None
        if alone:
            continue
        if start is None:
            start = here + (marker.end() if marker else 0)
        end = position
    if start is not None:
        yield start, end


def _spans_of_block(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    block = text[start:end]
    masked = block if block.isascii() else _SURROGATE.sub("\ufffd", block)  # sentencex takes no half of a pair
    if _may_have_address(masked):
        masked = _ADDRESS.sub(_mask_address, masked)
    if "*" in masked or "_" in masked:
        masked = _CLOSING_EMPHASIS.sub(r"\2\1", masked)  # sentencex reads "**so**.", not "**so.**"
    cuts = list(_cuts(masked))
    for first, last in _merge(masked, list(_split(masked, cuts))):
        piece = block[first:last]
        if any(char.isalnum() for char in piece):
            left = len(piece) - len(piece.lstrip())
            yield start + first + left, start + first + len(piece.rstrip())


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    """What sentencex finds. It takes time in proportion to the square of the length, so long texts go in portions."""
    start = 0
    while start < len(text):
        end = start + _PORTION
        if end < len(text):
            end = max(text.rfind(" ", start + _PORTION // 2, end) + 1, start + _PORTION // 2)
        for cut in get_sentence_boundaries("en", text[start:end]):
            yield start + int(cut["start_index"]), start + int(cut["end_index"])
        start = end


def _may_have_address(text: str) -> bool:
    """The cheap question first, since most texts have none."""
    return "://" in text or "www." in (small := text.lower()) or "mailto:" in small


def _mask_address(match: re.Match[str]) -> str:
    """An address with its points and marks hidden; those that end it belong to the sentence."""
    kept = match[0].rstrip(_TRAILING)
    return "x" * len(kept) + match[0][len(kept) :]


def _split(text: str, cuts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Split what sentencex leaves whole: after a closed quote or bracket, and after an ellipsis, before a capital."""
    for start, end in cuts:
        here = start
        piece = text[start:end]
        ends = {
            match.end() for pattern in (_SPLIT_AFTER_CLOSER, _SPLIT_AFTER_ELLIPSIS) for match in pattern.finditer(piece)
        }
        for offset in sorted(ends):
            word = _FIRST_WORD.search(piece, offset)
            if word and word[0][0].isupper() and word[0] != "I" and start + offset < end:
                yield here, start + offset
                here = start + offset
        yield here, end


def _merge(text: str, pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join again what sentencex parts wrongly."""
    held: tuple[int, int] | None = None
    for start, end in pieces:
        if held is not None and _goes_on(text[max(held[0], held[1] - _NEAR) : held[1]], text[start:end]):
            held = (held[0], end)
            continue
        if held is not None:
            yield held
        held = (start, end)
    if held is not None:
        yield held


def _goes_on(before: str, after: str) -> bool:
    """Whether ``after`` goes on with the sentence that ends with ``before`` (its last ``_NEAR`` characters)."""
    if _LONE_MARKER.match(before) or not any(char.isalnum() for char in after):
        return True
    if before.rstrip()[-1:] in "」』”）" and _CONTINUES_QUOTE.match(after):
        return True
    word = _FIRST_WORD.search(after)
    if _ORDINAL_END.search(before) and word and word[0] in GERMAN_AFTER_ORDINAL:
        return True
    if not before[-1:].isspace() and _INNER_POINT.search(before):
        return _is_inside_a_name(before, after)
    last = _LAST_WORD.search(before)
    if last is None:
        return False
    return ENDS_NO_SENTENCE.get(last[1].lower(), "") == "always" or (
        last[1].lower() in ENDS_NO_SENTENCE and not after.lstrip("\"'“‘«(*_")[:1].isupper()
    )


def _is_inside_a_name(before: str, after: str) -> bool:
    """``Node.Js`` goes on; ``it.Then she left`` is a missing space."""
    inner = _INNER_POINT.search(before)
    return not (inner and inner[1].islower() and len(inner[1]) > 1 and after[:1].isupper() and " " in before.strip())
