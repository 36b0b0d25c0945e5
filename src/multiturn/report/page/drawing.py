"""Pictures declared with altair and drawn to SVG by vl-convert: without a network, and the same each time.

Loaded when the first chart is drawn, not before: altair takes 0.6 s, the first drawing another second, each further one
some hundredths. All places are in pixels of a picture as wide as a phone, so that nothing depends on the fonts of the
machine; the page scales it. Colours are the page's own variables.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode

from multiturn.report.page.layers import (
    INK,
    LABEL,
    LINE,
    SOFT,
    across,
    at_x,
    layer,
    lying,
    paint,
    place_of,
    record_of,
    standing,
    tick_names,
    up,
    upright_grid,
    whole,
    words,
)
from multiturn.report.page.plotted import WIDTH, Course, Difference, Histograms, Plane, Rows, Scale, Tallies, paint_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.report.page.layers import Placing, Record, Span
    from multiturn.report.page.plotted import Histogram, Line, Picture, Tally

VERSION: Final = "6.4"
"""Of Vega-Lite: what altair writes."""
KEPT: Final = 64
"""Drawings that are kept, for a page that is written again."""

_EDGE: Final = 8
_GAP: Final = 24
"""Between panels beside each other."""
_SLOT: Final = 11
"""From arm to arm."""
_NUMBERED: Final = 36
"""What a place needs for its name and what it rests on."""
_COUNTED: Final = 80
_TOLD: Final = 150
"""Room for what stands beside a label."""
FEW_ARMS: Final = 2
_SHADE: Final = 0.2
_APART: Final = 0.08
"""Between a bar and the end of its bin, which is 1 wide."""
_HALF_LETTER: Final = 3.4
_OUTCOMES: Final = (("var(--good)", "var(--good)"), ("none", SOFT), ("var(--bad-ground)", "var(--bad)"))
"""How a bar of what was won, tied and lost is filled and outlined."""


@lru_cache(maxsize=KEPT)
def draw(picture: Picture) -> str:
    """The picture as SVG: a document of its own, not yet fit for the page (``svg.py`` makes it so).

    Altair's checks of what is declared are left to the tests: they take longer than drawing it.
    """
    with debug_mode(arg=False):
        declaration = declared(picture).to_dict(validate=False)
    return vl_convert.vegalite_to_svg(declaration, vl_version=VERSION)


def declared(picture: Picture) -> alt.LayerChart:
    """The picture as altair declares it."""
    match picture:
        case Rows():
            return _rows(picture)
        case Course():
            return _course(picture)
        case Histograms():
            return _histograms(picture)
        case Difference():
            return _difference(picture)
        case Tallies():
            return _tallies(picture)
        case Plane():
            return _plane(picture)


def _rows(picture: Rows) -> alt.LayerChart:
    top = 4 + 14 * max(len(panel.heading) for panel in picture.panels)
    tall = 21 + _SLOT * picture.slots
    bottom = top + tall * len(picture.lines)
    bands = [(top + tall * row + 16, top + tall * (row + 1) - 1) for row in range(len(picture.lines))]
    layers: list[alt.Chart] = []
    said: list[Record] = []
    for at, panel in enumerate(picture.panels):
        span = _columns(at, len(picture.panels))
        marks = [
            {**record_of(mark), "y": top + tall * row + 22 + _SLOT * (mark.arm % picture.slots)}
            for row, line in enumerate(picture.lines)
            for mark in line.marks
            if mark.panel == at
        ]
        layers += [upright_grid(panel.scale, span, bands), *lying(marks, across(panel.scale, span))]
        said += [words(text, span[0], 12 + 14 * row) for row, text in enumerate(panel.heading)]
        said += tick_names(panel.scale, span, bottom)
    for row, line in enumerate(picture.lines):
        y = top + tall * row + LABEL
        said += [
            words(line.label, 0, y, strong=True, room=WIDTH - _COUNTED),
            words(line.beside, WIDTH, y, "right", room=_COUNTED),
        ]
    return whole(layers, said, bottom + 18)


def _columns(at: int, columns: int) -> Span:
    """Where the panel at this place begins and ends."""
    wide = (WIDTH - 2 * _EDGE - _GAP * (columns - 1)) / columns
    return _EDGE + at * (wide + _GAP), _EDGE + at * (wide + _GAP) + wide


def _course(picture: Course) -> alt.LayerChart:
    left, top, bottom = 40, 10, 170
    step = (WIDTH - left) / len(picture.lines)
    middle = [left + step * (at + 0.5) for at in range(len(picture.lines))]
    apart = min(12.0, step / (picture.arms + 1))
    y = up(picture.scale, (bottom, top))
    marks = [
        {**one, "x": middle[place] + apart * (arm - (picture.arms - 1) / 2)}
        for arm in range(picture.arms)
        for place, one in _unbroken(picture.lines, arm)
    ]
    grid = layer([{"at": tick.at} for tick in picture.scale.ticks]).mark_rule(stroke=LINE, strokeWidth=1)
    course = layer(marks).mark_line(strokeWidth=1.5, opacity=0.5)
    layers = [
        grid.encode(x=alt.value(left), x2=alt.value(WIDTH), y=y("at")),
        course.encode(x=at_x("x"), y=y("value"), stroke=paint("stroke", range(picture.arms)), detail="part:N"),
        *standing(marks, y),
    ]
    said = [
        words(tick.label, left - 6, place_of(tick.at, picture.scale, (bottom, top)) + 4, "right")
        for tick in picture.scale.ticks
    ]
    for place in range(0, len(picture.lines), max(1, math.ceil(_NUMBERED / step))):
        named = picture.lines[place]
        said += [
            words(named.label, middle[place], bottom + 19, "center", strong=True),
            words(named.beside, middle[place], bottom + 34, "center"),
        ]
    return whole(layers, [*said, words(picture.along, (left + WIDTH) / 2, bottom + 50, "center")], bottom + 56)


def _unbroken(lines: Sequence[Line], arm: int) -> Iterator[tuple[int, dict[str, object]]]:
    """Each number of an arm with its place and the part that it belongs to: where there is none a new part begins."""
    part = 0
    for place, line in enumerate(lines):
        found = [one for one in line.marks if one.arm == arm]
        part += not found
        for one in found:
            yield place, {**record_of(one), "part": f"{arm}.{part}"}


def _histograms(picture: Histograms) -> alt.LayerChart:
    bars = 60 if len(picture.arms) <= FEW_ARMS else 36
    tall = bars + 48
    foot = tall * len(picture.arms)
    span = (_EDGE, WIDTH - _EDGE)
    bins = Scale(0, picture.bins, picture.edges)
    most = max(share for arm in picture.arms for share in arm.shares)
    layers: list[alt.Chart] = [upright_grid(bins, span, [(foot, foot + 4)])]
    said = [*tick_names(bins, span, foot), words(picture.along, WIDTH / 2, foot + 32, "center")]
    for at, arm in enumerate(picture.arms):
        end = tall * (at + 1)
        up_to = Scale(0, most, ())
        layers += [_bars(arm, across(bins, span), up(up_to, (end, end - bars))), _level(end)]
        highest = max(range(picture.bins), key=lambda place: arm.shares[place])
        over = place_of(arm.shares[highest], up_to, (end, end - bars)) - 5
        said += [
            words(arm.heading, 0, end - bars - 26, strong=True),
            words(arm.top, place_of(highest + 0.5, bins, span), over, "center"),
        ]
    return whole(layers, said, foot + 38)


def _bars(arm: Histogram, x: Placing, y: Placing) -> alt.Chart:
    """A bar for each bin that a reply is in."""
    shown = [
        {"from": place + _APART, "to": place + 1 - _APART, "share": share, "foot": 0}
        for place, share in enumerate(arm.shares)
        if share
    ]
    fill, stroke = paint_of(arm.arm)
    bars = layer(shown).mark_rect(fill=fill, stroke=stroke, strokeWidth=1.5)
    placed: alt.Chart = bars.encode(x=x("from"), x2="to:Q", y=y("foot"), y2="share:Q")
    return placed


def _level(y: float) -> alt.Chart:
    """A line from edge to edge."""
    line = layer([{}]).mark_rule(stroke=LINE, strokeWidth=1)
    placed: alt.Chart = line.encode(x=alt.value(0), x2=alt.value(WIDTH), y=alt.value(y))
    return placed


def _difference(picture: Difference) -> alt.LayerChart:
    top, foot = 38, 70
    span = (_EDGE, WIDTH - _EDGE)
    x = across(picture.scale, span)
    nothing = layer([{"at": 0}]).mark_rule(stroke=INK, strokeWidth=1)
    layers = [
        *_band(picture, x, (top, foot)),
        upright_grid(picture.scale, span, [(foot, foot + 4)]),
        _level(foot),
        nothing.encode(x=x("at"), y=alt.value(top), y2=alt.value(foot + 4)),
        *lying([{**record_of(picture.mark), "y": foot - 16}], x),
    ]
    half = _HALF_LETTER * len(picture.label)
    over = min(max(place_of(picture.mark.value, picture.scale, span), half), WIDTH - half)
    said = [
        words(f"\u2190 {picture.left}", 0, 12, strong=True),
        words(f"{picture.right} \u2192", WIDTH, 12, "right", strong=True),
        words(picture.label, over, top - 7, "center", strong=True),
        *tick_names(picture.scale, span, foot + 2),
    ]
    if picture.margin is None:
        return whole(layers, said, foot + 20)
    return whole(layers, [*said, words(picture.band, 24, foot + 37, room=WIDTH - 24)], foot + 42)


def _band(picture: Difference, x: Placing, tops: Span) -> Iterator[alt.Chart]:
    """The margin, and a piece of it beside its name; nothing where there is none."""
    if picture.margin is None:
        return
    band = layer([{"low": -picture.margin, "high": picture.margin}]).mark_rect(fill=SOFT, opacity=_SHADE)
    yield band.encode(x=x("low"), x2="high:Q", y=alt.value(tops[0]), y2=alt.value(tops[1]))
    piece = layer([{}]).mark_rect(fill=SOFT, opacity=_SHADE)
    yield piece.encode(x=alt.value(0), x2=alt.value(18), y=alt.value(tops[1] + 28), y2=alt.value(tops[1] + 38))


def _tallies(picture: Tallies) -> alt.LayerChart:
    tall = 42
    x = across(Scale(0, 1, ()), (1, WIDTH - 1))
    layers: list[alt.Chart] = []
    said: list[Record] = []
    for at, arm in enumerate(picture.arms):
        head = tall * at
        layers += _parts(arm, x, (head + 21, head + 34))
        said += [
            words(arm.label, 0, head + 14, strong=True, room=WIDTH - _TOLD),
            words(arm.beside, WIDTH, head + 14, "right", room=_TOLD),
        ]
    return whole(layers, said, tall * len(picture.arms))


def _parts(arm: Tally, x: Placing, tops: Span) -> Iterator[alt.Chart]:
    """One bar of as many parts as are not 0: won, tied, lost."""
    total, start = sum(arm.parts), 0
    for part, (fill, stroke) in zip(arm.parts, _OUTCOMES, strict=True):
        if part:
            bar = layer([{"from": start / total, "to": (start + part) / total}])
            painted = bar.mark_rect(fill=fill, stroke=stroke, strokeWidth=1)
            yield painted.encode(x=x("from"), x2="to:Q", y=alt.value(tops[0]), y2=alt.value(tops[1]))
        start += part


def _plane(picture: Plane) -> alt.LayerChart:
    """What is better lies higher and further to the right; dashes stand where neither side is ahead."""
    span, rise = (40.0, WIDTH - _EDGE), (242.0, 26.0)
    x, y = across(picture.across, span), up(picture.up, rise)
    even = layer([{"at": picture.even}]).mark_rule(stroke=SOFT, strokeWidth=1, strokeDash=[4, 3])
    level = layer([{"at": tick.at} for tick in picture.up.ticks]).mark_rule(stroke=LINE, strokeWidth=1)
    lying_at = [{**record_of(one.across), "y": place_of(one.up.value, picture.up, rise)} for one in picture.points]
    standing_at = [
        {**record_of(one.up), "x": place_of(one.across.value, picture.across, span)} for one in picture.points
    ]
    layers = [
        upright_grid(picture.across, span, [(rise[1], rise[0])]),
        level.encode(x=alt.value(span[0]), x2=alt.value(span[1]), y=y("at")),
        even.encode(x=x("at"), y=alt.value(rise[1]), y2=alt.value(rise[0])),
        even.encode(x=alt.value(span[0]), x2=alt.value(span[1]), y=y("at")),
        *standing(standing_at, y),
        *lying(lying_at, x),
    ]
    said = [
        words(picture.above, 0, 12, strong=True),
        *(words(one.label, span[0] - 6, place_of(one.at, picture.up, rise) + 4, "right") for one in picture.up.ticks),
        *tick_names(picture.across, span, rise[0] + 4),
        words(picture.along, span[1], rise[0] + 34, "right", strong=True),
    ]
    return whole(layers, said, rise[0] + 40)
