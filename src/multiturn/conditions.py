"""Under which conditions a run was held: what must be equal to resume it, to use it again, and to compare with it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

import msgspec

from multiturn.conversation import Category, is_text, require
from multiturn.display import html_of
from multiturn.transcript import HistoryMode, OverflowPolicy, Sampling, ThinkPolicy

MODEL_KEYS: Final = frozenset({"weights", "adapter", "replies"})
"""Identity keys that say which model it is: what a comparison is about, so they may differ between its arms.

``replies`` is a digest of what an imported model said, where that is all that is known of it.
"""

TEMPLATE_KEYS: Final = frozenset({"template", "template_stop", "stop_tokens"})
"""Identity keys that come with a model's own chat template: they may differ between arms, and the reader is told."""


LATER: Final[Mapping[str, object]] = {"think": "auto", "by_category": msgspec.UNSET}
"""Conditions that came after the first runs were stored, with the value that those had."""


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """What is compared: a model spec with its system prompt (None: the conversation's own) and its template policy.

    ``template`` is ``model`` (the model's own chat template), ``plain`` (the User:/Assistant: form), the path of a
    Jinja file, or ``from:`` and the model spec whose template is used.
    """

    spec: str
    system: str | None = None
    template: str = "model"

    def __post_init__(self) -> None:
        require(bool(self.spec.strip()), "the model spec is empty")
        require(is_text(self.spec), "the model spec holds bytes that are no UTF-8 text")
        require(is_text(self.system or ""), "the system prompt holds bytes that are no UTF-8 text")
        named = bool(self.template.strip()) and is_text(self.template)
        require(named, "template must be model, plain, a file or from:MODEL")


class ByCategory(msgspec.Struct, frozen=True, kw_only=True):
    """Temperatures of conversations by their category, in place of the sampling's, which is that of all others.

    ``categories`` is the SHA-256 of which conversation has which (:attr:`multiturn.conversation.Suite.categories`):
    with other categories the same conversations are drawn otherwise.
    """

    temperatures: dict[Category, float]
    categories: str

    def __post_init__(self) -> None:
        require(len(self.temperatures) > 0, "no category has a temperature")


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides what a run holds, apart from chance.

    ``sampling`` is None for a run that was imported and of which nobody says how its replies were drawn.
    ``context_window`` is the budget in tokens for prompt and reply (None: unknown); ``identity`` is the engine's
    (:class:`multiturn.facts.Facts`): weights, adapter, template, version, arithmetic. ``by_category`` is left out where
    the temperature does not depend on the category, so that what is kept of other runs stays what it was.
    """

    suite_digest: str
    sampling: Sampling | None
    samples: int
    history: HistoryMode
    overflow: OverflowPolicy
    context_window: int | None
    system: str | None
    template: str
    reproducible: bool
    identity: dict[str, str]
    think: ThinkPolicy = "auto"
    by_category: ByCategory | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        require(self.samples >= 1, "samples must be 1 or more")

    @property
    def temperatures(self) -> dict[Category, float]:
        """Temperatures by category, none where the sampling's is that of all conversations."""
        return self.by_category.temperatures if isinstance(self.by_category, ByCategory) else {}

    @property
    def greedy(self) -> bool:
        """Whether no reply is drawn, in any category."""
        own = 0 if self.sampling is None else self.sampling.temperature
        return self.sampling is not None and not any((own, *self.temperatures.values()))

    @property
    def planned_samples(self) -> int:
        """How often each conversation was to be held; of an imported run nobody planned more than what is there."""
        return 1 if self.sampling is None else self.samples

    @property
    def fingerprint(self) -> str:
        """SHA-256 over all conditions; equal fingerprints mean that one run can stand for the other.

        A condition that came later (``LATER``) counts where it is not what all runs before it had.
        """
        plain = msgspec.convert(msgspec.to_builtins(self), Conditions)  # a temperature of 0 is one of 0.0
        counts = {name: getattr(plain, name) for name in plain.__struct_fields__}
        counts = {name: value for name, value in counts.items() if name not in LATER or value != LATER[name]}
        return hashlib.sha256(msgspec.json.encode(counts, order="sorted")).hexdigest()


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """An arm under the conditions that it is to be held with: what is known of a run before it is begun."""

    arm: Arm
    conditions: Conditions


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One arm x one suite x one sampling setting x K samples, as it was begun.

    ``created`` is ISO 8601 in UTC. ``conversations`` and ``turns`` are what is planned (times samples). ``versions``
    says which multiturn and Python held it, on what kind of machine (the engine's is in ``conditions.identity``), and
    ``notes`` what a reader should know of it.
    """

    id: str
    created: str
    arm: Arm
    suite_name: str
    suite_version: str
    conversations: int
    turns: int
    conditions: Conditions
    versions: dict[str, str]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(bool(self.id), "a run needs an id")

    def _repr_html_(self) -> str | None:
        """For notebooks."""
        return html_of(self)


def flatten(conditions: Conditions) -> dict[str, object]:
    """The conditions as one flat table: ``sampling.temperature``, ``identity.weights`` ..."""
    table: dict[str, object] = {}
    for name in conditions.__struct_fields__:
        value = getattr(conditions, name)
        if isinstance(value, Sampling):
            table |= {f"sampling.{field}": getattr(value, field) for field in value.__struct_fields__}
        elif isinstance(value, ByCategory):
            table |= {f"temperatures.{category}": one for category, one in value.temperatures.items()}
            table["categories"] = value.categories
        elif isinstance(value, dict):
            table |= {f"identity.{key}": item for key, item in value.items()}
        elif value is not msgspec.UNSET:
            table[name] = value
    return table


def differences(one: Conditions, other: Conditions) -> dict[str, tuple[object, object]]:
    """The conditions that differ, by the names of :func:`flatten`, each with both values (None where absent)."""
    left, right = flatten(one), flatten(other)
    names = sorted(left.keys() | right.keys())
    return {name: (left.get(name), right.get(name)) for name in names if left.get(name) != right.get(name)}
