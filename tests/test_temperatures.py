"""Temperatures by category: typed, held, recorded, and part of the conditions."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from multiturn import api
from multiturn.again import command_for
from multiturn.blocking import finish
from multiturn.codec import decode, encode
from multiturn.conditions import ByCategory, Conditions, differences
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import ConditionsDiffer, UsageError
from multiturn.results import Plan
from multiturn.temperatures import MTBENCH_TEMPERATURES, read_temperatures, typed_temperatures
from multiturn.transcript import Sampling

CONVERSATIONS = [
    {"id": "m", "category": "math", "turns": ["2+2?", "And 3?"]},
    {"id": "w", "category": "writing", "turns": ["Write."]},
    {"id": "n", "turns": ["Hello"]},
]


@pytest.fixture
def suite(tmp_path: Path) -> str:
    path = tmp_path / "s.json"
    path.write_text(json.dumps(CONVERSATIONS), encoding="utf-8")
    return str(path)


def held(tmp_path: Path, suite: str, **settings: object) -> tuple[api.Held, dict[str, list[float | None]]]:
    job = api.Job(suite=suite, store=str(tmp_path / "s.db"), settings=msgspec.convert(settings, api.Settings))
    found = api.evaluate("scripted:echo", job)
    with api.open_store(job.store) as store:
        drawn = {
            one.session.conversation: [record.temperature for record in one.turns]
            for one in api.transcripts(store, found.run)
        }
    return found, drawn


def test_mtbenchs_own_are_those_of_fastchat() -> None:
    """Creative tasks at 0.7, stem and humanities at 0.1, one right answer greedily."""
    assert read_temperatures(["mtbench"]) == {
        "writing": 0.7,
        "roleplay": 0.7,
        "reasoning": 0.0,
        "math": 0.0,
        "coding": 0.0,
        "extraction": 0.0,
        "stem": 0.1,
        "humanities": 0.1,
    }


def test_what_is_typed_later_counts_and_almost_nothing_is_greedy() -> None:
    """Below 1e-4 nothing is drawn."""
    assert read_temperatures(["mtbench", "math=0.5", "stem=0.00009"])["math"] == 0.5
    assert read_temperatures(["stem=0.00009"]) == {"stem": 0.0}
    assert read_temperatures([]) == {}


@pytest.mark.parametrize("words", [["mtbench"], ["math=0", "writing=0.7"], []])
def test_what_was_asked_for_can_be_typed_again(words: list[str]) -> None:
    assert read_temperatures(typed_temperatures(read_temperatures(words))) == read_temperatures(words)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("maths=1", "'maths=1' names no category"),
        ("math", "'math' names no category"),
        ("math=hot", "'hot' is no number"),
        ("math=11", "'11' is out of range: temperature must be from 0 to 10"),
        ("math=nan", "'nan' is out of range: temperature must be a finite number"),
    ],
)
def test_a_word_that_asks_for_nothing_is_refused_with_what_to_type(word: str, told: str) -> None:
    with pytest.raises(UsageError, match=r"--temperatures") as caught:
        read_temperatures([word])
    assert told in caught.value.message
    assert "--temperatures mtbench, or" in caught.value.hint


def test_each_conversation_is_drawn_at_the_temperature_of_its_category(tmp_path: Path, suite: str) -> None:
    """Every turn's record says at which; a conversation without a category has the sampling's."""
    found, drawn = held(tmp_path, suite, temperatures={"math": 0.0, "writing": 1.5}, sampling={"temperature": 0.4})
    assert drawn == {"m": [0.0, 0.0], "w": [1.5], "n": [0.4]}
    assert found.run.conditions.temperatures == {"math": 0.0, "writing": 1.5}


def test_where_all_are_drawn_alike_nothing_is_recorded(tmp_path: Path, suite: str) -> None:
    """Records of such runs are what they were before categories could have temperatures."""
    found, drawn = held(tmp_path, suite)
    assert drawn == {"m": [None, None], "w": [None], "n": [None]}
    assert b"by_category" not in encode(found.run)


CONDITIONS = Conditions(
    suite_digest="abc",
    sampling=Sampling(temperature=0.0),
    samples=1,
    history="self",
    overflow="stop",
    context_window=None,
    system=None,
    template="model",
    reproducible=True,
    identity={},
)


def by_category(**temperatures: float) -> Conditions:
    drawn = msgspec.convert({"temperatures": temperatures, "categories": "c"}, ByCategory)
    return msgspec.structs.replace(CONDITIONS, by_category=drawn)


def test_another_temperature_of_a_category_is_another_condition() -> None:
    """Named with both values; and other categories of the same conversations are another one too."""
    one, other = by_category(math=0.0, stem=0.1), by_category(math=0.5, stem=0.1)
    assert len({CONDITIONS.fingerprint, one.fingerprint, other.fingerprint}) == 3
    assert differences(one, other) == {"temperatures.math": (0.0, 0.5)}
    assert differences(CONDITIONS, one) == {
        "temperatures.math": (None, 0.0),
        "temperatures.stem": (None, 0.1),
        "categories": (None, "c"),
    }
    suites = [
        Suite(name="s", conversations=(Conversation(id="a", turns=(Turn(text="x"),), category=category),))
        for category in ("math", "stem")
    ]
    assert suites[0].digest == suites[1].digest
    assert suites[0].categories != suites[1].categories


def test_conditions_with_temperatures_come_back_from_the_store() -> None:
    one = by_category(math=0.0)
    assert decode(encode(one), Conditions) == one


def test_greedy_is_what_draws_in_no_category() -> None:
    assert CONDITIONS.greedy
    assert by_category(math=0.0).greedy
    assert not by_category(math=0.1).greedy


def test_a_run_is_not_compared_with_one_of_other_temperatures(tmp_path: Path, suite: str) -> None:
    """Unless the difference is declared."""
    runs = [held(tmp_path, suite, temperatures={"math": value})[0].run.id for value in (0.0, 0.5)]
    with api.open_store(str(tmp_path / "s.db")) as store:
        with pytest.raises(ConditionsDiffer, match=r"temperatures\.math: 0\.0 / 0\.5"):
            api.compare_stored(store, *runs)
        compared = api.compare_stored(store, *runs, vary=["temperatures.math"])
    assert "differs as declared: temperatures.math: 0.0 / 0.5" in compared.comparison.notes


def test_the_command_that_holds_a_run_again_has_its_temperatures(tmp_path: Path, suite: str) -> None:
    run = held(tmp_path, suite, temperatures=dict(MTBENCH_TEMPERATURES))[0].run
    with api.open_store(str(tmp_path / "s.db")) as store:
        kept = store.suite(run.conditions.suite_digest)
    shipped = msgspec.structs.replace(run, suite_name=suite.removesuffix(".json"))
    assert "--temperatures mtbench" in command_for([shipped], kept, Plan())


def test_a_replay_goes_on_at_the_temperature_of_the_category(tmp_path: Path, suite: str) -> None:
    run = held(tmp_path, suite, temperatures={"math": 0.3})[0].run

    async def chat() -> float | None:
        with api.open_store(str(tmp_path / "s.db")) as store:
            async with api.areplay(store, run.id, "m", 2) as replay:
                return (await replay.say("And 4?")).temperature

    assert finish(chat()) == 0.3
