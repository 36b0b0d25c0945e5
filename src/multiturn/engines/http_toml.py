"""A server described in a small TOML file: what a spec can't say, and where its secrets are.

    model = "gpt-4o"
    base_url = "https://host/v1"        # or a list of them
    api = "openai"                      # or "azure"; then api_version = "2024-10-21"
    api_key_env = "MY_KEY"              # the environment variable that holds the key
    context_window = 8192
    at_once = 16                        # requests in flight at each URL
    max_tokens_field = "max_completion_tokens"
    omit = ["seed"]                     # fields that this server refuses

    [headers]
    X-Team = "evaluation"
    Authorization = "Basic ${MY_LOGIN}"

    [query]
    key = "${OTHER_KEY}"

    [body]
    reasoning_effort = "low"

``${NAME}`` is read from the environment and is a secret: it is sent, and stands in no record and no error.
"""

from __future__ import annotations

import datetime as dt
import difflib
import math
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from multiturn.engines.http_errors import looks_secret
from multiturn.errors import NotFound, SpecError

Api = Literal["openai", "azure"]
MaxTokensField = Literal["max_tokens", "max_completion_tokens"]

CAN_BE_OMITTED: Final = (
    "temperature", "top_p", "seed", "presence_penalty", "frequency_penalty", "top_k", "min_p", "repetition_penalty",
    "repeat_penalty", "logprobs", "top_logprobs",
)  # fmt: skip
"""Fields that a file may take out of requests; the budget, the stop strings and what is asked can't be."""

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_NAMES_A_SECRET: Final = re.compile(
    r"auth|cookie|key|token|secret|passw|credential|\bsig(nature)?\b|\bcode\b", re.IGNORECASE
)
_OURS_HEADERS: Final = frozenset({"content-type", "content-length", "transfer-encoding", "connection"})


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says, with variables put in. ``body_text`` is the body as written, for the record."""

    model: str
    base_url: tuple[str, ...] = ()
    api: Api | None = None
    api_version: str | None = None
    api_key_env: str | None = None
    context_window: int | None = None
    at_once: int | None = None
    max_tokens_field: MaxTokensField | None = None
    omit: tuple[str, ...] = ()
    headers: dict[str, str] = {}
    query: dict[str, str] = {}
    body: dict[str, Any] = {}
    body_text: str = ""
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Described({self.model!r})"


def read_description(path: Path, environment: Mapping[str, str]) -> Described:
    """Read a file.

    Raises:
        NotFound: it is not there. SpecError: it can't be read, or says what can't be; names the key, never a secret.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFound(
            f"there is no file {path}", hint="give the path of a TOML file with model and base_url"
        ) from None
    except OSError as error:
        raise SpecError(f"{path} can't be read: {error.strerror}", hint="give a TOML file") from None
    except UnicodeDecodeError:
        raise SpecError(f"{path} is not UTF-8 text", hint="save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise SpecError(
            f"{path} is no TOML: {error}", hint="strings need quotes; tables begin with [headers]"
        ) from None
    return _Reader(path, environment).read(table)


class _Reader:
    """Checks one file key by key; remembers which secrets were put in."""

    def __init__(self, path: Path, environment: Mapping[str, str]) -> None:
        self._path = path
        self._environment = environment
        self._secrets: dict[str, None] = {}

    def read(self, table: dict[str, Any]) -> Described:
        known = [name for name in Described.__struct_fields__ if name not in {"body_text", "secrets"}]
        for key in table:
            if key not in known:
                raise self._fault(key, "is no key of such a file", hint=_meant(key, known))
        if "model" not in table:
            raise self._fault("model", "is missing", hint='write model = "NAME"')
        body = self._table(table, "body")
        made: dict[str, Any] = {
            "model": self._text(table, "model"),
            "base_url": self._urls(table.get("base_url", [])),
            "api": self._choice(table, "api", ("openai", "azure")),
            "api_version": self._text(table, "api_version"),
            "api_key_env": self._text(table, "api_key_env"),
            "context_window": self._count(table, "context_window"),
            "at_once": self._count(table, "at_once"),
            "max_tokens_field": self._choice(table, "max_tokens_field", ("max_tokens", "max_completion_tokens")),
            "omit": self._omitted(table.get("omit", [])),
            "headers": self._strings(table, "headers"),
            "query": self._strings(table, "query"),
            "body": {key: self._value(f"body.{key}", value) for key, value in body.items()},
            "body_text": msgspec.json.encode(body, order="sorted").decode() if body else "",
        }
        return Described(**made, secrets=tuple(self._secrets))

    def _fault(self, key: str, told: str, *, hint: str) -> SpecError:
        return SpecError(f"{self._path}: {key} {told}", hint=hint)

    def _text(self, table: dict[str, Any], key: str) -> str | None:
        value = table.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise self._fault(key, f"must be a text, not {_kind(value)}", hint=f'write {key} = "..."')
        if _VARIABLE.search(value) or looks_secret(value):
            raise self._fault(
                key, "is recorded and can't hold a secret", hint="secrets go to api_key_env, [headers], [query], [body]"
            )
        return value

    def _urls(self, value: Any) -> tuple[str, ...]:  # noqa: ANN401 - what TOML holds
        urls = [value] if isinstance(value, str) else value
        if not isinstance(urls, list) or not all(isinstance(url, str) and url for url in urls):
            raise self._fault("base_url", "must be a URL or a list of URLs", hint='write base_url = "https://host/v1"')
        if any("${" in url for url in urls):
            raise self._fault(
                "base_url",
                "is recorded and can't hold a secret",
                hint='put keys into [headers] or [query]: key = "${MY_KEY}"',
            )
        return tuple(urls)

    def _omitted(self, value: Any) -> tuple[str, ...]:  # noqa: ANN401 - what TOML holds
        if not isinstance(value, list) or not all(name in CAN_BE_OMITTED for name in value):
            raise self._fault("omit", f"is a list of some of {', '.join(CAN_BE_OMITTED)}", hint='write omit = ["seed"]')
        return tuple(sorted(set(value)))

    def _choice(self, table: dict[str, Any], key: str, choices: tuple[str, ...]) -> str | None:
        value = table.get(key)
        if value is not None and value not in choices:
            raise self._fault(key, f"is {' or '.join(choices)}", hint=f'write {key} = "{choices[0]}"')
        return value

    def _count(self, table: dict[str, Any], key: str) -> int | None:
        value = table.get(key)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise self._fault(key, f"must be a whole number above 0, not {_kind(value)}", hint=f"write {key} = 8")
        return value

    def _table(self, table: dict[str, Any], key: str) -> dict[str, Any]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            raise self._fault(key, f"must be a table, not {_kind(value)}", hint=f"write [{key}] on a line of its own")
        return value

    def _strings(self, table: dict[str, Any], key: str) -> dict[str, str]:
        found = {}
        for name, value in self._table(table, key).items():
            place = f"{key}.{name}"
            if not isinstance(value, str):
                raise self._fault(place, f"must be a text, not {_kind(value)}", hint=f'write {name} = "..."')
            if key == "headers" and (not _HEADER.fullmatch(name) or name.casefold() in _OURS_HEADERS):
                raise self._fault(place, "is no header that can be set", hint="leave it out")
            found[name] = self._filled(place, value, secret=_NAMES_A_SECRET.search(name) is not None)
        return found

    def _value(self, place: str, value: Any) -> Any:  # noqa: ANN401 - what TOML holds
        if isinstance(value, str):
            return self._filled(place, value, secret=False)
        if isinstance(value, dict):
            return {key: self._value(f"{place}.{key}", inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._value(place, inner) for inner in value]
        if isinstance(value, dt.datetime | dt.date | dt.time) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            raise self._fault(place, "has no form in JSON", hint="write it as a text, in quotes")
        return value

    def _filled(self, place: str, text: str, *, secret: bool) -> str:
        """The text with variables put in; a secret that is written out is refused."""
        if (secret and not _VARIABLE.search(text)) or looks_secret(text):
            raise self._fault(
                place,
                "seems to hold a secret that is written out",
                hint='keep it in the environment and write "${MY_SECRET}"',
            )

        def put_in(match: re.Match[str]) -> str:
            value = self._environment.get(match[1], "").strip()
            if not value:
                raise self._fault(place, f"needs {match[1]}, which is not set", hint=f"export {match[1]}=...")
            require_sendable(value, match[1])
            self._secrets[value] = None
            return value

        filled = _VARIABLE.sub(put_in, text)
        if not filled.isprintable():
            raise self._fault(place, "holds a line break or a control character", hint="write it on one line")
        return filled


def require_sendable(value: str, variable: str) -> None:
    """Raise SpecError, without the value, where a header could not carry it."""
    if not (value.isascii() and value.isprintable()):
        raise SpecError(
            f"{variable} holds a line break or a letter that no key has", hint=f"set {variable} to the key alone"
        )


def _meant(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"did you mean {near[0]}?" if near else f"the keys are {', '.join(known)}"


def _kind(value: object) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
    return next((name for kind, name in kinds.items() if type(value) is kind), "a date")
