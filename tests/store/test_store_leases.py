"""Leases: one process holds one run at a time, and a killed one holds nothing."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from multiturn.errors import StoreError
from multiturn.store import Store, leases, open_store
from multiturn.store.leases import lease_file

OTHER = Path(__file__).with_name("committing_process.py")


@contextmanager
def another_process_holds(store: Store, run_id: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(OTHER), "hold", str(store.path), run_id]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process


def test_a_run_held_by_another_process(store: Store) -> None:
    """The message names the holder; once it is done, the run is free and no file is left."""
    with another_process_holds(store, "run-1") as process:
        with (
            pytest.raises(StoreError, match="run run-1 is being held by another process") as caught,
            store.lease("run-1"),
        ):
            pass
        assert f"(pid {process.pid} on host {socket.gethostname()})" in caught.value.message
        assert caught.value.hint
    with store.lease("run-1"):
        pass
    assert store.path is not None
    assert list(store.path.parent.glob("*.lock")) == []


def test_other_runs_are_free(store: Store) -> None:
    with another_process_holds(store, "run-1"), store.lease("run-2"):
        pass


def test_a_killed_holder_holds_nothing(store: Store) -> None:
    """What it leaves is a file that nobody holds; the next lease takes it over."""
    with another_process_holds(store, "run-1") as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert store.path is not None
    assert lease_file(store.path, "run-1").exists()
    with store.lease("run-1"):
        pass


def test_within_one_process(store: Store, tmp_path: Path) -> None:
    """A second lease is refused, by another store object on the same file too, and does not free the first."""
    (tmp_path / "link.db").symlink_to(tmp_path / "runs.db")
    with store.lease("run-1"), open_store(tmp_path / "link.db") as again:
        for one in (store, again):
            with pytest.raises(StoreError, match=f"held by this process .pid {os.getpid()}"), one.lease("run-1"):
                pass
        command = [sys.executable, str(OTHER), "hold", str(store.path), "run-1"]
        said = subprocess.run(command, input="", capture_output=True, text=True, check=True).stdout
        assert "being held by another process" in said


def test_a_lease_ends_with_an_error_too(store: Store) -> None:
    with pytest.raises(OSError, match="mine"), store.lease("run-1"):
        raise OSError("mine")
    with store.lease("run-1"):
        pass


def test_a_holder_that_was_removed_from_under_us(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The former holder takes its file away between our opening and our locking: we try again with a new one."""
    looked: list[bool] = []

    def is_at(descriptor: int, path: Path) -> bool:
        if not looked:
            path.unlink()
        looked.append(original(descriptor, path))
        return looked[-1]

    original = leases._is_at  # noqa: SLF001 - the moment between two system calls can't be had otherwise
    monkeypatch.setattr(leases, "_is_at", is_at)
    with store.lease("run-1"):
        assert looked == [False, True]


def test_a_run_that_is_held_is_not_deleted(store: Store) -> None:
    with another_process_holds(store, "run-1"), pytest.raises(StoreError, match="being held"):
        store.delete_run("run-1")
    store.delete_run("run-1")
