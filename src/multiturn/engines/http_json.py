"""From a server's bytes to a typed value: quickly where the JSON is clean, leniently where it is only odd. Pure.

Odd is: half of a surrogate pair in a text, a count written as text, a broken part that a reply does not need. What is
no JSON, or ends too early, or is not of the shape that was asked for, is no reply and never becomes text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Generic, NoReturn, TypeVar

import msgspec

from multiturn.errors import ReplyFailed

T = TypeVar("T", bound=msgspec.Struct)


class Reader(Generic[T]):
    """Reads one kind of value; of its fields, ``dispensable`` ones are left out where they can't be read."""

    def __init__(self, kind: type[T], dispensable: Sequence[str] = ()) -> None:
        self._kind = kind
        self._dispensable = frozenset(dispensable)
        self._decoder = msgspec.json.Decoder(kind)

    def read(self, data: bytes) -> T:
        """The value.

        Raises:
            ReplyFailed: it is none; ``protocol``, worth another try since a body may have been cut short.
        """
        try:
            return self._decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._read_leniently(data)

    def _read_leniently(self, data: bytes) -> T:
        try:
            found: Any = json.loads(data, parse_constant=_refuse)
        except (ValueError, RecursionError):
            told = "is empty" if not data.strip() else "is no whole JSON"
            raise ReplyFailed("protocol", f"the server's body {told}", retryable=True) from None
        try:
            return msgspec.convert(self._without_broken(found), self._kind, strict=False)
        except msgspec.ValidationError as error:
            raise ReplyFailed("protocol", f"the server's JSON is no reply: {error}", retryable=True) from None

    def _without_broken(self, found: Any) -> Any:  # noqa: ANN401 - a server may say anything
        if not isinstance(found, dict):
            return found
        return {name: value for name, value in found.items() if not self._is_broken(name, value)}

    def _is_broken(self, name: str, value: Any) -> bool:  # noqa: ANN401 - a server may say anything
        if name not in self._dispensable:
            return False
        field = next(field for field in msgspec.structs.fields(self._kind) if field.encode_name == name)
        try:
            msgspec.convert(value, field.type, strict=False)
        except msgspec.ValidationError:
            return True
        return False


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
