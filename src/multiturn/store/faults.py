"""What can go wrong with a database or its folder, in words and with a next step: one table for the whole store.

Only faults of the environment are here. What is not in the table (a missing column, a wrong statement) is a programming
error and passes through unchanged.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from multiturn.errors import StoreError


class Fault(NamedTuple):
    """``message`` follows the store's name; ``hint`` is the next step."""

    message: str
    hint: str


_ELSEWHERE: Final = "or keep the store elsewhere (--store PATH)"
_FULL: Final = Fault("can't grow: the disk is full", f"free some space and resume, {_ELSEWHERE}")
_READ_ONLY: Final = Fault(
    "can't be written: the file, its folder or the file system is read-only", f"make it writable, {_ELSEWHERE}"
)
_NO_ACCESS: Final = Fault(
    "can't be opened: the file or its folder may not be read or written", f"look at the permissions, {_ELSEWHERE}"
)
_LOCKED: Final = Fault(
    "is locked by another process", f"wait until the other process is done (it may be copying the file), {_ELSEWHERE}"
)
_UNWRITTEN: Final = Fault(
    "could not be read or written (a quota, a limit on file size, or a failing disk)",
    f"look at the disk and at `ulimit -f`, then resume, {_ELSEWHERE}",
)
_NOT_OURS: Final = Fault("is not a database", "name another file (--store another.db); this one was left as it is")
_MALFORMED: Final = Fault(
    "is damaged",
    "move it and its -wal file away, save what can be read with `sqlite3 FILE .recover`, "
    "and go on with --store another.db",
)
_UNREACHED: Final = Fault("can't be reached", "look at host, port, user, password and database name in the --store URL")

FAULTS: Final[dict[str, Fault]] = {
    # SQLite, by the name of its result code; the longest name that the code begins with counts
    "SQLITE_FULL": _FULL,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_CANTOPEN": _NO_ACCESS,
    "SQLITE_PERM": _NO_ACCESS,
    "SQLITE_AUTH": _NO_ACCESS,
    "SQLITE_BUSY": _LOCKED,
    "SQLITE_LOCKED": _LOCKED,
    "SQLITE_PROTOCOL": _LOCKED,
    "SQLITE_IOERR": _UNWRITTEN,
    "SQLITE_NOLFS": _UNWRITTEN,
    "SQLITE_TOOBIG": Fault("can't hold so long a record", "lower --max-tokens"),
    "SQLITE_NOTADB": _NOT_OURS,
    "SQLITE_CORRUPT": _MALFORMED,
    # the operating system, while making folders, lock files and exports
    "EACCES": _NO_ACCESS,
    "EPERM": _NO_ACCESS,
    "EROFS": _READ_ONLY,
    "ENOSPC": _FULL,
    "EDQUOT": _FULL,
    "EFBIG": _UNWRITTEN,
    "EIO": _UNWRITTEN,
    "ENOENT": Fault("is not there, or its folder is not", "look at the path"),
    "EEXIST": Fault("can't be made: a part of its path is a file", "name another place (--store PATH)"),
    "ENOTDIR": Fault("can't be made: a part of its path is a file", "name another place (--store PATH)"),
    "EISDIR": Fault("is a folder", "name a file in it (--store FOLDER/multiturn.db)"),
    "ENAMETOOLONG": Fault("has too long a name", "name another place (--store PATH)"),
    "ENOLCK": Fault(
        "is on a file system that gives no locks", "keep the store on a local disk (--store PATH) and export from there"
    ),
    # PostgreSQL, by SQLSTATE or its class; the empty one is a connection that never was
    "PG": _UNREACHED,
    "PG08": _UNREACHED,
    "PG28": _UNREACHED,
    "PG3D": _UNREACHED,
    "PG57": _UNREACHED,
    "PG42501": Fault("may not be written by this user", "grant the user rights on the schema, or --store another"),
    "PG25006": _READ_ONLY,
    "PG53": _FULL,
    "PG53300": Fault("takes no more connections", "wait, or raise max_connections on the server"),
    "PG55P03": _LOCKED,
    "PG40": _LOCKED,
    "PG58": _UNWRITTEN,
    "PGXX001": _MALFORMED,
    "PGXX002": _MALFORMED,
}


def code_of(error: BaseException) -> str | None:
    """The name under which an error would stand in the table; None for what never does."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorname", None)
    if isinstance(error, OSError):
        return errno.errorcode.get(error.errno or 0)
    if type(error).__module__.partition(".")[0] == "psycopg":
        state = getattr(error, "sqlstate", None) or ""
        return f"PG{state}" if state or type(error).__name__ == "OperationalError" else None
    return None


def look_up(code: str | None) -> Fault | None:
    """The fault of a code: the entry with the longest name that the code begins with."""
    if code is None or code == "PG":
        return FAULTS.get(code or "")
    names = [name for name in FAULTS if code.startswith(name) and name != "PG"]
    return FAULTS[max(names, key=len)] if names else None


def translate(error: BaseException, where: str) -> StoreError | None:
    """The error in our words, or None if it is none of the environment's."""
    if isinstance(error, PoolTimeout):
        return StoreError(f"{where} is too busy: all connections are in use", hint="open fewer readers at once")
    origin = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    code = code_of(origin)
    fault = look_up(code)
    if fault is None:
        return None
    shown = "" if code == "PG" else f" [{code}]"
    return StoreError(f"{where} {fault.message}{shown}", hint=fault.hint)


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Database and file errors inside become ``StoreError``; others pass through unchanged.

    The original is not chained: its text can hold statements, contents and the place with its password.
    """
    try:
        yield
    except (DBAPIError, PoolTimeout, sqlite3.Error, OSError) as error:
        ours = translate(error, where)
        if ours is None:
            raise
        raise ours from None
