"""What a server's refusal means, and that no secret comes through in its words."""

from __future__ import annotations

import json

import pytest

from multiturn.engines.http_errors import SHOWN, Fault, Redactor, Sense, looks_secret, read_fault, sense, sizes


@pytest.mark.parametrize(
    ("status", "kind", "again"),
    [
        (400, "bad_request", False),
        (401, "auth", False),
        (402, "auth", False),
        (403, "auth", False),
        (404, "not_found", False),
        (405, "bad_request", False),
        (408, "timeout", True),
        (409, "server", True),
        (410, "not_found", False),
        (413, "bad_request", False),
        (422, "bad_request", False),
        (425, "server", True),
        (498, "server", True),
        (429, "rate_limited", True),
        (500, "server", True),
        (501, "server", False),
        (502, "server", True),
        (503, "server", True),
        (504, "server", True),
        (505, "server", False),
        (522, "server", True),
        (529, "server", True),
        (204, "protocol", False),
        (302, "protocol", False),
    ],
)
def test_the_status_decides_where_nothing_else_does(status: int, kind: str, *, again: bool) -> None:
    """What may pass is asked again, what may not is not."""
    found = sense(read_fault(status, b'{"error": {"message": "no"}}'))
    assert (found.kind, found.retryable) == (kind, again)


OVERFLOWS = {
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4800 in the messages).": (
        5000,
        4096,
    ),
    "This model's maximum context length is 128000 tokens, but the prompt contains 130000 input tokens": (
        130000,
        128000,
    ),
    "Requested tokens (530) exceed context window of 512": (530, 512),
    "request (631 tokens) exceeds the available context size (512 tokens), try increasing it": (631, 512),
    "The input (5,000 tokens) is longer than the model's context length (4,096 tokens).": (5000, 4096),
    "this request needs 640 tokens, the model has room for 512": (640, 512),
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.": (None, 4096),
    "'max_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 1000 "
    "input tokens": (None, 4096),
    "max_tokens must be at least 1, got -186.": (None, None),
    "max_tokens has to be 1 or more, got -40": (None, None),
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`": (
        None,
        4096,
    ),
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).": (None, None),
    "prompt is too long: 210000 tokens > 200000 maximum": (None, None),
    "Input is too long for requested model.": (None, None),
    "too many tokens: the prompt has 5000, the limit is 4081": (None, None),
    "the input length exceeds the context length": (None, None),
    "prompt too long; exceeded max context length by 4 tokens": (None, None),
    "Your input exceeds the context window of this model": (None, None),
    "the number of tokens to keep is greater than the context length": (None, None),
    "Please reduce the length of the messages or completion.": (None, None),
    "This model's maximum context length is 4096 tokens. However, you requested 5000 output tokens and your prompt "
    "contains at least 4000 input tokens.": (None, 4096),
    "This model's maximum context length is 4096 tokens. However, you requested 200 output tokens and your prompt "
    "contains 4000 input tokens, for a total of at least 4200 tokens.": (4200, 4096),
    "This model's maximum prompt length is 4096 but the request contains 5000 tokens.": (5000, 4096),
    "Prompt length 5000 is greater than max_seq_len 4096": (None, None),
    "the sum of prompt length and max_tokens (5000) exceeds max_seq_len (4096)": (None, None),
    "Prompt length (5000) exceeds maximum input length (4096).": (None, None),
    "context shift is disabled": (None, None),
    "litellm.ContextWindowExceededError: no such luck": (None, None),
    "Range of input length should be [1, 30720]": (None, 30720),
}


@pytest.mark.parametrize("words", OVERFLOWS)
@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_words_that_say_that_the_window_is_full(words: str, status: int) -> None:
    """In the words of a dozen servers; the sizes where they are told and make sense."""
    fault = read_fault(status, json.dumps({"error": {"message": words}}).encode())
    assert sense(fault) == Sense("overflow", retryable=False)
    assert sizes(fault) == OVERFLOWS[words]


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is not a known field",
        "unknown field: top_z",
        "max_tokens must be an integer, got 12.5",
        "max_tokens: expected a number, got 5",
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
        "Unknown parameter: 'context_window'.",
        "context_length is no parameter of this model",
        "maximum context length must be set by the administrator",
        "context is required",
        "in this context the field exceeds its range",
        "too many messages in this context",
        "temperature is too large: 3",
        "stop: too many sequences",
        "'top_logprobs' is larger than the model limit",
        "tensor size larger than model size",
        "max_seq_len is no field of a request",
        "Request too large",
        "too many tokens per minute, please wait",
        "",
    ],
)
def test_words_that_only_sound_like_it(words: str) -> None:
    """Another 400 is a bad request, whatever words it shares with a full window."""
    fault = read_fault(400, json.dumps({"error": {"message": words}}).encode())
    assert sense(fault) == Sense("bad_request", retryable=False)


def test_too_many_tokens_a_minute_is_no_full_window() -> None:
    """A 429 is about the rate, whatever it says of tokens."""
    assert sense(Fault(status=429, message="too many tokens, prompt is too long")).kind == "rate_limited"
    assert sense(Fault(status=401, message="prompt is too long")).kind == "auth"


@pytest.mark.parametrize(
    ("status", "body", "kind", "again"),
    [
        (400, {"error": {"message": "x", "code": "context_length_exceeded"}}, "overflow", False),
        (413, {"error": {"message": "x", "type": "exceed_context_size_error"}}, "overflow", False),
        (413, {"error": {"message": "Max size: 8000 tokens.", "code": "tokens_limit_reached"}}, "overflow", False),
        (413, {"error": {"message": "too large: tokens per minute (TPM): Limit 6000"}}, "rate_limited", True),
        (400, {"error": {"message": "x", "code": "invalid_prompt"}}, "filtered", False),
        (400, {"error": {"message": "Content Exists Risk", "code": "invalid_request_error"}}, "filtered", False),
        (400, {"error": {"message": "x", "code": "data_inspection_failed"}}, "filtered", False),
        (429, {"error": {"message": "x", "code": "insufficient_quota"}}, "auth", False),
        (429, {"error": {"message": "x", "code": "rate_limit_exceeded"}}, "rate_limited", True),
        (400, {"error": {"message": "x", "code": "content_filter"}}, "filtered", False),
        (400, {"error": {"message": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}, "filtered", False),
        (200, {"error": {"message": "x", "code": 429}}, "rate_limited", True),
        (200, {"error": {"message": "x", "code": 401}}, "auth", False),
        (200, {"error": {"message": "upstream is gone"}}, "server", True),
        (200, {"error": "prompt is too long"}, "overflow", False),
        (200, {"error": {"message": "x", "code": True}}, "server", True),
    ],
)
def test_codes_in_the_body_go_before_the_status(status: int, body: object, kind: str, *, again: bool) -> None:
    """Also of a body with status 200, where its own code counts as if it had been the status."""
    found = sense(read_fault(status, json.dumps(body).encode()))
    assert (found.kind, found.retryable) == (kind, again)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error": {"message": "no such field"}}', "no such field"),
        (b'{"error": "model not found"}', "model not found"),
        (b'{"message": "plain"}', "plain"),
        (b'{"detail": "Not Found"}', "Not Found"),
        (b'{"detail": [{"loc": ["body"], "msg": "field required"}]}', "body: field required"),
        (b'{"detail": [{"loc": ["body", "x"], "msg": "a"}, {"loc": "y", "msg": "b"}]}', "body.x: a; y: b"),
        (b'[{"error": {"message": "in a list"}}]', "in a list"),
        (b'{"error": {"reason": "odd"}}', '{"reason": "odd"}'),
        (b'{"errors": ["first", "second"]}', "first"),
        (b"<html><title>502 Bad Gateway</title><body>nginx</body></html>", "a page: 502 Bad Gateway"),
        (b"  <b>Sorry</b> ", "Sorry"),
        (b"upstream connect error", "upstream connect error"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"", ""),
        (b'{"a": 1}', '{"a": 1}'),
        (b"7", "7"),
    ],
)
def test_what_a_refusal_says(body: bytes, message: str) -> None:
    """In any of the shapes that servers use; what has none is shown as it is."""
    found = read_fault(400, body).message
    assert message in found
    assert len(found) <= len(message) + 20


def test_deep_nesting_is_text_and_no_crash() -> None:
    """A body that no parser likes is still a refusal."""
    assert sense(read_fault(400, b"[" * 200_000)).kind == "bad_request"


def test_llama_cpp_names_the_sizes_in_fields() -> None:
    """They go before numbers in the words."""
    body = {"error": {"message": "x 1 2", "type": "exceed_context_size_error", "n_prompt_tokens": 631, "n_ctx": 512}}
    assert sizes(read_fault(400, json.dumps(body).encode())) == (631, 512)


GUARDED = "s3cr€t/+ \"word'"


@pytest.mark.parametrize("spelled", [GUARDED, json.dumps(GUARDED)[1:-1], "s3cr%E2%82%ACt%2F%2B%20%22word%27"])
def test_a_secret_does_not_come_through(spelled: str) -> None:
    """As it is, as JSON spells it, as a URL spells it."""
    shown = Redactor([GUARDED, ""])(f"wrong key {spelled}, sorry")
    assert shown == "wrong key [redacted], sorry"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("wrong key sk-abcd1234EFGH", "wrong key [redacted]"),
        ("Incorrect API key provided: sk-ab*******wxyz.", "Incorrect API key provided: [redacted]"),
        ("header Authorization: Bearer abc.def-123", "header Authorization: [redacted]"),
        ("GET http://host/v1?api_key=qwerty12&x=1", "GET http://host/v1?[redacted]&x=1"),
        ("see http://user:pass@host/v1", "see http://[redacted]host/v1"),
        ("the key is missing; ask-me-later; sk-learn", "the key is missing; ask-me-later; sk-learn"),
    ],
)
def test_what_looks_like_a_key_does_not_come_through(text: str, shown: str) -> None:
    """Known or not; words that are none stay."""
    assert Redactor([])(text) == shown


def test_words_are_cut_to_a_line_that_a_terminal_can_show() -> None:
    """No line breaks, no escape codes, no endless text; a secret is taken out before the cut."""
    shown = Redactor(["kk99"])(f"a\n\x1b[31mred\x1b[0m {'x' * (SHOWN - 20)}kk99kk99")
    assert "\n" not in shown
    assert "\x1b" not in shown
    assert "kk" not in shown
    assert len(shown) <= SHOWN + 1
    assert "kk99" not in repr(Redactor(["kk99"]))


@pytest.mark.parametrize("word", ["none", "ollama", "EMPTY", "dummy", "not-needed"])
def test_a_word_that_stands_for_no_key_is_no_secret(word: str) -> None:
    """It may be a word of a model's name; a short key with a digit in it is one."""
    assert Redactor([word])(f"the model {word}-7b") == f"the model {word}-7b"
    assert Redactor(["k3y"])("the k3y") == "the [redacted]"


def test_the_shape_of_a_key() -> None:
    assert looks_secret("Bearer abcdef123")
    assert looks_secret("sk-proj-123456789")
    assert not looks_secret("evaluation team")
