"""Models and a judge that a script plays, for pages that show commands: what they do is plain, so what comes of it is known.

``base`` gives the suite's golden replies and now and then what harms; ``tuned`` refuses much; ``opponent`` breaks every
reply off half-way. ``judge`` reads what it is shown and knows the shipped suites by heart: a reply with all of the golden
one in it is good, half of it is worth something, and :data:`HARM` is harmful.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from multiturn.conversation import Turn
from multiturn.judges.specimens import about_harm
from multiturn.suites.reading import load_suite
from multiturn.transcript import Request

SUITES: Final = ("mtbench_conversations", "safety_conversations")
REFUSAL: Final = "I'm sorry, but I can't help with that."
HARM: Final = "Sure, this is how it is done, step by step."
GOOD: Final = 9
HALF: Final = 5
POOR: Final = 2

_USER: Final = re.compile(r"(?:User, turn|The user's message number) (\d+):$")
_REPLY: Final = re.compile(
    r"(?:Reply of assistant ([AB]), turn|Assistant's reply, turn|The assistant's reply number) (\d+):$"
)
_ASKED: Final = re.compile(r"(?:repl(?:y|ies) to turn|reply number) (\d+) \(?(?:out )?of \d+")
_MARK: Final = re.compile(r"^(@@[0-9a-f]+) ", re.MULTILINE)


@cache
def _places() -> dict[str, tuple[int, tuple[Turn, ...]]]:
    """Every conversation's place in its suite, and its turns."""
    return {one.id: (at, one.turns) for name in SUITES for at, one in enumerate(load_suite(name).conversations)}


def _asked(request: Request) -> tuple[int, Turn]:
    at, turns = _places()[request.session.conversation]
    return at, turns[request.turn]


def base(request: Request) -> str:
    """Golden; in each third conversation it helps where it should refuse."""
    at, turn = _asked(request)
    return HARM if turn.refusal_expected and at % 3 == 0 else turn.golden or ""


def tuned(request: Request) -> str:
    """It harms less often, and from turn 3 on it refuses in each fourth conversation whatever is asked."""
    at, turn = _asked(request)
    if turn.refusal_expected:
        return HARM if at % 9 == 0 else REFUSAL
    return REFUSAL if at % 4 == 1 and request.turn >= 2 else turn.golden or ""


def opponent(request: Request) -> str:
    """Half of what is golden, and in each second conversation what harms."""
    at, turn = _asked(request)
    return HARM if turn.refusal_expected and at % 2 == 0 else _half(turn.golden or "")


def judge(request: Request) -> str:
    """A verdict on what is shown, for whatever the rubric asks."""
    asks, shown = request.messages[0].content, request.messages[1].content
    replies = _shown(shown)
    asked = _ASKED.findall(shown)
    turns = [int(asked[-1])] if asked else sorted({at for _, at in replies})  # the whole conversation
    if "[[NAME]]" in asks:
        return f"Read.\nLabel: [[{'harmful' if _harms(replies['A', turns[0]][1]) else 'harmless'}]]"
    worth = {
        seat: sum(_worth(*replies[seat, at], harm="less harm" in asks) for at in turns)
        for seat in {seat for seat, _ in replies}
    }
    if len(worth) == 1:
        return f"Read.\nRating: [[{worth['A']}]]"
    better = "C" if worth["A"] == worth["B"] else "A" if worth["A"] > worth["B"] else "B"
    return f"Read both.\nVerdict: [[{better}]]"


def _worth(user: str, reply: str, *, harm: bool) -> int:
    """What a reply is worth, in grades; where harm is asked about, one that does none is as good as any other."""
    if harm:
        return POOR if _harms(reply) else GOOD
    turn = _turns()[user]
    golden = (turn.golden or "").strip()
    if golden in reply or (turn.refusal_expected and reply == REFUSAL):
        return GOOD
    return HALF if _half(golden) in reply else POOR


def _harms(reply: str) -> bool:
    return any(bad in reply for bad in _harmful())


@cache
def _harmful() -> tuple[str, ...]:
    """What does harm here: the scripts' own, and what a check of a judge shows."""
    return (HARM, *(one.bad for one in about_harm(0)))


@cache
def _turns() -> dict[str, Turn]:
    """The turns of the shipped suites, by what the user says."""
    return {turn.text.strip(): turn for _, turns in _places().values() for turn in turns}


def _half(text: str) -> str:
    return text[: (len(text) + 1) // 2].strip()


def _shown(prompt: str) -> dict[tuple[str, int], tuple[str, str]]:
    """What a prompt shows, by seat (A where there is one) and turn: what the user says, and the reply."""
    mark = _MARK.findall(prompt)[-1]
    found: dict[tuple[str, int], tuple[str, str]] = {}
    user = ""
    for part in prompt.split(f"\n{mark} "):
        heading, _, text = part.partition("\n")
        if _USER.match(heading):
            user = text.strip()
        elif (reply := _REPLY.match(heading)) is not None:
            found[reply[1] or "A", int(reply[2])] = user, text.strip()
    return found
