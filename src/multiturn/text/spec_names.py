"""What a model spec is called where there is little room, or where a folder's path is nobody's business."""

from __future__ import annotations


def short_spec(spec: str) -> str:
    """A spec without its folders: ``llamacpp:model.gguf+lora=adapter.gguf``; of a server's, name and host."""
    name, at, url = spec.partition("@")
    if at and "://" in url:
        return f"{name}@{url.partition('://')[2].partition('/')[0]}"
    prefix, colon, rest = spec.partition(":") if ":" in spec else ("", "", spec)
    head, lora, adapter = rest.partition("+lora=")
    return f"{prefix}{colon}{_last(head)}{lora}{_last(adapter)}"


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
