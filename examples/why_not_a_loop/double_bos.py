"""A template rendered as text and tokenised again: two BOS tokens, and role words that look like the model's.

python examples/why_not_a_loop/double_bos.py
"""

import asyncio
from typing import Any

import small_models
from transformers import AutoTokenizer

from multiturn import api
from multiturn.conversation import Message
from multiturn.registry import open_engines
from multiturn.transcript import Prompt, Request, Session

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}"
)
CHAT = [{"role": "user", "content": "Hi."}]


def main() -> None:
    """Count the BOS tokens; decode a prompt without its special tokens."""
    small_models.quieten()
    folder = small_models.tiny("writes-bos", TEMPLATE)
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    text = tokenizer.apply_chat_template(CHAT, add_generation_prompt=True, tokenize=False)
    print(f"rendered: {text!r}")
    print(f"the loop, tokenizer(rendered): {tokenizer(text)['input_ids'].count(tokenizer.bos_token_id)} BOS tokens")
    print(f"multiturn: {asyncio.run(_count(str(folder)))} BOS token")
    smollm2: Any = AutoTokenizer.from_pretrained(small_models.smollm2())
    encoded = smollm2.apply_chat_template(CHAT, add_generation_prompt=True, return_dict=True)
    print(f"the loop, skip_special_tokens=True: {smollm2.decode(encoded['input_ids'], skip_special_tokens=True)!r}")
    print("multiturn decodes the new tokens only: nothing of a prompt is left to be skipped")


async def _count(spec: str) -> int | None:
    """What the engine would really send."""
    (engine,) = open_engines([spec], api.EngineOptions())
    messages = (Message("user", "Hi."),)
    request = Request(session=Session("bos"), turn=0, messages=messages, sampling=api.Sampling(max_tokens=8), seed=0)
    prompt = await engine.prompt(request)
    await engine.close()
    return prompt.bos if isinstance(prompt, Prompt) else None


if __name__ == "__main__":
    main()
