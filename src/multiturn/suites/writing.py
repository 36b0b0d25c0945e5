"""A suite as a file of ours: what ``load_suite`` reads back as the same suite. Pure."""

from __future__ import annotations

import msgspec

from multiturn.conversation import Suite


def suite_json(suite: Suite) -> bytes:
    """The suite as indented JSON in UTF-8, fields that are left at their default left out."""
    return msgspec.json.format(msgspec.json.encode(suite), indent=2) + b"\n"
