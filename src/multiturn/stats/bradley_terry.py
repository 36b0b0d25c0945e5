"""Strengths from preferences: the Bradley-Terry model, with intervals by a bootstrap over conversations.

The model: arm i is preferred to arm j with probability ``1 / (1 + exp(s_j - s_i))``. (R. A. Bradley and M. E. Terry,
"Rank analysis of incomplete block designs", Biometrika 39, 1952.) A tie counts as half a win for each. The likelihood
has its one finite maximum exactly where every arm beat every other one, directly or through others (L. R. Ford,
"Solution of a ranking problem from binary comparisons", American Mathematical Monthly 64, 1957); arms for which that
does not hold are put into groups, and nothing is estimated across groups.

Intervals: conversations are drawn anew, each with all its votes, since votes on one conversation are not independent.
Percentiles are taken at the shares that make up for few conversations: with n of them and the t quantile ``t`` of the
wanted level, at ``Phi(-t sqrt(n / (n - 1)))`` and in mirror image. (T. C. Hesterberg, "What teachers should know about
the bootstrap", The American Statistician 69, 2015.) Measured on votes that go together within conversations, 3 and 6
arms, 300 data sets a setting: an interval covered the true strength in 91 to 97 of 100 cases, at 6 to 48 conversations;
with the shares 2.5 % and 97.5 % in 86 to 96. With tiny data the draws may all lie on one side of the estimate; then the
interval is widened to reach it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
from scipy.special import expit, ndtr, stdtrit

from multiturn.ranking import Games, Group, Preferred, Separated, Strength, StrengthRanking
from multiturn.results import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Booleans = NDArray[np.bool_]

DRAWS: Final = 2000
PAIR: Final = 2
_AT_ONCE: Final = 1_000_000
"""Numbers that the bootstrap holds in memory at a time, about."""
_MOST_STEPS: Final = 200
_EXACT: Final = 1e-10
"""The fit ends where no arm's expected wins differ from its wins by more than this share of all games."""
_SAME: Final = 1e-9
"""Strengths of two draws that lie closer together than this are the same."""


class _Votes(msgspec.Struct, frozen=True):
    """Known votes as numbers: ``wins[c, i, j]`` is how often arm i was preferred to arm j in conversation c."""

    arms: tuple[str, ...]
    conversations: tuple[str, ...]
    wins: Floats
    games: Mapping[str, Games]
    seen: Mapping[str, tuple[int, int]]
    """Of each arm, the conversations with a vote that says something, and those where all votes on it are missing."""


def rank_preferences(
    votes: Sequence[Preferred], *, level: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> StrengthRanking:
    """Rank the arms that votes name.

    Args:
        votes: In any order, and with any arm in either seat: neither changes the result.
        level: Of each interval alone, in (0, 1).
        draws: How often conversations are drawn anew for the intervals.
        seed: Of these draws.

    Returns:
        Best first. Where no finite strength exists there is none, and the value says which arms that concerns.

    Raises:
        ValueError: There is no vote, ``draws`` is not positive, or the level is not between 0 and 1.
    """
    if not votes or draws < 1 or not 0 < level < 1:
        raise ValueError("a ranking needs a vote, a draw, and a level between 0 and 1")
    counted = _count(votes)
    total: Floats = counted.wins.sum(axis=0)
    reach = _closure(total > 0)
    members = _groups(reach, total)
    found: dict[str, tuple[Estimate, Estimate]] = {}
    groups = []
    for group in members:
        strengths, separated = _estimate(counted, group, level=level, draws=draws, seed=seed)
        found |= strengths
        groups.append(Group(arms=tuple(counted.arms[at] for at in group), separated_draws=separated))
    ranks = _ranks(counted.arms, reach, found)
    arms = [
        Strength(
            arm=arm,
            rank=ranks[arm],
            games=counted.games[arm],
            strength=found[arm][0] if arm in found else None,
            against_average=found[arm][1] if arm in found else None,
        )
        for arm in sorted(counted.arms, key=lambda arm: (ranks[arm] is None, ranks[arm] or 0, arm))
    ]
    return StrengthRanking(
        level=level,
        arms=tuple(arms),
        groups=tuple(groups),
        separated=_separated(counted.arms, members, reach),
        disconnected=_disconnected(counted.arms, total),
        conversations=len(counted.conversations),
        draws=draws if len(counted.conversations) >= PAIR and any(len(group) >= PAIR for group in members) else 0,
        games=sum(vote.winner is not None for vote in votes),
        missing=sum(vote.winner is None for vote in votes),
    )


def _count(votes: Sequence[Preferred]) -> _Votes:
    """Sort, so that nothing hangs on an order; only conversations with a vote that says something are drawn from."""
    arms = sorted({name for vote in votes for name in (vote.a, vote.b)})
    conversations = sorted({vote.conversation for vote in votes if vote.winner is not None})
    at = {name: index for index, name in enumerate(arms)}
    where = {name: index for index, name in enumerate(conversations)}
    wins = np.zeros((len(conversations), len(arms), len(arms)))
    counts = {arm: {"wins": 0, "losses": 0, "ties": 0, "missing": 0} for arm in arms}
    known: dict[str, set[str]] = {arm: set() for arm in arms}
    lost: dict[str, set[str]] = {arm: set() for arm in arms}
    for vote in votes:
        for me, other, mine in ((vote.a, vote.b, "a"), (vote.b, vote.a, "b")):
            if vote.winner is None:
                counts[me]["missing"] += 1
                lost[me].add(vote.conversation)
                continue
            tied = vote.winner == "tie"
            counts[me]["ties" if tied else "wins" if vote.winner == mine else "losses"] += 1
            wins[where[vote.conversation], at[me], at[other]] += 0.5 if tied else float(vote.winner == mine)
            known[me].add(vote.conversation)
    return _Votes(
        arms=tuple(arms),
        conversations=tuple(conversations),
        wins=wins,
        games={arm: Games(**found) for arm, found in counts.items()},
        seen={arm: (len(known[arm]), len(lost[arm] - known[arm])) for arm in arms},
    )


def _closure(edges: Booleans) -> Booleans:
    """Who reaches whom along edges, itself included; of one table, or of a stack of them."""
    size = edges.shape[-1]
    reach: NDArray[np.float32] = (edges | np.eye(size, dtype=bool)).astype(np.float32)
    for _ in range(math.ceil(math.log2(max(size, PAIR)))):  # paths of 1, 2, 4 ... steps
        reach = (reach @ reach > 0).astype(np.float32)
    return reach > 0


def _groups(reach: Booleans, total: Floats) -> list[list[int]]:
    """Arms that beat each other directly or through others; a group that beats another stands before it."""
    both = reach & reach.T
    groups = {tuple(int(other) for other in np.flatnonzero(row)) for row in both}
    # Who reaches more arms stands higher; groups that no game connects are ordered by their share of games won.
    share = total.sum(axis=1) / np.maximum((total + total.T).sum(axis=1), 1)
    key = {group: (-int(reach[group[0]].sum()), -float(share[list(group)].mean()), group) for group in groups}
    return [list(group) for group in sorted(groups, key=lambda group: key[group])]


def _separated(arms: Sequence[str], groups: Sequence[Sequence[int]], reach: Booleans) -> tuple[Separated, ...]:
    """Each group with those right below it: with no third group between them."""
    above = {
        (one, other)
        for one in range(len(groups))
        for other in range(len(groups))
        if one != other and reach[groups[one][0], groups[other][0]]
    }
    neighbours = [
        (one, other)
        for one, other in sorted(above)
        if not any((one, between) in above and (between, other) in above for between in range(len(groups)))
    ]
    named = [tuple(arms[at] for at in group) for group in groups]
    return tuple(Separated(over=named[one], under=named[other]) for one, other in neighbours)


def _disconnected(arms: Sequence[str], total: Floats) -> tuple[tuple[str, ...], ...]:
    """The sets of arms between which there is no game; nothing where there is one set of arms that have games."""
    games = total + total.T
    connected = _closure(games > 0)[games.any(axis=1)]
    sets = sorted({tuple(int(other) for other in np.flatnonzero(row)) for row in connected})
    return tuple(tuple(arms[at] for at in one) for one in sets) if len(sets) > 1 else ()


def _ranks(
    arms: Sequence[str], reach: Booleans, found: Mapping[str, tuple[Estimate, Estimate]]
) -> dict[str, int | None]:
    """1 and how many arms stand above; None where some arm is neither above, nor below, nor in the same group.

    Arms without any game have no rank, and take none from others.
    """
    played = reach.sum(axis=0) + reach.sum(axis=1) > PAIR
    values = {arm: both[0].value for arm, both in found.items()}
    ranks: dict[str, int | None] = {}
    for at, arm in enumerate(arms):
        if not played[at] or not (reach[at] | reach[:, at])[played].all():
            ranks[arm] = None
            continue
        above = 0
        for other, name in enumerate(arms):
            mine, theirs = values.get(arm), values.get(name)
            same_group = reach[at, other] and reach[other, at]
            stronger = mine is not None and theirs is not None and theirs > mine + _SAME
            above += bool(stronger if same_group else reach[other, at])
        ranks[arm] = 1 + above
    return ranks


def _estimate(
    votes: _Votes, group: Sequence[int], *, level: float, draws: int, seed: int
) -> tuple[dict[str, tuple[Estimate, Estimate]], int]:
    """The strengths of one group's arms, and how many draws had none; nothing of an arm alone."""
    if len(group) < PAIR:
        return {}, 0
    own = votes.wins[:, group][:, :, group]
    own = own[own.sum(axis=(1, 2)) > 0]
    values = _fit(own.sum(axis=0)[None])[0]
    held = len(own)
    fitted: list[Floats] = []
    separated = 0
    if held >= PAIR:
        for drawn in _drawn(own, draws, seed):
            whole = _closure(drawn > 0).all(axis=(1, 2))
            separated += int((~whole).sum())
            fitted.append(_fit(drawn[whole]))
    strengths = np.sort(np.concatenate(fitted), axis=0) if fitted else np.empty((0, len(group)))
    outside = _outside(held, draws, level) - separated
    estimates = {}
    for at, index in enumerate(group):
        arm = votes.arms[index]
        value = float(values[at])
        low, high, note = _interval(value, strengths[:, at], outside, held=held, separated=separated, draws=draws)
        n, missing = votes.seen[arm]
        ends = (None, None) if low is None or high is None else (float(expit(low)), float(expit(high)))
        estimates[arm] = (
            Estimate(value=value, n=n, missing=missing, low=low, high=high, level=level, note=note),
            Estimate(
                value=float(expit(value)), n=n, missing=missing, low=ends[0], high=ends[1], level=level, note=note
            ),
        )
    return estimates, separated


def _outside(conversations: int, draws: int, level: float) -> int:
    """How many draws lie outside an interval at each end: fewer, the fewer conversations there are."""
    if conversations < PAIR:
        return -1
    t = float(stdtrit(conversations - 1, (1 + level) / 2))
    return int(draws * float(ndtr(-t * math.sqrt(conversations / (conversations - 1)))))


def _interval(
    value: float, ordered: Floats, outside: int, *, held: int, separated: int, draws: int
) -> tuple[float | None, float | None, str]:
    """The ends among a strength's draws, widened to hold the estimate.

    A draw without finite strengths counts as beyond both ends.
    """
    if held < PAIR:
        return None, None, "one conversation"
    if outside < 0:
        return None, None, f"{separated} of {draws} draws not finite"
    low, high = float(ordered[outside]), float(ordered[-1 - outside])
    if high - low <= _SAME:
        return None, None, f"all {draws} draws equal"
    return min(low, value), max(high, value), ""


def _drawn(wins: Floats, draws: int, seed: int) -> Iterator[Floats]:
    """Tables of wins with conversations drawn anew, a stack at a time."""
    chance = np.random.default_rng(seed)
    n, size = wins.shape[0], wins.shape[1]
    flat = wins.reshape(n, size * size)
    at_once = max(1, _AT_ONCE // max(n, size * size))
    for begun in range(0, draws, at_once):
        times = chance.multinomial(n, np.full(n, 1 / n), size=min(at_once, draws - begun))
        yield (times @ flat).reshape(-1, size, size)


def _fit(wins: Floats) -> Floats:
    """The strengths of each table of a stack, with mean 0: Newton's method, halving steps that lead downhill.

    Each table must have a finite maximum (:func:`_closure` of its wins is full).

    Raises:
        ArithmeticError: It was not reached, which no table with a finite maximum is known to do.
    """
    games = wins + wins.transpose(0, 2, 1)
    size = wins.shape[-1]
    diagonal = np.arange(size)
    close = _EXACT * np.maximum(games.sum(axis=(1, 2)), 1)
    strengths: Floats = np.zeros(wins.shape[:2])
    for _ in range(_MOST_STEPS):
        chances = expit(strengths[:, :, None] - strengths[:, None, :])
        slope = (wins - games * chances).sum(axis=2)
        if (np.abs(slope).max(axis=1, initial=0) <= close).all():
            strengths -= strengths.mean(axis=1, keepdims=True)
            return strengths
        bend = games * chances * (1 - chances)
        matrix = 1 / size - bend
        matrix[:, diagonal, diagonal] += bend.sum(axis=2)
        step = np.linalg.solve(matrix, slope[..., None])[..., 0]
        before = _likelihood(wins, strengths)
        for _ in range(_MOST_STEPS):
            worse = _likelihood(wins, strengths + step) < before - close
            if not worse.any():
                break
            step[worse] /= 2
        strengths += step
    raise ArithmeticError("the strengths did not settle")


def _likelihood(wins: Floats, strengths: Floats) -> Floats:
    """The logarithm of each table's likelihood."""
    behind = strengths[:, None, :] - strengths[:, :, None]
    found: Floats = -(wins * np.logaddexp(0, behind)).sum(axis=(1, 2))
    return found
