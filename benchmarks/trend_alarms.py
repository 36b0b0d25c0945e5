"""How often a series in which nothing changes raises a false alarm: the figures of docs/trend.md.

    python benchmarks/trend_alarms.py [--series 4000] [--seed 1]

Every version of a series passes each check with the same chance, which differs from conversation to conversation
(beta), so that versions differ by luck alone. Counted are series in which at least one step is called "regressed", and
such steps in all, between neighbours and against the first version; without a margin, so that a small difference is
never called equivalent instead, and with the default one.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from multiturn.measures import BY_NAME, PRIMARY
from multiturn.pairing import Pair
from multiturn.stats.multiplicity import holm
from multiturn.trend import false_alarms
from multiturn.verdicts import p_of, word_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEVEL: Final = 0.95
LENGTHS: Final = (2, 3, 5, 10, 20)
CONVERSATIONS: Final = (48, 200)
CHECKS: Final = 4
MEASURE: Final = BY_NAME[PRIMARY]
ROW: Final = "| {:>13} | {:>8} | {:<9} | {:>8} | {:>8} | {:>11} | {:>7} | {:>7} | {:>11} |"


def versions(length: int, conversations: int, random: np.random.Generator) -> Floats:
    """Shares of checks passed: a row a version, a column a conversation."""
    chance = random.beta(3.0, 1.5, size=conversations)
    return random.binomial(CHECKS, chance, size=(length, conversations)) / CHECKS


def pairs(held: Floats, kind: str) -> Iterator[Pair]:
    """Each step of a series, between neighbours or from the first version."""
    for later in range(1, len(held)):
        yield Pair(held[later - 1 if kind == "before" else 0], held[later], 0)


def falls(steps: list[Pair], margin: float | None) -> list[bool]:
    """Which steps are called regressed."""
    words = (
        word_of(pair, margin=margin, orientation=MEASURE.orientation, extreme=MEASURE.extreme, level=LEVEL)
        for pair in steps
    )
    return [word == "regressed" for word in words]


def measure(
    length: int, conversations: int, kind: str, series: int, random: np.random.Generator
) -> tuple[float, float, float, float]:
    """False steps a series; series with at least one, without a margin, with it, and with one that stands (Holm)."""
    alarms = np.zeros(4)
    for _ in range(series):
        steps = list(pairs(versions(length, conversations, random), kind))
        plain, margined = falls(steps, None), falls(steps, MEASURE.margin)
        adjusted = holm([p_of(pair) for pair in steps])
        standing = [one and p is not None and p < 1 - LEVEL for one, p in zip(plain, adjusted, strict=True)]
        alarms += (sum(plain), any(plain), any(margined), any(standing))
    steps_found, plainly, with_margin, stand = (alarms / series).tolist()
    return steps_found, plainly, with_margin, stand


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--series", type=int, default=4000, help="of each length")
    asked.add_argument("--seed", type=int, default=1)
    chosen = asked.parse_args()
    head = ("conversations", "versions", "against", "steps", "expected", "at least 1", "found", "margin", "stands")
    print(ROW.format(*head))
    for conversations, length, kind in product(CONVERSATIONS, LENGTHS, ("before", "first")):
        random = np.random.default_rng((chosen.seed, conversations, length))
        steps, *shares = measure(length, conversations, kind, chosen.series, random)
        said = false_alarms(length - 1, (1 - LEVEL) / 2)
        rates = (f"{share:.1%}" for share in (said.any_if_apart, *shares))
        print(ROW.format(conversations, length, kind, f"{steps:.3f}", f"{said.expected:.3f}", *rates), flush=True)


if __name__ == "__main__":
    main()
