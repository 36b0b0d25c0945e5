"""What lies in a model's or an adapter's folder: configs, chat template, weight files and their headers.

Reads small files and the heads of large ones. Knows neither torch nor transformers, loads nothing, judges nothing but
whether a file can be read; what is wrong with a whole folder is said in ``hf_faults``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from multiturn.engines.gguf import file_digest
from multiturn.errors import EngineSetupError

INDEX: Final = "model.safetensors.index.json"
WEIGHTS: Final = "model.safetensors"
PICKLE_INDEX: Final = "pytorch_model.bin.index.json"
PICKLE: Final = "pytorch_model.bin"
ADAPTER_CONFIG: Final = "adapter_config.json"
TEMPLATE_FILE: Final = "chat_template.jinja"
TOKENIZER_FILES: Final = (
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "vocab.txt",
    "spiece.model",
    "tekken.json",
)
"""What decides which tokens a text becomes, where it is there."""
_BITS: Final = {"F4": 4, "BOOL": 8, "U8": 8, "I8": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32} | {
    "U32": 32, "F32": 32, "I64": 64, "U64": 64, "F64": 64, "C64": 64
}  # fmt: skip
_LARGEST_HEADER: Final = 100_000_000
_SHA256_NAME: Final = re.compile(r"[0-9a-f]{64}")
T = TypeVar("T")


class Tensor(msgspec.Struct, frozen=True):
    """One tensor of a weights file, by its header; ``kind`` is the format's name of its numbers (``F32``, ``BF16``)."""

    kind: str
    shape: tuple[int, ...]
    span: tuple[int, int]

    @property
    def elements(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    @property
    def floating(self) -> bool:
        """Whether loading turns it into the dtype that is asked for."""
        return self.kind in {"F16", "BF16", "F32", "F64"}


class ModelConfig(msgspec.Struct, frozen=True):
    """The fields of ``config.json`` that matter here; ``text_config`` is the language part of a larger model."""

    model_type: str = ""
    architectures: tuple[str, ...] | None = None
    auto_map: dict[str, Any] | None = None
    vocab_size: int | None = None
    max_position_embeddings: int | None = None
    n_positions: int | None = None
    n_ctx: int | None = None
    seq_length: int | None = None
    max_seq_len: int | None = None
    max_sequence_length: int | None = None
    rope_scaling: dict[str, Any] | None = None
    rope_parameters: dict[str, Any] | None = None
    quantization_config: dict[str, Any] | None = None
    eos_token_id: int | tuple[int, ...] | None = None
    text_config: ModelConfig | None = None

    @property
    def language(self) -> ModelConfig:
        """The part that models text."""
        return self.text_config or self

    @property
    def quantized(self) -> str | None:
        """How its weights were quantized before they were saved (``bitsandbytes``, ``gptq`` ...); None where not."""
        found = self.quantization_config or self.language.quantization_config
        if not found:
            return None
        old = "bitsandbytes" if found.get("load_in_4bit") or found.get("load_in_8bit") else "a method without a name"
        return str(found.get("quant_method") or old)

    @property
    def window(self) -> int | None:
        """Tokens that the model was made for, with its position scaling; None where the config does not say."""
        text = self.language
        named = (
            text.max_position_embeddings,
            text.n_positions,
            text.max_seq_len,
            text.max_sequence_length,
            text.seq_length,
            text.n_ctx,
        )
        trained = next((value for value in named if value), None)
        return None if trained is None else max(trained, _scaled(trained, text.rope_scaling or text.rope_parameters))


def _scaled(trained: int, scaling: dict[str, Any] | None) -> int:
    """The window with rope scaling: some kinds are in ``max_position_embeddings`` already, some are not."""
    kind = (scaling or {}).get("rope_type") or (scaling or {}).get("type")
    factor = (scaling or {}).get("factor")
    if not isinstance(factor, int | float) or scaling is None:
        return trained
    original = scaling.get("original_max_position_embeddings")
    if kind in {"linear", "dynamic"}:
        return int(trained * factor)
    return int(original * factor) if kind == "yarn" and isinstance(original, int) else trained


class TokenizerConfig(msgspec.Struct, frozen=True):
    """The fields of ``tokenizer_config.json`` that matter here."""

    chat_template: Any = None
    model_max_length: float | None = None
    auto_map: dict[str, Any] | None = None


class AdapterConfig(msgspec.Struct, frozen=True):
    """The fields of ``adapter_config.json`` that matter here."""

    peft_type: str = "LORA"
    base_model_name_or_path: str | None = None
    auto_mapping: dict[str, Any] | None = None


class Folder(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder holds. Absent files are None or empty.

    ``templates`` are chat templates by the file that names each, the one in use first. ``weights`` are the safetensors
    files of a model, ``pickles`` those of PyTorch's older format; ``adapter_weights`` is the adapter's file of either.
    ``below`` are folders in it that hold a model or an adapter: checkpoints of a training.
    """

    path: Path
    config: ModelConfig | None
    tokenizer: TokenizerConfig | None
    adapter: AdapterConfig | None
    generation: dict[str, Any]
    templates: dict[str, str]
    weights: tuple[Path, ...]
    pickles: tuple[Path, ...]
    adapter_weights: Path | None
    tokenizer_files: tuple[Path, ...]
    below: tuple[Path, ...] = ()

    @property
    def template(self) -> str | None:
        """The chat template in use, None where the folder has none."""
        return next(iter(self.templates.values()), None)

    @property
    def is_adapter(self) -> bool:
        """An adapter that needs a base: its config is there, and no weights of its own."""
        return self.adapter is not None and not self.weights and not self.pickles

    @property
    def remote_code(self) -> dict[str, str]:
        """Python that the folder wants to run, by the config that names it."""
        maps = {
            "config.json": self.config and self.config.auto_map,
            "tokenizer_config.json": self.tokenizer and self.tokenizer.auto_map,
        }
        return {name: ", ".join(map(str, found.values())) for name, found in maps.items() if found}


def read_folder(path: Path) -> Folder:
    """Read what a folder holds.

    Raises:
        EngineSetupError: a file is damaged, or a part of the weights is missing; the file is named.
    """
    weights, pickles = _parts(path, WEIGHTS, INDEX), _parts(path, PICKLE, PICKLE_INDEX)
    marks = (WEIGHTS, INDEX, PICKLE, ADAPTER_CONFIG)
    below = {file.parent for mark in marks for file in path.glob(f"*/{mark}")}
    latest = sorted(below, key=lambda folder: (len(folder.name), folder.name), reverse=True)
    return msgspec.structs.replace(read_configs(path), weights=weights, pickles=pickles, below=tuple(latest))


def read_configs(path: Path) -> Folder:
    """Read what a folder holds beside a model's weights.

    Raises:
        EngineSetupError: a file is damaged; it is named.
    """
    generation = _read(path / "generation_config.json", dict[str, Any])
    tokenizer = _read(path / "tokenizer_config.json", TokenizerConfig)
    adapter_weights = [path / name for name in ("adapter_model.safetensors", "adapter_model.bin")]
    return Folder(
        path=path,
        config=_read(path / "config.json", ModelConfig),
        tokenizer=tokenizer,
        adapter=_read(path / ADAPTER_CONFIG, AdapterConfig),
        generation=generation or {},
        templates=_templates(path, tokenizer),
        weights=(),
        pickles=(),
        adapter_weights=next((file for file in adapter_weights if file.is_file()), None),
        tokenizer_files=tuple(path / name for name in TOKENIZER_FILES if (path / name).is_file()),
    )


def _read(path: Path, kind: type[T]) -> T | None:
    """A JSON file as a value; None where it is not there."""
    try:
        return msgspec.convert(json.loads(path.read_text(encoding="utf-8")), kind)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EngineSetupError(f"{path} can't be read: {error.strerror}", hint="check the file's permissions") from None
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, or not what such a file holds
        raise EngineSetupError(f"{path} is damaged: {error}", hint="copy or download the file again") from None


def _templates(path: Path, tokenizer: TokenizerConfig | None) -> dict[str, str]:
    """In the order in which transformers prefers them."""
    found: dict[str, str] = {}
    file = path / TEMPLATE_FILE
    if file.is_file():
        try:
            found[file.name] = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise EngineSetupError(
                f"{file} can't be read: {error}", hint="write the template again, in UTF-8"
            ) from None
    legacy = _read(path / "chat_template.json", dict[str, Any]) or {}
    named = {
        "tokenizer_config.json": tokenizer.chat_template if tokenizer else None,
        "chat_template.json": legacy.get("chat_template"),
    }
    for name, given in named.items():
        source = _default_template(given)
        if source is not None:
            found[name] = source
    return found


def _default_template(given: object) -> str | None:
    """A template, or the default one of several that have names."""
    if isinstance(given, list):
        pairs = [(one.get("name"), one.get("template")) for one in given if isinstance(one, dict)]
        given = dict(pairs)
    if isinstance(given, dict):
        only = next(iter(given.values())) if len(given) == 1 else None
        given = given.get("default", only)
    return given if isinstance(given, str) else None


def _parts(path: Path, single: str, index: str) -> tuple[Path, ...]:
    """The files of one set of weights; empty where there is none.

    As transformers does, one file goes before an index of several.
    """
    if (path / single).is_file():
        return (path / single,)
    read = _read(path / index, dict[str, Any])
    if read is None:
        return ()
    table = read.get("weight_map")
    names = sorted({str(name) for name in table.values()}) if isinstance(table, dict) else []
    missing = [name for name in names if not (path / name).is_file()]
    if missing or not names:
        told = f"{missing[0]} is missing" if missing else "it names no file"
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise EngineSetupError(
            f"{path / index} lists {len(names)} files of weights, and {told}{more}",
            hint="download or copy the model again",
        )
    return tuple(path / name for name in names)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file by name, from its header.

    Raises:
        EngineSetupError: it is no such file, or it is shorter or longer than its header says.
    """
    torn = "copy or download the file again"
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 0 < length <= min(_LARGEST_HEADER, size - 8):
                raise EngineSetupError(f"{path} is no safetensors file, or is torn", hint=torn)
            raw = json.loads(file.read(length))
        raw.pop("__metadata__", None)
        tensors = {
            name: Tensor(str(one["dtype"]), tuple(one["shape"]), (one["data_offsets"][0], one["data_offsets"][1]))
            for name, one in raw.items()
        }
        end = max((tensor.span[1] for tensor in tensors.values()), default=0)
    except OSError as error:
        raise EngineSetupError(f"{path} can't be read: {error.strerror}", hint="check the file") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise EngineSetupError(f"{path} has a damaged header: {error}", hint=torn) from None
    if size != 8 + length + end:
        raise EngineSetupError(
            f"{path} has {size:,} bytes; by its header it should have {8 + length + end:,}", hint=torn
        )
    return tensors


def bytes_at(tensors: dict[str, Tensor], bits: int) -> int:
    """How many bytes these tensors take in memory when floating ones are loaded with this many bits a number."""
    return sum(
        tensor.elements * (bits if tensor.floating else _BITS.get(tensor.kind, 8)) // 8 for tensor in tensors.values()
    )


def digest(files: tuple[Path, ...]) -> str:
    """SHA-256 over names and contents of files: which weights they are, wherever they lie.

    A link into a hub cache names the SHA-256 of what it points at, which then need not be read.
    """
    lines = sorted(f"{file.name} {_content_digest(file)}\n" for file in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _content_digest(file: Path) -> str:
    target = file.resolve()
    return target.name if file.is_symlink() and _SHA256_NAME.fullmatch(target.name) else file_digest(target)
