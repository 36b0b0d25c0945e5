"""The kind ``json``: which JSON a reply gives, what is none, and schemas."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.checks.asking import ask

from multiturn.checks.json_text import Found, json_in, only_json

CHECK = {"kind": "json"}

VALID = [
    '{"a": 1}',
    " \n[1, 2]\n",
    '```json\n{"a": 1}\n```',
    '```\n{"a": 1}\n```',
    '~~~JSON\n{"a": 1}\n~~~',
    '`{"a": 1}`',
    'Sure! Here it is:\n\n```json\n{"a": 1}\n```\n\nLet me know if you want more fields.',
    'Here is the JSON: {"a": 1}',
    'The result:\n{\n  "a": 1\n}\nI kept it short.',
    '```python\nd = {1: 2}\n```\nprints\n```json\n{"1": 2}\n```',
    "As in [1], it is:\n[1, 2]\n",
    '1. Save this:\n   ```json\n   {"a": 1}\n   ```',
    '{"a": 1}\r\n',
    '{"a": "\\u00e9 \\n", "b": [1.5e3, -0, true, null], "c": {}}',
    "42",
    '"yes"',
]
BROKEN = [
    ('{"a": 1,}', "expecting property name enclosed in double quotes", "}"),
    ("[1, 2,]", "", None),
    ("{'a': 1}", "expecting property name", "'a': 1}"),
    ('{"a": 1', "expecting ',' delimiter", '{"a": 1'),
    ('```json\n{\n  "a": 1\n  "b": 2\n}\n```', "expecting ',' delimiter", '"b": 2'),
    ('{"a": NaN}', "NaN is no JSON", None),
    ('{"a": -Infinity}', "-Infinity is no JSON", None),
    ('{"a": 1, "a": 2}', "the key 'a' stands twice", None),
    ('{"a": 1} // one', "something stands behind it", "// one"),
    ('{"a": 1 /* one */}', "expecting ',' delimiter", "/* one */}"),
    ('{"a": "x\ny"}', "invalid control character", None),
    ('```json\n{"a": 1}\n{"b": 2}\n```', "something stands behind it", None),
    ("[" * 100_000, "nested too deeply", None),
    ("There is none.", "there is none", None),
    ("As in [1] it says.", "there is none", None),
    ("[1] Smith, 2020", "something stands behind it", "Smith, 2020"),
    ("yes", "there is none", None),
    ("```python\nx = 1\n```", "there is none", None),
]


@pytest.mark.parametrize("reply", VALID)
def test_json_is_found_in_any_dress(reply: str) -> None:
    """Fenced or bare, with talk around it or without; the span is the JSON."""
    found = ask(CHECK, reply)
    assert found.outcome == "pass", found.reason
    assert found.span
    json.loads(found.span.text)


@pytest.mark.parametrize(("reply", "reason", "span"), BROKEN)
def test_what_is_no_json(reply: str, reason: str, span: str | None) -> None:
    """Told with the place where it breaks."""
    found = ask(CHECK, reply)
    assert found.outcome == "fail"
    assert reason in found.reason
    if span is not None:
        assert found.span
        assert found.span.text.strip() == span


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ('{"a": 1}', "pass"),
        ('```json\n{"a": 1}\n```\n', "pass"),
        ('Sure!\n{"a": 1}', "fail"),
        ('{"a": 1}\nDone.', "fail"),
        ('Sure!\n```json\n{"a": 1}\n```', "fail"),
        ('```json\n{"a": 1}\n```\n```json\n{"a": 1}\n```', "fail"),
    ],
)
def test_nothing_but_json_where_the_scope_is_the_reply(reply: str, outcome: str) -> None:
    """Bare or in one fence."""
    assert ask({**CHECK, "scope": "reply"}, reply).outcome == outcome


def test_other_scopes() -> None:
    """JSON is looked for in that part."""
    reply = 'Old:\n{"a": }\nNew:\n{"a": 1}'
    assert ask({**CHECK, "scope": {"after": ["New"]}}, reply).outcome == "pass"
    assert ask({**CHECK, "scope": "last_line"}, reply).outcome == "pass"
    assert ask({**CHECK, "scope": "first_line"}, reply).outcome == "fail"


def test_it_needs_the_end() -> None:
    """A reply that was cut off is none, but where a fence was closed behind the JSON and only talk was cut."""
    assert "cut off" in ask(CHECK, '{"a": 1}', status="length").reason
    fenced = 'Here it is:\n\n```json\n{"a": 1}\n```'
    assert ask(CHECK, fenced + "\n\nTell me if", status="length").outcome == "pass"
    assert ask(CHECK, fenced.replace("1", "1,") + "\n\nTell me if", status="length").reason.startswith("gives no valid")
    assert "cut off" in ask(CHECK, fenced.removesuffix("\n```"), status="length").reason
    assert "cut off" in ask({**CHECK, "scope": "reply"}, fenced, status="length").reason


SCHEMA: dict[str, object] = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Z]"},
        "guests": {"type": "integer", "minimum": 2},
        "dishes": {"type": "array", "uniqueItems": True, "items": {"$ref": "#/$defs/dish"}},
        "day": {"format": "date"},
    },
    "$defs": {"dish": {"type": ["string", "object", "number"]}},
}


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"name": "Mira", "guests": 2, "dishes": ["a", {"b": 1}], "day": "2026-03-05"}, ""),
        ({"name": "Mira", "guests": 2.0}, ""),
        ({"name": "Mira", "guests": 1}, "$.guests: 1 is less than the minimum of 2"),
        ({"name": "Mira", "guests": 2.5}, "$.guests: 2.5 is not of type 'integer'"),
        ({"name": "mira"}, "$.name: 'mira' does not match '^[A-Z]'"),
        ({"guests": 2}, "'name' is a required property"),
        ({"name": "Mira", "wine": 1}, "'wine' was unexpected"),
        ({"name": "Mira", "dishes": [1, 1.0]}, "$.dishes: 1 stands twice"),
        ({"name": "Mira", "dishes": [{"a": 1, "b": 2}, {"b": 2, "a": 1}]}, "stands twice"),
        ({"name": "Mira", "dishes": [True]}, "$.dishes[0]: True is not of type"),
        ({"name": "Mira", "day": "2026-13-05"}, "is not a 'date'"),
        (["Mira"], "is not of type 'object'"),
        ({"name": ["x" * 1000]}, "is not of type 'string'"),
    ],
)
def test_a_value_must_fit_the_schema(value: object, fault: str) -> None:
    """The reason names the place in the value, and is short."""
    found = ask({**CHECK, "schema": SCHEMA}, json.dumps(value))
    assert found.outcome == ("fail" if fault else "pass")
    assert fault in found.reason
    assert len(found.reason) < 250


def nested(depth: int) -> dict[str, object]:
    """A schema of so many objects in each other."""
    schema: dict[str, object] = {"type": "number"}
    for _ in range(depth - 1):
        schema = {"not": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ({"type": "objekt"}, "schema.type: 'objekt' is not valid"),
        ({"requird": ["a"]}, "schema.requird is no keyword that is checked; did you mean 'required'?"),
        ({"properties": {"a": {"typ": "string"}}}, "schema.properties.a.typ is no keyword"),
        ({"anyOf": [{"foo": 1}]}, "schema.anyOf[0].foo is no keyword"),
        ({"items": {"format": "hostname"}}, "schema.items.format: 'hostname' is not checked"),
        ({"pattern": "(?=a)"}, "schema.pattern is none that RE2 knows"),
        ({"$ref": "https://example.org/schema"}, "schema.$ref leads out of the schema"),
        ({"$ref": "#/$defs/x"}, "'#/$defs/x' leads nowhere"),
        ({"$ref": "#"}, "schema refers to itself without end"),
        ({"minimum": "a"}, "schema.minimum: 'a' is not of type 'number'"),
        ({"items": [{}]}, "schema.items"),
        ([], "schema: Expected `object"),
        (nested(41), "schema is more than 40 objects and lists deep"),
        (nested(150), "schema is more than 40 objects and lists deep"),
    ],
)
def test_faults_of_schemas(schema: object, fault: str) -> None:
    """Are told when the check is read: nothing in a schema is ignored in silence, and nothing is fetched."""
    with pytest.raises(ValueError, match=r".") as told:
        ask({**CHECK, "schema": schema}, "1")
    assert fault in str(told.value)


def test_deep_values_and_schemas_that_refer_to_themselves() -> None:
    """Recursion in a schema is fine, and so are 40 levels of it; a value too deep for it fails."""
    assert "not" in ask({**CHECK, "schema": nested(40)}, "1").reason
    tree = {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    assert ask({**CHECK, "schema": tree}, "[[], [[]]]").outcome == "pass"
    assert "[0][0]: 1 is not of type 'array'" in ask({**CHECK, "schema": tree}, "[[1]]").reason
    assert "nested too deeply" in ask({**CHECK, "schema": tree}, "[" * 400 + "]" * 400).reason


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4) | st.lists(VALUES, max_size=4)


@given(
    OBJECTS,
    st.sampled_from([None, 2]),
    st.sampled_from(["{}", "```json\n{}\n```", "Sure! Here it is:\n\n{}\n", "```\n{}\n```\nDone."]),
)
def test_what_was_written_is_read(value: object, indent: int | None, around: str) -> None:
    """Every value comes back, whatever stands around it."""
    written = json.dumps(value, indent=indent)
    found = json_in(around.replace("{}", written, 1))
    assert isinstance(found, Found)
    assert found.value == value


@given(OBJECTS, st.integers(min_value=0, max_value=60))
def test_a_json_that_is_cut_is_none(value: Mapping[str, object], at: int) -> None:
    """Wherever it is cut."""
    written = json.dumps(value)
    cut = written[: min(at, len(written) - 1)]
    assert not isinstance(only_json(cut), Found)


@pytest.mark.parametrize(
    "unit",
    ["a", "7", ",", "|", "`", "[", "{", '"', "- \n", " ", "\n", "[\n", "[1]\n", '{"a":', "[1],", "```\n", "{}\n"],
)
def test_hostile_replies_take_linear_time(unit: str) -> None:
    """A megabyte of anything within seconds, against a schema too."""
    schema = {"type": "array", "uniqueItems": True, "items": {"pattern": "(a+)+$", "anyOf": [{"type": "array"}, {}]}}
    reply = unit * (1_000_000 // len(unit))
    start = time.perf_counter()
    ask({**CHECK, "schema": schema}, reply)
    ask({**CHECK, "schema": schema, "scope": "reply"}, reply)
    ask({**CHECK, "schema": schema}, "[" + unit.strip() + json.dumps([{"a": n} for n in range(20_000)])[1:])
    assert time.perf_counter() - start < 30
