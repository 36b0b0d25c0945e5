"""Two stored runs as a reader goes through them: the most changed conversation first, each read when it is its turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.by_hand import SAME_AS_BEFORE, says

from multiturn import api
from multiturn.conditions import RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import NotFound
from multiturn.store import Store, open_store
from multiturn.two_runs import TwoRuns

YES = (Turn(text="one"), Turn(text="two", checks=(says("yes"),)))
SUITE = Suite(name="s", conversations=tuple(Conversation(id=name, turns=YES) for name in "abcd"))
Hold = Callable[..., RunRecord]


@pytest.fixture(name="store")
def opened_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "runs.db") as store:
        yield store


@pytest.fixture(name="hold")
def holder(tmp_path: Path) -> Hold:
    """Hold the suite, or these conversations of it, with what is said in each."""

    def hold(name: str, says: dict[str, list[str]], *only: str, suite: Suite = SUITE, samples: int = 1) -> RunRecord:
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(says), encoding="utf-8")
        settings = api.Settings(samples=samples)
        job = api.Job(suite=suite, store=tmp_path / "runs.db", only=only, settings=settings)
        return api.evaluate(f"scripted:{path}", job).run

    return hold


def test_the_most_changed_conversation_comes_first(store: Store, hold: Hold) -> None:
    """Those that did not change come last, in the order of the suite; each says what changed."""
    base = hold("base", {"*": ["Well.", "yes"]})
    tuned = hold("tuned", {"*": ["Well.", "yes"], "c": ["Well.", "no"], "d": ["Well then.", "yes"]})
    found = list(TwoRuns(store, base, tuned).most_changed_first())
    assert [one.conversation.id for one in found] == ["c", "d", "a", "b"]
    changes = [one.change for one in found]
    comparison = api.compare_stored(store, base.id, tuned.id).comparison
    assert tuple(changes) == comparison.changes, "what a comparison says of each"
    assert changes[0] is not None
    assert changes[0].reasons[0] == "1 of 1 checks stopped passing"


def test_each_is_read_as_both_runs_held_it(store: Store, hold: Hold) -> None:
    """Every sample, with its signals and checks."""
    base, tuned = (hold(name, {"*": [name, "yes"]}, samples=2) for name in ("base", "tuned"))
    both = TwoRuns(store, base, tuned).read("b")
    for at, run in enumerate((base, tuned)):
        assert [pair[at] for pair in both.samples] == list(api.assessed(store, run, "b"))


def test_conversations_that_only_one_run_has_are_named(store: Store, hold: Hold) -> None:
    """They are no part of what both have; by its name one can be read all the same."""
    other = Suite(name="t", conversations=(*SUITE.conversations[:2], Conversation(id="z", turns=YES[:1])))
    base, tuned = hold("base", {"*": ["1", "2"]}), hold("tuned", {"*": ["1", "2"]}, suite=other)
    two = TwoRuns(store, base, tuned)
    assert (two.both, two.only) == (("a", "b"), (("c", "d"), ("z",)))
    assert [one.conversation.id for one in two.most_changed_first()] == ["a", "b"]
    only = two.read("z")
    assert (only.change, only.samples[0][0], len(only.samples)) == (None, None, 1)
    with pytest.raises(NotFound, match=r"nor run .* has a conversation 'y'") as told:
        two.read("y")
    assert told.value.hint == "they have: a, b, c, d, z"


def test_suites_that_ask_for_more_turns_are_compared_in_those_that_both_have(store: Store, hold: Hold) -> None:
    """After a replay, say, which goes on longer."""
    longer = Suite(name="t", conversations=(Conversation(id="a", turns=(*YES, Turn(text="three"))),))
    base = hold("base", {"*": ["1", "yes"]}, "a")
    tuned = hold("tuned", {"*": ["1", "no", "more"]}, suite=longer)
    (both,) = TwoRuns(store, base, tuned).most_changed_first()
    assert both.change is not None
    assert both.change.reasons[0] == "1 of 1 checks stopped passing"


def test_each_run_is_read_under_its_own_history(store: Store, tmp_path: Path) -> None:
    """With golden history a check that looks back looks at the golden replies."""
    turns = (Turn(text="one", golden="two"), Turn(text="two", checks=(SAME_AS_BEFORE,)))
    suite = Suite(name="g", conversations=(Conversation(id="a", turns=turns),))
    own, golden = (
        api.evaluate(
            "scripted:echo", api.Job(suite=suite, store=tmp_path / "runs.db", settings=api.Settings(history=history))
        ).run
        for history in ("self", "golden")
    )
    (pair,) = TwoRuns(store, own, golden).read("a").samples
    assert [one.checks[0].result.reason for one in pair if one is not None] == ["before: one", "before: two"]
