from __future__ import annotations

import json

import pytest

from multiturn.conversation import Suite
from multiturn.errors import SuiteError
from multiturn.suites.reading import examine, parse_suite

GOOD = '{"id": "a", "turns": ["One?", "Two?"]}'


def faults_of(text: str | bytes, name: str = "s.json") -> tuple[str, ...]:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(SuiteError) as caught:
        parse_suite(data, name)
    return caught.value.faults


def read(text: str | bytes, name: str = "s.json") -> Suite:
    return parse_suite(text if isinstance(text, bytes) else text.encode(), name)


def ids(suite: Suite) -> list[str]:
    return [conversation.id for conversation in suite.conversations]


def texts(suite: Suite) -> list[str]:
    return [turn.text for conversation in suite.conversations for turn in conversation.turns]


def with_turn(turn: str) -> str:
    """A file of one conversation whose second turn is this JSON text."""
    return f'{{"id": "a", "turns": ["One?", {turn}]}}'


def test_every_field_is_read() -> None:
    """Nothing that the ground floor knows is lost on the way."""
    turn = {
        "text": "x",
        "capability": "correction",
        "distance": 1,
        "link": "backward",
        "why": "w",
        "golden": "g",
        "refusal_expected": False,
    }
    raw = {
        "id": "a",
        "turns": ["first", turn],
        "why": "y",
        "capability": "recovery",
        "category": "math",
        "domain": "d",
        "pattern": "recall",
        "link": "implicit",
        "system": "s",
    }
    (conversation,) = read(json.dumps(raw)).conversations
    assert {name: getattr(conversation, name) for name in raw if name != "turns"} == {
        name: value for name, value in raw.items() if name != "turns"
    }
    assert {name: getattr(conversation.turns[1], name) for name in turn} == turn


def test_null_is_left_out_for_what_is_optional() -> None:
    """Exporters write null for absent fields; that is no fault."""
    text = '{"id": "a", "turns": [{"text": "x", "distance": null, "why": null}], "category": null}'
    (conversation,) = read(text).conversations
    assert conversation.category is None
    assert conversation.turns[0].why == ""


def test_every_fault_of_a_file_is_told_at_once() -> None:
    """In the order of the lines, each with its place and what to write."""
    found = faults_of(
        '{"id": "a", "turns": ["x"], "category": "maths"}\n'
        '{"id": "a", "turns": "x"}\n'
        '{"turns": [1, {"content": "y"}, {"text": "z", "distance": 9, "capability": "recal"}]}\n',
        "f.jsonl",
    )
    assert [fault.split(": ")[:2] for fault in found] == [
        ["f.jsonl:line 1", "category"],
        ["f.jsonl:line 2", "turns"],
        ["f.jsonl:line 2", "id"],
        ["f.jsonl:line 3", "id"],
        ["f.jsonl:line 3", "turns[0]"],
        ["f.jsonl:line 3", "turns[1].content"],
        ["f.jsonl:line 3", "turns[2].capability"],
        ["f.jsonl:line 3", "turns[2].distance"],
    ]
    assert found[0].endswith("did you mean 'math'?")
    assert found[2].startswith("f.jsonl:line 2: id: 'a' is a duplicate of the id of line 1;")


@pytest.mark.parametrize("value", ["7", "1.5", "true", "null", '["x"]', "[]"])
def test_a_turn_that_is_no_text_is_a_fault(value: str) -> None:
    """Numbers, null and nested lists are never turned into text."""
    (fault,) = faults_of(with_turn(value))
    assert fault.startswith('s.json:line 1: turns[1]: must be text, or an object like {"text": ...}, not ')


@pytest.mark.parametrize(
    "blank", ["", " ", "\t\n", "\u00a0", "\u200b", "\u200d\ufeff", "\u2060", "\u3164", "\ufe0f", "\u0000"]
)
def test_a_turn_that_shows_nothing_is_a_fault(blank: str) -> None:
    """Empty, white, zero-width and filler characters only: nothing is asked."""
    for turn, place in ((blank, "turns[1]"), ({"text": blank}, "turns[1].text")):
        (fault,) = faults_of(with_turn(json.dumps(turn)))
        assert fault.startswith(f"s.json:line 1: {place}: ")


@pytest.mark.parametrize("value", ['"Hi"', "7", "null", '{"0": "Hi"}', "true"])
def test_turns_must_be_a_list(value: str) -> None:
    """A text in place of the list would become one turn a letter."""
    (fault,) = faults_of(f'{{"id": "a", "turns": {value}}}')
    assert fault.startswith("s.json:line 1: turns: must be a list")


@pytest.mark.parametrize("field", ["text", "golden", "why"])
@pytest.mark.parametrize("half", ["\\ud800", "\\udc00 x", "x \\ud83d"])
def test_half_surrogates_are_refused_with_their_field(field: str, half: str) -> None:
    """They can't be written as UTF-8, and would fail in the middle of a run."""
    turn = f'{{"text": "x", "{field}": "{half}"}}' if field != "text" else f'{{"text": "{half}"}}'
    (fault,) = faults_of(with_turn(turn))
    assert fault.startswith(f"s.json:line 1: turns[1].{field}: holds U+D")


def test_whole_surrogate_pairs_are_characters() -> None:
    """An escaped pair is how JSON writes characters outside the first plane."""
    assert texts(read('{"id": "a", "turns": ["\\ud83d\\ude00"]}')) == ["\U0001f600"]


def test_faults_can_be_printed() -> None:
    """Whatever the file holds, the message is text that any terminal can be sent."""
    text = '{"id": "\\ud800", "\\udfff": {"\\ud800": NaN}, "turns": [{"text": "x", "link": "\\ud800\\u001b[31m"}]}'
    for fault in faults_of(text):
        fault.encode()
        assert fault.isprintable()


def test_ids_that_are_whole_numbers_become_text() -> None:
    """1 and "1" are one id, and a collision."""
    assert ids(read('[{"id": 8, "turns": ["x"]}, {"id": -3, "turns": ["x"]}]')) == ["8", "-3"]
    (fault,) = faults_of('{"id": 1, "turns": ["x"]}\n{"id": "1", "turns": ["x"]}')
    assert fault.startswith("s.json:line 2: id: '1' is a duplicate of the id of line 1;")


@pytest.mark.parametrize(
    "value",
    [
        "1.0",
        "true",
        "null",
        '["a"]',
        '""',
        '" "',
        '"a\\nb"',
        '"a\\u0000"',
        '" a"',
        '"\\ud800"',
        '"\\u200b"',
        '"a\\u202eb"',
        json.dumps("x" * 201),
    ],
)
def test_ids_that_can_not_be_named_are_faults(value: str) -> None:
    """An id is typed on command lines and shown in tables."""
    (fault,) = faults_of(f'{{"id": {value}, "turns": ["x"]}}')
    assert fault.startswith("s.json:line 1: id: ")


def test_ids_differ_by_case_but_not_by_composition() -> None:
    """``a`` and ``A`` are two; an accented letter written in two ways is one."""
    assert ids(read('[{"id": "a", "turns": ["x"]}, {"id": "A", "turns": ["x"]}]')) == ["a", "A"]
    (fault,) = faults_of('[{"id": "\u00e9", "turns": ["x"]},\n{"id": "e\u0301", "turns": ["x"]}]')
    assert "is a duplicate of the id of [0] at line 1;" in fault


def test_a_repeated_id_is_told_even_where_the_first_is_faulty() -> None:
    """Else mending one fault would bring up the next."""
    assert len(faults_of('{"id": "a", "turns": []}\n{"id": "a", "turns": ["x"]}')) == 2


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"id": "a", "Turns": ["x"]}', "Turns: is no field; write it as turns"),
        ('{"id": "a", "turn": ["x"]}', "turn: is no field; write it as turns"),
        ('{"id": "a", "messages": ["x"]}', "messages: is no field; write it as turns"),
        ('{"conversation_id": 1, "turns": ["x"]}', "conversation_id: is no field; write it as id"),
        ('{"id": "a", "turns": ["x"], "capabilty": "recovery"}', "capabilty: is no field; write it as capability"),
        ('{"id": "a", "turns": ["x"], "system_prompt": "s"}', "system_prompt: is no field; write it as system"),
        (with_turn('{"user": "x"}'), "turns[1].user: is no field; write it as text"),
        (with_turn('{"content": "x"}'), "turns[1].content: is no field; write it as text"),
        (with_turn('{"text": "x", "goldn": "g"}'), "turns[1].goldn: is no field; write it as golden"),
        (
            with_turn('{"text": "x", "refusal-expected": true}'),
            "turns[1]['refusal-expected']: is no field; write it as refusal_expected",
        ),
        (with_turn("{}"), "turns[1].text: is missing; write the user's message there"),
    ],
)
def test_names_that_look_like_a_field_that_is_not_there(text: str, fault: str) -> None:
    """A misspelled field must not be lost in silence."""
    assert faults_of(text) == (f"s.json:line 1: {fault}",)


def test_a_user_may_keep_data_of_their_own() -> None:
    """Other names are left alone, and noted; also one like a field, if that field is there as well."""
    text = '{"id": "a", "question_id": 7, "turns": [{"text": "x", "user": "mia"}], "tags": [1], "reference": ["r"]}'
    found = examine(text.encode(), "f")
    assert not found.faults
    assert {note.path for note in found.notes} == {"question_id", "tags", "reference", "turns[0].user"}


def test_assistant_messages_are_no_turns() -> None:
    """A message with a role would be sent as the user's, whoever said it."""
    assert "turns[1].role: a turn is always the user's" in "".join(
        faults_of(with_turn('{"role": "assistant", "text": "x"}'))
    )


@pytest.mark.parametrize("value", ["0", "-1", "1.0", "true", '"1"', "[1]", "99999999999999999999"])
def test_distance_is_a_whole_number_within_the_conversation(value: str) -> None:
    """At least 1, and not before the first turn."""
    (fault,) = faults_of(with_turn(f'{{"text": "x", "distance": {value}}}'))
    assert fault.startswith("s.json:line 1: turns[1].distance: ")


def test_the_first_turn_has_no_distance() -> None:
    """There is nothing to look back to."""
    (fault,) = faults_of('{"id": "a", "turns": [{"text": "x", "distance": 1}, {"text": "y", "distance": 1}]}')
    assert fault.endswith("turns[0].distance: 1 reaches back before the first turn; leave it out of the first turn")


@pytest.mark.parametrize(
    ("field", "value", "near"),
    [
        ("capability", "context-retention", "context_retention"),
        ("category", "Math", "math"),
        ("pattern", "recal", "recall"),
        ("link", "backwards", "backward"),
    ],
)
def test_words_of_a_list_are_checked_with_a_suggestion(field: str, value: str, near: str) -> None:
    """A wrong word is told with the words there are, and the nearest."""
    (fault,) = faults_of(f'{{"id": "a", "turns": ["x"], "{field}": "{value}"}}')
    assert fault.startswith(f"s.json:line 1: {field}: must be one of ")
    assert fault.endswith(f"did you mean {near!r}?")


@pytest.mark.parametrize("field", ["why", "domain", "system", "capability"])
@pytest.mark.parametrize("value", ["7", '["x"]', '{"k": 1}', "false"])
def test_fields_of_a_wrong_type_are_faults(field: str, value: str) -> None:
    """Nothing is converted in silence."""
    (fault,) = faults_of(f'{{"id": "a", "turns": ["x"], "{field}": {value}}}')
    assert fault.startswith(f"s.json:line 1: {field}: must be ")


@pytest.mark.parametrize(
    "text", ['"x"', "7", "null", "true", '[["x"]]', '["x"]', "[null]", GOOD + "\n[1]", GOOD + '\n"x"']
)
def test_other_values_in_place_of_conversations(text: str) -> None:
    """Well-formed JSON that holds no conversation is a fault at its place."""
    (fault,) = faults_of(text)
    assert "must" in fault


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"name": "n"}',
        '{"conversation": [' + GOOD + "]}",
        '{"conversations": {"a": ["x"]}}',
        '{"conversations": null}',
    ],
)
def test_an_object_without_a_list_of_conversations(text: str) -> None:
    """The object form needs its list, under its name; one fault says so."""
    (fault,) = faults_of(text)
    assert "conversations: " in fault


@pytest.mark.parametrize(
    ("head", "fault"),
    [
        ('"name": ""', "name: is empty"),
        ('"name": 7', "name: must be text, not the number 7"),
        ('"version": 1.5', "version: must be text, not the number 1.5"),
        ('"Name": "n"', "Name: is no field; write it as name"),
    ],
)
def test_faults_of_the_header(head: str, fault: str) -> None:
    """They belong to the file, not to a line."""
    assert faults_of("{" + head + ', "conversations": [' + GOOD + "]}") == (f"s.json: {fault}",)
