"""docs/writing.md: its example is read, proved and weakened as the page says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from multiturn.conversation import CheckJson, Suite
from multiturn.suites.lint import lint
from multiturn.suites.proof import prove
from multiturn.suites.reading import parse_suite

PAGE = (Path(__file__).parents[1] / "docs" / "writing.md").read_text(encoding="utf-8")
JSON = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
TOLD = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(name="suite")
def suite_of_the_page() -> Suite:
    return parse_suite(JSON[0].encode(), "garage.json")


def test_the_example_holds(suite: Suite) -> None:
    """No remark about the probe, and no shortcoming; the attackers are those that the page lists."""
    assert [str(one) for one in lint(suite) if one.rule != "uncovered_capability"] == []
    proof = prove(suite)
    assert proof.shortcomings == ()
    said = [
        f"attacker {one.name}: passes {one.passed} of 1 probing turn, {one.checks_passed / one.checks:.1%} of checks"
        for one in proof.attacks
    ]
    *attacked, last = TOLD[0].splitlines()
    assert attacked == said
    assert last == f"garage: {proof.checks} checks, {proof.bads} bad replies, 1 probing turn: 0 shortcomings"


def test_the_weak_check_is_caught_as_told(suite: Suite) -> None:
    """With the line that the page shows."""
    (conversation,) = suite.conversations
    weak = msgspec.structs.replace(conversation.turns[2], checks=(CheckJson(msgspec.json.encode(json.loads(JSON[1]))),))
    weakened = msgspec.structs.replace(conversation, turns=(*conversation.turns[:2], weak))
    found = prove(msgspec.structs.replace(suite, conversations=(weakened,))).shortcomings
    assert [str(one) for one in found] == TOLD[1].splitlines()
