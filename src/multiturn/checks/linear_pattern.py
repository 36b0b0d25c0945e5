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
        _compiled(pattern)
    except (re2.error, UnicodeEncodeError) as error:
        first = error.args[0] if error.args else error
        told = first.decode("utf-8", "replace") if isinstance(first, bytes) else str(error)
        return f"is none that RE2 knows: {told}"
    return ""


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern, which has no fault, matches somewhere in the text."""
    return _compiled(pattern).search(_HALF.sub("\ufffd", text)) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:  # noqa: ANN401 - re2 has no types
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)
