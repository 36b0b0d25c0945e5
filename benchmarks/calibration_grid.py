"""The cells of the calibration: which truths, which correlations, how many conversations; and how one of them is run.

What this module does not know: goals, tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from calibration_cells import (
    Floats,
    Law,
    Said,
    Shape,
    draw,
    failed_ratings,
    fall_that_is_detectable,
    moved_ratings,
    of_difference,
    of_one_arm,
    passes,
    sample,
    say,
    say_of_rate,
)
from calibration_family import Setting, verdicts
from scipy.special import betaincinv

from multiturn.measures import BY_NAME, PRIMARY

RATES: Final = (0.3, 0.6, 0.9, 0.98)
SIZES: Final = (6, 12, 24, 48, 200)
RHOS: Final = (0.3, 0.6, 0.9)
ICCS: Final = (0.0, 0.3, 0.6)
SHAPES: Final = (
    Shape((1,), 0.0),
    *(Shape(turns, icc) for turns in ((2,), (3,), (4,), (1, 2, 3, 4)) for icc in ICCS),
)
MARGIN: Final = BY_NAME[PRIMARY].margin
TRUTHS: Final = ("0", "-m", "+m", "MDE")
"""Of the primary measure: no difference, the margin down and up, the minimum detectable effect (down)."""

RATINGS: Final[Mapping[str, tuple[float, ...]]] = {
    "spread": (0.02, 0.03, 0.05, 0.08, 0.12, 0.15, 0.2, 0.2, 0.1, 0.05),
    "at the ceiling": (0.0, 0.01, 0.01, 0.02, 0.03, 0.05, 0.08, 0.15, 0.3, 0.35),
}
"""The shares of ratings 1 to 10."""
RATING_SHAPES: Final = tuple(Shape((2,), icc) for icc in ICCS)
RATING_MARGIN: Final = 0.5
RATING_TRUTHS: Final = ("0", "-m", "+m", "-m, failing")
"""No difference; a part of all ratings one point lower or higher; a few replies that fail and are rated 1."""
RATING_RULES: Final[Mapping[str, float | None]] = {"ratings": None, "ratings, bound 3": 3.0, "ratings, bound 9": 9.0}
"""How far off an interval lets one conversation be that was not drawn: Student's interval, which does not ask; three
points; nine, which is as far as ratings can be."""

FAMILY_SIZES: Final = (12, 24, 48, 200)
SETTINGS: Final = tuple(
    Setting(says, refusing, shared, rho, n)
    for says in (False, True)
    for refusing in (0.02, 0.2)
    for shared in (0.0, 0.5)
    for rho in RHOS
    for n in FAMILY_SIZES
)

CERTAINTY: Final = 0.99


class Case(NamedTuple):
    """One cell. ``figures`` gives the shares of so many runs by name, from randomness that the text names."""

    kind: str
    truth: str
    cell: str
    n: int
    figures: Callable[[int, str], dict[str, float]]


def upper_bound(count: int, runs: int) -> float:
    """The largest rate at which so few come up once in a hundred times.

    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits", Biometrika 26 (1934), one side.
    """
    return 1.0 if count == runs else float(betaincinv(count + 1, runs - count, CERTAINTY))


def figures_of(said: Said, truth: float) -> dict[str, float]:
    """What came of the runs of a cell with this true value."""
    regressed, runs = int(said.regressed.sum()), said.low.size
    return {
        "true value": truth,
        "covered": said.covers(truth),
        "without interval": float((~said.interval).mean()),
        "found lower": float((said.regressed | (said.interval & (said.high < 0))).mean()),
        "regressed": regressed / runs,
        "regressed at most": upper_bound(regressed, runs),
        "improved": float(said.improved.mean()),
        "equivalent": float(said.equivalent.mean()),
    }


def differences(truth: str) -> Iterator[Case]:
    """The primary measure: each rate, shape, correlation and size at which the true difference can be had."""
    for rate in RATES:
        for shape in SHAPES:
            for rho in RHOS:
                for n in SIZES:
                    change = true_difference(truth, rate, shape, rho, n)
                    if change is not None:
                        law = of_difference(passes(rate), passes(rate + change), rho, shape)
                        cell = f"rate {rate}, {shape}, rho {rho}, n {n}"
                        run = partial(
                            _difference, law, n, truth=change, margin=MARGIN, extreme=1.0, seed=f"{cell}, {truth}"
                        )
                        yield Case("difference", truth, cell, n, run)


def true_difference(truth: str, rate: float, shape: Shape, rho: float, n: int) -> float | None:
    """The difference by its name; None where no rate of tuned gives it."""
    if truth == "MDE":
        fall = fall_that_is_detectable(rate, rho, shape, n)
        return None if fall is None else -fall
    change = {"0": 0.0, "-m": -MARGIN, "+m": MARGIN}[truth]
    return change if rate + change <= 1 else None


def rates() -> Iterator[Case]:
    """One arm by itself."""
    for rate in RATES:
        for shape in SHAPES:
            law = of_one_arm(passes(rate), shape)
            for n in SIZES:
                cell = f"rate {rate}, {shape}, n {n}"
                yield Case("rate", "one arm", cell, n, partial(_rate, law, n, truth=rate, seed=f"one arm, {cell}"))


def ratings(truth: str) -> Iterator[Case]:
    """Ratings of two turns a conversation, by each rule."""
    for name, chances in RATINGS.items():
        base = np.array(chances)
        tuned = other_ratings(truth, base)
        if tuned is None:
            continue
        for shape in RATING_SHAPES:
            for rho in RHOS:
                law = of_difference(base, tuned, rho, shape)
                for n in SIZES:
                    cell = f"{name}, {shape}, rho {rho}, n {n}"
                    seed = f"ratings {cell}, {truth}"
                    for kind, extreme in RATING_RULES.items():
                        run = partial(
                            _difference, law, n, truth=law.mean, margin=RATING_MARGIN, extreme=extreme, seed=seed
                        )
                        yield Case(kind, truth, cell, n, run)


def other_ratings(truth: str, base: Floats) -> Floats | None:
    """Tuned's ratings by the name of the difference; None where they can't be had."""
    if truth == "0":
        return base
    if truth == "-m, failing":
        return failed_ratings(base, -RATING_MARGIN)
    return moved_ratings(base, -RATING_MARGIN if truth == "-m" else RATING_MARGIN)


def families() -> Iterator[Case]:
    """The primary measure and the family beside it, where nothing differs."""
    for setting in SETTINGS:
        yield Case("family", "0", str(setting), setting.n, partial(_family, setting))


def _difference(
    law: Law, n: int, runs: int, again: str, *, truth: float, margin: float, extreme: float | None, seed: str
) -> dict[str, float]:
    return figures_of(say(sample(law, draw(law, n, runs, seed + again)), margin, extreme), truth)


def _rate(law: Law, n: int, runs: int, again: str, *, truth: float, seed: str) -> dict[str, float]:
    return figures_of(say_of_rate(sample(law, draw(law, n, runs, seed + again))), truth)


def _family(setting: Setting, runs: int, again: str) -> dict[str, float]:
    primary, family = (np.concatenate(part) for part in zip(*verdicts(setting, runs, again), strict=True))
    moved = {"primary": primary, "family": family, "either": primary | family}
    return {name: float(flags.mean()) for name, flags in moved.items()}
