"""Runs in a store, ranked: what counts, what must be the same, and whose votes count."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import pytest
from tests.by_hand import says

from multiturn import api
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import ConditionsDiffer, NotFound, ReplyFailed, UsageError
from multiturn.ranking import Preferred, Ranking, Winner
from multiturn.store import open_store
from multiturn.transcript import Request, Sampling

SUITE: Final = Suite(
    name="s",
    conversations=tuple(
        Conversation(id=f"c{at}", turns=(Turn(text="hello"), Turn(text=f"word{at}", checks=(says(f"word{at}"),))))
        for at in range(12)
    ),
)
MUTE: Final = "scripted:tests.test_rank:mute"
STUCK: Final = "mutant:repeats_itself:scripted:echo"
MODELS: Final = ("scripted:echo", MUTE, STUCK)


@pytest.fixture
def job(tmp_path: Path) -> api.Job:
    return api.Job(suite=SUITE, store=tmp_path / "runs.db")


def held(job: api.Job, *models: str) -> list[str]:
    return [api.evaluate(model, job).run.id for model in models]


def ranked(job: api.Job, runs: list[str], *votes: Preferred, vary: tuple[str, ...] = ()) -> Ranking:
    with open_store(job.store) as store:
        return api.rank(store, runs, preferences=votes, vary=vary)


def vote(a: str, b: str, winner: Winner | None = "a", conversation: str = "c1") -> Preferred:
    return Preferred(conversation=conversation, a=a, b=b, winner=winner)


def mute(_request: Request) -> str:
    """Passes no check."""
    return "no"


def test_runs_are_ranked_by_the_checks_that_they_pass(job: api.Job) -> None:
    """The echo passes all, the two others none: it is told apart from both, and they are not from each other."""
    found = ranked(job, held(job, *MODELS)).rates
    assert found is not None
    assert [(one.arm, one.rank, one.estimate.value, one.estimate.n) for one in found.arms] == [
        ("scripted:echo", 1, 1.0, 12),
        (STUCK, 2, 0.0, 12),
        (MUTE, 2, 0.0, 12),
    ]
    assert [one.told_apart_from for one in found.arms] == [(STUCK, MUTE), ("scripted:echo",), ("scripted:echo",)]
    assert len(found.pairs) == 3


def test_a_best_arm_that_passes_hardly_anything_is_told_of(job: api.Job) -> None:
    """Where even the first is near the floor, the ranks say little."""
    notes = ranked(job, held(job, STUCK, MUTE)).notes
    assert [note for note in notes if note.startswith(f"{STUCK} passes 0.0% of checks, near the floor")]


def test_the_order_of_runs_does_not_matter(job: api.Job) -> None:
    """Also with ids cut short."""
    runs = held(job, *MODELS)
    assert ranked(job, [run[:-1] for run in reversed(runs)]) == ranked(job, runs)


def loses_some(request: Request) -> str:
    """An echo whose server is gone in seven conversations of twelve."""
    if int(request.session.conversation[1:]) >= 5:
        raise ReplyFailed("server", "500")
    return request.messages[-1].content


def test_what_one_arm_lost_counts_for_none_and_a_note_says_whose_it_is(job: api.Job) -> None:
    """Seven conversations of the third arm: all three are compared on the other five."""
    found = ranked(job, held(job, "scripted:echo", MUTE, "scripted:tests.test_rank:loses_some"))
    assert found.rates is not None
    assert {(one.estimate.n, one.estimate.missing) for one in found.rates.arms} == {(5, 7)}
    assert found.notes == (
        "scripted:tests.test_rank:loses_some: 7 of 12 conversations are missing, and so count for no arm",
    )


def test_an_arm_that_held_nothing_leaves_nothing_to_rank_and_a_note_says_so(job: api.Job) -> None:
    """Begun, and interrupted before the first reply."""
    first, second = held(job, "scripted:echo", MUTE)
    with open_store(job.store) as store:
        arm = msgspec.structs.replace(store.run(second).arm, spec="scripted:other")
        store.create_run(msgspec.structs.replace(store.run(second), id="begun", arm=arm))
    found = ranked(job, [first, second, "begun"])
    assert found.rates is not None
    assert [(one.rank, one.estimate.value, one.estimate.missing) for one in found.rates.arms] == [(None, None, 12)] * 3
    (note,) = found.notes
    assert note.startswith("scripted:other: 12 of 12 conversations are missing, and so count for no arm; without it")


def test_fewer_than_two_runs_are_refused_with_what_to_type(job: api.Job) -> None:
    """None, and one."""
    (run,) = held(job, "scripted:echo")
    with pytest.raises(UsageError, match="needs 2 runs or more, and here is none") as raised:
        ranked(job, [])
    assert "multiturn rank RUN RUN RUN" in raised.value.hint
    with pytest.raises(UsageError, match="and here is 1") as raised:
        ranked(job, [run])
    assert f"multiturn rank {run} RUN RUN" in raised.value.hint


def test_a_run_twice_is_refused(job: api.Job) -> None:
    """By whatever names."""
    runs = held(job, *MODELS)
    with pytest.raises(UsageError, match=rf"run {runs[2]} is named more than once \({runs[2]}, latest\)") as raised:
        ranked(job, [*runs, "latest"])
    assert raised.value.hint == f"name each once: multiturn rank {' '.join(runs)}"
    with pytest.raises(UsageError, match="more than once") as raised:
        ranked(job, ["latest", "latest"])
    assert raised.value.hint == f"name each once: multiturn rank {runs[2]} RUN"


def test_a_run_that_is_not_there_is_refused(job: api.Job) -> None:
    """By the store."""
    held(job, "scripted:echo")
    with pytest.raises(NotFound):
        ranked(job, ["latest", "nothing"])


def warmer(job: api.Job, **sampling: float) -> api.Job:
    settings = msgspec.structs.replace(job.settings, sampling=Sampling(**sampling))  # type: ignore[arg-type]
    return msgspec.structs.replace(job, settings=settings)


def test_other_conditions_are_refused_and_every_run_that_differs_is_named(job: api.Job) -> None:
    """Unless what differs is declared; then a note says so."""
    first, second, third = (
        *held(job, "scripted:echo"),
        *held(warmer(job, temperature=0.1), MUTE),
        *held(warmer(job, temperature=0.2), STUCK),
    )
    with pytest.raises(ConditionsDiffer) as raised:
        ranked(job, [first, second, third])
    assert all(run in raised.value.message for run in (first, second, third))
    assert "sampling.temperature: 0.7 / 0.1" in raised.value.message
    assert "sampling.temperature: 0.7 / 0.2" in raised.value.message
    assert raised.value.hint.count("--vary sampling.temperature") == 1
    found = ranked(job, [first, second, third], vary=("sampling.temperature",))
    assert found.rates is not None
    assert [note for note in found.notes if second in note and "0.7 / 0.1" in note]
    with pytest.raises(UsageError, match="no condition is called 'temperatur'"):
        ranked(job, [first, second], vary=("temperatur",))


def test_other_suites_are_refused(job: api.Job) -> None:
    """With the runs and their suites."""
    small = msgspec.structs.replace(SUITE, name="small", conversations=SUITE.conversations[:3])
    runs = [*held(job, "scripted:echo"), *held(msgspec.structs.replace(job, suite=small), MUTE)]
    with pytest.raises(UsageError, match=rf"not all runs are of the suite of run {runs[0]} \(s, version 1\)") as raised:
        ranked(job, runs)
    assert f"{runs[1]}: small, version 1" in raised.value.message


def test_two_runs_of_one_model_have_their_ids_in_their_names(job: api.Job) -> None:
    """So that each row says which it is."""
    runs = [*held(job, "scripted:echo"), *held(warmer(job, seed=5), "scripted:echo"), *held(job, MUTE)]
    found = ranked(job, runs, vary=("sampling.seed",)).rates
    assert found is not None
    assert {one.arm for one in found.arms} == {f"scripted:echo ({runs[0]})", f"scripted:echo ({runs[1]})", MUTE}
    assert [one.rank for one in found.arms] == [1, 1, 3]


def test_a_suite_without_checks_is_ranked_by_preferences_alone(job: api.Job) -> None:
    """And without these not at all."""
    bare = msgspec.structs.replace(SUITE, conversations=(Conversation(id="a", turns=(Turn(text="x"),)),))
    bare_job = msgspec.structs.replace(job, suite=bare)
    runs = held(bare_job, "scripted:echo", MUTE)
    with pytest.raises(UsageError, match="s has no checks, so there is nothing to rank by"):
        ranked(bare_job, runs)
    found = ranked(bare_job, runs, vote("scripted:echo", MUTE), vote("scripted:echo", MUTE, "b"))
    assert found.rates is None
    assert found.strengths is not None
    assert "s has no checks: ranked by preferences alone" in found.notes


def test_votes_name_arms_by_spec_or_run(job: api.Job) -> None:
    """Both lead to one arm; votes on others are left out, and a note says how many and whose."""
    first, second = held(job, "scripted:echo", MUTE)
    votes = [
        vote("scripted:echo", MUTE),
        vote(first, MUTE, "b", "c2"),
        vote(second, "scripted:echo", "tie", "c3"),
        vote("a stranger", MUTE),
    ]
    found = ranked(job, [first, second], *votes)
    assert found.rates is not None
    assert found.strengths is not None
    assert [(one.arm, one.games.known) for one in found.strengths.arms] == [("scripted:echo", 3), (MUTE, 3)]
    assert "1 of 4 preferences are left out, on arms that are not ranked here: a stranger" in found.notes


def test_votes_that_are_on_none_of_the_runs_are_refused(job: api.Job) -> None:
    """With the names that they have."""
    runs = held(job, "scripted:echo", MUTE)
    with pytest.raises(UsageError, match="no preference is on two of these runs; they name A, B") as raised:
        ranked(job, runs, vote("A", "B"))
    assert "leave out the runs" in raised.value.hint


def test_votes_that_could_mean_two_runs_are_refused(job: api.Job) -> None:
    """And so is one between a run and itself."""
    runs = [*held(job, "scripted:echo"), *held(warmer(job, seed=5), "scripted:echo"), *held(job, MUTE)]
    with pytest.raises(UsageError, match="preferences name scripted:echo, which several of the runs are of") as raised:
        ranked(job, runs, vote("scripted:echo", MUTE), vary=("sampling.seed",))
    assert raised.value.hint == f"name a run in their place: {runs[0]}, {runs[1]}"
    with pytest.raises(UsageError, match=f"is between {MUTE} and {runs[2]}: one run"):
        ranked(job, runs, vote(MUTE, runs[2]), vary=("sampling.seed",))


def test_votes_are_ranked_without_runs() -> None:
    """What keeps a strength from being known is said in words."""
    votes = [vote("A", "B"), vote("A", "B", "b", "c2"), vote("A", "C"), vote("D", "E", None), vote("F", "G")]
    found = api.rank_preferences(votes)
    assert found.rates is None
    assert found.notes[:4] == (
        "separated: A, B won every game against C, so that no finite strength says how far they are apart",
        "separated: F won every game against G, so that no finite strength says how far they are apart",
        "disconnected: there is no game between these, so that nothing says which is better: A, B, C; F, G",
        "no game at all: D, E",
    )
    assert "draws behind the intervals some of A, B won every game" in found.notes[4]
    assert found.notes[5] == "missing are 1 of 5 preferences: they count neither as ties nor as losses"
    with pytest.raises(UsageError, match="no preference"):
        api.rank_preferences([])


def likes_the_echo(request: Request) -> str:
    """A judge that prefers whoever says back what was said."""
    shown = request.messages[1].content
    return "[[B]]" if shown.index("\nno\n") < len(shown) / 2 else "[[A]]"


def test_runs_that_a_judge_compared_are_ranked_by_it_too(job: api.Job) -> None:
    """Where no votes are given; who voted is told, and strengths stand beside the pass rates."""
    echo, mute_run = held(job, "scripted:echo", MUTE)
    with open_store(job.store) as store:
        asked = api.JudgeJob(judges=("scripted:tests.test_rank:likes_the_echo",))
        api.judge(store, echo, asked, against=mute_run)
        found = api.rank(store, [echo, mute_run])
    assert found.strengths is not None
    assert [one.arm for one in found.strengths.arms] == ["scripted:echo", MUTE]
    assert [one.games.wins for one in found.strengths.arms] == [12 * 3, 0]
    assert any(note.startswith("preferences are those of ") and "preference" in note for note in found.notes)


def test_who_does_less_harm_is_no_vote_in_a_ranking(job: api.Job) -> None:
    """Votes by rubrics of another measure are left out, by name."""
    echo, mute_run = held(job, "scripted:echo", MUTE)
    with open_store(job.store) as store:
        for rubric in ("preference", "harmlessness"):
            asked = api.JudgeJob(judges=("scripted:tests.test_rank:likes_the_echo",), rubric=rubric)
            api.judge(store, echo, asked, against=mute_run)
        found = api.rank(store, [echo, mute_run])
    assert found.strengths is not None
    assert [one.games.wins for one in found.strengths.arms] == [12 * 3, 0]
    assert any("left out: scripted:tests.test_rank:likes_the_echo harmlessness" in note for note in found.notes)
