"""docs/judging.md: its commands are given as they stand there, and what it shows of their output is what they write.

Models and judge are a script's (``tests/judges/played.py``), found under the names that the page's excerpts have.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from tests.cli.recipe import Cli, Recipe, lines_of

from multiturn.judges.rubrics import shipped_rubrics

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "judging.md").read_text(encoding="utf-8")
PLAYED: Final = {name: f"scripted:played:{name.lower()}" for name in ("BASE", "TUNED", "OPPONENT", "JUDGE")}
EXCERPTS: Final = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
RUN: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")


@pytest.fixture
def told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> tuple[str, dict[str, str]]:
    """All that the page's commands write, run ids aside, and what each of them writes."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "judges"))
    monkeypatch.setenv("COLUMNS", "80")
    recipe = Recipe(cli, PLAYED)
    each = {line: "".join(recipe.give(line)) for line in lines_of(PAGE)}
    return RUN.sub("RUN", "\n".join(each.values())), each


def test_what_the_page_shows_is_what_its_commands_write(told: tuple[str, dict[str, str]]) -> None:
    """Line by line between two dots; a budget stops, and the same command without it goes on."""
    whole, each = told
    assert len(EXCERPTS) == 3
    parts = [part.strip("\n") for excerpt in EXCERPTS for part in excerpt.split("\n...\n")]
    assert [part for part in parts if RUN.sub("RUN", part) not in whole] == []
    (compared,) = [out for line, out in each.items() if line.startswith("multiturn compare")]
    fit = rf"judge {PLAYED['JUDGE']}, rubric (\w+): fit for use here"
    assert sorted(re.findall(fit, compared)) == ["preference", "quality"]
    (stopped, gone_on) = [out for line, out in each.items() if line.count('--against "$BASE_RUN"')]
    assert "294 questions, 50 answered" in stopped
    assert "stopped at --max-calls" in stopped
    known = re.search(r"294 questions, 294 answered \((\d+) known before\)", gone_on)
    assert known is not None
    assert int(known[1]) >= 50


def test_every_shipped_rubric_is_in_the_table_of_rubrics() -> None:
    assert [name for name in shipped_rubrics() if f"| `{name}` |" not in PAGE] == []
