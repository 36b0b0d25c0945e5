"""What is read of stored runs: transcripts with what is found in them, and pass rates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.by_hand import SAME_AS_BEFORE, says

from multiturn import api
from multiturn.conversation import CheckJson, Conversation, Suite, Turn
from multiturn.errors import NotFound
from multiturn.run import Settings
from multiturn.store import Store, open_store
from multiturn.transcript import Request

SUITE = Suite(
    name="s",
    conversations=(
        Conversation(id="c", turns=(Turn(text="one", golden="two"), Turn(text="two", checks=(SAME_AS_BEFORE,)))),
        Conversation(id="d", turns=(Turn(text="one", golden="1"), Turn(text="two", checks=(says("two"),)))),
    ),
)


@pytest.fixture(name="job")
def small_job(tmp_path: Path) -> api.Job:
    return api.Job(suite=SUITE, store=tmp_path / "runs.db")


@pytest.fixture(name="store")
def opened_store(job: api.Job) -> Iterator[Store]:
    with open_store(job.store) as store:
        yield store


def test_each_transcript_comes_with_its_signals_and_checks(job: api.Job, store: Store) -> None:
    """All of a run, or one of its conversations; the model says back what it hears, so it repeats nothing of its own."""
    held = api.evaluate("scripted:echo", job)
    found = list(api.assessed(store, held.run))
    assert [one.transcript.session.conversation for one in found] == ["c", "d"]
    assert [[check.result.outcome for check in one.checks] for one in found] == [["fail"], ["pass"]]
    assert all(one.signals for one in found)
    assert [one.transcript for one in found] == api.transcripts(store, held.run)
    assert list(api.assessed(store, held.run, "d")) == found[1:]
    with pytest.raises(NotFound, match="no conversation 'x'"):
        list(api.assessed(store, held.run, "x"))


def test_a_run_with_golden_history_is_read_with_it(job: api.Job, store: Store) -> None:
    """By everything that asks checks: what the model saw before its reply was the golden one."""
    golden = msgspec.structs.replace(job, settings=Settings(history="golden"))
    own, gold = (api.evaluate("scripted:echo", each) for each in (job, golden))
    rates = [api.pass_rates(store, held.run).rates[0].estimate.value for held in (own, gold)]
    assert rates == [0.5, 1]
    (first, _) = api.assessed(store, gold.run)
    assert first.checks[0].result.reason == "before: two"


def test_a_comparison_of_stored_runs_asks_their_checks(job: api.Job, store: Store) -> None:
    runs = [api.evaluate(f"scripted:{name}", job).run for name in ("echo", "tests.test_stored:changing")]
    comparison = api.compare_stored(store, runs[0].id, runs[1].id).comparison
    passed = next(one for one in comparison.contrasts if (one.measure, one.group) == ("check_pass", ("all", "")))
    assert (passed.base.value, passed.tuned.value) == (0.5, 0)
    assert [flip.conversation for change in comparison.changes for flip in change.flips] == ["d"]


def test_a_run_whose_checks_can_not_all_be_read_here_is_read_all_the_same(job: api.Job, store: Store) -> None:
    """Shown and compared without them, and a note says which and why."""
    strange = CheckJson(b'{"kind": "nowhere_to_be_found:Check"}')
    turns = (Turn(text="one"), Turn(text="two", checks=(strange, says("two"))))
    suite = Suite(name="s", conversations=(Conversation(id="c", turns=turns),))
    strangers = msgspec.structs.replace(job, suite=suite)
    runs = [api.evaluate(f"scripted:{name}", strangers).run for name in ("echo", "tests.test_stored:changing")]
    (found,) = api.assessed(store, runs[0])
    assert [check.result.outcome for check in found.checks] == ["not_applicable", "pass"]
    rates = api.pass_rates(store, runs[0])
    comparison = api.compare_stored(store, runs[0].id, runs[1].id).comparison
    assert rates.rates[0].estimate.value == 1
    for notes in (rates.notes, comparison.notes):
        (note,) = [note for note in notes if "can't be read" in note]
        assert note.startswith(
            "checks that can't be read here, and so do not count: 1 (kind 'nowhere_to_be_found:Check'"
        )


def changing(request: Request) -> str:
    """A script that never says the same twice, nor what it is asked for."""
    return f"reply {request.turn}"
