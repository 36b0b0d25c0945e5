"""FastChat's files on the disk: found in folders, known by their content. I/O; knows no store.

A folder may be FastChat's own (``question.jsonl``, ``model_answer/``, ``model_judgment/``, ``reference_answer/``) or
any other that has such files somewhere in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from multiturn.errors import NotFound, UsageError
from multiturn.fastchat.rows import FileKind, kind_of_file

REFERENCES: Final = "reference_answer"
USUAL_REFERENCES: Final = "gpt-4.jsonl"
"""Of several files of references FastChat's judges take this one."""
ENDING: Final = ".jsonl"
_SHOWN: Final = 5


class FoundFile(msgspec.Struct, frozen=True, kw_only=True):
    """One of FastChat's files; ``references`` where it holds reference answers."""

    path: Path
    kind: FileKind
    data: bytes
    references: bool = False

    @property
    def name(self) -> str:
        """Its name without the ending: the model's, where it holds answers."""
        return self.path.name.removesuffix(ENDING)


class FoundFiles(msgspec.Struct, frozen=True, kw_only=True):
    """All files that were found, in the order of their paths; ``others`` are none of FastChat's."""

    files: tuple[FoundFile, ...]
    others: tuple[Path, ...] = ()

    def of(self, *kinds: FileKind) -> tuple[FoundFile, ...]:
        """The files of these kinds; references are no answers."""
        return tuple(file for file in self.files if file.kind in kinds and not file.references)

    @property
    def references(self) -> tuple[FoundFile, ...]:
        """The files of reference answers."""
        return tuple(file for file in self.files if file.references)


def find_files(paths: Iterable[Path]) -> FoundFiles:
    """All of FastChat's files that these paths name or hold.

    Raises:
        NotFound: nothing is there under a name.
        UsageError: a file can't be read, or a file that is named is none of FastChat's.
    """
    files: list[FoundFile] = []
    others: list[Path] = []
    for path in dict.fromkeys(one for named in paths for one in _inside(named)):
        data = read_bytes(path)
        kind = kind_of_file(data)
        if kind is None:
            others.append(path)
        else:
            references = kind == "answers" and path.parent.name == REFERENCES
            files.append(FoundFile(path=path, kind=kind, data=data, references=references))
    return FoundFiles(files=tuple(files), others=tuple(others))


def some(files: Sequence[FoundFile]) -> str:
    """The first of these files by name."""
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return ", ".join(str(file.path) for file in files[:_SHOWN]) + more


def read_bytes(path: Path) -> bytes:
    """What stands in a file.

    Raises:
        NotFound: it is not there. UsageError: it can't be read.
    """
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"there is no file {path}", hint="name a file or folder of FastChat's") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder", hint="name a file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the name
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path} can't be read: {reason}", hint="check the file's name and rights") from None


def _inside(path: Path) -> Iterator[Path]:
    """The file itself, or the JSON Lines files in a folder at any depth; hidden ones are passed over."""
    if not path.is_dir():
        yield path
        return
    found = [
        one
        for one in sorted(path.rglob(f"*{ENDING}"))
        if one.is_file() and not any(part.startswith(".") for part in one.relative_to(path).parts)
    ]
    if not found:
        raise NotFound(f"there are no {ENDING} files in {path}", hint="name the folder with FastChat's files")
    yield from found
