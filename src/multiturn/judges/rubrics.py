"""Finding rubrics: by the name of one that we ship, in a TOML file of ours, or in a file of FastChat's judge prompts.

:mod:`multiturn.judges.rubric_toml` and :mod:`multiturn.judges.fastchat_prompts` read what is found here.
"""

from __future__ import annotations

import difflib
import importlib.resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from multiturn.errors import NotFound, UsageError
from multiturn.judges.fastchat_prompts import parse_judge_prompts
from multiturn.judges.rubric_toml import parse_rubric

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from multiturn.rubric import Mode, Rubric

ENDING: Final = ".toml"
FASTCHAT_FILE: Final = "judge_prompts.jsonl"


def load_rubrics(source: str | Path) -> tuple[Rubric, ...]:
    """The rubrics under a shipped name or in a file; a file of that name comes first.

    A file of FastChat's judge prompts, or a folder (or its ``data/``) that holds one, has up to two: one for ratings,
    one for preferences. Any other has one.

    Raises:
        RubricError: the file has faults; all of them are told.
        NotFound: there is no such file and no such rubric.
        UsageError: the file can't be read.
    """
    if isinstance(source, str) and source in shipped_rubrics() and not Path(source).is_file():
        return (_shipped(source),)
    path = _file_of(Path(source))
    data = _read(path, source)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[{")):
        return parse_judge_prompts(data, str(path))
    return (parse_rubric(data, str(path), like=_shipped, names=shipped_rubrics()),)


def load_rubric(source: str | Path, mode: Mode | None = None) -> Rubric:
    """The one rubric under a name or in a file; of this mode, where one is named.

    Raises:
        UsageError: there is none of this mode, or there are two and no mode is named; else as :func:`load_rubrics`.
    """
    found = load_rubrics(source)
    fitting = [rubric for rubric in found if mode in (None, rubric.mode)]
    if len(fitting) == 1:
        return fitting[0]
    modes = " and ".join(rubric.mode for rubric in found)
    if mode is not None:
        others = [name for name in shipped_rubrics() if _shipped(name).mode == mode]
        raise UsageError(
            f"rubric {str(source)!r} is for mode {modes}, not {mode}",
            hint=f"take one for it: --rubric {' or '.join(others)}",
        )
    raise UsageError(f"{str(source)!r} holds rubrics for mode {modes}", hint=f"say which: {modes.replace('and', 'or')}")


def shipped_rubrics() -> tuple[str, ...]:
    """The names of the rubrics that come with the package."""
    return tuple(sorted(item.name.removesuffix(ENDING) for item in _folder().iterdir() if item.name.endswith(ENDING)))


def _shipped(name: str) -> Rubric:
    return parse_rubric(_folder().joinpath(name + ENDING).read_bytes(), name, like=_shipped, names=shipped_rubrics())


def _folder() -> Traversable:
    return importlib.resources.files("multiturn") / "data" / "rubrics"


def _file_of(path: Path) -> Path:
    """The file itself, or FastChat's in a folder."""
    inside = (path / FASTCHAT_FILE, path / "data" / FASTCHAT_FILE)
    return next((place for place in inside if place.is_file()), path)


def _read(path: Path, source: str | Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise _not_found(str(source), path) from None
    except IsADirectoryError:
        raise UsageError(
            f"{str(source)!r} is a directory without {FASTCHAT_FILE}", hint="name a .toml file in it"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the name
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise UsageError(f"{str(source)!r} can't be read: {reason}", hint="check the file's name and rights") from None


def _not_found(source: str, path: Path) -> NotFound:
    shipped = shipped_rubrics()
    try:
        beside = {item.name: str(item) for item in path.parent.iterdir() if item.suffix in (ENDING, ".jsonl")}
    except (OSError, ValueError):
        beside = {}
    near = difflib.get_close_matches(path.name, [*shipped, *beside], n=1)
    meant = f"did you mean {beside.get(near[0], near[0])!r}? " if near else ""
    return NotFound(
        f"no rubric file and no shipped rubric is called {source!r}",
        hint=f"{meant}Give a file, or a rubric that comes with multiturn: {', '.join(shipped)}",
    )
