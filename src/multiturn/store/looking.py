"""Declared looks in the store: added, never changed, and never deleted with their runs."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, select

from multiturn.looks import Look
from multiturn.store.schema import LOOKS


def read_looks(connection: Connection, key: str) -> tuple[Look, ...]:
    """The looks at a comparison, in their order."""
    columns = (LOOKS.c.look, LOOKS.c.created, LOOKS.c.base_run, LOOKS.c.tuned_run, LOOKS.c.level)
    rows = connection.execute(select(*columns).where(LOOKS.c.key == key).order_by(LOOKS.c.look))
    return tuple(
        Look(key=key, look=look, created=created, base_run=base, tuned_run=tuned, level=level)
        for look, created, base, tuned, level in rows
    )


def keep_look(connection: Connection, look: Look) -> None:
    """Keep a look; an ``IntegrityError`` says that it was taken already."""
    connection.execute(LOOKS.insert(), msgspec.structs.asdict(look))
