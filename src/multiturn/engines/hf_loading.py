"""Loads tokenizers, empty models (names and shapes) and weights with transformers and peft. Only this file knows how.

What these libraries raise is translated here; their progress bars and advice are kept away from the terminal.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import logging
import platform
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import torch
import transformers

from multiturn.engines.hf_folder import Folder, read_tensors
from multiturn.errors import EngineSetupError, MissingExtra, SpecError
from multiturn.facts import WeightOptions

hf: Any = transformers  # its types are there by half, and only where it is installed
BITS: Final = {"float32": 32, "bfloat16": 16, "float16": 16}
_QUANTIZED_BITS: Final = {"8bit": 8, "4bit": 4}
_FAULTS: Final = (OSError, ValueError, RuntimeError, LookupError, TypeError, AttributeError, ImportError)
"""What transformers, peft and tokenizers raise over a folder that they can't use: nearly anything."""
NO_ADAPTER: Final = ""


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model goes and what it computes in. ``device`` is torch's name; ``cuda`` means all GPUs together."""

    device: str
    dtype: Literal["float32", "bfloat16", "float16"]
    attention: str
    quantization: str | None

    @property
    def gpu(self) -> bool:
        """Not the CPU."""
        return self.device != "cpu"

    @property
    def bits(self) -> int:
        """Bits that a floating number of the weights takes."""
        return _QUANTIZED_BITS.get(self.quantization or "", BITS[self.dtype])


def place(wanted: WeightOptions) -> Placement:
    """Choose device and arithmetic.

    Raises:
        SpecError: the device is none, or is not there. MissingExtra: quantization without bitsandbytes.
    """
    name = wanted.device or "auto"
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise SpecError(f"{name!r} is no device: {error}", hint="--device cpu, cuda, cuda:0 or auto") from None
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device.type == "cuda" and (device.index or 0) >= gpus:
        raise SpecError(
            f"{name} was asked for; torch sees {gpus or 'no'} GPU{'s' if gpus > 1 else ''} here",
            hint="--device cpu, or install the build of torch for this GPU (https://pytorch.org)",
        )
    if device.type == "mps" and not torch.backends.mps.is_available():
        raise SpecError("mps was asked for; there is none here", hint="--device cpu")
    if wanted.quantization:
        require_quantization(device.type)
    return Placement(
        device=str(device),
        dtype=wanted.dtype or ("float32" if device.type == "cpu" else "bfloat16"),
        attention=wanted.attention or "sdpa",
        quantization=wanted.quantization,
    )


def require_quantization(device: str) -> None:
    """Raise where weights can't be quantized.

    Raises:
        MissingExtra: bitsandbytes is not installed.
    """
    try:
        importlib.metadata.version("bitsandbytes")
    except importlib.metadata.PackageNotFoundError:
        raise MissingExtra(
            f"quantization needs the package bitsandbytes (on {device})", hint="pip install bitsandbytes"
        ) from None


def load_kwargs(wanted: WeightOptions, placement: Placement) -> dict[str, Any]:
    """What ``from_pretrained`` is told beside the folder."""
    kwargs: dict[str, Any] = {
        "trust_remote_code": wanted.remote_code,
        "use_safetensors": None if wanted.pickle else True,
        "dtype": getattr(torch, placement.dtype),
        "attn_implementation": placement.attention,
        "local_files_only": True,
    }
    if placement.gpu:
        kwargs["device_map"] = "auto" if placement.device == "cuda" else {"": placement.device}
    if placement.quantization:
        kwargs["quantization_config"] = hf.BitsAndBytesConfig(
            load_in_8bit=placement.quantization == "8bit",
            load_in_4bit=placement.quantization == "4bit",
            bnb_4bit_compute_dtype=getattr(torch, placement.dtype),
        )
    return kwargs


def load_tokenizer(folder: Folder, wanted: WeightOptions) -> Any:  # noqa: ANN401 - transformers has no types
    """The tokenizer that lies in a folder.

    Raises:
        EngineSetupError: there is none, or it can't be read.
    """
    if not folder.tokenizer_files:
        raise EngineSetupError(
            f"{folder.path} holds no tokenizer",
            hint="copy tokenizer.json and tokenizer_config.json from the base model",
        )
    with _quiet(), _translated(f"the tokenizer of {folder.path} can't be read"):
        return hf.AutoTokenizer.from_pretrained(
            folder.path, trust_remote_code=wanted.remote_code, local_files_only=True
        )


class Shell(msgspec.Struct, frozen=True, kw_only=True):
    """A model without its weights: ``shapes`` by name, ``rows`` of embeddings, whether rows may be padded."""

    shapes: dict[str, tuple[int, ...]]
    rows: int
    padded: bool
    attention: str


def empty_model(folder: Folder, wanted: WeightOptions, attention: str) -> Shell:
    """Build a model without memory for its weights.

    Raises:
        EngineSetupError: transformers does not know it, or it is no model that writes text.
    """
    with _quiet(), _translated(f"{folder.path} can't be used as a language model"):
        config = hf.AutoConfig.from_pretrained(folder.path, trust_remote_code=wanted.remote_code, local_files_only=True)
        with torch.device("meta"):
            try:
                model = _from_config(config, wanted, attention)
            except (ValueError, ImportError):
                if attention != "sdpa" or wanted.attention:
                    raise
                attention = "eager"
                model = _from_config(config, wanted, attention)
        shapes = {name: tuple(weight.shape) for name, weight in model.named_parameters(remove_duplicate=False)}
        return Shell(
            shapes=shapes,
            rows=model.get_input_embeddings().weight.shape[0],
            padded=not getattr(model, "_is_stateful", False),
            attention=attention,
        )


def _from_config(config: Any, wanted: WeightOptions, attention: str) -> Any:  # noqa: ANN401 - transformers has no types
    return hf.AutoModelForCausalLM.from_config(
        config, trust_remote_code=wanted.remote_code, attn_implementation=attention
    )


class Model:
    """Loaded weights with the adapters that can be switched on over them."""

    def __init__(self, folder: Folder, adapters: Sequence[Folder], wanted: WeightOptions, placement: Placement) -> None:
        self._peft: Any = None
        self._names = {adapter.path: f"adapter{index}" for index, adapter in enumerate(adapters)}
        with _quiet(), _translated(f"{folder.path} can't be loaded"):
            self._model, info = hf.AutoModelForCausalLM.from_pretrained(
                folder.path, output_loading_info=True, **load_kwargs(wanted, placement)
            )
        _refuse_gaps(folder.path, sorted(info["missing_keys"]))
        self._model.generation_config = hf.GenerationConfig()
        self._model.eval()
        for adapter in adapters:
            with _quiet(), _translated(f"{adapter.path} can't be put on {folder.path}"):
                self._add(adapter, placement)
        self.device: torch.device = self._model.get_input_embeddings().weight.device

    def _add(self, adapter: Folder, placement: Placement) -> None:
        peft = importlib.import_module("peft")  # not at the top: a base alone needs none
        name = self._names[adapter.path]
        options = {"adapter_name": name, "is_trainable": False, "torch_device": placement.device}
        if self._peft is None:
            self._peft = peft.PeftModel.from_pretrained(self._model, str(adapter.path), **options)
        else:
            self._peft.load_adapter(str(adapter.path), **options)
        self._peft.eval()
        file = adapter.adapter_weights
        if file is not None and file.suffix == ".safetensors":
            wanted = peft.get_peft_model_state_dict(self._peft, adapter_name=name, save_embedding_layers=False)
            _refuse_gaps(adapter.path, sorted(wanted.keys() - read_tensors(file).keys()))

    @contextlib.contextmanager
    def using(self, adapter: Path | None) -> Iterator[Any]:
        """The model with one adapter on, or with none."""
        if self._peft is None:
            yield self._model
        elif adapter is None:
            with self._peft.disable_adapter():
                yield self._model
        else:
            self._peft.set_adapter(self._names[adapter], inference_mode=True)
            yield self._model


def _refuse_gaps(path: Path, missing: Sequence[str]) -> None:
    """Weights that are missing in the files are made up by transformers and peft, with no more than a warning."""
    if missing:
        raise EngineSetupError(
            f"{path}: {len(missing)} of the weights that its config asks for are not in its files ({missing[0]} ...)",
            hint="save the whole model, or the whole adapter, again",
        )


@contextlib.contextmanager
def _translated(what: str) -> Iterator[None]:
    try:
        yield
    except _FAULTS as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise EngineSetupError(
            f"{what}: {lines[0] if lines else type(error).__name__}",
            hint="check that the folder is whole, and that this version of transformers knows the model",
        ) from error


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars and no advice on the terminal; errors are raised, so nothing is hidden."""
    loggers = [logging.getLogger(name) for name in ("transformers", "peft", "accelerate")]
    levels = [logger.level for logger in loggers]
    bars = hf.utils.logging.is_progress_bar_enabled()
    hf.utils.logging.disable_progress_bar()
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if bars:
            hf.utils.logging.enable_progress_bar()


def available_memory(placement: Placement) -> int | None:
    """Bytes that are free where the model goes; None where nobody says."""
    device = torch.device(placement.device)
    if device.type == "cuda":
        indices = range(torch.cuda.device_count()) if device.index is None else [device.index]
        return sum(torch.cuda.mem_get_info(index)[0] for index in indices)
    return _least([_meminfo, _cgroup]) if device.type == "cpu" else None


def _least(readers: Sequence[Callable[[], int]]) -> int | None:
    found = []
    for read in readers:
        with contextlib.suppress(OSError, ValueError, LookupError):  # not Linux, or no limit
            found.append(read())
    return min(found, default=None)


def _meminfo() -> int:
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))


def _cgroup() -> int:
    """What the container may still take; the page cache is not counted, since it would be given back."""
    folder = Path("/sys/fs/cgroup")
    limit, used = ((folder / name).read_text(encoding="ascii") for name in ("memory.max", "memory.current"))
    lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
    cached = next(int(line.split()[1]) for line in lines if line.startswith("file "))
    return int(limit) - int(used) + cached


def processor(placement: Placement) -> str:
    """What computes: its kind decides the last bits, and so near-ties."""
    device = torch.device(placement.device)
    if device.type == "cuda":
        indices = range(torch.cuda.device_count()) if device.index is None else [device.index]
        return ", ".join(sorted({torch.cuda.get_device_name(index) for index in indices}))
    return f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}" if device.type == "cpu" else device.type


def versions() -> str:
    """Of what computes."""
    return " ".join(f"{name} {importlib.metadata.version(name)}" for name in ("torch", "transformers", "peft"))
