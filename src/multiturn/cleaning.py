"""From what a model wrote to the reply that is measured and goes into the history. Pure; what is cut is flagged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from multiturn.transcript import Flag

_LABEL: Final = re.compile(r"\s*(?:\*\*|#+\s*)?assistant(?:\*\*)?(?::(?:\*\*)?[ \t]*|[ \t]*\n)\s*", re.IGNORECASE)
_USER_LINE: Final = re.compile(r"^[ \t]*(?:\*\*|#+\s*)?(?:user|human)(?:\*\*)?:", re.IGNORECASE | re.MULTILINE)
_ASSISTANT_LINE: Final = re.compile(r"^[ \t]*(?:\*\*|#+\s*)?(?:assistant|ai)(?:\*\*)?:", re.IGNORECASE | re.MULTILINE)
_REASONING: Final = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
)
"""How models mark their thinking. An end of the first kind alone at a line's end closes what the prompt opened."""


OPENERS: Final = tuple(begin for begin, _ in _REASONING)
"""What a prompt ends with that has opened the reasoning."""


class Cleaned(msgspec.Struct, frozen=True, kw_only=True):
    """The reply, the reasoning before it, and what was cut."""

    text: str
    reasoning: str = ""
    flags: tuple[Flag, ...] = ()


def clean(raw: str, *, stop: Sequence[str] = (), control_tokens: Sequence[str] = (), opened: bool = False) -> Cleaned:
    """Take from a raw reply what is not part of it.

    In this order: reasoning is set apart; the text ends at the first stop string, wherever it stands; a role label in
    front goes (``assistant`` alone on a line, ``Assistant:``); the text ends where the model plays the user and answers
    itself.

    Args:
        raw: what the engine returned.
        stop: the stop strings of this reply.
        control_tokens: texts of control tokens that were generated as such (not as letters) and left in ``raw``.
        opened: the prompt already opened the reasoning, so that ``raw`` begins inside it.
    """
    reasoning, text = _split_reasoning(raw, opened=opened)
    flags: list[Flag] = []
    cut = min((at for at in (text.find(string) for string in stop) if at >= 0), default=None)
    if cut is not None:
        text = text[:cut]
        flags.append("stop_ignored")
    text = text.lstrip("\n") if reasoning is not None else text
    text, header = _without_header(text, control_tokens)
    text, ended = _until_control(text, control_tokens)
    label = _LABEL.match(text)
    if label or header:
        text = text[label.end() :] if label else text
        flags.append("role_echo")
    if ended:
        flags.append("control_tokens")
    goes_on = _own_dialogue(text)
    if goes_on is not None:
        text = text[:goes_on].rstrip()
        flags.append("run_on")
    return Cleaned(text=text, reasoning=reasoning or "", flags=tuple(dict.fromkeys(flags)))


def _split_reasoning(raw: str, *, opened: bool) -> tuple[str | None, str]:
    """Reasoning (None where there is none) and the rest. Reasoning that never ends leaves no reply."""
    start = raw.lstrip()
    for begin, end in _REASONING:
        if start.startswith(begin):
            inside, _, rest = start.removeprefix(begin).partition(end)
            return inside.strip(), rest
    if opened:
        ends = [(at, end) for _, end in _REASONING if (at := start.find(end)) >= 0]
        at, end = min(ends, default=(len(start), ""))
        inside, closed, rest = start[:at], bool(end), start[at + len(end) :]
        return (inside.strip(), rest) if closed or inside.strip() else (None, raw)
    begin, end = _REASONING[0]
    inside, _, rest = start.partition(end)
    orphan = end in start and begin not in inside and rest.startswith("\n")
    return (inside.strip(), rest) if orphan else (None, raw)


def _without_header(text: str, control_tokens: Sequence[str]) -> tuple[str, bool]:
    """Take off a role header spelled with control tokens: <|start|>assistant<|end|>."""
    if not control_tokens:
        return text, False
    tokens = "|".join(re.escape(token) for token in sorted(control_tokens, key=len, reverse=True))
    header = re.match(rf"\s*(?:{tokens})+\s*assistant\s*(?:{tokens})*\s*", text)
    return (text[header.end() :], True) if header else (text, False)


def _until_control(text: str, control_tokens: Sequence[str]) -> tuple[str, bool]:
    ends = [at for at in (text.find(token) for token in control_tokens) if at >= 0]
    return (text[: min(ends)], True) if ends else (text, False)


def _own_dialogue(text: str) -> int | None:
    """Where the model begins to play both sides: a user label after some text, answered by an assistant label.

    A text that is a dialogue from its start was asked for as one and stays whole.
    """
    user = _USER_LINE.search(text)
    if user is None or not text[: user.start()].strip() or _ASSISTANT_LINE.search(text[: user.start()]):
        return None
    return user.start() if _ASSISTANT_LINE.search(text, user.end()) else None
