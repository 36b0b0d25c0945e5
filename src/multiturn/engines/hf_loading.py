"""Loads tokenizers and models with transformers and peft: first without their numbers, then for good.

What these libraries raise is translated here; their progress bars and advice are kept away from the terminal.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import torch
import transformers

from multiturn.engines.hf_choice import load_kwargs
from multiturn.engines.hf_faults import check_fit
from multiturn.engines.hf_folder import Folder, read_tensors
from multiturn.engines.hf_machine import Placement, require_quantizer
from multiturn.errors import EngineSetupError
from multiturn.facts import WeightOptions

hf: Any = transformers  # its types are there by half, and only where it is installed
_FAULTS: Final = (OSError, ValueError, RuntimeError, LookupError, TypeError, AttributeError, ImportError)
"""What transformers, peft and tokenizers raise over a folder that they can't use: nearly anything."""
_WHOLE: Final = "check that the folder is whole, and that this version of transformers knows the model"
_NOWHERE: Final = "meta"
"""torch's device for tensors that have a shape and no numbers."""


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
    """What is known of a model without its numbers.

    ``rows`` are those of its embeddings; ``padded``: prompts of different lengths can be decoded together;
    ``attention`` is the implementation that it can have.
    """

    rows: int
    padded: bool
    attention: str


class Model:
    """A network with the adapters that can be switched on over its weights."""

    def __init__(self, network: Any, device: str) -> None:  # noqa: ANN401 - transformers has no types
        self._network = network
        self._device = device
        self._peft: Any = None
        self._names: dict[Path, str] = {}
        self.device: torch.device = network.get_input_embeddings().weight.device

    def add(self, adapter: Folder) -> None:
        """Put an adapter on, switched off.

        Raises:
            EngineSetupError: it does not fit, or lacks weights that its config asks for.
        """
        with _quiet(), _translated(f"{adapter.path} can't be put on its base"):
            peft = importlib.import_module("peft")  # not at the top: a base alone needs none
            name = self._names[adapter.path] = f"adapter{len(self._names)}"
            options = {"adapter_name": name, "is_trainable": False, "torch_device": self._device}
            if self._peft is None:
                self._peft = peft.PeftModel.from_pretrained(self._network, str(adapter.path), **options)
            else:
                self._peft.load_adapter(str(adapter.path), **options)
            self._peft.eval()
            wanted = peft.get_peft_model_state_dict(self._peft, adapter_name=name, save_embedding_layers=False)
        file = adapter.adapter_weights
        if file is not None and file.suffix == ".safetensors":
            _refuse_gaps(adapter.path, sorted(wanted.keys() - read_tensors(file).keys()))

    @contextlib.contextmanager
    def using(self, adapter: Path | None) -> Iterator[Any]:
        """The network with one adapter on, or with none."""
        if self._peft is None:
            yield self._network
        elif adapter is None:
            with self._peft.disable_adapter():
                yield self._network
        else:
            self._peft.set_adapter(self._names[adapter], inference_mode=True)
            yield self._network


def load(folder: Folder, adapters: Sequence[Folder], wanted: WeightOptions, placement: Placement) -> Model:
    """Load weights and adapters.

    Raises:
        EngineSetupError: what :func:`rehearse` could not see.
    """
    with _quiet(), _translated(f"{folder.path} can't be loaded"):
        network, told = hf.AutoModelForCausalLM.from_pretrained(
            folder.path, output_loading_info=True, **load_kwargs(wanted, placement.dtype), **_where(placement)
        )
    _refuse_gaps(folder.path, sorted(told["missing_keys"]))
    network.generation_config = hf.GenerationConfig()  # the folder's own names sampling fields: none is left
    network.eval()
    model = Model(network, placement.device)
    for adapter in adapters:
        model.add(adapter)
    return model


def rehearse(folder: Folder, adapters: Sequence[Folder], wanted: WeightOptions, placement: Placement) -> Shell:
    """Go through loading without reading a number: names, shapes, and whether the parts fit each other.

    Raises:
        EngineSetupError: the first thing that does not fit. MissingExtra: its quantization needs a package.
    """
    attention = placement.attention
    if folder.config is not None and folder.config.quantized:
        _check_quantizer(folder, folder.config.quantized, wanted)
    with _quiet(), _translated(f"{folder.path} can't be used as a language model"):
        try:
            network, missing = _empty(folder, wanted, placement, attention)
        except (ValueError, ImportError):
            if wanted.attention:
                raise
            attention = "eager"
            network, missing = _empty(folder, wanted, placement, attention)
    _refuse_gaps(folder.path, missing)
    shapes = {name: tuple(weight.shape) for name, weight in network.named_parameters(remove_duplicate=False)}
    rows = network.get_input_embeddings().weight.shape[0]
    model = Model(network, "cpu")
    for adapter in adapters:
        if adapter.adapter_weights is not None and adapter.adapter_weights.suffix == ".safetensors":
            check_fit(adapter, read_tensors(adapter.adapter_weights), shapes, str(folder.path))
            model.add(adapter)
    return Shell(rows=rows, padded=not getattr(network, "_is_stateful", False), attention=attention)


def _check_quantizer(folder: Folder, method: str, wanted: WeightOptions) -> None:
    """Whether weights that were quantized before they were saved can be loaded here."""
    require_quantizer(method, f"{folder.path} was quantized with {method}, which")
    hint = "install what it names, or give the model as it was before it was quantized"
    with _quiet(), _translated(f"{folder.path} was quantized with {method}, and can't be loaded here", hint):
        config = hf.AutoConfig.from_pretrained(folder.path, local_files_only=True, trust_remote_code=wanted.remote_code)
        quantization = getattr(config, "quantization_config", None) or config.get_text_config().quantization_config
        quantizer = hf.quantizers.AutoHfQuantizer.from_config(quantization, pre_quantized=True)
        quantizer.validate_environment(device_map=None, weights_only=True)


def _empty(folder: Folder, wanted: WeightOptions, placement: Placement, attention: str) -> tuple[Any, Sequence[str]]:
    """A network without numbers, and the names of weights that are not in its files.

    What is quantized already, or is a pickle, is only built, not gone through: that would read it.
    """
    kwargs = load_kwargs(wanted, placement.dtype) | {"attn_implementation": attention}
    if folder.weights and not (folder.config and folder.config.quantized):
        network, told = hf.AutoModelForCausalLM.from_pretrained(
            folder.path,
            device_map={"": _NOWHERE},
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # told below, with their sizes
            **kwargs,
        )
        for name, found, expected in sorted(told["mismatched_keys"]):
            raise ValueError(f"{name} is {list(found)} in its files and {list(expected)} by its config")
        return network, sorted(told["missing_keys"])
    options = {"trust_remote_code": wanted.remote_code}
    config = hf.AutoConfig.from_pretrained(folder.path, local_files_only=True, **options)
    with torch.device(_NOWHERE):
        return hf.AutoModelForCausalLM.from_config(config, attn_implementation=attention, **options), ()


def _where(placement: Placement) -> dict[str, Any]:
    """Device, attention and quantization, as ``from_pretrained`` takes them."""
    kwargs: dict[str, Any] = {"attn_implementation": placement.attention}
    if placement.gpu:
        kwargs["device_map"] = "auto" if placement.device == "cuda" else {"": placement.device}
    if placement.quantization:
        kwargs["quantization_config"] = hf.BitsAndBytesConfig(
            load_in_8bit=placement.quantization == "8bit",
            load_in_4bit=placement.quantization == "4bit",
            bnb_4bit_compute_dtype=placement.dtype,
        )
    return kwargs


def _refuse_gaps(path: Path, missing: Sequence[str]) -> None:
    """Weights that are missing in the files are made up by transformers and peft, with no more than a warning."""
    if missing:
        raise EngineSetupError(
            f"{path}: {len(missing)} of the weights that its config asks for are not in its files ({missing[0]} ...)",
            hint="save the whole model, or the whole adapter, again",
        )


@contextlib.contextmanager
def _translated(what: str, hint: str = _WHOLE) -> Iterator[None]:
    try:
        yield
    except _FAULTS as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise EngineSetupError(
            f"{what}: {lines[0] if lines else type(error).__name__}",
            hint=hint,
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
