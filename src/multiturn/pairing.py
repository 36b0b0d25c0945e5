"""Two arms side by side: the conversations that both have, for one measure and any choice of turns.

What this module does not know: verdicts, what is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from multiturn.results import Contrast
from multiturn.stats.components import Components, components
from multiturn.stats.paired import difference_interval, mean_interval
from multiturn.stats.rates import share_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multiturn.groups import Cells, Group
    from multiturn.measures import Measure
    from multiturn.results import Estimate, Orientation
    from multiturn.summary import Numbers, Summary

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

Arms = tuple["Summary", "Summary"]
"""Base and tuned, of one layout."""


class Pair(NamedTuple):
    """Base and tuned of the conversations that both have, in suite order; ``missing`` counts those that one lacks.

    A conversation to which the measure does not apply in one arm is neither: nothing pairs, and nothing is missing.
    """

    base: Floats
    tuned: Floats
    missing: int

    @property
    def differences(self) -> Floats:
        """Tuned - base, conversation by conversation."""
        return self.tuned - self.base


def pair_up(base: Numbers, tuned: Numbers) -> Pair:
    """The conversations that both arms have a number for."""
    both = base.present & tuned.present
    asked = (base.present | base.missing) & (tuned.present | tuned.missing)
    return Pair(base.values[both], tuned.values[both], int((asked & ~both).sum()))


def paired(arms: Arms, measure: Measure, cells: Cells) -> Pair:
    """One measure over these turns, of the conversations that both arms have."""
    base, tuned = (arm.numbers(measure.name, cells) for arm in arms)
    return pair_up(base, tuned)


def filled(arms: Arms, measure: Measure, cells: Cells) -> tuple[Pair, Pair] | None:
    """The pair as it would be if all that is missing had made tuned - base as low, and as high, as can be.

    A share is filled turn by turn, with 0 and 1; another measure conversation by conversation, with the lowest and
    highest number that was seen in either arm, since it has no bounds of its own.

    Returns:
        None where nothing is missing (or nothing at all was seen to fill with).
    """
    base, tuned = (arm.numbers(measure.name, cells) for arm in arms)
    asked = (base.present | base.missing) & (tuned.present | tuned.missing)
    if measure.share:
        (base_low, base_high), (tuned_low, tuned_high) = (arm.bounds(measure.name, cells) for arm in arms)
        if np.array_equal(base_low[asked], base_high[asked]) and np.array_equal(tuned_low[asked], tuned_high[asked]):
            return None
    else:
        seen = np.concatenate([base.values[base.present], tuned.values[tuned.present]])
        if not seen.size or not ((base.missing | tuned.missing) & asked).any():
            return None
        least, most = seen.min(), seen.max()
        base_low, base_high = (np.where(base.present, base.values, end) for end in (least, most))
        tuned_low, tuned_high = (np.where(tuned.present, tuned.values, end) for end in (least, most))
    return Pair(base_high[asked], tuned_low[asked], 0), Pair(base_low[asked], tuned_high[asked], 0)


def contrast(
    arms: Arms, measure: Measure, group: Group, cells: Cells, *, orientation: Orientation, level: float
) -> Contrast:
    """One measure over these turns: each arm by itself, and the paired difference."""
    base, tuned = (arm.numbers(measure.name, cells) for arm in arms)
    asked = (base.present | base.missing) & (tuned.present | tuned.missing)
    pair = pair_up(base, tuned)
    return Contrast(
        measure=measure.name,
        group=group,
        base=_one_arm(measure, base, level),
        tuned=_one_arm(measure, tuned, level),
        difference=difference_interval(
            pair.base, pair.tuned, level, missing=int(asked.sum()) - pair.base.size, extreme=measure.extreme
        ),
        orientation=orientation,
    )


def decay(
    arms: Arms, measure: Measure, late: Cells, early: Cells, *, orientation: Orientation, level: float
) -> Contrast | None:
    """How much less (or more) the late turns have than the early ones inside a conversation, tuned against base.

    None where no conversation has both kinds of turns. A difference of differences has no bound that is of use, so its
    interval is Student's.
    """
    slopes = []
    for arm in arms:
        first, last = arm.numbers(measure.name, early), arm.numbers(measure.name, late)
        present = first.present & last.present
        asked = (first.present | first.missing) & (last.present | last.missing)
        slopes.append((last.values - first.values, present, asked & ~present))
    (base, base_there, base_lost), (tuned, tuned_there, tuned_lost) = slopes
    if not (base_there | base_lost).any() and not (tuned_there | tuned_lost).any():
        return None
    both = base_there & tuned_there
    asked = (base_there | base_lost) & (tuned_there | tuned_lost)
    return Contrast(
        measure=measure.name,
        group=("late - early", ""),
        base=mean_interval(base[base_there], level, missing=int(base_lost.sum())),
        tuned=mean_interval(tuned[tuned_there], level, missing=int(tuned_lost.sum())),
        difference=difference_interval(base[both], tuned[both], level, missing=int((asked & ~both).sum())),
        orientation=orientation,
    )


def split(arms: Arms, measure: Measure, cells: Cells) -> Components | None:
    """The variance of the difference between conversations and between samples; None without a second sample."""
    by_arm = []
    for arm in arms:
        found = arm.sessions(measure.name, cells)
        samples: dict[int, list[list[float]]] = {}
        for at, value in zip(
            found.conversation[found.present].tolist(), found.values[found.present].tolist(), strict=True
        ):
            samples.setdefault(at, []).append([value])
        by_arm.append(samples)
    base, tuned = by_arm
    both = sorted(base.keys() & tuned.keys())
    return components([base[at] for at in both], [tuned[at] for at in both])


def _one_arm(measure: Measure, numbers: Numbers, level: float) -> Estimate:
    interval = share_interval if measure.share else mean_interval
    return interval(numbers.values[numbers.present], level, missing=int(numbers.missing.sum()))
