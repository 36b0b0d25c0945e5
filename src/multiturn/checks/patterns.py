"""The kind that takes a regular expression: regex. RE2 runs it, in linear time whatever the pattern."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import re2

from multiturn.checks.base import Kind, Look, failed, passed
from multiturn.conversation import require
from multiturn.finding import CheckResult

_LONGEST: Final = 1_000
_SHOWN: Final = 60
"""Characters of a pattern that reasons repeat."""
_HALF: Final = re.compile("[\ud800-\udfff]")
"""Half a surrogate, which UTF-8 has not."""


class Regex(Kind, frozen=True, tag="regex"):
    r"""Matches the pattern somewhere; with ``absent``, nowhere.

    The text is matched as it stands: letter case, quotation marks, markup and all. ``^`` and ``$`` are its edges, those
    of a line after ``(?m)``; ``\w``, ``\d`` and ``\b`` know ASCII only, ``\pL`` is a letter of any script.
    """

    pattern: str
    ignore_case: bool = False
    absent: bool = False

    @property
    def positive(self) -> bool:
        """Not where the pattern must be absent."""
        return not self.absent

    def __post_init__(self) -> None:
        require(bool(self.pattern), "pattern is empty")
        require(len(self.pattern) <= _LONGEST, f"pattern is longer than {_LONGEST} characters")
        try:
            compiled = _compiled(self.pattern, self.ignore_case)
        except (re2.error, UnicodeEncodeError) as error:
            raise ValueError(f"pattern is none that RE2 knows: {_told(error)}") from None
        require(compiled.search("") is None, "pattern matches the empty text too, so it asks for nothing")

    def wants(self) -> str:
        """The pattern, in words."""
        shown = self.pattern if len(self.pattern) <= _SHOWN else f"{self.pattern[: _SHOWN - 3]}..."
        return f"{'has nothing like' if self.absent else 'matches'} {shown!r}"

    def decide(self, look: Look) -> CheckResult:
        """The span is the first match."""
        match = _compiled(self.pattern, self.ignore_case).search(_HALF.sub("\ufffd", look.part.text))
        if match is None:
            return passed(self.wants()) if self.absent else failed(f"does not match {self.pattern!r}")
        start, end = match.span()
        span = look.part.span(start, end)
        return failed(f"matches {self.pattern!r}", span) if self.absent else passed(self.wants(), span)


@lru_cache(maxsize=1024)
def _compiled(pattern: str, ignore_case: bool) -> Any:  # noqa: ANN401, FBT001 - re2 has no types; a key of the cache
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    return re2.compile(pattern, options)


def _told(error: Exception) -> str:
    """RE2 tells its errors in bytes."""
    first = error.args[0] if error.args else error
    return first.decode("utf-8", "replace") if isinstance(first, bytes) else str(error)
