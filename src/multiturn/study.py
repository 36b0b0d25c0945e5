"""What is concluded from two arms' numbers: verdicts, where the primary measure moved, decay, profile, noise floor.

What this module does not know: transcripts, and how the numbers came about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.groups import EVERYTHING
from multiturn.measures import BY_NAME, MEASURES, RATING, SECONDARY
from multiturn.pairing import contrast, cut, decay, filled, paired, split
from multiturn.results import MOVED, Measured, NoiseFloor, Outlook, Ratio
from multiturn.stats.components import outlook
from multiturn.stats.paired import PAIR, around, difference_interval
from multiturn.stats.power import minimum_detectable
from multiturn.stats.resample import median_of, ratio_of_means
from multiturn.verdicts import as_family, decide

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from multiturn.groups import Cells, Group, Layout
    from multiturn.measures import Measure
    from multiturn.pairing import Arms
    from multiturn.results import Contrast, Orientation, Plan, Role, Verdict

EARLY: Final = 1
"""The turn (from 0) that late ones are held against: the first that can look back."""

LATE: Final = 3
"""The first of the late turns (from 0)."""

RATIOS: Final = ("words",)
"""Measures of which tuned by base, and the median difference, are told too."""


class Study:
    """Two arms of one suite under one plan."""

    def __init__(
        self, layout: Layout, arms: Arms, plan: Plan, orientations: Mapping[str, Orientation], *, samples: int
    ) -> None:
        self._layout: Final = layout
        self._arms: Final = arms
        self._plan: Final = plan
        self._orientations: Final = orientations
        self._samples: Final = samples
        self._primary: Final = BY_NAME[plan.primary]
        judged = all(arm.judged for arm in arms)
        self._measures: Final = tuple(one for one in MEASURES if judged or one.name != RATING)

    def contrasts(self) -> tuple[Contrast, ...]:
        """Every measure in every group that has turns which it is about."""
        return tuple(
            self.contrast(measure, group)
            for group in self._layout.groups
            for measure in self._measures
            if self._layout.has(group, measure.about)
        )

    def contrast(self, measure: Measure, group: Group) -> Contrast:
        """One measure in one group of turns."""
        return self._contrast(measure, group, self._layout.cells(group))

    def verdicts(self) -> tuple[Verdict, ...]:
        """The primary measure's, if the suite has turns that it is about, and those of the family beside it.

        Of refusals the family has those that the suite says are wrong or lacking; the plain rate only where it says so
        of no turn. A measure that applies to no reply of either arm, and of which nothing is missing, has none.
        """
        says = any(self._has(BY_NAME[name]) for name in ("refusal_unexpected", "refusal_missing"))
        left_out = {self._plan.primary, "refusal"} if says else {self._plan.primary}
        family = [BY_NAME[name] for name in SECONDARY if name not in left_out and self._has(BY_NAME[name])]
        found = [self._decide(measure, EVERYTHING, role="secondary") for measure in family]
        found = [one for one in found if one.contrast.difference.n or one.contrast.difference.missing]
        first = (self._decide(self._primary, EVERYTHING, role="primary"),) if self._has(self._primary) else ()
        return (*first, *as_family(found, self._plan.level))

    def localisation(self, primary: Verdict | None) -> tuple[Verdict, ...]:
        """The primary measure by capability, once it has moved: where it did."""
        if primary is None or primary.word not in MOVED:
            return ()
        groups = [
            group
            for group in self._layout.groups
            if group[0] == "capability" and self._layout.has(group, self._primary.about)
        ]
        return as_family(
            [self._decide(self._primary, group, role="localisation") for group in groups], self._plan.level
        )

    def decay(self) -> Contrast | None:
        """The primary measure in late turns less that in the early one, inside conversations that have both."""
        return decay(
            self._arms,
            self._primary,
            late=self._layout.turn >= LATE,
            early=self._layout.turn == EARLY,
            orientation=self._orientations[self._primary.name],
            level=self._plan.level,
        )

    def profile(self) -> tuple[Contrast, ...]:
        """The primary measure by capability and turn, and by category and turn; groups are named ``math, turn 3``."""
        found = []
        turns = [group for group in self._layout.groups if group[0] == "turn"]
        about = self._layout.about(self._primary.about)
        for kind, name in self._layout.groups:
            if kind not in ("capability", "category"):
                continue
            for turn in turns:
                cells = self._layout.cells((kind, name)) & self._layout.cells(turn)
                if (cells & about).any():
                    found.append(self._contrast(self._primary, (f"{kind} and turn", f"{name}, turn {turn[1]}"), cells))
        return tuple(found)

    def noise(self) -> Iterator[NoiseFloor]:
        """Where the uncertainty of the primary measure's difference comes from; nothing without a second sample."""
        cells = self._layout.cells(EVERYTHING)
        apart = split(self._arms, self._primary, cells)
        if apart is None:
            return
        found, level, pair = apart.parts, self._plan.level, paired(self._arms, self._primary, cells)
        samples = max(1, round(found.samples))
        sizes = ((found.n, samples), (found.n, 2 * samples), (2 * found.n, samples), (4 * found.n, samples))
        these = around(apart.mean, found.error_these, found.degrees_these, level, n=found.n, missing=apart.missing)
        yield NoiseFloor(
            measure=self._primary.name,
            samples=found.samples,
            between=found.between,
            within=found.within,
            judging=found.judging,
            like_these=difference_interval(
                pair.base,
                pair.tuned,
                level,
                missing=pair.missing,
                extreme=self._primary.extreme,
                most=self._primary.most,
            ),
            these=these if self._primary.most is None else cut(these, self._primary.most),
            outlook=tuple(
                Outlook(conversations=conversations, samples=held, detectable=detectable)
                for conversations, held in sizes
                if (detectable := minimum_detectable(outlook(found, conversations, held), conversations, level))
            ),
        )

    def ratios(self) -> Iterator[Ratio]:
        """Tuned's mean length by base's."""
        for name in RATIOS:
            pair = paired(self._arms, BY_NAME[name], self._layout.cells(EVERYTHING))
            if pair.base.size >= PAIR:
                ratio = ratio_of_means(pair.base.tolist(), pair.tuned.tolist(), self._plan.level)
                yield Ratio(measure=name, ratio=msgspec.structs.replace(ratio, missing=pair.missing))

    def medians(self) -> Iterator[Measured]:
        """The median of what a conversation's length changed by: half of them changed by less."""
        for name in RATIOS:
            pair = paired(self._arms, BY_NAME[name], self._layout.cells(EVERYTHING))
            if pair.base.size >= PAIR:
                found = median_of(pair.differences.tolist(), self._plan.level)
                yield Measured(
                    measure=name, group=EVERYTHING, estimate=msgspec.structs.replace(found, missing=pair.missing)
                )

    def _has(self, measure: Measure) -> bool:
        return measure in self._measures and self._layout.has(EVERYTHING, measure.about)

    def _contrast(self, measure: Measure, group: Group, cells: Cells) -> Contrast:
        orientation = self._orientations[measure.name]
        return contrast(self._arms, measure, group, cells, orientation=orientation, level=self._plan.level)

    def _decide(self, measure: Measure, group: Group, *, role: Role) -> Verdict:
        cells = self._layout.cells(group)
        return decide(
            measure,
            paired(self._arms, measure, cells),
            self._contrast(measure, group, cells),
            self._plan,
            role=role,
            filled=filled(self._arms, measure, cells),
            samples=self._samples,
        )
