from __future__ import annotations

import json
import re
import typing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.conversation import Capability, Category, Conversation, Link, Pattern, Suite, Turn
from multiturn.errors import NotFound, SuiteError, UsageError
from multiturn.suites.quotas import QUOTAS
from multiturn.suites.reading import examine, load_suite, parse_suite, shipped_name, shipped_parts, shipped_suites

GOOD = '{"id": "a", "turns": ["One?", "Two?"]}'


def read(text: str | bytes, name: str = "s.json") -> Suite:
    return parse_suite(text if isinstance(text, bytes) else text.encode(), name)


def texts(suite: Suite) -> list[str]:
    return [turn.text for conversation in suite.conversations for turn in conversation.turns]


def test_good_conversations_of_a_faulty_file_can_be_had() -> None:
    """``examine`` tells and does not raise."""
    found = examine(b'{"id": "a", "turns": ["x"]}\n{"id": "b", "turns": []}\n{"id": "c", "turns": ["x"]}', "f.jsonl")
    assert [conversation.id for conversation in found.conversations] == ["a", "c"]
    assert [fault.line for fault in found.faults] == [2]


def test_a_long_turn_and_many_conversations_are_fine() -> None:
    """Neither a turn of 200,000 characters nor a few thousand conversations take noticeable time."""
    many = json.dumps([{"id": number, "turns": ["x"]} for number in range(3000)], indent=1)
    assert len(read(many).conversations) == 3000
    assert len(texts(read(json.dumps({"id": "a", "turns": ["x" * 200_000]})))[0]) == 200_000


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\/#\n\r\ufeff idturns0aN', max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_with_a_place(data: bytes) -> None:
    """There is no input that crashes the reader, and no fault without its file."""
    found = examine(data, "f.jsonl")
    assert found.conversations or found.faults
    assert all(fault.told("f.jsonl").startswith("f.jsonl:") for fault in found.faults)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "turns", "text", "distance", "golden", "why", "link", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_any_json_is_read_or_refused(value: object) -> None:
    """No shape of JSON crashes the reader."""
    found = examine(json.dumps(value).encode(), "f.json")
    assert found.conversations or found.faults


def test_load_suite_reads_a_file_and_names_it_in_faults(tmp_path: Path) -> None:
    """A path or its text; the fault begins with what the user gave."""
    path = tmp_path / "mine.jsonl"
    path.write_text(GOOD, encoding="utf-8")
    assert load_suite(path) == load_suite(str(path))
    assert load_suite(path).name == "mine"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(SuiteError) as caught:
        load_suite(path)
    assert caught.value.faults[0].startswith(f"{path}:line 1: ")
    assert "nothing was asked of a model" in caught.value.hint


@pytest.mark.parametrize("name", [*shipped_suites(), *shipped_parts()])
def test_shipped_suites_load_by_name(name: str) -> None:
    """Each suite that comes with the package reads without a fault, and bears its file's name."""
    assert name in QUOTAS
    assert load_suite(name).name == name


def test_which_shipped_suite_a_name_or_file_leads_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name, by a link, or as a copy byte for byte; what a user calls by our name or has changed is the user's own."""
    assert [shipped_name(name) for name in (*shipped_suites(), *shipped_parts())] == [
        *shipped_suites(),
        *shipped_parts(),
    ]
    root = Path(__file__).parents[2] / "data"
    assert [shipped_name(root / f"{name}.json") for name in shipped_suites()] == [*shipped_suites()]
    ours = (root / "safety_conversations.json").read_bytes()
    copy = tmp_path / "mine.json"
    copy.write_bytes(ours)
    assert shipped_name(str(copy)) == "safety_conversations"
    copy.write_bytes(ours + b"\n")
    assert shipped_name(copy) is None
    (tmp_path / "quick").write_text(GOOD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert shipped_name("quick") is None
    with pytest.raises(NotFound):
        shipped_name("nowhere.json")


def test_a_name_that_leads_nowhere_is_told_with_the_nearest(tmp_path: Path) -> None:
    """Of the suites we ship, and of the files beside the one that was meant."""
    with pytest.raises(NotFound, match="did you mean 'mtbench_conversations'"):
        load_suite("mtbench_conversation")
    (tmp_path / "travel.jsonl").write_text(GOOD, encoding="utf-8")
    with pytest.raises(NotFound, match=r"travel\.jsonl"):
        load_suite(tmp_path / "travle.jsonl")
    with pytest.raises(NotFound, match="mtbench_conversations"):
        load_suite(tmp_path / "none" / "zzz")


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    """A directory, a name with a NUL character, a name that is too long."""
    with pytest.raises(UsageError, match="is a directory"):
        load_suite(tmp_path)
    for name in ("a\0b", "x" * 5000):
        with pytest.raises(UsageError, match="can't be read"):
            load_suite(name)


PAGE = (Path(__file__).parents[2] / "docs" / "suites.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_page_are_suites() -> None:
    """Each JSON example on the page reads without a fault or a note."""
    for example in blocks("json"):
        found = examine(example.encode(), "travel.json")
        assert found.conversations
        assert not found.faults + found.notes


def test_the_errors_on_the_page_are_real() -> None:
    """What the page shows for its faulty example is what a user gets."""
    (example,), (shown,) = blocks("jsonl"), blocks("text")
    with pytest.raises(SuiteError) as caught:
        parse_suite(example.encode(), "travel.jsonl")
    assert str(caught.value) == shown.rstrip()


@pytest.mark.parametrize("kind", [Turn, Conversation, Suite])
def test_the_page_names_every_field_and_word(kind: type[Turn | Conversation | Suite]) -> None:
    """A new field, or a new word for one, comes with its line on the page."""
    for field in msgspec.structs.fields(kind):
        assert f"| `{field.name}` |" in PAGE
    for words in (Capability, Category, Pattern, Link):
        assert all(f"`{word}`" in PAGE for word in typing.get_args(words))
