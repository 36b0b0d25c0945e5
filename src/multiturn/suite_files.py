"""Suite files made from others: a published suite that is fetched and checked, or a file of another form converted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from multiturn.conversation import Suite
from multiturn.errors import SuiteError, UsageError
from multiturn.fetching import fetch
from multiturn.outputs import require_place, writing
from multiturn.report.whole_file import whole_file
from multiturn.suites.benchmarks import with_references
from multiturn.suites.forms import Form, Replies
from multiturn.suites.places import Fault
from multiturn.suites.published import File, published, published_suite
from multiturn.suites.reading import HINT, examine_file
from multiturn.suites.writing import suite_json

Faulty = Literal["refuse", "leave-out"]
"""What becomes of conversations with faults."""
NOTHING_LOST: Final = "nothing is lost"


class Converted(msgspec.Struct, frozen=True, kw_only=True):
    """A suite of another form as one of ours, the conversations that were left out, and what else a reader should know.

    All as lines with their places.
    """

    suite: Suite
    form: Form
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def get_published(
    name: str, source: str, *, references: str | None = None, accepted: Sequence[str] = ()
) -> tuple[Suite, tuple[str, ...]]:
    """A published suite from where it is, checked by its hash, and the flags with which it is held as published.

    Args:
        name: ``mtbench``.
        source: path or URL of its questions.
        references: path or URL of reference answers, which become the goldens.
        accepted: SHA-256 hashes of files that are accepted too; ``any`` stands for all.

    Raises:
        NotFound, UsageError: a file can't be fetched, or is another than the published one.
    """
    known = published(name)
    questions = File(source, fetch(source))
    beside = None if references is None else File(references, fetch(references))
    return published_suite(known, questions, beside, accepted), known.held


def convert_suite(
    path: str | Path,
    *,
    form: Form | None = None,
    replies: Replies = "golden",
    references: str | Path | None = None,
    faulty: Faulty = "refuse",
) -> Converted:
    """A suite file of any form that is read, as a suite.

    Args:
        path: the file.
        form: whose form it has; by default that of its first object.
        replies: whether replies in the file become goldens.
        references: a FastChat file of reference answers, which become the goldens.
        faulty: what becomes of conversations with faults: ``refuse`` the file, or ``leave-out``.

    Raises:
        SuiteError: there are faults, or nothing is left without them.
        NotFound, UsageError: a file can't be read.
    """
    found = examine_file(path, form, replies)
    faults = tuple(fault.told(str(path)) for fault in found.faults)
    if faults and (faulty == "refuse" or not found.conversations):
        hint = f"{HINT}; --faulty leave-out keeps the others" if found.conversations else HINT
        raise SuiteError(str(path), faults, hint=hint)
    suite = Suite(
        name=found.name, version=found.version, description=found.description, conversations=found.conversations
    )
    notes = [note.told(str(path)) for note in found.notes]
    if references is not None:
        joined = with_references(suite, fetch(str(references)))
        _refuse(joined.faults, str(references))
        suite = joined.suite
        notes += [f"{references}: there is no conversation {name!r}" for name in joined.unknown]
    return Converted(suite=suite, form=found.form, left_out=faults, notes=tuple(notes))


def write_suite(suite: Suite, path: Path) -> None:
    """Write a suite as a file of ours; a file that is there already stays, unless it is the same.

    Raises:
        UsageError: another file is there, or it can't be written.
    """
    require_place(path, "--output")
    data = suite_json(suite)
    with writing(path, "--output", NOTHING_LOST):
        if path.exists() and path.read_bytes() != data:
            raise UsageError(f"{path} is there already, and is another file", hint="name another: --output FILE")
        with whole_file(path) as file:
            file.write(data)


def _refuse(faults: Sequence[Fault], source: str) -> None:
    if faults:
        raise SuiteError(source, [fault.told(source) for fault in faults], hint="mend the file, or leave it out")
