"""One process holds one run at a time.

On a file store a lease is a kernel lock on a small file beside the database, ``multiturn.db.<16 hex digits>.lock``,
one for each run; on PostgreSQL it is an advisory lock on a connection of its own. Either is freed by the system when
its holder ends, however it ends; what a killed process leaves is a file that nobody holds, and the next lease takes it.

The file lock is a POSIX record lock: a child process does not inherit it (so a server we started can't keep a run
taken), but it does not exclude within a process either, and closing any descriptor of the file drops it. Hence the
table of what this process holds, looked at before the file is opened. Where there is no ``fcntl`` (Windows) that table
is all there is: two processes are then not kept apart.
"""

from __future__ import annotations

import hashlib
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, text

from multiturn.errors import StoreError
from multiturn.store.faults import translated

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]  # None says: no kernel locks here

_held: Final[set[tuple[str, str]]] = set()
_guard: Final = threading.Lock()
_HOLDER_BYTES: Final = 300


def lease_file(database: Path, run_id: str) -> Path:
    """The lock file of a run, beside the database (the run's id need not be fit for a file name)."""
    return database.with_name(f"{database.name}.{hashlib.sha256(run_id.encode()).hexdigest()[:16]}.lock")


@contextmanager
def hold(engine: Engine, database: Path | None, where: str, run_id: str) -> Iterator[None]:
    """Hold a run; ``database`` is None where the store is no file.

    Raises:
        StoreError: Another process, or another part of this one, holds it; or no lock can be had.
    """
    key = (str(database.resolve()) if database else where, run_id)
    with _guard:
        if key in _held:
            raise _taken(run_id, f"this process (pid {os.getpid()})")
        _held.add(key)
    try:
        if database is None:
            with _advisory_lock(engine, where, run_id):
                yield
        elif fcntl is None:
            yield
        else:
            with _file_lock(lease_file(database, run_id), where, run_id):
                yield
    finally:
        with _guard:
            _held.discard(key)


@contextmanager
def _file_lock(path: Path, where: str, run_id: str) -> Iterator[None]:
    with translated(where):
        descriptor = _locked(path, run_id)
    try:
        yield
    finally:
        try:
            path.unlink(missing_ok=True)  # while it is still locked: who opened it meanwhile sees that it is gone
        finally:
            os.close(descriptor)


def _locked(path: Path, run_id: str) -> int:
    """An open, locked descriptor of the file that is at this path now."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(descriptor, path):
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"pid {os.getpid()} on host {socket.gethostname()}, run {run_id}\n".encode(), 0)
                return descriptor
        except (BlockingIOError, PermissionError):  # EAGAIN or EACCES, as the system likes
            holder = os.pread(descriptor, _HOLDER_BYTES, 0).decode(errors="replace").partition(", run ")[0]
            os.close(descriptor)
            raise _taken(run_id, f"another process ({holder})" if holder else "another process") from None
        except BaseException:  # also a cancellation
            os.close(descriptor)
            raise
        os.close(descriptor)  # the former holder removed it between our opening and our locking


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def _advisory_lock(engine: Engine, where: str, run_id: str) -> Iterator[None]:
    key = int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:8], signed=True)
    with translated(where):
        connection = engine.connect()
    with connection:
        with translated(where):
            connection.detach()  # its session is the lock, so it must not go back to the pool
            if not connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}).scalar_one():
                raise _taken(run_id, _advisory_holder(connection, key))
            connection.commit()
        yield


def _advisory_holder(connection: Connection, key: int) -> str:
    unsigned = key % 2**64
    row = connection.execute(
        text(
            "SELECT a.pid, a.client_addr FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
            "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 "
            "AND l.classid::bigint = :high AND l.objid::bigint = :low"
        ),
        {"high": unsigned >> 32, "low": unsigned & 0xFFFFFFFF},
    ).first()
    return "another process" if row is None else f"another process (server pid {row[0]}, host {row[1] or 'local'})"


def _taken(run_id: str, holder: str) -> StoreError:
    return StoreError(
        f"run {run_id} is being held by {holder}",
        hint="wait until it is done, or stop that process and resume",
    )
