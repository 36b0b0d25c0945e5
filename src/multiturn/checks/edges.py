"""Kinds that look at a reply's edges: starts_with, ends_with."""

from __future__ import annotations

from typing import Final

from multiturn.checks.base import Kind, Look, failed, passed
from multiturn.checks.matching import Variants, listed
from multiturn.checks.words import Phrases, require_phrases
from multiturn.conversation import require
from multiturn.finding import CheckResult

_QUOTED: Final = 60
"""So many characters of another beginning or end are quoted, less half a word."""


class _Edge(Kind, frozen=True):
    """What ``starts_with`` and ``ends_with`` have in common."""

    any: Phrases

    def __post_init__(self) -> None:
        require(bool(self.any), "any is empty: phrases to look for")
        require_phrases(self.any, "any")

    def phrases(self) -> Phrases:
        """Those of which one stands at the edge."""
        return self.any


class StartsWith(_Edge, frozen=True, tag="starts_with"):
    """Begins with one of these phrases; spaces, quotation marks and markup before it are passed over."""

    def wants(self) -> str:
        """The phrases, in words."""
        return f"begins with {listed(self.any)}"

    def decide(self, look: Look) -> CheckResult:
        """The span is what it begins with."""
        span = Variants(self.any).at_start(look.part)
        if span is not None:
            return passed(self.wants(), span)
        text = look.part.text
        start = len(text) - len(text.lstrip())
        shown = text[start : start + _QUOTED]
        if start + _QUOTED < len(text):
            shown = shown.rsplit(maxsplit=1)[0]
        return failed(f"does not begin with {listed(self.any)}", look.part.span(start, start + len(shown.rstrip())))


class EndsWith(_Edge, frozen=True, tag="ends_with"):
    """Ends with one of these phrases; punctuation, quotation marks, markup and emoji behind it are passed over."""

    @property
    def needs_end(self) -> bool:
        """A reply that was cut off has none."""
        return True

    def wants(self) -> str:
        """The phrases, in words."""
        return f"ends with {listed(self.any)}"

    def decide(self, look: Look) -> CheckResult:
        """The span is what it ends with."""
        span = Variants(self.any).at_end(look.part)
        if span is not None:
            return passed(self.wants(), span)
        text = look.part.text
        end = len(text.rstrip())
        shown = text[max(0, end - _QUOTED) : end]
        if end > _QUOTED:
            shown = shown.split(maxsplit=1)[-1]
        return failed(f"does not end with {listed(self.any)}", look.part.span(end - len(shown.lstrip()), end))
