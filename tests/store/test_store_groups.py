"""Groups of runs: a run is in as many as one likes, in their order, and they travel with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from multiturn.conditions import RunRecord
from multiturn.errors import NotFound, UsageError
from multiturn.store import Store, export_run, import_run, open_store

MakeRun = Callable[..., RunRecord]
OLDEST, NEWEST = "2026-01-01T00:00:00+00:00", "2026-03-01T00:00:00+00:00"


@pytest.fixture(name="other")
def other_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "other.db") as opened:
        yield opened


def test_runs_of_a_group_are_oldest_first_however_they_were_added(store: Store, make_run: MakeRun) -> None:
    """Two of one second are in the order of their ids; ``run-1`` is from between the others."""
    for run_id, created in (("new", NEWEST), ("old-b", OLDEST), ("old-a", OLDEST)):
        store.create_run(make_run(run_id, created=created))
        assert store.add_to_group(run_id, "bot")
    assert store.add_to_group("run-1", "bot")
    assert [run.id for run in store.runs_in("bot")] == ["old-a", "old-b", "run-1", "new"]
    assert store.runs_in("bot")[2] == store.run("run-1")


def test_a_run_is_in_a_group_once_and_in_several_groups(store: Store) -> None:
    assert [store.add_to_group("run-1", name) for name in ("b", "a", "b")] == [True, True, False]
    assert store.groups() == {"a": 1, "b": 1}
    assert store.groups_of("run-1") == ("a", "b")
    assert [summary.groups for summary in store.runs()] == [("a", "b")]


def test_groups_tell_upper_case_from_lower(store: Store) -> None:
    assert store.add_to_group("run-1", "Bot")
    assert (store.runs_in("bot"), store.remove_from_group("run-1", "bot")) == ((), False)
    assert store.groups() == {"Bot": 1}


def test_a_run_is_taken_out_of_one_group_and_stays_in_the_others(store: Store) -> None:
    """A group without runs is no more."""
    store.add_to_group("run-1", "a")
    store.add_to_group("run-1", "b")
    assert [store.remove_from_group("run-1", "a") for _ in range(2)] == [True, False]
    assert store.groups() == {"b": 1}
    assert store.runs_in("a") == ()


def test_a_deleted_run_takes_its_memberships_along(store: Store, make_run: MakeRun) -> None:
    store.create_run(make_run("run-2"))
    for run_id in ("run-1", "run-2"):
        store.add_to_group(run_id, "bot")
    store.delete_run("run-1")
    assert [run.id for run in store.runs_in("bot")] == ["run-2"]
    store.create_run(make_run("run-1"))  # of the same id, and of no group
    assert store.groups_of("run-1") == ()


def test_only_a_stored_run_can_be_in_a_group(store: Store) -> None:
    with pytest.raises(NotFound, match="run nobody is not in") as caught:
        store.add_to_group("nobody", "bot")
    assert store.where in str(caught.value)
    assert store.groups() == {}


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("x" * 101, "101 characters, 100 at most"),
        ("one\ntwo", r"can't hold '\\n'"),
        ("one\u2028two", r"can't hold '\\u2028'"),
        ("nul\0", r"can't hold '\\x00'"),
        ("half \ud800", r"can't hold '\\ud800'"),
        (" bot", "has spaces around it"),
    ],
)
def test_what_no_group_may_be_called(store: Store, name: str, fault: str) -> None:
    with pytest.raises(UsageError, match=fault) as caught:
        store.add_to_group("run-1", name)
    assert "--group" in caught.value.hint
    assert store.groups() == {}


@pytest.mark.parametrize("name", ["x", "x" * 100, "Kundendienst, März '26 \U0001f980", "100 %"])
def test_what_a_group_may_be_called(store: Store, name: str) -> None:
    store.add_to_group("run-1", name)
    assert store.groups() == {name: 1}
    assert [run.id for run in store.runs_in(name)] == ["run-1"]


def test_an_exported_run_comes_back_into_its_groups(store: Store, other: Store, tmp_path: Path) -> None:
    """The same file again, byte for byte."""
    path, again = tmp_path / "run.jsonl", tmp_path / "again.jsonl"
    for name in ("bot", "a b"):
        store.add_to_group("run-1", name)
    export_run(store, "run-1", path)
    assert import_run(other, path).notices == ()
    assert other.groups_of("run-1") == ("a b", "bot")
    export_run(other, "run-1", again)
    assert again.read_bytes() == path.read_bytes()


def test_an_export_without_groups_is_as_it_was_before_there_were_any(
    store: Store, other: Store, tmp_path: Path
) -> None:
    """So an older file is one too, and is taken in."""
    path = tmp_path / "run.jsonl"
    export_run(store, "run-1", path)
    assert sorted(json.loads(path.read_bytes().splitlines()[0])) == ["run", "schema"]
    assert import_run(other, path).notices == ()
    assert other.groups() == {}


def test_an_imported_group_with_an_impossible_name_is_left_out_and_told(
    store: Store, other: Store, tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"
    store.add_to_group("run-1", "bot")
    store.add_to_group("run-1", "good")
    export_run(store, "run-1", path)
    path.write_bytes(path.read_bytes().replace(b'"bot"', b'"b\\not"'))
    (notice,) = import_run(other, path).notices
    assert notice.line == 1
    assert "a group is left out: a group's name can't hold '\\n'" in notice.text
    assert other.groups_of("run-1") == ("good",)
