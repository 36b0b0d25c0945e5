"""What can be wrong with a model's folder, found before any conversation: each fault as an error with the next step.

Pure: judges what ``hf_folder`` read and what the tokenizer and an empty model (names and shapes) say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from multiturn.engines.hf_folder import Folder, Tensor
from multiturn.errors import EngineSetupError, SpecError
from multiturn.facts import WeightOptions

_GIGABYTE: Final = 1e9
_PROMPTS: Final = ("PROMPT_TUNING", "P_TUNING", "PREFIX_TUNING", "MULTITASK_PROMPT_TUNING", "CPT")
"""Adapters that change what a model is given to read instead of its layers."""
_EMBEDDINGS: Final = ("embed_tokens.weight", "wte.weight", "embed_in.weight", "word_embeddings.weight")


def check_code(folder: Folder, wanted: WeightOptions) -> None:
    """Refuse Python from a model's folder that nobody asked for.

    Raises:
        EngineSetupError: a config names code of the folder's own.
    """
    if folder.remote_code and not wanted.remote_code:
        named = "; ".join(f"{name} names {code}" for name, code in folder.remote_code.items())
        raise EngineSetupError(
            f"{folder.path} wants to run its own Python code ({named})",
            hint="read that code; if you trust it, add --trust-remote-code",
        )


def check_model(folder: Folder, wanted: WeightOptions) -> None:
    """Refuse a folder that is no model, or whose weights can't be loaded safely.

    Raises:
        EngineSetupError: no config, no weights, or weights as a pickle only. SpecError: model and adapter in one.
    """
    path = folder.path
    if folder.adapter is not None and (folder.weights or folder.pickles):
        raise SpecError(
            f"{path} holds a model and an adapter: which one is meant?",
            hint=f"write hf:BASE+lora={path} for the adapter, or move adapter_config.json away for the model",
        )
    if not folder.weights and not folder.pickles:
        there = "a config.json but no weights" if folder.config else "neither weights nor an adapter"
        wanted_files = "give the folder that has model.safetensors or adapter_model.safetensors beside its config"
        hint = f"did you mean {folder.below[0]}?" if folder.below else wanted_files
        raise EngineSetupError(f"{path} holds {there}", hint=hint)
    if folder.config is None:
        raise EngineSetupError(f"{path} has weights but no config.json", hint="copy config.json from the base model")
    if not folder.weights and not wanted.pickle:
        refuse_pickle(path.joinpath(folder.pickles[0].name))


def refuse_pickle(file: object) -> None:
    """Refuse weights as a pickle.

    Raises:
        EngineSetupError: always.
    """
    raise EngineSetupError(
        f"{file} is a pickle, which may run code when it is read",
        hint="save the model again with save_pretrained (it writes safetensors); "
        "if you trust the file, add --allow-pickle",
    )


def check_adapter(folder: Folder, wanted: WeightOptions) -> None:
    """Refuse a folder that is no adapter which can be switched on a loaded model.

    Raises:
        EngineSetupError: no config or weights, a pickle, or a kind that changes the prompt. SpecError: a model.
    """
    path = folder.path
    if folder.adapter is None:
        if folder.weights or folder.pickles:
            raise SpecError(f"{path} is a model, not an adapter", hint=f"compare it by itself: hf:{path}")
        raise EngineSetupError(
            f"{path} holds no adapter: there is no adapter_config.json in it",
            hint="give the folder that PEFT's save_pretrained wrote",
        )
    if folder.adapter_weights is None:
        raise EngineSetupError(
            f"{path} has an adapter_config.json but no adapter_model.safetensors",
            hint="save the adapter again with PEFT's save_pretrained",
        )
    if folder.adapter_weights.suffix == ".bin" and not wanted.pickle:
        refuse_pickle(folder.adapter_weights)
    if folder.adapter.peft_type in _PROMPTS:
        raise EngineSetupError(
            f"{path} is an adapter of the kind {folder.adapter.peft_type}, which can't be switched on one loaded model",
            hint="use LoRA, or another kind that changes layers",
        )


def check_fit(adapter: Folder, tensors: Mapping[str, Tensor], shapes: Mapping[str, tuple[int, ...]], base: str) -> None:
    """Refuse an adapter whose layers the base model does not have, or has in another size.

    Args:
        adapter: its folder.
        tensors: its tensors by name.
        shapes: the base model's weights: names and shapes.
        base: how the base is called, for the reader.

    Raises:
        EngineSetupError: with the first layer that does not fit.
    """
    for name, tensor in sorted(tensors.items()):
        layer, _, part = name.removeprefix("base_model.model.").rpartition(".lora_")
        weight = f"{layer}.weight" if layer else name.removeprefix("base_model.model.").replace(".base_layer.", ".")
        shape = shapes.get(weight)
        if shape is None:
            if layer and not any(other.startswith(f"{layer}.") for other in shapes):
                raise EngineSetupError(
                    f"{adapter.path} adapts {layer}, which {base} does not have: it was trained on another model",
                    hint=_other_base(adapter),
                )
            continue
        outer = {"A.weight": tensor.shape[-1:], "B.weight": tensor.shape[:1]}.get(part)
        if tensor.shape != shape if not layer else outer is not None and outer[0] not in shape:
            raise EngineSetupError(
                f"{adapter.path}: {name} is {_times(tensor.shape)}; {weight} of {base} is {_times(shape)}",
                hint=_resized(adapter) if weight.endswith(_EMBEDDINGS) else _other_base(adapter),
            )


def check_vocabulary(folder: Folder, largest: int, rows: int, *, adapter: bool) -> None:
    """Refuse a tokenizer that gives ids which the model has no embedding for.

    Args:
        folder: whose tokenizer it is.
        largest: the largest id that the tokenizer gives.
        rows: how many embeddings the model has.
        adapter: the folder is an adapter's, the embeddings are its base's.

    Raises:
        EngineSetupError: it does.
    """
    if largest < rows:
        return
    model = "the base" if adapter else "the model"
    told = f"{folder.path}: its tokenizer gives ids up to {largest}; {model} has {rows} embeddings"
    fix = "use the tokenizer that belongs to these weights, or resize_token_embeddings and save the model again"
    raise EngineSetupError(told, hint=_resized(folder) if adapter else fix)


def check_memory(needed: int, available: int | None, *, where: str, path: object) -> None:
    """Refuse weights that the memory does not hold; sizes are in bytes, None where it is not known.

    Raises:
        EngineSetupError: with both figures.
    """
    if available is None or needed <= available:
        return
    raise EngineSetupError(
        f"the weights of {path} need {needed / _GIGABYTE:.1f} GB; the {where} has {available / _GIGABYTE:.1f} GB free",
        hint="a smaller --dtype (bfloat16), --quantization 8bit or 4bit, a GPU (--device), or a smaller model",
    )


def _other_base(adapter: Folder) -> str:
    named = adapter.adapter.base_model_name_or_path if adapter.adapter else None
    told = f"; its adapter_config.json names {named}" if named else ""
    return f"give the base it was trained on: hf:BASE+lora={adapter.path}{told}"


def _resized(folder: Folder) -> str:
    return (
        "merge the adapter and save the whole model (merge_and_unload, save_pretrained), "
        f"or resize the base's embeddings first; then compare with {folder.path} as it was trained"
    )


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a single number"
