"""The tables and how they came to be."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, inspect

from multiturn.errors import StoreError
from multiturn.store import open_store
from multiturn.store.schema import METADATA, MIGRATIONS, MIGRATIONS_TABLE, applied_migrations, migrate


def m999_from_the_future(_connection: Connection) -> None:
    """What this version does not know."""


def shape(connection: Connection) -> dict[str, object]:
    """Columns, keys and indexes of all tables, as the database reports them."""
    inspector = inspect(connection)
    return {
        table: (
            [(item["name"], str(item["type"]), item["nullable"]) for item in inspector.get_columns(table)],
            inspector.get_pk_constraint(table)["constrained_columns"],
            sorted((item["name"], tuple(item["column_names"])) for item in inspector.get_indexes(table)),
        )
        for table in inspector.get_table_names()
    }


def test_migrations_lead_to_the_tables_that_queries_are_written_against(tmp_path: Path) -> None:
    drawn = create_engine(f"sqlite:///{tmp_path / 'drawn.db'}")
    METADATA.create_all(drawn)
    with open_store(tmp_path / "migrated.db") as store, drawn.connect() as expected, store.engine.connect() as found:
        assert shape(found) == shape(expected)
    drawn.dispose()


def test_a_new_store_names_its_migrations_with_their_time(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db") as store, store.engine.connect() as connection:
        rows = connection.execute(MIGRATIONS_TABLE.select()).all()
    assert [row.name for row in rows] == [step.__name__ for step in MIGRATIONS]
    assert all("T" in row.applied and row.applied.endswith("+00:00") for row in rows)


@pytest.mark.parametrize("known", range(1, len(MIGRATIONS)))
def test_an_older_store_is_brought_up_to_date_with_what_it_holds(tmp_path: Path, known: int) -> None:
    """From every earlier schema on."""
    path = tmp_path / "old.db"
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        migrate(connection, "old.db", MIGRATIONS[:known])
        connection.exec_driver_sql("INSERT INTO suites VALUES ('d', 'n', '1', '')")
    engine.dispose()
    with open_store(path) as store, store.engine.connect() as connection:
        assert applied_migrations(connection) == {step.__name__ for step in MIGRATIONS}
        assert connection.exec_driver_sql("SELECT digest FROM suites").scalar_one() == "d"


def test_an_open_store_is_not_migrated_again(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db") as store, store.engine.begin() as connection:
        assert migrate(connection, "s.db") == ()


def test_a_store_of_a_newer_version_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with open_store(path) as store, store.engine.begin() as connection:
        migrate(connection, "s.db", [*MIGRATIONS, m999_from_the_future])
    with pytest.raises(StoreError, match=r"made by a newer multiturn.*m999_from_the_future") as caught:
        open_store(path)
    assert "upgrade" in caught.value.hint
    assert "--store another.db" in caught.value.hint


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def m998_breaks(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE half (x INTEGER)")
        raise RuntimeError("broken")

    with open_store(tmp_path / "s.db") as store:
        with pytest.raises(RuntimeError, match="broken"), store.engine.begin() as connection:
            migrate(connection, "s.db", [*MIGRATIONS, m998_breaks])
        with store.engine.connect() as connection:
            assert "half" not in inspect(connection).get_table_names()
