"""Taking another script's results file into the store: read all of it, or tell all that is wrong; then keep all of it.

What the file becomes is decided in :mod:`multiturn.loop_runs`; here are the file, the clock and the store.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from multiturn.conditions import RunRecord
from multiturn.conversation import Suite
from multiturn.errors import NotFound, UsageError
from multiturn.loop_runs import Counts, LoopArm, Source, loop_runs, told
from multiturn.store import Store
from multiturn.store.whole import keep_runs
from multiturn.suites.held import SHAPE, read_held
from multiturn.suites.places import Fault
from multiturn.suites.reading import load_suite, shipped_suites

MOST_FAULTS: Final = 50
HINT: Final = f"mend the file; the shape is {SHAPE}; docs/why-not-a-loop.md has the others"


class ImportedArm(msgspec.Struct, frozen=True, kw_only=True):
    """A run that came from a file, and what is in its replies; ``reused`` where the same file brought it before."""

    run: RunRecord
    counts: Counts
    reused: bool

    @property
    def told(self) -> tuple[str, ...]:
        """What was done to the replies, in words."""
        return tuple(told(self.counts))


class ImportedResults(msgspec.Struct, frozen=True, kw_only=True):
    """What a results file became: one run, or base and tuned; and what a reader should know of the file."""

    arms: tuple[ImportedArm, ...]
    notes: tuple[str, ...]


def import_results(store: Store, path: str | Path, suite: Suite | None = None) -> ImportedResults:
    """Read another script's results file into the store: one run, or two that can be compared.

    The same file again gives the same runs, and nothing is kept twice. Conversations that are those of a suite get its
    reasons and tags.

    Args:
        store: where they go, in one transaction.
        path: the file; ``docs/why-not-a-loop.md`` shows what can be read.
        suite: what the script held; by default the suites that are shipped are looked through.

    Raises:
        NotFound: there is no such file.
        UsageError: it can't be read; all its faults are told. Or base and tuned have nothing in common.
        StoreError: the store can't be written; then nothing is kept.
    """
    data = _bytes_of(Path(path))
    held = read_held(data)
    if held.faults:
        raise UsageError(_all(held.faults, str(path)), hint=HINT)
    source = Source(name=Path(path).stem, sha256=hashlib.sha256(data).hexdigest(), now=dt.datetime.now(dt.UTC))
    suites = [suite] if suite is not None else [load_suite(name) for name in shipped_suites()]
    made = loop_runs(held, source, [one for each in suites for one in each.conversations])
    notes = (*(note.told(str(path)) for note in held.notes), *made.notes)
    if made.suite is None:
        raise UsageError(
            f"{path}: no conversation can be compared\n  " + "\n  ".join(notes),
            hint="give base and tuned the same ids and the same user's turns",
        )
    there = [next(iter(store.find(arm.run.conditions.fingerprint)), None) for arm in made.arms]
    new = [(arm.run, arm.transcripts) for arm, known in zip(made.arms, there, strict=True) if known is None]
    if new:
        keep_runs(store, made.suite, new)
    if suite is not None:
        store.save_suite(made.suite)  # what this suite expects, also of replies that were imported before
    return ImportedResults(
        arms=tuple(_imported(arm, known) for arm, known in zip(made.arms, there, strict=True)), notes=notes
    )


def _imported(arm: LoopArm, known: RunRecord | None) -> ImportedArm:
    return ImportedArm(run=known or arm.run, counts=arm.counts, reused=known is not None)


def _all(faults: Sequence[Fault], source: str) -> str:
    count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
    lines = [f"  {fault.told(source)}" for fault in faults[:MOST_FAULTS]]
    if len(faults) > MOST_FAULTS:
        lines.append(f"  and {len(faults) - MOST_FAULTS} more")
    return f"{source}: {count}; nothing was imported\n" + "\n".join(lines)


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"there is no file {path}", hint="name the results file that the script wrote") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder", hint="name the results file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the name
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path} can't be read: {reason}", hint="check the file's name and rights") from None
