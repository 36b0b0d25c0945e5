"""Opening a store: a path or a URL becomes a :class:`Store`, with its folder, its settings and its tables in place.

SQLite runs with ``synchronous=FULL`` and a write-ahead log (WAL): what a commit has acknowledged survives a killed
process and a power cut. WAL needs memory shared between processes, which network file systems do not give; there, and
wherever SQLite refuses WAL, a rollback journal is used with ``synchronous=EXTRA``, which is as safe and slower.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry

from multiturn.errors import MissingExtra, NotFound, StoreError
from multiturn.store.faults import translated
from multiturn.store.reading import Store
from multiturn.store.schema import MIGRATIONS, applied_migrations, migrate, refuse_newer
from multiturn.store.transactions import WRITES, writing

DEFAULT_STORE: Final = Path("outputs/multiturn.db")

BUSY_SECONDS: Final = 30.0
"""How long a statement waits for another process's transaction."""

NETWORK_FILE_SYSTEMS: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "beegfs", "ceph", "gpfs", "lustre", "pvfs2", "virtiofs"}
    | {"fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.rclone", "fuse.juicefs", "fuse.ceph-fuse"}
)
_DRIVERS: Final = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_PSYCOPG: Final = "pip install 'psycopg[binary]>=3.2'"


def open_store(where: str | Path | None = None, *, create: bool = True, busy_seconds: float = BUSY_SECONDS) -> Store:
    """Open a store, making it if it is not there.

    Args:
        where: A path, or a URL (``sqlite:///runs.db``, ``postgresql://user@host/name``); ``outputs/multiturn.db`` if
            None.
        create: Whether a file that is not there is made; who only wants to read is better told.
        busy_seconds: How long to wait for another process's transaction before giving up.

    Returns:
        The open store; close it, or use it in a ``with``.

    Raises:
        NotFound: It is not there, and is not to be made.
        StoreError: It can't be opened; the message says why and what to do.
        MissingExtra: The URL needs a driver that is not installed.
    """
    url = _url(where)
    path = _path(url)
    shown = str(path) if path is not None else _shown(url)
    if path is not None and not create and not path.exists() and (path.parent.is_dir() or not path.parent.exists()):
        raise NotFound(f"there is no store {shown} yet", hint="hold a run first, or name another: --store PATH")
    if path is not None:
        _prepare_folder(path, shown)
    engine = _engine(url, busy_seconds)
    try:
        with translated(shown):
            if path is not None:
                _set_up_sqlite(engine, path, busy_seconds)
            _bring_up_to_date(engine, shown)
    except BaseException:  # whatever it is, nothing half-made may stay
        engine.dispose()
        raise
    return Store(engine, path=path, where=shown)


def network_file_system(folder: Path, mounts: str) -> str | None:
    """The type of the network file system that a folder is on; None for a local one.

    Args:
        folder: An absolute path without symbolic links.
        mounts: What ``/proc/mounts`` says, or nothing where there is no such file.
    """
    best, kind = "", None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:  # noqa: PLR2004 - device, mount point, type
            continue
        point = fields[1].replace("\\040", " ").replace("\\011", "\t")
        if len(point) >= len(best) and folder.is_relative_to(point):
            best, kind = point, fields[2]
    return kind if kind in NETWORK_FILE_SYSTEMS else None


def _url(where: str | Path | None) -> URL:
    if where is None or isinstance(where, Path) or "://" not in where:
        text = str(where or DEFAULT_STORE)
        if text == ":memory:":
            raise _no_memory()
        return URL.create("sqlite", database=text)
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        scheme = where.partition("://")[0]  # the rest may hold a password
        raise StoreError(f"the store URL ({scheme}://...) can't be read", hint=_URL_HINT) from None
    if url.drivername in _DRIVERS:
        url = url.set(drivername=_DRIVERS[url.drivername])
    if url.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise StoreError(f"a store can't be kept in {url.drivername}", hint=_URL_HINT)
    if url.get_backend_name() == "sqlite" and (url.database or ":memory:") == ":memory:":
        raise _no_memory()
    return url


_URL_HINT: Final = "name a file, sqlite:///PATH, or postgresql://USER:PASSWORD@HOST/NAME (escape / and @ in a password)"


def _no_memory() -> StoreError:
    return StoreError("a store can't be kept in memory: what is committed must last", hint="name a file (--store PATH)")


def _shown(url: URL) -> str:
    """A URL as messages name it: without password, driver and query (which may hold a password too)."""
    return url.set(drivername=url.get_backend_name(), query={}).render_as_string(hide_password=True)


def _path(url: URL) -> Path | None:
    if url.get_backend_name() != "sqlite" or url.database is None:
        return None
    return Path(urlsplit(url.database).path if url.database.startswith("file:") else url.database)


def _prepare_folder(path: Path, where: str) -> None:
    with translated(where):
        if path.is_dir():
            raise StoreError(f"{where} is a folder", hint=f"name a file in it (--store {path / 'multiturn.db'})")
        path.parent.mkdir(parents=True, exist_ok=True)


def _engine(url: URL, busy_seconds: float) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": busy_seconds})
        event.listen(engine, "connect", _on_sqlite_connect)
        event.listen(engine, "begin", _on_sqlite_begin)
        return engine
    try:
        return create_engine(url, pool_pre_ping=True)
    except ImportError:
        raise MissingExtra("a PostgreSQL store needs the package psycopg", hint=_PSYCOPG) from None


def _on_sqlite_connect(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # transactions begin where we say, not where the driver guesses
    cursor = connection.cursor()
    try:
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA journal_mode")
        (journal,) = cursor.fetchone() or ("",)
        cursor.execute(f"PRAGMA synchronous={'FULL' if journal == 'wal' else 'EXTRA'}")
    finally:
        cursor.close()


def _on_sqlite_begin(connection: Connection) -> None:
    """A writer takes the write lock at once: one that read first could be refused it without a wait."""
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _set_up_sqlite(engine: Engine, path: Path, busy_seconds: float) -> None:
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        mounts = ""  # no Linux: SQLite itself says whether it can have a write-ahead log
    wanted = "DELETE" if network_file_system(path.parent.resolve(), mounts) else "WAL"
    connection = engine.raw_connection()
    try:
        journal = _journal(connection, "PRAGMA journal_mode", busy_seconds)
        if journal != wanted.lower():
            _journal(connection, f"PRAGMA journal_mode={wanted}", busy_seconds)
    finally:
        connection.invalidate()  # its settings were those of the former journal
        connection.close()


def _journal(connection: object, statement: str, busy_seconds: float) -> str:
    """Ask or change the journal mode; SQLite does not wait here by itself when two processes set up one file."""
    deadline = time.monotonic() + busy_seconds
    while True:
        cursor = connection.cursor()  # type: ignore[attr-defined]  # a pooled sqlite3 connection
        try:
            cursor.execute(statement)
            return str(cursor.fetchone()[0])
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname.startswith("SQLITE_READONLY"):
                return "as it is"  # a store that may only be read
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        finally:
            cursor.close()


def _bring_up_to_date(engine: Engine, where: str) -> None:
    with engine.connect() as connection:
        applied = applied_migrations(connection)
    refuse_newer(applied, where)
    if applied == {step.__name__ for step in MIGRATIONS}:
        return
    with writing(engine, where) as connection:
        migrate(connection, where)
