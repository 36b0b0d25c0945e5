"""What a run would cost, from a few warm replies."""

from __future__ import annotations

import asyncio

import pytest

from multiturn.conversation import Conversation, Suite, Turn
from multiturn.dialogue import Manner
from multiturn.engines.scripted import Script, ScriptedEngine
from multiturn.errors import ContextOverflow, ReplyFailed
from multiturn.estimate import WARM_TURNS, Estimated, estimate
from multiturn.facts import Unknown
from multiturn.protocols import Engine
from multiturn.transcript import Prompt, Reply, Request, Sampling, Session, Timing

SHORT = Conversation(id="short", turns=(Turn(text="a"),))
LONG = Conversation(id="long", turns=tuple(Turn(text="some words to read") for _ in range(5)))
SUITE = Suite(name="s", conversations=(SHORT, LONG))
MANNER = Manner(sampling=Sampling(max_tokens=40))


def timed(*seconds: float, new_tokens: int | None = 10) -> Script:
    """Replies that took so long, one after the other."""
    left = iter(seconds)

    def script(request: Request) -> Reply:
        return Reply(
            text="yes",
            finish="stop",
            timing=Timing(total=next(left)),
            new_tokens=new_tokens,
            prompt_tokens=10 * (request.turn + 1),
        )

    return script


def estimated(engine: Engine, suite: Suite = SUITE, *, manner: Manner = MANNER, samples: int = 1) -> Estimated:
    return asyncio.run(estimate(suite, engine, manner, samples))


def test_a_few_turns_of_the_longest_conversation_are_held() -> None:
    """No more than that is asked, and the engine hears that it is over."""
    engine = ScriptedEngine(timed(9.0, 2.0, 4.0))
    estimated(engine)
    assert engine.asked == [(Session("long"), turn) for turn in range(WARM_TURNS)]
    assert engine.ended == [Session("long")]


def test_the_first_reply_warms_up_and_is_not_counted() -> None:
    """Time is the mean of the warm replies, for every reply, shared by as many conversations as are open at once."""
    found = estimated(ScriptedEngine(timed(90.0, 2.0, 4.0), open_conversations=1))
    assert (found.replies, found.warm_replies, found.at_once) == (6, 2, 1)
    assert found.seconds == pytest.approx(6 * 3.0)
    assert found.new_tokens == 60
    together = estimated(ScriptedEngine(timed(90.0, 2.0, 4.0), open_conversations=8), samples=4)
    assert (together.replies, together.at_once) == (24, 8)
    assert together.seconds == pytest.approx(24 / 8 * 3.0)


def test_no_more_at_once_than_there_are_conversations() -> None:
    assert estimated(ScriptedEngine(timed(1.0, 1.0, 1.0), open_conversations=32), samples=3).at_once == 6


def test_single_turns_can_not_be_timed() -> None:
    """There is no warm reply, so there is no time: none is made up."""
    found = estimated(ScriptedEngine(timed(90.0)), Suite(name="s", conversations=(SHORT,)))
    assert (found.seconds, found.warm_replies, found.new_tokens) == (None, 0, 10)


@pytest.mark.parametrize("error", [ReplyFailed("server", "500"), ContextOverflow("full")])
def test_an_engine_that_gives_no_reply(error: Exception) -> None:
    """Then the estimate rests on the budget of tokens, and has no time."""

    def script(_request: Request) -> str:
        raise error

    found = estimated(ScriptedEngine(script))
    assert (found.seconds, found.warm_replies, found.replies) == (None, 0, 6)
    assert found.new_tokens == 6 * 40
    assert found.prompt_tokens > 0


def test_an_engine_that_counts_nothing() -> None:
    """A token is then a quarter of a character of what the user says."""

    class Silent(ScriptedEngine):
        async def prompt(self, request: Request) -> Prompt | Unknown:  # type: ignore[override]  # the seam allows it
            return Unknown(f"not for turn {request.turn}")

        async def reply(self, request: Request) -> Reply:
            return Reply(text="yes", finish="stop", timing=Timing(total=float(request.turn)))

    found = estimated(Silent(timed()))
    characters = sum(len(turn.text) for one in SUITE.conversations for turn in one.turns)
    assert found.prompt_tokens == round(characters * 0.25)
    assert found.new_tokens == 6 * 40
    assert found.seconds == pytest.approx((1.0 + 2.0) / 2 * 3)


def test_prompt_tokens_count_each_text_once() -> None:
    """With a prompt cache the history is not read again: the estimate grows with the turns, not with their square."""

    def tokens(turns: int, samples: int = 1) -> int:
        suite = Suite(name="s", conversations=(Conversation(id="c", turns=(Turn(text="some words to read"),) * turns),))
        return estimated(ScriptedEngine(lambda _: "yes"), suite, samples=samples).prompt_tokens

    assert tokens(20) == pytest.approx(2 * tokens(10), abs=2)
    assert tokens(10, samples=3) == pytest.approx(3 * tokens(10), abs=2)
    assert 10 * 4 <= tokens(10) <= 10 * 8
