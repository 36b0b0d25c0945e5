"""max_length instead of max_new_tokens, and truncation=True: replies shrink and questions vanish without a word.

python examples/why_not_a_loop/no_room.py
"""

from typing import Any

import by_multiturn
import small_models
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from multiturn import api

TEMPLATE = "{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }}\n{% endfor %}[assistant] "
TURNS = [f"Question {number}: what do you say to this one, which is not very long?" for number in range(1, 6)]
LIMIT = 320


def main() -> None:
    """Five turns with a model whose tokens are bytes and whose words mean nothing: what counts is their number."""
    small_models.quieten()
    folder = small_models.tiny("plain", TEMPLATE)
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder)
    print(f"the loop, max_length={LIMIT} and truncation=True:")
    history = ""
    for number, user in enumerate(TURNS, start=1):
        history += f"User: {user}\nAssistant: "
        inputs = tokenizer(history, return_tensors="pt", truncation=True, max_length=LIMIT - 1)
        length = inputs["input_ids"].shape[1]
        torch.manual_seed(42)
        with torch.no_grad():
            outputs = model.generate(**inputs, max_length=LIMIT, do_sample=True)
        asked = tokenizer.decode(inputs["input_ids"][0], skip_special_tokens=True)
        kept = "is in the prompt" if user in asked else "is cut off"
        print(f"  turn {number}: {outputs.shape[1] - length} new tokens, the question {kept}")
        history += "I see.\n"
    print(f"multiturn, a window of {LIMIT} tokens and 60 for each reply:")
    sampling = api.Sampling(max_tokens=60, seed=42)
    held = by_multiturn.hold(folder, {"five": TURNS}, sampling, api.EngineOptions(context_window=LIMIT))
    for record in held["five"]:
        room = f"{record.new_tokens} new tokens" if record.new_tokens is not None else "no reply"
        print(f"  turn {record.turn + 1}: {room}, {record.status}")


if __name__ == "__main__":
    main()
