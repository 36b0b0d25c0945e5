"""The kind that takes a regular expression: regex. RE2 runs it, in linear time whatever the pattern."""

from __future__ import annotations

from typing import Final

from multiturn.checks.base import Kind, Look, failed, passed
from multiturn.checks.linear_pattern import find, pattern_fault
from multiturn.conversation import require
from multiturn.finding import CheckResult

_LONGEST: Final = 1_000
_SHOWN: Final = 60
"""Characters of a pattern that reasons repeat."""


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
        fault = pattern_fault(self.pattern)
        require(not fault, f"pattern {fault}")
        require(find(self.pattern, "") is None, "pattern matches the empty text too, so it asks for nothing")

    def wants(self) -> str:
        """The pattern, in words."""
        shown = self.pattern if len(self.pattern) <= _SHOWN else f"{self.pattern[: _SHOWN - 3]}..."
        return f"{'has nothing like' if self.absent else 'matches'} {shown!r}"

    def decide(self, look: Look) -> CheckResult:
        """The span is the first match."""
        found = find(self.pattern, look.part.text, ignore_case=self.ignore_case)
        if found is None:
            return passed(self.wants()) if self.absent else failed(f"does not match {self.pattern!r}")
        span = look.part.span(*found)
        return failed(f"matches {self.pattern!r}", span) if self.absent else passed(self.wants(), span)
