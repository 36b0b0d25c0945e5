"""Reports from Python: the same forms as the command's, and which conversations are read first."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest

from multiturn import api
from multiturn.cli import reporting as command
from multiturn.errors import UsageError
from multiturn.finding import FAILS_AS_REFUSAL
from multiturn.reporting import Form, dossier_of

TURN: Final = {"text": "Cake?", "checks": [{"kind": "says", "any": ["cake*"]}, {"kind": "says", "any": ["plum*"]}]}
SUITE: Final = [{"id": name, "turns": [TURN]} for name in ("a", "b", "c", "d", "e")]
BOTH: Final = "plum cake"
REPLIES: Final[dict[str, dict[str, str]]] = {
    "base": {"a": BOTH, "b": "cake", "c": BOTH, "d": BOTH, "e": "no"},
    "tuned": {"a": BOTH, "b": "plum", "c": "cake", "d": "pie and a great many other words", "e": BOTH},
    "better": dict.fromkeys("abcde", BOTH),
}
"""From base to tuned: ``a`` is the same, ``b`` loses and wins, ``c`` loses one, ``d`` loses two, ``e`` wins two."""


@pytest.fixture(name="store")
def held_store(tmp_path: Path) -> Iterator[api.Store]:
    """A store with a run of each of the models, in this order: base, tuned, better."""
    (tmp_path / "cakes.json").write_text(json.dumps(SUITE), encoding="utf-8")
    job = api.Job(suite=tmp_path / "cakes.json", store=tmp_path / "runs.db")
    for name, replies in REPLIES.items():
        table = {conversation: [reply] for conversation, reply in replies.items()}
        (tmp_path / f"{name}.json").write_text(json.dumps(table), encoding="utf-8")
        api.evaluate(f"scripted:{tmp_path}/{name}.json", job)
    with api.open_store(job.store) as store:
        yield store


def ids(store: api.Store) -> list[str]:
    """The runs, oldest first."""
    return [one.run.id for one in reversed(store.runs())]


def test_the_command_and_python_know_the_same_forms() -> None:
    assert set(get_args(command.Form)) == set(get_args(Form))
    assert set(command.ENDINGS.values()) == set(get_args(Form)) - {"card"}


@pytest.mark.parametrize("form", [one for one in get_args(Form) if one != "parquet"])
def test_a_file_and_a_path_get_the_same(store: api.Store, tmp_path: Path, form: Form) -> None:
    base, tuned, _ = ids(store)
    file = io.BytesIO()
    api.write_report(store, [base, tuned], file, form=form)
    api.write_report(store, [base, tuned], tmp_path / "new" / "report", form=form)
    assert (tmp_path / "new" / "report").read_bytes() == file.getvalue()
    assert file.getvalue()


def test_without_a_run_there_is_nothing_to_report(store: api.Store) -> None:
    with pytest.raises(UsageError, match="no run is named"):
        api.write_report(store, [], io.BytesIO())


def test_runs_are_a_list_of_ids(store: api.Store) -> None:
    """A single text would be read letter by letter; the hint is what to type."""
    (run, *_) = ids(store)
    with pytest.raises(UsageError, match=rf"next: give \['{run}'\]"):
        api.report_of(store, run)
    with pytest.raises(UsageError, match=r"not by a RunRecord\n  next: give \[run\.id"):
        api.report_of(store, [store.run(run)])  # type: ignore[list-item]


def test_a_form_that_there_is_not_names_those_that_are(store: api.Store, tmp_path: Path) -> None:
    """And no file is left behind."""
    with pytest.raises(UsageError, match=r"called 'pdf'\n  next: one of: html, markdown, card, json"):
        api.write_report(store, ids(store)[:1], tmp_path / "x.pdf", form="pdf")  # type: ignore[arg-type]
    assert not (tmp_path / "x.pdf").exists()


@pytest.mark.parametrize("to", [io.StringIO(), None, 7])
def test_what_takes_no_bytes_is_refused(store: api.Store, to: Any) -> None:  # noqa: ANN401 - whatever someone gives
    with pytest.raises(UsageError, match=rf"not into a {type(to).__name__}\n  next: give a path"):
        api.write_report(store, ids(store)[:1], to)


def test_what_is_read_first_is_what_the_page_has(store: api.Store) -> None:
    """What a sound reply lost, the most first; then what a poor one did. What is the same is not there."""
    base, tuned, _ = ids(store)
    dossier = dossier_of(api.report_of(store, [base, tuned]))
    assert [one.conversation for one in dossier.read] == ["d", "c", "b"]
    assert [one.text for one in dossier.read[0].replies] == [BOTH, REPLIES["tuned"]["d"]]
    file = io.BytesIO()
    api.write_report(store, [base, tuned], file)
    page = file.getvalue().decode()
    places = [page.index(f">{one.conversation}, turn 1</a></h3>") for one in dossier.read]
    assert places == sorted(places)


def test_where_all_is_better_what_was_won_is_read_first(store: api.Store) -> None:
    """And nothing else, since nothing else changed."""
    _, tuned, better = ids(store)
    dossier = dossier_of(api.report_of(store, [tuned, better]))
    assert {one.conversation for one in dossier.read} == {"b", "c", "d"}
    assert dossier.read[0].conversation == "d"


def test_of_several_runs_each_conversation_is_told_once(store: api.Store) -> None:
    """With the replies of all of them."""
    dossier = dossier_of(api.report_of(store, ids(store)))
    assert len({one.conversation for one in dossier.read}) == len(dossier.read) == 3
    assert all(len(one.replies) == 3 for one in dossier.read)
    assert dossier.ranking is not None
    assert len(dossier.comparisons) == 2


def test_one_run_names_the_checks_that_it_fails(store: api.Store) -> None:
    """The first ones with their words, and how many there are."""
    dossier = dossier_of(api.report_of(store, [ids(store)[1]]))
    assert dossier.failing == 4
    assert [(one.conversation, one.turn, one.what) for one in dossier.failed] == [
        ("b", 0, "not: says 'cake*'"),
        ("c", 0, "not: says 'plum*'"),
        ("d", 0, "not: says 'cake*'"),
        ("d", 0, "not: says 'plum*'"),
    ]
    assert dossier.read == ()


def test_a_check_that_a_refusal_fails_is_told_as_one(tmp_path: Path) -> None:
    """What its failing would mean did not happen."""
    turn = {"text": "Cake?", "checks": [{"kind": "says", "any": ["cake*"], "why": "forgets the cake"}]}
    (tmp_path / "one.json").write_text(json.dumps([{"id": "a", "turns": [turn]}]), encoding="utf-8")
    (tmp_path / "m.json").write_text(json.dumps({"a": ["I'm sorry, but I can't help with that."]}), encoding="utf-8")
    job = api.Job(suite=tmp_path / "one.json", store=tmp_path / "runs.db")
    held = api.evaluate(f"scripted:{tmp_path}/m.json", job)
    with api.open_store(job.store) as opened:
        (failed,) = dossier_of(api.report_of(opened, [held.run.id])).failed
    assert failed.what == FAILS_AS_REFUSAL


def test_a_place_that_can_not_be_written_loses_nothing(store: api.Store, tmp_path: Path) -> None:
    """A folder of that name is told before anything is read; an older file stays where the runs can't be compared."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        api.write_report(store, ids(store)[:1], tmp_path / "folder")
    older = tmp_path / "older.md"
    older.write_text("older", encoding="utf-8")
    with pytest.raises(UsageError):
        api.write_report(store, ids(store), older, form="card")
    assert older.read_text(encoding="utf-8") == "older"
    assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith(".")) == []
