"""``ollama:`` specs against a server on loopback that speaks the wire format Ollama documents.

Ollama itself is not to be had in these tests: what they show is that this side of the wire does what the documentation
says, not what every version of Ollama does.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.engines.http_loopback import Asked, Loopback, Route, Told

from multiturn.conversation import Conversation, Message, Turn
from multiturn.dialogue import Manner, hold
from multiturn.engines.http import HttpEngine, open_engines
from multiturn.errors import EngineSetupError
from multiturn.facts import EngineOptions, ServerOptions
from multiturn.transcript import Request, Sampling, Session, Transcript, TurnRecord

SHOW: dict[str, Any] = {
    "template": "{{ range .Messages }}<|{{ .Role }}|>{{ .Content }}{{ end }}",
    "parameters": 'num_ctx                        2048\nstop                           "<|user|>"\nmirostat    2',
    "capabilities": ["completion"],
    "model_info": {"general.architecture": "toy", "toy.context_length": 1024},
    "details": {"family": "toy"},
}
DIGEST = "abc123" * 10


class Ollama(Loopback):
    """Replies with the last user message; counts four characters as a token, and cuts silently where it is old."""

    def __init__(self, *, show: dict[str, Any] | None = None, cuts: bool = False) -> None:
        self.cuts = cuts
        shown = SHOW if show is None else show
        super().__init__({
            "/api/version": lambda _: (200, {"version": "0.12.6"}),
            "/api/tags": lambda _: (200, {"models": [{"name": "toy:latest", "model": "toy:latest", "digest": DIGEST}]}),
            "/api/show": lambda asked: (
                (200, shown) if asked.body["model"] == "toy" else (404, {"error": f"model '{asked.body['model']}' not found"})
            ),
            "/api/chat": self.chat,
            "/api/generate": lambda asked: (
                200, {"model": "toy", "response": f" raw {asked.body['raw']}", "done": True, "done_reason": "stop"}
            ),
        })  # fmt: skip

    def chat(self, asked: Asked) -> Told:
        """A reply in the documented form."""
        body = asked.body
        window = body["options"]["num_ctx"]
        tokens = sum(len(message["content"]) // 4 + 4 for message in body["messages"])
        if tokens > window and not self.cuts:
            return 400, {"error": "prompt too long; exceeded max context length by 4 tokens"}
        text = f"You said: {body['messages'][-1]['content'][:20]}"
        return 200, {
            "model": body["model"],
            "created_at": "2026-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": text, **({"thinking": "Hm."} if body.get("think") else {})},
            "done": True,
            "done_reason": "stop",
            "total_duration": 2_000_000,
            "prompt_eval_count": min(tokens, window // 2),
            "prompt_eval_duration": 1_000_000,
            "eval_count": len(text) // 4,
            "eval_duration": 1_000_000,
        }


def opened(spec: str, **options: Any) -> HttpEngine:  # noqa: ANN401 - as EngineOptions takes them
    server = ServerOptions(timeout=2.0, retries=1, longest_wait=0.02)
    (engine,) = open_engines([spec], EngineOptions(server=server, **options))
    return engine


def held(engine: HttpEngine, *turns: str, sampling: Sampling | None = None) -> Transcript:
    """A conversation through the dialogue."""

    async def nothing(_record: TurnRecord) -> None:
        """The transcript is returned."""

    async def run() -> Transcript:
        conversation = Conversation(id="c", turns=tuple(Turn(text=text) for text in turns))
        manner = Manner(sampling=sampling or Sampling(max_tokens=16), window=engine.facts.context_window)
        try:
            return await hold(conversation, engine, manner, commit=nothing)
        finally:
            await engine.close()

    return asyncio.run(run())


def test_a_conversation_with_ollama() -> None:
    """Three turns through its native chat route; counts, times and the served name in the record."""
    with Ollama() as here:
        transcript = held(opened(f"ollama:toy@{here.root}"), "One", "Two", "Three")
    assert [turn.reply for turn in transcript.turns] == ["You said: One", "You said: Two", "You said: Three"]
    assert [turn.status for turn in transcript.turns] == ["ok"] * 3
    last = transcript.turns[-1]
    assert last.prompt_tokens is not None
    assert last.served_model == "toy"
    assert last.timing is not None
    assert last.timing.generate == 0.001
    roles = [message["role"] for message in here.bodies("/api/chat")[-1]["messages"]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert here.bodies("/api/chat")[0]["options"]["stop"] == ["<|user|>"]


def test_what_is_known_of_it_before_the_first_reply() -> None:
    """Digest, version, template; identities of two models differ in the weights and what comes with a template."""
    with Ollama() as here:
        engine = opened(f"ollama:toy@{here.root}")
        inspection = asyncio.run(engine.inspect())
    facts = engine.facts
    assert facts.identity["weights"] == DIGEST
    assert facts.identity["server_version"] == "0.12.6"
    assert facts.identity["template_stop"] == "('<|user|>',)"
    assert str(here.port) not in "".join(facts.identity.values())
    assert inspection.template == SHOW["template"]
    assert inspection.stops == {"the Modelfile": ("<|user|>",)}
    assert inspection.overridden == {"num_ctx": "2048"}
    assert inspection.warnings == ("the Modelfile sets mirostat, which multiturn leaves as they are",)
    assert not facts.thinks


@pytest.mark.parametrize(
    ("options", "trained", "window"),
    [
        ({}, 1024, 1024),
        ({}, 131072, 8192),
        ({}, None, 8192),
        ({"context_window": 512}, 1024, 512),
        ({"context_window": 4096}, 1024, 1024),
        ({"context_window": 4096}, None, 4096),
    ],
)
def test_the_window_is_sent_with_every_request(options: dict[str, Any], trained: int | None, window: int) -> None:
    """What is asked for, at most what the model was trained for; 8,192 where nobody asks."""
    show = SHOW | {"model_info": {"toy.context_length": trained} if trained else {}}
    with Ollama(show=show) as here:
        engine = opened(f"ollama:toy@{here.root}", **options)
        held(engine, "One")
    assert engine.facts.context_window == window
    assert here.bodies("/api/chat")[0]["options"]["num_ctx"] == window


@pytest.mark.parametrize("cuts", [False, True], ids=["a server that refuses", "an old one that cuts"])
def test_a_conversation_that_outgrows_the_window_overflows(*, cuts: bool) -> None:
    """Said by the server, or told from its counts: never a reply to a part of the conversation."""
    with Ollama(cuts=cuts) as here:
        transcript = held(opened(f"ollama:toy@{here.root}"), "a" * 1500, "b" * 1500, "c" * 1500, "d")
    statuses = [turn.status for turn in transcript.turns]
    assert statuses[0] == "ok"
    assert "overflowed" in statuses
    assert set(statuses[statuses.index("overflowed") + 1 :]) <= {"not_reached"}


def test_a_model_that_thinks_is_told_to() -> None:
    """Its thinking is kept apart, and has its own budget."""
    with Ollama(show=SHOW | {"capabilities": ["completion", "thinking"]}) as here:
        engine = opened(f"ollama:toy@{here.root}")
        transcript = held(engine, "One", sampling=Sampling(max_tokens=16, reasoning_tokens=100))
    assert engine.facts.thinks
    assert (transcript.turns[0].reply, transcript.turns[0].reasoning) == ("You said: One", "Hm.")
    body = here.bodies("/api/chat")[0]
    assert (body["think"], body["options"]["num_predict"]) == (True, 116)


def test_a_template_of_our_own_goes_past_the_models() -> None:
    with Ollama() as here:
        engine = opened(f"ollama:toy@{here.root}", template="plain")
        request = Request(
            session=Session("c"), turn=0, messages=(Message("user", "Hi"),), sampling=Sampling(max_tokens=4), seed=1
        )

        async def run() -> str:
            reply = await engine.reply(request)
            await engine.close()
            return reply.text

        assert asyncio.run(run()) == " raw True"
    (body,) = here.bodies("/api/generate")
    assert body["prompt"] == "User: Hi\nAssistant:"
    assert body["options"]["stop"] == ["\nUser:", "\nAssistant:"]
    assert engine.facts.fallback_template


def test_a_model_that_is_not_pulled() -> None:
    """The command to type, and what is there."""
    with Ollama() as here, pytest.raises(EngineSetupError, match="it has toy:latest") as caught:
        opened(f"ollama:toi@{here.root}")
    assert caught.value.hint == "ollama pull toi"


def test_ollama_is_not_there_or_is_something_else() -> None:
    with pytest.raises(EngineSetupError, match="no server replies") as caught:
        opened("ollama:toy@http://127.0.0.1:9")
    assert "ollama serve" in caught.value.hint
    routes: dict[str, Route] = {"/api/show": lambda _: (200, b"OK")}
    with Loopback(routes) as here, pytest.raises(EngineSetupError, match="does not talk like Ollama") as caught:
        opened(f"ollama:toy@{here.root}")
    assert f"openai:toy@{here.root}/v1" in caught.value.hint


def test_the_modelfiles_system_prompt_is_told() -> None:
    """It would be used wherever a conversation gives none."""
    with Ollama(show=SHOW | {"system": "You are a pirate."}) as here:
        engine = opened(f"ollama:toy@{here.root}")
        warnings = asyncio.run(engine.inspect()).warnings
    assert any("system prompt" in note for note in engine.facts.notes)
    assert any("--system" in warning for warning in warnings)
