"""Comparisons of two arms that do not differ, with the primary measure and the whole family beside it.

Each conversation has three turns. Behind each measure of each turn stands a normal draw, made of a part that the
conversation's turns and measures share, one that the turn's measures share, and one of its own; each part of tuned has
correlation ``rho`` with base's. A model that refuses more thus passes fewer checks, lacks fewer refusals, writes less
and repeats itself less.

* refusals: a turn of which the draw is far up, in a chosen share of turns;
* where the suite says at which turns a refusal is wrong (the first two) or right (the last): unexpected refusals, and
  missing refusals in a tenth of the last turns; elsewhere plain refusals take their place, as in ``study.py``;
* repetition: a share that is 0 in nine of ten replies;
* words: log-normal lengths, a fifth of that where the reply refuses;
* checks passed: one check a turn, passed by nine of ten, and never by a refusal at which none is right.

What this module does not know: which cells there are, goals, tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from calibration_cells import LEVEL, Flags, Floats, Said, generator, sample_of, say
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from multiturn.measures import BY_NAME, PRIMARY
from multiturn.stats.exact import sign_flip
from multiturn.stats.multiplicity import holm

TURNS: Final = 3
LAST: Final = TURNS - 1
"""The turn at which a refusal is right, where the suite says so."""
CHUNK: Final = 400_000
"""Conversations that are drawn at a time: about 200 MB."""

DIRECTIONS: Final = {PRIMARY: -1, "refusal": 1, "missing": -1, "repetition": -1, "words": -1}
"""Which way a draw that is shared moves each."""
LACKING: Final = 0.1
REPEATING: Final = 0.1
PASSING: Final = 0.9


class Setting(NamedTuple):
    """One cell: whether the suite says where refusals are right, how common they are, and what goes together."""

    says: bool
    refusing: float
    shared: float
    rho: float
    n: int

    def __str__(self) -> str:
        kind = "refusals marked" if self.says else "refusals plain"
        return f"{kind}, {self.refusing:.0%} refused, measures {self.shared}, rho {self.rho}, n {self.n}"


Arm = dict[str, Floats]
"""A measure's numbers: runs x conversations."""
Draws = NDArray[np.float32]
"""Turns x runs x conversations."""


def arms(setting: Setting, runs: int, rng: np.random.Generator) -> tuple[Arm, Arm]:
    """Two arms under one law, by measure: the primary one first, then the family in its order."""
    both: tuple[dict[str, Draws], dict[str, Draws]] = ({}, {})
    own_part = np.float32(math.sqrt(1 - setting.rho**2))

    def pair(turns: int) -> tuple[Draws, Draws]:
        base, new = (rng.standard_normal((turns, runs, setting.n), dtype=np.float32) for _ in range(2))
        return base, np.float32(setting.rho) * base + own_part * new

    parts = [np.float32(math.sqrt(part)) for part in (0.6 * setting.shared, 0.4 * setting.shared, 1 - setting.shared)]
    conversation, turn = pair(1), pair(TURNS)
    together = [parts[0] * conversation[arm] + parts[1] * turn[arm] for arm in range(2)]
    for name, direction in DIRECTIONS.items():
        for arm, own in enumerate(pair(TURNS)):
            both[arm][name] = np.float32(direction) * together[arm] + parts[2] * own
    return _measured(both[0], setting), _measured(both[1], setting)


def _measured(draws: dict[str, Draws], setting: Setting) -> Arm:
    refused = draws["refusal"] > ndtri(1 - setting.refusing)
    wrong = refused.copy()
    if setting.says:
        refused[LAST] = draws["missing"][LAST] < ndtri(1 - LACKING)
        wrong[LAST] = False
    words = np.exp(4.5 + 0.7 * draws["words"]) * np.where(refused, np.float32(0.2), np.float32(1))
    repetition = np.clip(0.2 * (draws["repetition"] - ndtri(1 - REPEATING)), 0.0, 1.0)
    measured: Arm = {PRIMARY: ((draws[PRIMARY] < ndtri(PASSING)) & ~wrong).mean(axis=0)}
    if setting.says:
        measured["refusal_unexpected"] = refused[:LAST].mean(axis=0)
        measured["refusal_missing"] = (~refused[LAST]).astype(np.float64)
    else:
        measured["refusal"] = refused.mean(axis=0)
    return measured | {
        name: turns.mean(axis=0, dtype=np.float64) for name, turns in (("repetition", repetition), ("words", words))
    }


def p_values(mean: Floats, deviation: Floats, equal: Flags, n: int) -> Floats:
    """What ``verdicts.p_of`` gives each run."""
    error = np.where(equal, 1.0, deviation) / math.sqrt(n)
    student = np.minimum(1.0, 2.0 * stdtr(n - 1, -np.abs(mean / error)))
    return np.where(equal, np.where(mean == 0, 1.0, sign_flip(n)), student)


def judged(base: Arm, tuned: Arm) -> tuple[Flags, Flags]:
    """Per run: whether the primary measure is said to have moved, and whether any of the family is, after Holm."""
    said: dict[str, Said] = {}
    p: dict[str, Floats] = {}
    for name, numbers in base.items():
        measure, found = BY_NAME[name], sample_of(numbers, tuned[name])
        margin = measure.margin if measure.share else measure.margin * np.abs(numbers.mean(axis=1))
        said[name] = say(found, margin, measure.extreme)
        p[name] = p_values(found.mean, found.deviation, found.equal, found.n)
    moved = {name: words.regressed | words.improved for name, words in said.items()}
    primary = moved.pop(PRIMARY)
    family = np.stack([moved[name] for name in moved], axis=1)
    values = np.stack([p[name] for name in moved], axis=1)
    stands = np.zeros(primary.size, dtype=np.bool_)
    for run in np.flatnonzero(family.any(axis=1)):
        adjusted = holm(values[run].tolist())
        below = [at is not None and at < 1 - LEVEL for at in adjusted]
        stands[run] = (family[run] & below).any()
    return primary, stands


def verdicts(setting: Setting, runs: int, again: str = "") -> Iterator[tuple[Flags, Flags]]:
    """What :func:`judged` gives so many runs of a cell, a part of them at a time."""
    rng = generator(f"{setting}{again}")
    at_a_time = max(1, CHUNK // setting.n)
    for begun in range(0, runs, at_a_time):
        yield judged(*arms(setting, min(at_a_time, runs - begun), rng))
