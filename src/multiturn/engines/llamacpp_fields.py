"""llama.cpp's sampling fields that we set and nobody asks for: the same in the process and behind its own server."""

from __future__ import annotations

from typing import Any, Final

SAMPLERS: Final = ("penalties", "temperature", "top_k", "top_p", "min_p")
"""In this order, as transformers and vLLM apply them (llama.cpp's own default puts the temperature last)."""
GREEDY: Final[dict[str, Any]] = {"samplers": ("penalties", "top_k"), "top_k": 1}
"""Temperature 0: the likeliest token after penalties. The whole chain gives the same, 0.6 ms a token later."""
SWITCHED_OFF: Final[dict[str, Any]] = {
    "typical_p": 1.0,
    "top_n_sigma": -1.0,
    "xtc_probability": 0.0,
    "dry_multiplier": 0.0,
    "dynatemp_range": 0.0,
    "mirostat": 0,
    "repeat_last_n": 64,
    "n_keep": 0,
    "ignore_eos": False,
    "samplers": SAMPLERS,
}
"""llama.cpp's other sampling fields, each named so that no default of a later version changes a reply."""
