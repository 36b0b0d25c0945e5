"""What a spec means: name, servers, routes, keys; and that no secret gets into what is recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from multiturn.engines.http_spec import Endpoint, parse_spec
from multiturn.errors import NotFound, SpecError, UsageError

LOCAL = "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("spec", "model", "bases"),
    [
        (f"openai:m@{LOCAL}", "m", [LOCAL]),
        (f"openai:m@{LOCAL}/", "m", [LOCAL]),
        (f"openai:m@{LOCAL}/chat/completions", "m", [LOCAL]),
        ("openai:org/name:tag@HTTP://Host:1/v1", "org/name:tag", ["http://host:1/v1"]),
        ("openai:m@2411@https://h/v1", "m@2411", ["https://h/v1"]),
        ("openai:claude@20250101", "claude@20250101", ["https://api.openai.com/v1"]),
        ("openai:@cf/meta/llama@https://h/v1", "@cf/meta/llama", ["https://h/v1"]),
        ("openai:m@http://a/v1,http://b:2/v1", "m", ["http://a/v1", "http://b:2/v1"]),
        ("openai:m@http://a/v1,http://a/v1/", "m", ["http://a/v1"]),
        ("openai:m@http://[::1]:8000/v1", "m", ["http://[::1]:8000/v1"]),
        ("openai:gpt-4o", "gpt-4o", ["https://api.openai.com/v1"]),
        ("openai:gpt-4o@https://api.openai.com", "gpt-4o", ["https://api.openai.com/v1"]),
        ("openai:gpt-4o@https://api.openai.com/", "gpt-4o", ["https://api.openai.com/v1"]),
        ("openai:m@v1.5", "m@v1.5", ["https://api.openai.com/v1"]),
        ("ollama:llama3.2:3b", "llama3.2:3b", ["http://127.0.0.1:11434"]),
        ("ollama:hf.co/org/name:Q4@http://h:1/v1", "hf.co/org/name:Q4", ["http://h:1"]),
        ("ollama:m@http://h:1/api/", "m", ["http://h:1"]),
    ],
)
def test_what_a_spec_means(spec: str, model: str, bases: list[str]) -> None:
    """The name is all before the first @ that a URL follows."""
    endpoint = parse_spec(spec, {})
    assert (endpoint.spec, endpoint.model) == (spec, model)
    assert list(dict.fromkeys(place.base for place in endpoint.places)) == bases


@pytest.mark.parametrize(
    ("spec", "environment", "base"),
    [
        ("openai:m", {"OPENAI_BASE_URL": "http://gate/v1/"}, "http://gate/v1"),
        ("openai:m", {"OPENAI_BASE_URL": " "}, "https://api.openai.com/v1"),
        ("ollama:m", {"OLLAMA_HOST": "box"}, "http://box:11434"),
        ("ollama:m", {"OLLAMA_HOST": "box:1"}, "http://box:1"),
        ("ollama:m", {"OLLAMA_HOST": ":1"}, "http://127.0.0.1:1"),
        ("ollama:m", {"OLLAMA_HOST": "0.0.0.0"}, "http://127.0.0.1:11434"),  # noqa: S104 - as servers are told to listen
        ("ollama:m", {"OLLAMA_HOST": "https://box/path/"}, "https://box/path"),
        ("ollama:m", {"OLLAMA_HOST": "[::]:11435"}, "http://[::1]:11435"),
        ("ollama:m", {"OLLAMA_HOST": "::"}, "http://[::1]:11434"),
        ("ollama:m", {"OLLAMA_HOST": "[fe80::1]"}, "http://[fe80::1]:11434"),
        ("ollama:m", {"OLLAMA_HOST": "http://[::]:11434"}, "http://[::1]:11434"),
    ],
)
def test_where_a_name_alone_is_asked(spec: str, environment: dict[str, str], base: str) -> None:
    """The environment names the server, as the vendors' own tools read it."""
    assert [place.base for place in parse_spec(spec, environment).places] == [base]


def test_routes_of_common_servers() -> None:
    (place,) = parse_spec(f"openai:m@{LOCAL}", {}).places
    assert (place.chat, place.text) == (f"{LOCAL}/chat/completions", f"{LOCAL}/completions")
    assert (place.models, place.root, place.host) == (f"{LOCAL}/models", "http://127.0.0.1:8000", "127.0.0.1:8000")
    (place,) = parse_spec("ollama:m", {}).places
    assert place.chat == "http://127.0.0.1:11434/api/chat"
    assert place.text == "http://127.0.0.1:11434/api/generate"


AZURE = "https://openai-east.openai.azure.com"


@pytest.mark.parametrize(
    ("url", "chat"),
    [
        (AZURE, f"{AZURE}/openai/deployments/my-4o/chat/completions?api-version=2024-10-21"),
        (f"{AZURE}/openai", f"{AZURE}/openai/deployments/my-4o/chat/completions?api-version=2024-10-21"),
        (
            f"{AZURE}/openai/deployments/other?api-version=2025-01-01",
            f"{AZURE}/openai/deployments/other/chat/completions?api-version=2025-01-01",
        ),
        (f"{AZURE}/openai/v1", f"{AZURE}/openai/v1/chat/completions"),
        (
            "https://east.cognitiveservices.azure.com",
            "https://east.cognitiveservices.azure.com/openai/deployments/my-4o/chat/completions?api-version=2024-10-21",
        ),
        (
            "https://east.services.ai.azure.com/models?api-version=2024-05-01-preview",
            "https://east.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview",
        ),
    ],
)
def test_azure_has_routes_and_a_header_of_its_own(url: str, chat: str) -> None:
    """Known by its host; the deployment is in the path, in the newer form in the body alone."""
    endpoint = parse_spec(f"openai:my-4o@{url}", {"AZURE_OPENAI_API_KEY": "kkk", "OPENAI_API_KEY": "wrong"})
    (place,) = endpoint.places
    assert endpoint.azure
    assert place.chat == chat
    assert place.headers == {"Content-Type": "application/json", "api-key": "kkk"}
    assert place.key_variable == "AZURE_OPENAI_API_KEY"
    assert endpoint.max_tokens_field == "max_completion_tokens"


KEYS = {"OPENAI_API_KEY": "open-key", "MULTITURN_API_KEY": "other-key", "AZURE_OPENAI_API_KEY": "azure-key"}


@pytest.mark.parametrize(
    ("spec", "base_url", "sent"),
    [
        ("openai:m", "", "Bearer open-key"),
        ("openai:m@https://api.openai.com/v1", "", "Bearer open-key"),
        ("openai:m@https://api.openai.com", "", "Bearer open-key"),
        ("openai:m@http://api.openai.com/v1", "", "Bearer other-key"),
        ("openai:m@https://api.openai.com.evil.org/v1", "", "Bearer other-key"),
        (f"openai:m@{LOCAL}", "", "Bearer other-key"),
        ("openai:m", "https://gate:8/v1", "Bearer open-key"),
        ("openai:m@https://gate:8/other/v1", "https://gate:8/v1", "Bearer open-key"),
        ("openai:m@https://gate:9/v1", "https://gate:8/v1", "Bearer other-key"),
        ("openai:m@http://gate:8/v1", "https://gate:8/v1", "Bearer other-key"),
        ("ollama:m", "", "Bearer other-key"),
    ],
)
def test_each_key_goes_only_where_it_belongs(spec: str, base_url: str, sent: str) -> None:
    """OpenAI's to OpenAI and to the server that stands in for it, over the same scheme; another host gets another key."""
    (place,) = parse_spec(spec, KEYS | {"OPENAI_BASE_URL": base_url}).places
    assert place.headers["Authorization"] == sent


def test_two_servers_get_each_its_own_key() -> None:
    endpoint = parse_spec(f"openai:m@https://api.openai.com/v1,{LOCAL}", KEYS)
    assert [place.headers["Authorization"] for place in endpoint.places] == ["Bearer open-key", "Bearer other-key"]
    assert set(endpoint.secrets) == {"open-key", "other-key"}


def test_without_a_key_none_is_sent() -> None:
    (place,) = parse_spec(f"openai:m@{LOCAL}", {"MULTITURN_API_KEY": "  "}).places
    assert place.headers == {"Content-Type": "application/json"}
    assert not place.has_key


def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it() -> None:
    with pytest.raises(SpecError, match="MULTITURN_API_KEY") as caught:
        parse_spec(f"openai:m@{LOCAL}", {"MULTITURN_API_KEY": "abc\ndef"})
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://user:pw-DDDD@127.0.0.1:9/v1",
        "http://pw-DDDD@127.0.0.1:9/v1",
        "http://127.0.0.1:9/v1?key=pw-DDDD",
        "http://127.0.0.1:9/v1?api-version=1&sig=pw-DDDD",
        "http://127.0.0.1:9/v1#pw-DDDD",
        "http://127.0.0.1:9999999/pw-DDDD",
        "http://pw-DDDD host/v1",
        "http://h/v1,http://u:pw-DDDD@i/v1",
    ],
)
def test_a_url_that_holds_a_secret_is_refused_without_repeating_it(url: str) -> None:
    """Whether it stands in the spec or in the environment; the hint is what to do."""
    for spec, environment in ((f"openai:m@{url}", {}), ("openai:m", {"OPENAI_BASE_URL": url.partition(",")[2] or url})):
        with pytest.raises(SpecError) as caught:
            parse_spec(spec, environment)
        assert caught.value.hint
        assert "pw-DDDD" not in f"{caught.value}{caught.value.__cause__}"


def test_the_hint_of_a_secret_url_is_a_file_that_can_be_used(tmp_path: Path) -> None:
    """Written out and read, it is the same server."""
    with pytest.raises(SpecError) as caught:
        parse_spec("openai:m@http://user:pw@127.0.0.1:9/v1", {})
    file = tmp_path / "server.toml"
    file.write_text(caught.value.hint.partition("\n")[2], encoding="utf-8")
    endpoint = parse_spec(f"openai:{file}", {"MY_LOGIN": "dXNlcjpwdw=="})
    assert (endpoint.model, endpoint.places[0].base) == ("m", "http://127.0.0.1:9/v1")
    assert endpoint.places[0].headers["Authorization"] == "Basic dXNlcjpwdw=="


@pytest.mark.parametrize(
    "spec",
    [
        "openai:",
        "openai: ",
        f"openai:@{LOCAL}",
        "ollama:",
        "openai:m@localhost:8000/v1",
        "openai:m@127.0.0.1",
        "openai:m@user:pw-DDDD@host/v1",
        "openai:m@http://",
        "openai:m@https://:80/v1",
        "openai:m@http://host/v 1",
        "openai:http://localhost:8000/v1",
        "ollama:http://localhost:11434",
        "openai:m@host.example.com/v1",
        "openai:m@host.example.com",
        "openai:m@ftp://h",
    ],
)
def test_what_is_no_spec(spec: str) -> None:
    """The form is said, nothing of a URL is repeated."""
    with pytest.raises(SpecError) as caught:
        parse_spec(spec, {})
    assert "write " in caught.value.hint
    assert "pw-DDDD" not in str(caught.value)


FULL = f"""
model = "org/m"
base_url = ["{LOCAL}", "http://b/v1"]
api_key_env = "MY_KEY"
context_window = 4096
at_once = 3
max_tokens_field = "max_completion_tokens"

[headers]
X-Team = "evaluation"
X-Gate-Token = "${{GATE}}"

[query]
key = "${{QUERY_KEY}}"

[body]
reasoning_effort = "low"
chat_template_kwargs = {{ enable_thinking = false }}
metadata = {{ ticket = "t-${{BODY_KEY}}" }}
"""
ENVIRONMENT = {"MY_KEY": "key-1111", "GATE": "gate-2222", "QUERY_KEY": "query 3333", "BODY_KEY": "body-4444"}


def described(tmp_path: Path, text: str, environment: dict[str, str] | None = None) -> Endpoint:
    file = tmp_path / "server.toml"
    file.write_text(text, encoding="utf-8")
    return parse_spec(f"openai:{file}", ENVIRONMENT if environment is None else environment)


def test_a_file_says_what_a_spec_can_not(tmp_path: Path) -> None:
    """Keys, headers, query and body with what the environment holds."""
    endpoint = described(tmp_path, FULL)
    assert (endpoint.model, endpoint.context_window, endpoint.at_once) == ("org/m", 4096, 3)
    assert endpoint.max_tokens_field == "max_completion_tokens"
    for place in endpoint.places:
        assert place.chat == f"{place.base}/chat/completions?key=query+3333"
        assert place.headers["Authorization"] == "Bearer key-1111"
        assert place.headers["X-Gate-Token"] == "gate-2222"
    assert endpoint.body["metadata"] == {"ticket": "t-body-4444"}
    assert endpoint.body["chat_template_kwargs"] == {"enable_thinking": False}


def test_what_is_recorded_of_a_file_holds_no_secret(tmp_path: Path) -> None:
    """Names of headers, the body as it is written, base URLs; whatever is printed of the values, too."""
    endpoint = described(tmp_path, FULL)
    assert set(endpoint.secrets) == set(ENVIRONMENT.values())
    shown = repr(
        (
            endpoint,
            endpoint.spec,
            endpoint.body_text,
            endpoint.header_names,
            endpoint.places[0],
            endpoint.places[0].base,
        )
    )
    assert "evaluation" not in shown
    assert "${BODY_KEY}" in shown
    assert [secret for secret in endpoint.secrets if secret in shown] == []


def test_a_file_can_name_azure_behind_another_host(tmp_path: Path) -> None:
    endpoint = described(
        tmp_path,
        'model = "d"\nbase_url = "https://gate.example"\napi = "azure"\napi_version = "2025-02-02"',
        {"AZURE_OPENAI_API_KEY": "kkk"},
    )
    assert endpoint.places[0].chat == (
        "https://gate.example/openai/deployments/d/chat/completions?api-version=2025-02-02"
    )
    assert endpoint.places[0].headers["api-key"] == "kkk"


def test_a_login_of_the_file_takes_the_place_of_the_key(tmp_path: Path) -> None:
    endpoint = described(tmp_path, f'model = "m"\nbase_url = "{LOCAL}"\n[headers]\nauthorization = "Basic ${{GATE}}"')
    headers = endpoint.places[0].headers
    assert {name.lower() for name in headers} == {"content-type", "authorization"}
    assert headers["authorization"] == "Basic gate-2222"
    assert endpoint.places[0].has_key


BASE = f'model = "m"\nbase_url = "{LOCAL}"\n'


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("modle = 'm'", "modle", "did you mean model?"),
        ("zzz = 1\nmodel = 'm'", "zzz", "the keys are model"),
        ("base_url = 'http://h'", "model", "model ="),
        ("model = 7", "model", "not a number"),
        ("model = ' '", "model", "must be a text"),
        ("model = 'm'\nbase_url = 7", "base_url", "a URL or a list"),
        ("model = 'm'\nbase_url = 'http://${GATE}/v1'", "base_url", "can't hold a secret"),
        ("model = '${GATE}'", "model", "can't hold a secret"),
        (BASE + "api = 'azur'", "api", "openai or azure"),
        (BASE + "context_window = 'big'", "context_window", "whole number above 0"),
        (BASE + "context_window = 0", "context_window", "whole number above 0"),
        (BASE + "at_once = true", "at_once", "not true or false"),
        (BASE + "max_tokens_field = 'tokens'", "max_tokens_field", "max_completion_tokens"),
        (BASE + "headers = 'x'", "headers", "must be a table"),
        (BASE + "[headers]\nX-A = 7", "headers.X-A", "must be a text"),
        (BASE + "[headers]\n'X A' = 'x'", "headers.X A", "no header that can be set"),
        (BASE + "[headers]\nContent-Length = '7'", "headers.Content-Length", "no header that can be set"),
        (BASE + "[headers]\nX-A = '${NOT_SET}'", "headers.X-A", "export NOT_SET"),
        (BASE + '[headers]\nX-A = "a\\nb"', "headers.X-A", "one line"),
        (BASE + "[query]\nv = ['x']", "query.v", "must be a text"),
        (BASE + "[body]\nwhen = 2026-01-01", "body.when", "no form in JSON"),
        (BASE + "[body]\nx = nan", "body.x", "no form in JSON"),
        (BASE + "[body.x]\ny = [1, inf]", "body.x.y", "no form in JSON"),
        (BASE + "api_key_env = 'NOT_SET'", "api_key_env", "export NOT_SET"),
        (BASE + "omit = 'seed'", "omit", "a list of some of"),
        (BASE + "omit = ['messages']", "omit", "a list of some of"),
        (BASE + "omit = [[]]", "omit", "a list of some of"),
        ("model = m", "server.toml", "strings need quotes"),
    ],
)
def test_a_fault_in_a_file_is_named_with_its_key(tmp_path: Path, text: str, place: str, told: str) -> None:
    """And with the next thing to type."""
    with pytest.raises(SpecError) as caught:
        described(tmp_path, text)
    assert place in caught.value.message
    assert told in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    "line",
    [
        "[headers]\nAuthorization = 'Bearer tok-CCCC3333'",
        "[headers]\napi-key = 'tok-CCCC3333'",
        "[headers]\nx-api-key = 'tok-CCCC3333'",
        "[headers]\nCookie = 'session=tok-CCCC3333'",
        "[headers]\nX-Whatever = 'Bearer tok-CCCC3333'",
        "[headers]\nX-Whatever = 'sk-tok-CCCC3333'",
        "[query]\nkey = 'tok-CCCC3333'",
        "[query]\nsig = 'tok-CCCC3333'",
        "[body]\nuser = 'sk-tok-CCCC3333'",
        "api_key_env = 'sk-tok-CCCC3333'",
    ],
)
def test_a_secret_that_is_written_out_is_refused_without_repeating_it(tmp_path: Path, line: str) -> None:
    """It belongs into the environment: the hint says how."""
    with pytest.raises(SpecError) as caught:
        described(tmp_path, BASE + line)
    assert "secret" in str(caught.value)
    assert "CCCC3333" not in str(caught.value)


def test_a_file_that_can_not_be_read(tmp_path: Path) -> None:
    """Not there, not text, a folder: each an error of usage that names it."""
    with pytest.raises(NotFound, match=r"missing\.toml"):
        parse_spec(f"openai:{tmp_path / 'missing.toml'}", {})
    (tmp_path / "latin.toml").write_bytes(b'model = "\xff"')
    with pytest.raises(SpecError, match="not UTF-8"):
        parse_spec(f"ollama:{tmp_path / 'latin.toml'}", {})
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(UsageError, match=r"folder\.toml can't be read"):
        parse_spec(f"openai:{tmp_path / 'folder.toml'}", {})


def test_a_file_serves_ollama_too(tmp_path: Path) -> None:
    file = tmp_path / "box.toml"
    file.write_text('model = "llama3"\nbase_url = "http://box:1"\ncontext_window = 2048\n', encoding="utf-8")
    endpoint = parse_spec(f"ollama:{file}", {})
    found: dict[str, Any] = {"kind": endpoint.kind, "model": endpoint.model, "window": endpoint.context_window}
    assert found == {"kind": "ollama", "model": "llama3", "window": 2048}
    assert endpoint.places[0].chat == "http://box:1/api/chat"
    file.write_text('model = "llama3"\nomit = ["seed"]\n', encoding="utf-8")
    with pytest.raises(SpecError, match="omit is for openai: specs"):
        parse_spec(f"ollama:{file}", {})
