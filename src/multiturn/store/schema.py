"""The tables of the store, and how they came to be.

The tables below are what queries are written against: today's shape. The migrations are how a store gets there: named
functions that only ever grow in number and are never edited once released, read top to bottom. A test holds the two
against each other. Statements here run on SQLite and on PostgreSQL alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import (
    DOUBLE_PRECISION,
    Boolean,
    Column,
    Connection,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    select,
    text,
)

from multiturn.errors import StoreError

METADATA: Final = MetaData()

MIGRATIONS_TABLE: Final = Table(
    "migrations",
    METADATA,
    Column("name", String(100), primary_key=True),
    Column("applied", String(40), nullable=False),
)

SUITES: Final = Table(
    "suites",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("description", Text, nullable=False),
)

CONVERSATIONS: Final = Table(
    "conversations",
    METADATA,
    Column("suite_digest", String(64), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("record", Text, nullable=False),
)
"""The suite's conversations in its order, each as JSON: a row each, so that no suite is ever one huge text."""

RUNS: Final = Table(
    "runs",
    METADATA,
    Column("id", String(200), primary_key=True),
    Column("created", String(40), nullable=False),
    Column("spec", Text, nullable=False),
    Column("suite_digest", String(64), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("record", Text, nullable=False),
    Index("runs_by_fingerprint", "fingerprint"),
)
"""``record`` is the whole run record as JSON. The suite is not a foreign key: an imported run may have lost its own."""

TURNS: Final = Table(
    "turns",
    METADATA,
    Column("run_id", String(200), primary_key=True),
    Column("conversation", String(200), primary_key=True),
    Column("sample", Integer, primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("status", String(20), nullable=False),
    Column("record", Text, nullable=False),
    Index("turns_by_status", "run_id", "status", "conversation", "sample"),
)
"""``record`` is the turn record as JSON. A turn can't be stored for a run that is not."""

RUN_GROUPS: Final = Table(
    "run_groups",
    METADATA,
    Column("run_id", String(200), primary_key=True),
    Column("name", String(100), primary_key=True),
    Index("run_groups_by_name", "name"),
)
"""Which runs are in which group. Only a run that is stored can be in one."""

LOOKS: Final = Table(
    "looks",
    METADATA,
    Column("key", String(64), primary_key=True),
    Column("look", Integer, primary_key=True),
    Column("created", String(40), nullable=False),
    Column("base_run", String(200), nullable=False),
    Column("tuned_run", String(200), nullable=False),
    Column("level", DOUBLE_PRECISION, nullable=False),
    Column("plan", Text, nullable=False),
    Column("held_before", Boolean, nullable=False),
)
"""Declared looks at comparisons (:mod:`multiturn.looks`). The runs are no foreign keys: a look outlives them."""

JUDGES: Final = Table(
    "judges",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("created", String(40), nullable=False),
    Column("spec", Text, nullable=False),
    Column("record", Text, nullable=False),
)
"""Who judged, by what rubric, under which conditions (:class:`multiturn.judgment.JudgeRecord`)."""

JUDGMENTS: Final = Table(
    "judgments",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("judge_id", String(64), nullable=False),
    Column("run_id", String(200), nullable=False),
    Column("opponent_id", String(200), nullable=True),
    Column("conversation", String(200), nullable=False),
    Column("said", String(20), nullable=False),
    Column("key", String(64), nullable=False),
    Column("record", Text, nullable=False),
    Index("judgments_by_run", "run_id", "conversation"),
    Index("judgments_by_opponent", "opponent_id"),
    Index("judgments_by_key", "judge_id", "key"),
)
"""``record`` is a :class:`multiturn.judgment.Judged` as JSON, ``said`` its kind (``rating``, ``unreadable`` ...). The
opponent is no foreign key, so that of two runs that were exported either can be imported first."""

CARDS: Final = Table(
    "cards",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("judge_id", String(64), nullable=False),
    Column("created", String(40), nullable=False),
    Column("record", Text, nullable=False),
    Index("cards_by_judge", "judge_id"),
)
"""What self-checks of judges found (:class:`multiturn.judge_card.Card`)."""

PROBE_ANSWERS: Final = Table(
    "probe_answers",
    METADATA,
    Column("key", String(64), primary_key=True),
    Column("record", Text, nullable=False),
)
"""What judges said in self-checks (:class:`multiturn.judgment.Judged`), by its key, so that a check goes on where it
stopped. Questions of checks are about no stored run, and some are asked of a judge in another manner."""

Migration = Callable[[Connection], None]

PG_MIGRATION_LOCK: Final = 7_301_941_120_257
"""Any number, the same in all versions: who holds it may migrate (PostgreSQL only; SQLite has one writer anyway)."""


def m001_suites_runs_turns(connection: Connection) -> None:
    """What was asked, by whom it was held, and every turn of it."""
    for statement in (
        """CREATE TABLE suites (
            digest VARCHAR(64) NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            version TEXT NOT NULL,
            description TEXT NOT NULL
        )""",
        """CREATE TABLE conversations (
            suite_digest VARCHAR(64) NOT NULL REFERENCES suites (digest),
            position INTEGER NOT NULL,
            record TEXT NOT NULL,
            PRIMARY KEY (suite_digest, position)
        )""",
        """CREATE TABLE runs (
            id VARCHAR(200) NOT NULL PRIMARY KEY,
            created VARCHAR(40) NOT NULL,
            spec TEXT NOT NULL,
            suite_digest VARCHAR(64) NOT NULL,
            fingerprint VARCHAR(64) NOT NULL,
            record TEXT NOT NULL
        )""",
        """CREATE TABLE turns (
            run_id VARCHAR(200) NOT NULL REFERENCES runs (id),
            conversation VARCHAR(200) NOT NULL,
            sample INTEGER NOT NULL,
            turn INTEGER NOT NULL,
            status VARCHAR(20) NOT NULL,
            record TEXT NOT NULL,
            PRIMARY KEY (run_id, conversation, sample, turn)
        )""",
    ):
        connection.execute(text(statement))


def m002_find_and_count(connection: Connection) -> None:
    """Runs are found by fingerprint; turns are counted by status without reading their records."""
    connection.execute(text("CREATE INDEX runs_by_fingerprint ON runs (fingerprint)"))
    connection.execute(text("CREATE INDEX turns_by_status ON turns (run_id, status, conversation, sample)"))


def m003_groups_and_looks(connection: Connection) -> None:
    """Runs can be put into groups; looks at comparisons that may be extended are kept."""
    for statement in (
        """CREATE TABLE run_groups (
            run_id VARCHAR(200) NOT NULL REFERENCES runs (id),
            name VARCHAR(100) NOT NULL,
            PRIMARY KEY (run_id, name)
        )""",
        "CREATE INDEX run_groups_by_name ON run_groups (name)",
        """CREATE TABLE looks (
            key VARCHAR(64) NOT NULL,
            look INTEGER NOT NULL,
            created VARCHAR(40) NOT NULL,
            base_run VARCHAR(200) NOT NULL,
            tuned_run VARCHAR(200) NOT NULL,
            level DOUBLE PRECISION NOT NULL,
            plan TEXT NOT NULL,
            held_before BOOLEAN NOT NULL,
            PRIMARY KEY (key, look)
        )""",
    ):
        connection.execute(text(statement))


def m004_judgments(connection: Connection) -> None:
    """Judges, and what they said of the replies of runs; what was said of a run goes when the run goes."""
    for statement in (
        """CREATE TABLE judges (
            id VARCHAR(64) NOT NULL PRIMARY KEY,
            created VARCHAR(40) NOT NULL,
            spec TEXT NOT NULL,
            record TEXT NOT NULL
        )""",
        """CREATE TABLE judgments (
            id VARCHAR(64) NOT NULL PRIMARY KEY,
            judge_id VARCHAR(64) NOT NULL REFERENCES judges (id),
            run_id VARCHAR(200) NOT NULL REFERENCES runs (id),
            opponent_id VARCHAR(200),
            conversation VARCHAR(200) NOT NULL,
            said VARCHAR(20) NOT NULL,
            key VARCHAR(64) NOT NULL,
            record TEXT NOT NULL
        )""",
        "CREATE INDEX judgments_by_run ON judgments (run_id, conversation)",
        "CREATE INDEX judgments_by_opponent ON judgments (opponent_id)",
        "CREATE INDEX judgments_by_key ON judgments (judge_id, key)",
    ):
        connection.execute(text(statement))


def m005_cards(connection: Connection) -> None:
    """What a judge's self-check found; it outlives the runs that it was tried with."""
    for statement in (
        """CREATE TABLE cards (
            id VARCHAR(64) NOT NULL PRIMARY KEY,
            judge_id VARCHAR(64) NOT NULL REFERENCES judges (id),
            created VARCHAR(40) NOT NULL,
            record TEXT NOT NULL
        )""",
        "CREATE INDEX cards_by_judge ON cards (judge_id)",
    ):
        connection.execute(text(statement))


def m006_probe_answers(connection: Connection) -> None:
    """What judges said in self-checks, answer by answer."""
    connection.execute(text("CREATE TABLE probe_answers (key VARCHAR(64) NOT NULL PRIMARY KEY, record TEXT NOT NULL)"))


MIGRATIONS: Final[tuple[Migration, ...]] = (
    m001_suites_runs_turns,
    m002_find_and_count,
    m003_groups_and_looks,
    m004_judgments,
    m005_cards,
    m006_probe_answers,
)
"""All of them, oldest first. Add at the end; never edit, reorder or remove."""


def migrate(connection: Connection, where: str, migrations: Sequence[Migration] = MIGRATIONS) -> tuple[str, ...]:
    """Bring a store to today's shape; call it in a transaction that holds the write lock.

    Args:
        connection: In a write transaction.
        where: The store, as messages name it.
        migrations: What this version knows, oldest first (a test builds older stores with fewer).

    Returns:
        Names of the migrations that were applied now.

    Raises:
        StoreError: A newer multiturn made it, or another program did.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": PG_MIGRATION_LOCK})
    applied = _applied(connection, where)
    refuse_newer(applied, where, migrations)
    pending = [step for step in migrations if step.__name__ not in applied]
    for step in pending:
        step(connection)
        row = {"name": step.__name__, "applied": datetime.now(UTC).isoformat(timespec="seconds")}
        connection.execute(MIGRATIONS_TABLE.insert(), row)
    return tuple(step.__name__ for step in pending)


def refuse_newer(applied: set[str], where: str, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Raise ``StoreError`` if a migration was applied that this version does not know."""
    unknown = sorted(applied - {step.__name__ for step in migrations})
    if unknown:
        raise StoreError(
            f"{where} was made by a newer multiturn (it has {', '.join(unknown)})",
            hint="upgrade (pip install --upgrade multiturn), or use another store (--store another.db)",
        )


def applied_migrations(connection: Connection) -> set[str]:
    """Names of the migrations in a store, none if it is new."""
    if not inspect(connection).has_table(MIGRATIONS_TABLE.name):
        return set()
    return set(connection.execute(select(MIGRATIONS_TABLE.c.name)).scalars())


def _applied(connection: Connection, where: str) -> set[str]:
    tables = set(inspect(connection).get_table_names())
    if MIGRATIONS_TABLE.name in tables:
        return applied_migrations(connection)
    if tables and connection.dialect.name == "sqlite":
        raise StoreError(
            f"{where} is a database of another program (its tables: {', '.join(sorted(tables)[:5])})",
            hint="use another file (--store another.db)",
        )
    MIGRATIONS_TABLE.create(connection)
    return set()
