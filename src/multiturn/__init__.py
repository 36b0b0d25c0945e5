"""multiturn: does the model still hold a conversation?

``multiturn.api`` is what a Python user imports; it is loaded when it is first touched, so that ``import multiturn`` and
``multiturn --help`` stay quick.
"""

from __future__ import annotations

import importlib
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiturn import api as api

__version__ = version("multiturn")


def __getattr__(name: str) -> ModuleType:
    if name == "api":
        return importlib.import_module("multiturn.api")
    raise AttributeError(f"module 'multiturn' has no attribute {name!r}")
