"""A run as one JSON Lines file, and back without loss.

The first line is the run with the format's version and the groups it is in, the second its suite, then one line for
each turn, conversations in the suite's order, then its judges, each with its cards, then what they said of it. An
export of an import is the same file, byte for byte. Reading forgives what a crash or a half copy does to such a file: a
line that can't be read is reported by its number, and everything else is kept.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from sqlalchemy import Connection, select

from multiturn.codec import SCHEMA_VERSION, check_schema, decode, encode
from multiturn.conditions import RunRecord
from multiturn.conversation import Suite
from multiturn.errors import NotFound, StoreError, UsageError
from multiturn.judge_card import Card
from multiturn.judgment import Judged, JudgeRecord
from multiturn.store import judging
from multiturn.store.cards import insert_card
from multiturn.store.faults import translated
from multiturn.store.grouping import add, check_group_name
from multiturn.store.reading import Store
from multiturn.store.rows import Row, run_row, turn_row
from multiturn.store.schema import RUNS, TURNS
from multiturn.store.suites import keep_suite
from multiturn.store.transactions import writing
from multiturn.transcript import Session, TurnRecord

_AT_ONCE: Final = 500
_BOM: Final = b"\xef\xbb\xbf"


class ExportLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: the run with the schema version and its groups, its suite, a turn with its session, a judge, its
    card or what it said.
    """  # noqa: D205 - one sentence

    schema: int | None = None
    run: RunRecord | None = None
    groups: tuple[str, ...] = ()
    suite: Suite | None = None
    session: Session | None = None
    turn: TurnRecord | None = None
    judge: JudgeRecord | None = None
    card: Card | None = None
    judged: Judged | None = None


class Notice(msgspec.Struct, frozen=True):
    """A line that was left out, and why; lines count from 1."""

    line: int
    text: str


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What an import brought: the run, how many of its turns, and what was left out."""

    run: RunRecord
    turns: int
    notices: tuple[Notice, ...] = ()


class FirstLine(msgspec.Struct, frozen=True):
    """As much of the first line as every version can read."""

    schema: int = 0


def export_run(store: Store, run_id: str, path: str | Path) -> int:
    """Write a run to a file; the file appears whole or not at all, and replaces one that was there.

    Args:
        store: Where the run is.
        run_id: Its whole id, or what ``store.run`` takes.
        path: The file to write.

    Returns:
        Turns written.

    Raises:
        NotFound: There is no such run.
        StoreError: The store can't be read or the file not written.
    """
    run = store.run(run_id)
    path = Path(path)
    lines = _lines(store, run)
    with translated(str(path)):
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with translated(str(path)), os.fdopen(descriptor, "wb") as file:
            written = _write(file, lines)
            file.flush()
            os.fsync(file.fileno())
            if hasattr(os, "fchmod"):  # Windows has none before Python 3.13
                os.fchmod(file.fileno(), 0o666 & ~_umask())
        with translated(str(path)):
            Path(name).replace(path)
            _sync_folder(path.parent)
    except BaseException:  # whatever it is, nothing half-made may stay
        Path(name).unlink(missing_ok=True)
        raise
    return written


def import_run(store: Store, path: str | Path) -> Imported:
    """Read a file that ``export_run`` wrote into a store: all that can be read of it, in one transaction.

    Raises:
        NotFound: There is no such file, or no run can be read from its first line.
        StoreError: The run is in the store already, the file is of a newer format, or the store can't be written.
    """
    path = Path(path)
    with translated(str(path)):
        if not path.is_file():
            raise NotFound(f"{path} is not there, or is no file", hint="name a file that export wrote")
        file = path.open("rb")
    with file:
        lines = _numbered(file, str(path))
        run, groups = _first(lines, str(path))
        with writing(store.engine, store.where) as connection:
            if connection.execute(select(RUNS.c.id).where(RUNS.c.id == run.id)).first() is not None:
                raise StoreError(
                    f"run {run.id} is already in {store.where}", hint="delete it first, or import into another store"
                )
            connection.execute(RUNS.insert(), run_row(run))
            unfit = _join_groups(connection, run, groups)
            turns, notices = _take_in(connection, run, lines)
    return Imported(run=run, turns=turns, notices=(*unfit, *notices))


def _lines(store: Store, run: RunRecord) -> Iterator[ExportLine]:
    yield ExportLine(schema=SCHEMA_VERSION, run=run, groups=store.groups_of(run.id))
    with suppress(NotFound):  # a run that was imported without its suite goes on without it
        yield ExportLine(suite=store.suite(run.conditions.suite_digest))
    for transcript in store.transcripts(run.id):
        for record in transcript.turns:
            yield ExportLine(session=transcript.session, turn=record)
    for judge in store.judgments.judges_of(run.id):
        yield ExportLine(judge=judge)
        for card in reversed(store.cards.of_judge(judge.id)):
            yield ExportLine(card=card)
    for judged in store.judgments.of_run(run.id):
        yield ExportLine(judged=judged)


def _write(file: BinaryIO, lines: Iterator[ExportLine]) -> int:
    turns = 0
    for line in lines:
        file.write(encode(line) + b"\n")
        turns += line.turn is not None
    return turns


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    """Make a rename durable, where folders can be opened."""
    with suppress(PermissionError):  # Windows
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _numbered(file: BinaryIO, where: str) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, blank ones left out; the last may lack its line end."""
    with translated(where):
        for number, line in enumerate(file, start=1):
            content = line.removeprefix(_BOM) if number == 1 else line
            if content.strip():
                yield number, content


def _first(lines: Iterator[tuple[int, bytes]], where: str) -> tuple[RunRecord, tuple[str, ...]]:
    """The run of the first line, without which nothing that follows has a place, and its groups."""
    hint = "name a file that export wrote"
    number, content = next(lines, (1, b""))
    try:
        schema = decode(content, FirstLine).schema
    except StoreError:
        raise NotFound(f"{where}, line {number}: no run can be read here", hint=hint) from None
    try:
        check_schema(schema)
        line = decode(content, ExportLine)
    except StoreError as fault:
        raise StoreError(f"{where}, line {number}: no run can be read here: {fault.message}", hint=fault.hint) from None
    if line.run is None:
        raise NotFound(f"{where}, line {number}: this is not the line of a run", hint=hint)
    return line.run, line.groups


def _join_groups(connection: Connection, run: RunRecord, groups: tuple[str, ...]) -> list[Notice]:
    """Put the run into its groups; a notice for each that may not be called so."""
    notices = []
    for name in groups:
        try:
            check_group_name(name)
        except UsageError as fault:
            notices.append(Notice(1, f"line 1: a group is left out: {fault.message}"))
        else:
            add(connection, run.id, name)
    return notices


def _take_in(connection: Connection, run: RunRecord, lines: Iterator[tuple[int, bytes]]) -> tuple[int, list[Notice]]:
    """Insert what the lines hold: how many turns, and a notice for each line that can't be kept."""
    notices: list[Notice] = []
    incoming = _Incoming(connection, run)
    for number, content in lines:
        try:
            incoming.take(decode(content, ExportLine))
        except StoreError as fault:
            torn = "" if content.endswith(b"\n") else " (the file ends inside it)"
            notices.append(Notice(number, f"line {number}{torn} is left out: {fault.message}"))
    incoming.flush()
    return len(incoming.seen), notices


class _Incoming:
    """What comes of a run's file, inserted many rows at once; ``seen`` are the turns."""

    def __init__(self, connection: Connection, run: RunRecord) -> None:
        self._connection: Final = connection
        self._run: Final = run
        self._turns: list[Row] = []
        self._judged: list[Judged] = []
        self._judges: set[str] = set()
        self._answered: set[str] = set()
        self.seen: set[tuple[Session, int]] = set()

    def take(self, line: ExportLine) -> None:
        """Keep what a line holds.

        Raises:
            StoreError: it can't be kept, and why.
        """
        if line.session is not None and line.turn is not None:
            _require((line.session, line.turn.turn) not in self.seen, "this turn stands in an earlier line")
            self.seen.add((line.session, line.turn.turn))
            self._turns.append(turn_row(self._run.id, line.session, line.turn))
        elif line.judge is not None:
            judging.insert_judge(self._connection, line.judge)
            self._judges.add(line.judge.id)
        elif line.card is not None:
            _require(line.card.judge in self._judges, "its judge stands in no earlier line")
            insert_card(self._connection, line.card)
        elif line.judged is not None:
            _require(line.judged.question.run == self._run.id, "this judgment is of another run")
            _require(line.judged.judge in self._judges, "its judge stands in no earlier line")
            _require(line.judged.id not in self._answered, "this judgment stands in an earlier line")
            self._answered.add(line.judged.id)
            self._judged.append(line.judged)
        else:
            _keep_suite(self._connection, self._run, line.suite)
        if len(self._turns) + len(self._judged) >= _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Insert what waits."""
        if self._turns:
            self._connection.execute(TURNS.insert(), self._turns)
        judging.insert(self._connection, self._judged)
        self._turns.clear()
        self._judged.clear()


def _keep_suite(connection: Connection, run: RunRecord, suite: Suite | None) -> None:
    if suite is None:
        raise StoreError("it is neither a suite, nor a turn, nor of a judge")
    known = (suite.digest_for(run.conditions.history), suite.expectations)  # the second of runs from before checks
    _require(run.conditions.suite_digest in known, "this is not the suite that the run was held with")
    keep_suite(connection, suite, run.conditions.suite_digest)


def _require(condition: bool, fault: str) -> None:  # noqa: FBT001 - reads as a sentence at every call
    if not condition:
        raise StoreError(fault)
