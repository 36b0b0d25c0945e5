"""Declared looks in the store: added, never changed, and never deleted with their runs."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, select

from multiturn.looks import Look
from multiturn.store.schema import LOOKS


def read_looks(connection: Connection, key: str) -> tuple[Look, ...]:
    """The looks at a comparison, in their order."""
    rows = connection.execute(select(LOOKS).where(LOOKS.c.key == key).order_by(LOOKS.c.look)).mappings()
    return tuple(Look(**row) for row in rows)


def keep_look(connection: Connection, look: Look) -> None:
    """Keep a look; an ``IntegrityError`` says that it was taken already."""
    connection.execute(LOOKS.insert(), msgspec.structs.asdict(look))
