"""Groups of runs in the store: names that a user gives, each on any number of runs, a run under any number of them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, delete, func, select, text

from multiturn.errors import UsageError
from multiturn.store.schema import RUN_GROUPS

LONGEST_NAME: Final = 100
"""Characters of a group's name at most."""

_ADD: Final = text("INSERT INTO run_groups (run_id, name) VALUES (:run_id, :name) ON CONFLICT DO NOTHING")


def check_group_name(name: str) -> None:
    """Raise ``UsageError`` unless a group may be called so."""
    if not name.strip():
        fault = "a group's name is empty"
    elif len(name) > LONGEST_NAME:
        fault = f"a group's name has {len(name)} characters, {LONGEST_NAME} at most"
    elif not name.isprintable():  # line ends and other control characters, half surrogate pairs
        fault = f"a group's name can't hold {next(repr(one) for one in name if not one.isprintable())}"
    elif name != name.strip():
        fault = f"the group's name {name!r} has spaces around it"
    else:
        return
    raise UsageError(fault, hint="name it in one line, such as: --group support-bot")


def add(connection: Connection, run_id: str, name: str) -> bool:
    """Put a run into a group; False if it is there already. An ``IntegrityError`` says that there is no such run."""
    return connection.execute(_ADD, {"run_id": run_id, "name": name}).rowcount > 0


def remove(connection: Connection, run_id: str, name: str) -> bool:
    """Take a run out of a group; False if it is not there."""
    found = delete(RUN_GROUPS).where(RUN_GROUPS.c.run_id == run_id, RUN_GROUPS.c.name == name)
    return connection.execute(found).rowcount > 0


def forget_run(connection: Connection, run_id: str) -> None:
    """Take a run out of all groups."""
    connection.execute(delete(RUN_GROUPS).where(RUN_GROUPS.c.run_id == run_id))


def counted(connection: Connection) -> dict[str, int]:
    """All groups by name, each with how many runs it has."""
    query = select(RUN_GROUPS.c.name, func.count()).group_by(RUN_GROUPS.c.name)
    return dict(sorted((name, runs) for name, runs in connection.execute(query)))


def by_run(connection: Connection) -> dict[str, tuple[str, ...]]:
    """The groups of every run that has any, by name."""
    found: dict[str, tuple[str, ...]] = {}
    for run_id, name in connection.execute(select(RUN_GROUPS.c.run_id, RUN_GROUPS.c.name)):
        found[run_id] = tuple(sorted((*found.get(run_id, ()), name)))
    return found


def groups_of(connection: Connection, run_id: str) -> tuple[str, ...]:
    """The groups of a run, by name."""
    names = connection.execute(select(RUN_GROUPS.c.name).where(RUN_GROUPS.c.run_id == run_id)).scalars()
    return tuple(sorted(names))
