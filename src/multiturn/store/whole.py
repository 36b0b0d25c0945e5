"""Keeping runs that are whole already: all of them, with their suite, in one transaction, or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from sqlalchemy import select

from multiturn.conditions import RunRecord
from multiturn.conversation import Suite
from multiturn.errors import StoreError
from multiturn.store.reading import Store
from multiturn.store.rows import run_row, turn_row
from multiturn.store.schema import RUNS, TURNS
from multiturn.store.suites import keep_suite
from multiturn.store.transactions import writing
from multiturn.transcript import Transcript

_AT_ONCE: Final = 500


def keep_runs(store: Store, suite: Suite, runs: Sequence[tuple[RunRecord, Iterable[Transcript]]]) -> None:
    """Keep runs of one suite with their transcripts, durably.

    Raises:
        StoreError: the store can't be written, or has a run of that id; then nothing of them is kept.
    """
    with writing(store.engine, store.where) as connection:
        keep_suite(connection, suite, suite.digest)
        for run, transcripts in runs:
            if connection.execute(select(RUNS.c.id).where(RUNS.c.id == run.id)).first() is not None:
                raise StoreError(f"run {run.id} is already in {store.where}", hint="delete it first, or wait a second")
            connection.execute(RUNS.insert(), run_row(run))
            rows = (turn_row(run.id, one.session, record) for one in transcripts for record in one.turns)
            while batch := list(islice(rows, _AT_ONCE)):
                connection.execute(TURNS.insert(), batch)
