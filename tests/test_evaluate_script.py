"""``evaluate_mtbench.py``: the whole job with two names in it, and a clear end where a model is not to be had."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    ModelFolder = Callable[..., Path]

SCRIPT = Path(__file__).parents[1] / "evaluate_mtbench.py"
CONSTANTS = ('"TinyLlama/TinyLlama-1.1B-Chat-v1.0"', '"outputs/your_finetuned_model"')


def evaluate(folder: Path, *models: str, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run a copy of the script, with other models in it if any are given, and fewer conversations."""
    text = SCRIPT.read_text(encoding="utf-8")
    for constant, model in zip(CONSTANTS, models, strict=False):
        assert text.count(constant) == 1
        text = text.replace(constant, repr(model))
    if limit is not None:
        text = text.replace("TUNED_MODEL, watch", f"TUNED_MODEL, api.Job(limit={limit}), watch")
    (folder / SCRIPT.name).write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, SCRIPT.name],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"HF_HUB_OFFLINE": "1", "COLUMNS": "100"},
        timeout=300,
    )


def test_it_is_short_and_has_two_names_to_change() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 30
    assert f"BASE_MODEL = {CONSTANTS[0]}" in text
    assert f"TUNED_MODEL = {CONSTANTS[1]}" in text


def test_it_compares_writes_the_results_and_says_what_to_read(tmp_path: Path) -> None:
    """With scripted models, one of which refuses all the time; the same again asks for nothing."""
    (tmp_path / "refuses.json").write_text(json.dumps({"*": ["I'm sorry, but I can't help with that."] * 6}), "utf-8")
    done = evaluate(tmp_path, "scripted:echo", "scripted:refuses.json")
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "outputs" / "mtbench_results.json").read_text(encoding="utf-8"))
    assert (written["base_model"], written["tuned_model"]) == ("scripted:echo", "scripted:refuses.json")
    assert len(written["base_results"]) == len(written["tuned_results"]) == 48
    assert all(one["refusal_count"] == len(one["transcript"]) for one in written["tuned_results"])
    assert "Changed most" in done.stdout
    tuned = written["tuned_run"]["id"]
    assert f"outputs/mtbench_results.json; to read: multiturn show {tuned}" in done.stdout.replace("\\", "/")
    lines = done.stdout.splitlines()[-3:]
    assert all(line.startswith(f"multiturn diff {written['base_run']['id']} {tuned} ") for line in lines)
    first = lines[0].split()[1:]
    read = [sys.executable, "-m", "multiturn", *first]
    assert "can't help" in subprocess.run(read, check=True, cwd=tmp_path, capture_output=True, text=True).stdout
    again = evaluate(tmp_path, "scripted:echo", "scripted:refuses.json")
    assert again.stdout == done.stdout


def test_it_holds_folders_of_transformers(tmp_path: Path, model_folder: ModelFolder) -> None:
    """Their paths alone are enough."""
    base, tuned = (model_folder("plain-chat", says=f"{word}<|im_end|>") for word in ("Yes.", "No, thanks."))
    done = evaluate(tmp_path, str(base), str(tuned), limit=1)
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "outputs" / "mtbench_results.json").read_text(encoding="utf-8"))
    assert len(written["base_results"]) == 1
    assert {turn["assistant"] for one in written["base_results"] for turn in one["transcript"]} == {"Yes."}
    assert {turn["assistant"] for one in written["tuned_results"] for turn in one["transcript"]} == {"No, thanks."}


@pytest.mark.parametrize("models", [(), ("scripted:echo",)], ids=["as it is", "the tuned model is missing"])
def test_a_model_that_is_not_there_is_a_sentence(tmp_path: Path, models: tuple[str, ...]) -> None:
    """Which one, and the next step: no traceback, and nothing begun."""
    done = evaluate(tmp_path, *models)
    assert done.returncode in {2, 5}
    assert done.stdout == ""
    assert done.stderr.startswith("evaluate_mtbench.py: ")
    assert "\n  next: " in done.stderr
    assert "Traceback" not in done.stderr
    assert ("your_finetuned_model" if models else "TinyLlama") in done.stderr or "pip install" in done.stderr
