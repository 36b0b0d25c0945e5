"""Untrusted text can't touch the terminal, and plain text comes through."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.text.printable import MOST_MARKS, printable

FORBIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
ODD = st.text(
    st.sampled_from(
        "a😀👩\u200d\u200c\u200b\ufe0f\u202e\u2066\x1b\x07\x08\r\n\t\x9b\x7fم\u061c\ufeff\u2028é\u0301\u20dd"
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    "text",
    ["Zeile 1\n\tZeile 2 ü 😀", "👩‍👩‍👧 ❤️‍🔥 🏳️‍🌈", "می‌خواهم", "日本語 한국어 हिन्दी क्‍ष", "a\u0301 naïve", "│ ─ → ✓"],
)
def test_plain_text_is_untouched(text: str) -> None:
    """Letters of all scripts, joined emoji, tabs and line breaks stay as they are."""
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("bell\x07 back\x08", "bell␇ back␈"),
        ("\x9b2J", "<U+009B>2J"),
        ("\u202eabc\u2069", "<U+202E>abc<U+2069>"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("a\u200bb\ufeffc\u00add", "abcd"),
        ("a\u200db", "ab"),
        ("del\x7f nul\x00", "del␡ nul␀"),
        ("\ud800", "\ufffd"),
        ("x\U000e0041\U000e0042", "x<U+E0041><U+E0042>"),
    ],
)
def test_danger_is_shown(text: str, printed: str) -> None:
    """What would move, colour or reorder is shown as a picture or a code; what has no width goes."""
    assert printable(text) == printed


def test_marks_that_pile_up_are_shown_as_codes() -> None:
    """From the eleventh on one letter on, also where a joiner stood between them; on the next letter they begin anew."""
    mark = "\u0301"
    assert printable(f"a{mark * MOST_MARKS}b{mark * MOST_MARKS}") == f"a{mark * MOST_MARKS}b{mark * MOST_MARKS}"
    assert printable(f"a{mark * MOST_MARKS}\u0e31\u20dd.") == f"a{mark * MOST_MARKS}<U+0E31><U+20DD>."
    assert printable(f"a{mark * MOST_MARKS}\u034f{mark}") == f"a{mark * MOST_MARKS}<U+0301>"
    assert printable("👩" + "\N{EMOJI MODIFIER FITZPATRICK TYPE-5}" * 11).endswith("<U+1F3FE>")
    assert printable("漢字" * 20 + "ﷺ" * 20) == "漢字" * 20 + "ﷺ" * 20


@given(ODD | st.text(max_size=60))
def test_nothing_forbidden_is_left(text: str) -> None:
    """No text brings a control or reordering character through, and printing twice changes nothing."""
    once = printable(text)
    assert not FORBIDDEN.search(once)
    assert printable(once) == once
    assert once.encode("utf-8").decode("utf-8") == once
