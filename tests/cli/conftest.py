"""The command line inside this process: its own ``main`` with arguments, an input and an empty folder to work in."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from multiturn.cli import main

Cli = Callable[..., tuple[int, str, str]]
SCRIPTS = Path(__file__).parents[1] / "faults"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one, a wide terminal, and ``slow_scripts`` within reach."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return tmp_path


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Give a command: its exit code, what it wrote to standard output and what to standard error."""

    def give(*arguments: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["multiturn", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        capsys.readouterr()
        code: object = 0
        try:
            main()
        except SystemExit as left:
            code = left.code
        out, err = capsys.readouterr()
        assert code is None or isinstance(code, int)
        return code or 0, out, err

    return give


@pytest.fixture
def refused(cli: Cli) -> Callable[..., str]:
    """Give a command that must be refused with this code: nothing on standard output, what is wrong and what next."""

    def give(*arguments: str, code: int = 2, typed: str = "") -> str:
        found, out, err = cli(*arguments, typed=typed)
        assert (found, out) == (code, ""), err
        assert err.startswith("multiturn: "), err
        assert "\n  next: " in err
        assert "Traceback" not in err
        return err

    return give


@pytest.fixture
def suite(folder: Path) -> str:
    """A suite file of three conversations; ``b`` has golden replies, ``c`` a reason and a system prompt."""
    conversations = [
        {"id": "a", "turns": ["hello", "and again"]},
        {
            "id": "b",
            "turns": [{"text": "one", "golden": "gold one"}, {"text": "two", "golden": "gold two"}, "three"],
        },
        {"id": "c", "why": "Shows that a reason is shown.", "system": "Be brief.", "turns": ["uno", "dos"]},
    ]
    (folder / "small.json").write_text(json.dumps(conversations), encoding="utf-8")
    return "small.json"
