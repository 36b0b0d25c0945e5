"""The two kinds of transaction: reading and writing. Errors of the environment come out as ``StoreError``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Engine

from multiturn.store.faults import translated

WRITES: Final = "multiturn_writes"
"""Execution option of a connection whose transactions begin by taking the write lock."""


@contextmanager
def reading(engine: Engine, where: str) -> Iterator[Connection]:
    """A connection to read from, given back at the end."""
    with translated(where), engine.connect() as connection:
        yield connection


@contextmanager
def writing(engine: Engine, where: str) -> Iterator[Connection]:
    """One transaction: all that is done inside is durable after it, or nothing is."""
    with translated(where), engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        yield connection
