# ruff: noqa: RUF001 - characters of many scripts are what this is about
"""Replies that leave their role: that go on as the user, carry role labels, or show the template's control tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from multiturn.finding import Span
from multiturn.transcript import TurnRecord

_FLAGS: Final[dict[str, str]] = {
    "run_on": "plays the user",
    "role_echo": "role label",
    "control_tokens": "control token",
}

_CODE: Final = re.compile(r"```[\s\S]*?(?:```|\Z)|`[^`\n]{1,300}`")
_TOKEN: Final = re.compile(
    r"<\|[a-zA-Z_][\w-]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|<(?:start|end)_of_turn>|<(?:bos|eos|pad|unk)>|\[/?INST\]|<</?SYS>>|</s>|<s>"
    r"|\[(?:BOS|EOS|PAD)\]|<(?:\|)?(?:im_start|im_end)(?:\|)?>|\[\|(?:Human|AI|User|Assistant)\|\]"
)
_LABEL: Final = re.compile(
    r"^[ \t]{0,3}(?:#{1,4}[ \t]*)?[*_]{0,2}(?P<name>user|human|assistant|system|instruction|prompter|"
    r"benutzer|assistent|utilisateur|usuario|asistente|"
    r"пользователь|ассистент|用户|助手|ユーザー|アシスタント|사용자|어시스턴트)"
    r"[*_]{0,2}[ \t]?[:：][*_]{0,2}(?=[\s]|\Z|[^\W_])",
    re.IGNORECASE | re.MULTILINE,
)
_TEMPLATE_HEADING: Final = re.compile(
    r"^###[ \t]?(?:instruction|response|human|assistant|user|input)[ \t]?:?[ \t]*$", re.IGNORECASE | re.MULTILINE
)
_USER_NAMES: Final = frozenset(
    [
        "user",
        "human",
        "instruction",
        "prompter",
        "benutzer",
        "utilisateur",
        "usuario",
        "пользователь",
        "用户",
        "ユーザー",
        "사용자",
    ]
)


class Leak(msgspec.Struct, frozen=True):
    """What leaked, in two words, and where; no span where it was cut from the reply before."""

    what: str
    span: Span | None = None


def role_leak(turn: TurnRecord, control_tokens: Iterable[str] = ()) -> Leak | None:
    """The first sign that the reply left its role, or None.

    Signs that the run had already cut count (``turn.flags``). In the text, code does not count, and labels do not
    where the user's message has such a label too: then the user asked for a dialogue.
    """
    for flag, what in _FLAGS.items():
        if flag in turn.flags:
            return Leak(what)
    text = _CODE.sub(lambda match: " " * len(match[0]), turn.reply or "")
    given = [re.escape(token) for token in control_tokens if token.strip()]
    token = _TOKEN.search(text) or (re.search("|".join(given), text) if given else None)
    if token and token[0] not in turn.user:
        return Leak("control token", _span(turn.reply or "", token))
    heading = _TEMPLATE_HEADING.search(text)
    if heading and not _TEMPLATE_HEADING.search(turn.user):
        return Leak("role label", _span(turn.reply or "", heading))
    label = _LABEL.search(text)
    if label is None or _LABEL.search(turn.user) or label["name"].lower() in turn.user.lower():
        return None
    return Leak(
        "plays the user" if label["name"].lower() in _USER_NAMES else "role label", _span(turn.reply or "", label)
    )


def _span(text: str, match: re.Match[str]) -> Span:
    return Span(start=match.start(), end=match.end(), text=text[match.start() : match.end()])
