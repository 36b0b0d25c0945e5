"""What the benchmark of the page is made from: two stored runs with replies as models write them, no two alike.

Replies have 20 to 280 words, 150 on average; each word is one that follows the last one somewhere in the shipped
goldens, so that they are as hard to compress as English (a few sentences said again and again would not be). Lists,
code, refusals, replies that are cut off or the same in both runs are in it. All is drawn from fixed seeds.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import defaultdict
from typing import TYPE_CHECKING, Final, get_args

import msgspec
from workload import suite_of

from checks import CHECKS, CHECKS_A_TURN
from multiturn.conditions import Arm, RunRecord
from multiturn.conversation import Capability, Category, CheckJson, Conversation, Suite, Turn
from multiturn.engines.scripted import ScriptedEngine
from multiturn.jobs import DEFAULT_SUITE
from multiturn.run import Settings, find_or_begin, hold_run
from multiturn.suites.reading import load_suite
from multiturn.transcript import Reply, Request, Timing

if TYPE_CHECKING:
    from multiturn.store import Store

CAPABILITIES: Final[tuple[Capability, ...]] = get_args(Capability)
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
DOMAINS: Final = ("cooking", "travel", "law", "sailing", "gardening", "music", "banking", "sports", "health", "trains")
SHORTEST, LONGEST = 20, 280
REFUSALS: Final = ("I'm sorry, but I can't help with that.", "I can't assist with that request, unfortunately.")
SAME: Final = 0.1
"""Share of replies that both arms give alike."""
CUT_OFF: Final = 0.05
REFUSED: Final = {"base": 0.01, "tuned": 0.12}
SENTENCE: Final = 12
"""Words of a sentence, about."""


class Writer:
    """Writes replies."""

    def __init__(self) -> None:
        goldens = [turn.golden for one in load_suite(DEFAULT_SUITE).conversations for turn in one.turns if turn.golden]
        self._code: Final = [golden for golden in goldens if "```" in golden]
        self._after: Final[dict[str, list[str]]] = defaultdict(list)
        for golden in goldens:
            for word, following in itertools.pairwise(golden.split()):
                self._after[word].append(following)
        self._words: Final = sorted(self._after)

    def reply(self, arm: str, request: Request) -> Reply:
        """What this arm says at this place; the same each time it is asked."""
        place = f"{request.session.conversation} {request.session.sample} {request.turn}"
        same = random.Random(place)  # noqa: S311 - a fixed workload
        draw = same if same.random() < SAME else random.Random(f"{arm} {place}")  # noqa: S311
        if draw.random() < REFUSED[arm]:
            return self._made(f"{draw.choice(REFUSALS)} {self._prose(draw, SHORTEST)}", "stop")
        text = self._text(draw, draw.randint(SHORTEST, LONGEST))
        return self._made(text, "length" if draw.random() < CUT_OFF else "stop")

    @staticmethod
    def _made(text: str, finish: str) -> Reply:
        reply = Reply(text=text, finish="stop", timing=Timing(total=0.0), new_tokens=len(text) // 4)
        return msgspec.structs.replace(reply, finish=finish)

    def _text(self, draw: random.Random, words: int) -> str:
        style = draw.random()
        if style < 0.6:  # noqa: PLR2004 - so many are plain
            parts = max(1, words // 80)
            return "\n\n".join(self._prose(draw, words // parts) for _ in range(parts))
        if style < 0.9:  # noqa: PLR2004
            points = [f"- **{draw.choice(self._words)}**: {self._prose(draw, SENTENCE)}" for _ in range(words // 14)]
            return "\n".join([f"### {self._prose(draw, 4)}", "", *points])
        return f"{self._prose(draw, words)}\n\n{draw.choice(self._code)}"

    def _prose(self, draw: random.Random, words: int) -> str:
        """So many words that follow each other, with a full stop now and then."""
        said = [draw.choice(self._words)]
        while len(said) < words:
            following = self._after.get(said[-1].rstrip("."))
            said.append(draw.choice(following or self._words))
            if draw.random() < 1 / SENTENCE:
                said[-1] = f"{said[-1].rstrip('.,')}."
        return " ".join(said)


def checked_suite(conversations: int) -> Suite:
    """Each turn has two checks, each after the first probes something; all kinds of checks in turn."""
    written = itertools.cycle([CheckJson(msgspec.json.encode(check)) for check in CHECKS])
    made = []
    for at, one in enumerate(suite_of(conversations).conversations):
        turns = [
            Turn(
                text=turn.text,
                why="A model that has lost the thread goes on from something else that was never said.",
                capability=CAPABILITIES[(at + place) % len(CAPABILITIES)] if place else None,
                distance=place or None,
                checks=tuple(itertools.islice(written, CHECKS_A_TURN)),
                refusal_expected=False,
            )
            for place, turn in enumerate(one.turns)
        ]
        why = "A regressed model forgets what was asked first, or says the same again. Here so that there is something."
        made.append(
            Conversation(
                id=one.id,
                turns=tuple(turns),
                why=why,
                category=CATEGORIES[at % len(CATEGORIES)],
                domain=DOMAINS[at % len(DOMAINS)],
            )
        )
    return Suite(name="benchmark", conversations=tuple(made))


def hold(store: Store, conversations: int) -> tuple[RunRecord, RunRecord]:
    """Both runs, in the store; a run that is there is used again."""
    suite, writer = checked_suite(conversations), Writer()
    base, tuned = (_hold_arm(store, suite, writer, arm) for arm in REFUSED)
    return base, tuned


def _hold_arm(store: Store, suite: Suite, writer: Writer, arm: str) -> RunRecord:
    engine = ScriptedEngine(lambda request: writer.reply(arm, request), spec=f"scripted:{arm}", remember=False)
    run = find_or_begin(store, suite, engine, Arm(spec=engine.spec), Settings(), resume=None, fresh=False)
    asyncio.run(hold_run(store, run, suite, engine))
    return run
