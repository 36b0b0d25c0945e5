"""The engine for servers: what it asks before the first reply, what it says of itself, how it tries again and moves."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import stamina
from tests.engines.http_loopback import Asked, Loopback, Route, Told

from multiturn.conditions import MODEL_KEYS, TEMPLATE_KEYS
from multiturn.conversation import Message
from multiturn.engines.http import HttpEngine, open_engines
from multiturn.engines.http_facts import asking
from multiturn.engines.http_setup import Found
from multiturn.engines.http_spec import parse_spec
from multiturn.errors import ContextOverflow, EngineSetupError, MultiturnError, ReplyFailed
from multiturn.facts import EngineOptions, ServerOptions, Unknown
from multiturn.transcript import Prompt, Reply, Request, Sampling, Session

QUICK = ServerOptions(timeout=2.0, retries=2, longest_wait=0.02)
KEY = "key-AAAA1111BBBB2222"


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No keys and addresses of the machine's own."""
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "MULTITURN_API_KEY",
        "OLLAMA_HOST",
        "OPENAI_API_VERSION",
        "HTTP_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)


def request(session: str = "c", *, text: str = "Good day", **sampling: Any) -> Request:  # noqa: ANN401
    messages = (Message("system", "Be brief."), Message("user", text))
    drawn = Sampling(**{"max_tokens": 8, **sampling})
    return Request(session=Session(session), turn=0, messages=messages, sampling=drawn, seed=7)


def models(*names: str, **more: Any) -> Route:  # noqa: ANN401 - fields of an entry
    return lambda _: (200, {"object": "list", "data": [{"id": name, **more} for name in names]})


def said(text: str = "Hi.", **more: Any) -> Told:  # noqa: ANN401 - fields of a reply
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return 200, {"model": "m", "choices": [choice], **more}


def replies(*told: Told) -> Callable[[Asked], Told]:
    """One after the other, the last for ever."""
    left = list(told)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


CHAT = "/v1/chat/completions"


def server(*told: Told, **more: Any) -> Loopback:  # noqa: ANN401 - fields of the list's entry
    return Loopback({"/v1/models": models("m", **more), CHAT: replies(*(told or (said(),)))})


def opened(spec: str, server: ServerOptions = QUICK, **options: Any) -> HttpEngine:  # noqa: ANN401
    (engine,) = open_engines([spec], EngineOptions(server=server, **options))
    return engine


def ask(engine: HttpEngine, *requests: Request) -> list[Reply]:
    """The replies, one after the other; the engine is closed then."""

    async def run() -> list[Reply]:
        try:
            return [await engine.reply(one) for one in requests or (request(),)]
        finally:
            await engine.close()

    return asyncio.run(run())


def failure(engine: HttpEngine) -> ReplyFailed:
    with pytest.raises(ReplyFailed) as caught:
        ask(engine)
    return caught.value


def test_a_reply_through_a_server() -> None:
    """One question before, one request for the reply; the server renders, so the prompt is unknown."""
    with server(said("Good day.", usage={"prompt_tokens": 9, "completion_tokens": 3})) as here:
        engine = opened(f"openai:m@{here.root}/v1")
        assert isinstance(asyncio.run(engine.prompt(request())), Unknown)
        (reply,) = ask(engine)
    assert (reply.text, reply.prompt_tokens, reply.new_tokens, reply.served_model) == ("Good day.", 9, 3, "m")
    assert 0 < reply.timing.total < 2
    assert [asked.path for asked in here.asked] == ["/v1/models", CHAT]
    assert here.asked[1].body["messages"][0] == {"role": "system", "content": "Be brief."}


def test_it_opens_inside_a_running_loop() -> None:
    """As in a notebook, and as a comparison opens its arms."""

    async def run() -> str:
        engine = opened(f"openai:m@{here.root}/v1")
        try:
            return (await engine.reply(request())).text
        finally:
            await engine.close()

    with server() as here:
        assert asyncio.run(run()) == "Hi."


def test_two_arms_on_two_servers_differ_in_the_model_alone() -> None:
    """Their identities can be compared, though one name may stand for two models: the address is part of the weights."""
    with server(owned_by="vllm") as one, server(owned_by="vllm") as two:
        engines = open_engines([f"openai:m@{here.root}/v1" for here in (one, two)], EngineOptions())
    first, second = (engine.facts.identity for engine in engines)
    different = {key for key in first.keys() | second.keys() if first.get(key) != second.get(key)}
    assert different == {"weights"} <= MODEL_KEYS
    assert (first["engine"], first["server"], first["route"]) == ("openai", "vllm", "chat")
    assert "repetition_penalty" in first["fields"].split()
    assert any(one.root in note for note in engines[0].facts.notes)


def test_a_server_is_asked_once_for_all_its_models() -> None:
    with Loopback({"/v1/models": models("base", "tuned")}) as here:
        open_engines([f"openai:{name}@{here.root}/v1" for name in ("base", "tuned")], EngineOptions())
    assert [asked.path for asked in here.asked] == ["/v1/models"]


@pytest.mark.parametrize(
    ("entry", "options", "window"),
    [({}, {}, None), ({"max_model_len": 4096}, {}, 4096), ({"max_model_len": 4096}, {"context_window": 512}, 512)],
)
def test_the_window_where_somebody_tells_it(entry: dict[str, int], options: dict[str, Any], window: int | None) -> None:
    """The server, the user, the smaller of both; where nobody does, a note says what to type."""
    with server(**entry) as here:
        facts = opened(f"openai:m@{here.root}/v1", **options).facts
    assert facts.context_window == window
    assert any("--context-window" in note for note in facts.notes) == (window is None)


def test_a_vllm_server_tells_its_version_and_what_it_loaded() -> None:
    """Both decide the texts; of a path only the last part is recorded."""
    with server(owned_by="vllm", root="/home/someone/models/tuned-7b") as here:
        here.routes["/version"] = lambda _: (200, {"version": "0.11.0"})
        facts = opened(f"openai:m@{here.root}/v1").facts
    assert facts.identity["server_version"] == "0.11.0"
    assert facts.identity["weights"] == f"m@127.0.0.1:{here.port}/v1 (tuned-7b)"
    assert facts.seeds is None
    assert not facts.reproducible


def refusal(routes: dict[str, Route], spec: str = "openai:m@{root}/v1", **options: Any) -> str:  # noqa: ANN401
    """What set-up says, with its hint; nothing it says is without one."""
    with Loopback(routes) as here, pytest.raises(EngineSetupError) as caught:
        opened(spec.format(root=here.root), **options)
    assert caught.value.hint
    return str(caught.value)


def test_a_name_that_the_server_does_not_know() -> None:
    """With the nearest names, or with those that it has."""
    many = models("llama-3-8b", "llama-3-70b", *(f"m{number}" for number in range(20)))
    assert "did you mean llama-3-8b" in refusal({"/v1/models": many}, "openai:lama-3-8b@{root}/v1")
    told = refusal({"/v1/models": many}, "openai:qwertzuiop@{root}/v1")
    assert "it serves llama-3-8b" in told
    assert "and 14 more" in told


def test_a_name_that_is_not_listed_but_gets_a_reply() -> None:
    """Gateways take more names than they list: one short reply decides, and a note says so."""
    with server() as here:
        facts = opened(f"openai:m:nitro@{here.root}/v1").facts
    assert [(body["model"], body["max_tokens"]) for body in here.bodies(CHAT)] == [("m:nitro", 16)]
    assert any("does not list 'm:nitro'" in note for note in facts.notes)


@pytest.mark.parametrize(
    "told", [(404, {"error": "no such model"}), (400, {"error": "no such model"}), (200, {"error": "no such model"})]
)
def test_a_name_that_is_not_listed_and_gets_no_reply(told: Told) -> None:
    """The server's words, and the nearest names."""
    words = refusal({"/v1/models": models("m-large"), CHAT: replies(told)}, "openai:m-larg@{root}/v1")
    assert "no such model" in words
    assert "did you mean m-large?" in words


def test_an_adapters_window_is_that_of_its_base() -> None:
    """As vLLM lists adapters: their base is a parent, and has a window alone."""
    entries = [
        {"id": "base", "owned_by": "vllm", "max_model_len": 4096},
        {"id": "tuned", "owned_by": "vllm", "parent": "base", "max_model_len": None},
    ]
    with Loopback({"/v1/models": lambda _: (200, {"data": entries})}) as here:
        engines = open_engines([f"openai:{name}@{here.root}/v1" for name in ("base", "tuned")], EngineOptions())
    assert [engine.facts.context_window for engine in engines] == [4096, 4096]


def test_a_url_that_lacks_v1() -> None:
    """The server is there, its API is a step further: the spec to type is said."""
    told = refusal({"/v1/models": models("m")}, "openai:m@{root}")
    assert "/v1 has" in told
    assert "next: write openai:m@http://127.0.0.1" in told


def test_a_server_without_a_list_is_asked_for_one_short_reply() -> None:
    """So that a wrong name or key shows before the first conversation; any other trouble is left to the run."""
    assert "no request for 'm'" in refusal({CHAT: lambda _: (404, {"error": "no such model"})})
    assert "MULTITURN_API_KEY" in refusal({CHAT: lambda _: (401, {"error": "who are you?"})})
    for told in (said(), (500, {"error": "x"}), (400, {"error": "x"})):
        with Loopback({CHAT: replies(told)}) as here:
            opened(f"openai:m@{here.root}/v1")
        assert [body["max_tokens"] for body in here.bodies(CHAT)] == [16]


def test_a_server_that_names_the_budget_otherwise() -> None:
    """It says so itself; the hint is the line of a file."""
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    told = refusal({CHAT: lambda _: (400, {"error": {"message": words}})})
    assert 'max_tokens_field = "max_completion_tokens"' in told


def test_a_server_that_is_not_ready_yet_is_waited_for_a_little() -> None:
    """What it will say decides how it is asked: it is not taken for another kind of server meanwhile."""
    loading: Told = (503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}})
    listed = models("m", owned_by="vllm")(Asked("", "", {}, {}))
    assert not isinstance(listed, Awaitable)
    with Loopback({"/v1/models": replies(loading, listed)}) as here:
        assert opened(f"openai:m@{here.root}/v1").facts.identity["server"] == "vllm"
    assert "not ready (503: Loading model)" in refusal({"/v1/models": replies(loading)})


def test_a_proxy_is_used_where_the_environment_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for this machine itself, and not for hosts that it excepts."""
    with server() as proxy, server() as here:
        monkeypatch.setenv("HTTP_PROXY", proxy.root)
        monkeypatch.setenv("NO_PROXY", "near.example, other.example")
        assert ask(opened("openai:m@http://far.example/v1"))[0].text == "Hi."
        assert ask(opened(f"openai:m@{here.root}/v1"))[0].text == "Hi."
        with pytest.raises(EngineSetupError, match=r"no server replies at http://in\.near\.example"):
            opened("openai:m@http://in.near.example/v1")
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        with pytest.raises(EngineSetupError, match=r"the proxy on the way to far.example \(HTTP_PROXY\) can't be"):
            opened("openai:m@http://far.example/v1")
    assert [asked.path for asked in proxy.asked] == ["/v1/models", CHAT]


@pytest.mark.parametrize("value", ["localhost:3128", "socks5://user:pw-DDDD@host:1", "http://", "http://host:99999"])
def test_a_variable_that_names_no_proxy(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """It is named, with the form that it must have; what it holds may be a password and is not repeated."""
    monkeypatch.setenv("https_proxy", value)
    with pytest.raises(EngineSetupError, match="https_proxy is no URL of a proxy") as caught:
        opened("openai:m@https://far.example/v1")
    assert caught.value.hint == "export https_proxy=http://HOST:PORT, or unset it"
    assert "pw-DDDD" not in str(caught.value)


def unlooked(spec: str, **more: Any) -> HttpEngine:  # noqa: ANN401 - as ServerOptions takes them
    """An engine whose servers were not asked first."""
    endpoint, options = parse_spec(spec, {}), EngineOptions(server=ServerOptions(timeout=1.0, **more))
    return HttpEngine(endpoint, Found(), asking(endpoint, Found(), options), options.server)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a full queue refuses")
def test_a_host_that_takes_no_connection_is_left_at_once() -> None:
    """Its queue is full, as a firewall that drops all looks: it is not waited for as long as for a reply, nor again."""
    with server() as good, socket.socket() as full, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        second.settimeout(0)
        with socket.create_connection(full.getsockname()):
            second.connect_ex(full.getsockname())
            dropped = f"openai:m@http://127.0.0.1:{full.getsockname()[1]}/v1"
            (reply,) = ask(unlooked(f"{dropped},{good.root}/v1", longest_wait=30.0))
            error = failure(unlooked(dropped, retries=0))
    assert reply.text == "Hi."
    assert error.kind == "connection"
    assert "takes no connection: none within 0.5 s" in error.message


def test_a_page_and_a_redirect_are_no_server() -> None:
    """A login page, another address: said, and no key is sent on."""
    page: Told = (200, b"<html>Sign in</html>", {"Content-Type": "text/html; charset=utf-8"})
    assert "a page for people" in refusal({"/v1/models": replies(page)})
    away: Told = (302, b"", {"Location": "https://user:pw-DDDD@elsewhere.example/v1?key=kkkk"})
    told = refusal({"/v1/models": replies(away)})
    assert "elsewhere.example" in told
    assert "pw-DDDD" not in told
    assert "kkkk" not in told


def test_a_server_that_is_not_there() -> None:
    """Nobody listens; no such host; one that never says a word is not waited for long."""
    with pytest.raises(EngineSetupError, match=r"no server replies at http://127\.0\.0\.1:9/v1: .*refused") as caught:
        opened("openai:m@http://127.0.0.1:9/v1")
    assert "start the server" in caught.value.hint
    with pytest.raises(EngineSetupError, match=r"no server replies at http://nowhere\.invalid/v1"):
        opened("openai:m@http://nowhere.invalid/v1")


def test_a_server_that_does_not_speak_tls_or_http() -> None:
    """An address with the wrong scheme, a port where something else listens."""
    with Loopback({}) as here, pytest.raises(EngineSetupError, match="no safe connection to"):
        opened(f"openai:m@https://127.0.0.1:{here.port}/v1")

    def greet() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"220 mail ready\r\n")
            connection.recv(1000)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=greet)
        thread.start()
        with pytest.raises(EngineSetupError, match="does not speak HTTP"):
            opened(f"openai:m@http://127.0.0.1:{listener.getsockname()[1]}/v1")
        thread.join()


def test_the_key_is_refused_or_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable is named; the key itself stands in no text, though the server repeats it."""
    closed: Route = lambda asked: (401, {"error": {"message": f"bad {asked.headers.get('Authorization')}"}})  # noqa: E731
    assert "wants a key, and none is set" in refusal({"/v1/models": closed})
    monkeypatch.setenv("MULTITURN_API_KEY", KEY)
    told = refusal({"/v1/models": closed})
    assert "refuses the key in $MULTITURN_API_KEY" in told
    assert KEY not in told
    assert "export MULTITURN_API_KEY" in told


def test_ollama_behind_its_openai_route_is_noticed() -> None:
    """That route has no field for the window: a note says what to use."""
    with server(owned_by="library") as here:
        notes = opened(f"openai:m@{here.root}/v1").facts.notes
    assert any("use ollama:m" in note for note in notes)


def test_two_servers_must_run_the_same() -> None:
    """Version and weights, as far as they tell."""
    with server(owned_by="vllm", root="a") as one, server(owned_by="vllm", root="b") as two:
        with pytest.raises(EngineSetupError, match="do not run the same: vllm a / vllm b"):
            opened(f"openai:m@{one.root}/v1,{two.root}/v1")
        two.routes = {"/v1/models": models("other")}
        with pytest.raises(EngineSetupError, match="no model called"):
            opened(f"openai:m@{one.root}/v1,{two.root}/v1")


def test_what_may_pass_is_tried_again() -> None:
    """As often as is asked for; the reply is that of the first try that has one."""
    with server((503, {"error": "busy"}), (200, b'{"choi'), said("At last.")) as here:
        (reply,) = ask(opened(f"openai:m@{here.root}/v1"))
    assert reply.text == "At last."
    assert len(here.bodies(CHAT)) == 3
    assert here.bodies(CHAT)[0] == here.bodies(CHAT)[2]


@pytest.mark.parametrize(
    ("told", "kind", "tries"),
    [
        ((500, {"error": "broken"}), "server", 3),
        ((429, {"error": "slow down"}, {"Retry-After": "999"}), "rate_limited", 3),
        ((200, b"{"), "protocol", 3),
        ((401, {"error": "no"}), "auth", 1),
        ((404, {"error": "no"}), "not_found", 1),
        ((400, {"error": "no"}), "bad_request", 1),
        ((429, {"error": {"message": "no", "code": "insufficient_quota"}}), "auth", 1),
        ((200, b"<html>", {"Content-Type": "text/html"}), "protocol", 1),
        ((302, b"", {"Location": "http://elsewhere.example/"}), "protocol", 1),
    ],
)
def test_what_stays_is_a_failure_that_says_how_often_it_was_tried(told: Told, kind: str, tries: int) -> None:
    """Permanent ones once, passing ones as often as is asked for; where, is said too."""
    with server(told) as here:
        error = failure(opened(f"openai:m@{here.root}/v1"))
    assert error.kind == kind
    assert len(here.bodies(CHAT)) == tries
    assert f"127.0.0.1:{here.port}" in error.message
    assert error.message.endswith("(tried once)" if tries == 1 else f"(tried {tries} times)")


def test_a_full_window_and_a_filter_are_no_failures() -> None:
    """One is an overflow with its sizes, the other a filtered reply without text; each is asked for once."""
    full: Told = (400, {"error": {"message": "Requested tokens (530) exceed context window of 512"}})
    filtered: Told = (400, {"error": {"message": "no", "code": "content_filter"}})
    with server(full) as here, pytest.raises(ContextOverflow) as caught:
        ask(opened(f"openai:m@{here.root}/v1"))
    assert (caught.value.needed, caught.value.window) == (530, 512)
    with server(filtered) as there:
        (reply,) = ask(opened(f"openai:m@{there.root}/v1"))
    assert (reply.text, reply.finish) == ("", "filter")
    assert (len(here.bodies(CHAT)), len(there.bodies(CHAT))) == (1, 1)


def test_no_secret_in_what_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the text, not in the chain of causes, not in a name that the server makes up."""
    monkeypatch.setenv("MULTITURN_API_KEY", KEY)
    with server((400, {"error": f"bad key {KEY}"})) as here:
        error = failure(opened(f"openai:m@{here.root}/v1"))
    assert KEY not in "".join(traceback.format_exception(error))
    assert "[redacted]" in error.message
    with server(said(model=f"m for {KEY}")) as here:
        engine = opened(f"openai:m@{here.root}/v1")
        (reply,) = ask(engine)
    assert reply.served_model == "m for [redacted]"
    assert here.asked[-1].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr((engine.facts, engine.spec, asyncio.run(engine.inspect())))


def test_retries_do_not_write_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """They are told in the turn; what others do with the same library is logged as before."""
    with caplog.at_level(logging.DEBUG):
        with server((500, {}), said()) as here:
            ask(opened(f"openai:m@{here.root}/v1"))
        assert [record for record in caplog.records if record.name == "stamina"] == []
        for attempt in stamina.retry_context(on=ValueError, attempts=2, wait_initial=0, wait_jitter=0):
            with attempt:
                if attempt.num == 1:
                    raise ValueError
    assert [record.name for record in caplog.records if record.name == "stamina"] == ["stamina"]


def test_a_conversation_moves_when_its_server_fails() -> None:
    """After its tries there; it stays where it went, and other conversations do not go back at once."""
    with server((500, {"error": "broken"})) as bad, server() as good:
        engine = opened(f"openai:m@{bad.root}/v1,{good.root}/v1")
        asked = ask(engine, request("one"), request("one"), request("two"))
    assert [reply.text for reply in asked] == ["Hi."] * 3
    assert (len(bad.bodies(CHAT)), len(good.bodies(CHAT))) == (3, 3)


def test_a_server_that_is_gone_is_left_at_once() -> None:
    """Where another is left, nobody waits for one at which nobody listens."""
    with server() as good:
        with server() as gone:
            engine = opened(f"openai:m@{gone.root}/v1,{good.root}/v1", ServerOptions(retries=5, longest_wait=30.0))
        (reply,) = ask(engine)
    assert reply.text == "Hi."
    assert reply.timing.total < 1


def test_where_all_servers_fail_the_failure_says_so() -> None:
    with server((500, {})) as one, server((500, {})) as two:
        error = failure(opened(f"openai:m@{one.root}/v1,{two.root}/v1"))
    assert error.message.endswith("(tried 6 times at 2 servers)")
    assert (len(one.bodies(CHAT)), len(two.bodies(CHAT))) == (3, 3)


def test_a_request_that_another_server_would_refuse_too_does_not_move() -> None:
    with server((400, {"error": "no"})) as one, server() as two:
        assert failure(opened(f"openai:m@{one.root}/v1,{two.root}/v1")).kind == "bad_request"
    assert two.bodies(CHAT) == []


@pytest.mark.parametrize(
    ("options", "file", "open_at_once"),
    [({}, "", 128), ({"workers": 3}, "", 3), ({}, "at_once = 5", 10), ({"workers": 3}, "at_once = 5", 3)],
)
def test_how_many_conversations_are_open(tmp_path: Path, options: dict[str, Any], file: str, open_at_once: int) -> None:
    """So many for each server, unless a number of workers is asked for; twice as many as are in flight by default."""
    with server() as one, server() as two:
        path = tmp_path / "s.toml"
        path.write_text(f'model = "m"\nbase_url = ["{one.root}/v1", "{two.root}/v1"]\n{file}\n', encoding="utf-8")
        assert opened(f"openai:{path}", **options).facts.open_conversations == open_at_once


def test_no_more_are_in_flight_at_a_server_than_it_is_said_to_take(tmp_path: Path) -> None:
    """Sixteen ask at once, two are let through."""
    flying, most = 0, 0

    async def slow(_asked: Asked) -> Told:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        await asyncio.sleep(0.01)
        flying -= 1
        return said()

    async def run(engine: HttpEngine) -> None:
        await asyncio.gather(*(engine.reply(request(str(number))) for number in range(16)))
        await engine.close()

    with server() as here:
        here.routes[CHAT] = slow
        path = tmp_path / "s.toml"
        path.write_text(f'model = "m"\nbase_url = "{here.root}/v1"\nat_once = 2\n', encoding="utf-8")
        asyncio.run(run(opened(f"openai:{path}")))
    assert most == 2


def test_fields_of_a_file_are_sent_and_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The body as written, headers by name; what multiturn sets itself can't be set there."""
    monkeypatch.setenv("TICKET", "ticket-3333")
    with server() as here:
        path = tmp_path / "s.toml"
        head = f'model = "m"\nbase_url = "{here.root}/v1"\n[headers]\nX-Team = "evaluation"\n[body]\n'
        path.write_text(f'{head}reasoning_effort = "low"\nticket = "${{TICKET}}"\n', encoding="utf-8")
        engine = opened(f"openai:{path}")
        ask(engine)
        for line in ("temperature = 0.1", "stream = true", "max_tokens = 7"):
            path.write_text(f"{head}{line}\n", encoding="utf-8")
            with pytest.raises(EngineSetupError, match=line.partition(" ")[0]):
                opened(f"openai:{path}")
    body = here.bodies(CHAT)[0]
    assert (body["reasoning_effort"], body["ticket"]) == ("low", "ticket-3333")
    assert here.asked[1].headers["X-Team"] == "evaluation"
    assert engine.facts.identity["body"] == '{"reasoning_effort":"low","ticket":"${TICKET}"}'
    assert engine.facts.identity["headers"] == "x-team"
    assert "ticket-3333" not in repr(engine.facts)


def test_a_seed_that_is_not_sent_is_not_claimed(tmp_path: Path) -> None:
    """A file says that this server refuses it: the record says so too."""
    with server() as here:
        path = tmp_path / "s.toml"
        path.write_text(f'model = "m"\nbase_url = "{here.root}/v1"\nomit = ["seed"]\n', encoding="utf-8")
        engine = opened(f"openai:{path}")
        ask(engine)
    assert "seed" not in here.bodies(CHAT)[0]
    assert engine.facts.seeds is False
    assert "seed" not in engine.facts.identity["fields"].split()
    assert any(note.startswith("not sent") for note in engine.facts.notes)


def test_a_model_without_a_template_is_asked_by_text() -> None:
    """The plain form with its stop strings, on the text route; the prompt is known, its length is not."""
    with server() as here:
        here.routes["/v1/completions"] = lambda _: (200, {"choices": [{"text": " Hi.", "finish_reason": "stop"}]})
        engine = opened(f"openai:m@{here.root}/v1", template="plain")
        prompt = asyncio.run(engine.prompt(request()))
        assert asyncio.run(engine.inspect()).in_use == ("\nUser:", "\nAssistant:")
        (reply,) = ask(engine)
    assert isinstance(prompt, Prompt)
    assert prompt.text == "Be brief.\n\nUser: Good day\nAssistant:"
    assert (prompt.tokens, prompt.flags) == (None, ("fallback_template",))
    assert reply.text == " Hi."
    (body,) = here.bodies("/v1/completions")
    assert body["prompt"] == prompt.text
    assert body["stop"] == ["\nUser:", "\nAssistant:"]
    facts = engine.facts
    assert (facts.fallback_template, facts.identity["route"]) == (True, "text")
    assert any("control tokens that are spelled out in a message" in note for note in facts.notes)
    assert {"template", "template_stop"} <= facts.identity.keys() & TEMPLATE_KEYS


def test_a_template_of_the_users_own_may_fold_the_system_prompt() -> None:
    source = (
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "[{{ m.role }}]{{ m.content }}{% endfor %}[assistant]"
    )
    with server() as here:
        engine = opened(f"openai:m@{here.root}/v1", template="mine.jinja", template_source=source)
    prompt = asyncio.run(engine.prompt(request()))
    assert isinstance(prompt, Prompt)
    assert prompt.text == "[user]Be brief.\n\nGood day[assistant]"
    assert prompt.flags == ("system_folded",)
    assert asyncio.run(engine.rendered(request().messages)) == prompt.text
    assert not engine.facts.system_role


def test_an_engine_can_be_closed_twice_and_then_gives_no_reply() -> None:
    async def run(engine: HttpEngine) -> str:
        await engine.reply(request())
        await engine.end(Session("c"))
        await engine.close()
        await engine.close()
        with pytest.raises(ReplyFailed, match="closed") as caught:
            await engine.reply(request())
        return caught.value.kind

    with server() as here:
        assert asyncio.run(run(opened(f"openai:m@{here.root}/v1"))) == "engine"


def test_closing_gives_up_what_is_in_flight() -> None:
    """It fails, and is not tried again."""
    begun = threading.Event()

    async def never(_asked: Asked) -> Told:
        begun.set()
        await asyncio.sleep(60)
        return said()

    async def run(engine: HttpEngine) -> ReplyFailed:
        asking = asyncio.create_task(engine.reply(request()))
        assert await asyncio.to_thread(begun.wait, 5)
        await engine.close()
        with pytest.raises(ReplyFailed) as caught:
            await asyncio.wait_for(asking, 5)
        return caught.value

    with server() as here:
        here.routes[CHAT] = never
        error = asyncio.run(run(opened(f"openai:m@{here.root}/v1", ServerOptions(timeout=30.0, longest_wait=0.02))))
    assert error.kind in {"engine", "connection"}
    assert len(here.bodies(CHAT)) == 1


def test_one_engine_may_be_asked_from_one_loop_after_another() -> None:
    """As ordinary code does that runs each question to its end, and closes in a third."""
    status, body = said()[:2]
    with server((status, body, {"Connection": "close"})) as here:
        engine = opened(f"openai:m@{here.root}/v1")
        texts = [asyncio.run(engine.reply(request())).text for _ in range(2)]
        asyncio.run(engine.close())
    assert texts == ["Hi.", "Hi."]


def test_a_field_that_a_server_has_not_stops_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Azure has no top-k: nothing is sent, so that no arm is held without what was asked for."""
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    deployment = "/openai/deployments/m/chat/completions"
    with Loopback({deployment: replies(said())}) as here:
        path = tmp_path / "s.toml"
        path.write_text(f'model = "m"\nbase_url = "{here.root}"\napi = "azure"\n', encoding="utf-8")
        assert ask(opened(f"openai:{path}"))[0].text == "Hi."
        before = len(here.bodies(deployment))
        engine = opened(f"openai:{path}")
        with pytest.raises(EngineSetupError, match="--top-k 5"):
            asyncio.run(engine.reply(request(top_k=5)))
    assert len(here.bodies(deployment)) == before + 1  # set-up's own
    assert "seed" not in here.bodies(deployment)[-1]
    assert (here.asked[-1].query, here.asked[-1].headers["api-key"]) == ("api-version=2024-10-21", KEY)


def test_inspecting_asks_nothing() -> None:
    with server() as here:
        engine = opened(f"openai:m@{here.root}/v1")
        before = len(here.asked)
        inspection = asyncio.run(engine.inspect())
        assert asyncio.run(engine.rendered(request().messages)) is None
        assert len(here.asked) == before
    assert (inspection.template, inspection.overridden, inspection.warnings) == (None, {}, ())
    assert inspection.in_use == ("the server's own EOS",)


def test_every_error_here_is_one_of_ours() -> None:
    """Nothing of the libraries below comes out, whatever is typed."""
    for spec in ("openai:m@http://127.0.0.1:0/v1", "openai:m@http://256.256.256.256/v1", "ollama:m@http://[::1]:9"):
        with pytest.raises(MultiturnError):
            opened(spec)
