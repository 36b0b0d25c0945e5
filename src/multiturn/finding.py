"""What was found about replies: check results and signals. Absence is a type here, never a number.

What judges say stands in ``judgment.py``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import fmean
from typing import Final, Literal

import msgspec

from multiturn.conversation import require
from multiturn.display import html_of
from multiturn.judgment import Judged, Rating
from multiturn.transcript import Transcript

SignalUnit = Literal["characters", "words", "sentences", "tokens", "flag", "share"]


class Span(msgspec.Struct, frozen=True):
    """The part of a reply that decided: ``text[start:end]``, offsets in characters."""

    start: int
    end: int
    text: str

    def __post_init__(self) -> None:
        require(0 <= self.start <= self.end, "a span must not end before it starts")


Outcome = Literal["pass", "fail", "not_applicable"]


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a check says of one turn: pass, fail, or not applicable, with the reason and the span that decided."""

    outcome: Outcome
    reason: str
    span: Span | None = None


def turn_passes(results: Iterable[CheckResult]) -> bool:
    """Whether a turn whose checks say this passes: none fails, and at least one passes."""
    outcomes = {result.outcome for result in results}
    return "pass" in outcomes and "fail" not in outcomes


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One check of one turn with its answer.

    ``check`` is its place in the turn, ``wants`` says it in words, ``why`` what it means that it fails (empty where the
    suite does not say).
    """

    turn: int
    check: int
    kind: str
    wants: str
    result: CheckResult
    why: str = ""


class Signal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A number or flag measured on one reply, with no expectation attached.

    ``value`` is None where it can't be measured (no reply, too short a text ...) and then ``reason`` says why. Flags
    are 0 or 1; shares run from 0 to 1; counts are whole numbers. ``label`` is a word beside the number: the language
    found, ``full`` or ``partial`` for a refusal.
    """

    name: str
    turn: int
    value: float | None
    unit: SignalUnit
    label: str = ""
    reason: str = ""
    span: Span | None = None

    def __post_init__(self) -> None:
        require(self.value is None or math.isfinite(self.value), f"signal {self.name} must be finite")
        require(self.value is not None or bool(self.reason), f"signal {self.name} has no value and no reason")


REFUSED: Final = frozenset({"full", "partial"})
"""Labels of the refusal signal that count as a refusal."""

FAILS_AS_REFUSAL: Final = "the reply is a refusal"
"""Why a check fails that was not asked, since the reply declines."""


def failing_means(why: str, wants: str, reason: str) -> str:
    """What it means that a check fails, of its ``why`` and ``wants`` (:class:`Checked`) and the reason of its result.

    The suite's words, without any what it wants; of a reply that declines just that, since what the words say did not
    happen.
    """
    return reason if reason == FAILS_AS_REFUSAL else why or f"not: {wants}"


class Assessed(msgspec.Struct, frozen=True):
    """A transcript with the signals of its replies, what the checks of its turns say, and what judges say of them.

    ``panel`` are the ids of the judges whose ratings count: a turn that one of them did not rate is missing.
    """

    transcript: Transcript
    signals: tuple[Signal, ...]
    checks: tuple[Checked, ...] = ()
    judged: tuple[Judged, ...] = ()
    panel: tuple[str, ...] = ()

    @property
    def refusals(self) -> dict[int, Signal]:
        """The turns (from 0) at which the reply is a refusal, with the signal that says so."""
        return {one.turn: one for one in self.signals if one.name == "refusal" and one.label in REFUSED}

    def checks_of(self, turn: int) -> tuple[Checked, ...]:
        """What the checks of this turn (from 0) say, in the order of the suite."""
        return tuple(checked for checked in self.checks if checked.turn == turn)

    def judged_at(self, turn: int) -> tuple[Judged, ...]:
        """What judges say of this turn (from 0)."""
        return tuple(one for one in self.judged if one.question.turn == turn)

    def grade(self, turn: int) -> float | None:
        """The panel's grade of this turn (from 0), on the rubric's scale; None where one of its judges has none.

        It is the mean over judges, of each judge over its repeats. Judges have levels of their own: the mean of those
        that can be read would be another panel's.
        """
        values: dict[str, list[float]] = {judge: [] for judge in self.panel}
        for one in self.judged_at(turn):
            if isinstance(one.judgment, Rating) and one.judge in values:
                values[one.judge].append(one.judgment.value)
        return fmean(map(fmean, values.values())) if values and all(values.values()) else None

    def _repr_html_(self) -> str | None:
        """For notebooks."""
        return html_of(self)
