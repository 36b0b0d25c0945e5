"""The gap between a model's own history and golden history."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.by_hand import SAME_AS_BEFORE, says

from multiturn import api
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import UsageError
from multiturn.report.history import history_gap as table_of
from multiturn.run import Settings
from multiturn.store import open_store

SUITE = Suite(
    name="s",
    conversations=(
        Conversation(id="c", turns=(Turn(text="one", golden="two"), Turn(text="two", checks=(SAME_AS_BEFORE,)))),
        Conversation(id="d", turns=(Turn(text="one", golden="1"), Turn(text="two", checks=(says("two"),)))),
    ),
)


def held_both_ways(model: str, job: api.Job) -> tuple[api.RunRecord, api.RunRecord]:
    golden = msgspec.structs.replace(job, settings=Settings(history="golden"))
    return api.evaluate(model, golden).run, api.evaluate(model, job).run


def test_the_gap_is_own_less_golden_by_conversation(tmp_path: Path) -> None:
    """The echo passes ``c`` only after the golden reply; the one that repeats itself passes the same either way."""
    job = api.Job(suite=SUITE, store=tmp_path / "runs.db")
    base = held_both_ways("scripted:echo", job)
    tuned = held_both_ways("mutant:repeats_itself:scripted:echo", job)
    with open_store(job.store) as store:
        gap = api.history_gap(store, base, tuned)
        alone = api.history_gap(store, base)
        with pytest.raises(UsageError, match="history"):
            api.history_gap(store, (base[1], base[0]))
    assert [(one.base.value, one.tuned.value, one.difference.value) for one in gap.arms] == [
        (1.0, 0.5, -0.5),
        (0.5, 0.5, 0.0),
    ]
    assert gap.between is not None
    assert (gap.between.base.value, gap.between.tuned.value, gap.between.difference.value) == (-0.5, 0.0, 0.5)
    assert alone.between is None
    assert alone.arms == gap.arms[:1]
    table = table_of(gap)
    assert [row[0] for row in table.rows] == [*gap.models, "gap of tuned - gap of base"]
    assert table.rows[0][1:4] == ("2", "100.0%", "50.0%")
    assert "not a cause" in table.footnote


def test_a_suite_without_checks_has_no_gap(tmp_path: Path) -> None:
    """There is nothing that could pass."""
    bare = Suite(name="bare", conversations=(Conversation(id="a", turns=(Turn(text="x", golden="y"), Turn(text="z"))),))
    job = api.Job(suite=bare, store=tmp_path / "runs.db")
    runs = held_both_ways("scripted:echo", job)
    with open_store(job.store) as store, pytest.raises(UsageError, match="bare has no checks"):
        api.history_gap(store, runs)
