"""A setting that a model's folder brings along: applied to one arm only, without a word.

    python examples/why_not_a_loop/one_arm_only.py

Both folders hold the same weights. In the second, generation_config.json asks for a repetition penalty, as some
trainings write it.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import by_multiturn
import small_models
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from multiturn import api

QUESTION = "Name three fruits, three times over."


def main(tokens: int = 24) -> None:
    """One question to both, greedy."""
    small_models.quieten()
    folder = small_models.smollm2()
    with tempfile.TemporaryDirectory() as made:
        twin = Path(made) / "tuned"
        twin.mkdir()
        for file in folder.iterdir():
            (twin / file.name).symlink_to(file)
        (twin / "generation_config.json").unlink()
        (twin / "generation_config.json").write_text(json.dumps({"repetition_penalty": 1.5}), encoding="utf-8")
        print("the loop, do_sample=False for both:")
        for name, path in (("base", folder), ("tuned", twin)):
            print(f"  {name}: {_generated(path, tokens)!r}")
        print("multiturn, temperature 0 for both:")
        for name, path in (("base", folder), ("tuned", twin)):
            sampling = api.Sampling(temperature=0.0, max_tokens=tokens)
            (record,) = by_multiturn.hold(path, {"fruits": [QUESTION]}, sampling)["fruits"]
            print(f"  {name}: {record.reply!r}")


def _generated(path: Path, tokens: int) -> str:
    tokenizer: Any = AutoTokenizer.from_pretrained(path)
    model: Any = AutoModelForCausalLM.from_pretrained(path)
    chat = [{"role": "user", "content": QUESTION}]
    inputs = tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    with torch.no_grad():
        outputs = model.generate(**inputs, max_new_tokens=tokens, do_sample=False)
    return str(tokenizer.decode(outputs[0][inputs["input_ids"].shape[1] :], skip_special_tokens=True))


if __name__ == "__main__":
    main()
