"""The files that a comparison leaves: where they go, and what is said of a place that can't be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from multiturn.errors import UsageError

DEFAULT_RESULTS: Final = Path("outputs/mtbench_results.json")
DEFAULT_PAGE: Final = Path("outputs/report.html")


class Files(msgspec.Struct, frozen=True, kw_only=True):
    """Where a comparison is written; None: nowhere."""

    results: Path | None
    page: Path | None

    def require_places(self) -> None:
        """Raise ``UsageError`` where a file can't be, before anything is held for it: a folder has its name, say."""
        for path, flag in ((self.results, "--results"), (self.page, "--report")):
            if path is not None:
                require_place(path, flag)


def require_place(path: Path, flag: str) -> None:
    """Raise ``UsageError`` where a file can't be: a folder has its name, or a file that of its folder."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder", hint=f"name a file: {flag} {path / 'FILE'}")
    above = next((one for one in path.parents if one.exists()), None)
    if above is not None and not above.is_dir():
        raise UsageError(f"{path} can't be written: {above} is a file", hint=f"name another place: {flag} PATH")


@contextmanager
def writing(path: Path, flag: str, kept: str) -> Iterator[None]:
    """Raise ``UsageError`` if what is written inside can't be; ``kept`` says what is not lost by that."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{path} can't be written: {error.strerror or error}", hint=f"name another file ({flag} PATH); {kept}"
        ) from None
