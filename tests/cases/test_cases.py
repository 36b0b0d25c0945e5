"""Runs the shared cases: small inputs with the result that is right, collected from faults of other evaluators.

Each ``operations_*.py`` beside this file maps names of operations to functions ``input -> result``. Of a result, the
keys that ``expect`` names are compared; ``accept`` lists other results that are fine, ``never`` results that are wrong
whatever the policy. A name that the result does not hold is a statement on another value of it, by the name's ending:
``message_names`` (each of these words is in ``message``), ``message_says``, ``waited_at_least`` ...
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Operation = Callable[[dict[str, Any]], dict[str, Any]]

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("MULTITURN_SHARED") or HERE.parents[1].parent / "shared")
DECIMALS = 4
ABSENT = object()


def _load_operations() -> tuple[dict[str, Operation], dict[str, ImportError]]:
    """The operations, and what is wrong with files that can't be imported: a test each, so that the rest still runs."""
    operations: dict[str, Operation] = {}
    broken: dict[str, ImportError] = {}
    for path in sorted(HERE.glob("operations_*.py")):
        spec = importlib.util.spec_from_file_location(f"multiturn_cases_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except ImportError as error:
            broken[path.name] = error
            continue
        twice = operations.keys() & module.OPERATIONS.keys()
        assert not twice, f"{path.name} maps again: {sorted(twice)}"
        operations |= module.OPERATIONS
    return operations, broken


def _read_cases() -> list[dict[str, Any]]:
    files = sorted((SHARED / "cases").glob("D*.json"))
    return [case for path in files for case in json.loads(path.read_text(encoding="utf-8"))["cases"]]


def _parameters() -> Iterator[object]:
    """One parameter for each case of an operation that is mapped, one skip for each operation that is not."""
    cases = _read_cases()
    if not cases:
        yield pytest.param(None, id="none", marks=pytest.mark.skip(reason=f"no shared cases in {SHARED}"))
    unmapped: dict[str, int] = {}
    for case in cases:
        name = case["op"]
        if name in OPERATIONS:
            yield pytest.param(case, id=case["id"])
        else:
            unmapped[name] = unmapped.get(name, 0) + 1
    for name, count in sorted(unmapped.items()):
        reason = f"operation {name} is not built yet ({count} cases)"
        yield pytest.param(None, id=name, marks=pytest.mark.skip(reason=reason))


def agrees(result: object, wanted: object) -> bool:
    """Equal, with numbers to 4 decimals and of tables only the keys that are wanted; true is not 1."""
    if isinstance(wanted, dict):
        return isinstance(result, dict) and all(_key_agrees(result, key, value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(result, list | tuple)
            and len(result) == len(wanted)
            and all(agrees(one, other) for one, other in zip(result, wanted, strict=True))
        )
    if isinstance(wanted, bool) or isinstance(result, bool) or wanted is None or result is None:
        return result is wanted
    if isinstance(wanted, int | float) and isinstance(result, int | float):
        return round(result, DECIMALS) == round(wanted, DECIMALS)
    return result == wanted


def _holds_text(value: object, part: object) -> bool:
    """True where the text (or one of the texts) holds this part, in capitals or not."""
    texts = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    return any(str(part).casefold() in str(text).casefold() for text in texts)


def _number_holds(value: object, test: Callable[[float], bool]) -> bool:
    return isinstance(value, int | float) and test(value)


STATEMENTS: dict[str, Callable[[Any, Any], bool]] = {
    "_never_contains": lambda value, parts: not any(_holds_text(value, part) for part in parts),
    "_at_least": lambda value, least: _number_holds(value, lambda number: number >= least),
    "_at_most": lambda value, most: _number_holds(value, lambda number: number <= most),
    "_contains": _holds_text,
    "_names": lambda value, words: all(_holds_text(value, word) for word in words),
    "_says": _holds_text,
}


def _key_agrees(result: dict[str, Any], key: str, wanted: object) -> bool:
    """Whether the result's value, or the statement that the key makes on another value of it, is as wanted."""
    if key in result:
        return agrees(result[key], wanted)
    for ending, holds in STATEMENTS.items():
        subject = result.get(key.removesuffix(ending), ABSENT) if key.endswith(ending) else ABSENT
        if subject is not ABSENT:
            return holds(subject, wanted)
    return False


OPERATIONS, BROKEN = _load_operations()


@pytest.mark.parametrize("case", list(_parameters()))
def test_case(case: dict[str, Any]) -> None:
    """The result is one of those that are right, and none of those that are wrong."""
    result = OPERATIONS[case["op"]](case["input"])
    right = [case["expect"], *case.get("accept", [])]
    assert any(agrees(result, wanted) for wanted in right), f"{result} is none of {right}"
    wrong = [one for one in case.get("never", []) if agrees(result, one)]
    assert not wrong, f"{result} is {wrong}"


@pytest.mark.parametrize("name", [path.name for path in sorted(HERE.glob("operations_*.py"))])
def test_operations_can_be_imported(name: str) -> None:
    """A file of operations that can't be imported fails here, and takes no other file's cases with it."""
    if name in BROKEN:
        raise BROKEN[name]


def test_agreement_is_by_named_keys_and_four_decimals() -> None:
    """Other keys do not count; the fifth decimal does not count; true is not 1, and None is not 0."""
    assert agrees({"low": 0.07134, "extra": 1}, {"low": 0.0713})
    assert agrees({"rating": 7}, {"rating": 7.0})
    assert not agrees({"rating": True}, {"rating": 1})
    assert not agrees({"rating": None}, {"rating": 0})
    assert not agrees({}, {"rating": None})
    assert not agrees({"ids": ["a", "b"]}, {"ids": ["a"]})


def test_agreement_by_statement() -> None:
    """A key that the result does not hold says something of another one."""
    result = {"message": "a.jsonl:line 2: Wrong", "waited": 0.06, "turn": ["one", "two"]}
    assert agrees(result, {"message_names": ["a.jsonl", "2"], "message_says": "wrong", "waited_at_least": 0.05})
    assert not agrees(result, {"message_names": ["a.jsonl", "3"]})
    assert not agrees(result, {"waited_at_most": 0.05})
    assert agrees(result, {"turn_contains": "tw"})
    assert not agrees(result, {"turn_never_contains": ["tw"]})
    assert not agrees(result, {"other_contains": "tw"})
