"""Two arms side by side: the conversations that both have, for one measure and any choice of turns.

What this module does not know: verdicts, what is shown.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
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
    from multiturn.summary import Numbers, Sessions, Summary

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

Arms = tuple["Summary", "Summary"]
"""Base and tuned, of one layout."""

FILLINGS: Final = tuple(at / 16 for at in range(17))
"""Where between the lowest and the highest that tuned - base could be all that is missing is filled in.

Of 3000 simulated comparisons of 8 to 60 conversations, up to a quarter of them missing, 63 had one word at both ends
and another somewhere in between; 5 of these parts saw that in 32 of them, 9 in 46, 17 in 55.
"""


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


def filled(arms: Arms, measure: Measure, cells: Cells) -> tuple[Pair, ...] | None:
    """The pair as it would be with all that is missing filled in, from the lowest tuned - base to the highest.

    A measure that has bounds is filled turn by turn, with these; another one sample by sample, with the lowest and
    highest number that a sample of either arm had. Between these two ends all that is missing goes
    the same part of the way (``FILLINGS``). The ends are the worst and the best mean, but not always the worst and the
    best verdict: differences of -1 beside small ones widen the interval, so that a difference may stand out at a
    filling in between and at neither end.

    Returns:
        None where nothing is missing (or nothing at all was seen to fill with).
    """
    base, tuned = (arm.numbers(measure.name, cells) for arm in arms)
    asked = (base.present | base.missing) & (tuned.present | tuned.missing)
    if not any(arm.gaps(measure.name, cells)[asked].any() for arm in arms):
        return None
    fill = None
    if measure.bounds is None:
        sessions = [arm.sessions(measure.name, cells) for arm in arms]
        seen = np.concatenate([one.values[one.present] for one in sessions])
        if not seen.size:
            return None
        fill = float(seen.min()), float(seen.max())
    (base_low, base_high), (tuned_low, tuned_high) = (arm.bounds(measure.name, cells, fill) for arm in arms)
    return tuple(
        Pair(_between(base_high[asked], base_low[asked], part), _between(tuned_low[asked], tuned_high[asked], part), 0)
        for part in FILLINGS
    )


def contrast(
    arms: Arms, measure: Measure, group: Group, cells: Cells, *, orientation: Orientation, level: float
) -> Contrast:
    """One measure over these turns: each arm by itself, and the paired difference."""
    base, tuned = (arm.numbers(measure.name, cells) for arm in arms)
    pair = pair_up(base, tuned)
    return Contrast(
        measure=measure.name,
        group=group,
        base=one_arm(measure, base, level),
        tuned=one_arm(measure, tuned, level),
        difference=difference_interval(
            pair.base, pair.tuned, level, missing=pair.missing, extreme=measure.extreme, most=measure.most
        ),
        orientation=orientation,
    )


def decay(
    arms: Arms, measure: Measure, late: Cells, early: Cells, *, orientation: Orientation, level: float
) -> Contrast | None:
    """How much less (or more) the late turns have than the early ones inside a conversation, tuned against base.

    None where no conversation has both kinds of turns. Intervals are Student's; those of a measure with bounds
    are cut to what can be: of a share -1 to 1 for an arm, -2 to 2 for the difference of the two.
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
    difference = difference_interval(base[both], tuned[both], level, missing=int((asked & ~both).sum()))
    most = measure.most
    within = None if most is None else (-most, most)
    return Contrast(
        measure=measure.name,
        group=("late - early", ""),
        base=mean_interval(base[base_there], level, within=within, missing=int(base_lost.sum())),
        tuned=mean_interval(tuned[tuned_there], level, within=within, missing=int(tuned_lost.sum())),
        difference=difference if most is None else cut(difference, 2 * most),
        orientation=orientation,
    )


class Split(NamedTuple):
    """Where the spread of a difference comes from, of the conversations that share a sample number in both arms.

    ``mean`` is of their differences, over the samples that both have; ``missing`` counts the conversations that have
    no such sample, though the measure applies to them or might have.
    """

    parts: Components
    mean: float
    missing: int


def split(arms: Arms, measure: Measure, cells: Cells) -> Split | None:
    """The variance of the difference between conversations and between samples; None without a second sample of both.

    Sample k of base is paired with sample k of tuned, and what is split are their differences. The two draw with the
    same seeds, since a turn's seed depends on the conversation, the turn and the sample alone, so their replies may
    depend on each other; then the variance of a difference is not the sum of the arms' own. Of differences the split
    is right either way, for draws that are shared and for those that are independent. A sample that one arm lacks is
    not used.
    """
    base, tuned = (_by_session(arm.sessions(measure.name, cells)) for arm in arms)
    differences: dict[int, list[float]] = {}
    for conversation, sample in sorted(base.keys() & tuned.keys()):
        difference = tuned[conversation, sample] - base[conversation, sample]
        differences.setdefault(conversation, []).append(difference)
    series = [[[one] for one in samples] for samples in differences.values()]
    parts = components([[[0.0]] * len(samples) for samples in series], series)
    if parts is None:
        return None
    every = paired(arms, measure, cells)
    mean = fmean(fmean(samples) for samples in differences.values())
    return Split(parts, mean, every.base.size + every.missing - parts.n)


def _by_session(found: Sessions) -> dict[tuple[int, int], float]:
    """The number of each session that has one, by conversation and sample."""
    there = found.present
    columns = (found.conversation[there], found.sample[there], found.values[there])
    return {(at, sample): value for at, sample, value in zip(*(one.tolist() for one in columns), strict=True)}


def _between(start: Floats, end: Floats, part: float) -> Floats:
    """Part of the way from start to end; where the two are equal, exactly that."""
    return start + (end - start) * part


def cut(estimate: Estimate, most: float) -> Estimate:
    """The same with its interval cut to -most and most."""
    if estimate.low is None or estimate.high is None:
        return estimate
    return msgspec.structs.replace(estimate, low=max(estimate.low, -most), high=min(estimate.high, most))


def one_arm(measure: Measure, numbers: Numbers, level: float) -> Estimate:
    """One arm by itself: a share has Wilson's interval, another measure Student's, cut to its bounds."""
    values, missing = numbers.values[numbers.present], int(numbers.missing.sum())
    if measure.share:
        return share_interval(values, level, missing=missing)
    return mean_interval(values, level, missing=missing, within=measure.bounds)
