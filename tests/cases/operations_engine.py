"""Operations on chat templates and set-up, as the product does them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from multiturn.conversation import Message
from multiturn.engines import chat_template, hf, hf_choice
from multiturn.errors import EngineSetupError, MultiturnError
from multiturn.facts import WeightOptions


def render_chat(given: dict[str, Any]) -> dict[str, Any]:
    """A toy template and messages -> the prompt."""
    template = chat_template.open_template(given["template"], bos=None, eos=None)
    messages = [Message(message["role"], message["content"]) for message in given["messages"]]
    folded = template.system == "folded" and messages[0].role == "system"
    return {"rendered": chat_template.render(template, messages), "system_folded": folded}


def encode_prompt(given: dict[str, Any]) -> dict[str, Any]:
    """A rendered prompt and a toy tokenizer -> the BOS ids in what the model gets."""
    bos = given["bos"]
    pieces = chat_template.split_control(given["rendered"], [bos] if bos else [])
    begins, rest = chat_template.split_bos(pieces, bos, adds_bos=given["tokenizer_adds_bos"])
    ids = ([given["bos_id"]] if begins else []) + [given["bos_id"] for text, control in rest if control]
    return {"bos_count": len(ids), "first_id_is_bos": begins}


def setup_model(given: dict[str, Any]) -> dict[str, Any]:
    """A model's folder or template -> what comes of it before any reply."""
    if "files" in given:
        return _open_folder(given["files"], _weight_options(given["flags"]))
    try:
        template = chat_template.open_template(given["chat_template"], bos=None, eos=None)
    except EngineSetupError:
        return {"outcome": "refused_at_setup", "generations_started": 0}
    return {"outcome": "fallback_recorded" if template.fallback else "ready", "generations_started": 0}


def _open_folder(files: list[str], wanted: WeightOptions) -> dict[str, Any]:
    """A folder with files of these names -> whether it would be used, and what is said of it."""
    with tempfile.TemporaryDirectory() as place:
        for name in files:
            Path(place, name).write_text("{}", encoding="utf-8")
        try:
            hf.find_source(f"hf:{place}", wanted)
        except MultiturnError as error:
            return {"outcome": "refused_at_setup", "message": str(error), "generations_started": 0}
        return {"outcome": "ready", "generations_started": 0}


def load_kwargs(given: dict[str, Any]) -> dict[str, Any]:
    """Flags of the command line -> what loading is told, and whether a flag is in the record."""
    wanted = _weight_options(given["flags"])
    identity, notes = hf_choice.recorded(wanted)
    return hf_choice.load_kwargs(wanted, "float32") | {"recorded": "yes" in identity.values() and bool(notes)}


def _weight_options(flags: list[str]) -> WeightOptions:
    return WeightOptions(remote_code="--trust-remote-code" in flags, pickle="--allow-pickle" in flags)


OPERATIONS: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "render_chat": render_chat,
    "encode_prompt": encode_prompt,
    "setup_model": setup_model,
    "load_kwargs": load_kwargs,
}
