from __future__ import annotations

import inspect
import re

import pytest

from multiturn import errors
from multiturn.errors import MultiturnError, SuiteError

CLASSES = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, MultiturnError)]
CODES = {value for name, value in vars(errors).items() if name.startswith("EXIT_")}


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_has_a_known_exit_code_that_is_no_success(kind: type[MultiturnError]) -> None:
    """No error leaves with 0, and none with a verdict's code."""
    assert kind.exit_code in CODES - {errors.EXIT_OK, errors.EXIT_REGRESSED, errors.EXIT_INCONCLUSIVE}


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_is_in_the_tree_that_the_docstring_draws(kind: type[MultiturnError]) -> None:
    """And says what it means."""
    assert errors.__doc__ is not None
    assert re.search(rf"\b{kind.__name__}\b", errors.__doc__)
    assert inspect.getdoc(kind)


def test_the_drawn_tree_is_the_tree() -> None:
    """Each name stands below its base class, with the exit code of its branch."""
    assert errors.__doc__ is not None
    path: list[type[MultiturnError]] = []
    for line in errors.__doc__.splitlines():
        drawn = re.match(r"([ │├└─]*)([A-Z]\w+) +(?:exit (\d))?", line)
        if drawn is None or not drawn[1].startswith("    ") or not hasattr(errors, drawn[2]):
            continue
        depth = (len(drawn[1]) - 4) // 4
        kind = getattr(errors, drawn[2])
        path[depth:] = [kind]
        assert depth == 0 or kind.__bases__ == (path[depth - 1],)
        assert drawn[3] is None or kind.exit_code == int(drawn[3])
    assert path[0] is MultiturnError


def test_exit_codes_are_distinct() -> None:
    """A script can tell from the code alone what happened."""
    names = [name for name in vars(errors) if name.startswith("EXIT_")]
    assert len(CODES) == len(names)


def test_a_hint_is_the_next_line() -> None:
    """What to do next is told apart from what happened; without a hint nothing is added."""
    assert str(MultiturnError("it broke", hint="mend it")) == "it broke\n  next: mend it"
    assert str(MultiturnError("it broke")) == "it broke"


def test_a_suite_error_tells_all_faults() -> None:
    """Counted, one a line."""
    error = SuiteError("f.json", ["f.json:line 1: id: is missing", "f.json:line 2: turns: is empty"])
    assert error.faults == ("f.json:line 1: id: is missing", "f.json:line 2: turns: is empty")
    assert str(error).splitlines()[0] == "f.json: 2 faults"
    assert len(str(error).splitlines()) == 3
    assert str(SuiteError("f.json", ["x"])).startswith("f.json: 1 fault\n")
