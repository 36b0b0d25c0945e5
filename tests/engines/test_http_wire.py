"""Requests as JSON, replies out of JSON: OpenAI's form and Ollama's, with what servers make of them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from multiturn.conversation import Message
from multiturn.engines.http_errors import Fault
from multiturn.engines.http_ollama import (
    OPTIONS,
    OllamaWire,
    full_name,
    read_digests,
    read_parameters,
    read_show,
)
from multiturn.engines.http_openai import OpenAIWire, Server
from multiturn.errors import ContextOverflow, EngineSetupError, ReplyFailed
from multiturn.transcript import MOST_LIKELY, Piece, Reply, Request, Sampling, Session

GREEDY = Sampling(temperature=0.0, top_p=1.0, max_tokens=9)
WARM = Sampling(temperature=0.8, top_p=0.9, max_tokens=9, presence_penalty=0.1, frequency_penalty=0.2, stop=("END",))
EVERY = msgspec.structs.replace(WARM, top_k=40, min_p=0.05, repeat_penalty=1.1)
SAID = (
    Message("system", "Be brief."),
    Message("user", "Hello"),
    Message("assistant", "Good day.", reasoning="They greet me."),
    Message("user", "Ünï \U0001f600?"),
)


def request(sampling: Sampling = GREEDY, **more: Any) -> Request:  # noqa: ANN401 - as Request takes them
    return Request(session=Session("c"), turn=1, messages=SAID, sampling=sampling, seed=77, **more)


def sent(wire: OpenAIWire | OllamaWire, asked: Request, *rendered: Any) -> dict[str, Any]:  # noqa: ANN401
    body: dict[str, Any] = json.loads(wire.body(asked, *rendered))
    return body


def openai(server: Server = "other", **more: Any) -> OpenAIWire:  # noqa: ANN401 - as the wire takes them
    return OpenAIWire(model="m", server=server, **more)


def test_what_every_openai_server_is_sent() -> None:
    """All fields of the API that decide a text, none left to a default; reasoning that is kept stands in the content."""
    assert sent(openai(), request(WARM)) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "<think>\nThey greet me.\n</think>\n\nGood day."},
            {"role": "user", "content": "Ünï \U0001f600?"},
        ],
        "temperature": 0.8,
        "top_p": 0.9,
        "max_tokens": 9,
        "seed": 77,
        "presence_penalty": 0.1,
        "frequency_penalty": 0.2,
        "stop": ["END"],
    }
    assert "stop" not in sent(openai(), request(GREEDY))


@pytest.mark.parametrize(
    ("server", "off", "asked"),
    [
        ("vllm", {"top_k": -1, "min_p": 0, "repetition_penalty": 1}, {"top_k": 40, "repetition_penalty": 1.1}),
        ("sglang", {"top_k": -1, "min_p": 0, "repetition_penalty": 1}, {"top_k": 40, "min_p": 0.05}),
        ("llamacpp", {"top_k": 0, "min_p": 0, "repeat_penalty": 1}, {"top_k": 40, "repeat_penalty": 1.1}),
        ("other", {}, {"top_k": 40, "min_p": 0.05, "repetition_penalty": 1.1}),
    ],
)
def test_fields_that_openai_has_not(server: Server, off: dict[str, float], asked: dict[str, float]) -> None:
    """By the names of each kind of server, off where nothing is asked; to unknown kinds only what is asked for."""
    extras = {"top_k", "min_p", "repetition_penalty", "repeat_penalty"}
    plain = sent(openai(server), request(WARM))
    assert {name: plain[name] for name in extras & plain.keys()} == off
    full = sent(openai(server), request(EVERY))
    assert asked.items() <= full.items()
    assert set(openai(server).fields) - {"stop"} <= full.keys()


@pytest.mark.parametrize("server", ["openai", "azure"])
@pytest.mark.parametrize(("field", "value"), [("top_k", 40), ("min_p", 0.1), ("repeat_penalty", 1.2)])
def test_what_openai_has_no_field_for_stops_a_run(server: Server, field: str, value: float) -> None:
    """It would be dropped or refused: the flag is named."""
    asked = request(msgspec.structs.replace(WARM, **{field: value}))
    with pytest.raises(EngineSetupError, match=f"--{field.replace('_', '-')}") as caught:
        openai(server).body(asked)
    assert "leave out" in caught.value.hint
    assert openai(server).body(request(WARM))


def test_llama_cpp_gets_its_other_fields_too() -> None:
    """Each named, so that no default of the server's command line changes a reply; greedy is the likeliest token."""
    plain = sent(openai("llamacpp"), request(WARM))
    assert plain["samplers"] == ["penalties", "temperature", "top_k", "top_p", "min_p"]
    assert (plain["typical_p"], plain["mirostat"], plain["dry_multiplier"]) == (1.0, 0, 0.0)
    greedy = sent(openai("llamacpp"), request(GREEDY))
    assert (greedy["samplers"], greedy["top_k"]) == (["penalties", "top_k"], 1)


def test_the_budget_and_its_field() -> None:
    """Reasoning has its own tokens, added to the reply's wherever they are asked for: no template tells for certain."""
    thinking = request(msgspec.structs.replace(GREEDY, reasoning_tokens=100))
    assert sent(openai(), thinking)["max_tokens"] == 109
    wire = openai("openai", max_tokens_field="max_completion_tokens")
    assert sent(wire, thinking)["max_completion_tokens"] == 109
    assert "max_tokens" not in sent(wire, thinking)


def test_fields_of_a_file_schemas_and_log_probabilities() -> None:
    schema = '{"type": "object"}'
    body = sent(openai(extra={"reasoning_effort": "low"}), request(json_schema=schema, logprobs=True))
    assert body["reasoning_effort"] == "low"
    assert (body["logprobs"], body["top_logprobs"]) == (True, MOST_LIKELY)
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": {"type": "object"}},
    }


def test_fields_that_a_server_refuses_are_left_out() -> None:
    """As a file asks; what was asked for by a flag is not dropped without a word."""
    told = sent(openai(omit=("top_logprobs",)), request(logprobs=True))
    assert told["logprobs"] is True
    assert "top_logprobs" not in told
    wire = openai("vllm", omit=("seed", "top_k"))
    assert {"seed", "top_k"}.isdisjoint(sent(wire, request(WARM)).keys() | set(wire.fields))
    with pytest.raises(EngineSetupError, match="--top-k 40"):
        wire.body(request(EVERY))


def test_earlier_reasoning_goes_into_a_field_where_the_server_takes_one() -> None:
    (message,) = openai(reasoning_field=True).messages(SAID[2:3])
    assert message == {"role": "assistant", "content": "Good day.", "reasoning_content": "They greet me."}


def test_a_text_that_was_rendered_here() -> None:
    """Goes to the text route, with the template's stop strings."""
    body = sent(openai(rendered=True), request(WARM, logprobs=True), "User: Hello\nAssistant:", ("\nUser:",))
    assert body["prompt"] == "User: Hello\nAssistant:"
    assert body["stop"] == ["END", "\nUser:"]
    assert body["logprobs"] == MOST_LIKELY
    assert "messages" not in body


@pytest.mark.parametrize("server", ["vllm", "sglang"])
def test_control_tokens_are_kept_where_one_is_a_stop_string(server: Server) -> None:
    """These servers take them out of the text before they look for stop strings."""
    wire = openai(server, rendered=True, ends_in_control=True)
    assert sent(wire, request(), "x", ("<|im_end|>",))["skip_special_tokens"] is False
    assert "skip_special_tokens" in wire.fields
    assert "skip_special_tokens" not in sent(openai(server, rendered=True), request(), "x", ("\nUser:",))
    assert "skip_special_tokens" not in sent(openai(rendered=True, ends_in_control=True), request(), "x")


def chat(message: Any = None, finish: Any = "stop", **more: Any) -> bytes:  # noqa: ANN401 - any JSON
    choice = {"index": 0, "message": {"content": "Hi."} if message is None else message, "finish_reason": finish}
    return json.dumps({"model": "m-1", "choices": [choice], **more}).encode()


def read(data: bytes, wire: OpenAIWire | None = None, **more: Any) -> Reply:  # noqa: ANN401 - as request takes them
    reply = (wire or openai()).read(data, 0.5, request(**more))
    assert isinstance(reply, Reply)
    return reply


def test_a_whole_reply() -> None:
    """Text, reasoning, counts, times and the name that the server says."""
    usage = {"prompt_tokens": 20, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 16}}
    timings = {"prompt_ms": 100.0, "predicted_ms": 250.0}
    reply = read(chat({"content": "Hi.", "reasoning_content": "Greet."}, usage=usage, timings=timings))
    assert (reply.text, reply.reasoning, reply.finish, reply.served_model) == ("Hi.", "Greet.", "stop", "m-1")
    assert (reply.prompt_tokens, reply.cached_tokens, reply.new_tokens) == (20, 16, 5)
    assert (reply.timing.total, reply.timing.prompt, reply.timing.generate) == (0.5, 0.1, 0.25)


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": None}, "", ""),
        ({}, "", ""),
        ({"content": ""}, "", ""),
        ({"content": None, "refusal": "I can't."}, "I can't.", ""),
        ({"content": "So:", "refusal": "I can't."}, "So:", ""),
        ({"content": "x", "reasoning": "why"}, "x", "why"),
        ({"content": "x", "reasoning_content": None, "reasoning": {"odd": 1}}, "x", ""),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", ""),
        ({"content": ["a", {"type": "image_url"}, {"type": "refusal", "refusal": "no"}]}, "ano", ""),
        (
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"text": "x"}]},
            "x",
            "hm",
        ),
        ({"content": "$ERROR$"}, "$ERROR$", ""),
        ({"content": "half \ud83d"}, "half \ufffd", ""),
    ],
)
def test_where_servers_put_the_text(message: dict[str, Any], text: str, reasoning: str) -> None:
    """Nothing is an empty reply, a refusal is the model's own words, parts are joined."""
    reply = read(chat(message))
    assert (reply.text, reply.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("finish", "ours"),
    [
        ("stop", "stop"),
        ("eos", "stop"),
        ("length", "length"),
        ("content_filter", "filter"),
        ("tool_calls", "unknown"),
        (None, "unknown"),
    ],
)
def test_how_a_reply_ended(finish: str | None, ours: str) -> None:
    assert read(chat(finish=finish)).finish == ours


NO_REPLIES = [
    b"",
    b"   ",
    b"<html>",
    b"data: {}\n\n",
    chat()[:-20],
    chat().replace(b'"Hi."', b'"Hi.'),
    chat() + b"x",
    b'{"choices": [{"message": {"content": NaN}}]}',
    b'{"choices": [{"message": {"content": "\xff"}}]}',
    b"[" * 100_000,
    b"null",
    b"[]",
    b"{}",
    b'{"choices": [{"message": {"content": [5, null]}}]}',
    b'{"choices": []}',
    b'{"choices": null}',
    b'{"choices": {}}',
    b'{"choices": ["Hi."]}',
    b'{"choices": [{"text": "Hi."}]}',
    b'{"choices": [{"message": "Hi."}]}',
    b'{"choices": [{"message": null}]}',
    chat({"content": {"text": "Hi."}}),
    chat({"content": 7}),
]


@pytest.mark.parametrize("data", NO_REPLIES, ids=range(len(NO_REPLIES)))
def test_what_is_no_reply_is_never_text(data: bytes) -> None:
    """A failure of its own kind, worth another try; the same on the text route."""
    for wire in (openai(), openai(rendered=True)):
        if wire.rendered and b'"text": "Hi."' in data and b"message" not in data:
            continue
        with pytest.raises(ReplyFailed) as caught:
            wire.read(data, 0.5, request())
        assert (caught.value.kind, caught.value.retryable) == ("protocol", True)
        assert "Hi." not in caught.value.message


@pytest.mark.parametrize(
    "odd",
    [
        {"usage": "none"},
        {"usage": {"prompt_tokens": -1}},
        {"usage": {"prompt_tokens": 10**30}},
        {"usage": {"prompt_tokens": "many"}},
        {"timings": {"prompt_ms": "x"}},
        {"timings": []},
        {"model": 7},
    ],
)
def test_what_a_reply_can_do_without(odd: dict[str, Any]) -> None:
    """A count or a name that can't be read is left out; the text counts."""
    reply = read(chat(**odd))
    assert reply.text == "Hi."
    assert (reply.prompt_tokens, reply.timing.prompt) == (None, None)


def test_counts_that_are_written_as_text_are_read() -> None:
    assert read(chat(usage={"prompt_tokens": "12", "completion_tokens": 5.0})).prompt_tokens == 12


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"error": {"message": "overloaded", "code": 503}}', "overloaded"),
        (b'{"choices": [], "error": "overloaded"}', "overloaded"),
        (b'{"choices": [{"message": {"content": "Half a"}}], "error": {"message": "overloaded"}}', "overloaded"),
        (b'{"choices": [{"error": {"message": "overloaded"}, "finish_reason": "error"}]}', "overloaded"),
        (b'{"choices": [{"message": {"content": "Hi"}, "finish_reason": "abort"}]}', "abort"),
        (b'{"choices": [{"message": {"content": ""}, "finish_reason": "insufficient_system_resource"}]}', "given up"),
        (b'{"choices": [{"finish_reason": "error", "error": "half \\ud800"}]}', "half \ud800"),
        (b'{"choices": [{"finish_reason": "error", "error": {"code": 502}}]}', "502"),
    ],
)
def test_a_fault_told_with_status_200(data: bytes, message: str) -> None:
    """It is what the server says it is, and no reply."""
    fault = openai().read(data, 0.5, request())
    assert isinstance(fault, Fault)
    assert message in fault.message


@pytest.mark.parametrize(
    ("logprobs", "read_as"),
    [
        ({"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1}]}, (-0.5, -1.0)),
        ({"token_logprobs": [-0.25, -2.0]}, (-0.25, -2.0)),
        ({"token_logprobs": [None, -2.0]}, None),
        (None, None),
        ("x", None),
    ],
)
def test_log_probabilities(logprobs: object, read_as: tuple[float, ...] | None) -> None:
    choice = {"message": {"content": "ab"}, "finish_reason": "stop", "logprobs": logprobs}
    data = json.dumps({"choices": [choice]}).encode()
    assert read(data, logprobs=True).logprobs == read_as
    assert read(data).logprobs is None


LIKELY = [{"token": "7", "logprob": -0.5}, {"token": "8", "logprob": -1}, {"token": "9", "logprob": None}]


@pytest.mark.parametrize(
    ("logprobs", "told"),
    [
        ({"content": [{"token": "7", "logprob": -0.5, "top_logprobs": LIKELY}]}, True),
        ({"tokens": ["7"], "token_logprobs": [-0.5], "top_logprobs": [{"7": -0.5, "8": -1, "9": None}]}, True),
        ({"content": [{"token": "7", "logprob": -0.5, "top_logprobs": []}]}, False),
        ({"content": [{"token": "7", "logprob": -0.5}]}, False),
        ({"content": [{"token": None, "logprob": -0.5, "top_logprobs": LIKELY}]}, False),
        ({"content": [{"token": "7", "logprob": None, "top_logprobs": LIKELY}]}, False),
        ({"content": ["7"]}, False),
        ({"tokens": ["7", "8"], "token_logprobs": [-0.5], "top_logprobs": [{"7": -0.5}]}, False),
        ({"token_logprobs": [-0.5], "top_logprobs": None}, False),
        ({"tokens": ["7"], "token_logprobs": [-0.5], "top_logprobs": ["x"]}, False),
        (None, False),
    ],
)
def test_what_could_have_stood_in_each_place(logprobs: object, told: bool) -> None:  # noqa: FBT001
    """From the chat route's list or the text route's; told of every token or of none, impossible ones left out."""
    choice = {"message": {"content": "7"}, "finish_reason": "stop", "logprobs": logprobs}
    data = json.dumps({"choices": [choice]}).encode()
    pieces = (Piece(text="7", logprob=-0.5, alternatives=(("7", -0.5), ("8", -1.0))),)
    assert read(data, logprobs=True).pieces == (pieces if told else None)
    assert read(data).pieces is None


@pytest.mark.parametrize(
    ("finish", "prompt", "new", "over"),
    [("length", 505, 7, True), ("length", 500, 9, False), ("stop", 511, 1, False), ("length", 20, 3, False)],
)
def test_a_reply_that_the_window_cut_off(finish: str, prompt: int, new: int, *, over: bool) -> None:
    """One that ends at ``length`` before its budget, in a window that is full, is an overflow and no short reply."""
    data = chat(finish=finish, usage={"prompt_tokens": prompt, "completion_tokens": new})
    assert read(data).text == "Hi."
    if not over:
        assert read(data, openai(window=512)).text == "Hi."
        return
    with pytest.raises(ContextOverflow) as caught:
        openai(window=512).read(data, 0.5, request())
    assert (caught.value.needed, caught.value.window) == (514, 512)


OLLAMA = OllamaWire(model="m", window=4096, stop=("<|end|>",))


def test_what_ollama_is_sent() -> None:
    """Window and every sampling option, the Modelfile's stop strings kept; nothing may be cut or shifted."""
    body = sent(OLLAMA, request(EVERY))
    assert body["options"] == {
        "num_ctx": 4096,
        "num_predict": 9,
        "temperature": 0.8,
        "top_p": 0.9,
        "top_k": 40,
        "min_p": 0.05,
        "typical_p": 1.0,
        "repeat_penalty": 1.1,
        "repeat_last_n": 64,
        "presence_penalty": 0.1,
        "frequency_penalty": 0.2,
        "seed": 77,
        "stop": ["END", "<|end|>"],
    }
    assert set(OPTIONS) == body["options"].keys()
    assert (body["stream"], body["truncate"], body["shift"]) == (False, False, False)
    assert body["messages"][2] == {"role": "assistant", "content": "Good day.", "thinking": "They greet me."}
    assert "think" not in body
    assert sent(OLLAMA, request(GREEDY))["options"]["top_k"] == 1


def test_ollama_thinks_where_the_model_can() -> None:
    """The budget has the reasoning's tokens either way: a model may think without being told to."""
    asked = request(msgspec.structs.replace(GREEDY, reasoning_tokens=100))
    thinking = msgspec.structs.replace(OLLAMA, thinks=True)
    assert sent(thinking, asked)["think"] is True
    assert sent(thinking, asked)["options"]["num_predict"] == 109
    assert "think" not in sent(OLLAMA, asked)
    assert sent(OLLAMA, asked)["options"]["num_predict"] == 109


def test_what_a_file_adds_for_ollama() -> None:
    wire = msgspec.structs.replace(OLLAMA, extra={"keep_alive": "10m", "options": {"num_gpu": 1}})
    body = sent(wire, request(json_schema='{"type": "object"}'))
    assert (body["keep_alive"], body["options"]["num_gpu"], body["options"]["seed"]) == ("10m", 1, 77)
    assert body["format"] == {"type": "object"}
    assert wire.extra == {"keep_alive": "10m", "options": {"num_gpu": 1}}


def test_a_text_for_ollama_goes_past_the_models_template() -> None:
    body = sent(msgspec.structs.replace(OLLAMA, rendered=True, stop=()), request(), "User: Hi", ("\nUser:",))
    assert (body["prompt"], body["raw"], body["options"]["stop"]) == ("User: Hi", True, ["\nUser:"])
    assert "messages" not in body


def ollama(**more: Any) -> bytes:  # noqa: ANN401 - any JSON
    whole = {"model": "m:latest", "message": {"role": "assistant", "content": "Hi."}, "done": True}
    return json.dumps(whole | {"done_reason": "stop", "prompt_eval_count": 20, "eval_count": 5} | more).encode()


def test_a_whole_reply_of_ollama() -> None:
    """Text, thinking, counts, and times in seconds out of nanoseconds."""
    data = ollama(
        message={"content": "Hi.", "thinking": "Greet."}, prompt_eval_duration=100_000_000, eval_duration=2.5e8
    )
    reply = OLLAMA.read(data, 0.5, request())
    assert isinstance(reply, Reply)
    assert (reply.text, reply.reasoning, reply.finish, reply.served_model) == ("Hi.", "Greet.", "stop", "m:latest")
    assert (reply.prompt_tokens, reply.new_tokens) == (20, 5)
    assert (reply.timing.total, reply.timing.prompt, reply.timing.generate) == (0.5, 0.1, 0.25)


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({"prompt_eval_count": 4090}, "need 4099 tokens"),
        ({"done_reason": "length", "eval_count": 4}, "cut off after 4 of 9"),
        ({"done_reason": "length", "eval_count": 4, "prompt_eval_count": None}, "cut off after 4 of 9"),
    ],
)
def test_a_window_that_was_too_small_for_ollama(counts: dict[str, Any], told: str) -> None:
    """Whatever it made of it, cut or shifted, with a reply at hand: an overflow."""
    with pytest.raises(ContextOverflow, match=told):
        OLLAMA.read(ollama(**counts), 0.5, request())


@pytest.mark.parametrize("counts", [{"eval_count": 9}, {"eval_count": 8}, {"eval_count": None}])
def test_a_reply_that_ends_at_its_budget_is_whole(counts: dict[str, Any]) -> None:
    """Some servers count the last token, some do not."""
    reply = OLLAMA.read(ollama(done_reason="length", **counts), 0.5, request())
    assert isinstance(reply, Reply)
    assert reply.finish == "length"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        ollama()[:-9],
        ollama(done=False),
        ollama(message=None),
        ollama(message={"content": None}),
        ollama(message={"content": 7}),
        ollama().replace(b"message", b"massage"),
    ],
)
def test_what_is_no_reply_of_ollama_is_never_text(data: bytes) -> None:
    with pytest.raises(ReplyFailed) as caught:
        OLLAMA.read(data, 0.5, request())
    assert caught.value.kind == "protocol"


def test_a_fault_of_ollama_told_with_status_200() -> None:
    fault = OLLAMA.read(b'{"error": "model runner has unexpectedly stopped"}', 0.5, request())
    assert isinstance(fault, Fault)
    assert fault.message == "model runner has unexpectedly stopped"


PARAMETERS = """num_ctx                        2048
repeat_penalty                 1.1
stop                           "<|start_header_id|>"
stop                           "a \\"b\\"\\n"
temperature                    0.6"""


def test_what_ollama_tells_of_a_model() -> None:
    """The smallest trained length, whether it thinks, and the Modelfile's parameters with their quotes taken off."""
    show = {
        "template": "{{ .Prompt }}",
        "parameters": PARAMETERS,
        "capabilities": ["completion", "thinking"],
        "model_info": {"llama.context_length": 131072, "clip.context_length": 77777, "general.name": "x"},
    }
    shown = read_show(json.dumps(show).encode())
    assert (shown.context_length, shown.thinks, shown.system) == (77777, True, "")
    assert shown.stop == ("<|start_header_id|>", 'a "b"\n')
    assert shown.parameters["temperature"] == ("0.6",)
    bare = read_show(b'{"model_info": {}, "capabilities": null}')
    assert (bare.context_length, bare.thinks, bare.stop) == (None, False, ())
    with pytest.raises(ReplyFailed):
        read_show(b"Not Found")
    assert read_parameters("") == {}


def test_digests_and_full_names() -> None:
    """A name without a tag is its ``latest``."""
    tags = b'{"models": [{"name": "m:latest", "digest": "abc"}, {"name": "", "digest": "x"}]}'
    assert read_digests(tags) == {"m:latest": "abc"}
    assert read_digests(b"<html>") == {}
    assert full_name("m") == "m:latest"
    assert full_name("hf.co/org/m:Q4") == "hf.co/org/m:Q4"
    assert full_name("host:5000/org/m") == "host:5000/org/m:latest"
