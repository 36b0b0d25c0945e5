"""Decoding prompt and reply as one: the history doubles, and old text is counted as the model's.

python examples/why_not_a_loop/prompt_and_reply.py
"""

import by_multiturn
import loop
import small_models
import torch

from multiturn import api
from multiturn.transcript import Session

TURNS = ("I can't eat walnuts. What can I bake?", "Something with apples, please.", "How long in the oven?")


def main(tokens: int = 32) -> None:
    """The same three turns, both ways."""
    small_models.quieten()
    folder = small_models.smollm2()
    print("the loop:")
    torch.manual_seed(42)
    tokenizer, model = loop.load(str(folder))
    history = ""
    for number, user in enumerate(TURNS, start=1):
        history += f"User: {user}\nAssistant: "
        reply = loop.generate(tokenizer, model, history, tokens)
        history += reply + "\n"
        flagged = any(phrase in reply.lower() for phrase in loop.REFUSALS)
        print(f"  turn {number}: reply of {len(reply.split())} words, refusal: {flagged}")
    print("multiturn:")
    held = by_multiturn.hold(folder, {"cake": TURNS}, api.Sampling(max_tokens=tokens, seed=42))
    transcript = api.Transcript(session=Session("cake"), turns=held["cake"])
    refused = api.assess(transcript).refusals
    for record in held["cake"]:
        words = len((record.reply or "").split())
        print(f"  turn {record.turn + 1}: reply of {words} words, refusal: {record.turn in refused}")


if __name__ == "__main__":
    main()
