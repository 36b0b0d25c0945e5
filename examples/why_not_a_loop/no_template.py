"""No template and no stop: the model is asked in a form it was not trained on, and goes on as the user.

python examples/why_not_a_loop/no_template.py
"""

from collections.abc import Mapping, Sequence

import by_multiturn
import loop
import small_models
import torch

from multiturn import api

CONVERSATIONS = {
    "capitals": ("What is the capital of Portugal?", "And of Spain?"),
    "sums": ("What is 7 times 8?", "And 6 times 4?"),
    "fruit": ("Name a fruit.", "Another one."),
}


def main(tokens: int = 40, conversations: int = 3) -> None:
    """Without a template, in the same form with stop strings, and with the model's own template."""
    small_models.quieten()
    folder, suite = small_models.smollm2(), dict(list(CONVERSATIONS.items())[:conversations])
    _tell("the loop (its prompts already taken off)", _looped(str(folder), suite, tokens))
    for template, words in (("plain", "the same form, with stop strings"), ("model", "the model's own template")):
        sampling, options = api.Sampling(max_tokens=tokens, seed=1), api.EngineOptions(template=template)
        held = by_multiturn.hold(folder, suite, sampling, options)
        _tell(f"multiturn, {words}", [record.reply or "" for turns in held.values() for record in turns])


def _looped(folder: str, suite: Mapping[str, Sequence[str]], tokens: int) -> list[str]:
    tokenizer, model = loop.load(folder)
    torch.manual_seed(1)
    replies = []
    for turns in suite.values():
        history = ""
        for user in turns:
            history += f"User: {user}\nAssistant: "
            reply = loop.generate(tokenizer, model, history, tokens).removeprefix(history)
            history += reply + "\n"
            replies.append(reply)
    return replies


def _tell(who: str, replies: Sequence[str]) -> None:
    played = sum("User:" in reply for reply in replies)
    print(f"{who}: {played} of {len(replies)} replies go on as the user")
    print(f"  And of Spain? -> {replies[1]!r}")


if __name__ == "__main__":
    main()
