"""Fetching one file that a user names: by path, ``file://``, or ``http(s)://``. I/O; knows nothing of what is in it.

The standard library is enough here, and is loaded by every command already; engines, which ask thousands of times at
once, have their own.
"""

from __future__ import annotations

import time
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import IO, Final

from multiturn.errors import NotFound, UsageError

MOST_BYTES: Final = 64 * 1024 * 1024
SECONDS: Final = 60.0
NOT_FOUND: Final = 404
_AT_ONCE: Final = 256 * 1024
_HINT: Final = "fetch it by other means and name the file"


def fetch(source: str, *, most_bytes: int = MOST_BYTES, seconds: float = SECONDS) -> bytes:
    """All bytes of a file.

    Args:
        source: a path, or a URL of file, http or https; redirects are followed.
        most_bytes: a larger file is refused, whatever the server says of its size.
        seconds: for all of it, and for each wait on the server.

    Raises:
        NotFound: it is not there. UsageError: it can't be fetched, or is too large.
    """
    try:
        parts = urllib.parse.urlsplit(source)
    except ValueError as error:
        raise UsageError(f"{source} can't be read as a URL: {error}", hint="give a file, or a whole URL") from None
    if parts.scheme in ("http", "https") and parts.netloc:
        return _over_http(source, most_bytes, seconds)
    if parts.scheme == "file":
        return _from_disk(Path(urllib.request.url2pathname(parts.path)), source, most_bytes)
    if "://" in source:
        raise UsageError(f"{source}: {parts.scheme}:// can't be fetched", hint="give a file, or a URL of http or https")
    return _from_disk(Path(source), source, most_bytes)


def _from_disk(path: Path, source: str, most_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            return _all_of(file, source, most_bytes, None)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"there is no file {path}", hint="name the file, or its URL") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder", hint="name a file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the name
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise UsageError(f"{source!r} can't be read: {reason}", hint="check the file's name and rights") from None


def _over_http(url: str, most_bytes: int, seconds: float) -> bytes:
    asked = urllib.request.Request(url, headers={"User-Agent": "multiturn"})  # noqa: S310 - http or https, see above
    try:
        with urllib.request.urlopen(asked, timeout=seconds) as answer:  # noqa: S310 - as above
            data = _all_of(answer, url, most_bytes, time.monotonic() + seconds)
            _require_whole(data, answer.headers.get("Content-Length"))
            return data
    except urllib.error.HTTPError as error:
        error.close()
        kind = NotFound if error.code == NOT_FOUND else UsageError
        raise kind(f"{url} can't be fetched: {error.code} {error.reason}", hint=f"check the URL, or {_HINT}") from None
    except (OSError, HTTPException, ValueError) as error:  # URLError and timeouts are OSErrors; ValueError: no URL
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise UsageError(f"{url} can't be fetched: {reason or 'the connection broke'}", hint=_HINT) from None


def _require_whole(data: bytes, promised: str | None) -> None:
    """Raise ``ConnectionError`` where a server promised more; the library does not look when it reads by pieces."""
    if promised is not None and promised.isdecimal() and len(data) < int(promised):
        raise ConnectionError(f"it broke off after {len(data):,} of {int(promised):,} bytes")


def _all_of(file: IO[bytes], source: str, most_bytes: int, until: float | None) -> bytes:
    """Everything, piece by piece, so that neither a huge file nor a slow one is taken whole."""
    pieces: list[bytes] = []
    size = 0
    while piece := file.read(_AT_ONCE):
        pieces.append(piece)
        size += len(piece)
        if size > most_bytes:
            raise UsageError(f"{source} is larger than {most_bytes:,} bytes", hint="name the file that is meant")
        if until is not None and time.monotonic() > until:
            raise TimeoutError("it takes too long")
    return b"".join(pieces)
