"""Flat rows as Parquet, with typed columns. Needs pyarrow, which is loaded when it is asked for."""

from __future__ import annotations

import importlib
from typing import IO, TYPE_CHECKING, Any, Final

from multiturn.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from multiturn.report.flat import Column, Kind, Row

MOST_ROWS: Final = 5_000
MOST_TEXT: Final = 16_000_000
"""Rows, and characters in them, that are kept in memory and written together."""
INSTALL: Final = "pip install 'multiturn[parquet]' (from a checkout: pip install '.[parquet]')"


def write_parquet(file: IO[bytes], columns: Sequence[Column], rows: Iterable[Row]) -> None:
    """Write rows as they come.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    arrow, parquet = _arrow()
    kinds: dict[Kind, Any] = {
        "text": arrow.string(),
        "whole": arrow.int64(),
        "number": arrow.float64(),
        "flag": arrow.int8(),
        "texts": arrow.list_(arrow.string()),
    }
    schema = arrow.schema([(column.name, kinds[column.kind]) for column in columns])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for group in _groups(rows):
            values = zip(*group, strict=True)
            arrays = [arrow.array(column, type=field.type) for column, field in zip(values, schema, strict=True)]
            writer.write_batch(arrow.record_batch(arrays, schema=schema))


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    text = 0
    for row in rows:
        group.append(row)
        text += sum(len(value) for value in row if isinstance(value, str))
        if len(group) == MOST_ROWS or text > MOST_TEXT:
            yield group
            group, text = [], 0
    if group:
        yield group


def _arrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("Parquet needs pyarrow", hint=INSTALL) from None
