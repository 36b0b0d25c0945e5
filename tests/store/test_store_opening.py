"""Opening: where a store may be, how it is set up, and what is said when it can't be had."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from multiturn.conversation import Suite
from multiturn.errors import MissingExtra, StoreError
from multiturn.store import Store, open_store, opening
from multiturn.store.faults import FAULTS, look_up, translate
from multiturn.store.opening import network_file_system

OTHER = Path(__file__).with_name("committing_process.py")


def pragma(store: Store, name: str) -> object:
    with store.engine.connect() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()


def test_the_default_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store() as store:
        assert store.where == "outputs/multiturn.db"
    assert (tmp_path / "outputs" / "multiturn.db").is_file()


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}"])
def test_a_path_and_a_url_name_the_same_file(tmp_path: Path, form: str) -> None:
    path = tmp_path / "new" / "folder" / "a b.db"
    with open_store(form.format(path)) as store:
        assert store.path == path
    assert path.is_file()


def test_settings_of_every_connection(tmp_path: Path) -> None:
    """WAL, synchronous FULL (2), foreign keys, a wait for locks: also on connections opened later."""
    with open_store(tmp_path / "s.db", busy_seconds=7) as store, store.engine.connect():
        settings = [pragma(store, name) for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")]
    assert settings == ["wal", 2, 1, 7000]


def test_a_rollback_journal_on_a_network_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for a file that had a write-ahead log before it was moved there."""
    with open_store(tmp_path / "s.db"):
        pass
    monkeypatch.setattr(opening, "network_file_system", lambda _folder, _mounts: "nfs4")
    with open_store(tmp_path / "s.db") as store:
        assert [pragma(store, name) for name in ("journal_mode", "synchronous")] == ["delete", 3]


def test_network_file_systems_are_known_by_their_mount() -> None:
    mounts = """\
/dev/sda / ext4 rw 0 0
nas:/x /home nfs4 rw 0 0
tmpfs /home/me/local tmpfs rw 0 0
//nas/y /mnt/my\\040share cifs rw 0 0
strange
"""
    places = ["/var/runs", "/home/me/runs", "/home/me/local/runs", "/homestead", "/mnt/my share/runs"]
    assert [network_file_system(Path(place), mounts) for place in places] == [None, "nfs4", None, None, "cifs"]
    assert network_file_system(Path("/home"), "") is None


def test_several_processes_make_one_store_at_once(tmp_path: Path) -> None:
    command = [sys.executable, str(OTHER), "open", str(tmp_path / "s.db")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[0] for process in processes] == ["done\n"] * 4


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder") as caught:
        open_store(tmp_path)
    assert str(tmp_path / "multiturn.db") in caught.value.hint


def test_a_file_in_the_way_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "outputs").write_text("a file")
    with pytest.raises(StoreError, match="a part of its path is a file"):
        open_store(tmp_path / "outputs" / "multiturn.db")


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Notes on a holiday. " * 100)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is not a database"):
        open_store(path)
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "places.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    with pytest.raises(StoreError, match=r"another program.*bookmarks"):
        open_store(path)


def test_a_damaged_store(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with open_store(path):
        pass
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged") as caught, open_store(path) as store:
        store.runs()
    assert ".recover" in caught.value.hint


def test_a_store_that_another_process_keeps_locked(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with open_store(path, busy_seconds=0.1) as store:
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute("BEGIN EXCLUSIVE")
            with pytest.raises(StoreError, match="is locked by another process"):
                store.delete_run("x")
        finally:
            connection.close()


@pytest.fixture(name="open_to_all")
def folder_open_to_all() -> Iterator[Path]:
    """A folder that an unprivileged user can reach (pytest's own are private)."""
    folder = Path(tempfile.mkdtemp(prefix="multiturn-store-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def opened_by_nobody(where: Path, spare: Path) -> str:
    """What a user without rights is told who opens this store."""
    command = [sys.executable, str(OTHER), "nobody", str(where), str(spare / "spare.db")]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("place", ["s.db", "deeper/s.db"])
def test_a_folder_that_may_not_be_written(open_to_all: Path, tmp_path: Path, place: str) -> None:
    open_to_all.chmod(0o555)
    said = opened_by_nobody(open_to_all / place, tmp_path)
    assert said.startswith(f"StoreError: {open_to_all / place} can't be opened")
    assert "next: look at the permissions" in said


def test_a_store_file_in_a_folder_that_may_not_be_written(open_to_all: Path, tmp_path: Path) -> None:
    with open_store(open_to_all / "s.db"):
        pass
    open_to_all.chmod(0o555)
    said = opened_by_nobody(open_to_all / "s.db", tmp_path)
    assert said.startswith("StoreError: ")
    assert "can't be written" in said or "can't be opened" in said


def test_a_folder_that_may_not_be_entered(open_to_all: Path, tmp_path: Path) -> None:
    (open_to_all / "private").mkdir(mode=0o700)
    if os.geteuid() != 0:  # then the folder is our own, and only no rights at all keep us out
        (open_to_all / "private").chmod(0o000)
    assert opened_by_nobody(open_to_all / "private" / "s.db", tmp_path).startswith("StoreError: ")


def test_a_store_opened_for_reading_only(tmp_path: Path, suite: Suite) -> None:
    """By a SQLite URL: what is there can be read, and a write says why it can't be."""
    with open_store(tmp_path / "s.db"):
        pass
    with open_store(f"sqlite:///file:{tmp_path / 's.db'}?mode=ro&uri=true") as store:
        assert store.runs() == ()
        with pytest.raises(StoreError, match="read-only"):
            store.save_suite(suite)


@pytest.mark.parametrize("where", [":memory:", "sqlite://", "sqlite:///:memory:"])
def test_memory_is_no_place_for_a_store(where: str) -> None:
    with pytest.raises(StoreError, match="in memory"):
        open_store(where)


@pytest.mark.parametrize(
    "where",
    ["mysql://me:s3cret@host/runs", "postgresql://me:s3cret@host:port/runs", "no-such-thing+x://me:s3cret@host/runs"],
)
def test_passwords_are_never_shown(where: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(where)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert "postgresql://USER" in caught.value.hint


def test_postgresql_without_psycopg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra) as caught:
        open_store("postgresql://me:s3cret@host/runs")
    assert caught.value.hint == "pip install 'psycopg[binary]>=3.2'"


def test_every_fault_has_a_next_step() -> None:
    assert all(fault.message and fault.hint for fault in FAULTS.values())


@pytest.mark.parametrize(
    ("code", "like"),
    [("SQLITE_READONLY_DIRECTORY", "SQLITE_READONLY"), ("PG53100", "PG53"), ("PG53300", "PG53300"), ("PG", "PG")],
)
def test_the_longest_name_counts(code: str, like: str) -> None:
    assert look_up(code) == FAULTS[like]


@pytest.mark.parametrize("code", [None, "SQLITE_ERROR", "SQLITE_CONSTRAINT_PRIMARYKEY", "PG23505", "PG42P01"])
def test_programming_errors_are_none_of_the_environment(code: str | None) -> None:
    assert look_up(code) is None


def test_the_operating_system_is_translated_by_the_same_table() -> None:
    fault = translate(OSError(28, "No space left on device"), "runs.db")
    assert fault is not None
    assert fault.message == "runs.db can't grow: the disk is full [ENOSPC]"


def test_importing_multiturn_loads_no_sqlalchemy() -> None:
    script = "import sys, multiturn; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
