"""What a judge's self-check found: the card that says whether it can be believed here. Pure values; nothing computes.

A card is of one judge (a model with a rubric, under fixed conditions) and of the material that it was tried on. Each
finding says what was tried, how often it went which way, and what may be expected of a judge that is fit for use.
"""

from __future__ import annotations

import hashlib
from typing import Final, Literal

import msgspec

from multiturn.conversation import require
from multiturn.results import Estimate
from multiturn.rubric import Mode

FindingName = Literal[
    "good_bad", "damaged", "padded", "forged", "seats", "identical", "again", "reworded", "temperature", "unreadable"
]
Unit = Literal["share", "balance", "grade"]
"""``share``: of so many tries, 0 to 1. ``balance``: the share that goes one way less the share that goes the other, -1
to 1: what is mere noise cancels out. ``grade``: a mean absolute change, in grades of the rubric's scale."""

Side = Literal["at_least", "at_most", "within"]
"""Where a fit judge lies: at or above the limit, at or below it, or no farther from 0."""

Passes = Literal["yes", "no", "cannot_tell"]
"""``yes``: it lies where it should. ``no``: its whole interval lies beyond, or an essential one is at chance.
``cannot_tell``: neither, or too few."""

Conclusion = Literal["fit", "not_fit", "cannot_tell"]

ESSENTIAL: Final[frozenset[FindingName]] = frozenset({"good_bad", "damaged"})
"""What a judge is for: one that is at chance here is not fit, whatever else it does."""


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one thing that was tried.

    ``measured`` rests on conversations. Of a balance, ``toward`` is how many of them went the way that is counted, and
    ``against`` the other way; of a share, ``toward`` is how many it was. ``note`` says more, where there is more.
    """

    name: FindingName
    unit: Unit
    measured: Estimate
    limit: float
    side: Side
    passes: Passes
    toward: int | None = None
    against: int | None = None
    note: str = ""


class Card(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A judge's card.

    ``judge`` is the id of its :class:`multiturn.judgment.JudgeRecord`, ``spec``, ``rubric`` and ``mode`` say again who
    it is. ``probes`` is the SHA-256 of all that it was asked, ``material`` says in words what that was made of.
    ``questions`` were planned, ``asked`` of them were asked in ``calls`` calls; ``unreadable`` gave no verdict though
    asked twice, ``failed`` could not be asked. ``reasons`` are the findings that decide the conclusion.
    """

    created: str
    judge: str
    spec: str
    rubric: str
    mode: Mode
    probes: str
    material: str
    questions: int
    asked: int
    calls: int
    unreadable: int = 0
    failed: int = 0
    findings: tuple[Finding, ...]
    conclusion: Conclusion
    reasons: tuple[FindingName, ...] = ()

    def __post_init__(self) -> None:
        require(0 <= self.asked <= self.questions, "no more can be asked than was planned")
        require(self.unreadable + self.failed <= self.asked, "what gave no verdict was asked")

    @property
    def id(self) -> str:
        """SHA-256, shortened to 16 digits, over who was asked what: one card for each."""
        return hashlib.sha256(msgspec.json.encode([self.judge, self.probes])).hexdigest()[:16]
