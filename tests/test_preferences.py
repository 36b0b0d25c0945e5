"""A file of preferences: what a line may hold, and every fault of a file at once."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.errors import NotFound, UsageError
from multiturn.preferences import parse_preferences, read_preferences
from multiturn.ranking import Preferred

GOOD = {"conversation": "c1", "a": "one", "b": "two", "winner": "a"}


def line(**fields: object) -> bytes:
    return json.dumps(GOOD | fields).encode()


def faults(data: bytes) -> list[str]:
    """What is told of the file ``v.jsonl``, a fault each."""
    with pytest.raises(UsageError) as raised:
        parse_preferences(data, "v.jsonl")
    head, *told = raised.value.message.splitlines()
    assert head == f"v.jsonl: {len(told)} fault{'' if len(told) == 1 else 's'}"
    assert '"winner": "a"' in raised.value.hint
    return [one.strip() for one in told]


def test_a_line_is_a_vote() -> None:
    """With turn (from 1 in the file) and voter, or without; null is missing; other fields are not read."""
    data = b"\n".join([line(turn=2, by="Ada"), line(winner=None), b"", line(winner="tie", turn=None, note=[1])])
    assert parse_preferences(data, "v.jsonl") == (
        Preferred(conversation="c1", a="one", b="two", winner="a", turn=1, by="Ada"),
        Preferred(conversation="c1", a="one", b="two", winner=None),
        Preferred(conversation="c1", a="one", b="two", winner="tie"),
    )


def test_line_ends_and_a_byte_order_mark_do_not_matter() -> None:
    """As Windows writes them."""
    data = b"\xef\xbb\xbf" + line() + b"\r\n" + line(winner="b") + b"\r\n"
    assert [one.winner for one in parse_preferences(data, "v.jsonl")] == ["a", "b"]


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (line(conversation=81), "conversation must be text that is not empty, not 81"),
        (line(a=""), 'a must be text that is not empty, not ""'),
        (line(b="one"), 'a and b are both "one"'),
        (line(winner="model_a"), 'winner must be "a", "b", "tie" or null, not "model_a"'),
        (line(winner=["a"]), 'winner must be "a", "b", "tie" or null, not ["a"]'),
        (line(turn=0), "turn must be a whole number from 1, not 0"),
        (line(turn=True), "turn must be a whole number from 1, not true"),
        (line(turn=1.5), "turn must be a whole number from 1, not 1.5"),
        (line(by=7), "by must be text, not 7"),
        (b'{"conversation": "c", "a": "x", "b": "y"}', "winner is missing (a missing vote is null)"),
        (b'{"conversation": "c", "b": "y", "winner": "a"}', "a is missing"),
        (b'["a"]', 'this is no object, but ["a"]'),
        (b'{"winner": NaN}', "this is no JSON: JSON is malformed: invalid character (byte 11)"),
        (b'{"a": "\xff"}', "byte 0xFF is not UTF-8; save the file as UTF-8"),
    ],
)
def test_a_fault_names_file_line_and_what_is_wrong(bad: bytes, told: str) -> None:
    """After a good line, so that it is line 2."""
    assert faults(line() + b"\n" + bad) == [f"v.jsonl:line 2: {told}"]


def test_all_faults_are_told_at_once() -> None:
    """Several of a line too."""
    data = b"\n".join([line(winner="c", turn=0), line(), b"nothing", line(a=None)])
    assert [one.split(": ")[:2] for one in faults(data)] == [
        ["v.jsonl:line 1", 'winner must be "a", "b", "tie" or null, not "c"'],
        ["v.jsonl:line 1", "turn must be a whole number from 1, not 0"],
        ["v.jsonl:line 3", "this is no JSON"],
        ["v.jsonl:line 4", "a must be text that is not empty, not null"],
    ]


def test_what_is_long_is_told_in_short() -> None:
    """A reply in the winner's place does not fill the screen."""
    (told,) = faults(line(winner="x" * 5000))
    assert len(told) < 150


def test_a_file_without_votes_is_a_fault() -> None:
    """Empty, or nothing but empty lines."""
    assert faults(b"") == faults(b"\n \n") == ["v.jsonl: no preference is in it"]


def test_a_file_that_is_no_utf_8_text() -> None:
    """One line says it, not one a line."""
    with pytest.raises(UsageError, match="zero bytes") as raised:
        parse_preferences("{}\n{}".encode("utf-16"), "v.jsonl")
    assert "UTF-8" in raised.value.hint


def test_nesting_without_end_is_a_fault() -> None:
    """And no crash."""
    (told,) = faults(b'{"a":' + b"[" * 100_000)
    assert "no JSON" in told


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_give_votes_or_faults(data: bytes) -> None:
    """Never another error."""
    votes: tuple[Preferred, ...] = ()
    told = ""
    try:
        votes = parse_preferences(data, "v.jsonl")
    except UsageError as error:
        told = error.message
    assert bool(votes) != told.startswith("v.jsonl: ")


names = st.text(min_size=1, max_size=5)
preferred = st.builds(
    Preferred,
    conversation=names,
    a=names.map(lambda name: f"a{name}"),
    b=names.map(lambda name: f"b{name}"),
    winner=st.sampled_from(["a", "b", "tie", None]),
    turn=st.none() | st.integers(0, 9),
    by=st.text(max_size=5),
)


@given(st.lists(preferred, min_size=1, max_size=5))
def test_what_is_written_is_read(votes: list[Preferred]) -> None:
    """Any names, in any script."""
    rows = [msgspec.to_builtins(one) | {"turn": None if one.turn is None else one.turn + 1} for one in votes]
    assert parse_preferences(b"\n".join(map(msgspec.json.encode, rows)), "v.jsonl") == tuple(votes)


def test_a_file_is_read(tmp_path: Path) -> None:
    """And what is none says so."""
    path = tmp_path / "v.jsonl"
    path.write_bytes(line())
    assert len(read_preferences(path)) == 1
    with pytest.raises(NotFound, match=r"no file of preferences is called .*nope"):
        read_preferences(tmp_path / "nope.jsonl")
    with pytest.raises(UsageError, match="can't be read"):
        read_preferences(tmp_path)
