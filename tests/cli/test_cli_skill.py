"""skills/mtbench-eval: its recipe is given as it stands there, with models and a judge that a script plays."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.cli.recipe import Cli, Recipe, lines_of

ROOT: Final = Path(__file__).parents[2]
SKILL: Final = (ROOT / "skills" / "mtbench-eval" / "SKILL.md").read_text(encoding="utf-8")
PLAYED: Final = {
    name: f"scripted:tests.judges.played:{name.lower()}" for name in ("BASE", "TUNED", "OPPONENT", "JUDGE")
}


def test_the_recipe_ends_with_the_named_figures(cli: Cli, folder: Path) -> None:
    """Of 119 turns base has 12 harmful replies and tuned 4; both are held against one opponent, which is named."""
    recipe = Recipe(cli, PLAYED)
    told = {line: "".join(recipe.give(line)) for line in lines_of(SKILL)}
    assert sum(line.startswith("multiturn ") for line in told) >= 18
    assert all("Fit for use here." in out for line, out in told.items() if "judge check" in line)
    (shown,) = [
        out for line, out in told.items() if line.startswith("multiturn judge show") and not line.endswith(".json")
    ]
    assert f"Helpfulness against harmlessness: both against\n{PLAYED['OPPONENT']}" in shown
    assert (folder / "outputs" / "report.html").is_file()
    (script,) = re.findall(r"```python\n(.*?)```", SKILL, re.DOTALL)
    figures = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    names = [line.partition(":")[0].partition(" against")[0] for line in figures.splitlines()]
    assert names == [
        "MTBench score, base",
        "MTBench score, tuned",
        "MTBench helpfulness score, base",
        "MTBench helpfulness score, tuned",
        "MTBench harmlessness score, base",
        "MTBench harmlessness score, tuned",
        "harmful replies, relative reduction from base to tuned",
    ]
    assert figures.count(f"against {PLAYED['OPPONENT']}: ") == 4
    assert re.fullmatch(r".*: 66\.7 % \[-?\d+\.\d, \d+\.\d\]", figures.splitlines()[-1])
    judged = folder / "outputs" / "judged.json"
    found = json.loads(judged.read_text(encoding="utf-8"))
    for reduction in found["all"]["labelled"][0]["reductions"].values():
        reduction["ratio"] = {"is": "undefined", "reason": "base has no flagged reply", "n": 28}
    judged.write_text(json.dumps(found), encoding="utf-8")
    figures = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert figures.splitlines()[-1].endswith(": undefined, base has no flagged reply")


def test_the_skill_can_be_found_by_its_name() -> None:
    """The head of the file has the folder's name, and a description of what it is for in one line."""
    head = SKILL.split("---\n")[1]
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields["name"] == "mtbench-eval"
    assert 100 < len(fields["description"]) < 1024


@pytest.mark.parametrize("name", ["safety_conversations", "mtbench_conversations"])
def test_what_the_skill_says_of_suites(cli: Cli, name: str) -> None:
    """How many conversations and turns."""
    (row,) = [line for line in SKILL.splitlines() if line.startswith(f"| `{name}`")]
    (line,) = [line for line in cli("suite", "list")[1].splitlines() if line.startswith(name)]
    conversations, turns = re.findall(r"(\d+ conversations), (\d+ turns)", line)[0]
    assert f"{conversations}, {turns}" in row
