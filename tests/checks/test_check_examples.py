"""docs/checks.md: every kind stands there with an example, and each example passes and fails as it says."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from tests.checks.asking import ask

from multiturn.checks.kinds import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "checks.md").read_text(encoding="utf-8")


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the page."""

    check: dict[str, object]
    passes: str
    fails: str
    earlier: tuple[tuple[str, str], ...] = ()


(BLOCK,) = re.findall(r"^```jsonl\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
EXAMPLES = {
    str(one.check["kind"]): one for one in (msgspec.json.decode(line, type=Example) for line in BLOCK.splitlines())
}


def test_every_kind_is_documented() -> None:
    """In a table, and with an example, in the order of the program."""
    assert list(EXAMPLES) == list(KINDS)
    assert [
        kind for kind in KINDS if f"| `{kind}`" not in PAGE and f"`{kind}` |" not in PAGE and f", `{kind}`" not in PAGE
    ] == []


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_passes_and_fails_as_it_says(kind: str) -> None:
    """With a reason for either; the span, where there is one, is of the reply."""
    example = EXAMPLES[kind]
    for reply, outcome in ((example.passes, "pass"), (example.fails, "fail")):
        found = ask(example.check, reply, earlier=example.earlier)
        assert found.outcome == outcome, found.reason
        assert found.reason
        assert found.span is None or reply[found.span.start : found.span.end] == found.span.text
