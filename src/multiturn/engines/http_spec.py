"""Which server a spec means, under which name, and with which key: from text and environment to frozen values. Pure.

    openai:NAME[@URL[,URL2...]]     openai:FILE.toml
    ollama:NAME[@URL[,URL2...]]     ollama:FILE.toml

Keys come from the environment alone, and each goes only where it belongs. What is recorded (spec, URLs, names of
headers) holds no secret: a URL that carries one is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import msgspec

from multiturn.engines.http_toml import Described, MaxTokensField, read_description, require_sendable
from multiturn.errors import SpecError

Kind = Literal["openai", "ollama"]
OPENAI_URL: Final = "https://api.openai.com/v1"
OLLAMA_URL: Final = "http://127.0.0.1:11434"
OLLAMA_PORT: Final = 11434
AZURE_HOSTS: Final = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
AZURE_VERSION: Final = "2024-10-21"
FORMS: Final[dict[Kind, str]] = {
    "openai": "write openai:NAME@https://host/v1 (no URL: $OPENAI_BASE_URL or api.openai.com), or openai:FILE.toml",
    "ollama": "write ollama:NAME@http://host:11434 (no URL: $OLLAMA_HOST or this machine), or ollama:FILE.toml",
}
_BARE_URL: Final = re.compile(
    r"@(?:localhost|\[[0-9a-f:]+\]|[\w.-]+(?=:\d+)|\d+\.\d+\.\d+\.\d+|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})(?::\d+)?(?:/|$)"
    r"|(?:^|@)[a-z][a-z0-9+.-]*://",
    re.IGNORECASE,
)
"""What can only be meant as an address, where no ``@http://`` or ``@https://`` is."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One server: its base URL as it may be shown, the URLs that are asked, and the headers that go with each request.

    ``root`` is where llama.cpp and vLLM have what is no part of the OpenAI routes.
    """

    base: str
    chat: str
    text: str
    models: str
    root: str
    headers: dict[str, str]
    key_variable: str
    has_key: bool

    def __repr__(self) -> str:
        return f"Place({self.base!r})"

    @property
    def host(self) -> str:
        """Host and port."""
        return urlsplit(self.base).netloc


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One model name on one or more servers, all that a spec says. ``secrets`` is everything that must not be shown."""

    spec: str
    kind: Kind
    model: str
    places: tuple[Place, ...]
    azure: bool = False
    context_window: int | None = None
    at_once: int | None = None
    max_tokens_field: MaxTokensField = "max_tokens"
    omit: tuple[str, ...] = ()
    body: dict[str, Any] = {}
    body_text: str = ""
    header_names: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Endpoint({self.spec!r})"

    @property
    def public(self) -> bool:
        """Whether it is OpenAI's own service, or Azure's."""
        return self.azure or urlsplit(self.places[0].base).hostname == "api.openai.com"


def parse_spec(spec: str, environment: Mapping[str, str]) -> Endpoint:
    """What a spec means.

    Raises:
        SpecError: it names no model or no URL, or holds a secret (which the error does not repeat). NotFound: its file
            is not there.
    """
    kind: Kind = "ollama" if spec.startswith("ollama:") else "openai"
    rest = spec.partition(":")[2]
    if rest.lower().endswith(".toml"):
        path = Path(rest).expanduser()
        described = read_description(path, environment)
        source = str(path)
        _require_fit(kind, described, source)
    else:
        name, urls = _split(kind, rest)
        described = Described(model=name, base_url=urls)
        source = f"{kind}:{name}"
    given = described.base_url or (_default_url(kind, environment),)
    if not described.base_url:
        source = "$OPENAI_BASE_URL" if kind == "openai" else "$OLLAMA_HOST"
    cut = [_checked(kind, described.model, url, source) for url in dict.fromkeys(given)]
    azure = kind == "openai" and (
        described.api == "azure" or (described.api is None and all(_is_azure(base) for base, _ in cut))
    )
    keys = [_key(base, kind, described, azure=azure, environment=environment) for base, _ in cut]
    places = []
    for (base, query), (variable, key) in zip(cut, keys, strict=True):
        version = described.api_version or query.get("api-version") or environment.get("OPENAI_API_VERSION")
        routes = _routes(kind, described.model, base, azure=azure)
        asked = version or AZURE_VERSION if "/openai/deployments/" in routes.chat else described.api_version
        sent = query | ({"api-version": asked} if asked else {}) | described.query
        headers = _headers(described, key, azure=azure)
        places.append(_place(base, routes, sent, headers, variable))
    field: MaxTokensField = "max_completion_tokens" if azure or cut[0][0] == OPENAI_URL else "max_tokens"
    return Endpoint(
        spec=spec,
        kind=kind,
        model=described.model,
        places=tuple(places),
        azure=azure,
        context_window=described.context_window,
        at_once=described.at_once,
        max_tokens_field=described.max_tokens_field or field,
        omit=described.omit,
        body=described.body,
        body_text=described.body_text,
        header_names=tuple(sorted(name.casefold() for name in described.headers)),
        secrets=(*described.secrets, *(key for _, key in keys if key)),
    )


def _require_fit(kind: Kind, described: Described, source: str) -> None:
    """Raise where a file for Ollama says what only the OpenAI routes have."""
    for key in ("api", "api_version", "max_tokens_field", "omit"):
        if kind == "ollama" and getattr(described, key):
            raise SpecError(
                f"{source}: {key} is for openai: specs alone", hint="leave it out, or write openai:FILE.toml"
            )


def _split(kind: Kind, rest: str) -> tuple[str, tuple[str, ...]]:
    """Name and URLs; the name may hold ``/``, ``:`` and an ``@`` that no URL follows."""
    name, at, urls = _cut_at_url(rest)
    if not name.strip():
        raise SpecError(f"{kind}: names no model", hint=FORMS[kind])
    if not at:
        if _BARE_URL.search(rest) or re.search(r"@[^@]*:[^@]*@", rest):
            raise SpecError(
                f"this {kind} spec names a server, but not as NAME@http://... or NAME@https://...",
                hint=f"{FORMS[kind]}; a user name or password belongs into the file",
            )
        return name, ()
    return name, tuple(re.split(r",(?=https?://)", urls, flags=re.IGNORECASE))


def _cut_at_url(rest: str) -> tuple[str, str, str]:
    found = re.search(r"@(?=https?://)", rest, re.IGNORECASE)
    return (rest[: found.start()], "@", rest[found.end() :]) if found else (rest, "", "")


def _default_url(kind: Kind, environment: Mapping[str, str]) -> str:
    if kind == "openai":
        return environment.get("OPENAI_BASE_URL", "").strip() or OPENAI_URL
    host = environment.get("OLLAMA_HOST", "").strip()
    if not host:
        return OLLAMA_URL
    if "://" in host:
        return host.replace("//0.0.0.0", "//127.0.0.1").replace("//[::]", "//[::1]")
    if host.count(":") > 1 and not host.startswith("["):
        host = f"[{host}]"
    port = re.search(r":(\d*)$", host)
    name = host[: port.start()] if port else host
    return f"http://{_LISTENS.get(name, name)}:{(port and port[1]) or OLLAMA_PORT}"


_LISTENS: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - what servers listen on
"""Addresses that mean all of a machine's own, with the one that can be asked."""


def _checked(kind: Kind, model: str, url: str, source: str) -> tuple[str, dict[str, str]]:
    """The base URL without query and last slash, and its query; no error repeats what could be a secret."""
    try:
        parts = urlsplit(url)
        host, port, query = parts.hostname, parts.port, dict(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError:
        raise SpecError(f"{source}: the URL can't be read", hint=FORMS[kind]) from None
    if parts.scheme.lower() not in {"http", "https"} or not host or not re.fullmatch(r"[\w.:-]+", host):
        raise SpecError(f"{source}: the URL names no http:// or https:// host", hint=FORMS[kind])
    shown = f"{parts.scheme.lower()}://{f'[{host}]' if ':' in host else host}{'' if port is None else f':{port}'}"
    if "@" in parts.netloc or query.keys() - {"api-version"} or parts.fragment:
        what = "a user name or password" if "@" in parts.netloc else "more than an address"
        raise SpecError(
            f"{source}: the URL at {shown} holds {what}; it would be recorded",
            hint=f"write a file server.toml and use {kind}:server.toml:\n" + _example(model, shown + parts.path),
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    if kind == "ollama":
        path = path.removesuffix("/v1").removesuffix("/api")
    elif host == "api.openai.com" and not path:
        path = "/v1"
    if re.search(r"[^\w./~%+:-]", path):
        raise SpecError(f"{source}: the URL at {shown} has letters that no path has", hint=FORMS[kind])
    return shown + path, query


def _example(model: str, base: str) -> str:
    lines = (
        f'model = "{model}"',
        f'base_url = "{base}"',
        "[headers]",
        'Authorization = "Basic ${MY_LOGIN}"   # or, under [query]: key = "${MY_KEY}"',
    )
    return "\n".join(f"    {line}" for line in lines)


def _is_azure(base: str) -> bool:
    return (urlsplit(base).hostname or "").endswith(AZURE_HOSTS)


def key_variable(base: str, kind: Kind, *, azure: bool, environment: Mapping[str, str]) -> str:
    """The environment variable whose key belongs to this server."""
    if azure:
        return "AZURE_OPENAI_API_KEY"
    own = environment.get("OPENAI_BASE_URL", "").strip()
    if kind == "openai" and (base.startswith("https://api.openai.com/") or (own and _server(own) == _server(base))):
        return "OPENAI_API_KEY"
    return "MULTITURN_API_KEY"


def _server(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme.lower(), parts.netloc.lower()


def _key(
    base: str, kind: Kind, described: Described, *, azure: bool, environment: Mapping[str, str]
) -> tuple[str, str]:
    """Variable and key, empty for none."""
    variable = described.api_key_env or key_variable(base, kind, azure=azure, environment=environment)
    value = environment.get(variable, "").strip()
    if described.api_key_env and not value:
        raise SpecError(f"api_key_env names {variable}, which is not set", hint=f"export {variable}=...")
    require_sendable(value, variable)
    return variable, value


def _headers(described: Described, key: str, *, azure: bool) -> dict[str, str]:
    """All headers of a request; a login of the file's own takes the place of the key."""
    headers = {"Content-Type": "application/json", **described.headers}
    if key and not _LOGINS & {name.casefold() for name in headers}:
        headers |= {"api-key": key} if azure else {"Authorization": f"Bearer {key}"}
    return headers


_LOGINS: Final = frozenset({"authorization", "api-key", "x-api-key"})


class _Routes(msgspec.Struct, frozen=True):
    chat: str
    text: str
    models: str


def _routes(kind: Kind, model: str, base: str, *, azure: bool) -> _Routes:
    """Where requests go.

    Azure's older form has the deployment in the path, and lists models beside it; its inference API ends in /models.
    """
    if kind == "ollama":
        return _Routes(f"{base}/api/chat", f"{base}/api/generate", f"{base}/api/tags")
    if azure and not base.endswith(("/v1", "/models")):
        resource = re.sub(r"(?<=[^/])/openai(/.*)?$", "", base) + "/openai"
        deployment = base if "/deployments/" in base else f"{resource}/deployments/{quote(model, safe='')}"
        return _Routes(f"{deployment}/chat/completions", f"{deployment}/completions", f"{resource}/models")
    return _Routes(f"{base}/chat/completions", f"{base}/completions", f"{base}/models")


def _place(base: str, routes: _Routes, query: dict[str, str], headers: dict[str, str], variable: str) -> Place:
    tail = f"?{urlencode(query)}" if query else ""
    return Place(
        base=base,
        chat=routes.chat + tail,
        text=routes.text + tail,
        models=routes.models + tail,
        root=base.removesuffix("/v1"),
        headers=headers,
        key_variable=variable,
        has_key=not _LOGINS.isdisjoint(name.casefold() for name in headers),
    )
