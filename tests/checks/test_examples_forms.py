"""The documented examples of kinds about numbers, length and form do what they show."""

from __future__ import annotations

import msgspec
import pytest
from tests.checks.asking import ask
from tests.checks.examples_forms import EXAMPLES, TURNS


@pytest.mark.parametrize("kind", EXAMPLES)
def test_an_example_passes_and_fails_as_it_says(kind: str) -> None:
    """And is one of the kind it stands for."""
    written, passing, failing = EXAMPLES[kind]
    check = msgspec.json.decode(written, type=dict[str, object])
    assert check["kind"] == kind
    assert ask(check, passing, earlier=TURNS).outcome == "pass"
    assert ask(check, failing, earlier=TURNS).outcome == "fail"
