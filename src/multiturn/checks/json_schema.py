"""JSON Schemas (2020-12) in checks: which ones can be trusted, and what a value lacks.

A schema says what must be, so nothing in it is ignored in silence: a keyword or a format that is not checked here is a
fault when it is read, with the name that may have been meant. Nothing is ever fetched: references stay inside the
schema. Time is linear in the size of the value: patterns are RE2's, and what must be unique is compared by its text.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from multiturn.checks.json_text import Value
from multiturn.checks.linear_pattern import find, pattern_fault

Schema = Mapping[str, Any]

_OF_A_SCHEMA: Final = ("items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else")
_OF_NAMED_SCHEMAS: Final = ("properties", "$defs", "definitions", "dependentSchemas")
_OF_SCHEMAS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_OTHERS: Final = (
    *("type", "enum", "const", "format", "pattern", "minLength", "maxLength", "required", "dependentRequired", "$ref"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"),
    *("uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties"),
    *("$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated"),
)
_KEYWORDS: Final = (*_OF_A_SCHEMA, *_OF_NAMED_SCHEMAS, *_OF_SCHEMAS, *_OTHERS)
_FORMATS: Final = ("date", "email", "ipv4", "ipv6", "uuid")
_SHOWN: Final = 160
_DEEPEST: Final = 40
"""So deep objects and lists may stand in each other; validators and their stack manage about twice that."""


def schema_fault(schema: Schema) -> str:
    """What is wrong with a schema, with its place; empty where nothing is."""
    if _is_deeper(schema, _DEEPEST):
        return f"schema is more than {_DEEPEST} objects and lists deep"
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"schema{error.json_path[1:]}: {_shortened(error.message)}"
    fault = next(_ignored(schema, "schema"), "") or _unresolved(schema)
    if fault:
        return fault
    try:
        next(_validator(_text_of(schema)).iter_errors(None), None)
    except RecursionError:
        return "schema refers to itself without end"
    return ""


def violation(schema: Schema, value: Value) -> str:
    """What the value lacks, with its place in it; empty where it fits. The schema has no fault."""
    try:
        error = best_match(islice(_validator(_text_of(schema)).iter_errors(value), 20))
    except RecursionError:
        return "it is nested too deeply for the schema"
    return f"{error.json_path}: {_shortened(error.message)}" if error else ""


def _is_deeper(value: object, most: int) -> bool:
    """Whether more than so many objects and lists stand in each other; level by level, so no depth is too much."""
    level: list[object] = [value]
    for _ in range(most + 1):
        nested = [one for one in level if isinstance(one, dict | list)]
        if not nested:
            return False
        level = [inner for one in nested for inner in (one.values() if isinstance(one, dict) else one)]
    return True


def _ignored(schema: object, place: str) -> Iterator[str]:
    """What a validator would pass over in silence: names that are no keywords, formats, patterns of another kind."""
    if not isinstance(schema, Mapping):
        return
    for keyword, value in schema.items():
        here = f"{place}.{keyword}"
        if keyword not in _KEYWORDS:
            near = difflib.get_close_matches(keyword, _KEYWORDS, n=1)
            yield f"{here} is no keyword that is checked" + (f"; did you mean {near[0]!r}?" if near else "")
        elif keyword == "format" and value not in _FORMATS:
            yield f"{here}: {value!r} is not checked; one of {', '.join(_FORMATS)}, or a pattern"
        elif keyword == "pattern" and (fault := pattern_fault(value)):
            yield f"{here} {fault}"
        elif keyword == "$ref" and not value.startswith("#"):
            yield f"{here} leads out of the schema; write what it needs into $defs"
        for name, inner in _inside(keyword, value):
            yield from _ignored(inner, here + name)


def _inside(keyword: str, value: Any) -> Iterator[tuple[str, object]]:  # noqa: ANN401 - a part of a schema
    """The schemas in a keyword's value, with how they are named there."""
    if keyword in _OF_A_SCHEMA:
        yield "", value
    elif keyword in _OF_NAMED_SCHEMAS:
        yield from ((f".{name}", inner) for name, inner in value.items())
    elif keyword in _OF_SCHEMAS:
        yield from ((f"[{index}]", inner) for index, inner in enumerate(value))


def _unresolved(schema: Schema) -> str:
    resolver = _registry(schema).resolver()
    for reference in sorted(_references(schema)):
        try:
            resolver.lookup(reference)
        except Unresolvable:
            return f"schema: {reference!r} leads nowhere"
    return ""


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if "$ref" in schema:
            yield schema["$ref"]
        for keyword, value in schema.items():
            for _, inner in _inside(keyword, value):
                yield from _references(inner)


def _registry(schema: Schema) -> Registry[Any]:
    registry: Registry[Any] = Registry().with_resource("", DRAFT202012.create_resource(dict(schema)))
    return registry


def _text_of(schema: Schema) -> str:
    return json.dumps(schema, sort_keys=True)


@lru_cache(maxsize=256)
def _validator(written: str) -> Validator:
    schema = json.loads(written)
    validator: Validator = _LINEAR(schema, registry=_registry(schema), format_checker=FormatChecker(_FORMATS))
    return validator


def _unique(validator: Validator, unique: bool, instance: object, schema: Schema) -> Iterator[ValidationError]:  # noqa: ARG001, FBT001 - the form that jsonschema asks for
    """The library compares each with each; the text of a value is as good, since 1.0 was read as 1."""
    if unique and isinstance(instance, list):
        seen: set[str] = set()
        for item in instance:
            text = json.dumps(item, sort_keys=True)
            if text in seen:
                yield ValidationError(f"{_shortened(text)} stands twice")
                return
            seen.add(text)


def _pattern(validator: Validator, pattern: str, instance: object, schema: Schema) -> Iterator[ValidationError]:  # noqa: ARG001 - the form that jsonschema asks for
    if isinstance(instance, str) and find(pattern, instance) is None:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_LINEAR: Final = extend(  # type: ignore[no-untyped-call]  # its stub has no types
    Draft202012Validator, {"uniqueItems": _unique, "pattern": _pattern}
)


def _shortened(message: str) -> str:
    """The ends of a message that quotes a whole value."""
    return message if len(message) <= _SHOWN else f"{message[: _SHOWN // 4]} ... {message[-_SHOWN // 2 :]}"
