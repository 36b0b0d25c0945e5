"""Whether two runs may be compared: what differs in their conditions, what may, and what a reader must know of it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from multiturn.conditions import MODEL_KEYS, TEMPLATE_KEYS, RunRecord, differences, flatten
from multiturn.engines.chat_template import PLAIN_SHA256
from multiturn.errors import ConditionsDiffer, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from multiturn.conditions import Conditions, Planned

SEED: Final = "sampling.seed"
"""The condition that an A/A run needs no declaration for."""
_SHOWN: Final = 80
_BEFORE: Final = 20
"""Characters that two long texts have in common and that are shown before the place where they part."""
_MAY_DIFFER: Final = frozenset(f"identity.{key}" for key in MODEL_KEYS)
_COMES_WITH_IT: Final = frozenset(f"identity.{key}" for key in TEMPLATE_KEYS)
"""May differ too, where each model is asked with its own template: a note says so."""
_NEVER_VARY: Final = frozenset({"suite_digest"})
_SHOWN_AS: Final = {"system": "system_prompt"}
"""Conditions that a reader knows by a fuller name; ``--vary`` takes both."""
_OWN_NAME: Final = {shown: name for name, shown in _SHOWN_AS.items()}

AGAIN: Final = (
    "A/A run: base and tuned are the same model under the same conditions, with other seeds: whatever differs is "
    "noise, and a verdict of regressed or improved is a false alarm"
)
_SAME_SEED: Final = (
    "A/A run: base and tuned are the same model under the same conditions, with the same seed: whatever differs is "
    "noise, and a verdict of regressed or improved is a false alarm"
)
_ONE_RUN: Final = (
    "A/A run: base and tuned are one and the same run, so nothing can differ; "
    "multiturn compare MODEL MODEL holds a second one with another seed"
)
_GREEDY: Final = (
    "greedy (temperature 0): nothing is drawn, so this A/A run shows no sampling noise{}; "
    "--temperature T draws, with T above 0"
)


def same_arm(base: Planned | RunRecord, tuned: Planned | RunRecord) -> bool:
    """Whether both sides are one model under the same conditions, apart from the seed: then a comparison is of noise.

    What says that it is one model are the conditions, in which its weights and adapter stand. Of an engine that does
    not tell its weights, two specs that are spelt alike are one model. Nobody knows under which conditions an imported
    reply was drawn, so that an imported run is like no other run, whatever its model is called.
    """
    if _one_run(base, tuned):
        return True
    if base.conditions.sampling is None or not differences(base.conditions, tuned.conditions).keys() <= {SEED}:
        return False
    return bool(base.conditions.identity.get("weights")) or base.arm.spec == tuned.arm.spec


def comparison_notes(
    base: Planned | RunRecord, tuned: Planned | RunRecord, vary: Sequence[str] = ()
) -> tuple[str, ...]:
    """Raise unless two runs may be compared, and say what a reader must know of the two.

    An A/A run (:func:`same_arm`) says so first, and its other seed needs no declaration.

    Raises:
        UsageError, ConditionsDiffer: as :func:`refuse_if_different`.
    """
    again = same_arm(base, tuned)
    other_seed = again and not _one_run(base, tuned)
    notes = refuse_if_different(base.conditions, tuned.conditions, (*vary, SEED) if other_seed else vary)
    return (*(_again_notes(base, tuned) if again else ()), *notes)


def _one_run(base: Planned | RunRecord, tuned: Planned | RunRecord) -> bool:
    return isinstance(base, RunRecord) and isinstance(tuned, RunRecord) and base.id == tuned.id


def _again_notes(base: Planned | RunRecord, tuned: Planned | RunRecord) -> Iterator[str]:
    """That it is an A/A run, and what it can't show."""
    if _one_run(base, tuned):
        yield _ONE_RUN
        return
    yield AGAIN if differences(base.conditions, tuned.conditions) else _SAME_SEED
    if base.conditions.greedy:
        alike = " and the texts are the same by construction" if base.conditions.reproducible else ""
        yield _GREEDY.format(alike)


def refuse_if_different(base: Conditions, tuned: Conditions, vary: Sequence[str] = ()) -> tuple[str, ...]:
    """Raise unless two runs have the same conditions, apart from the model and what ``vary`` names.

    Args:
        base: Those of one run, held or to be held.
        tuned: Those of the other.
        vary: Names of conditions (``system_prompt``, ``sampling.temperature``, ``identity.version`` ...) that may
            differ; ``system`` is another name of ``system_prompt``.

    Returns:
        One line for each declared difference that is really there, and for templates that differ with the models, for
        the notes of the comparison.

    Raises:
        UsageError: ``vary`` names no condition, or one that must never differ (the suite).
        ConditionsDiffer: Something else differs; each is listed with both values and what to type.
    """
    vary = [_OWN_NAME.get(name, name) for name in vary]
    _check_vary(vary, base, tuned)
    found, templates = _beyond_the_model(base, tuned, vary)
    undeclared = {name: both for name, both in found.items() if name not in vary}
    if undeclared:
        lines = "\n".join(f"  {line}" for line in _lines(undeclared))
        much = "have different system prompts" if [*undeclared] == ["system"] else "differ in more than the model"
        raise ConditionsDiffer(f"base and tuned {much}:\n{lines}", hint=_next(undeclared))
    declared = (f"differs as declared: {line}" for line in _lines(found))
    return (*_template_notes(templates), *declared)


def differing(base: Conditions, tuned: Conditions) -> tuple[str, ...]:
    """What keeps two runs from being compared, a line each: ``name: base's value / tuned's value``; none if nothing."""
    found, _ = _beyond_the_model(base, tuned)
    return tuple(_lines(found))


def varied(base: Conditions, tuned: Conditions) -> tuple[str, ...]:
    """What two runs differ in beyond the model, by the names that ``vary`` takes."""
    found, _ = _beyond_the_model(base, tuned)
    return tuple(_shown(found.keys() - _NEVER_VARY))


def _beyond_the_model(
    base: Conditions, tuned: Conditions, vary: Sequence[str] = ()
) -> tuple[dict[str, tuple[object, object]], dict[str, tuple[object, object]]]:
    """The conditions that differ apart from the model, and of its template what comes with it and is not varied."""
    found = {name: both for name, both in differences(base, tuned).items() if name not in _MAY_DIFFER}
    own = base.template == tuned.template == "model"
    templates = {name: found.pop(name) for name in _COMES_WITH_IT & found.keys() if own and name not in vary}
    return found, templates


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
            close = difflib.get_close_matches(name, [*known, *_OWN_NAME], n=3, cutoff=0.5)
            close += [candidate for candidate in known if candidate.endswith(f".{name}") and candidate not in close]
            meant = " or ".join(_shown(close))
            hint = f"did you mean {meant}?" if close else f"one of: {', '.join(_shown(known))}"
            raise UsageError(f"no condition is called {name!r}", hint=hint)


def _shown(names: Iterable[str]) -> list[str]:
    """Each by the name that a reader knows, once."""
    return list(dict.fromkeys(_SHOWN_AS.get(name, name) for name in names))


def _lines(differing: Mapping[str, tuple[object, object]]) -> Iterator[str]:
    """``name: base's value / tuned's value``."""
    for name, (base, tuned) in differing.items():
        start = _parting(base, tuned) if isinstance(base, str) and isinstance(tuned, str) else 0
        yield f"{_SHOWN_AS.get(name, name)}: {_short(base, start)} / {_short(tuned, start)}"


def _parting(one: str, other: str) -> int:
    """From where on two texts are shown, so that what differs is: 0 where that is near the beginning of both."""
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same - _BEFORE if same > _SHOWN - _BEFORE else 0


def _short(value: object, start: int = 0) -> str:
    if isinstance(value, str) and start:
        left = repr(value[start:])
        return f"...{left[:_SHOWN]}{'...' if len(left) > _SHOWN else ''} ({len(value)} characters)"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"


def _next(undeclared: Mapping[str, object]) -> str:
    if _NEVER_VARY & undeclared.keys():
        return "the runs are of different suites, or of different versions of one: hold both with the same suite"
    options = " ".join(f"--vary {name}" for name in _shown(undeclared))
    if [*undeclared] == ["system"]:
        return f"give both one, or say that two prompts are what you compare: {options}"
    return f"give both the same conditions, or declare the difference: {options}"
