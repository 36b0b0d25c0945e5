from __future__ import annotations

import json
import math
import typing
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.codec import SCHEMA_VERSION, check_schema, clean_surrogates, decode, encode
from multiturn.conditions import Arm, Conditions, RunRecord
from multiturn.conversation import Capability, Category, Conversation, Link, Pattern, Suite, Turn
from multiturn.errors import FailureKind, StoreError
from multiturn.finding import Signal, SignalUnit, Span
from multiturn.results import Change
from multiturn.transcript import (
    REPLIED,
    Cause,
    Failure,
    FinishReason,
    Flag,
    HistoryMode,
    OverflowPolicy,
    Sampling,
    Status,
    Timing,
    TurnRecord,
)


def words(kind: object) -> st.SearchStrategy[Any]:
    """One of the words of a literal type."""
    return st.sampled_from(typing.get_args(kind))


TEXT = st.text(max_size=12)
NAMED = TEXT.filter(lambda text: bool(text.strip()))
COUNTS = st.integers(0, 2**62)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
TABLES = st.dictionaries(TEXT, TEXT, max_size=3)

SECONDS = st.floats(0, 1e9)
TIMINGS = st.builds(Timing, total=SECONDS, prompt=st.none() | SECONDS, generate=st.none() | SECONDS)
SAMPLINGS = st.builds(
    Sampling,
    temperature=st.floats(0, 10),
    top_p=st.floats(0, 1, exclude_min=True),
    top_k=COUNTS,
    min_p=st.floats(0, 1, exclude_max=True),
    stop=st.lists(st.text(min_size=1, max_size=5), max_size=2).map(tuple),
    seed=COUNTS,
)
TURNS = st.builds(
    Turn,
    text=NAMED,
    capability=st.none() | words(Capability),
    link=st.none() | words(Link),
    why=TEXT,
    golden=st.none() | TEXT,
    refusal_expected=st.none() | st.booleans(),
)
CONVERSATIONS = st.builds(
    Conversation,
    id=NAMED,
    turns=st.lists(TURNS, min_size=1, max_size=3).map(tuple),
    why=TEXT,
    capability=st.none() | words(Capability),
    category=st.none() | words(Category),
    domain=st.none() | TEXT,
    pattern=st.none() | words(Pattern),
    link=st.none() | words(Link),
    system=st.none() | TEXT,
)
SUITES = st.builds(
    Suite,
    name=NAMED,
    version=TEXT,
    description=TEXT,
    conversations=st.lists(CONVERSATIONS, min_size=1, max_size=3, unique_by=lambda one: one.id).map(tuple),
)
RUNS = st.builds(
    RunRecord,
    id=NAMED,
    created=TEXT,
    arm=st.builds(Arm, spec=NAMED, system=st.none() | TEXT, template=st.sampled_from(["model", "plain"])),
    suite_name=TEXT,
    suite_version=TEXT,
    conversations=COUNTS,
    turns=COUNTS,
    conditions=st.builds(
        Conditions,
        suite_digest=TEXT,
        sampling=SAMPLINGS,
        samples=st.integers(1, 9),
        history=words(HistoryMode),
        overflow=words(OverflowPolicy),
        context_window=st.none() | COUNTS,
        system=st.none() | TEXT,
        template=TEXT,
        reproducible=st.booleans(),
        identity=TABLES,
    ),
    versions=TABLES,
    notes=st.lists(TEXT, max_size=2).map(tuple),
)
SPANS = st.builds(lambda start, length, text: Span(start, start + length, text), COUNTS, st.integers(0, 9), TEXT)
SIGNALS = st.builds(
    Signal,
    name=TEXT,
    turn=COUNTS,
    value=st.none() | FINITE,
    unit=words(SignalUnit),
    label=TEXT,
    reason=NAMED,
    span=st.none() | SPANS,
)


@st.composite
def turn_records(draw: st.DrawFn) -> TurnRecord:
    """Records of every status, with everything else there or not."""
    status: Status = draw(words(Status))
    failures = st.builds(Failure, kind=words(FailureKind) | st.just("overflow"), message=TEXT)
    return TurnRecord(
        turn=draw(COUNTS),
        user=draw(TEXT),
        status=status,
        reply=draw(TEXT) if status in REPLIED else None,
        raw=draw(st.none() | TEXT),
        reasoning=draw(TEXT),
        cause=None if status in REPLIED else draw(words(Cause)),
        failure=draw(failures) if status == "failed" else draw(st.none() | failures),
        flags=tuple(draw(st.lists(words(Flag), max_size=3))),
        finish=draw(st.none() | words(FinishReason)),
        seed=draw(st.none() | COUNTS),
        prompt_kept=draw(COUNTS),
        prompt_delta=draw(st.none() | TEXT),
        prompt_tokens=draw(st.none() | COUNTS),
        token_ids=draw(st.none() | st.lists(COUNTS, max_size=4).map(tuple)),
        timing=draw(st.none() | TIMINGS),
        served_model=draw(TEXT),
    )


CONDITIONS = {
    "suite_digest": "d",
    "sampling": {},
    "samples": 1,
    "history": "self",
    "overflow": "stop",
    "context_window": 512,
    "system": None,
    "template": "model",
    "reproducible": True,
}


@given(st.one_of(turn_records(), RUNS, SUITES, CONVERSATIONS, SIGNALS))
def test_values_come_back_as_they_were(value: msgspec.Struct) -> None:
    """All statuses, all of Unicode, all finite numbers; what is written is plain UTF-8 JSON."""
    data = encode(value)
    assert decode(data, type(value)) == value
    assert decode(data.decode("utf-8"), type(value)) == value
    json.loads(data, parse_constant=pytest.fail)


@given(SUITES)
def test_a_suite_that_comes_back_has_its_digest(suite: Suite) -> None:
    """So a stored suite can be told to be the one in a file."""
    assert decode(encode(suite), Suite).digest == suite.digest


def test_fields_of_a_newer_minor_version_are_left_unread() -> None:
    """A store that a newer version wrote to stays readable, at any depth but a turn's."""
    signal = Signal(name="words", turn=0, value=3, unit="words", span=Span(0, 1, "a"))
    raw = json.loads(encode(signal)) | {"new": {"deep": [1]}}
    raw["span"]["new"] = 1
    assert decode(json.dumps(raw), Signal) == signal
    with pytest.raises(StoreError, match="unknown field `new`"):
        decode('{"id": "a", "turns": [{"text": "x", "new": 1}]}', Conversation)


def test_half_surrogates_are_refused_with_their_place() -> None:
    """Models can emit them; the error says where, and which function mends it."""
    record = TurnRecord(turn=0, user="x", status="ok", reply="ab\ud83d!")
    with pytest.raises(StoreError, match=r"reply holds half of a surrogate pair, U\+D83D, at character 2") as caught:
        encode(record)
    assert "clean_surrogates" in caught.value.hint
    mended = msgspec.structs.replace(record, reply=clean_surrogates("ab\ud83d!"))
    assert decode(encode(mended), TurnRecord).reply == "ab\ufffd!"


def test_half_surrogates_are_found_at_any_depth() -> None:
    """In lists, in tables, in the names of tables."""
    suite = Suite(name="s", conversations=(Conversation(id="a", turns=(Turn(text="\udc00x"),)),))
    with pytest.raises(StoreError, match=r"conversations\[0\]\.turns\[0\]\.text holds"):
        encode(suite)
    conditions = msgspec.convert(CONDITIONS | {"identity": {"weights": "w"}}, Conditions)
    broken = msgspec.structs.replace(conditions, identity={"\udc00": "\ud800"})
    with pytest.raises(StoreError, match=r"a key of identity holds .*; identity\['\\udc00'\] holds"):
        encode(broken)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_refused(number: float) -> None:
    """They would be written as null, and come back as something else or not at all."""
    with pytest.raises(StoreError, match=r"score is -?(nan|inf), not a finite number"):
        encode(Change(conversation="c", score=number, reasons=()))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff",
        '{"name": "\ud800"}',
        b'{"name": "n", "turn": 0, "unit": "miles", "value": 1}',
        b'{"name": "n", "turn": 0, "unit": "words", "value": null}',
        b'{"name": "n", "turn": "0", "unit": "words", "value": 1}',
        b'{"name": "n", "turn": 0, "unit": "words", "value": 1, "x": ' + b"[" * 100_000,
    ],
)
def test_what_can_not_be_read_is_a_store_error(data: bytes | str) -> None:
    """Cut off, of another type, against the value's own rules: never a half-made value, never a foreign error."""
    with pytest.raises(StoreError, match="what is kept as Signal can't be read"):
        decode(data, Signal)


def test_a_newer_schema_is_refused() -> None:
    """An older one is read."""
    check_schema(SCHEMA_VERSION)
    check_schema(0)
    with pytest.raises(StoreError, match=f"schema {SCHEMA_VERSION + 1}"):
        check_schema(SCHEMA_VERSION + 1)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain \U0001f600", "plain \U0001f600"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\ud83d", "\ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("a\ud83d\ud83d\ude00\ude00b", "a\ufffd\U0001f600\ufffdb"),
    ],
)
def test_surrogates_are_joined_or_replaced(text: str, clean: str) -> None:
    """Two halves that belong together are their character; a half alone is U+FFFD."""
    assert clean_surrogates(text) == clean


@given(st.text(alphabet=st.characters(categories=None, exclude_categories=()), max_size=20))
def test_clean_text_can_be_written(text: str) -> None:
    """And cleaning twice changes nothing more."""
    clean = clean_surrogates(text)
    clean.encode("utf-8")
    assert clean_surrogates(clean) == clean
