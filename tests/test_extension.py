"""One declared extension of a comparison: two looks at 2.5 % each, never a third."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from multiturn import api
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import UsageError
from multiturn.results import Plan

SUITE = Suite(
    name="s",
    conversations=tuple(
        Conversation(id=f"c{at}", turns=(Turn(text="a " * at + "hello"), Turn(text="and again"))) for at in range(6)
    ),
)


@pytest.fixture(name="folder")
def a_folder_with_a_terse_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "terse.json").write_text(json.dumps({"*": ["Hm.", "Hm."]}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def look(samples: int = 1, *, limit: int | None = None, extend: bool = True, primary: str = "words") -> api.Compared:
    job = api.Job(
        suite=SUITE,
        settings=api.Settings(samples=samples),
        store="runs.db",
        limit=limit,
        extend=extend,
        plan=Plan(primary=primary),
    )
    return api.compare("scripted:echo", "scripted:terse.json", job, results=None)


def said(compared: api.Compared, text: str) -> bool:
    return any(text in note for note in compared.comparison.notes)


@pytest.mark.usefixtures("folder")
def test_both_looks_are_held_to_two_and_a_half_percent() -> None:
    first, second = look(), look(samples=2)
    assert [one.comparison.plan.look for one in (first, second)] == [1, 2]
    for one in (first, second):
        assert one.comparison.plan.level == 0.975
        assert {contrast.difference.level for contrast in one.comparison.contrasts} == {0.975}
    assert said(first, "look 1 of 2")
    assert said(second, "look 2 of 2")


@pytest.mark.usefixtures("folder")
def test_intervals_of_an_extendable_comparison_are_wider() -> None:
    """That is the price of a second look."""

    def width(compared: api.Compared) -> float:
        (verdict,) = (one for one in compared.comparison.verdicts if one.role == "primary")
        difference = verdict.contrast.difference
        assert difference.low is not None
        assert difference.high is not None
        return difference.high - difference.low

    assert width(look()) > width(look(extend=False))


@pytest.mark.usefixtures("folder")
def test_more_of_the_suite_is_an_extension_too() -> None:
    assert look(limit=3).comparison.plan.look == 1
    assert look(limit=6).comparison.plan.look == 2


@pytest.mark.usefixtures("folder")
def test_the_same_look_once_more_is_the_same_look() -> None:
    """A repeated command reads what is stored; both looks can be read again after the second."""
    look()
    assert look().comparison.plan.look == 1
    look(samples=2)
    assert look().comparison.plan.look == 1
    assert look(samples=2).comparison.plan.look == 2


@pytest.mark.usefixtures("folder")
def test_a_third_look_is_refused_before_anything_is_held() -> None:
    look()
    look(samples=2)
    with api.open_store("runs.db") as store:
        before = len(store.runs())
    with pytest.raises(UsageError, match="extended once already"):
        look(samples=3)
    with api.open_store("runs.db") as store:
        assert len(store.runs()) == before


@pytest.mark.usefixtures("folder")
def test_an_extension_holds_more() -> None:
    look(samples=2)
    with pytest.raises(UsageError, match="as much or more") as refused:
        look(samples=1)
    assert "--samples" in refused.value.hint


@pytest.mark.usefixtures("folder")
def test_another_primary_measure_is_another_comparison() -> None:
    look()
    assert look(samples=2, primary="refusal").comparison.plan.look == 1


@pytest.mark.usefixtures("folder")
def test_a_first_look_after_a_plain_comparison_says_that_it_may_not_be_the_first() -> None:
    plain = look(extend=False)
    assert plain.comparison.plan.level == 0.95
    found = look(samples=2)
    assert found.comparison.plan.look == 1
    assert said(found, "this is not the first look")
    assert plain.base.run.id in next(note for note in found.comparison.notes if "not the first look" in note)


@pytest.mark.usefixtures("folder")
def test_looks_outlive_their_runs() -> None:
    """Deleting a run does not give the look back."""
    runs = [look(), look(samples=2)]
    with api.open_store("runs.db") as store:
        for compared in runs:
            store.delete_run(compared.base.run.id)
            store.delete_run(compared.tuned.run.id)
    with pytest.raises(UsageError, match="extended once already"):
        look(samples=3)
