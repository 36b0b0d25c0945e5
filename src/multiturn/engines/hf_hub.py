"""From what a spec names to a folder on this machine: a path as it is, a hub's name through the hub's own cache."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from typing import Final

from multiturn.errors import MissingExtra, NotFound

INSTALL: Final = "pip install 'multiturn[transformers]' (from a checkout: pip install '.[transformers]')"
_HUB_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_SMALL: Final = ("*.json", "*.jinja", "*.txt", "*.model", "*.py", "*.tiktoken")
_LEFT: Final = ("*/*", "consolidated*")  # other formats, and the checkpoints of a training


def require_packages(*names: str) -> None:
    """Raise where a package that is needed is not installed.

    Raises:
        MissingExtra: with the line that installs it.
    """
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(f"the hf engine needs {' and '.join(missing)}", hint=INSTALL)


def find_folder(name: str, *weights: str) -> Path:
    """The folder that holds a model or an adapter; what lies on the hub is downloaded first.

    Args:
        name: a folder, or a repository of the hub (``org/name``).
        weights: patterns of the weight files that are wanted (``*.safetensors``); configs, tokenizer and template
            always are.

    Raises:
        NotFound: neither a folder nor a repository that can be had. MissingExtra: a package is missing.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    if path.exists():
        raise NotFound(f"{path} is a file, not a model's folder", hint="give the folder that holds config.json")
    if _HUB_NAME.fullmatch(name) is None:
        raise NotFound(f"there is no folder {path}", hint="give a model's folder, or org/name of the hub")
    return _download(name, [*_SMALL, *weights])


def _download(name: str, patterns: list[str]) -> Path:
    require_packages("huggingface_hub")
    hub = importlib.import_module("huggingface_hub")
    errors = importlib.import_module("huggingface_hub.errors")
    try:
        return Path(hub.snapshot_download(name, allow_patterns=patterns, ignore_patterns=[*_LEFT]))
    except errors.GatedRepoError:
        raise NotFound(
            f"{name} is gated: its owner asks you to agree first",
            hint=f"agree at https://huggingface.co/{name}, then: hf auth login",
        ) from None
    except errors.RepositoryNotFoundError:
        raise NotFound(
            f"there is no folder {name} here, and the hub has no {name} that you may read",
            hint="check the name; for a private model: hf auth login",
        ) from None
    except OSError as error:  # the hub's other errors are such: no connection, offline by wish, a full disk
        raise NotFound(
            f"there is no folder {name} here, and it can't be had from the hub: {_first_line(error)}",
            hint="give the model's folder, or check the connection (HF_HUB_OFFLINE, proxies) and try again",
        ) from None


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__
