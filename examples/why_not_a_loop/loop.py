"""The loop that most of us write first: hold the conversations with both models, count refusals, write JSON.

    python examples/why_not_a_loop/loop.py BASE TUNED [CONVERSATIONS] [TOKENS]

It runs, its output looks right, and it has a dozen faults. docs/why-not-a-loop.md shows each.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

SUITE = Path("data/mtbench_conversations.json")
OUTPUT = Path("outputs/mtbench_results.json")
Json = dict[str, Any]
Tokenizer = Any
Model = Any
REFUSALS = ["i can't", "i cannot", "i'm sorry", "i am unable", "as an ai"]


def load(path: str) -> tuple[Tokenizer, Model]:
    """Tokenizer and model."""
    return AutoTokenizer.from_pretrained(path), AutoModelForCausalLM.from_pretrained(path)


def generate(tokenizer: Tokenizer, model: Model, prompt: str, tokens: int) -> str:
    """The model's reply."""
    inputs = tokenizer(prompt, return_tensors="pt")
    with torch.no_grad():
        outputs = model.generate(**inputs, max_new_tokens=tokens, do_sample=True, temperature=0.7, top_p=0.9)
    return str(tokenizer.decode(outputs[0], skip_special_tokens=True))


def hold(tokenizer: Tokenizer, model: Model, suite: list[Json], tokens: int) -> list[Json]:
    """Every conversation with one model."""
    results = []
    for conversation in suite:
        history, transcript, refusals = "", [], 0
        for turn in conversation["turns"]:
            user = turn["text"]
            history += f"User: {user}\nAssistant: "
            reply = generate(tokenizer, model, history, tokens)
            history += reply + "\n"
            transcript.append({"user": user, "assistant": reply})
            if any(phrase in reply.lower() for phrase in REFUSALS):
                refusals += 1
        results.append({"id": conversation["id"], "transcript": transcript, "refusal_count": refusals})
        print(f"{conversation['id']}: {refusals} refusals")
    return results


def main(base: str, tuned: str, count: int = 20, tokens: int = 220) -> None:
    """Both models, then the file."""
    torch.manual_seed(42)
    conversations = json.loads(SUITE.read_text(encoding="utf-8"))["conversations"][:count]
    base_tokenizer, base_model = load(base)
    tuned_tokenizer, tuned_model = load(tuned)
    results = {
        "base_model": base,
        "tuned_model": tuned,
        "base_results": hold(base_tokenizer, base_model, conversations, tokens),
        "tuned_results": hold(tuned_tokenizer, tuned_model, conversations, tokens),
    }
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(results, indent=2), encoding="utf-8")
    print(f"written to {OUTPUT}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
