"""A group's runs over time, as values: each version's number, what each step says, and what was left apart.

Nothing here computes; ``trend.py`` fills it and ``report/trend.py`` shows it.
"""

from __future__ import annotations

from typing import Final

import msgspec

from multiturn.conditions import RunRecord
from multiturn.conversation import require
from multiturn.results import Estimate, Verdict, VerdictWord

FALL: Final[VerdictWord] = "regressed"
"""The word for a version that got worse."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A version against an earlier one of its series; both are positions in ``Trend.versions``, from 0.

    The verdict is that of a comparison of these two alone, apart from ``adjusted_p``, which is Holm's over all steps
    of the same kind. ``stands``: the difference that the word claims is still one when all of these are accounted for;
    None where the word claims none. ``same_model`` says that both are one model: whatever differs is noise.
    """

    earlier: int
    later: int
    verdict: Verdict
    stands: bool | None = None
    same_model: bool = False

    def __post_init__(self) -> None:
        require(0 <= self.earlier < self.later, "a step goes from an earlier version to a later one")


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the series with its number; ``notes`` are what a reader must know of this run."""

    run: RunRecord
    estimate: Estimate
    notes: tuple[str, ...] = ()


class Apart(msgspec.Struct, frozen=True, kw_only=True):
    """A run of the group that is not in the series, and why: a line for each reason."""

    run: RunRecord
    reasons: tuple[str, ...]

    def __post_init__(self) -> None:
        require(bool(self.reasons), "a run is left apart for a reason")


class FalseAlarms(msgspec.Struct, frozen=True, kw_only=True):
    """What to expect of a series in which nothing ever changed: how many steps say "regressed" all the same.

    ``each`` is the chance of one step, ``expected`` the mean number over ``steps`` steps, ``any_if_apart`` the chance
    that there is at least one, exact if no two steps had a run in common.
    """

    steps: int
    each: float
    expected: float
    any_if_apart: float


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of a group under one set of conditions, oldest first, in one measure.

    ``before`` has a step from each version to the next one, ``first`` one from the first version to each later one.
    ``level`` is that of every interval. ``reference`` is the run whose conditions count: the newest of the group.
    """

    group: str
    measure: str
    level: float
    reference: RunRecord
    versions: tuple[Version, ...]
    before: tuple[Step, ...]
    first: tuple[Step, ...]
    apart: tuple[Apart, ...]
    false_alarms: FalseAlarms | None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        steps = max(0, len(self.versions) - 1)
        require(len(self.before) == len(self.first) == steps, "a series of k versions has k - 1 steps of each kind")
        require((self.false_alarms is None) == (steps == 0), "false alarms are expected where there are steps")
