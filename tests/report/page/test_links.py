"""Addresses inside the page: what they hold is any text, and nothing of it ends the address or adds to it."""

from __future__ import annotations

from urllib.parse import parse_qsl

from hypothesis import given
from hypothesis import strategies as st

from multiturn.report.page.links import conversation_link, list_link

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(st.dictionaries(TEXT, TEXT, min_size=1), TEXT)
def test_a_list_is_read_back_as_it_was_asked_for(tags: dict[str, str], text: str) -> None:
    """Every tag and the text, in their order, whatever letters are in them."""
    address = list_link(tags, text)
    assert address.startswith("#list?")
    asked = parse_qsl(address.removeprefix("#list?"), strict_parsing=True, keep_blank_values=True)
    assert asked == [*tags.items(), ("q", text)]


@given(TEXT, st.integers(0, 99), st.integers(0, 9))
def test_a_conversation_is_read_back(name: str, turn: int, sample: int) -> None:
    """Turn and sample count from 1 in the address; the first sample is not told."""
    read = dict(parse_qsl(conversation_link(name, turn, sample).removeprefix("#"), strict_parsing=True))
    assert read == {"c": name, "t": str(turn + 1)} | ({"s": str(sample + 1)} if sample else {})


def test_addresses_are_plain() -> None:
    """As docstrings show them."""
    assert list_link({"capability": "correction", "flip": "lost"}) == "#list?capability=correction&flip=lost"
    assert conversation_link("brass-teapot") == "#c=brass-teapot"
    assert conversation_link("a b", 2, 1) == "#c=a%20b&t=3&s=2"
