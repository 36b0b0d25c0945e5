"""The servers that the shared cases describe, as scripts of the faulty server on loopback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from tests.faults.faulty_server import FaultyServer, Script, Step

from multiturn.engines.http import HttpEngine, open_engines
from multiturn.facts import EngineOptions, ServerOptions

FAULTS: Final[dict[str, Literal["hang", "reset"]]] = {"read_timeout": "hang", "connection_reset": "reset"}
TIMEOUT: Final = 0.5
"""Seconds of a try; a case that times out waits for it once."""
LONGEST_WAIT: Final = 0.2


def step_of(told: Mapping[str, Any]) -> Step:
    """One answer of a server, as a case tells it."""
    message = {"role": "assistant", "content": told["text"]} if "text" in told else None
    return Step(
        status=told.get("status", 200),
        headers=told.get("headers", {}),
        fault=FAULTS[told["fault"]] if "fault" in told else "",
        body=None if message else told.get("body", ""),
        message=message,
    )


def script_of(given: Mapping[str, Any]) -> Script:
    """A case's ``server``, one answer after the other, or its ``server_always``."""
    always = step_of(given["server_always"]) if "server_always" in given else Step(status=400)
    return Script(steps=tuple(step_of(told) for told in given.get("server", ())), always=always)


def engine_for(server: FaultyServer, given: Mapping[str, Any]) -> HttpEngine:
    """The engine as a user gets it, with the case's number of retries and longest wait."""
    options = ServerOptions(
        timeout=TIMEOUT, retries=given.get("max_retries", 0), longest_wait=given.get("max_wait_s", LONGEST_WAIT)
    )
    (engine,) = open_engines([server.spec], EngineOptions(server=options))
    return engine
