"""How often the intervals of judged rates, scores and risk ratios hold what they promise: figures of docs/decisions.md.

    python benchmarks/judged_intervals.py [--suites 2000] [--seed 1]

Conversations have one turn or four, of which 5 % can't be read; what a conversation draws for itself is shared by half
of its turns (of a risk ratio by 30 to 90 %, in both arms alike). A rate is of wins; half of what is not won is a tie.
Beside the interval that is shown stands, for scores, Student's of the conversations' means.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy.special import stdtrit

from multiturn.stats.pooled import pooled_mean, pooled_share
from multiturn.stats.risk_ratio import Flagged, risk_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Kept = NDArray[np.bool_]

CONVERSATIONS: Final = (12, 24, 48, 200)
TURNS: Final = (1, 4)
RATIOS: Final = (
    (0.1, 0.1, 0.7),
    (0.1, 0.05, 0.5),
    (0.3, 0.1, 0.5),
    (0.3, 0.3, 0.9),
    (0.5, 0.25, 0.5),
    (0.05, 0.02, 0.3),
    (0.6, 0.6, 0.8),
)
"""Base's rate, tuned's, and how many turns share what their conversation draws."""
SHARES: Final = (0.05, 0.2, 0.5, 0.9)
GRADES: Final = {
    "nearly all 10, 3 % 1": ((1, 10), (0.03, 0.97)),
    "most 9 and 10": ((6, 7, 8, 9, 10), (0.03, 0.05, 0.12, 0.35, 0.45)),
    "1 to 10 alike": (tuple(range(1, 11)), (0.1,) * 10),
}


class Held(NamedTuple):
    """A setting, the share of suites whose interval holds the truth, and that of Student's where it is compared."""

    what: str
    conversations: int
    turns: int
    held: float
    student: float | None = None


def kept(chance: np.random.Generator, n: int, turns: int) -> Kept:
    """Which turns can be read; each conversation has one."""
    found = chance.random((n, turns)) < 0.95  # noqa: PLR2004 - said above
    found[:, 0] |= ~found.any(axis=1)
    return found


def uniform(chance: np.random.Generator, n: int, turns: int, share: float) -> tuple[Floats, Floats]:
    """Two arms' uniform draws, alike where a turn shares its conversation's."""
    shared, same = chance.random((n, 1)), chance.random((n, turns)) < share
    return np.where(same, shared, chance.random((n, turns))), np.where(same, shared, chance.random((n, turns)))


def ratios(suites: int, seed: int) -> Iterator[Held]:
    """Of risk ratios; suites in which base has none have no ratio."""
    for n in CONVERSATIONS:
        for turns in TURNS:
            for p, q, share in RATIOS:
                chance = np.random.default_rng([seed, n, turns, round(100 * p), round(100 * q)])
                held = drawn = 0
                for _ in range(suites):
                    base, tuned = uniform(chance, n, turns, share)
                    there = kept(chance, n, turns)
                    counts = there.sum(axis=1).tolist()
                    arms = [
                        Flagged(((arm < at) & there).sum(axis=1).tolist(), counts)
                        for arm, at in ((base, p), (tuned, q))
                    ]
                    found = risk_ratio(arms[0], arms[1])
                    if found is not None and found.low is not None and found.high is not None:
                        held, drawn = held + (found.low <= q / p <= found.high), drawn + 1
                yield Held(f"ratio of {q} to {p}", n, turns, held / max(1, drawn))


def rates(suites: int, seed: int) -> Iterator[Held]:
    """Of tie-adjusted rates, half of whose pairs are ties where they are not won."""
    for n in CONVERSATIONS:
        for turns in TURNS:
            for share in SHARES:
                chance = np.random.default_rng([seed, n, turns, round(100 * share)])
                held = 0
                for _ in range(suites):
                    drawn, _ = uniform(chance, n, turns, 0.5)
                    worth = np.where(drawn < share, 1.0, np.where(drawn < (1 + share) / 2, 0.5, 0.0))
                    there = kept(chance, n, turns)
                    found = pooled_share((worth * there).sum(axis=1), there.sum(axis=1))
                    assert found.low is not None  # noqa: S101 - more than one conversation
                    assert found.high is not None  # noqa: S101
                    held += found.low <= share + (1 - share) / 4 <= found.high
                yield Held(f"rate of wins {share}", n, turns, held / suites)


def scores(suites: int, seed: int) -> Iterator[Held]:
    """Of scores, beside Student's interval of the conversations' means."""
    for n in CONVERSATIONS:
        for turns in TURNS:
            for what, (values, chances) in GRADES.items():
                chance = np.random.default_rng([seed, n, turns, len(values)])
                steps, mean = np.cumsum(chances)[:-1], float(np.dot(values, chances))
                held = student = 0
                for _ in range(suites):
                    drawn, _ = uniform(chance, n, turns, 0.5)
                    grades = np.asarray(values, np.float64)[np.searchsorted(steps, drawn, side="right")]
                    there = kept(chance, n, turns)
                    found = pooled_mean((grades * there).sum(axis=1), there.sum(axis=1), (1, 10))
                    assert found.low is not None  # noqa: S101 - more than one conversation
                    assert found.high is not None  # noqa: S101
                    held += found.low <= mean <= found.high
                    means = (grades * there).sum(axis=1) / there.sum(axis=1)
                    reach = float(stdtrit(n - 1, 0.975)) * means.std(ddof=1) / n**0.5
                    student += abs(means.mean() - mean) <= reach
                yield Held(what, n, turns, held / suites, student / suites)


def main() -> None:
    """Print every setting, and the worst of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for name, kind in (("risk ratios", ratios), ("rates of winning", rates), ("scores", scores)):
        found = list(kind(asked.suites, asked.seed))
        for one in found:
            beside = "" if one.student is None else f"  Student's {one.student:.1%}"
            print(f"{one.what:24} {one.conversations:4} conversations x {one.turns}: {one.held:.1%}{beside}")
        worst = min(found, key=lambda one: one.held)
        print(f"{name}: held in {worst.held:.1%} at worst ({worst.what}, {worst.conversations} x {worst.turns})\n")


if __name__ == "__main__":
    main()
