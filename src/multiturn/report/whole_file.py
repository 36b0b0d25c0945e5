"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file beside ``path`` that takes its place when the block ends well, and is removed when it does not.

    What is no file but is there (a pipe, ``/dev/stdout``) is written to as it comes. Of a link, the file that it leads
    to is replaced.

    Raises:
        OSError: It can't be written; an older file is untouched.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:  # whatever it is, nothing half-made may stay
        part.unlink(missing_ok=True)
        raise
