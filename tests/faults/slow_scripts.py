"""Scripts for ``scripted:slow_scripts:NAME`` that are slow, fail or go silent; what they are asked is written down.

Each request is one line, ``conversation turn``, in the file that the environment variable ``ASKED`` names.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time

from multiturn.errors import ReplyFailed
from multiturn.transcript import Request

SECONDS = 0.15


def _note(request: Request) -> None:
    """One line in one write, so that no line is torn when the process is killed."""
    where = os.environ.get("ASKED")
    if where is not None:
        descriptor = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        os.write(descriptor, f"{request.session.conversation} {request.turn}\n".encode())
        os.close(descriptor)


async def slow(request: Request) -> str:
    """A reply that takes a moment and never comes out the same twice."""
    _note(request)
    await asyncio.sleep(SECONDS)
    return f"{request.session.conversation} {request.turn} {secrets.token_hex(8)}"


async def endless(request: Request) -> str:
    """The first two turns are answered at once; the third reply never comes."""
    _note(request)
    if request.turn >= 2:
        await asyncio.sleep(3600)
    return f"{request.session.conversation} {request.turn}"


def busy(request: Request) -> str:
    """Keeps the event loop busy from the second turn on, as hashing a large model or comparing a large suite does."""
    _note(request)
    if request.turn >= 1:
        time.sleep(20)
    return request.messages[-1].content


def down(request: Request) -> str:
    """A server that is not there."""
    _note(request)
    raise ReplyFailed("connection", "nobody listens on port 1", retryable=True)


def flaky(request: Request) -> str:
    """Fails for the conversation ``b`` until a file named by ``MENDED`` is there."""
    _note(request)
    if request.session.conversation == "b" and not os.path.exists(os.environ.get("MENDED", "")):  # noqa: PTH110
        raise ReplyFailed("server", "503: overloaded")
    return request.messages[-1].content


def silent(request: Request) -> str:
    """A model that says nothing."""
    _note(request)
    return ""
