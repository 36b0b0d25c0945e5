"""Runs of a group over time: scripted versions of a model in a real store, held against a plain computation."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
import pytest
from scipy import stats
from tests.by_hand import says

from multiturn import api
from multiturn.conditions import RunRecord
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import NotFound, ReplyFailed, UsageError
from multiturn.results import Plan
from multiturn.run import Settings
from multiturn.store import Store, open_store
from multiturn.store.whole import keep_runs
from multiturn.transcript import Request, Sampling
from multiturn.trend import false_alarms, group_runs, trend

SIZE: Final = 20
SUITE: Final = Suite(
    name="small",
    version="2",
    conversations=tuple(
        Conversation(
            id=f"c{number:02d}",
            turns=(Turn(text="Remember: red, blue."), Turn(text="Which?", checks=(says("red"), says("blue")))),
        )
        for number in range(SIZE)
    ),
)
STRONG: Final = "bbbbbbbbbbbbbbbbbrrn"
LIKE_IT: Final = "rbbbbbbbbbbbbbbbbbbr"
WEAKER: Final = "brrrbnnrbrbnbrnrbnrn"
WEAKEST: Final = "nrnrnnrnbnrnnrnnrnrn"
"""What a version says in each conversation: ``b`` both colours, ``r`` one of them, ``n`` none."""
SAID: Final = {"b": "red and blue", "r": "only red", "n": "I forgot"}
SHARES: Final = {"b": 1.0, "r": 0.5, "n": 0.0}


class Holder:
    """Holds the suite and puts the run into the group ``bot``; any field of the job by name."""

    def __init__(self, folder: Path, store: Store) -> None:
        self._folder = folder
        self._job = api.Job(suite=SUITE, store=store.path, group="bot")

    def __call__(self, letters: str, **fields: object) -> RunRecord:
        """With a model that says what the letters stand for."""
        path = self._folder / f"{letters}.json"
        replies = {f"c{number:02d}": ["Noted.", SAID[letter]] for number, letter in enumerate(letters)}
        path.write_text(json.dumps(replies), encoding="utf-8")
        return self.evaluate(f"scripted:{path}", **fields)

    def evaluate(self, model: str | api.Arm, **fields: object) -> RunRecord:
        """With any model."""
        return api.evaluate(model, msgspec.structs.replace(self._job, **fields)).run


@pytest.fixture(name="store")
def opened_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "runs.db") as store:
        yield store


@pytest.fixture
def hold(tmp_path: Path, store: Store) -> Holder:
    return Holder(tmp_path, store)


def naive_holm(p_values: Sequence[float]) -> list[float]:
    """Each p value by its definition: the largest of what the smaller ones, and it itself, come to."""
    m = len(p_values)
    ordered = sorted(p_values)
    return [max(min(1.0, (m - rank) * q) for rank, q in enumerate(ordered) if q <= p) for p in p_values]


def test_numbers_are_those_of_a_plain_computation(store: Store, hold: Holder) -> None:
    """Student's paired test on shares written down by hand; the last two versions fall far enough to stand."""
    versions = (STRONG, LIKE_IT, WEAKER, WEAKEST)
    for letters in versions:
        hold(letters)
    found = trend(store, "bot")
    shares = [[SHARES[letter] for letter in letters] for letters in versions]
    assert [version.estimate.value for version in found.versions] == [statistics.fmean(one) for one in shares]
    for steps, pairs in ((found.before, [(0, 1), (1, 2), (2, 3)]), (found.first, [(0, 1), (0, 2), (0, 3)])):
        assert [(step.earlier, step.later) for step in steps] == pairs
        differences = [[b - a for a, b in zip(shares[i], shares[j], strict=True)] for i, j in pairs]
        p_values = [float(stats.ttest_1samp(one, 0).pvalue) for one in differences]
        for step, one, p, adjusted in zip(steps, differences, p_values, naive_holm(p_values), strict=True):
            difference, verdict = step.verdict.contrast.difference, step.verdict
            assert difference.value == pytest.approx(statistics.fmean(one))
            assert (difference.n, difference.missing) == (SIZE, 0)
            assert verdict.p == pytest.approx(p, rel=1e-9)
            assert verdict.adjusted_p == pytest.approx(adjusted, rel=1e-9)
    assert [step.verdict.word for step in found.before] == ["inconclusive", "regressed", "regressed"]
    assert [step.stands for step in found.before] == [None, True, True]


def test_a_step_says_what_a_comparison_of_the_two_runs_says(store: Store, hold: Holder) -> None:
    """Word, interval, margin, p value and advice; only the adjustment is the series' own."""
    for letters in (STRONG, WEAKER, LIKE_IT):
        hold(letters)
    found = trend(store, "bot")
    ids = [version.run.id for version in found.versions]
    for step in (*found.before, *found.first):
        compared = api.compare_stored(store, ids[step.earlier], ids[step.later]).comparison
        (verdict,) = (one for one in compared.verdicts if one.role == "primary")
        assert msgspec.structs.replace(step.verdict, adjusted_p=None) == verdict
        contrast = next(one for one in compared.contrasts if (one.measure, one.group[0]) == ("check_pass", "all"))
        assert found.versions[step.later].estimate == contrast.tuned


def test_a_fall_that_is_one_of_many_steps_does_not_stand(store: Store, hold: Holder) -> None:
    """Alone its p is 0.02; adjusted for four steps it is 0.08."""
    fallen = "bbbbbbbbbbbbnnnnnrrn"
    for letters in (STRONG, LIKE_IT, STRONG, STRONG, fallen):
        hold(letters, fresh=True)
    last = trend(store, "bot").before[-1]
    assert last.verdict.word == "regressed"
    assert last.verdict.p is not None
    assert 0.0125 < last.verdict.p < 0.05
    assert last.verdict.adjusted_p == pytest.approx(4 * last.verdict.p)
    assert last.stands is False


def test_runs_under_other_conditions_are_apart_with_both_values(store: Store, hold: Holder) -> None:
    """The newest run's conditions count, also where most runs have others; the other value comes second."""
    warm = hold(STRONG, settings=Settings(sampling=Sampling(temperature=0.2)))
    prompted = hold.evaluate(api.Arm(spec="scripted:echo", system="Be kind."))
    kept = [hold(STRONG), hold(WEAKER)]
    found = trend(store, "bot")
    assert [version.run for version in found.versions] == kept
    assert found.reference == kept[-1]
    assert [(one.run, one.reasons) for one in found.apart] == [
        (warm, ("sampling.temperature: 0.2 / 0.7",)),
        (prompted, ("system_prompt: 'Be kind.' / None",)),
    ]


def test_runs_of_another_suite_are_apart(store: Store, hold: Holder) -> None:
    """Told by the suites' names and versions, or that only their conversations differ."""
    newer = msgspec.structs.replace(SUITE, version="3", conversations=SUITE.conversations[1:])
    hold(STRONG)
    hold(STRONG, only=("c00", "c01"))
    hold(STRONG, suite=newer)
    whys = [one.reasons for one in trend(store, "bot").apart]
    assert whys == [("suite: small, version 2 / small, version 3",)] * 2
    hold(STRONG, suite=newer, limit=3)
    assert trend(store, "bot").apart[-1].reasons == (
        "suite: small, version 3 / small, version 3; their conversations differ",
    )


def losing(*lost: int) -> Callable[[Request], str]:
    """A model whose server fails in these conversations."""

    def reply(request: Request) -> str:
        if int(request.session.conversation[1:]) in lost and request.turn:
            raise ReplyFailed("server", "500")
        return "red and blue"

    return reply


loses_two = losing(3, 7)
loses_nine = losing(*range(9))


def test_incomplete_runs_are_apart_and_a_few_lost_turns_are_counted(store: Store, hold: Holder) -> None:
    """2 of 40 turns leave a run in the series, 9 do not; then it says how to go on with it."""
    hold(STRONG)
    few = hold.evaluate("scripted:tests.test_trend:loses_two")
    many = hold.evaluate("scripted:tests.test_trend:loses_nine")
    found = trend(store, "bot")
    assert [(version.run.id, version.estimate.n, version.estimate.missing) for version in found.versions[1:]] == [
        (few.id, 18, 2)
    ]
    (apart,) = found.apart
    assert apart.run == many
    assert apart.reasons[0].startswith("9 of 40 turns are missing; go on with it: multiturn run scripted:tests.")
    assert apart.reasons[0].endswith(f":loses_nine --resume {many.id}, with the same flags")
    assert found.before[0].verdict.contrast.difference.missing == 2
    assert found.before[0].verdict.filled is not None


def test_a_run_that_was_hardly_begun_is_incomplete(store: Store, hold: Holder) -> None:
    """Conversations that were never begun are missing turns too."""
    whole = hold(STRONG)
    begun = msgspec.structs.replace(whole, id="begun", created="2000-01-01T00:00:00+00:00")
    keep_runs(store, SUITE, [(begun, list(store.transcripts(whole.id))[:15])])
    store.add_to_group("begun", "bot")
    (apart,) = trend(store, "bot").apart
    assert apart.reasons[0].startswith("10 of 40 turns are missing")


def test_the_same_model_again_is_said(store: Store, hold: Holder) -> None:
    hold(STRONG)
    hold(WEAKER)
    hold(WEAKER, fresh=True)
    found = trend(store, "bot")
    assert [step.same_model for step in found.before] == [False, True]
    assert [step.same_model for step in found.first] == [False, False]
    assert found.before[1].verdict.contrast.difference.value == 0


def test_one_run_is_a_series_without_steps(store: Store, hold: Holder) -> None:
    """So is one that no other of the group can be compared with."""
    hold(STRONG, settings=Settings(samples=2))
    alone = trend(store, "bot")
    assert (len(alone.versions), alone.before, alone.first, alone.false_alarms) == (1, (), (), None)
    hold(STRONG)
    found = trend(store, "bot")
    assert len(found.versions) == len(found.apart) == 1
    assert found.apart[0].reasons == ("samples: 2 / 1",)


def test_a_group_of_broken_runs_has_no_series(store: Store, hold: Holder) -> None:
    hold.evaluate("scripted:tests.test_trend:loses_nine")
    found = trend(store, "bot")
    assert (found.versions, found.before, found.false_alarms) == ((), (), None)
    assert len(found.apart) == 1


def test_another_measure_is_followed(store: Store, hold: Holder) -> None:
    """Words have no better direction: they change, and a false alarm is either direction's."""
    hold("r" * 10 + "b" * 10)
    hold("b" * 20)
    found = trend(store, "bot", "words")
    assert [version.estimate.value for version in found.versions] == [1.75, 2.0]
    assert found.false_alarms is not None
    assert found.false_alarms.each == pytest.approx(0.05)
    moved = trend(store, "bot", "words", Plan(margins={"words": 0.01})).before[0]
    assert (moved.verdict.word, moved.stands) == ("changed", True)


def test_refusals_have_no_better_direction_where_the_suite_wants_some(store: Store, hold: Holder) -> None:
    """As in a comparison."""
    wanting = Suite(
        name="wants",
        conversations=tuple(
            Conversation(id=f"c{number:02d}", turns=(Turn(text="x", refusal_expected=number == 0), Turn(text="y")))
            for number in range(SIZE)
        ),
    )
    for letters in (STRONG, WEAKER):
        hold(letters, suite=wanting)
    assert trend(store, "bot", "refusal").before[0].verdict.contrast.orientation == "neither"
    assert trend(store, "bot", "refusal_unexpected").before[0].verdict.contrast.orientation == "lower_is_better"


def test_measures_that_can_not_be_followed(store: Store, hold: Holder) -> None:
    """One that there is not, with near names; and one that the suite has no turn for."""
    hold(STRONG)
    with pytest.raises(UsageError, match="no measure is called 'refusals'") as caught:
        trend(store, "bot", "refusals")
    assert "refusal" in caught.value.hint
    with pytest.raises(UsageError, match="no measure is called 'x'") as caught:
        trend(store, "bot", "x")
    assert "check_pass, turn_pass" in caught.value.hint
    with pytest.raises(UsageError, match="small has no turn that says whether a refusal is right"):
        trend(store, "bot", "refusal_missing")
    bare = Suite(name="bare", conversations=(Conversation(id="c00", turns=(Turn(text="x"),)),))
    hold(STRONG, suite=bare, group="bare")
    with pytest.raises(UsageError, match="bare has no checks") as caught:
        trend(store, "bare")
    assert "--measure words" in caught.value.hint


def test_unknown_groups(store: Store, hold: Holder) -> None:
    """Near names first, whatever their case; else those there are; else how to make one."""
    with pytest.raises(NotFound, match="there is no group 'bot': no run") as caught:
        trend(store, "bot")
    assert "multiturn group RUN NAME" in caught.value.hint
    hold(STRONG, group="Support-Bot")
    for number in range(9):
        store.add_to_group(store.run("latest").id, f"other {number}")
    with pytest.raises(NotFound, match="there is no group 'support-bt'") as caught:
        group_runs(store, "support-bt")
    assert caught.value.hint == "did you mean Support-Bot?"
    with pytest.raises(NotFound) as caught:
        group_runs(store, "zzz")
    assert caught.value.hint.startswith("groups: Support-Bot, other 0,")
    assert caught.value.hint.endswith("other 6 and 2 more")


def test_a_stored_run_that_is_used_again_is_put_into_the_group_too(store: Store, hold: Holder) -> None:
    """And of a comparison the tuned model's run alone."""
    first = hold(STRONG, group=None)
    assert store.groups() == {}
    assert hold(STRONG).id == first.id
    job = api.Job(suite=SUITE, store=store.path, group="bot")
    compared = api.compare("scripted:echo", first.arm.spec, job, results=None, page=None)
    assert compared.tuned.run.id == first.id
    assert [run.id for run in store.runs_in("bot")] == [first.id]


def test_a_job_with_an_impossible_group_is_refused_before_anything_is_held() -> None:
    with pytest.raises(UsageError, match="can't hold"):
        api.Job(group="a\nb")


def test_imported_runs_and_a_weak_first_version_are_noted(store: Store, hold: Holder) -> None:
    """That their conditions were the same is only assumed; who passes little can't lose much."""
    held = hold(WEAKEST, group=None)
    transcripts = list(store.transcripts(held.id))
    conditions = msgspec.structs.replace(held.conditions, sampling=None)
    for name in ("old", "new"):
        run = msgspec.structs.replace(held, id=name, conditions=conditions)
        keep_runs(store, SUITE, [(run, transcripts)])
        store.add_to_group(name, "bot")
    found = trend(store, "bot")
    assert len(found.versions) == 2
    assert not found.before[0].same_model  # nobody knows
    assert any("nobody knows how their replies were drawn" in note for note in found.notes)
    assert any(note.startswith("the first version passes") and "near the floor" in note for note in found.notes)


@pytest.mark.parametrize(
    ("steps", "expected", "at_least_one"), [(1, 0.025, 0.025), (4, 0.1, 0.0963), (19, 0.475, 0.3819)]
)
def test_false_alarms_to_expect(steps: int, expected: float, at_least_one: float) -> None:
    """Means add up; the chance of none is the product, for steps that have no run in common."""
    found = false_alarms(steps, 0.025)
    assert found.expected == pytest.approx(expected)
    assert found.any_if_apart == pytest.approx(at_least_one, abs=5e-5)
    assert found.any_if_apart == pytest.approx(1 - math.prod([0.975] * steps))
