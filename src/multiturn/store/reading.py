"""The open store: what it holds, and the doors to writing turns and to holding a run.

Rows go in and out as values of the ground floor; no row and no key of a table leaves this folder. Nothing here keeps a
transaction open while its caller thinks: long reads go in pages, so that a viewer left open never holds up a run.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self, cast, get_args

import msgspec
from sqlalchemy import ColumnElement, Connection, Engine, Select, case, delete, func, select
from sqlalchemy.exc import IntegrityError

from multiturn.codec import decode
from multiturn.conditions import RunRecord
from multiturn.conversation import Suite
from multiturn.errors import NotFound, StoreError
from multiturn.looks import Look
from multiturn.store import grouping, judging
from multiturn.store.cards import Cards
from multiturn.store.leases import hold
from multiturn.store.looking import keep_look, read_looks
from multiturn.store.pages import windows
from multiturn.store.rows import run_row
from multiturn.store.schema import RUN_GROUPS, RUNS, TURNS
from multiturn.store.suites import forget_suite, read_suite, renew_suite
from multiturn.store.transactions import reading, writing
from multiturn.store.writing import Writer
from multiturn.transcript import HistoryMode, Session, Status, Transcript, TurnRecord

LATEST: Final = "latest"
_SHOWN: Final = 5


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run, its groups, and how far it is: turns stored, by status (statuses that no turn has are left out)."""

    run: RunRecord
    progress: dict[Status, int]
    groups: tuple[str, ...] = ()


class Store:
    """An open store; made by ``open_store``. Close it, or use it in a ``with``.

    ``where`` is how messages name it (never with a password); ``path`` is its file, None for PostgreSQL. ``judgments``
    holds what judges said of its runs, ``cards`` what their self-checks found.
    """

    def __init__(self, engine: Engine, *, path: Path | None, where: str) -> None:
        self.engine = engine
        self.path = path
        self.where = where
        self.judgments = judging.Judgments(engine, where)
        self.cards = Cards(engine, where)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; may be called twice."""
        self.engine.dispose()

    # Suites

    def save_suite(self, suite: Suite, history: HistoryMode = "self") -> str:
        """Keep a suite for runs with this history, and return its digest.

        Where one that asks the same is there already, its checks, goldens and whys become this one's.
        """
        digest = suite.digest_for(history)
        with suppress(IntegrityError), writing(self.engine, self.where) as connection:  # kept by another process now
            renew_suite(connection, suite, digest)
        return digest

    def suite(self, digest: str) -> Suite:
        """The suite with this digest.

        Raises:
            NotFound: It is not in the store.
        """
        with reading(self.engine, self.where) as connection:
            suite = read_suite(connection, digest)
        if suite is None:
            raise NotFound(
                f"suite {digest[:12]} is not in {self.where}", hint="import the run anew from a whole export"
            )
        return suite

    # Runs

    def create_run(self, run: RunRecord) -> None:
        """Keep a new run, durably, before its first reply is asked for.

        Raises:
            StoreError: A run with this id is there already.
        """
        try:
            with writing(self.engine, self.where) as connection:
                connection.execute(RUNS.insert(), run_row(run))
        except IntegrityError:
            raise StoreError(
                f"run {run.id} is already in {self.where}", hint="resume it, or start a run with another id"
            ) from None

    def runs(self) -> tuple[RunSummary, ...]:
        """All runs, newest first, each with its progress and its groups."""
        counted = select(TURNS.c.run_id, TURNS.c.status, func.count()).group_by(TURNS.c.run_id, TURNS.c.status)
        with reading(self.engine, self.where) as connection:
            records = connection.execute(_newest_first()).scalars().all()
            counts: dict[str, dict[str, int]] = {}
            for run_id, status, count in connection.execute(counted):
                counts.setdefault(run_id, {})[status] = count
            groups = grouping.by_run(connection)
        runs = [decode(record, RunRecord) for record in records]
        return tuple(
            RunSummary(run=run, progress=_in_order(counts.get(run.id, {})), groups=groups.get(run.id, ()))
            for run in runs
        )

    def run(self, reference: str) -> RunRecord:
        """The run with this id, or the one whose id begins so, or the ``latest``.

        Raises:
            NotFound: There is none, or there are several; the message names the likely ones.
        """
        with reading(self.engine, self.where) as connection:
            if reference == LATEST:
                record = connection.execute(_newest_first().limit(1)).scalar()
            else:
                record = connection.execute(select(RUNS.c.record).where(RUNS.c.id == reference)).scalar()
            if record is None:
                record = _by_prefix(connection, reference, self.where)
        return decode(record, RunRecord)

    def find(self, fingerprint: str) -> tuple[RunRecord, ...]:
        """Runs held under the same conditions, newest first."""
        with reading(self.engine, self.where) as connection:
            records = connection.execute(_newest_first(RUNS.c.fingerprint == fingerprint)).scalars().all()
        return tuple(decode(record, RunRecord) for record in records)

    def delete_run(self, run_id: str) -> None:
        """Take a run away with its turns and judgments, out of its groups, and its suite if no other run has it.

        Looks that were taken at it stay: it was looked at all the same.

        Raises:
            NotFound: No run has this id (a prefix is not enough here).
            StoreError: It is being held.
        """
        with self.lease(run_id), writing(self.engine, self.where) as connection:
            digest = connection.execute(select(RUNS.c.suite_digest).where(RUNS.c.id == run_id)).scalar()
            if digest is None:
                raise _no_run(run_id, self.where)
            connection.execute(delete(TURNS).where(TURNS.c.run_id == run_id))
            judging.forget_run(connection, run_id)
            grouping.forget_run(connection, run_id)
            connection.execute(delete(RUNS).where(RUNS.c.id == run_id))
            if connection.execute(select(RUNS.c.id).where(RUNS.c.suite_digest == digest)).first() is None:
                forget_suite(connection, digest)

    def lease(self, run_id: str) -> AbstractContextManager[None]:
        """Hold a run, so that no other process does at the same time; freed by the system if this process dies.

        Raises:
            StoreError: It is being held.
        """
        return hold(self.engine, self.path, self.where, run_id)

    # Groups of runs, and looks at comparisons

    def add_to_group(self, run_id: str, name: str) -> bool:
        """Put a run into a group, which need not be there before; False if the run is in it already.

        Raises:
            NotFound: There is no run with this id.
            UsageError: No group may be called so.
        """
        grouping.check_group_name(name)
        try:
            with writing(self.engine, self.where) as connection:
                return grouping.add(connection, run_id, name)
        except IntegrityError:
            raise _no_run(run_id, self.where) from None

    def remove_from_group(self, run_id: str, name: str) -> bool:
        """Take a run out of a group; False if it is not in it. A group without runs is no more."""
        with writing(self.engine, self.where) as connection:
            return grouping.remove(connection, run_id, name)

    def groups(self) -> dict[str, int]:
        """All groups by name, each with how many runs it has."""
        with reading(self.engine, self.where) as connection:
            return grouping.counted(connection)

    def groups_of(self, run_id: str) -> tuple[str, ...]:
        """The groups that a run is in, by name."""
        with reading(self.engine, self.where) as connection:
            return grouping.groups_of(connection, run_id)

    def runs_in(self, name: str) -> tuple[RunRecord, ...]:
        """The runs of a group, oldest first; none if there is no such group."""
        query = (
            select(RUNS.c.record)
            .join(RUN_GROUPS, RUN_GROUPS.c.run_id == RUNS.c.id)
            .where(RUN_GROUPS.c.name == name)
            .order_by(RUNS.c.created, RUNS.c.id)
        )
        with reading(self.engine, self.where) as connection:
            records = connection.execute(query).scalars().all()
        return tuple(decode(record, RunRecord) for record in records)

    def looks(self, key: str) -> tuple[Look, ...]:
        """The looks that were taken at a comparison, in their order."""
        with reading(self.engine, self.where) as connection:
            return read_looks(connection, key)

    def add_look(self, look: Look) -> None:
        """Keep a look, durably; call it before what is seen is shown.

        Raises:
            StoreError: This look was taken before.
        """
        try:
            with writing(self.engine, self.where) as connection:
                keep_look(connection, look)
        except IntegrityError:
            raise StoreError(
                f"look {look.look} at this comparison was taken before", hint="give the same command again"
            ) from None

    # Turns

    def writer(self, run_id: str) -> Writer:
        """What commits turns of this run: ``async with store.writer(run_id) as writer``."""
        return Writer(self.engine, run_id, where=self.where)

    def records(self, run_id: str, session: Session) -> tuple[TurnRecord, ...]:
        """The stored turns of one session, in order."""
        query = (
            select(TURNS.c.record)
            .where(TURNS.c.run_id == run_id)
            .where(TURNS.c.conversation == session.conversation, TURNS.c.sample == session.sample)
            .order_by(TURNS.c.turn)
        )
        with reading(self.engine, self.where) as connection:
            records = connection.execute(query).scalars().all()
        return tuple(decode(record, TurnRecord) for record in records)

    def progress(self, run_id: str) -> dict[Status, int]:
        """Turns stored, by status; statuses that no turn has are left out."""
        counted = select(TURNS.c.status, func.count()).where(TURNS.c.run_id == run_id).group_by(TURNS.c.status)
        with reading(self.engine, self.where) as connection:
            return _in_order(dict(connection.execute(counted).all()))

    def begun_sessions(self, run_id: str) -> frozenset[Session]:
        """Sessions that have a turn in the store."""
        query = select(TURNS.c.conversation, TURNS.c.sample).where(TURNS.c.run_id == run_id, TURNS.c.turn == 0)
        with reading(self.engine, self.where) as connection:
            return frozenset(Session(name, sample) for name, sample in connection.execute(query))

    def done_sessions(self, run_id: str) -> frozenset[Session]:
        """Sessions that need nothing more: every turn is stored, and none is missing by the environment's doing.

        Raises:
            NotFound: The run or its suite is not there.
        """
        planned = {
            item.id: len(item.turns) for item in self.suite(self._exactly(run_id).conditions.suite_digest).conversations
        }
        unreached = func.sum(case((TURNS.c.status == "not_reached", 1), else_=0))
        query = (
            select(TURNS.c.conversation, TURNS.c.sample, func.count(), unreached)
            .where(TURNS.c.run_id == run_id)
            .group_by(TURNS.c.conversation, TURNS.c.sample)
            .having(func.sum(case((TURNS.c.status == "failed", 1), else_=0)) == 0)
        )
        with reading(self.engine, self.where) as connection:
            rows = connection.execute(query).all()
        whole = [(Session(name, sample), left) for name, sample, count, left in rows if count == planned.get(name)]
        return frozenset(
            session
            for session, left in whole
            if not left or not any(record.missing for record in self.records(run_id, session))
        )

    def transcripts(self, run_id: str) -> Iterator[Transcript]:
        """Transcripts as far as they are stored, in the suite's order, samples of a conversation one after the other.

        A turn that is not stored is absent: a session that was cut short has fewer records than the suite has turns,
        and one that was never begun does not occur. Memory does not grow with the run.

        Raises:
            NotFound: There is no such run.
        """
        run = self._exactly(run_id)
        suite = self._suite_if_kept(run.conditions.suite_digest)
        systems = {item.id: item.system for item in suite.conversations} if suite else {}
        places = {name: place for place, name in enumerate(systems)}
        query = (
            select(TURNS.c.conversation, func.max(TURNS.c.sample))
            .where(TURNS.c.run_id == run_id)
            .group_by(TURNS.c.conversation)
        )
        with reading(self.engine, self.where) as connection:
            tops = [(name, top) for name, top in connection.execute(query)]
        tops.sort(key=lambda item: (places.get(item[0], len(places)), item[0]))
        for names, first, end in windows(tops):
            turns = self._window(run_id, names, first, end)
            for name in names:
                system = run.conditions.system if run.conditions.system is not None else systems.get(name)
                for sample in sorted(turns.get(name, {})):
                    records = tuple(turns[name][sample])
                    yield Transcript(session=Session(name, sample), turns=records, system=system)

    def _window(
        self, run_id: str, names: Sequence[str], first: int, end: int
    ) -> dict[str, dict[int, list[TurnRecord]]]:
        query = (
            select(TURNS.c.conversation, TURNS.c.sample, TURNS.c.record)
            .where(TURNS.c.run_id == run_id, TURNS.c.conversation.in_(names))
            .where(TURNS.c.sample >= first, TURNS.c.sample < end)
            .order_by(TURNS.c.conversation, TURNS.c.sample, TURNS.c.turn)
        )
        turns: dict[str, dict[int, list[TurnRecord]]] = {}
        with reading(self.engine, self.where) as connection:
            for name, sample, record in connection.execute(query):
                turns.setdefault(name, {}).setdefault(sample, []).append(decode(record, TurnRecord))
        return turns

    def _exactly(self, run_id: str) -> RunRecord:
        with reading(self.engine, self.where) as connection:
            record = connection.execute(select(RUNS.c.record).where(RUNS.c.id == run_id)).scalar()
        if record is None:
            raise _no_run(run_id, self.where)
        return decode(record, RunRecord)

    def _suite_if_kept(self, digest: str) -> Suite | None:
        try:
            return self.suite(digest)
        except NotFound:
            return None


def _no_run(run_id: str, where: str) -> NotFound:
    return NotFound(f"run {run_id} is not in {where}", hint="give the whole id of a run")


def _newest_first(*conditions: ColumnElement[bool]) -> Select[str]:
    return select(RUNS.c.record).where(*conditions).order_by(RUNS.c.created.desc(), RUNS.c.id.desc())


def _by_prefix(connection: Connection, reference: str, where: str) -> str:
    """The record of the one run whose id begins so; SQL may take case lightly, so it is looked at again here."""
    ids = list(connection.execute(select(RUNS.c.id).order_by(RUNS.c.created.desc(), RUNS.c.id.desc())).scalars())
    if not ids:
        raise NotFound(f"there is no run in {where} yet", hint="hold one first, or name another store (--store PATH)")
    begun = [run_id for run_id in ids if reference and run_id.startswith(reference)]
    if len(begun) == 1:
        return str(connection.execute(select(RUNS.c.record).where(RUNS.c.id == begun[0])).scalar_one())
    if begun:
        raise NotFound(f"{len(begun)} runs begin with {reference!r}: {_some(begun)}", hint="give more of the id")
    close = difflib.get_close_matches(reference, ids, n=_SHOWN, cutoff=0.5)
    known = f"did you mean {_some(close)}?" if close else f"the newest runs are {_some(ids)}"
    raise NotFound(f"no run {reference!r} in {where}", hint=f"{known} ({LATEST!r} is the newest)")


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more


def _in_order(counts: dict[str, int]) -> dict[Status, int]:
    return {status: counts[status] for status in cast("tuple[Status, ...]", get_args(Status)) if status in counts}
