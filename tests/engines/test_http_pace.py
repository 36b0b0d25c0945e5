"""How many requests are in flight, what Retry-After asks for, and at which server a conversation is."""

from __future__ import annotations

import asyncio
import datetime as dt
import email.utils

import pytest

from multiturn.engines.http_pace import Gate, Limit, retry_after
from multiturn.engines.http_seats import REST, Seats
from multiturn.transcript import Session

NOW = dt.datetime(2026, 1, 1, 12, 0, 0, tzinfo=dt.UTC)


def test_a_burst_of_refusals_halves_once() -> None:
    """Those that were sent before the halving say nothing of the new limit; the next ones do."""
    limit = Limit(32)
    for number in range(32):
        limit.refused(sent_at=0.0, now=1.0 + number / 100)
    assert limit.now == 16
    limit.refused(sent_at=0.9, now=2.0)
    assert limit.now == 16
    limit.refused(sent_at=1.5, now=2.5)
    assert limit.now == 8


def test_it_never_falls_below_one() -> None:
    limit = Limit(3)
    for second in range(10):
        limit.refused(sent_at=second + 0.5, now=second + 1.0)
    assert limit.now == 1
    assert Limit(0).now == 1


def test_as_many_replies_as_the_limit_raise_it_by_one() -> None:
    """Up to where it began, and no further; a refusal starts the counting anew."""
    limit = Limit(4)
    limit.refused(sent_at=0.0, now=1.0)
    assert limit.now == 2
    grown = []
    for _ in range(12):
        limit.went_well()
        grown.append(limit.now)
    assert grown == [2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4]
    limit.refused(sent_at=2.0, now=3.0)
    limit.went_well()
    limit.refused(sent_at=2.5, now=3.5)  # of the same burst: no halving, but no growing either
    limit.went_well()
    assert limit.now == 2


def test_the_gate_lets_in_as_many_as_the_limit_says_in_the_order_of_coming() -> None:
    """The others wait; a place that comes free goes to who came first."""

    async def run() -> tuple[list[int], int]:
        gate, order, most = Gate(2), list[int](), 0

        async def visit(number: int) -> None:
            nonlocal most
            await gate.enter()
            most = max(most, gate.inside)
            order.append(number)
            await asyncio.sleep(0)
            gate.leave()

        await asyncio.gather(*(visit(number) for number in range(7)))
        assert gate.inside == 0
        return order, most

    assert asyncio.run(run()) == ([0, 1, 2, 3, 4, 5, 6], 2)


def test_who_gives_up_waiting_holds_no_place() -> None:
    """Also one that is given up in the moment in which its place comes free."""

    async def run() -> None:
        gate = Gate(1)
        await gate.enter()
        first, second = (asyncio.create_task(gate.enter()) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        gate.leave()
        second.cancel()  # its place was given to it just now
        await asyncio.gather(first, second, return_exceptions=True)
        assert (first.cancelled(), second.cancelled()) == (True, True)
        assert gate.inside == 0
        await asyncio.wait_for(gate.enter(), 1)

    asyncio.run(run())


def test_a_gate_that_only_the_given_up_wait_at_lets_in() -> None:
    async def run() -> None:
        gate = Gate(1)
        await gate.enter()
        waiting = asyncio.create_task(gate.enter())
        await asyncio.sleep(0)
        gate.inside -= 1  # a place without a call for the next
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.wait_for(gate.enter(), 1)

    asyncio.run(run())


def test_a_limit_that_grows_lets_more_in() -> None:
    async def run() -> None:
        gate = Gate(2)
        gate.limit.refused(sent_at=0.0, now=1.0)
        await gate.enter()
        waiting = [asyncio.create_task(gate.enter()) for _ in range(2)]
        await asyncio.sleep(0)
        gate.limit.went_well()
        gate.leave()
        await asyncio.gather(*waiting)
        assert gate.inside == 2

    asyncio.run(run())


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": "0.05"}, 0.05),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "3600"}, 3600.0),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": email.utils.format_datetime(NOW + dt.timedelta(seconds=90), usegmt=True)}, 90.0),
        ({"Retry-After": email.utils.format_datetime(NOW - dt.timedelta(seconds=90), usegmt=True)}, 0.0),
        ({"Retry-After": "Thu, 01 Jan 2026 12:00:10 -0000"}, 10.0),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"retry-after-ms": "x", "Retry-After": "1"}, 1.0),
    ],
)
def test_what_retry_after_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, whole or not, or a date; what can't be read asks for nothing."""
    assert retry_after(headers, NOW) == seconds


ONE, TWO, THREE, FOUR = (Session(name) for name in ("one", "two", "three", "four"))


def test_conversations_are_spread_and_stay() -> None:
    """Each new one sits where the fewest sit; one that left makes room."""
    seats = Seats(2)
    assert [seats.of(session, now=0.0) for session in (ONE, TWO, THREE)] == [0, 1, 0]
    assert [seats.of(session, now=9.0) for session in (ONE, TWO, THREE)] == [0, 1, 0]
    seats.leave(ONE)
    seats.leave(THREE)
    assert seats.of(FOUR, now=9.0) == 0
    seats.leave(Session("never seen"))


def test_a_server_that_failed_rests_and_is_asked_again_later() -> None:
    """Its conversations move to another and stay there; new ones come back to it after its rest."""
    seats = Seats(2)
    assert seats.of(ONE, now=0.0) == 0
    assert seats.of(TWO, now=0.0) == 1
    seats.failed(0, now=1.0)
    assert seats.of(ONE, now=1.0) == 1
    assert seats.of(THREE, now=2.0) == 1
    assert seats.of(FOUR, now=1.0 + REST) == 0
    assert seats.of(ONE, now=1.0 + REST) == 1


def test_where_all_rest_one_is_asked_anyhow() -> None:
    """That which rests the shortest of those that have not failed for this very request."""
    seats = Seats(2)
    seats.of(ONE, now=0.0)
    seats.failed(0, now=0.0)
    seats.failed(1, now=5.0)
    assert seats.of(ONE, now=6.0) == 0
    assert seats.of(ONE, now=6.0, avoid=[0]) == 1
    assert Seats(1).of(ONE, now=0.0, avoid=[0]) == 0
