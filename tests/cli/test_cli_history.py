"""``--history both``: both histories are held, and the gap is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

SUITE = [
    {
        "id": "a",
        "turns": [
            {"text": "We sit down at 7:15.", "golden": "Noted."},
            {"text": "When?", "golden": "7:15", "checks": [{"kind": "says", "any": ["7:15", "when"]}]},
        ],
    }
]


def test_run_and_compare_hold_both(
    cli: Callable[..., tuple[int, str, str]], refused: Callable[..., str], folder: Path
) -> None:
    """A run for each history, used again afterwards; a dry run tells of both; one of them alone is gone on with."""
    (folder / "s.json").write_text(json.dumps(SUITE), encoding="utf-8")
    both = ("--suite", "s.json", "--history", "both", "--quiet")
    code, out, _ = cli("run", "scripted:echo", *both)
    assert code == 0
    assert "Checks passed by history" in out
    code, out, _ = cli("compare", "--report", "", "scripted:echo", "mutant:refuses:scripted:echo", *both)
    assert code == 0
    assert "gap of tuned - gap of base" in out
    code, out, _ = cli("run", "scripted:echo", *both, "--dry-run")
    assert "with golden history" in out
    assert len(cli("runs")[1].strip().splitlines()) >= 4
    (folder / "bare.json").write_text('[{"id": "a", "turns": [{"text": "x", "golden": "y"}, "z"]}]', encoding="utf-8")
    assert "no gap" in refused("run", "scripted:echo", "--suite", "bare.json", "--history", "both")
    assert "golden history" in cli("runs")[1]
    assert "leave out one of them" in refused("run", "scripted:echo", *both, "--resume", "x")
