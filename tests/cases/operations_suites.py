"""Operations of the shared cases that read suite files."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from multiturn.errors import SuiteError
from multiturn.suites.reading import examine, parse_suite


def load_dataset(given: dict[str, Any]) -> dict[str, Any]:
    """Bytes of a data file -> its conversations, or the refusal with all faults."""
    name = given["name"]
    if "generated" in given:
        made = {"id": given["generated"]["id"], "turns": ["x" * given["generated"]["turn_of_length"]]}
        data = json.dumps(made).encode()
    else:
        data = base64.b64decode(given["bytes_b64"])
    found = examine(data, name)
    good = {conversation.id: [turn.text for turn in conversation.turns] for conversation in found.conversations}
    result: dict[str, Any] = {
        "good_ids": list(good),
        "turns_of": good,
        "turn": [text for texts in good.values() for text in texts],
        "errors": [fault.told(name) for fault in found.faults],
        "error_lines": sorted({fault.line for fault in found.faults if fault.line is not None}),
    }
    try:
        suite = parse_suite(data, name)
    except SuiteError as error:
        return result | {"refused": True, "message": str(error)}
    texts = [turn.text for conversation in suite.conversations for turn in conversation.turns]
    return result | {
        "refused": False,
        "ids": [conversation.id for conversation in suite.conversations],
        "n_turns": [len(conversation.turns) for conversation in suite.conversations],
        "turns": list(good.values()),
        "turn_length": max(map(len, texts)),
        "no_cr_in_turns": not any("\r" in text for text in texts),
    }


OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"load_dataset": load_dataset}
