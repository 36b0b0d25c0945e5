"""Export and import: nothing lost, and a damaged file gives all that can be read of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from multiturn.conditions import RunRecord
from multiturn.conversation import Suite
from multiturn.errors import NotFound, StoreError
from multiturn.store import Store, export_run, import_run, open_store
from multiturn.transcript import Session, TurnRecord

MakeRun = Callable[..., RunRecord]


def ok(turn: int, reply: str) -> TurnRecord:
    return TurnRecord(turn=turn, user="hello", status="ok", reply=reply, token_ids=(1, 2))


@pytest.fixture(name="exported")
def whole_export(store: Store, tmp_path: Path) -> Path:
    """Four turns: lines 3 and 4 are zebra's, 5 apple's, 6 mango's."""
    turns = [
        ("mango", 0, "a\nb\u2028c\x85d"),
        ("zebra", 0, "\x00 \U0001f980"),
        ("apple", 0, ""),
        ("zebra", 1, "caf\u00e9"),
    ]

    async def hold() -> None:
        async with store.writer("run-1") as writer:
            for name, turn, reply in turns:
                await writer.commit(Session(name), ok(turn, reply))

    asyncio.run(hold())
    assert export_run(store, "run-1", tmp_path / "run.jsonl") == 4
    return tmp_path / "run.jsonl"


@pytest.fixture(name="fresh")
def fresh_store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "fresh.db") as opened:
        yield opened


def test_there_and_back_is_the_same_file(exported: Path, fresh: Store, store: Store, suite: Suite) -> None:
    imported = import_run(fresh, exported)
    assert (imported.run, imported.turns, imported.notices) == (store.run("run-1"), 4, ())
    assert fresh.suite(suite.digest) == suite
    assert list(fresh.transcripts("run-1")) == list(store.transcripts("run-1"))
    again = exported.with_name("again.jsonl")
    export_run(fresh, "run-1", again)
    assert again.read_bytes() == exported.read_bytes()


def test_what_the_lines_hold(exported: Path) -> None:
    """The run with the schema, the suite, then a line for each turn in the suite's order."""
    lines = [json.loads(line) for line in exported.read_bytes().split(b"\n")[:-1]]
    assert [sorted(line) for line in lines] == [["run", "schema"], ["suite"], *[["session", "turn"]] * 4]
    assert [line["session"]["conversation"] for line in lines[2:]] == ["zebra", "zebra", "apple", "mango"]


def test_an_export_replaces_a_file_whole_or_not_at_all(
    store: Store, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = exported.read_bytes()

    def broken(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", broken)
    with pytest.raises(StoreError, match="the disk is full"):
        export_run(store, "run-1", exported)
    assert exported.read_bytes() == before
    assert [path.name for path in exported.parent.glob("*.part")] == []
    assert [path.name for path in exported.parent.glob(".*")] == []


def test_an_export_into_a_folder_that_is_not_there(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not there, or its folder is not"):
        export_run(store, "run-1", tmp_path / "none" / "run.jsonl")


@pytest.mark.parametrize("cut", [1, 20, 120])
def test_a_torn_last_line(exported: Path, fresh: Store, cut: int) -> None:
    """Everything before it is kept; one notice says which line; what is exported from it parses line by line."""
    exported.write_bytes(exported.read_bytes()[:-cut].rstrip(b"}") if cut == 1 else exported.read_bytes()[:-cut])
    imported = import_run(fresh, exported)
    assert imported.turns == 3
    assert [notice.line for notice in imported.notices] == [6]
    assert "line 6 (the file ends inside it) is left out" in imported.notices[0].text
    assert fresh.progress("run-1") == {"ok": 3}
    export_run(fresh, "run-1", exported)
    assert [bool(json.loads(line)) for line in exported.read_bytes().splitlines()] == [True] * 5


def test_a_whole_last_line_without_its_line_end(exported: Path, fresh: Store) -> None:
    exported.write_bytes(exported.read_bytes()[:-1])
    imported = import_run(fresh, exported)
    assert (imported.turns, imported.notices) == (4, ())


def test_a_torn_line_in_the_middle(exported: Path, fresh: Store) -> None:
    """It is reported by its line; the rest is kept."""
    lines = exported.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3][:40] + b"\n"
    exported.write_bytes(b"".join(lines))
    imported = import_run(fresh, exported)
    assert (imported.turns, [notice.line for notice in imported.notices]) == (3, [4])
    assert "line 4 is left out" in imported.notices[0].text


def test_a_run_from_before_checks_comes_back_whole(
    tmp_path: Path, store: Store, fresh: Store, suite: Suite, make_run: MakeRun
) -> None:
    """Its digest is over all of the conversations; it is known, and the run can be read."""
    path = tmp_path / "old.jsonl"
    store.create_run(make_run("old"))
    export_run(store, "old", path)
    path.write_bytes(path.read_bytes().replace(suite.digest.encode(), suite.expectations.encode()))
    assert import_run(fresh, path).notices == ()
    assert fresh.suite(suite.expectations) == suite


def test_a_torn_suite_line(exported: Path, fresh: Store) -> None:
    """The turns are kept, in the order of their conversations' ids; the run can be exported again as it is."""
    lines = exported.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1][:40] + b"\n"
    exported.write_bytes(b"".join(lines))
    imported = import_run(fresh, exported)
    assert (imported.turns, [notice.line for notice in imported.notices]) == (4, [2])
    assert [item.session.conversation for item in fresh.transcripts("run-1")] == ["apple", "mango", "zebra"]
    assert export_run(fresh, "run-1", exported) == 4


def test_lines_of_another_kind_are_reported(exported: Path, fresh: Store, suite: Suite) -> None:
    """A turn for the second time, a line of nothing we know, another suite, bytes that are no UTF-8."""
    lines = exported.read_bytes().splitlines()
    lines += [lines[2], b"{}", lines[1].replace(b"eins", b"uno"), b'{"turn": "\xff"}', b"", b"[]"]
    exported.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines) + b"\r\n")
    imported = import_run(fresh, exported)
    assert (imported.turns, [notice.line for notice in imported.notices]) == (4, [7, 8, 9, 10, 12])
    assert fresh.suite(suite.digest) == suite


def test_a_run_is_imported_once(exported: Path, store: Store) -> None:
    with pytest.raises(StoreError, match="run run-1 is already in"):
        import_run(store, exported)


@pytest.mark.parametrize("content", [b"", b'{"schema":1,"ru', b"[]\n", b"notes\n"])
def test_a_file_without_a_run(tmp_path: Path, fresh: Store, content: bytes) -> None:
    (tmp_path / "bad.jsonl").write_bytes(content)
    with pytest.raises(NotFound, match=r"bad.jsonl, line 1: no run can be read here"):
        import_run(fresh, tmp_path / "bad.jsonl")


def test_a_file_whose_first_line_is_a_turn(exported: Path, fresh: Store) -> None:
    exported.write_bytes(b"\n".join(exported.read_bytes().splitlines()[2:]))
    with pytest.raises(NotFound, match="line 1: this is not the line of a run"):
        import_run(fresh, exported)


def test_a_file_of_a_newer_version(exported: Path, fresh: Store) -> None:
    exported.write_bytes(exported.read_bytes().replace(b'"schema":1', b'"schema":99', 1))
    with pytest.raises(StoreError, match="schema 99"):
        import_run(fresh, exported)
    assert fresh.runs() == ()


def test_a_file_that_is_not_there(tmp_path: Path, fresh: Store) -> None:
    with pytest.raises(NotFound, match="is not there"):
        import_run(fresh, tmp_path / "none.jsonl")


def test_an_import_is_all_or_nothing_for_the_store(
    exported: Path, fresh: Store, monkeypatch: pytest.MonkeyPatch, make_run: Callable[..., RunRecord]
) -> None:
    """Whatever goes wrong inside, the run is not half there."""
    assert make_run().id == "run-1"

    def broken(*_arguments: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("multiturn.store.portable.turn_row", broken)
    with pytest.raises(RuntimeError, match="broken"):
        import_run(fresh, exported)
    assert fresh.runs() == ()
