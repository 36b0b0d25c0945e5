"""Operations on chat templates and set-up, as the product does them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from multiturn.conversation import Message
from multiturn.engines import chat_template
from multiturn.errors import EngineSetupError


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
    """A model's template -> what comes of it before any reply."""
    if "chat_template" not in given:
        pytest.skip("model folders belong to the transformers engine, which is not built yet")
    try:
        template = chat_template.open_template(given["chat_template"], bos=None, eos=None)
    except EngineSetupError:
        return {"outcome": "refused_at_setup", "generations_started": 0}
    return {"outcome": "fallback_recorded" if template.fallback else "ready", "generations_started": 0}


OPERATIONS: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "render_chat": render_chat,
    "encode_prompt": encode_prompt,
    "setup_model": setup_model,
}
