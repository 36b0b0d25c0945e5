"""One global seed: what a model says depends on what was asked before.

python examples/why_not_a_loop/one_seed.py
"""

import by_multiturn
import loop
import small_models
import torch

from multiturn import api

QUESTIONS = {"tea": ["Name a kind of tea."], "bird": ["Name a bird that can't fly."]}


def main(tokens: int = 12) -> None:
    """Two conversations of one turn, in both orders."""
    small_models.quieten()
    folder = small_models.smollm2()
    tokenizer, model = loop.load(str(folder))
    orders = (["tea", "bird"], ["bird", "tea"])
    print("the loop, torch.manual_seed(42) at its start:")
    for order in orders:
        torch.manual_seed(42)
        said = {}
        for name in order:
            prompt = f"User: {QUESTIONS[name][0]}\nAssistant: "
            said[name] = loop.generate(tokenizer, model, prompt, tokens).removeprefix(prompt)
        print(f"  {' then '.join(order)}: bird -> {said['bird']!r}")
    print("multiturn, seed 42:")
    for order in orders:
        held = by_multiturn.hold(
            folder, {name: QUESTIONS[name] for name in order}, api.Sampling(max_tokens=tokens, seed=42)
        )
        print(f"  {' then '.join(order)}: bird -> {held['bird'][0].reply!r}")


if __name__ == "__main__":
    main()
