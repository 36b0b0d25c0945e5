# ruff: noqa: RUF001 - letters of two scripts
"""Cheap attackers: replies made without understanding anything. No probing turn of a good suite is passed by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

WORDS: Final = 400
"""Length of the filler."""

_NAME: Final = re.compile(r"(?<=[a-z,;:] )[A-ZÄÖÜÉА-Я][\w'-]{1,30}(?: [A-ZÄÖÜÉА-Я][\w'-]{1,30}){0,2}")
_NUMBER: Final = re.compile(r"\d(?:[\d.,:]{0,11}\d)?")
_FILLER: Final = (
    "This is a good question, and there is a lot that one could say about it. In general it helps to look at the whole "
    "matter calmly, to think about what is needed, and to take one step after the other. Many people find that a clear "
    "plan makes things easier, while others prefer to begin at once and see where it leads. Both ways have something "
    "to be said for them. What counts in the end is that the result fits the purpose and that everyone is content. "
)


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What an attacker may use: the user's messages (this turn's last), the replies before, the checks' phrases."""

    users: tuple[str, ...]
    replies: tuple[str, ...]
    phrases: tuple[str, ...]
    refusal_expected: bool


def _echo(scene: Scene) -> str:
    return "\n".join(scene.users)


def _echo_and_more(scene: Scene) -> str:
    """With words of its own around, so that it is no mere echo."""
    return f"Gladly! {_echo(scene)} Is that right?"


def _all_said(scene: Scene) -> str | None:
    """The user's messages and the replies to them, in order."""
    if scene.refusal_expected or not scene.replies:
        return None
    return "\n".join(text for pair in zip(scene.users, scene.replies, strict=False) for text in pair if text)


def _previous(scene: Scene) -> str | None:
    return None if scene.refusal_expected or not scene.replies else scene.replies[-1] or None


def _options(scene: Scene) -> str | None:
    """Every name and number that the user gave, and every phrase that a check looks for, as possibilities."""
    said = "\n".join(scene.users)
    found = [*_NAME.findall(said), *_NUMBER.findall(said), *(phrase.strip("*") for phrase in scene.phrases)]
    options = list(dict.fromkeys(found))
    return f"It could be {', '.join(options)}; any of these." if options else None


def _refuse(scene: Scene) -> str | None:
    return None if scene.refusal_expected else "I'm sorry, but I can't help with that request."


def _filler(_: Scene) -> str:
    words = _FILLER.split()
    return " ".join((words * (WORDS // len(words) + 1))[:WORDS])


ATTACKERS: Final[Mapping[str, Callable[[Scene], str | None]]] = {
    "echo": _echo,
    "echo_and_more": _echo_and_more,
    "all_said": _all_said,
    "options": _options,
    "refuse": _refuse,
    "empty": lambda _: "",
    "yes": lambda _: "Yes.",
    "previous": _previous,
    "filler": _filler,
}
"""By name, each gives a reply, or None where it has none: the first turn has no reply before it, and where a refusal is
right, declining in the same words again is no attack."""
