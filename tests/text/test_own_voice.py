"""A reply read for its own voice: where sentences stand in a list, and how long that takes."""

from __future__ import annotations

import time

import pytest

from multiturn.text.own_voice import read


@pytest.mark.parametrize(
    ("text", "in_list"),
    [
        ("Fine. Go on.", (False, False)),
        ("- Fine.\n* Go on.", (True, True)),
        ("1. Fine.\n2) Go on.\nThat is all.", (True, True, False)),
        ("- Fine. Go on.", (True, False)),
        ("- `code` runs.", (True,)),
        (f"{'Fine. ' * 200}\n- Go on.", (*[False] * 200, True)),
        (f"{'Fine. ' * 200}- Go on.", (False,) * 201),
    ],
)
def test_only_what_a_marker_opens_stands_in_a_list(text: str, in_list: tuple[bool, ...]) -> None:
    """The first sentence of an item; what follows it, and a dash inside a line, does not."""
    assert read(text, ()).in_list == in_list


@pytest.mark.parametrize("sentence", ["Fine. ", "- a. ", "? ", '"a" ', "A: b. "])
def test_one_line_of_a_megabyte_takes_no_long_time(sentence: str) -> None:
    """No sentence looks back over the whole line."""
    start = time.perf_counter()
    read(sentence * (1_000_000 // len(sentence)), ())
    assert time.perf_counter() - start < 20
