"""Models in transformers' format, with LoRA adapters of PEFT: the weights that a training wrote, as they are.

    hf:DIR                    a model's folder, or an adapter's: its base is the one that its adapter_config.json names
    hf:ORG/NAME               a model of the hub
    hf:DIR+lora=DIR           a base and an adapter on it

This file finds the folders and what is wrong with them; it needs neither torch nor transformers. ``hf_engine`` replies.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.engines.hf_faults import check_adapter, check_code, check_model, refuse_pickle
from multiturn.engines.hf_folder import Folder, read_configs, read_folder
from multiturn.engines.hf_hub import find_folder, require_packages
from multiturn.errors import EngineSetupError, NotFound, SpecError
from multiturn.facts import EngineOptions, WeightOptions

if TYPE_CHECKING:
    from multiturn.engines.hf_engine import HfEngine

PREFIX: Final = "hf:"
FORM: Final = "write hf:FOLDER or hf:ORG/NAME, and +lora=FOLDER for an adapter"


class Source(msgspec.Struct, frozen=True):
    """A spec with the folders behind it."""

    spec: str
    base: Folder
    adapter: Folder | None


def open_engines(specs: Sequence[str], options: EngineOptions) -> list[HfEngine]:
    """Open one engine per spec; those of one base share it, loaded once at the first reply.

    Raises:
        SpecError, NotFound, EngineSetupError: what is wrong with a spec, a folder or the options.
        MissingExtra: a package is not installed.
    """
    sources = [find_source(spec, options.weights) for spec in specs]
    require_packages("torch", "transformers", "accelerate", *(["peft"] if any(one.adapter for one in sources) else []))
    engine = importlib.import_module("multiturn.engines.hf_engine")  # not at the top: it imports torch
    opened: list[HfEngine] = engine.open_sources(sources, options)
    return opened


def read_template(spec: str) -> str | None:
    """The chat template that a spec's model would be held in, the adapter's own before its base's; None for none.

    Raises:
        SpecError, NotFound, EngineSetupError: as :func:`open_engines`.
    """
    model, adapter = parse_spec(spec)
    folder = read_configs(find_folder(adapter or model))
    if folder.template is not None or folder.adapter is None:
        return folder.template
    return read_configs(find_folder(model) if adapter else _base_of(folder)).template


def parse_spec(spec: str) -> tuple[str, str | None]:
    """The model and the adapter that ``hf:MODEL[+lora=ADAPTER]`` names.

    Raises:
        SpecError: it names no model, or more than one adapter.
    """
    model, *adapters = spec.removeprefix(PREFIX).split("+lora=")
    if not model or len(adapters) > 1 or not all(adapters):
        raise SpecError(f"{spec!r} is no hf spec", hint=FORM)
    return model, adapters[0] if adapters else None


def find_source(spec: str, wanted: WeightOptions) -> Source:
    """Find the folders of a spec, and what is wrong with them by themselves.

    Raises:
        SpecError, NotFound, EngineSetupError: as :func:`open_engines`.
    """
    model, named = parse_spec(spec)
    folder = _fetch(model, wanted)
    adapter = _fetch(named, wanted) if named else None
    if adapter is None and folder.is_adapter:
        check_adapter(folder, wanted)
        adapter, folder = folder, read_folder(_base_of(folder, wanted))
    if folder.is_adapter and adapter is not None:
        raise SpecError(f"{folder.path} is an adapter, not a base", hint=f"write hf:BASE+lora={adapter.path}")
    check_code(folder, wanted)
    check_model(folder, wanted)
    if adapter is not None:
        check_code(adapter, wanted)
        check_adapter(adapter, wanted)
    return Source(spec, folder, adapter)


def _fetch(name: str, wanted: WeightOptions) -> Folder:
    """A folder with its weights; where they must be downloaded, the small files are judged first."""
    path = find_folder(name)
    if Path(name).expanduser().is_dir():
        return read_folder(path)
    check_code(read_configs(path), wanted)
    folder = read_folder(find_folder(name, "*.safetensors"))
    if not folder.weights and not (folder.adapter and folder.adapter_weights):
        if not wanted.pickle:
            refuse_pickle(f"{name} has no safetensors on the hub; what else it may have")
        folder = read_folder(find_folder(name, "*.safetensors", "*.bin"))
    return folder


def _base_of(adapter: Folder, wanted: WeightOptions | None = None) -> Path:
    """The folder of the base that an adapter names: as it is, beside the adapter, or on the hub.

    With ``wanted`` None only its small files are fetched.
    """
    name = adapter.adapter.base_model_name_or_path if adapter.adapter else None
    hint = f"name the base it was trained on: hf:BASE+lora={adapter.path}"
    if not name:
        raise EngineSetupError(f"{adapter.path / 'adapter_config.json'} names no base model", hint=hint)
    beside = adapter.path / name
    try:
        if beside.is_dir() and not Path(name).is_dir():
            return beside
        return find_folder(name) if wanted is None else _fetch(name, wanted).path
    except NotFound as error:
        raise EngineSetupError(
            f"{adapter.path / 'adapter_config.json'} names {name} as its base, and that is not to be had: "
            f"{error.message}",
            hint=hint,
        ) from None
