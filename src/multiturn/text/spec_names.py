"""What a model spec is called where there is little room, or where a folder's path is nobody's business."""

from __future__ import annotations

import re
from typing import Final

_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
"""How a path of Windows begins; no engine has a prefix of one letter."""


def short_spec(spec: str) -> str:
    """A spec without its folders: ``llamacpp:model.gguf+lora=adapter.gguf``; of a server's, name and host."""
    name, at, url = spec.partition("@")
    if at and "://" in url:
        return f"{name}@{url.partition('://')[2].partition('/')[0]}"
    prefixed = ":" in spec and not _DRIVE.match(spec)
    prefix, colon, rest = spec.partition(":") if prefixed else ("", "", spec)
    head, lora, adapter = rest.partition("+lora=")
    return f"{prefix}{colon}{last_part(head)}{lora}{last_part(adapter)}"


def last_part(path: str) -> str:
    """What a path leads to, without the folders that it lies in, as any system writes them."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]
