r"""Untrusted text made safe for a terminal: nothing that moves the cursor, changes colours, hides or reorders text.

What is dangerous is shown, not dropped, so that a reader sees that it was there: control characters as their pictures
(``␛`` for ESC), reordering and tagging characters as their code (``<U+202E>``), and so are marks that pile up on one
letter: they cover the lines around it, and a browser takes minutes for a hundred thousand. What has no width and no
danger is dropped. Line ends become ``\n``. Letters of every script, emoji, tabs and line breaks stay as they are.

The stored text is not touched; this is for the last step before the screen.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MOST_MARKS: Final = 10
"""Marks on one letter that are shown as such: more than any language has."""

# Joiners mean something between emoji, and between letters of scripts that join.
_EMOJI: Final = r"\u00a9\u00ae\u200d\ufe0f\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINING: Final = r"\u0620-\u06dc\u06de-\u070e\u0710-\u08e1\u0900-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18aa"
_PARTNER: Final = f"[{_EMOJI.replace(chr(92) + 'u200d', '')}{_JOINING}]"

_LINE_END: Final = re.compile(r"\r\n|[\r\u2028\u2029]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SHOWN_BY_CODE: Final = re.compile(r"[\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\U000e0000-\U000e0fff]")
_BROKEN: Final = re.compile(r"[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_NO_WIDTH: Final = re.compile(
    r"[\u00ad\u034f\u180b-\u180f\u200b\u2060-\u2065\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
_STRAY_JOINER: Final = re.compile(
    rf"(?<!{_PARTNER})[\u200c\u200d]+|[\u200c\u200d]+(?!{_PARTNER})|[\u200c\u200d](?=[\u200c\u200d])"
)

_ODD: Final = re.compile(
    rf"[{''.join(one.pattern[1:-1] for one in (_CONTROL, _SHOWN_BY_CODE, _BROKEN, _NO_WIDTH))}\u200c\u200d\u2028\u2029]"
)
"""Any of these; most texts have none, and one look is a tenth of six."""

_MAY_PILE_UP: Final = re.compile(rf"[^\x00-\u02ff]{{{MOST_MARKS + 1},}}")
"""Before U+0300 there is no mark."""

_SKIN_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
"""An emoji takes on any number of them."""

_DELETE: Final = 0x7F
_PICTURES: Final = 0x2400
_PICTURE_OF_DELETE: Final = "\u2421"


def printable(text: str) -> str:
    """The text as it may be written to a terminal. Printable text comes back unchanged."""
    if _ODD.search(text) is not None:
        text = _shown(text)
    return text if text.isascii() else _MAY_PILE_UP.sub(_few_marks, text)


def goes_with_another(letter: str) -> bool:
    """Whether it is written onto the letter before: an accent, a skin tone."""
    return unicodedata.category(letter).startswith("M") or letter in _SKIN_TONES


def _shown(text: str) -> str:
    text = _LINE_END.sub("\n", text)
    text = _BROKEN.sub("\ufffd", text)
    text = _CONTROL.sub(_picture, text)
    text = _SHOWN_BY_CODE.sub(_code, text)
    text = _NO_WIDTH.sub("", text)
    return _STRAY_JOINER.sub("", text)


def _few_marks(match: re.Match[str]) -> str:
    shown, marks = [], 0
    for letter in match[0]:
        marks = marks + 1 if goes_with_another(letter) else 0
        shown.append(letter if marks <= MOST_MARKS else f"<U+{ord(letter):04X}>")
    return "".join(shown)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _PICTURE_OF_DELETE if code == _DELETE else chr(_PICTURES + code)


def _code(match: re.Match[str]) -> str:
    return f"<U+{ord(match[0]):04X}>"
