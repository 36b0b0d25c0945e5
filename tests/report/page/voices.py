"""Two models that a script plays: one gives the suite's golden replies, the other declines, breaks off or falls silent."""

from __future__ import annotations

from functools import cache
from typing import Final

from multiturn.suites.reading import load_suite
from multiturn.transcript import Reply, Request, Timing

SUITE: Final = "quick"
REFUSAL: Final = "I'm sorry, but I can't help with that."
FLUENT: Final = "That is a good question, and there is a short way to put it: it depends on the weather."


@cache
def _goldens() -> dict[tuple[str, int], str]:
    return {
        (one.id, at): turn.golden or "" for one in load_suite(SUITE).conversations for at, turn in enumerate(one.turns)
    }


@cache
def _place(conversation: str) -> int:
    return [one.id for one in load_suite(SUITE).conversations].index(conversation)


def golden(request: Request) -> str:
    """What the suite says a good reply is."""
    return _goldens()[request.session.conversation, request.turn]


def spoilt(request: Request) -> Reply:
    """As good in each fourth conversation; in the others from turn 3 on a refusal, half a reply, or words on nothing."""
    good = golden(request)
    kind = _place(request.session.conversation) % 4 if request.turn >= 2 else 0
    text = (good, REFUSAL, good[: len(good) // 2], FLUENT)[kind]
    return Reply(text=text, finish="length" if kind == 2 else "stop", timing=Timing(total=0.1))
