"""How often all intervals of a ranking hold at once: the figures of docs/rank.md.

    python benchmarks/rankings.py [--suites 4000] [--seed 1]

Conversation c has a difficulty u, uniform from 0 to 1, that half of the arms' replies to it share and the others draw
for themselves; an arm of rate r passes each of its checks with the chance ``u ** (1 / r - 1)``, whose mean is r.
Counted are suites in which the interval of every arm holds that arm's rate, those in which the interval of every pair
holds the difference of the two, and, where all arms have one rate, those in which some pair is told apart.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from multiturn.stats.paired import difference_ends
from multiturn.stats.ranking import difference_interval, share_interval
from multiturn.stats.rates import share_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from multiturn.results import Estimate

    Floats = NDArray[np.float64]
    Booleans = NDArray[np.bool_]

LEVEL: Final = 0.95
CONVERSATIONS: Final = (12, 24, 48)
CHECKS: Final = ((1, 1), (2, 6), (5, 12))
"""Fewest and most of a conversation."""
RATES: Final = (
    (0.06, 0.1, 0.15),
    (0.3, 0.3, 0.3),
    (0.5, 0.6, 0.8),
    (0.85, 0.9, 0.96),
    (0.96, 0.96, 0.96, 0.96),
    (0.2, 0.5, 0.7, 0.9),
    (0.06, 0.06, 0.06, 0.06, 0.06, 0.06),
    (0.5, 0.55, 0.6, 0.8, 0.9, 0.96),
)


class Found(NamedTuple):
    """Shares of suites."""

    arms: float
    pairs: float
    told_apart: float | None


def drawn(rates: Sequence[float], checks: tuple[int, int], n: int, suites: int, seed: int) -> Floats:
    """The shares of checks passed: suite x arm x conversation."""
    chance = np.random.default_rng([seed, n, *checks, *(round(100 * rate) for rate in rates)])
    shape = suites, len(rates), n
    own, common = chance.random(shape), np.broadcast_to(chance.random((suites, 1, n)), shape)
    difficulty = np.where(chance.random(shape) < 1 / 2, common, own)
    counts = np.broadcast_to(chance.integers(checks[0], checks[1] + 1, size=(suites, 1, n)), shape)
    powers = np.array([1 / rate - 1 for rate in rates])[:, None]
    found: Floats = chance.binomial(counts, difficulty**powers) / counts
    return found


def holds(
    values: Floats,
    true: float,
    ends: Callable[[Floats, Floats], tuple[Floats, Floats]],
    alone: Callable[[Floats], Estimate],
) -> tuple[Booleans, Booleans]:
    """In which suites (rows) the interval holds the true value, and in which it leaves out 0.

    ``ends`` is for all suites at once; ``alone`` for one in which all values are equal.
    """
    spread = values.std(axis=1, ddof=1)
    vary = spread > 0
    low, high = np.zeros(len(values)), np.zeros(len(values))
    low[vary], high[vary] = ends(values[vary].mean(axis=1), spread[vary])
    for at in np.flatnonzero(~vary):
        found = alone(values[at])
        low[at], high[at] = (np.nan if end is None else end for end in (found.low, found.high))
    return (low <= true) & (true <= high), (low > 0) | (high < 0)


def measured(rates: Sequence[float], checks: tuple[int, int], n: int, suites: int, seed: int) -> Found:
    """One setting."""
    shares = drawn(rates, checks, n, suites, seed)
    each = 1 - (1 - LEVEL) / len(rates)
    arms = np.ones(suites, dtype=bool)
    for at, rate in enumerate(rates):
        held, _ = holds(
            shares[:, at],
            rate,
            lambda mean, spread: share_ends(n, mean, spread, each),
            lambda row: share_interval(row.tolist(), missing=0, level=each),
        )
        arms &= held
    couples = list(itertools.combinations(range(len(rates)), 2))
    both = 1 - (1 - LEVEL) / len(couples)
    pairs, apart = np.ones(suites, dtype=bool), np.zeros(suites, dtype=bool)
    for one, other in couples:
        held, moved = holds(
            shares[:, one] - shares[:, other],
            rates[one] - rates[other],
            lambda mean, spread: difference_ends(n, mean, spread, both, 1.0),  # type: ignore[arg-type,return-value]
            lambda row: difference_interval(row.tolist(), [0.0] * n, missing=0, level=both),
        )
        pairs &= held
        apart |= moved
    alike = len(set(rates)) == 1
    return Found(float(arms.mean()), float(pairs.mean()), float(apart.mean()) if alike else None)


def rows(suites: int, seed: int) -> Iterator[str]:
    """A line a setting, and the worst of all."""
    every: list[Found] = []
    for rates, checks, n in itertools.product(RATES, CHECKS, CONVERSATIONS):
        found = measured(rates, checks, n, suites, seed)
        every.append(found)
        told = "-" if found.told_apart is None else f"{found.told_apart:.1%}"
        yield f"{rates} {checks} n={n}: arms {found.arms:.1%}, pairs {found.pairs:.1%}, falsely told apart {told}"
    arms, pairs = ([getattr(one, kind) for one in every] for kind in ("arms", "pairs"))
    apart = [one.told_apart for one in every if one.told_apart is not None]
    yield f"arms: worst {min(arms):.1%}, median {statistics.median(arms):.1%}"
    yield f"pairs: worst {min(pairs):.1%}, median {statistics.median(pairs):.1%}"
    yield f"falsely told apart: worst {max(apart):.1%}, median {statistics.median(apart):.1%}"


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--suites", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for line in rows(asked.suites, asked.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
