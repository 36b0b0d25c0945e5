"""What several judges say of the same replies: how far they differ, and Krippendorff's alpha.

A unit is a reply, and belongs to a conversation. What this module does not know: who the judges are, and what a grade
means.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from multiturn.results import Estimate
from multiturn.stats.paired import PAIR
from multiturn.stats.pooled import NOTHING
from multiturn.stats.resample import ENOUGH, NO_SPREAD, bca

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Terms = Callable[[Sequence[Sequence[float]]], list[float]]

ALPHA_UNDEFINED: Final = "all judgments equal: alpha says nothing"


class Spreads(NamedTuple):
    """Variances of grades, in the square of the scale's unit: between judges of one reply, and of one judge's repeats.

    None where nothing tells: no reply with two judges, no judge that was asked twice.
    """

    between: float | None
    within: float | None


def spreads(replies: Iterable[Sequence[Sequence[float]]]) -> Spreads:
    """Split how grades of one reply differ into judges and repeats, by the nested analysis of variance.

    The k-th grade of judge j for a reply is ``level(reply) + judge(reply, j) + repeat(reply, j, k)``. ``within`` is the
    variance of a judge's repeats, pooled over replies and judges; ``between`` that of the judges' means, pooled over
    replies, less what repeats put into it (``within`` by the harmonic mean of their number), cut at 0. By the method of
    moments: S. R. Searle, G. Casella and C. E. McCulloch, Variance Components (1992), chapter 3. That one judge is
    kinder than another throughout is part of ``between``.

    Args:
        replies: Of each reply its judges' grades, of each judge one or more.

    Raises:
        ValueError: A judge has no grade, or one is not finite.
    """
    squares = degrees = within_squares = within_degrees = 0.0
    shares: list[float] = []
    for judges in replies:
        if any(not grades or not all(map(math.isfinite, grades)) for grades in judges):
            raise ValueError("every judge of a reply needs a grade, and every grade must be a finite number")
        means = [math.fsum(grades) / len(grades) for grades in judges]
        for grades, mean in zip(judges, means, strict=True):
            within_squares += math.fsum((grade - mean) ** 2 for grade in grades)
            within_degrees += len(grades) - 1
        if len(means) >= PAIR:
            centre = math.fsum(means) / len(means)
            squares += math.fsum((mean - centre) ** 2 for mean in means)
            degrees += len(means) - 1
            shares += [(len(means) - 1) / len(means) / len(grades) for grades in judges]
    within = within_squares / within_degrees if within_degrees else None
    if not degrees:
        return Spreads(None, within)
    noise = (within or 0.0) * math.fsum(shares) / degrees
    return Spreads(max(0.0, squares / degrees - noise), within)


def alpha_of_grades(
    conversations: Iterable[Sequence[Sequence[float]]], level: float = 0.95, *, seed: int = 0
) -> Estimate:
    """Krippendorff's alpha for numbers: the squared difference says how far two grades are apart.

    K. Krippendorff, Content Analysis, 2nd ed. 2004, chapter 11; the worked example of "Computing Krippendorff's
    alpha-reliability" (2011). With a unit's grades v_1 ... v_m, m of 2 or more, N of them in all units together:
    ``1 - (N - 1) * sum over units of (sum of (v_i - v_j)^2 over pairs) / (m - 1) / (that sum over all N)``. A sum over
    conversations of a few numbers is all it needs, so conversations are drawn anew as whole
    (:func:`multiturn.stats.resample.bca`), from ``ENOUGH`` of them on.

    Args:
        conversations: Of each conversation its units, of each unit the judges' grades; a unit with fewer than two says
            nothing and is left out.
        level: Of the interval, in (0, 1).
        seed: Of the draws.

    Returns:
        1 where judges agree in everything, 0 where they agree as by chance; ``n`` counts conversations. No value where
        no unit has two grades, or all grades are equal (the note says which).
    """

    def terms(units: Sequence[Sequence[float]]) -> list[float]:
        apart = count = total = squares = 0.0
        for grades in units:
            m, sum_, square = len(grades), math.fsum(grades), math.fsum(grade**2 for grade in grades)
            apart += 2 * (m * square - sum_**2) / (m - 1)
            count, total, squares = count + m, total + sum_, squares + square
        return [apart, count, total, squares]

    def alphas(sums: Floats) -> Floats:
        apart, count, total, squares = np.moveaxis(sums, -1, 0)
        return _one_less(apart / count, 2 * (count * squares - total**2) / (count * (count - 1)))

    every = [[[float(grade) for grade in unit] for unit in units] for units in conversations]
    centre = _centre(every)
    return _alpha(
        [[[grade - centre for grade in unit] for unit in units] for units in every], terms, alphas, level, seed
    )


def alpha_of_names(
    conversations: Iterable[Sequence[Sequence[Hashable]]], level: float = 0.95, *, seed: int = 0
) -> Estimate:
    """Krippendorff's alpha for names: two judgments are apart or not. As :func:`alpha_of_grades` otherwise."""
    every = [[list(unit) for unit in units] for units in conversations]
    names: dict[Hashable, int] = {}
    for units in every:
        for unit in units:
            for name in unit:
                names.setdefault(name, len(names))
    coded = [[[float(names[name]) for name in unit] for unit in units] for units in every]

    def terms(units: Sequence[Sequence[float]]) -> list[float]:
        apart, counts = 0.0, [0.0] * len(names)
        for unit in units:
            of_unit = [unit.count(code) for code in range(len(names))]
            apart += (len(unit) ** 2 - sum(count**2 for count in of_unit)) / (len(unit) - 1)
            counts = [one + other for one, other in zip(counts, of_unit, strict=True)]
        return [apart, *counts]

    def alphas(sums: Floats) -> Floats:
        apart, counts = sums[..., 0], sums[..., 1:]
        whole = counts.sum(axis=-1)
        return _one_less(apart / whole, (whole**2 - (counts**2).sum(axis=-1)) / (whole * (whole - 1)))

    return _alpha(coded, terms, alphas, level, seed)


def _alpha(
    conversations: Sequence[Sequence[Sequence[float]]],
    terms: Terms,
    alphas: Callable[[Floats], Floats],
    level: float,
    seed: int,
) -> Estimate:
    kept = [[unit for unit in units if len(unit) >= PAIR] for units in conversations]
    rows = np.array([terms(units) for units in kept if units], np.float64)
    n, missing = len(rows), sum(not units for units in kept)
    if n == 0:
        return Estimate(value=None, n=0, missing=missing, level=level, note=NOTHING)
    value = float(alphas(rows.sum(axis=0)))
    if not math.isfinite(value):
        return Estimate(value=None, n=0, missing=missing, level=level, note=ALPHA_UNDEFINED)
    if n < ENOUGH:
        return Estimate(value=value, n=n, missing=missing, level=level, note=f"fewer than {ENOUGH} conversations")
    ends = bca(rows, lambda samples: alphas(samples.sum(axis=1)), level, seed=seed)
    if ends is None:
        return Estimate(value=value, n=n, missing=missing, level=level, note=NO_SPREAD)
    return Estimate(value=value, n=n, missing=missing, low=ends[0], high=min(1.0, ends[1]), level=level)


def _one_less(observed: Floats, expected: Floats) -> Floats:
    """``1 - observed / expected``; not finite where nothing can differ."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(expected > 0, 1 - observed / expected, np.nan))


def _centre(conversations: Sequence[Sequence[Sequence[float]]]) -> float:
    """The middle of all grades: alpha does not depend on where 0 is, but sums of squares lose digits far from it."""
    grades = [grade for units in conversations for unit in units for grade in unit]
    return (min(grades) + max(grades)) / 2 if grades else 0.0
