"""Flat rows: one for each planned turn of each arm, with nothing made up; the same from CSV and Parquet as from here."""

from __future__ import annotations

import csv
import importlib
import io
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.by_hand import checks, failed, held, ok, overflowed, refusals, words
from tests.report.page.filled import OF_RUN, run_of, suite_of

from multiturn.errors import MissingExtra
from multiturn.finding import Assessed, Signal
from multiturn.report import parquet
from multiturn.report.csv_rows import csv_lines
from multiturn.report.flat import Column, Layout, Row, Value
from multiturn.transcript import Timing

LAYOUT: Final = Layout([("words", "words"), ("refusal", "flag"), ("sameness", "share"), ("language_change", "flag")])
SUITE: Final = suite_of([{"id": "kettle"}, {"id": "cup"}], OF_RUN)
RUN: Final = run_of(SUITE, OF_RUN, 1)
TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\0\r\n\t\"',;=+-@\u2028\x85\ufeff"))


def rows(*transcripts: Assessed) -> list[dict[str, Value]]:
    """The rows of one run, as dicts."""
    found = list(LAYOUT.rows(SUITE, RUN, "tuned", transcripts))
    names = [column.name for column in LAYOUT.columns]
    return [dict(zip(names, row, strict=True)) for row in found]


def test_every_planned_turn_has_a_row() -> None:
    """Also the one that is lacking in a transcript, and those of a conversation that was never held."""
    found = rows(held("kettle", (ok(0), ok(1))))
    assert [(row["conversation"], row["turn"], row["status"]) for row in found] == [
        ("kettle", 1, "ok"),
        ("kettle", 2, "ok"),
        ("kettle", 3, "not_held"),
        ("cup", 1, "not_held"),
        ("cup", 2, "not_held"),
        ("cup", 3, "not_held"),
    ]
    assert all(row["reply"] is None for row in found if row["status"] == "not_held")


def test_samples_and_turns_count_from_1() -> None:
    three = msgspec.structs.replace(RUN, conditions=msgspec.structs.replace(RUN.conditions, samples=2))
    found = list(LAYOUT.rows(SUITE, three, "tuned", [held("kettle", (ok(0),), sample=1)]))
    assert [(row[3], row[4], row[5]) for row in found[:4]] == [
        ("kettle", 2, 1),
        ("kettle", 2, 2),
        ("kettle", 2, 3),
        ("kettle", 1, 1),
    ]
    assert len(found) == 12


def test_what_is_not_known_is_none_and_never_0() -> None:
    """A turn without a reply, one without checks, and an empty reply, which is known."""
    turns = (ok(0, ""), failed(1), overflowed(2))
    first, second, third = rows(held("kettle", turns, words(0, None, None)))[:3]
    assert (first["reply"], first["status"], first["words"]) == ("", "empty", 0)
    assert (second["reply"], second["words"], second["cause"], second["failure"]) == (
        None,
        None,
        "environment",
        "timeout",
    )
    assert (third["status"], third["cause"]) == ("overflowed", "model")
    for name in ("checks_passed", "checks_failed", "checks_applied", "failed_checks", "seed", "seconds", "refusal"):
        assert first[name] is None, name
    assert first["flags"] == ()


def test_checks_are_counted_and_those_that_fail_are_named() -> None:
    row = rows(held("kettle", (ok(0),), said=checks("pf-f")))[0]
    assert (row["checks_passed"], row["checks_failed"], row["checks_applied"]) == (1, 2, 3)
    assert row["failed_checks"] == ("says 0.1", "says 0.3")


def test_signals_have_a_column_each_and_words_beside_them() -> None:
    """Flags are 1 or 0, counts are whole; which refusal, and which language, stand beside."""
    signals = (
        *words(3),
        *refusals("x"),
        Signal(name="sameness", turn=0, value=0.25, unit="share"),
        Signal(name="language_change", turn=0, value=0.0, unit="flag", label="de"),
    )
    row = rows(held("kettle", (ok(0),), signals))[0]
    assert (row["words"], row["refusal"], row["sameness"], row["language_change"]) == (3, 1, 0.25, 0)
    assert (row["refusal_kind"], row["language"], row["refusal_expected"]) == ("full", "de", 0)
    assert isinstance(row["words"], int)


def test_where_a_turn_stands_and_how_it_was_drawn() -> None:
    record = msgspec.structs.replace(ok(1), seed=9, finish="stop", prompt_tokens=5, cached_tokens=4, new_tokens=3)
    record = msgspec.structs.replace(record, timing=Timing(total=1.5), flags=("run_on",))
    row = rows(held("kettle", (ok(0), record)))[1]
    assert (row["run"], row["arm"], row["model"]) == (RUN.id, "tuned", "scripted:tuned")
    assert (row["capability"], row["category"], row["domain"]) == ("context_retention", "writing", "household")
    assert (row["seed"], row["finish"], row["seconds"], row["flags"]) == (9, "stop", 1.5, ("run_on",))
    assert (row["prompt_tokens"], row["cached_tokens"], row["new_tokens"]) == (5, 4, 3)


def lines_of(found: list[Row], columns: tuple[Column, ...], *, for_spreadsheet: bool = False) -> str:
    return "".join(csv_lines(columns, found, for_spreadsheet=for_spreadsheet))


THREE: Final = (Column("text", "text"), Column("number", "number"), Column("texts", "texts"))


@settings(deadline=None)  # what is loaded first takes its time
@given(
    st.lists(
        st.tuples(
            st.none() | TEXTS, st.none() | st.floats(allow_nan=False, allow_infinity=False), st.lists(TEXTS).map(tuple)
        )
    )
)
@example([("=1+1", 0.1, ("a\0b",)), ("", None, ()), ('"', -0.0, ("\r\n",)), (None, 1e-300, ("\u2028",))])
def test_csv_comes_back_letter_for_letter(found: list[tuple[str | None, float | None, tuple[str, ...]]]) -> None:
    """Through the reader of the standard library; nothing and an empty text are told apart by their quotes."""
    told = lines_of([*found], THREE)
    read = list(csv.reader(io.StringIO(told, newline="")))
    assert read[0] == ["text", "number", "texts"]
    assert [(text, number) for text, number, _ in read[1:]] == [
        (text or "", "" if number is None else repr(number)) for text, number, _ in found
    ]
    assert [tuple(json.loads(texts)) for *_, texts in read[1:]] == [texts for *_, texts in found]
    assert told.split("\r\n")[0] == "text,number,texts"


def test_csv_tells_an_empty_text_from_none() -> None:
    assert lines_of([("", None, ()), (None, 0.5, ())], THREE) == 'text,number,texts\r\n"",,[]\r\n,0.5,[]\r\n'


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r"])
def test_a_formula_is_protected_only_where_that_is_asked_for(begins: str) -> None:
    row: Row = (f"{begins}1", None, ())
    plain, guarded = (lines_of([row], THREE, for_spreadsheet=asked) for asked in (False, True))
    assert next(csv.reader(io.StringIO(plain.partition("\r\n")[2], newline="")))[0] == f"{begins}1"
    assert next(csv.reader(io.StringIO(guarded.partition("\r\n")[2], newline="")))[0] == f"'{begins}1"
    assert lines_of([("a=1", None, ())], THREE, for_spreadsheet=True) == lines_of([("a=1", None, ())], THREE)


@settings(deadline=None)  # what is loaded first takes its time
@given(
    st.lists(
        st.tuples(st.none() | TEXTS, st.none() | st.floats(allow_nan=False), st.none() | st.lists(TEXTS).map(tuple)),
        max_size=5,
    )
)
@example([("a\0\r\n", None, ("", "\U0001f600")), (None, 0.0, None), ("", -0.0, ())])
def test_parquet_comes_back_as_it_was(found: list[tuple[str | None, float | None, tuple[str, ...] | None]]) -> None:
    pyarrow = pytest.importorskip("pyarrow.parquet", reason=f"needs pyarrow: {parquet.INSTALL}")
    file = io.BytesIO()
    parquet.write_parquet(file, THREE, [*found])
    table = pyarrow.read_table(io.BytesIO(file.getvalue()))
    assert [str(field.type) for field in table.schema] == ["string", "double", "list<element: string>"]
    read = [(row["text"], row["number"], row["texts"]) for row in table.to_pylist()]
    assert read == [(text, number, None if texts is None else list(texts)) for text, number, texts in found]


def test_parquet_has_a_type_for_each_kind_of_column() -> None:
    """No row is needed for that; flags are whole numbers, so that a mean over them is one."""
    pyarrow = pytest.importorskip("pyarrow.parquet", reason=f"needs pyarrow: {parquet.INSTALL}")
    file = io.BytesIO()
    parquet.write_parquet(file, LAYOUT.columns, [])
    found = {field.name: str(field.type) for field in pyarrow.read_schema(io.BytesIO(file.getvalue()))}
    assert found["turn"] == "int64"
    assert found["refusal"] == "int8"
    assert found["sameness"] == "double"
    assert found["reply"] == "string"
    assert found["failed_checks"].startswith("list<")
    assert list(found) == [column.name for column in LAYOUT.columns]


def test_parquet_writes_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """By rows and by length of texts, so that memory does not grow with the run."""
    pyarrow = pytest.importorskip("pyarrow.parquet", reason=f"needs pyarrow: {parquet.INSTALL}")
    monkeypatch.setattr(parquet, "MOST_ROWS", 3)
    monkeypatch.setattr(parquet, "MOST_TEXT", 10)
    file = io.BytesIO()
    texts = ["a"] * 4 + ["long" * 5, "b"]
    parquet.write_parquet(file, (Column("text", "text"),), [(text,) for text in texts])
    read = pyarrow.ParquetFile(io.BytesIO(file.getvalue()))
    assert [read.metadata.row_group(at).num_rows for at in range(read.num_row_groups)] == [3, 2, 1]
    assert read.read().column("text").to_pylist() == texts


def test_without_pyarrow_the_line_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:  # noqa: ANN401 - never returns
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtra, match="Parquet needs pyarrow") as refused:
        parquet.write_parquet(io.BytesIO(), LAYOUT.columns, [])
    assert refused.value.hint == "pip install 'multiturn[parquet]' (from a checkout: pip install '.[parquet]')"


def test_memory_does_not_grow_with_the_run() -> None:
    """Twenty times as many transcripts, and hardly more of it."""

    def peak(sessions: int) -> int:
        many = msgspec.structs.replace(RUN, conditions=msgspec.structs.replace(RUN.conditions, samples=sessions))

        def transcripts() -> Iterator[Assessed]:
            yield from (held("kettle", (ok(0, "x" * 10_000),), sample=at) for at in range(sessions))

        tracemalloc.start()
        for _ in csv_lines(LAYOUT.columns, LAYOUT.rows(SUITE, many, "tuned", transcripts())):
            pass
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(1000) < 2 * peak(50) + 200_000
