"""What is drawn, as values in the numbers' own units: marks, scales, pictures. Pure; nothing here draws.

A picture holds no number that is not there: what could not be measured has no mark, an interval that is not defined no
ends.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.numbers import unit_of, whole, whole_percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from multiturn.report.numbers import Unit
    from multiturn.results import Estimate

WIDTH: Final = 330
"""Of every picture, in pixels: what a phone of 360 has for it. The page makes it larger where there is more."""
TOPS: Final = (0.1, 0.2, 0.5, 1.0)
"""Where the scale of a share may end: at the first of these that nothing goes beyond."""
ROOM: Final = 0.06
"""Of its width: what a scale that has no natural end leaves free on either side."""

SHAPES: Final = (
    "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0Z",
    "M0,-1.2L1.2,0L0,1.2L-1.2,0Z",
    "M-0.9,-0.9L0.9,-0.9L0.9,0.9L-0.9,0.9Z",
    "M0,-1.1L1.1,0.9L-1.1,0.9Z",
    "M-0.4,-1.1L0.4,-1.1L0.4,-0.4L1.1,-0.4L1.1,0.4L0.4,0.4L0.4,1.1L-0.4,1.1L-0.4,0.4L-1.1,0.4L-1.1,-0.4L-0.4,-0.4Z",
)
"""The arms' shapes, as paths around 0 that are about 2 wide: circle, diamond, square, triangle, cross. The first arm's
is hollow."""
COLOURS: Final = 6
"""How many arms have a colour of their own (``base.css``)."""


class Tick(msgspec.Struct, frozen=True):
    """A place on a scale that is named."""

    at: float
    label: str


class Scale(msgspec.Struct, frozen=True):
    """What a length stands for, from ``low`` to ``high``."""

    low: float
    high: float
    ticks: tuple[Tick, ...]


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """One number of one arm (its place on the page) and where its interval ends: None where none is defined."""

    arm: int
    value: float
    low: float | None = None
    high: float | None = None
    panel: int = 0


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """What belongs to one group. ``label`` and ``beside`` (what it rests on) may hold untrusted text."""

    label: str
    beside: str
    marks: tuple[Mark, ...]


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """One of several columns beside each other; no heading where there is one."""

    scale: Scale
    heading: tuple[str, ...] = ()


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """Groups below each other, each with a row for each of ``slots`` arms: arms from there on begin again at the top.

    So with one slot each line has one mark, whose arm tells its colour and shape.
    """

    panels: tuple[Panel, ...]
    lines: tuple[Line, ...]
    slots: int


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """Groups that follow each other, from left to right; ``along`` says what they are."""

    scale: Scale
    lines: tuple[Line, ...]
    along: str
    arms: int


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """One arm's share of replies in each bin."""

    arm: int
    heading: str
    shares: tuple[float, ...]
    top: str
    """How much the highest one is, in words."""


class Histograms(msgspec.Struct, frozen=True, kw_only=True):
    """The histograms of all arms below each other. ``edges`` name the places between bins, from 0, by number."""

    bins: int
    edges: tuple[Tick, ...]
    along: str
    arms: tuple[Histogram, ...]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One difference with its interval, and the margin (None: there is none) within which it counts as none.

    ``left`` and ``right`` say what it means to lie there, ``label`` is the difference in words, ``band`` the margin.
    """

    scale: Scale
    mark: Mark
    margin: float | None
    left: str
    right: str
    label: str
    band: str


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How often an arm was preferred, neither was, and the other was."""

    arm: int
    label: str
    beside: str
    parts: tuple[int, int, int]


class Tallies(msgspec.Struct, frozen=True, kw_only=True):
    """The votes of all arms below each other."""

    arms: tuple[Tally, ...]


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One arm by two numbers, each with its interval."""

    across: Mark
    up: Mark


class Plane(msgspec.Struct, frozen=True, kw_only=True):
    """Two numbers of each arm against each other. ``even`` is where neither side is ahead, on both scales."""

    across: Scale
    up: Scale
    along: str
    above: str
    even: float
    points: tuple[Point, ...]


Picture = Rows | Course | Histograms | Difference | Tallies | Plane


def shape_of(arm: int) -> str:
    """The shape of the arm at this place; with its colour it is that arm's alone, up to 30 of them."""
    return SHAPES[arm % len(SHAPES)]


def paint_of(arm: int) -> tuple[str, str]:
    """What the shapes and bars of the arm at this place are filled with, and the colour of their outline."""
    colour = f"var(--arm-{arm % COLOURS})"
    return ("var(--ground)" if arm == 0 else colour), colour


def mark(arm: int, found: Estimate, panel: int = 0) -> Iterator[Mark]:
    """The mark of an estimate; none where nothing could be measured."""
    if found.value is not None:
        yield Mark(arm=arm, value=found.value, low=found.low, high=found.high, panel=panel)


def scale_of(marks: Iterable[Mark], measure: str, *, narrow: bool = False) -> Scale:
    """A scale on which all of these lie, from 0 where no number is below it; a narrow one is named at its ends only."""
    ends = [end for one in marks for end in (one.value, one.low, one.high) if end is not None]
    low, high = min((0.0, *ends)), max((0.0, *ends))
    unit = unit_of(measure)
    if unit in {"share", "flag"} and low == 0 and high <= TOPS[-1]:
        top = next(top for top in TOPS if high <= top)
        ticks = [Tick(at, whole_percent(at)) for at in _parts(top, 2 if narrow else 4)]
        found = Scale(0.0, top, tuple(ticks))
    else:
        found = _round_scale(low, high, unit, 2 if narrow else 4)
    return _ends_named(found) if narrow else found


def scale_around(ends: Sequence[float], unit: Unit) -> Scale:
    """A scale of differences: it holds 0 and all of these, with some room at both sides, and ticks at round places."""
    low, high = min(0.0, *ends), max(0.0, *ends)
    room = ROOM * ((high - low) or 1.0)
    low, high = low - room, high + room
    step = round_step(high - low, 5)
    first, last = math.ceil(low / step), math.floor(high / step)
    return Scale(low, high, tuple(Tick(at * step, whole(at * step, unit)) for at in range(first, last + 1)))


def _ends_named(scale: Scale) -> Scale:
    """The same, named only at its two ends."""
    named = (scale.ticks[0].at, scale.ticks[-1].at)
    ticks = tuple(one if one.at in named else Tick(one.at, "") for one in scale.ticks)
    return Scale(scale.low, scale.high, ticks)


def _round_scale(low: float, high: float, unit: Unit, most: int) -> Scale:
    """One that begins and ends at a round place."""
    step = round_step((high - low) or 1.0, most)
    first, last = math.floor(low / step), max(math.ceil(high / step), 1)
    ticks = tuple(Tick(at * step, whole(at * step, unit)) for at in range(first, last + 1))
    return Scale(first * step, last * step, ticks)


def _parts(top: float, most: int) -> list[float]:
    """From 0 to the top, in as many equal parts as give whole percent."""
    parts = next(parts for parts in (most, 2) if (100 * top / parts) % 1 == 0)
    return [top * at / parts for at in range(parts + 1)]


def round_step(width: float, most: int) -> float:
    """The smallest round step (1, 2, 5, 10 ...) of which no more than so many fit into this width."""
    exponent = math.floor(math.log10(width / most))
    return next(
        step for step in (factor * 10.0**exponent for factor in (1, 2, 5, 10, 20)) if width / step <= most * (1 + 1e-9)
    )
