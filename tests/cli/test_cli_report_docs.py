"""docs/report.md: its commands are given as they stand there, and its columns are those of the table."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, get_args

import pytest

from multiturn import api
from multiturn.report.flat import Layout
from multiturn.reporting import Form
from multiturn.signals.kinds import SIGNALS

Cli = Callable[..., tuple[int, str, str]]

PAGE: Final = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")
COMMANDS: Final = dict.fromkeys(
    re.findall(r"^(?: {4}|- run: )(multiturn report.*?)(?:\s+#.*|\s*>>.*)?$", PAGE, re.MULTILINE)
)
CAKES: Final = [
    {"id": name, "turns": [{"text": "Cake?", "checks": [{"kind": "says", "any": ["cake*"]}]}]} for name in "ab"
]


@pytest.fixture(name="runs")
def three_runs() -> list[str]:
    """Three stored runs, two of which were compared last."""
    Path("cakes.json").write_text(json.dumps(CAKES), encoding="utf-8")
    Path("no.json").write_text('{"*": ["no"]}', encoding="utf-8")
    Path("pie.json").write_text('{"*": ["pie"]}', encoding="utf-8")
    job = api.Job(suite="cakes.json")
    compared = api.compare("scripted:echo", "scripted:no.json", job, page=None)
    third = api.evaluate("scripted:pie.json", job)
    return [compared.base.run.id, compared.tuned.run.id, third.run.id]


def test_the_commands_do_what_they_say(runs: list[str], cli: Cli) -> None:
    """Each as it stands there, with the ids of runs in their places."""
    assert len(COMMANDS) >= 10
    for line in COMMANDS:
        if ".parquet" in line:
            pytest.importorskip("pyarrow", reason="needs pyarrow: pip install '.[parquet]'")
        ids = iter(runs)
        typed = [next(ids) if word in ("RUN", "BASE", "TUNED") else word for word in shlex.split(line)]
        code, out, err = cli(*typed[1:])
        assert (code, bool(out)) == (0, True), (line, err)
    assert Path("outputs/report.html").exists()
    assert Path("junit.xml").read_bytes().startswith(b"<?xml")


def test_every_form_has_its_place() -> None:
    assert [
        form for form in get_args(Form) if form != "html" and f"`{form}`" not in PAGE and f"--format {form}" not in PAGE
    ] == []


def test_every_column_is_explained_and_no_other() -> None:
    table = PAGE.partition("| column | what it is |\n|---|---|\n")[2].partition("\n\n")[0]
    told = [name for line in table.splitlines() for name in re.findall(r"`(\w+)`", line.split("|")[1])]
    layout = Layout([(kind.name, kind.unit) for kind in SIGNALS])
    assert sorted(told) == sorted(column.name for column in layout.columns)


def test_the_data_frame_is_what_it_says(runs: list[str]) -> None:
    """Means over conversations, one for each arm."""
    pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
    pytest.importorskip("pyarrow", reason="needs pyarrow: pip install '.[parquet]'")
    (code,) = re.findall(r"```\n(import pandas.*?)```", PAGE, re.DOTALL)
    with api.open_store(None, create=False) as store:
        api.write_report(store, runs[:2], "turns.parquet", form="parquet")
    *before, last = code.strip().splitlines()
    script = "\n".join([*before, f"print({last.partition('#')[0]})"])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert re.search(r"base\s+0\.0\ntuned\s+0\.0\n", done.stdout)
