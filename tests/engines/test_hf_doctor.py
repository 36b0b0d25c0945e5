"""What doctor says of models in transformers' format: for every small folder, the truth about it and nothing else."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from multiturn.doctor import examine
from multiturn.engines.chat_template import PLAIN_STOP
from multiturn.examination import Examination, Level
from multiturn.facts import EngineOptions
from multiturn.registry import open_engines

if importlib.util.find_spec("torch") is None or importlib.util.find_spec("transformers") is None:
    pytest.skip("needs torch and transformers: pip install '.[transformers]'", allow_module_level=True)

Folders = Callable[..., Path]
Told = dict[str, tuple[Level, str]]

CHATML: Told = {
    "template": ("fine", "sha256"),
    "system prompt": ("fine", "has a system role"),
    "generation prompt": ("fine", r"'<|im_end|>\n<|im_start|>assistant\n'"),
    "stops": ("fine", "tokenizer: '<|im_end|>'; template: '<|im_end|>'"),
    "stops in use": ("fine", "'<|im_end|>'"),
}
INST: Told = CHATML | {
    "generation prompt": ("fine", "' [/INST]'"),
    "BOS": ("fine", "begins with one <s>"),
    "stops": ("fine", "tokenizer: '</s>'; template: '</s>'"),
    "stops in use": ("fine", "'</s>'"),
}
TRUTH: dict[str, Told] = {
    "plain-chat": CHATML,
    "no-system": CHATML | {"system prompt": ("note", "no system role: it goes in front of the first user turn")},
    "doubles-bos": INST,
    "adds-bos": INST | {"model": ("note", "the tokenizer adds <s>; the template does not write it")},
    "no-template": {
        "template": ("note", "the plain User:/Assistant: form"),
        "system prompt": ("fine", ""),
        "generation prompt": ("fine", r"'\nAssistant:'"),
        "stops": ("fine", "tokenizer: '<|endoftext|>'"),
        "stops in use": ("fine", ", ".join(map(repr, ("<|endoftext|>", *PLAIN_STOP)))),
        "model": ("warning", "there is no chat template"),
    },
    "thinks": CHATML
    | {
        "generation prompt": ("fine", r"<|im_start|>assistant\n<think>\n'"),
        "thinking": ("note", "earlier reasoning goes out of the history"),
    },
    "other-template": CHATML | {"generation prompt": ("fine", r"'<|im_end|>\n### assistant:\n'")},
    "penalised": CHATML
    | {
        "stops": ("fine", "generation_config: '<|im_end|>'"),
        "own defaults": ("note", "repetition_penalty=5.0, temperature=0.1, top_k=1: set aside"),
    },
}
ALWAYS = {"prompt tokens", "context window", "reproducible"}


def examined(path: Path) -> Examination:
    """The model of a folder, looked at without a reply."""

    async def look() -> Examination:
        (engine,) = open_engines([f"hf:{path}"], EngineOptions(threads=1))
        try:
            return await examine(engine, ask=False)
        finally:
            await engine.close()

    return asyncio.run(look())


def text_of(examination: Examination) -> str:
    return "".join(text for text, _ in examination.rendered)


@pytest.mark.parametrize("kind", TRUTH)
def test_doctor_s_page_for_a_small_folder_tells_the_truth(model_folder: Folders, kind: str) -> None:
    """Template, system prompt, BOS, stops, thinking, defaults that are set aside: each with its level, no other."""
    found = examined(model_folder(kind)).remarks
    levels = {remark.topic: remark.level for remark in found}
    assert levels.keys() == TRUTH[kind].keys() | ALWAYS
    assert len(found) == len(levels)
    for remark in found:
        level, words = TRUTH[kind].get(remark.topic, (remark.level, ""))
        assert (remark.topic, remark.level) == (remark.topic, level)
        assert words in remark.text
    assert [topic for topic, level in levels.items() if level == "warning"] == ["model"] * (kind == "no-template")


def test_doctor_on_a_real_model(smollm2: Path) -> None:
    """Its BOS begins every turn and is counted at the beginning alone; padding and EOS in one is no warning."""
    found = examined(smollm2)
    told = {remark.topic: (remark.level, remark.text) for remark in found.remarks}
    assert text_of(found).count("<|im_start|>") == 5
    assert told["BOS"] == ("fine", "the prompt begins with one <|im_start|>")
    assert told["stops in use"] == ("fine", "'<|im_end|>'")
    assert told["model"][0] == "note"
    assert told["model"][1].startswith("padding and EOS are one token ('<|im_end|>')")
    assert "warning" not in {level for level, _ in told.values()}
