"""What templates of the page may print by themselves."""

from __future__ import annotations

import re

import pytest

from multiturn.report.page.templates import ASSETS

PRINTED = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
TEMPLATES = sorted(one.name for one in ASSETS.iterdir() if one.name.endswith(".j2"))


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_count_is_shown_as_the_project_shows_numbers(name: str) -> None:
    """No template counts something and prints that as it is."""
    printed = PRINTED.findall((ASSETS / name).read_text(encoding="utf-8"))
    assert [one for one in printed if "|length" in one and "|number" not in one] == []
