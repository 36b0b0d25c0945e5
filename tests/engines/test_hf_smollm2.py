"""A real small model and a real LoRA adapter, trained here, through the whole product."""

from __future__ import annotations

import gc
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from multiturn import api
from multiturn.facts import EngineOptions
from multiturn.transcript import Sampling

for package in ("torch", "transformers", "peft"):
    pytest.importorskip(package, reason=f"needs {package}: pip install '.[transformers]'")

CONVERSATIONS = ("school-trip-own-choice", "garden-concert-new-day", "moon-questions-in-a-row")
CHANCE = Sampling(temperature=0.7, top_p=0.9, max_tokens=14, seed=4)
GREEDY = Sampling(temperature=0.0, max_tokens=10)


def job(store: Path, sampling: Sampling, count: int = 3) -> api.Job:
    return api.Job(
        suite="mtbench_conversations",
        only=CONVERSATIONS[:count],
        settings=api.Settings(sampling=sampling, window=1024),
        options=EngineOptions(),
        store=store,
    )


def networks() -> int:
    """How many models with numbers there are in this process."""
    kinds = [one for one in gc.get_objects() if type(one).__name__ == "LlamaForCausalLM"]
    return sum(one.get_input_embeddings().weight.device.type != "meta" for one in kinds)


def shares(compared: api.Compared, measure: str) -> tuple[float, float]:
    """A measure over all turns, for both arms."""
    (found,) = (one for one in compared.comparison.contrasts if one.measure == measure and one.group == ("all", ""))
    assert found.base.value is not None
    assert found.tuned.value is not None
    return found.base.value, found.tuned.value


def test_a_fine_tune_that_refuses_is_told_from_its_base(smollm2: Path, smollm2_lora: Path, tmp_path: Path) -> None:
    """Over conversations of the shipped suite; the weights are there once, and for what is stored not at all."""
    seen: list[int] = []
    specs = str(smollm2), str(smollm2_lora)
    compared = api.compare(
        *specs,
        job(tmp_path / "runs.db", CHANCE),
        results=None,
        page=None,
        watch=lambda _arm, _progress: seen.append(networks()),
    )
    base, tuned = shares(compared, "refusal")
    assert base <= 0.34
    assert tuned >= 0.6
    assert set(seen) == {1}
    base_run, tuned_run = (held.run.conditions.identity for held in (compared.base, compared.tuned))
    assert {key for key in base_run if base_run[key] != tuned_run[key]} == {"adapter"}
    again = api.compare(*specs, job(tmp_path / "runs.db", CHANCE), results=None, page=None, watch=_nobody)
    assert again.base.reused
    assert again.tuned.reused
    assert networks() == 0


def _nobody(_arm: api.Arm, _progress: Any) -> None:  # noqa: ANN401 - what the api gives
    raise AssertionError("nothing had to be asked for")


@pytest.fixture
def merged(smollm2: Path, smollm2_lora: Path, tmp_path: Path) -> Iterator[Path]:
    """The adapter merged into the base and saved as a whole model, half a gigabyte."""
    transformers, peft = pytest.importorskip("transformers"), pytest.importorskip("peft")
    path = tmp_path / "merged"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peft uses what transformers means to drop
        base = transformers.AutoModelForCausalLM.from_pretrained(smollm2)
        peft.PeftModel.from_pretrained(base, smollm2_lora).merge_and_unload().save_pretrained(path)
    for file in smollm2.iterdir():
        if not (path / file.name).exists():
            shutil.copy(file, path)
    yield path
    shutil.rmtree(path)


def test_an_adapter_merged_and_saved_says_the_same(
    smollm2: Path, smollm2_lora: Path, merged: Path, tmp_path: Path
) -> None:
    """A full folder and the adapter on its base: greedy texts are equal, and only the weights tell the runs apart."""
    asked = job(tmp_path / "runs.db", GREEDY, count=1)
    held = [api.evaluate(spec, asked) for spec in (f"hf:{smollm2}+lora={smollm2_lora}", f"hf:{merged}")]
    with api.open_store(asked.store) as store:
        texts = [[turn.reply for turn in api.transcripts(store, one.run)[0].turns] for one in held]
    assert texts[0] == texts[1]
    adapter, whole = (one.run.conditions.identity for one in held)
    assert {key for key in adapter if adapter[key] != whole[key]} == {"adapter", "weights"}
