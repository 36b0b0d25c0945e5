"""Opening arms: what is shared is opened once, and what was opened is closed, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from multiturn.arms import open_arms
from multiturn.conditions import Arm
from multiturn.errors import SpecError
from multiturn.facts import EngineOptions

if TYPE_CHECKING:
    from multiturn.protocols import Engine

OPTIONS = EngineOptions()


def opened(models: Sequence[str | Arm], options: EngineOptions = OPTIONS) -> list[tuple[Arm, Engine]]:
    """The arms with their engines, as they were in the block."""

    async def main() -> list[tuple[Arm, Engine]]:
        async with open_arms(models, options) as arms:
            return arms

    return asyncio.run(main())


def test_one_model_with_two_prompts_has_one_engine() -> None:
    """A prompt is sent, not loaded; so is one model twice."""
    terse, rhyme = (Arm(spec="scripted:echo", system=text) for text in ("Be terse.", "Rhyme."))
    (first, one), (second, other) = opened([terse, rhyme])
    assert (first, second) == (terse, rhyme)
    assert one is other
    (_, one), (_, other) = opened(["scripted:echo", "scripted:echo"])
    assert one is other


def test_two_templates_are_two_engines() -> None:
    """Each renders with its own."""
    (_, one), (_, other) = opened([Arm(spec="scripted:echo"), Arm(spec="scripted:echo", template="plain")])
    assert one is not other


def test_a_spec_alone_gets_the_template_that_is_asked_for() -> None:
    """An arm has its own."""
    arms = opened(["scripted:echo", Arm(spec="scripted:echo")], EngineOptions(template="plain"))
    assert [arm.template for arm, _ in arms] == ["plain", "model"]


def test_a_wrong_arm_opens_none() -> None:
    """Whichever it is."""
    with pytest.raises(SpecError):
        opened(["scripted:echo", "scripted:nothing-of-the-kind"])
