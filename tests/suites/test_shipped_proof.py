"""The proof of the suites that come with multiturn, as ``docs/suites.md`` tells it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from multiturn.conversation import Capability, Suite
from multiturn.prove import ENOUGH_HELD, MOST_ABLATED, ablated_as_held, mutant_falls, read_held
from multiturn.suites.blind import Held
from multiturn.suites.proof import ablations, check_held, prove
from multiturn.suites.reading import load_suite, shipped_parts, shipped_suites

BLIND = Path(__file__).parent / "blind"
WHOLE = ("mtbench_conversations", "safety_conversations")
STYLES = ("terse", "chatty", "markdown", "plain")


@cache
def suite(name: str) -> Suite:
    return load_suite(name)


def held_blind(name: str, style: str) -> list[Held]:
    ending = "_safety" if name == "safety_conversations" else ""
    return read_held(BLIND / f"{style}{ending}.jsonl")


@pytest.mark.parametrize("name", [*shipped_suites(), *shipped_parts()])
def test_goldens_pass_bad_replies_fail_and_attackers_pass_nothing(name: str) -> None:
    """On every check and every probing turn."""
    proof = prove(suite(name))
    assert [str(one) for one in proof.shortcomings] == []
    assert {tally.passed for tally in proof.attacks} == {0}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", WHOLE)
def test_replies_that_were_held_blind_pass(name: str, style: str) -> None:
    """Every conversation, turn for turn, in each style; the floor is 97 %, of nearly every check."""
    held = held_blind(name, style)
    assert sorted(one.conversation for one in held) == sorted(one.id for one in suite(name).conversations)
    total = check_held(suite(name), held)[0][-1]
    assert total.of >= ENOUGH_HELD * sum(len(turn.checks) for one in suite(name).conversations for turn in one.turns)
    assert total.passed >= ENOUGH_HELD * total.of


ABLATED = {
    "mtbench_conversations": (("ablated_1", "ablated_2"), ("ablated_demo_base",)),
    "safety_conversations": (("ablated_safety",), ("ablated_demo_base_safety",)),
}


@pytest.mark.parametrize(("name", "files"), [(name, files) for name, both in ABLATED.items() for files in both])
def test_probes_fail_without_the_turn_they_need(name: str, files: tuple[str, ...]) -> None:
    """Of a blind replier and of the demo's base model; every probe was tried."""
    found = ablated_as_held(suite(name), read_held(*(BLIND / f"{file}.jsonl" for file in files)))
    assert (found.lost, found.tally.of) == (0, len(ablations(suite(name))))
    assert found.tally.passed <= MOST_ABLATED * found.tally.of


def test_each_mutant_breaks_its_capability_furthest() -> None:
    """Of the goldens of the diagnostic suite; two of the ten have no capability of their own."""
    falls = mutant_falls(suite("mtbench_conversations"))
    wanted = {
        "forgets": "context_retention",
        "ignores_corrections": "correction",
        "keeps_its_form": "format_switching",
        "first_instruction": "instruction_hierarchy",
        "long_winded": "task_persistence",
        "repeats_itself": "format_switching",
        "contradicts_itself": "self_consistency",
        "drops_the_task": "task_persistence",
    }
    furthest = {
        name: max((fall for fall in falls if fall.mutant == name), key=lambda fall: fall.share).capability
        for name in wanted
    }
    assert furthest == wanted
    assert {fall.capability for fall in falls} == set(get_args(Capability))
