"""Stop strings on real engines: at the first character, across tokens, inside a reply that may hold them."""

from __future__ import annotations

import asyncio
import importlib.util
from typing import Any

import pytest

from multiturn.arms import open_arms
from multiturn.conversation import Conversation, Turn
from multiturn.dialogue import Manner, hold
from multiturn.engines import demo
from multiturn.facts import EngineOptions
from multiturn.transcript import Sampling, Transcript, TurnRecord

QUESTION = Conversation(id="cats", turns=(Turn(text="Why do cats purr?"), Turn(text="And why do dogs bark?")))


async def forget(_record: TurnRecord) -> None:
    """The transcript is returned."""


def held(spec: str, conversation: Conversation = QUESTION, *, template: str = "model", **sampling: Any) -> Transcript:  # noqa: ANN401 - fields of Sampling
    """The conversation, greedy, with these settings."""

    async def run() -> Transcript:
        async with open_arms([spec], EngineOptions(context_window=1024, workers=1, template=template)) as (
            (_, engine),
        ):
            manner = Manner(sampling=Sampling(temperature=0.0, **({"max_tokens": 24} | sampling)), window=1024)
            return await hold(conversation, engine, manner, commit=forget)

    return asyncio.run(run())


@pytest.fixture(name="spec", params=["llamacpp", "hf"], scope="module")
def spec_of_the_model(request: pytest.FixtureRequest) -> str:
    """The same small model on each engine."""
    if request.param == "hf":
        pytest.importorskip("torch", reason="needs torch: pip install '.[transformers]'")
        return f"hf:{request.getfixturevalue('smollm2')}"
    if importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec(demo.PACKAGE) is None:
        pytest.skip(f"needs the demo's model: {demo.INSTALL}")
    return "demo:base"


@pytest.fixture(name="reply", scope="module")
def reply_without_a_stop(spec: str) -> str:
    """What the model says first where nothing stops it."""
    said = held(spec).turns[0].reply
    assert said is not None
    assert len(said) > 40
    return said


def test_a_stop_string_that_spans_tokens_cuts_where_it_begins(spec: str, reply: str) -> None:
    """From the middle of one word to the middle of the next: no token is that text. The reply before it is whole."""
    blank = reply.index(" ", 20)
    stop = reply[blank - 2 : blank + 3]
    turn = held(spec, stop=(stop,)).turns[0]
    assert turn.reply == reply[: reply.index(stop)]
    assert (turn.status, turn.finish) == ("ok", "stop")


def test_a_stop_string_at_the_first_character_leaves_an_empty_reply(spec: str, reply: str) -> None:
    """And the conversation goes on; nothing of the stop string stays."""
    first, second = held(spec, stop=(reply[:6],)).turns
    assert (first.status, first.reply) == ("empty", "")
    assert second.reply is not None


def test_of_several_stop_strings_the_first_in_the_text_cuts(spec: str, reply: str) -> None:
    """Whatever their order in the list."""
    late, early = reply[30:36], reply[10:16]
    assert held(spec, stop=(late, early)).turns[0].reply == reply[: min(reply.index(late), reply.index(early))]


def test_the_beginning_of_a_stop_string_alone_stops_nothing(spec: str, reply: str) -> None:
    """What is held back while it might be one comes out when it is none."""
    almost = reply[8:14] + "\x7f"
    assert held(spec, stop=(almost,)).turns[0].reply == reply


def test_a_model_held_in_the_plain_form_does_not_play_the_user(spec: str) -> None:
    """Its stop strings work: no reply holds a line that begins with a label, and the reply is not cut off."""
    transcript = held(spec, template="plain", max_tokens=120)
    for turn in transcript.turns:
        assert turn.reply is not None
        assert "\nUser:" not in turn.reply
        assert "\nAssistant:" not in turn.reply
        assert "fallback_template" in turn.flags
    assert transcript.turns[0].prompt_delta == "User: Why do cats purr?\nAssistant:"


def test_a_label_inside_a_sentence_is_no_stop(spec: str) -> None:
    """``User:`` at the start of a line stops; in a sentence it is a word, and the reply stays whole."""
    ask = Conversation(id="form", turns=(Turn(text="Repeat after me: Type User: before the name."),))
    (turn,) = held(spec, ask, stop=("\nUser:",)).turns
    assert (turn.reply, turn.status, turn.flags) == ("Type User: before the name.", "ok", ())


def test_in_the_plain_form_a_reply_begins_with_its_first_word(spec: str) -> None:
    """Not with the blank behind the label; and the history is still what was generated, not encoded again."""
    first, second = held(spec, template="plain").turns
    assert first.reply is not None
    assert first.reply == first.reply.lstrip() != ""
    assert first.raw == f" {first.reply}"
    assert "reencoded" not in second.flags
