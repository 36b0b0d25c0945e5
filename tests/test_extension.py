"""One declared extension of a comparison: two looks at 2.5 % each, never a third."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, TypedDict, Unpack

import msgspec
import pytest

from multiturn import api
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import UsageError
from multiturn.results import Plan
from multiturn.transcript import Sampling

WORDS: Final = Plan(primary="words")
FALSE_ALARMS: Final = "false alarms are more frequent than is said"

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


class Asked(TypedDict, total=False):
    """What a look is asked for, where it is not the whole suite with seed 0."""

    suite: Suite
    limit: int
    only: tuple[str, ...]
    fresh: bool
    extend: bool
    plan: Plan
    seed: int
    base: str
    tuned: str


def look(samples: int = 1, **asked: Unpack[Asked]) -> api.Compared:
    sampling = Sampling(seed=asked.get("seed", 0))
    job = api.Job(
        suite=asked.get("suite", SUITE),
        settings=api.Settings(samples=samples, sampling=sampling),
        store="runs.db",
        limit=asked.get("limit"),
        only=asked.get("only", ()),
        fresh=asked.get("fresh", False),
        extend=asked.get("extend", True),
        plan=asked.get("plan", WORDS),
    )
    base, tuned = asked.get("base", "scripted:echo"), asked.get("tuned", "scripted:terse.json")
    return api.compare(base, tuned, job, results=None, page=None)


def stored_look(base: str, tuned: str, plan: Plan = WORDS) -> api.Compared:
    with api.open_store("runs.db") as store:
        return api.compare_stored(store, base, tuned, job=api.Job(extend=True, plan=plan))


def refused(match: str, samples: int = 1, **asked: Unpack[Asked]) -> str:
    """The hint with which a look is refused, before anything is held."""
    with api.open_store("runs.db") as store:
        before = {summary.run.id for summary in store.runs()}
    with pytest.raises(UsageError, match=match) as error:
        look(samples, **asked)
    with api.open_store("runs.db") as store:
        assert {summary.run.id for summary in store.runs()} == before
    return error.value.hint


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
    assert "another suite" in refused("extended once already", samples=3)


@pytest.mark.usefixtures("folder")
def test_an_extension_holds_as_many_samples() -> None:
    """More conversations, each with fewer samples, are not all of the first look and more."""
    look(samples=2, limit=3)
    assert "--samples 2" in refused("2 then, 1 now", samples=1)


@pytest.mark.usefixtures("folder")
def test_runs_drawn_anew_are_no_extension() -> None:
    """Fresh at equal size would be the first look once more, and luckier."""
    look()
    assert "leave out --fresh" in refused("--fresh would draw its replies once more", fresh=True)
    assert "leave out --fresh" in refused("--fresh would draw its replies once more", samples=2, fresh=True)


@pytest.mark.usefixtures("folder")
def test_other_runs_at_equal_size_are_not_looked_at_instead() -> None:
    """Where the same was held anew by a plain comparison, the look's own runs are shown again, and no others count."""
    first = look()
    other = look(extend=False, fresh=True)
    again = look()
    assert (again.base.run.id, again.tuned.run.id) == (first.base.run.id, first.tuned.run.id)
    assert again.comparison.plan.look == 1
    job = api.Job(extend=True, plan=WORDS)
    with api.open_store("runs.db") as store, pytest.raises(UsageError, match="at as much as this") as error:
        api.compare_stored(store, other.base.run.id, other.tuned.run.id, job=job)
    assert "--samples" in error.value.hint


@pytest.mark.usefixtures("folder")
def test_an_extension_has_all_conversations_of_the_first_look() -> None:
    look(only=("c0", "c1"))
    assert "--only" in refused("left out now, or ask something else: c0, c1", only=("c2", "c3", "c4"))
    assert look(only=("c0", "c1", "c4")).comparison.plan.look == 2


@pytest.mark.usefixtures("folder")
def test_a_few_more_samples_of_fewer_conversations_are_no_extension() -> None:
    """More replies in all, but not all of the first look's."""
    look()
    assert "--limit" in refused("ask something else: c3, c4, c5", samples=3, limit=3)


@pytest.mark.usefixtures("folder")
def test_a_conversation_that_asks_something_else_now_is_not_the_same() -> None:
    look(limit=3)
    changed = Conversation(id="c1", turns=(Turn(text="something else"), Turn(text="and again")))
    conversations = (SUITE.conversations[0], changed, *SUITE.conversations[2:])
    refused(r"ask something else: c1\n", suite=msgspec.structs.replace(SUITE, conversations=conversations))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("plan", "shown"),
    [
        (Plan(primary="refusal"), "--primary words then, --primary refusal now"),
        (Plan(primary="words", margins={"words": 0.5}), "--primary words then, --primary words --margin words=0.5 now"),
    ],
)
def test_a_look_at_another_plan_is_refused(plan: Plan, shown: str) -> None:
    """At the second look as at the first once more: whoever may choose the measure afterwards looks often."""
    look()
    assert "--primary words" in refused(shown, samples=2, plan=plan)
    refused(shown, plan=plan)


@pytest.mark.usefixtures("folder")
def test_a_margin_that_is_the_measures_own_is_the_same_plan() -> None:
    look()
    assert look(samples=2, plan=Plan(primary="words", margins={"words": 0.25})).comparison.plan.look == 2


@pytest.mark.usefixtures("folder")
def test_another_seed_is_no_first_look() -> None:
    look()
    assert "--seed 0" in refused("0 then, 7 now", samples=2, seed=7)
    assert "--seed 0" in refused("0 then, 7 now", seed=7)


@pytest.mark.usefixtures("folder")
def test_an_a_a_run_can_be_extended() -> None:
    """Its second run has another seed than its first, and keeps it."""
    first = look(tuned="scripted:echo")
    assert not said(first, FALSE_ALARMS), "its own two runs are not earlier ones"
    assert look(samples=2, tuned="scripted:echo").comparison.plan.look == 2
    assert look(tuned="scripted:echo").comparison.plan.look == 1
    refused("extended once already", samples=3, tuned="scripted:echo")


@pytest.mark.usefixtures("folder")
def test_another_seed_of_an_a_a_run_is_no_first_look() -> None:
    look(tuned="scripted:echo")
    assert "--seed 0" in refused("another seed", samples=2, seed=1, tuned="scripted:echo")


@pytest.mark.usefixtures("folder")
def test_a_plain_comparison_after_a_look_says_that_it_is_a_further_look() -> None:
    """Of the same size or of another, after one look or two; and stored runs too."""
    first = look()
    plain = look(extend=False)
    assert plain.comparison.plan.level == 0.95
    assert said(plain, "look 1 was taken at 2.5 %; at 5 %, without --extend, this is a further look")
    assert said(plain, FALSE_ALARMS)
    look(samples=2)
    assert said(look(samples=3, extend=False), "looks 1 and 2 were taken")
    with api.open_store("runs.db") as store:
        stored = api.compare_stored(store, first.base.run.id, first.tuned.run.id)
    assert said(stored, "looks 1 and 2 were taken")


@pytest.mark.usefixtures("folder")
def test_a_plain_comparison_that_was_never_declared_says_nothing_of_looks() -> None:
    """Nor does one of other models, or of another suite."""
    assert not said(look(extend=False), "look")
    look()
    assert not said(look(extend=False, tuned="scripted:echo"), "look")
    other = Suite(name="t", conversations=SUITE.conversations[3:])
    assert not said(look(extend=False, suite=other), "look")


@pytest.mark.usefixtures("folder")
def test_a_first_look_at_runs_that_were_there_says_that_it_may_not_be_the_first() -> None:
    """A plain comparison of the same size leaves the same runs; what is said of the look is kept with it."""
    look(extend=False)
    for _ in range(2):
        found = look()
        assert found.comparison.plan.look == 1
        assert said(found, "compared without --extend before, this is not the first look")
        assert said(found, FALSE_ALARMS)


@pytest.mark.usefixtures("folder")
def test_looks_at_runs_that_were_held_for_them_are_without_a_warning() -> None:
    """Shown again, they are so still; base may have been held before, for another tuned model."""
    look(extend=False, tuned="scripted:echo")
    for samples in (1, 1, 2, 2):
        assert not said(look(samples), FALSE_ALARMS)


@pytest.mark.usefixtures("folder")
def test_an_extension_at_runs_that_were_there_says_so() -> None:
    look()
    look(samples=2, extend=False)
    assert said(look(samples=2), "compared without --extend before, this is not the second look")


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


@pytest.mark.usefixtures("folder")
def test_without_the_runs_of_the_first_look_nothing_extends_it() -> None:
    """What it held is not known any more."""
    first = look()
    with api.open_store("runs.db") as store:
        store.delete_run(first.tuned.run.id)
    assert "multiturn import" in refused("were deleted", samples=2)
    refused("were deleted")


class Swapped(TypedDict):
    """The two arms, the other way round."""

    base: str
    tuned: str


SWAPPED: Final[Swapped] = {"base": "scripted:terse.json", "tuned": "scripted:echo"}


@pytest.mark.usefixtures("folder")
def test_swapped_arms_are_the_same_comparison() -> None:
    """Its differences are the same ones with the other sign, so that it gets no looks of its own."""
    first = look()
    swapped = look(**SWAPPED)
    assert (swapped.base.run.id, swapped.tuned.run.id) == (first.tuned.run.id, first.base.run.id)
    assert (swapped.comparison.plan.look, swapped.comparison.plan.level) == (1, 0.975)
    assert said(swapped, "look 1 of 2")
    second = look(samples=2, **SWAPPED)
    assert second.comparison.plan.look == 2
    assert stored_look(second.tuned.run.id, second.base.run.id).comparison.plan.look == 2
    refused("extended once already", samples=3, **SWAPPED)
    assert said(look(samples=2, extend=False, **SWAPPED), "looks 1 and 2 were taken")


@pytest.mark.usefixtures("folder")
def test_swapped_arms_extend_only_what_has_all_of_the_first_look() -> None:
    look(samples=2, limit=3)
    refused("2 then, 1 now", **SWAPPED)
    refused("0 then, 7 now", samples=2, seed=7, **SWAPPED)
    refused("--primary words then, --primary refusal now", samples=2, plan=Plan(primary="refusal"), **SWAPPED)


@pytest.mark.usefixtures("folder")
def test_swapped_runs_of_an_a_a_run_are_the_same_look() -> None:
    """Its two arms differ in the seed alone, which says which is which at the extension."""
    first = look(tuned="scripted:echo")
    assert stored_look(first.tuned.run.id, first.base.run.id).comparison.plan.look == 1
    second = look(samples=2, extend=False, tuned="scripted:echo")
    assert stored_look(second.tuned.run.id, second.base.run.id).comparison.plan.look == 2


@pytest.mark.usefixtures("folder")
def test_an_extension_tells_of_runs_between_the_looks() -> None:
    """Of another size than both; the first look's own runs are none of them."""
    first = look()
    between = look(samples=2, extend=False)
    second = look(samples=3)
    (told,) = (note for note in second.comparison.notes if "held part of this before" in note)
    assert "this is not the second look" in told
    assert FALSE_ALARMS in told
    for compared, named in ((between, True), (first, False), (second, False)):
        assert [one.run.id in told for one in (compared.base, compared.tuned)] == [named, named]
    assert not said(look(), "held part of this before"), "they came after the first look"


@pytest.mark.usefixtures("folder")
def test_what_was_said_of_the_first_look_is_said_again_after_the_extension() -> None:
    """Runs that were there before it stay earlier ones, though the extension looked at them since."""
    plain = look(samples=2, extend=False)
    for samples in (1, 2, 1):
        found = look(samples)
        told = [note for note in found.comparison.notes if "held part of this before" in note]
        assert [plain.tuned.run.id in note for note in told] == ([True] if samples == 1 else [])


@pytest.mark.usefixtures("folder")
def test_one_arm_that_was_held_before_could_not_be_looked_at() -> None:
    """Its smaller run, for another comparison, is no earlier look at this one; nor is an A/A run of it."""
    look(limit=3, extend=False, tuned="scripted:echo")
    assert not said(look(limit=4), FALSE_ALARMS)
    look(limit=5, extend=False, tuned="scripted:echo")
    assert not said(look(limit=6), FALSE_ALARMS)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("plan", [Plan(primary="nonsense"), Plan(margins={"nonsense": 0.1})])
def test_a_plan_that_names_no_measure_takes_no_look_at_stored_runs(plan: Plan) -> None:
    """What is wrong is said before the look is kept, which would bar any other plan."""
    held = look(extend=False)
    with pytest.raises(UsageError, match="nonsense"):
        stored_look(held.base.run.id, held.tuned.run.id, plan)
    assert not said(look(extend=False), "declared extendable")
    assert stored_look(held.base.run.id, held.tuned.run.id).comparison.plan.look == 1
