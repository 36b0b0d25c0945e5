"""What a server's refusal means: from status, code and words to a kind of failure, and whether to ask again. Pure.

Servers agree on little. The code or type in the JSON body decides, then the words, then the status: a request that is
too long comes as 400, 413, 422 or 500 under a dozen names, and a full window is the conversation's doing while any
other 400 is ours. Nothing here knows a connection or a key.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import quote, quote_plus

import msgspec

from multiturn.codec import clean_surrogates
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multiturn.errors import FailureKind

Meaning = Literal["overflow", "filtered"]
"""Refusals that are no failure: the window is full, or a filter took the reply."""

OK: Final = 200
REDIRECTS: Final = range(300, 400)
_NO_REPLIES: Final = range(201, 400)
_BAD_REQUEST: Final = 400
_TOO_LARGE: Final = 413
_TOO_MANY: Final = 429
BY_STATUS: Final[dict[int, tuple[FailureKind, bool]]] = {
    401: ("auth", False),
    402: ("auth", False),
    403: ("auth", False),
    404: ("not_found", False),
    408: ("timeout", True),
    409: ("server", True),
    410: ("not_found", False),
    425: ("server", True),
    429: ("rate_limited", True),
    498: ("server", True),
    501: ("server", False),
    505: ("server", False),
}
"""Kind of failure, and whether to ask again. Others: 4xx is a bad request, 5xx a server that may be well again."""

OVERFLOW_CODES: Final = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "exceed_context_size_error",
        "model_max_prompt_tokens_exceeded",
        "tokens_limit_reached",
    }
)
FILTER_CODES: Final = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "data_inspection_failed",
        "datainspectionfailed",
        "invalid_prompt",
        "responsibleaipolicyviolation",
    }
)
_FILTERS: Final = re.compile(r"\bcontent exists risk\b", re.IGNORECASE)
"""Words of a filter that has no code of its own."""
SPENT_CODES: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Codes of a 429 that no waiting cures."""

_SPEAKS_OF_LENGTH: Final = frozenset({OK, 400, 413, 422, 500})
"""Statuses under which words about the window are believed; a 429 with "too many tokens" is about a minute's worth."""
_PARTED: Final = r"[^.!?\n]{0,80}"
_IS_OVER: Final = r"(?:exceed|longer than|larger than|greater than|too (?:long|large|big)|overflow|beyond)"
_OVERFLOWS: Final = re.compile(
    "|".join(
        (
            rf"{_IS_OVER}{_PARTED}\b(?:context|sequence)[ _-]?(?:window|length|size|limit|len)\b",
            rf"{_IS_OVER}{_PARTED}\bmodel[ _-]?len(?:gth)?\b",
            r"maximum context (?:length|size|window)\b.*\b(?:however|request|contain|result|exceed|reduce)",
            rf"\b(?:context|sequence)[ _-](?:window|length|size){_PARTED}\b(?:exceeded|overflow(?:s|ed)?|too small)\b",
            r"\b(?:prompt|input|messages|conversation|history)(?: is| are)? too long\b",
            rf"\b(?:prompt|input|messages)\b{_PARTED}\btoo many tokens\b|\btoo many (?:input |prompt )?tokens\b",
            rf"\b(?:prompt|input)(?: token)?s?\b{_PARTED}\bexceeds? (?:the )?(?:max|limit|allowed|number of tokens)",
            r"\bmax\w*_tokens\b.*\bgot:? *(?:-\d|0\b)",
            r"\binputs?`? (?:tokens \+ `?max_new_tokens`? must be|must have less than)",
            r"\breduce the length of (?:the|your) (?:messages|prompt|input|conversation)",
            r"\bcontext (?:length|window|size) of only\b",
            r"\bneeds? \d[\d,]* tokens\b.*\broom for \d",
            r"\bmaximum prompt length is \d[\d,]* but the request contains \d",
            rf"{_IS_OVER}{_PARTED}\bmax_(?:seq|input)_len\b|\bmax_(?:seq|input)_len\b{_PARTED}\bexceed",
            rf"\b(?:prompt|input) length\b{_PARTED}\bexceed",
            r"\bcontext ?window ?exceeded ?error\b",
            r"\bcontext shift is disabled\b",
            r"\brange of input length should be\b",
        )
    ),
    re.IGNORECASE | re.DOTALL,
)
_A_RATE: Final = re.compile(r"per (?:second|minute|hour|day)|rate.?limit|please wait|slow down", re.IGNORECASE)
_NUMBER: Final = r"(\d[\d,]*)"
_WINDOW: Final = re.compile(
    r"(?:room for|(?:context|model)[ _-](?:length|size|window)(?: of)?(?: only)?(?: is)?(?: of)?|must be <="
    r"|maximum prompt length is|input length should be \[\d+,)"
    rf"[ :(=]*{_NUMBER}",
    re.IGNORECASE,
)
_NEEDED: Final = re.compile(
    r"(?:requested|requested tokens|request|needs?|resulted in|contains|has|a total of|input)(?: at least)?[ (]*"
    rf"{_NUMBER}(?: (?!output\b|completion\b)[a-z]+)?(?: tokens|\))",
    re.IGNORECASE,
)

SHOWN: Final = 300
"""Characters of a server's words that an error repeats."""
READ: Final = 4_000
"""Characters of a server's words that are looked at."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """What a server said instead of a reply.

    ``codes`` are its machine-readable names for it, in small letters; ``fields`` those of the request's that it names.
    """

    status: int
    message: str
    codes: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    needed: int | None = None
    window: int | None = None


class Sense(msgspec.Struct, frozen=True):
    """What a fault means, and whether it may pass: then it is worth asking again."""

    kind: FailureKind | Meaning
    retryable: bool


def read_fault(status: int, data: bytes) -> Fault:
    """What the body of a refusal says, in any of the shapes that servers use."""
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError):
        return Fault(status=status, message=_plain(data))
    return fault_of(status, found) or Fault(status=status, message=_plain(data))


def sense(fault: Fault) -> Sense:
    """What it means.

    A status that a server names inside a body with status 200 counts as if it had been sent.
    """
    status = _said_status(fault)
    if not OVERFLOW_CODES.isdisjoint(fault.codes) or (status in _SPEAKS_OF_LENGTH and overflows(fault.message)):
        return Sense("overflow", retryable=False)
    if not FILTER_CODES.isdisjoint(fault.codes) or (status == _BAD_REQUEST and _FILTERS.search(fault.message[:READ])):
        return Sense("filtered", retryable=False)
    if not SPENT_CODES.isdisjoint(fault.codes):
        return Sense("auth", retryable=False)
    a_rate = status == _TOO_LARGE and _A_RATE.search(fault.message[:READ])
    known = BY_STATUS.get(_TOO_MANY if a_rate else status)
    if known is not None:
        return Sense(*known)
    if status in _NO_REPLIES:
        return Sense("protocol", retryable=False)
    return Sense("server", retryable=True) if status >= 500 or status == OK else Sense("bad_request", retryable=False)  # noqa: PLR2004 - where server errors begin


def overflows(message: str) -> bool:
    """Whether these words say that prompt and reply do not fit the window."""
    words = message[:READ]
    return _OVERFLOWS.search(words) is not None and _A_RATE.search(words) is None


def sizes(fault: Fault) -> tuple[int | None, int | None]:
    """Tokens that were needed and tokens of the window, where the server names them."""
    needed, window = fault.needed, fault.window
    if window is None:
        window = _number(_WINDOW.search(fault.message))
    if needed is None:
        needed = max((_number(match) or 0 for match in _NEEDED.finditer(fault.message)), default=0) or None
    if needed is not None and window is not None and needed <= window:
        needed = None  # the prompt's part alone, or another number
    return needed, window


class Redactor:
    """Takes secrets out of what a server says, cuts it to a line of sane length, and makes it fit for a terminal."""

    def __init__(self, secrets: Iterable[str]) -> None:
        spelled = {form for secret in secrets if not is_placeholder(secret) for form in _spellings(secret)}
        known = "|".join(re.escape(form) for form in sorted(spelled, key=len, reverse=True))
        self._pattern = re.compile(f"{known}|{_KEY_SHAPES}" if known else _KEY_SHAPES)

    def __repr__(self) -> str:
        return "Redactor(...)"

    def __call__(self, text: str, limit: int = SHOWN) -> str:
        """The text without secrets, on one line, at most ``limit`` characters."""
        line = " ".join(printable(clean_surrogates(self._pattern.sub("[redacted]", text[:READ]))).split())
        return line if len(line) <= limit else f"{line[:limit].rstrip()}…"


_KEY_SHAPES: Final = (
    r"\b[Bb]earer\s+[^\s\"',;]{6,}|\b[Bb]asic\s+[A-Za-z0-9+/=]{12,}"
    r"|\bsk-[A-Za-z0-9*_.-]{6,}|\b(?:gsk|xai|hf|pk|rk|ghp)[-_][A-Za-z0-9*_.-]{16,}"
    r"|(?<=//)[^/\s@]+@|(?<=[?&])(?:api[-_]?key|key|token|sig|signature|code|password)=[^&\s\"']+"
)
"""What looks like a key wherever it stands, and what stands in URLs before an @ or behind ``key=``."""


def looks_secret(text: str) -> bool:
    """Whether a text has the shape of a key."""
    return re.search(_KEY_SHAPES, text) is not None


_PLACEHOLDERS: Final = frozenset({"not-needed", "not-required", "no-key-required", "placeholder", "lm-studio"})


def is_placeholder(key: str) -> bool:
    """Whether it is a word that stands where a key must stand and none is needed (``none``, ``EMPTY``, ``ollama``).

    Taking those out of what is shown would take out words that mean something.
    """
    return key.casefold() in _PLACEHOLDERS or re.fullmatch(r"[A-Za-z_-]{0,7}", key) is not None


def _spellings(secret: str) -> set[str]:
    """How a server may repeat it: as it is, in a URL, in JSON."""
    return {secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}


def _said_status(fault: Fault) -> int:
    if fault.status != OK:
        return fault.status
    numbers = [int(code) for code in fault.codes if code.isascii() and code.isdigit() and len(code) == 3]  # noqa: PLR2004 - as statuses have
    return next((number for number in numbers if 400 <= number < 600), OK)  # noqa: PLR2004 - statuses of errors


def fault_of(status: int, found: Any) -> Fault | None:  # noqa: ANN401 - a server may say anything
    """What a refusal says that is read from JSON already; None where it has no shape that is known."""
    table = found[0] if isinstance(found, list) and found else found
    if not isinstance(table, dict):
        return None
    inner = table.get("error") or table.get("errors") or table.get("detail") or table
    if isinstance(inner, list) and inner and all(isinstance(one, dict) and one.get("loc") for one in inner):
        return _validated(status, inner)
    inner = inner[0] if isinstance(inner, list) and inner else inner
    if not isinstance(inner, dict):
        return Fault(status=status, message=str(inner), codes=_codes(table))
    message = inner.get("message") or inner.get("msg") or inner.get("detail") or inner.get("error")
    if message is None and inner is table:
        return None
    return Fault(
        status=status,
        message=message if isinstance(message, str) else json.dumps(inner if message is None else message),
        codes=(*_codes(inner), *_codes(inner.get("innererror")), *_codes(inner.get("metadata"))),
        fields=(str(inner["param"]),) if isinstance(inner.get("param"), str) else (),
        needed=_count(inner.get("n_prompt_tokens")),
        window=_count(inner.get("n_ctx")),
    )


def _validated(status: int, faults: list[dict[str, Any]]) -> Fault:
    """FastAPI's list of what a body has wrong, each with its place."""
    places = [".".join(map(str, one["loc"])) if isinstance(one["loc"], list) else str(one["loc"]) for one in faults]
    told = [f"{place}: {one.get('msg', 'refused')}" for place, one in zip(places, faults, strict=True)]
    return Fault(status=status, message="; ".join(told), fields=tuple(places))


def _codes(table: Any) -> tuple[str, ...]:  # noqa: ANN401 - a server may say anything
    if not isinstance(table, dict):
        return ()
    named = (table.get("code"), table.get("type"), table.get("error_type"), table.get("status"))
    return tuple(str(name).casefold() for name in named if isinstance(name, str | int) and not isinstance(name, bool))


def _count(value: Any) -> int | None:  # noqa: ANN401 - a server may say anything
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _number(match: re.Match[str] | None) -> int | None:
    return int(match[1].replace(",", "")[:12]) if match else None


_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")


def _plain(data: bytes) -> str:
    """A body that is no JSON: its text, and of an HTML page the title."""
    text = data[:READ].decode("utf-8", errors="replace")
    if text.lstrip()[:1] != "<":
        return text
    title = _TITLE.search(text)
    return f"a page: {title[1] if title else _TAG.sub(' ', text)}"
