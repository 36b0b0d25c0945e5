"""What loading is told, and what the record says of it. Pure: needs no torch."""

from __future__ import annotations

from typing import Any

from multiturn.facts import WeightOptions


def load_kwargs(wanted: WeightOptions, dtype: str) -> dict[str, Any]:
    """What ``from_pretrained`` of transformers is told wherever the weights go: nothing runs that nobody asked for."""
    return {
        "trust_remote_code": wanted.remote_code,
        "use_safetensors": None if wanted.pickle else True,
        "dtype": dtype,
        "local_files_only": True,
    }


def recorded(wanted: WeightOptions) -> tuple[dict[str, str], tuple[str, ...]]:
    """What of this is part of a run's identity, and the notes for its reader."""
    identity = {"remote_code": "yes" if wanted.remote_code else "no", "pickle": "yes" if wanted.pickle else "no"}
    notes = {
        "the model's folder may have run Python code of its own (--trust-remote-code)": wanted.remote_code,
        "weights may have been read from pickles (--allow-pickle)": wanted.pickle,
    }
    return identity, tuple(note for note, holds in notes.items() if holds)
