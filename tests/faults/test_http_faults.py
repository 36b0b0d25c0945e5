"""Servers that fail in every known way: what the transcript says of it, how often was asked, how long it took.

Everything goes through ``multiturn.api`` with a store; the server is real and on loopback (``faulty_server.py``). The
bounds on time are generous: they catch what would wait for minutes.
"""

from __future__ import annotations

import datetime as dt
import email.utils
import time
from pathlib import Path

import pytest
from tests.faults.faulty_server import MODEL, FaultyServer, Script, Step, error_body
from tests.faults.http_place import MARK, QUICK, TRIES, Place, patience, require_right, statuses, suite_of

from multiturn.errors import EngineError, FailureKind
from multiturn.facts import ServerOptions
from multiturn.transcript import REPLIED, Status


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A fresh place."""
    return Place(tmp_path)


def refused(status: int, code: str | None = None, **headers: str) -> Step:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Step(status=status, headers=named, body=error_body(f"{MARK} {status}", code))


HTML = f"<!doctype html><html><head><title>Sign in</title></head><body>{MARK}</body></html>"
IN_AN_HOUR = email.utils.format_datetime(dt.datetime.now(dt.UTC) + dt.timedelta(hours=1), usegmt=True)

PASSING: dict[str, tuple[Step, FailureKind]] = {
    "429": (refused(429), "rate_limited"),
    "429, Retry-After 0.05": (refused(429, Retry_After="0.05"), "rate_limited"),
    "429, Retry-After an hour": (refused(429, Retry_After="3600"), "rate_limited"),
    "429, Retry-After a date": (refused(429, Retry_After=IN_AN_HOUR), "rate_limited"),
    "429, Retry-After garbage": (refused(429, Retry_After="soon"), "rate_limited"),
    "429, Retry-After below zero": (refused(429, Retry_After="-5"), "rate_limited"),
    "429, Retry-After not a number": (refused(429, Retry_After="nan"), "rate_limited"),
    "500": (refused(500), "server"),
    "502, a page": (Step(status=502, body=HTML, content_type="text/html"), "server"),
    "503, Retry-After 0.05": (refused(503, Retry_After="0.05"), "server"),
    "529": (refused(529, "overloaded_error"), "server"),
    "reset before a byte": (Step(fault="reset"), "connection"),
    "reset in mid-body": (Step(fault="reset_mid_body"), "connection"),
    "hang": (Step(fault="hang"), "timeout"),
    "body slower than the timeout": (Step(fault="slow_body"), "timeout"),
    "malformed JSON": (Step(body=f'{{"choices": [{{"message": {{"content": "{MARK}" oops'), "protocol"),
    "truncated JSON": (Step(fault="cut_body"), "protocol"),
    "no body": (Step(body=""), "protocol"),
    "200 with an error body": (Step(body=error_body(MARK, "server_error")), "server"),
    "no choices": (Step(body=f'{{"object": "chat.completion", "note": "{MARK}"}}'), "protocol"),
    "empty choices": (Step(choices=[]), "protocol"),
    "a list": (Step(body=f'["{MARK}"]'), "protocol"),
    "given up in the middle": (Step(finish="error"), "server"),
    "content that is no text": (Step(message={"role": "assistant", "content": 7}), "protocol"),
}
"""Faults that may pass: asked again, as often as allowed."""

LASTING: dict[str, tuple[Step, FailureKind]] = {
    "400": (refused(400), "bad_request"),
    "401": (refused(401, "invalid_api_key"), "auth"),
    "403": (refused(403), "auth"),
    "404, unknown model": (refused(404, "model_not_found"), "not_found"),
    "422": (refused(422), "bad_request"),
    "429, nothing left to spend": (refused(429, "insufficient_quota"), "auth"),
    "a login page with 200": (Step(body=HTML, content_type="text/html"), "protocol"),
}
"""Faults that asking again can't cure."""

EVERY = PASSING | LASTING


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_passes_leaves_no_trace(place: Place, name: str) -> None:
    """Met once, it costs one request more, and every reply is the right one."""
    turns, server = place.one(Script(steps=(Step(), PASSING[name][0])))
    assert statuses(turns) == ["ok", "ok", "ok"]
    assert len(server.chats) == 4
    require_right(place.stored()[0])


@pytest.mark.parametrize("name", EVERY)
def test_a_fault_that_stays_is_a_failure_of_its_kind(place: Place, name: str) -> None:
    """The turn is ``failed``, the next ones are not reached, the environment is the cause; what was held stands."""
    step, kind = EVERY[name]
    turns, server = place.one(Script(steps=(Step(),), always=step), turns=4)
    assert statuses(turns) == ["ok", "failed", "not_reached", "not_reached"]
    assert turns[1].failure is not None
    assert turns[1].failure.kind == kind
    assert all(turn.missing and turn.reply is None and turn.raw is None for turn in turns[1:])
    assert len(server.chats) == 1 + (TRIES if name in PASSING else 1)
    assert {len(asked.chat["messages"]) for asked in server.chats[1:]} == {3}


@pytest.mark.parametrize("name", ["429", "500", "reset in mid-body", "hang", "truncated JSON", "400", "401"])
def test_a_failed_turn_is_asked_for_again_by_the_same_call(place: Place, name: str) -> None:
    """Only it and those after it: what has its reply is not asked for again."""
    step, _ = EVERY[name]
    suite, script = suite_of(1, 3), Script(steps=(Step(),), always=step)
    with FaultyServer(script) as server:
        port = server.port
        place.hold(server.spec, suite, patience(script))
    with FaultyServer(port=port) as server:
        (transcript,) = place.hold(server.spec, suite)
    assert statuses(transcript.turns) == ["ok", "ok", "ok"]
    assert [len(asked.chat["messages"]) for asked in server.chats] == [3, 5]
    require_right(transcript)


def test_a_burst_of_faults_shorter_than_the_retries(place: Place) -> None:
    """Different faults one after the other count together."""
    burst = tuple(PASSING[name][0] for name in ("500", "reset in mid-body"))
    turns, server = place.one(Script(steps=burst))
    assert statuses(turns) == ["ok", "ok", "ok"]
    assert len(server.chats) == 3 + len(burst)


def test_retry_after_is_waited_for(place: Place) -> None:
    """As long as the server asks, where that is not longer than the longest wait."""
    patient = ServerOptions(retries=1, longest_wait=5)
    turns, server = place.one(Script(steps=(refused(429, Retry_After="1.2"),)), 1, patient)
    assert statuses(turns) == ["ok"]
    first, second = server.chats
    assert 1.2 <= second.at - first.at < 4


def test_no_retries_means_one_request(place: Place) -> None:
    """``retries`` counts tries after the first."""
    never = ServerOptions(timeout=20, retries=0, longest_wait=0.1)
    with FaultyServer(Script(always=refused(500))) as server:
        (transcript,) = place.hold(server.spec, suite_of(1, 2), never)
    assert statuses(transcript.turns) == ["failed", "not_reached"]
    assert len(server.chats) == 1


def test_a_full_window_is_an_overflow_and_asked_once(place: Place) -> None:
    """A 400 that speaks of the context: the model's own doing where its replies fill it."""
    turns, server = place.one(Script(steps=(Step(), Step()), always=refused(400, "context_length_exceeded")), turns=4)
    assert statuses(turns) == ["ok", "ok", "overflowed", "not_reached"]
    assert [turn.cause for turn in turns[2:]] == ["model", "model"]
    assert len(server.chats) == 3


def test_prompt_tokens_that_stop_growing_are_an_overflow(place: Place) -> None:
    """A server that cuts the conversation without a word is caught by its own count; what it said is no reply."""
    turns, server = place.one(Script(always=Step(prompt_tokens=50)), turns=3)
    assert statuses(turns) == ["ok", "overflowed", "not_reached"]
    assert turns[1].reply is None
    assert len(server.chats) == 2


def test_a_filter_ends_no_conversation(place: Place) -> None:
    """``content_filter`` with no text: the turn is ``filtered``, the model's own doing, and the next turn is asked for."""
    filtered = Step(finish="content_filter", message={"role": "assistant", "content": None})
    turns, server = place.one(Script(steps=(Step(), filtered)))
    assert statuses(turns) == ["ok", "filtered", "ok"]
    assert turns[1].reply == ""
    assert len(server.chats) == 3


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None},
        {"role": "assistant"},
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": "\u200b \n"},
    ],
    ids=["null", "missing", "empty", "zero-width"],
)
def test_a_reply_without_text_is_empty_and_no_failure(place: Place, message: dict[str, object]) -> None:
    """The server replied and the model said nothing: a finding about the model, asked for once."""
    turns, server = place.one(Script(steps=(Step(), Step(message=message))))
    assert statuses(turns) == ["ok", "empty", "ok"]
    assert turns[1].reply == ""
    assert len(server.chats) == 3


@pytest.mark.parametrize(
    "step",
    [
        Step(usage=False),
        Step(content_type="text/plain"),
        Step(fault="slow_body", pause=0.002),
        Step(served_model=f"{MODEL}-0613"),
        Step(finish=None),
        Step(finish="eos"),
    ],
    ids=["no usage", "text/plain", "slow body", "another name", "no finish reason", "another finish reason"],
)
def test_oddities_that_are_no_faults(place: Place, step: Step) -> None:
    """Every turn has its right reply at the first request."""
    turns, server = place.one(Script(always=step), options=QUICK)
    assert statuses(turns) == ["ok", "ok", "ok"]
    assert [turn.prompt_tokens is None for turn in turns] == [not step.usage] * 3
    assert {turn.served_model for turn in turns} == {step.served_model}
    assert len(server.chats) == 3
    require_right(place.stored()[0])


def test_half_a_surrogate_pair_is_a_reply_that_can_be_kept(place: Place) -> None:
    """JSON can spell what UTF-8 can't hold."""
    body = '{"model": "m", "choices": [{"index": 0, "message": {"content": "so \\ud83d."}, "finish_reason": "stop"}]}'
    turns, _ = place.one(Script(steps=(Step(body=body),)))
    assert (turns[0].status, turns[0].reply) == ("ok", "so \ufffd.")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(place: Place, status: int) -> None:
    """Messages and key go to the server that was named, and to no other."""
    with FaultyServer() as other:
        step = Step(status=status, headers={"Location": f"{other.url}/chat/completions"}, body=MARK)
        turns, server = place.one(Script(steps=(Step(),), always=step))
    assert statuses(turns) == ["ok", "failed", "not_reached"]
    assert turns[1].failure is not None
    assert turns[1].failure.kind == "protocol"
    assert other.asked == []
    assert len(server.chats) == 2


OLLAMA_FAULTS: dict[str, tuple[Step, Status, FailureKind | None, int]] = {
    "500": (Step(status=500, body=f'{{"error": "{MARK} 500"}}'), "failed", "server", TRIES),
    "reset in mid-body": (Step(fault="reset_mid_body"), "failed", "connection", TRIES),
    "hang": (Step(fault="hang"), "failed", "timeout", TRIES),
    "truncated JSON": (Step(fault="cut_body"), "failed", "protocol", TRIES),
    "200 with an error body": (Step(body=f'{{"error": "{MARK}"}}'), "failed", "server", TRIES),
    "404, unknown model": (Step(status=404, body=f'{{"error": "{MARK} not found"}}'), "failed", "not_found", 1),
    "tokens that stop growing": (Step(prompt_tokens=8), "overflowed", None, 1),
}


@pytest.mark.parametrize("name", OLLAMA_FAULTS)
def test_the_same_through_ollamas_own_route(place: Place, name: str) -> None:
    """The wire differs, what is made of it does not."""
    step, status, kind, tries = OLLAMA_FAULTS[name]
    turns, server = place.one(Script(steps=(Step(),), always=step), ollama=True)
    assert statuses(turns) == ["ok", status, "not_reached"]
    assert turns[1].failure is not None
    assert turns[1].failure.kind == (kind or "overflow")
    assert len(server.chats) == 1 + tries
    assert {asked.path for asked in server.chats} == {"/api/chat"}
    require_right(place.stored()[0])


RANDOM = [PASSING[name][0] for name in PASSING if name != "body slower than the timeout"] + [
    LASTING["400"][0],
    LASTING["404, unknown model"][0],
    Step(finish="content_filter", message={"role": "assistant", "content": None}),
]


@pytest.mark.parametrize("retries", [0, 2])
def test_one_request_in_five_fails_and_nothing_false_is_kept(place: Place, retries: int) -> None:
    """100 conversations of 4 turns: each turn is typed, each reply is right; a healthy server completes the rest.

    Only what is missing is asked for then, once.
    """
    suite = suite_of(100, 4)
    options = ServerOptions(timeout=1.0, retries=retries, longest_wait=0.05)
    began = time.monotonic()
    with FaultyServer(Script(chance=0.2, seed=11, faults=tuple(RANDOM))) as server:
        port = server.port
        try:
            place.hold(server.spec, suite, options, at_once=16)
        except EngineError as error:  # many in a row: it stops, and the same call goes on
            assert "in a row" in error.message  # noqa: PT017 - either way is right
        asked = len(server.chats)
    assert asked <= 400 * (1 + retries)
    before = place.stored()
    for transcript in before:
        require_right(transcript)
        for turn in transcript.turns:
            assert MARK not in f"{turn.reply}{turn.raw}"
            assert turn.status in {"ok", "filtered", "failed", "not_reached"}
            assert (turn.failure is not None) == (turn.status == "failed")
    kept = {
        (transcript.session, turn.turn): turn
        for transcript in before
        for turn in transcript.turns
        if turn.status in REPLIED
    }
    failed = {turn.failure.kind for transcript in before for turn in transcript.turns if turn.failure}
    assert len(failed) >= (4 if retries == 0 else 1), failed
    assert len(kept) > 100

    with FaultyServer(port=port) as server:
        after = place.hold(server.spec, suite, at_once=16)
    assert time.monotonic() - began < 60
    assert len(server.chats) == 400 - len(kept)
    assert {len(transcript.turns) for transcript in after} == {4}
    for transcript in after:
        require_right(transcript)
    ended = {(transcript.session, turn.turn): turn for transcript in after for turn in transcript.turns}
    assert {turn.status for turn in ended.values()} <= {"ok", "filtered"}
    assert {key: ended[key] for key in kept} == kept


def test_a_server_that_is_gone_stops_the_run(place: Place) -> None:
    """After a few conversations in a row without a reply it is not asked on; the same call completes the run later."""
    suite = suite_of(40, 2)
    with FaultyServer(Script(steps=(Step(),) * 10, always=refused(503))) as server:
        port = server.port
        with pytest.raises(EngineError, match="in a row failed") as raised:
            place.hold(server.spec, suite, at_once=4)
    assert "the same command again" in raised.value.hint
    assert len(server.chats) < 60
    with FaultyServer(port=port) as server:
        after = place.hold(server.spec, suite, at_once=4)
    assert len(server.chats) == 70
    assert {turn.status for transcript in after for turn in transcript.turns} == {"ok"}


def test_too_many_at_once_shrinks_how_many_are_sent_and_lets_it_grow_back(place: Place) -> None:
    """A storm of 429 in the middle of a run: fewer at once after it, then again as many as before, and no turn lost."""
    calm, storm = 48, 24
    steps = (Step(delay=0.03),) * calm + (refused(429, Retry_After="0.02"),) * storm
    with FaultyServer(Script(steps=steps, always=Step(delay=0.03))) as server:
        transcripts = place.hold(server.spec, suite_of(160, 4), ServerOptions(retries=8, longest_wait=0.1), at_once=16)
    assert {turn.status for transcript in transcripts for turn in transcript.turns} == {"ok"}
    in_flight = [asked.in_flight for asked in server.chats]
    assert len(in_flight) == 160 * 4 + storm
    assert max(in_flight[:calm]) >= 14
    assert max(in_flight[calm + storm + 4 : calm + storm + 16]) <= 8, in_flight
    assert max(in_flight[-200:]) >= 14, in_flight


def test_a_server_that_takes_few_at_once_is_asked_few_at_once(place: Place) -> None:
    """What it refuses stays a small part of what it is asked, and every turn gets its reply."""
    with FaultyServer(Script(capacity=4, always=Step(delay=0.02))) as server:
        transcripts = place.hold(server.spec, suite_of(64, 4), ServerOptions(retries=10, longest_wait=0.2), at_once=32)
    assert {turn.status for transcript in transcripts for turn in transcript.turns} == {"ok"}
    refusals = sum(asked.status == 429 for asked in server.chats)
    assert refusals < 0.5 * 256, refusals
