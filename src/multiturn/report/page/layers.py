"""What pictures are made of, as layers of altair: words, grid lines, intervals, bars. Places are in pixels.

Loaded only with ``drawing.py``.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import altair as alt

from multiturn.report.page.plotted import WIDTH, paint_of, shape_of
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from multiturn.report.page.plotted import Mark, Scale

    Record = Mapping[str, object]
    Span = tuple[float, float]
    Placing = Callable[[str], Any]
    Align = Literal["left", "center", "right"]

LABEL: Final = 12
SMALL: Final = 11
"""Heights of letters."""
INK: Final = "var(--ink)"
SOFT: Final = "var(--soft)"
LINE: Final = "var(--line)"
GROUND: Final = "var(--ground)"

_LETTER: Final = 0.56
"""How wide a letter is by its height, on average, in the fonts that browsers take."""
_POINT: Final = 90
"""Square pixels of a shape."""
_CAP: Final = 3
"""From the line of an interval to the tip of its end."""


def whole(layers: Iterable[alt.Chart], said: Iterable[Record], height: float) -> alt.LayerChart:
    """The layers over each other in one picture, each with scales of its own, and what is written there on top."""
    found = alt.layer(
        *layers,
        *written(said),
        width=WIDTH,
        height=height,
        padding=0,
        autosize=alt.AutoSizeParams(type="none"),
        background="transparent",
        resolve=alt.Resolve(scale=alt.ScaleResolveMap(x="independent", y="independent")),
        config=alt.Config(aria=False, view=alt.ViewConfig(stroke=None)),
    )
    return cast("alt.LayerChart", found)


def layer(records: Iterable[Record]) -> alt.Chart:
    """A layer of these records."""
    return alt.Chart(alt.InlineData(values=[dict(one) for one in records]))


def across(scale: Scale, span: Span) -> Placing:
    """Places fields from left to right."""
    return lambda field: alt.X(f"{field}:Q", axis=None, scale=_linear(scale, span))


def up(scale: Scale, span: Span) -> Placing:
    """Places fields from the bottom (first) to the top (second)."""
    return lambda field: alt.Y(f"{field}:Q", axis=None, scale=_linear(scale, span))


def _linear(scale: Scale, span: Span) -> alt.Scale:
    return alt.Scale(type="linear", domain=[scale.low, scale.high], range=[*span], nice=False, zero=False)


def at_x(field: str) -> alt.X:
    """A field that is in pixels already."""
    return alt.X(f"{field}:Q", axis=None, scale=None)


def at_y(field: str) -> alt.Y:
    """A field that is in pixels already."""
    return alt.Y(f"{field}:Q", axis=None, scale=None)


def words(text: str, x: float, y: float, align: Align = "left", *, strong: bool = False, room: float = WIDTH) -> Record:
    """One line of text, as far as there is room for it.

    It is made printable here, since half a surrogate pair ends the process inside vl-convert.
    """
    colour, size = (INK, LABEL) if strong else (SOFT, SMALL)
    return {"text": fitting(printable(text), room / size), "x": x, "y": y, "align": align, "fill": colour, "size": size}


def fitting(text: str, room: float) -> str:
    """The text, or as much of it as has room, with dots. ``room`` is in heights of its letters.

    Letters are taken to be as wide as they are on average, those of East Asia as wide as high: no font is asked, since
    the page has the reader's.
    """
    wide = 0.0
    for at, character in enumerate(text):
        wide += 1.0 if unicodedata.east_asian_width(character) in "WF" else _LETTER
        if wide > room:
            return f"{text[: max(at - 2, 0)].rstrip()}..."
    return text


def written(records: Iterable[Record]) -> list[alt.Chart]:
    """What :func:`words` gives, as layers."""
    by_align: dict[Align, list[Record]] = {}
    for one in records:
        by_align.setdefault(cast("Align", one["align"]), []).append(one)
    return [
        layer(found)
        .mark_text(align=align, baseline="alphabetic")
        .encode(
            x=at_x("x"),
            y=at_y("y"),
            text="text:N",
            color=alt.Color("fill:N", scale=None),
            size=alt.Size("size:Q", scale=None),
        )
        for align, found in by_align.items()
    ]


def upright_grid(scale: Scale, span: Span, bands: Iterable[Span]) -> alt.Chart:
    """Lines at the ticks, from top to bottom of each band; :func:`tick_names` go below them."""
    placed = [{"at": tick.at, "y": top, "foot": foot} for tick in scale.ticks for top, foot in bands]
    rules = layer(placed).mark_rule(stroke=LINE, strokeWidth=1)
    grid: alt.Chart = rules.encode(x=across(scale, span)("at"), y=at_y("y"), y2="foot:Q")
    return grid


def tick_names(scale: Scale, span: Span, foot: float) -> Iterator[Record]:
    """What the ticks are called, inside the span and below the foot of the lines."""
    for tick in (one for one in scale.ticks if one.label):
        x = place_of(tick.at, scale, span)
        align: Align = "left" if x - span[0] < SMALL else "right" if span[1] - x < SMALL else "center"
        yield words(tick.label, x, foot + 13, align)


def place_of(value: float, scale: Scale, span: Span) -> float:
    """Where a number lies, in pixels."""
    return span[0] + (value - scale.low) / (scale.high - scale.low) * (span[1] - span[0])


def record_of(mark: Mark) -> dict[str, float | int | None]:
    """The numbers of a mark."""
    return {"arm": mark.arm, "value": mark.value, "low": mark.low, "high": mark.high}


def lying(records: Sequence[Record], x: Placing) -> list[alt.Chart]:
    """Points with their intervals from left to right, each at its ``y``."""
    known = [one for one in records if one["low"] is not None]
    ends = [{**one, "end": one[end]} for one in known for end in ("low", "high")]
    arms = _arms(records)
    tick = layer(ends).mark_tick(thickness=2, size=2 * _CAP, opacity=1)
    return [
        layer(known)
        .mark_rule(strokeWidth=2)
        .encode(x=x("low"), x2="high:Q", y=at_y("y"), stroke=paint("stroke", arms)),
        tick.encode(x=x("end"), y=at_y("y"), color=paint("color", arms)),
        points(records).encode(x=x("value"), y=at_y("y")),
    ]


def standing(records: Sequence[Record], y: Placing) -> list[alt.Chart]:
    """The same from bottom to top, each at its ``x``."""
    known = [one for one in records if one["low"] is not None]
    arms = _arms(records)
    return [
        layer(known)
        .mark_rule(strokeWidth=2)
        .encode(x=at_x("x"), y=y("low"), y2="high:Q", stroke=paint("stroke", arms)),
        points(records).encode(x=at_x("x"), y=y("value")),
    ]


def points(records: Sequence[Record]) -> alt.Chart:
    """The arms' shapes."""
    arms = _arms(records)
    shape = alt.Shape("arm:N", legend=None, scale=alt.Scale(domain=arms, range=[shape_of(arm) for arm in arms]))
    shapes = layer(records).mark_point(size=_POINT, strokeWidth=2, opacity=1)
    painted: alt.Chart = shapes.encode(shape=shape, fill=paint("fill", arms), stroke=paint("stroke", arms))
    return painted


def paint(what: Literal["fill", "stroke", "color"], arms: Sequence[int]) -> Any:  # noqa: ANN401 - one of three channels
    """The colours of these arms."""
    channel = {"fill": alt.Fill, "stroke": alt.Stroke, "color": alt.Color}[what]
    painted = [paint_of(arm)[what != "fill"] for arm in arms]
    return channel("arm:N", legend=None, scale=alt.Scale(domain=[*arms], range=painted))


def _arms(records: Sequence[Record]) -> list[int]:
    return sorted({arm for one in records if isinstance(arm := one["arm"], int)})
