"""Refusals that no other conversation would fare better with: what to change before a run goes on. Pure.

A model without a chat template, a field that a server does not take: both are said at the first reply and hold for all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.engines.http_errors import READ, Fault
from multiturn.engines.http_toml import CAN_BE_OMITTED
from multiturn.errors import EngineSetupError

if TYPE_CHECKING:
    from collections.abc import Collection

    from multiturn.engines.http_spec import Endpoint

BUDGETS: Final = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""The two names of the budget, each with the other."""
_OF_FIELDS: Final = frozenset({400, 422})
"""Statuses under which a server's words about a field are believed."""
_NO_TEMPLATE: Final = re.compile(
    r"default chat template is no longer allowed|must provide a chat template|chat_template is not set"
    r"|\b(?:no|without a|not have a|lacks a) chat[ _]template\b|\btemplate not found\b"
    r"|\bcustom template is not supported\b",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"['\"`](?:body\.)?([a-z_]+)['\"`]")
_FORMS: Final = ("response_format", "format")
"""What a schema for the reply is sent as."""
_BY_WORDS: Final = (
    ("top_logprobs", re.compile(r"\btop_logprobs\b", re.IGNORECASE)),
    ("logprobs", re.compile(r"\blog_?probs?\b|\blog[ -]probabilit", re.IGNORECASE)),
    *(
        (name, re.compile(r"\bresponse_format\b|\bjson[_ ]schema\b|\bstructured output|\bgrammar\b", re.IGNORECASE))
        for name in _FORMS
    ),
)
"""Fields that are named without quotes too, since their names are no everyday words."""


def lacks_template(message: str) -> bool:
    """Whether these words say that the model has no chat template that its server can use."""
    return _NO_TEMPLATE.search(message[:READ]) is not None


def refused_field(fault: Fault, sent: Collection[str]) -> str | None:
    """The field that is refused, of those that were sent; None where none is named."""
    if fault.status not in _OF_FIELDS:
        return None
    named = [part for place in fault.fields for part in re.split(r"[.\[\]]+", place)]
    words = fault.message[:READ]
    told = (name for name, pattern in _BY_WORDS if pattern.search(words))
    return next((name for name in (*named, *_QUOTED.findall(words), *told) if name in sent), None)


def unusable(fault: Fault, told: str, endpoint: Endpoint, body: bytes) -> EngineSetupError | None:
    """The error with the next thing to type, where every request of this kind will be refused; else None.

    ``told`` is what may be shown of the refusal; ``body`` is the request that was refused.
    """
    sent = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    if "messages" in sent and lacks_template(fault.message):
        return EngineSetupError(
            f"{endpoint.model} has no chat template that its server can use ({told})",
            hint="--template plain asks in the User:/Assistant: form, --template from:MODEL takes another model's",
        )
    field = refused_field(fault, sent)
    hint = _hint(fault, field, endpoint) if field else None
    return EngineSetupError(f"{endpoint.model} does not take {field!r} ({told})", hint=hint) if hint else None


def may_be_the_schema(fault: Fault, body: bytes) -> str:
    """What may help where a refusal names no field and the request holds a schema; "" where it is none of that sort."""
    sent = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    if fault.status not in _OF_FIELDS or sent.keys().isdisjoint(_FORMS):
        return ""
    return " - it was sent a JSON schema; if it takes none, judge with --no-schema"


def _hint(fault: Fault, field: str, endpoint: Endpoint) -> str | None:
    if field in endpoint.body:
        return f"leave {field} out of [body] in {endpoint.spec.partition(':')[2]}"
    if endpoint.kind == "openai" and field in CAN_BE_OMITTED:
        return in_file(endpoint, f"omit = {msgspec.json.encode((*endpoint.omit, field)).decode()}")
    if field in BUDGETS:
        other = BUDGETS[field]
        return (
            in_file(endpoint, f'max_tokens_field = "{other}"') if other in fault.message else "a smaller --max-tokens"
        )
    if field in _FORMS:
        return "judge with --no-schema: verdicts are asked for in a line then"
    return "leave out --stop" if field == "stop" else None


def in_file(endpoint: Endpoint, line: str) -> str:
    """The hint that puts a line into a server's file, which is written out where there is none yet."""
    path = endpoint.spec.partition(":")[2]
    if path.lower().endswith(".toml"):
        return f"write into {path}, above the first [table]:\n    {line}"
    bases = [place.base for place in endpoint.places]
    urls = msgspec.json.encode(bases[0] if len(bases) == 1 else bases).decode()
    lines = (f"model = {msgspec.json.encode(endpoint.model).decode()}", f"base_url = {urls}", line)
    return f"write a file server.toml and use {endpoint.kind}:server.toml:\n" + "\n".join(f"    {one}" for one in lines)
