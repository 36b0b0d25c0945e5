"""What ``multiturn doctor`` found out about a model: values, ready to be shown."""

from __future__ import annotations

from typing import Literal

import msgspec

Level = Literal["fine", "note", "warning"]


class Remark(msgspec.Struct, frozen=True):
    """One thing that was looked at: ``note`` is worth knowing, ``warning`` is worth acting on."""

    level: Level
    topic: str
    text: str


class Examination(msgspec.Struct, frozen=True, kw_only=True):
    """A model, looked at before anything rests on it.

    ``rendered`` is the prompt of a small conversation in pieces ``(text, is_control_token)``; empty where nobody can
    say what is sent, and then ``unrendered`` says why. ``said`` is what was said in it, as ``(role, text)``; ``reply``
    is a real reply to its first turn, None where none was asked for.
    """

    spec: str
    said: tuple[tuple[str, str], ...]
    rendered: tuple[tuple[str, bool], ...]
    unrendered: str = ""
    reply: str | None = None
    remarks: tuple[Remark, ...] = ()
