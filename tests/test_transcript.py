from __future__ import annotations

import math
import typing

import msgspec
import pytest

from multiturn.conversation import Message
from multiturn.transcript import (
    REPLIED,
    Cause,
    Failure,
    Request,
    Sampling,
    Session,
    Status,
    Timing,
    Transcript,
    TurnRecord,
)

STATUSES = typing.get_args(Status)
SESSION = Session("a")


def record(status: Status, *, cause: Cause | None = None) -> TurnRecord:
    """A sound record of this status."""
    whose: Cause = "model" if status == "overflowed" else "environment"
    return TurnRecord(
        turn=0,
        user="x",
        status=status,
        reply=None if status not in REPLIED else "" if status == "empty" else "y",
        failure=Failure("timeout", "no reply in 60 s") if status == "failed" else None,
        cause=None if status in REPLIED else cause or whose,
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", -0.1),
        ("temperature", 10.5),
        ("temperature", math.nan),
        ("temperature", math.inf),
        ("top_p", 0),
        ("top_p", 1.1),
        ("top_p", math.nan),
        ("top_k", -1),
        ("min_p", -0.1),
        ("min_p", 1),
        ("repeat_penalty", 0),
        ("presence_penalty", math.inf),
        ("frequency_penalty", -math.inf),
        ("max_tokens", 0),
        ("stop", ("",)),
        ("seed", -1),
        ("seed", 2**63),
    ],
)
def test_sampling_that_no_engine_can_do_is_refused(field: str, value: object) -> None:
    """The fault names its field."""
    with pytest.raises(ValueError, match=field if field != "stop" else "stop string"):
        Sampling(**{field: value})  # type: ignore[arg-type] # wrong values are the test


def test_the_edges_of_sampling_are_allowed() -> None:
    """Greedy, everything off, the largest seed."""
    assert Sampling(temperature=0, top_p=1, top_k=0, min_p=0, max_tokens=1, seed=2**63 - 1).temperature == 0


def test_a_request_ends_with_the_users_message() -> None:
    """An engine has nothing to reply to otherwise."""
    for messages in ((), (Message("user", "x"), Message("assistant", "y"))):
        with pytest.raises(ValueError, match="message"):
            Request(session=SESSION, turn=0, messages=messages, sampling=Sampling(), seed=0)


@pytest.mark.parametrize("status", STATUSES)
def test_a_record_has_a_reply_exactly_where_the_model_answered(status: Status) -> None:
    """A reply with a status that has none, and the other way round, can't be made."""
    assert (record(status).reply is not None) == (status in REPLIED)
    with pytest.raises(ValueError, match="disagree"):
        msgspec.structs.replace(record(status), reply=None if status in REPLIED else "y")


def test_absence_has_a_reason() -> None:
    """What has no reply says whose doing that is, and what failed says how; what has one has no cause."""
    with pytest.raises(ValueError, match="failure"):
        TurnRecord(turn=0, user="x", status="failed", cause="environment")
    for status in ("failed", "not_reached", "overflowed", "ok"):
        cause: Cause | None = "model" if status == "ok" else None
        with pytest.raises(ValueError, match="cause"):
            msgspec.structs.replace(record(status), cause=cause)


def test_turns_count_from_0() -> None:
    with pytest.raises(ValueError, match="turn must be"):
        msgspec.structs.replace(record("ok"), turn=-1)


@pytest.mark.parametrize(
    ("made", "missing"),
    [
        (record("ok"), False),
        (record("empty"), False),
        (record("length"), False),
        (record("filtered"), False),
        (record("overflowed"), False),
        (record("failed"), True),
        (record("not_reached", cause="environment"), True),
        (record("not_reached", cause="model"), False),
    ],
)
def test_only_the_environments_doing_is_missing(made: TurnRecord, missing: bool) -> None:  # noqa: FBT001 - a table's column
    """The model's own doing is a finding; a transcript is complete where nothing is missing."""
    assert made.missing is missing
    assert Transcript(session=SESSION, turns=(record("ok"), made)).complete is not missing


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_times_are_finite_and_not_negative(seconds: float) -> None:
    """A clock that went wrong is no measurement."""
    with pytest.raises(ValueError, match="finite and not negative"):
        Timing(total=1.0, prompt=seconds)
