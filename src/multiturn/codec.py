"""Values <-> JSON: the only place that knows the wire. Pure.

A value is written as the JSON object of its fields, without those that are at their default where its type says so.
What is read may hold more: fields that a newer minor version added are left unread (except inside turns and
conversations, where an unknown field would be an expectation lost). ``SCHEMA_VERSION`` grows with each change that an
older reader would misread; whoever keeps values (a store, an export) keeps it beside them and asks ``check_schema``.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from multiturn.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMA_VERSION: Final = 1

T = TypeVar("T")

_SURROGATES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")


def encode(value: msgspec.Struct) -> bytes:
    """The value as JSON in UTF-8.

    Raises:
        StoreError: a text holds half of a surrogate pair, or a number is not finite; neither exists in JSON.
    """
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:
        raise _unfit(value) from None
    if b"null" in data and any(_faults(value)):  # a number that is not finite would be written as null
        raise _unfit(value)
    return data


def decode(data: bytes | str, kind: type[T]) -> T:
    """The value of this type in JSON that ``encode`` wrote, of this schema version or an older one.

    Raises:
        StoreError: it is no JSON, or no value of that type.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise StoreError(
            f"what is kept as {kind.__name__} can't be read: {error}",
            hint="it was changed by hand, cut off, or written by a newer multiturn; use a backup, or a newer multiturn",
        ) from None


def check_schema(version: int) -> None:
    """Refuse what was written in a newer schema than this version knows.

    Raises:
        StoreError: it was.
    """
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"this was written in schema {version}; this multiturn reads up to {SCHEMA_VERSION}",
            hint="pip install --upgrade multiturn",
        )


def clean_surrogates(text: str) -> str:
    """Text that can be written as UTF-8: halves of surrogate pairs become U+FFFD, whole pairs their character.

    Engines call it on what models emit.
    """
    try:
        text.encode()  # a tenth of what looking through it costs, and nearly every text is fine
    except UnicodeEncodeError:
        return _SURROGATES.sub(lambda found: _joined(found[0]), text)
    return text


def _joined(surrogates: str) -> str:
    if len(surrogates) == 1:
        return "\ufffd"
    return surrogates.encode("utf-16", "surrogatepass").decode("utf-16")


def _unfit(value: msgspec.Struct) -> StoreError:
    faults = "; ".join(_faults(value))
    return StoreError(
        f"this {type(value).__name__} can't be written as JSON: {faults}",
        hint="engines pass texts through multiturn.codec.clean_surrogates; report this as a fault of the engine",
    )


def _faults(value: object, path: str = "") -> Iterator[str]:
    """Texts and numbers inside a value that JSON can't hold, each with its path."""
    if isinstance(value, str):
        found = re.search("[\ud800-\udfff]", value)
        if found:
            yield f"{path} holds half of a surrogate pair, U+{ord(found[0]):04X}, at character {found.start()}"
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield f"{path} is {value}, not a finite number"
    else:
        for item, where in _inside(value, path):
            yield from _faults(item, where)


def _inside(value: object, path: str) -> Iterator[tuple[object, str]]:
    """What a struct, a table or a list holds, each with its path."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield getattr(value, name), f"{path}.{name}".lstrip(".")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key, f"a key of {path}"
            yield item, f"{path}[{key!r}]"
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield item, f"{path}[{index}]"
