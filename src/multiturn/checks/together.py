"""Kinds made of other checks: all_of, any_of, not.

A check inside one keeps its own scope, its own ``allow_refusal`` and its own guards; ``reading`` builds it.
"""

from __future__ import annotations

from typing import ClassVar

from multiturn.checks.base import Kind, Look, Read, failed, inapplicable, passed, reads_the_end
from multiturn.conversation import require
from multiturn.finding import CheckResult


class _Several(Kind, frozen=True):
    """What ``all_of`` and ``any_of`` have in common: the checks inside decide, and are guarded, each by itself."""

    checks: tuple[Read, ...]

    guarded: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require(bool(self.checks), "checks is empty")
        require(self.scope == "reply", "scope belongs to the checks inside")
        require(not self.allow_refusal, "allow_refusal belongs to the checks inside")
        for index, one in enumerate(self.checks):
            _require_no_proof(one, f"checks[{index}]")

    def phrases(self) -> tuple[str, ...]:
        """Those of all checks inside."""
        return tuple(phrase for one in self.checks for phrase in one.phrases())

    def longest_back(self) -> int:
        """As far as the one that looks furthest."""
        return max(one.longest_back() for one in self.checks)

    def results(self, look: Look) -> list[CheckResult]:
        """What each of them says."""
        return [one.check(look.so_far, look.turn) for one in self.checks]


class AllOf(_Several, frozen=True, tag="all_of"):
    """All of these checks pass. It is not applicable where one is and none fails."""

    @property
    def positive(self) -> bool:
        """Whether one of them is: that one fails a reply about something else."""
        return any(one.positive for one in self.checks)

    def wants(self) -> str:
        """What each of them wants."""
        return " and ".join(one.wants for one in self.checks)

    def decide(self, look: Look) -> CheckResult:
        """The first that fails says why, else the first that can't be said; the first span of those that pass."""
        results = self.results(look)
        for outcome in ("fail", "not_applicable"):
            for result in results:
                if result.outcome == outcome:
                    return result
        return passed(self.wants(), next((result.span for result in results if result.span is not None), None))


class AnyOf(_Several, frozen=True, tag="any_of"):
    """One of these checks passes. It is not applicable where none passes and one is not applicable."""

    @property
    def positive(self) -> bool:
        """Whether all of them are: any other passes a reply about something else."""
        return all(one.positive for one in self.checks)

    def wants(self) -> str:
        """What each of them wants."""
        return " or ".join(one.wants for one in self.checks)

    def decide(self, look: Look) -> CheckResult:
        """The first that passes says why, else the first that can't be said, else why each fails."""
        results = self.results(look)
        for outcome in ("pass", "not_applicable"):
            for result in results:
                if result.outcome == outcome:
                    return result
        reasons = dict.fromkeys(result.reason for result in results)
        return failed("; ".join(reasons), next((result.span for result in results if result.span is not None), None))


class Not(Kind, frozen=True, tag="not"):
    """This check fails. Where it is not applicable, so is this."""

    check: Read

    positive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require(self.scope == "reply", "scope belongs to the check inside")
        _require_no_proof(self.check, "check")

    @property
    def needs_end(self) -> bool:
        """As the check inside: where that fails for want of an end, nothing is known."""
        return _reads_the_end(self.check)

    def wants(self) -> str:
        """The opposite, in words."""
        return f"not: {self.check.wants}"

    def phrases(self) -> tuple[str, ...]:
        """Those of the check inside."""
        return self.check.phrases()

    def longest_back(self) -> int:
        """As far as the check inside."""
        return self.check.longest_back()

    def decide(self, look: Look) -> CheckResult:
        """The reason and the span are those of the check inside."""
        result = self.check.check(look.so_far, look.turn)
        if result.outcome == "not_applicable":
            return inapplicable(result.reason)
        return failed(result.reason, result.span) if result.outcome == "pass" else passed(result.reason, result.span)


def _require_no_proof(one: Read, place: str) -> None:
    """Bad replies are tried against a turn's checks, not against what stands inside one."""
    require(not (isinstance(one.check, Kind) and one.check.bad), f"{place}.bad belongs to the check around it")


def _reads_the_end(one: Read) -> bool:
    if isinstance(one.check, _Several):
        return any(map(_reads_the_end, one.check.checks))
    return isinstance(one.check, Kind) and reads_the_end(one.check)
