"""Judges and their judgments in the store.

A judge says one thing to one question. What was said stays; only where a judge could not be asked, its later judgment
takes the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from sqlalchemy import ColumnElement, Connection, Engine, delete, func, or_, select, text
from sqlalchemy.exc import IntegrityError

from multiturn.codec import decode
from multiturn.errors import NotFound, StoreError
from multiturn.judgment import Judged, JudgeRecord
from multiturn.store.rows import judge_row, judged_row
from multiturn.store.schema import JUDGES, JUDGMENTS
from multiturn.store.transactions import reading, writing

_AT_ONCE: Final = 500
_KEYS_AT_ONCE: Final = 200
_SHOWN: Final = 5

_KEEP_JUDGE: Final = text(
    "INSERT INTO judges (id, created, spec, record) VALUES (:id, :created, :spec, :record) ON CONFLICT DO NOTHING"
)
_KEEP: Final = text(
    """INSERT INTO judgments (id, judge_id, run_id, opponent_id, conversation, said, key, record)
    VALUES (:id, :judge_id, :run_id, :opponent_id, :conversation, :said, :key, :record)
    ON CONFLICT (id) DO UPDATE SET said = excluded.said, key = excluded.key, record = excluded.record
    WHERE judgments.said = 'failed'"""
)


class Judgments:
    """What judges said of the runs of a store."""

    def __init__(self, engine: Engine, where: str) -> None:
        self._engine: Final = engine
        self._where: Final = where

    def keep_judge(self, judge: JudgeRecord) -> str:
        """Keep a judge, durably, before it is asked; one that is there already stays. Returns its id."""
        with writing(self._engine, self._where) as connection:
            insert_judge(connection, judge)
        return judge.id

    def keep(self, judged: Iterable[Judged]) -> None:
        """Keep judgments in one transaction.

        Of a question that was answered before, the answer that is there stays, unless the judge could not be asked.

        Raises:
            StoreError: A judge or a run of them is not in the store; nothing is kept then.
        """
        try:
            with writing(self._engine, self._where) as connection:
                insert(connection, judged)
        except IntegrityError:
            raise StoreError(
                f"a judgment's judge or run is not in {self._where}",
                hint="it was deleted meanwhile; keep the runs until their judging is over",
            ) from None

    def judges(self) -> tuple[JudgeRecord, ...]:
        """All judges, newest first."""
        query = select(JUDGES.c.record).order_by(JUDGES.c.created.desc(), JUDGES.c.id)
        with reading(self._engine, self._where) as connection:
            records = connection.execute(query).scalars().all()
        return tuple(decode(record, JudgeRecord) for record in records)

    def judges_of(self, run_id: str) -> tuple[JudgeRecord, ...]:
        """The judges that said something of a run's replies, oldest first."""
        said = select(JUDGMENTS.c.judge_id).where(JUDGMENTS.c.run_id == run_id)
        query = select(JUDGES.c.record).where(JUDGES.c.id.in_(said)).order_by(JUDGES.c.created, JUDGES.c.id)
        with reading(self._engine, self._where) as connection:
            records = connection.execute(query).scalars().all()
        return tuple(decode(record, JudgeRecord) for record in records)

    def judge(self, reference: str) -> JudgeRecord:
        """The judge whose id is or begins so, or whose model spec is this where only one judge has it.

        Raises:
            NotFound: There is none, or there are several; the message names the likely ones.
        """
        judges = self.judges()
        found = [one for one in judges if reference and (one.id.startswith(reference) or one.spec == reference)]
        if len(found) == 1:
            return found[0]
        told = ", ".join(f"{one.id} ({one.spec}, {one.rubric.name})" for one in (found or judges)[:_SHOWN])
        if found:
            raise NotFound(f"{len(found)} judges are called {reference!r}: {told}", hint="give the id of one")
        hint = f"its judges are {told}" if told else "judge a run first: multiturn judge run RUN --judge MODEL"
        raise NotFound(f"there is no judge {reference!r} in {self._where}", hint=hint)

    def of_run(self, run_id: str, *, judge: str | None = None, conversation: str | None = None) -> Iterator[Judged]:
        """What was said of a run's replies, by this judge (its whole id) or by all: conversation by conversation."""
        about = JUDGMENTS.c.run_id == run_id
        yield from self._read(
            about if conversation is None else about & (JUDGMENTS.c.conversation == conversation), judge
        )

    def of_pair(self, run_id: str, opponent: str, *, judge: str | None = None) -> Iterator[Judged]:
        """What was said of two runs compared, whichever of them was the judged one."""
        one = (JUDGMENTS.c.run_id == run_id) & (JUDGMENTS.c.opponent_id == opponent)
        other = (JUDGMENTS.c.run_id == opponent) & (JUDGMENTS.c.opponent_id == run_id)
        yield from self._read(one | other, judge)

    def by_key(self, judge: str, keys: Sequence[str]) -> dict[str, Judged]:
        """What this judge said wherever the same was sent under the same conditions; keys that nothing has are absent.

        Judgments of a judge that could not be asked are none.
        """
        found: dict[str, Judged] = {}
        with reading(self._engine, self._where) as connection:
            for start in range(0, len(keys), _KEYS_AT_ONCE):
                wanted = keys[start : start + _KEYS_AT_ONCE]
                query = (
                    select(JUDGMENTS.c.key, JUDGMENTS.c.record)
                    .where(JUDGMENTS.c.judge_id == judge, JUDGMENTS.c.key.in_(wanted), JUDGMENTS.c.said != "failed")
                    .order_by(JUDGMENTS.c.id)
                )
                found |= {key: decode(record, Judged) for key, record in connection.execute(query)}
        return found

    def counts(self) -> dict[tuple[str, str, str | None, str], int]:
        """How many judgments there are, by judge, run, opponent (None for none) and kind."""
        columns = (JUDGMENTS.c.judge_id, JUDGMENTS.c.run_id, JUDGMENTS.c.opponent_id, JUDGMENTS.c.said)
        query = select(*columns, func.count()).group_by(*columns).order_by(*columns)
        with reading(self._engine, self._where) as connection:
            return {(judge, run, other, said): count for judge, run, other, said, count in connection.execute(query)}

    def _read(self, condition: ColumnElement[bool], judge: str | None) -> Iterator[Judged]:
        """In pages, so that no connection is held while a reader works."""
        last = ("", "")
        if judge is not None:
            condition = condition & (JUDGMENTS.c.judge_id == judge)
        place = JUDGMENTS.c.conversation, JUDGMENTS.c.id
        while True:
            behind = (place[0] > last[0]) | ((place[0] == last[0]) & (place[1] > last[1]))
            query = select(*place, JUDGMENTS.c.record).where(condition, behind).order_by(*place).limit(_AT_ONCE)
            with reading(self._engine, self._where) as connection:
                rows = connection.execute(query).all()
            for _, _, record in rows:
                yield decode(record, Judged)
            if len(rows) < _AT_ONCE:
                return
            last = rows[-1][0], rows[-1][1]


def insert_judge(connection: Connection, judge: JudgeRecord) -> None:
    """Keep a judge; one that is there already stays."""
    connection.execute(_KEEP_JUDGE, judge_row(judge))


def insert(connection: Connection, judged: Iterable[Judged]) -> None:
    """Keep judgments; an ``IntegrityError`` says that a judge or a run is not there."""
    rows = map(judged_row, judged)
    while batch := list(islice(rows, _AT_ONCE)):
        connection.execute(_KEEP, batch)


def forget_run(connection: Connection, run_id: str) -> None:
    """Take away what was said of a run, by itself or beside another."""
    said_of_it = or_(JUDGMENTS.c.run_id == run_id, JUDGMENTS.c.opponent_id == run_id)
    connection.execute(delete(JUDGMENTS).where(said_of_it))
