"""How long replies are: bins that hold every length, and what they show. Pure; a description, with no error bar."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.numbers import counted, number, whole_percent
from multiturn.report.page.plotted import WIDTH, Histogram, Histograms, Tick, round_step
from multiturn.report.tables import Table
from multiturn.results import SHARES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOST_BINS: Final = 12
"""Beside one of replies without a word, and one of those longer than nearly all."""
NEARLY_ALL: Final = 0.9
"""Share of the replies of each arm that the bins of one width reach to; longer ones stand together if far longer."""
FAR: Final = 1.5
_NAME: Final = 44
"""Pixels that the name of an edge needs."""


class Bin(msgspec.Struct, frozen=True):
    """Lengths from the first to the last, both in it; None: without an end."""

    first: int
    last: int | None

    @property
    def name(self) -> str:
        """``0``, ``11 to 20``, ``121 and more``."""
        first = number(self.first, "count")
        if self.last is None:
            return f"{first} and more"
        return first if self.first == self.last else f"{first} to {number(self.last, 'count')}"

    def holds(self, words: int) -> bool:
        """Whether a reply of so many words is in it."""
        return self.first <= words and (self.last is None or words <= self.last)


def bins_of(words: Sequence[Counter[int]]) -> tuple[Bin, ...]:
    """Bins in which every reply is, each once; none where there is no reply."""
    spoken = [Counter({length: times for length, times in arm.items() if length > 0}) for arm in words]
    none = [Bin(0, 0)] if any(arm[0] for arm in words) else []
    return (*none, *_of_spoken([arm for arm in spoken if arm]))


def _of_spoken(words: Sequence[Counter[int]]) -> Iterator[Bin]:
    """Bins of one width, and one for what is far longer than nearly all."""
    if not words:
        return
    low, high = min(map(min, words)), max(map(max, words))
    reach = max(map(_reach, words))
    end = high if high <= FAR * reach else reach
    start = low - 1 if low > end / 2 else 0
    step = max(1, round(round_step(max(end - start, 1), MOST_BINS)))
    start -= start % step
    for first in range(start + 1, end + 1, step):
        yield Bin(first, first + step - 1)
        start = first + step - 1
    if high > start:
        yield Bin(start + 1, None)


def _reach(arm: Counter[int]) -> int:
    """The smallest length that nearly all replies do not go beyond."""
    wanted, seen = math.ceil(NEARLY_ALL * arm.total()), 0
    for length in sorted(arm):
        seen += arm[length]
        if seen >= wanted:
            return length
    return max(arm)


def middle(arm: Counter[int]) -> float:
    """The median; of two in the middle their mean.

    Raises:
        ValueError: There is no reply.
    """
    ordered = sorted(arm.elements())
    if not ordered:
        raise ValueError("no reply has no length")
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def histograms(names: Sequence[str], words: Sequence[Counter[int]], bins: Sequence[Bin]) -> Histograms:
    """The picture of all arms."""
    return Histograms(
        bins=len(bins),
        edges=tuple(_edges(bins)),
        along="words a reply",
        arms=tuple(_histogram(at, name, arm, bins) for at, (name, arm) in enumerate(zip(names, words, strict=True))),
    )


def _histogram(at: int, name: str, arm: Counter[int], bins: Sequence[Bin]) -> Histogram:
    total = arm.total()
    if not total:
        return Histogram(arm=at, heading=f"{name}: no reply", shares=(0.0,) * len(bins), top="")
    shares = tuple(_inside(arm, one) / total for one in bins)
    heading = f"{name}: {counted(total, 'reply')}, half of them up to {number(middle(arm), 'words')} words"
    return Histogram(arm=at, heading=heading, shares=shares, top=whole_percent(max(shares)))


def _inside(arm: Counter[int], one: Bin) -> int:
    return sum(times for length, times in arm.items() if one.holds(length))


def _edges(bins: Sequence[Bin]) -> Iterator[Tick]:
    """Names of places between the bins, or of the bins themselves where each holds one length; as many as have room."""
    wide = (WIDTH - 16) / len(bins)
    single = all(one.first == one.last for one in bins)
    shift = 0.5 if single else 1.0
    ends = _ends(bins)
    yield from ends
    free = 0.0 if ends and ends[0].at == 0 else -_NAME
    limit = WIDTH - 16 - (2 * _NAME if bins[-1].last is None else 0)
    if not single and not (ends and ends[0].at == 0):
        yield Tick(0, number(bins[0].first - 1, "count"))
        free = 0.0
    for at, one in enumerate(bins):
        place = (at + shift) * wide
        if one.last and place >= free + _NAME and place <= limit:
            yield Tick(at + shift, number(one.last, "count"))
            free = place


def _ends(bins: Sequence[Bin]) -> list[Tick]:
    """What stands at the two ends: replies without a word, and those longer than nearly all."""
    first = [Tick(0, "none")] if bins[0].last == 0 else []
    last = [Tick(len(bins), f"over {number(bins[-1].first - 1, 'count')}")] if bins[-1].last is None else []
    return [*first, *last]


def length_table(
    names: Sequence[str], words: Sequence[Counter[int]], bins: Sequence[Bin], spread: Mapping[str, Sequence[float]]
) -> Table:
    """How many replies of each arm are in each bin; ``spread`` are quantiles at ``SHARES`` by arm, as far as known."""
    at = ", ".join(("shortest", *(whole_percent(share) for share in SHARES[1:-1]), "longest"))
    told = [f"{name} {', '.join(number(one, 'words') for one in found)}" for name, found in spread.items()]
    known = f" In words ({at}): {'; '.join(told)}." if told else ""
    return Table(
        title="Replies by their number of words",
        header=("words", *names),
        rows=tuple((one.name, *(_cell(arm, one) for arm in words)) for one in bins),
        footnote=f"Over replies: a description, with no error bar.{known}",
        columns_about=(None, *(("arm", name) for name in names)),
    )


def _cell(arm: Counter[int], one: Bin) -> str:
    inside, total = _inside(arm, one), arm.total()
    share = f" ({number(inside / total, 'share')})" if total else ""
    return f"{number(inside, 'count')}{share}"
