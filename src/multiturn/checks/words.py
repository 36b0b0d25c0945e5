"""Kinds that look for words: says, does_not_say."""

from __future__ import annotations

from typing import ClassVar

from multiturn.checks.base import Kind, Look, failed, passed
from multiturn.checks.matching import Variants, as_variants, listed, phrase_fault
from multiturn.conversation import require
from multiturn.finding import CheckResult, Span

Phrases = tuple[str, ...]


def require_phrases(phrases: Phrases, field: str) -> None:
    """Raise ValueError unless each phrase can be looked for."""
    for index, phrase in enumerate(phrases):
        fault = phrase_fault(phrase)
        require(not fault, f"{field}[{index}] {fault}")


def require_variants(several: tuple[str | Phrases, ...], field: str) -> None:
    """Raise ValueError unless each entry has a phrase, and each phrase can be looked for."""
    for index, variants in enumerate(several):
        require(bool(variants), f"{field}[{index}] is empty")
        require_phrases(as_variants(variants), f"{field}[{index}]")


class Says(Kind, frozen=True, tag="says"):
    """Has so many of ``any``, and of each entry of ``all`` one variant."""

    any: Phrases = ()
    all: tuple[str | Phrases, ...] = ()
    at_least: int = 1

    def __post_init__(self) -> None:
        require(bool(self.any or self.all), "needs any or all: phrases to look for")
        require_phrases(self.any, "any")
        require_variants(self.all, "all")
        require(not self.any or 1 <= self.at_least <= len(self.any), "at_least must be from 1 to the number of any")

    def wants(self) -> str:
        """The phrases, in words."""
        parts = [listed(as_variants(variants)) for variants in self.all]
        if self.any:
            some = f"{self.at_least} of " if self.at_least > 1 else ""
            parts.append(some + listed(self.any))
        return f"says {' and '.join(parts)}"

    def phrases(self) -> Phrases:
        """Those of ``any`` and ``all``."""
        return (*self.any, *(phrase for variants in self.all for phrase in as_variants(variants)))

    def decide(self, look: Look) -> CheckResult:
        """The first phrase found is the span."""
        first: Span | None = None
        for variants in self.all:
            span = Variants(as_variants(variants)).find(look.part)
            if span is None:
                return failed(f"does not say {listed(as_variants(variants))}")
            first = first or span
        if self.any:
            found = [span for span in (Variants((phrase,)).find(look.part) for phrase in self.any) if span is not None]
            if len(found) < self.at_least:
                few = f", only {len(found)} of {self.at_least}" if found else ""
                return failed(f"does not say {listed(self.any)}{few}", found[0] if found else None)
            first = first or found[0]
        return passed(self.wants(), first)


class DoesNotSay(Kind, frozen=True, tag="does_not_say"):
    """Has none of these phrases; with ``unless_negated``, "no walnuts" and the like are none."""

    any: Phrases
    unless_negated: bool = False

    positive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require(bool(self.any), "any is empty: phrases to look for")
        require_phrases(self.any, "any")

    def wants(self) -> str:
        """The phrases, in words."""
        return f"does not say {listed(self.any)}"

    def phrases(self) -> Phrases:
        """Those that must be absent."""
        return self.any

    def decide(self, look: Look) -> CheckResult:
        """The phrase found is the span."""
        span = Variants(self.any).find(look.part, unless_negated=self.unless_negated)
        return passed(self.wants()) if span is None else failed(f"says {span.text!r}", span)
