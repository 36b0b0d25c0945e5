"""Refusals that hold for every request: they end a run at its first reply, with what to change."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.engines.http_loopback import Asked, Loopback, Told

from multiturn import api
from multiturn.conversation import Conversation, Message, Suite, Turn
from multiturn.engines.http import HttpEngine, open_engines
from multiturn.engines.http_errors import read_fault
from multiturn.engines.http_refused import lacks_template, refused_field
from multiturn.errors import EngineSetupError, ReplyFailed
from multiturn.facts import EngineOptions, ServerOptions
from multiturn.transcript import Request, Sampling, Session

NO_TEMPLATE = (
    "As of transformers v4.44, default chat template is no longer allowed, so you must provide a chat template if the "
    "tokenizer does not define one."
)
CHAT = "/v1/chat/completions"


@pytest.mark.parametrize(
    "words",
    [
        NO_TEMPLATE,
        "Cannot use chat template functions because tokenizer.chat_template is not set",
        "Template error: template not found",
        "This model does not have a chat template.",
        "no chat template",
        "this custom template is not supported, try using --jinja",
    ],
)
def test_words_for_a_model_without_a_template(words: str) -> None:
    """Of vLLM, SGLang, TGI, transformers and llama.cpp."""
    assert lacks_template(words)


@pytest.mark.parametrize("words", ["", "the chat template raised: roles must alternate", "chat_template is no field"])
def test_other_words_about_templates(words: str) -> None:
    """A template that refuses a conversation is there."""
    assert not lacks_template(words)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (
            {"error": {"message": "Unsupported value: 'temperature' does not support 0.7 with this model."}},
            "temperature",
        ),
        ({"error": {"message": "Not with this model.", "param": "top_p"}}, "top_p"),
        ({"detail": [{"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]}, "top_k"),
        ({"message": "Unknown field `seed`", "object": "error"}, "seed"),
        ({"error": {"message": "Invalid 'messages[0].content'", "param": "messages[0].content"}}, None),
        ({"error": {"message": "'logit_bias' is not supported"}}, None),
        ({"error": {"message": "the temperature is rising"}}, None),
    ],
)
def test_the_field_that_a_refusal_names(body: dict[str, Any], field: str | None) -> None:
    """In quotes, as a parameter, as a place; only one that was sent counts."""
    sent = {"temperature", "top_p", "top_k", "seed"}
    assert refused_field(read_fault(400, json.dumps(body).encode()), sent) == field
    assert refused_field(read_fault(500, json.dumps(body).encode()), sent) is None


def request(text: str = "Good day", **sampling: Any) -> Request:  # noqa: ANN401 - as Sampling takes them
    drawn = Sampling(**{"max_tokens": 8, **sampling})
    return Request(session=Session("c"), turn=0, messages=(Message("user", text),), sampling=drawn, seed=7)


def opened(spec: str, **options: Any) -> HttpEngine:  # noqa: ANN401 - as EngineOptions takes them
    server = ServerOptions(timeout=2.0, retries=1, longest_wait=0.02)
    (engine,) = open_engines([spec], EngineOptions(server=server, **options))
    return engine


def ask(engine: HttpEngine, *requests: Request) -> str:
    """The text of the last reply; the engine is closed then."""

    async def run() -> str:
        try:
            return [await engine.reply(one) for one in requests or (request(),)][-1].text
        finally:
            await engine.close()

    return asyncio.run(run())


def serving(*told: Told) -> Loopback:
    """A server with one model that says these, the last for ever."""
    left = list(told)

    def chat(_asked: Asked) -> Told:
        return left.pop(0) if len(left) > 1 else left[0]

    return Loopback({"/v1/models": lambda _: (200, {"data": [{"id": "m"}]}), CHAT: chat})


SAID: Told = (200, {"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]})


def test_a_model_without_a_template_ends_the_run_before_it_begins() -> None:
    """Nothing is recorded as failed; the hint is the flag with which it goes on."""
    with serving((400, {"object": "error", "message": NO_TEMPLATE, "code": 400})) as here:
        engine = opened(f"openai:m@{here.root}/v1")
        with pytest.raises(EngineSetupError, match="m has no chat template") as caught:
            ask(engine)
    assert "--template plain" in caught.value.hint
    assert "--template from:MODEL" in caught.value.hint
    assert len(here.bodies(CHAT)) == 1


def test_a_run_that_can_not_begin_records_no_turn(tmp_path: Path) -> None:
    """However many conversations are begun at once."""
    said = tuple(Conversation(id=name, turns=(Turn(text="Hi"),)) for name in "abcdef")
    with serving((400, {"object": "error", "message": NO_TEMPLATE, "code": 400})) as here:
        job = api.Job(suite=Suite(name="s", conversations=said), store=tmp_path / "m.db")
        with pytest.raises(EngineSetupError, match="has no chat template"):
            api.evaluate(f"openai:m@{here.root}/v1", job)
    with api.open_store(tmp_path / "m.db") as store:
        turns = [turn for begun in store.runs() for one in store.transcripts(begun.run.id) for turn in one.turns]
    assert turns == []


def test_a_refused_field_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    """With the file to write; used as it is written, the field is not sent and the run goes on."""
    refused: Told = (400, {"error": {"message": "Unsupported value: 'temperature' does not support 0.7"}})
    with serving(refused, SAID) as here:
        engine = opened(f"openai:m@{here.root}/v1")
        with pytest.raises(EngineSetupError, match="does not take 'temperature'") as caught:
            ask(engine)
        file = tmp_path / "server.toml"
        file.write_text(caught.value.hint.partition("\n")[2], encoding="utf-8")
        assert ask(opened(f"openai:{file}")) == "Hi."
    assert 'omit = ["temperature"]' in caught.value.hint
    assert "temperature" not in here.bodies(CHAT)[-1]


def test_a_second_refused_field_is_added_to_the_file(tmp_path: Path) -> None:
    """The line holds those that are left out already."""
    with serving((422, {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]})) as here:
        file = tmp_path / "server.toml"
        file.write_text(f'model = "m"\nbase_url = "{here.root}/v1"\nomit = ["top_p"]\n', encoding="utf-8")
        with pytest.raises(EngineSetupError, match=r"body\.seed: Extra inputs") as caught:
            ask(opened(f"openai:{file}"))
    assert 'omit = ["top_p","seed"]' in caught.value.hint


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("'max_tokens' is not supported, use 'max_completion_tokens'", 'max_tokens_field = "max_completion_tokens"'),
        ("'max_tokens' is too large: this model supports at most 4 completion tokens", "a smaller --max-tokens"),
        ("'stop' is not supported with this model", "leave out --stop"),
    ],
)
def test_a_field_that_can_not_be_left_out_by_a_file(words: str, hint: str) -> None:
    with serving((400, {"error": {"message": words}})) as here, pytest.raises(EngineSetupError) as caught:
        ask(opened(f"openai:m@{here.root}/v1"), request(stop=("END",)))
    assert hint in caught.value.hint


SCHEMA = '{"type":"object"}'


def verdict() -> Request:
    """As a judge is asked for one."""
    return msgspec.structs.replace(request(), json_schema=SCHEMA, logprobs=True)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("This response_format type is unavailable now", "--no-schema"),
        ("Invalid parameter: 'response_format' of type 'json_schema' is not supported", "--no-schema"),
        ("Structured outputs are not supported by this model", "--no-schema"),
        ("failed to parse grammar", "--no-schema"),
        ("top_logprobs must be at most 5", 'omit = ["top_logprobs"]'),
        ("logprobs are not supported with this model", 'omit = ["logprobs"]'),
        ("'logprobs' is not supported", 'omit = ["logprobs"]'),
    ],
)
def test_a_judge_whose_server_takes_no_schema_or_no_logprobs(words: str, hint: str) -> None:
    """It ends at the first verdict, with the flag or the line that leaves out what is refused."""
    with serving((400, {"error": {"message": words}})) as here, pytest.raises(EngineSetupError) as caught:
        ask(opened(f"openai:m@{here.root}/v1"), verdict())
    assert hint in caught.value.hint
    assert len(here.bodies(CHAT)) == 1


def test_a_refusal_that_names_no_field_says_that_a_schema_was_sent() -> None:
    """It may be that; a request without one is refused for something else."""
    with serving((400, {"error": {"message": "bad request"}})) as here:
        with pytest.raises(ReplyFailed, match="--no-schema"):
            ask(opened(f"openai:m@{here.root}/v1"), verdict())
        with pytest.raises(ReplyFailed) as caught:
            ask(opened(f"openai:m@{here.root}/v1"))
    assert "schema" not in caught.value.message


def test_logprobs_that_are_omitted_are_not_asked_for(tmp_path: Path) -> None:
    """Nor does the engine say that it has them."""
    with serving(SAID) as here:
        file = tmp_path / "server.toml"
        file.write_text(f'model = "m"\nbase_url = "{here.root}/v1"\nomit = ["logprobs"]\n', encoding="utf-8")
        engine = opened(f"openai:{file}")
        assert not engine.facts.logprobs
        assert ask(engine, verdict()) == "Hi."
    assert here.bodies(CHAT)[-1].keys().isdisjoint({"logprobs", "top_logprobs"})


def test_a_refusal_in_the_middle_of_a_run_is_a_failed_reply() -> None:
    """What held for one request did not hold for those before: the other conversations go on."""
    refused: Told = (400, {"error": {"message": "'temperature' is out of sorts"}})
    with serving(SAID, refused) as here:
        engine = opened(f"openai:m@{here.root}/v1")
        with pytest.raises(ReplyFailed) as caught:
            ask(engine, request(), request())
    assert len(here.bodies(CHAT)) == 2
    assert caught.value.kind == "bad_request"
