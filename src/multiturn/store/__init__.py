"""The store: every run, suite and turn, in SQLite by default and in PostgreSQL by URL."""

from multiturn.store.grouping import check_group_name
from multiturn.store.opening import DEFAULT_STORE, open_store
from multiturn.store.portable import Imported, Notice, export_run, import_run
from multiturn.store.reading import RunSummary, Store
from multiturn.store.writing import Writer

__all__ = [
    "DEFAULT_STORE",
    "Imported",
    "Notice",
    "RunSummary",
    "Store",
    "Writer",
    "check_group_name",
    "export_run",
    "import_run",
    "open_store",
]
