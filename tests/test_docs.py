"""The documentation says what is there: commands, signals, links, and examples that run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from multiturn import api
from multiturn.signals.kinds import SIGNALS

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])


def test_the_readme_opens_with_the_two_commands() -> None:
    """Within the first screen."""
    first = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:12]
    assert any(line.strip().startswith("make demo") for line in first)
    assert any(line.strip() == "make test" for line in first)


def test_the_page_on_the_command_line_is_current() -> None:
    """``make docs`` writes it from the help texts; every command and option is there."""
    command = [sys.executable, "-m", "typer", "multiturn.cli", "utils", "docs"]
    command += ["--name", "multiturn", "--title", "Command line"]
    made = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    assert made.strip() == (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").strip(), "run: make docs"


def test_every_signal_is_explained() -> None:
    """By its name."""
    page = (ROOT / "docs" / "signals.md").read_text(encoding="utf-8")
    assert [kind.name for kind in SIGNALS if f"`{kind.name}`" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Links to files of the project, from where the page lies."""
    links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    lost = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert lost == []


def test_the_readmes_suite_can_be_read(tmp_path: Path) -> None:
    """As it stands there."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```json\n(.*?)```", readme, re.DOTALL)
    path = tmp_path / "my_suite.json"
    path.write_text(block, encoding="utf-8")
    suite = api.load_suite(path)
    assert suite.conversations[0].turns[1].distance == 1
    assert json.loads(block)[0]["id"] == "allergy"


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_python_on_a_page_runs(tmp_path: Path, page: str) -> None:
    """With scripted models in the demo's place, so that it needs no model."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    code = block.replace("demo:base", "scripted:echo").replace("demo:tuned", "scripted:echo")
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, capture_output=True)
    assert done.stdout
    assert (tmp_path / "outputs" / "multiturn.db").is_file()


def test_every_name_of_the_api_that_a_page_speaks_of_is_there() -> None:
    """In the table of ``docs/python.md``."""
    named = set(re.findall(r"\bapi\.(\w+)", (ROOT / "docs" / "python.md").read_text(encoding="utf-8")))
    assert named <= set(api.__all__)


def test_the_root_shows_the_shipped_suite() -> None:
    """``data/mtbench_conversations.json`` is the packaged file."""
    assert api.load_suite(ROOT / "data" / "mtbench_conversations.json") == api.load_suite("mtbench_conversations")
