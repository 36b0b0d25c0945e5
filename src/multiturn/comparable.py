"""Whether two runs may be compared: what differs in their conditions, what may, and what a reader must know of it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from multiturn.conditions import MODEL_KEYS, TEMPLATE_KEYS, differences, flatten
from multiturn.engines.chat_template import PLAIN_SHA256
from multiturn.errors import ConditionsDiffer, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multiturn.conditions import Conditions

_SHOWN: Final = 80
_MAY_DIFFER: Final = frozenset(f"identity.{key}" for key in MODEL_KEYS)
_COMES_WITH_IT: Final = frozenset(f"identity.{key}" for key in TEMPLATE_KEYS)
"""May differ too, where each model is asked with its own template: a note says so."""
_NEVER_VARY: Final = frozenset({"suite_digest"})


def refuse_if_different(base: Conditions, tuned: Conditions, vary: Sequence[str] = ()) -> tuple[str, ...]:
    """Raise unless two runs have the same conditions, apart from the model and what ``vary`` names.

    Args:
        base: Those of one run, held or to be held.
        tuned: Those of the other.
        vary: Names of conditions (``system``, ``sampling.temperature``, ``identity.version`` ...) that may differ.

    Returns:
        One line for each declared difference that is really there, and for templates that differ with the models, for
        the notes of the comparison.

    Raises:
        UsageError: ``vary`` names no condition, or one that must never differ (the suite).
        ConditionsDiffer: Something else differs; each is listed with both values and what to type.
    """
    _check_vary(vary, base, tuned)
    found = {name: both for name, both in differences(base, tuned).items() if name not in _MAY_DIFFER}
    own = base.template == tuned.template == "model"
    templates = {name: found.pop(name) for name in _COMES_WITH_IT & found.keys() if own and name not in vary}
    undeclared = {name: both for name, both in found.items() if name not in vary}
    if undeclared:
        lines = "\n".join(f"  {name}: {_both(both)}" for name, both in undeclared.items())
        raise ConditionsDiffer(f"base and tuned differ in more than the model:\n{lines}", hint=_next(undeclared))
    declared = (f"differs as declared: {name}: {_both(both)}" for name, both in found.items())
    return (*_template_notes(templates), *declared)


def _template_notes(differing: Mapping[str, tuple[object, object]]) -> Iterator[str]:
    """What a reader must know where each arm is asked with its own model's template, and they are not the same."""
    both = differing.get("identity.template")
    if both is None:
        if differing:
            yield "warning: base and tuned end their replies at different tokens (multiturn doctor shows them)"
        return
    base_plain, tuned_plain = (template == PLAIN_SHA256 for template in both)
    if tuned_plain or base_plain:
        without, other = ("tuned", "base") if tuned_plain else ("base", "tuned")
        yield (
            f"warning: {without} has no chat template and {other} has one: {without} was asked in the plain "
            f"User:/Assistant: form. If it was trained with the other's, ask both with that: --template from:MODEL, "
            f"with {other}'s spec"
        )
        return
    yield (
        "warning: base and tuned have different chat templates, and each was asked with its own; "
        "--template from:MODEL, with base's spec, asks both with one"
    )


def _check_vary(vary: Sequence[str], *conditions: Conditions) -> None:
    known = sorted({name for one in conditions for name in flatten(one)} - _NEVER_VARY)
    for name in vary:
        if name in _NEVER_VARY:
            raise UsageError(
                f"{name} can't be varied: replies to different conversations can't be compared",
                hint="hold both runs with the same suite",
            )
        if name not in known:
            close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
            close += [candidate for candidate in known if candidate.endswith(f".{name}") and candidate not in close]
            hint = f"did you mean {' or '.join(close)}?" if close else f"one of: {', '.join(known)}"
            raise UsageError(f"no condition is called {name!r}", hint=hint)


def _both(values: tuple[object, object]) -> str:
    return " / ".join(_short(value) for value in values)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"


def _next(undeclared: Mapping[str, object]) -> str:
    if _NEVER_VARY & undeclared.keys():
        return "the runs are of different suites, or of different versions of one: hold both with the same suite"
    options = " ".join(f"--vary {name}" for name in undeclared)
    return f"give both the same conditions, or declare the difference: {options}"
