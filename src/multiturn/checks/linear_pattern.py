"""Regular expressions that take linear time whatever the text, as RE2 runs them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import re2

_HALF: Final = re.compile("[\ud800-\udfff]")
"""Half a surrogate, which UTF-8 has not."""


def pattern_fault(pattern: str) -> str:
    """What is wrong with a pattern; empty where nothing is."""
    try:
        _compiled(pattern, False)  # noqa: FBT003 - a key of the cache
    except (re2.error, UnicodeEncodeError) as error:
        first = error.args[0] if error.args else error
        told = first.decode("utf-8", "replace") if isinstance(first, bytes) else str(error)  # RE2 tells it in bytes
        return f"is none that RE2 knows: {told}"
    return ""


def find(pattern: str, text: str, *, ignore_case: bool = False) -> tuple[int, int] | None:
    """Where the pattern, which has no fault, first matches in the text; None where it does not."""
    match = _compiled(pattern, ignore_case).search(_HALF.sub("\ufffd", text))
    return None if match is None else match.span()


@lru_cache(maxsize=1024)
def _compiled(pattern: str, ignore_case: bool) -> Any:  # noqa: ANN401, FBT001 - re2 has no types; a key of the cache
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    return re2.compile(pattern, options)
