"""Writing turns: many conversations commit at once, one thread writes what waits in one transaction.

A commit that returned is on the disk. While one transaction is being synced, others gather; the next takes all of them,
so that the cost of a sync is shared by as many turns as wait for one, and a lone turn never waits for company.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from types import TracebackType
from typing import Final, NamedTuple, Self

from sqlalchemy import Connection, Engine, bindparam, delete, func, select
from sqlalchemy.exc import IntegrityError

from multiturn.errors import NotFound, StoreError
from multiturn.store.faults import translated
from multiturn.store.rows import Row, turn_row
from multiturn.store.schema import RUNS, TURNS
from multiturn.store.transactions import WRITES
from multiturn.transcript import Session, Status, TurnRecord

REPLACEABLE: Final[frozenset[Status]] = frozenset({"failed", "not_reached"})
"""Statuses of turns that may be held again. Any other stored turn stays as it is."""


class _Waiting(NamedTuple):
    row: Row
    done: asyncio.Future[None]


_INSERT: Final = TURNS.insert()
_SESSION: Final = (
    (TURNS.c.run_id == bindparam("of_run"))
    & (TURNS.c.conversation == bindparam("of_conversation"))
    & (TURNS.c.sample == bindparam("of_sample"))
)
_TURNS_OF: Final = select(TURNS.c.turn).where(_SESSION)
_UP_TO: Final = select(TURNS.c.turn, TURNS.c.status).where(_SESSION, TURNS.c.turn <= bindparam("of_turn"))
_FROM_ON: Final = delete(TURNS).where(_SESSION, TURNS.c.turn >= bindparam("of_turn"))

_GAPS: Final = (
    select(TURNS.c.conversation, TURNS.c.sample)
    .where(TURNS.c.run_id == bindparam("of_run"))
    .group_by(TURNS.c.conversation, TURNS.c.sample)
    .having(func.count() != func.max(TURNS.c.turn) + 1)
)


class Writer:
    """Commits turns of one run; open it with ``async with store.writer(run_id) as writer``.

    Commits may come from any number of tasks of the event loop that opened it. After a failed transaction every commit
    fails at once with the same error, until the writer is opened anew: what comes after a lost turn must not be kept.
    """

    def __init__(self, engine: Engine, run_id: str, *, where: str) -> None:
        self._engine = engine
        self._run_id = run_id
        self._where = where
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._fault: Exception | None = None
        self._open = False

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._closed: asyncio.Future[None] = self._loop.create_future()
        started: asyncio.Future[None] = self._loop.create_future()
        name = f"multiturn-writer-{self._run_id}"
        threading.Thread(target=self._work, args=(started,), name=name, daemon=True).start()
        try:
            await started
        except BaseException:  # also a cancellation: the thread must not wait for ever
            self._queue.put(None)
            raise
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        self._queue.put(None)
        await self._closed

    async def commit(self, session: Session, record: TurnRecord) -> None:
        """Keep a turn; returns when it is durable.

        A stored turn that failed or was not reached is replaced, and the turns after it are taken away, since they
        belong to a history that is no longer the one held.

        Raises:
            StoreError: The turn is there already and stands; or the database can't be written.
        """
        if not self._open:
            raise RuntimeError("the writer is not open")
        if self._fault is not None:
            raise _again(self._fault)
        done: asyncio.Future[None] = self._loop.create_future()
        self._queue.put(_Waiting(turn_row(self._run_id, session, record), done))
        await done

    def _work(self, started: asyncio.Future[None]) -> None:
        """The thread: opens its own connection, writes batch after batch, closes it."""
        try:
            with translated(self._where):
                connection = self._engine.connect().execution_options(**{WRITES: True})
        except Exception as error:  # noqa: BLE001 - who opens the writer must hear of it, whatever it is
            self._wake([(started, error)])
            return
        with connection:
            try:
                with translated(self._where), connection.begin():
                    self._prepare(connection)
            except Exception as error:  # noqa: BLE001 - as above
                self._wake([(started, error)])
                return
            self._wake([(started, None)])
            while batch := self._take():
                self._wake(self._outcomes(connection, batch))
        self._wake([(self._closed, None)])

    def _prepare(self, connection: Connection) -> None:
        """See that the run is there; take away turns that follow a gap, so that their conversation can go on.

        Only a damaged import leaves a gap: a turn is asked for when the one before it is durable. What stands after
        the gap answers a history that is not there.
        """
        if connection.execute(select(RUNS.c.id).where(RUNS.c.id == self._run_id)).first() is None:
            raise NotFound(f"run {self._run_id} is not in {self._where}", hint="create the run before its turns")
        for name, sample in connection.execute(_GAPS, {"of_run": self._run_id}).all():
            key = {"of_run": self._run_id, "of_conversation": name, "of_sample": sample}
            stored = set(connection.execute(_TURNS_OF, key).scalars())
            first_gap = next(turn for turn in range(len(stored) + 1) if turn not in stored)
            connection.execute(_FROM_ON, key | {"of_turn": first_gap})

    def _take(self) -> list[_Waiting]:
        """Everything that waits, at least one; nothing at the end."""
        batch: list[_Waiting] = []
        item = self._queue.get()
        while item is not None:
            batch.append(item)
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return batch
        if batch:
            self._queue.put(None)  # the end comes after this batch
        return batch

    def _outcomes(self, connection: Connection, batch: list[_Waiting]) -> list[tuple[asyncio.Future[None], _Outcome]]:
        if self._fault is None:
            try:
                with translated(self._where):
                    faults = self._write(connection, [waiting.row for waiting in batch])
            except Exception as error:  # noqa: BLE001 - nobody may wait for ever, whatever went wrong
                self._fault = error
            else:
                return [(waiting.done, fault) for waiting, fault in zip(batch, faults, strict=True)]
        fault = self._fault
        return [(waiting.done, fault and _again(fault)) for waiting in batch]

    def _write(self, connection: Connection, rows: list[Row]) -> list[_Outcome]:
        """One transaction for all rows; a turn that may not be replaced fails alone."""
        try:
            with connection.begin():
                connection.execute(_INSERT, rows)
        except IntegrityError:  # one of them is there already
            with connection.begin():
                return [self._replace(connection, row) for row in rows]
        return [None] * len(rows)

    def _replace(self, connection: Connection, row: Row) -> _Outcome:
        key = {f"of_{name}": row[name] for name in ("run_id", "conversation", "sample", "turn")}
        key["of_run"] = key.pop("of_run_id")
        stored = dict(connection.execute(_UP_TO, key).all())
        if row["turn"] in stored and REPLACEABLE.isdisjoint(stored.values()):
            return StoreError(
                f"turn {row['turn']} of conversation {row['conversation']!r} (sample {row['sample']}) is already in "
                f"run {self._run_id} with status {stored[row['turn']]}: it is never overwritten",
                hint="resume the run, which asks only for what is missing, or start a new run",
            )
        if row["turn"] in stored:
            connection.execute(_FROM_ON, key)
        try:
            connection.execute(_INSERT, row)
        except IntegrityError as error:
            raise StoreError(
                f"run {self._run_id} is no longer in {self._where}", hint="it was deleted meanwhile; start a new run"
            ) from error
        return None

    def _wake(self, outcomes: list[tuple[asyncio.Future[None], _Outcome]]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone, and with it whoever waited
            self._loop.call_soon_threadsafe(_settle, outcomes)


_Outcome = Exception | None


def _settle(outcomes: list[tuple[asyncio.Future[None], _Outcome]]) -> None:
    """In the loop's thread: tell those who still wait."""
    for done, fault in outcomes:
        if done.done():  # given up meanwhile
            continue
        if fault is None:
            done.set_result(None)
        else:
            done.set_exception(fault)


def _again(fault: Exception) -> Exception:
    """The error for one more who must hear of it; raised errors carry their own traceback, so each gets its own."""
    return StoreError(fault.message, hint=fault.hint) if isinstance(fault, StoreError) else fault
