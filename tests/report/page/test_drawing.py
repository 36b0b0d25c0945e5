"""What is drawn lies where its number says, in the page's colours, the same each time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report.page.hostile import ELEMENTS

from multiturn.report.page.drawing import declared, draw
from multiturn.report.page.plotted import (
    WIDTH,
    Course,
    Difference,
    Histogram,
    Histograms,
    Line,
    Mark,
    Panel,
    Picture,
    Plane,
    Point,
    Rows,
    Scale,
    Tallies,
    Tally,
    Tick,
    paint_of,
)
from multiturn.report.page.svg import KEPT, fit
from multiturn.text.printable import printable

SVG = "{http://www.w3.org/2000/svg}"
SHARES = Scale(0.0, 1.0, (Tick(0.0, "0%"), Tick(0.5, ""), Tick(1.0, "100%")))
EDGE = 8
WHOLE = (EDGE, WIDTH - EDGE)


def lines(*groups: tuple[Mark, ...]) -> tuple[Line, ...]:
    return tuple(Line(label=f"group {at}", beside="n=12", marks=marks) for at, marks in enumerate(groups))


def rows(*groups: tuple[Mark, ...], scale: Scale = SHARES) -> Rows:
    return Rows(panels=(Panel(scale=scale),), lines=lines(*groups), slots=2)


ROWS = rows(
    (Mark(arm=0, value=0.2, low=0.1, high=0.4), Mark(arm=1, value=0.9)),
    (Mark(arm=1, value=0.0, low=0.0, high=0.3),),
)
COURSE = Course(
    scale=SHARES,
    lines=lines(
        (Mark(arm=0, value=0.2, low=0.1, high=0.4), Mark(arm=1, value=0.9)),
        (Mark(arm=0, value=0.3),),
        (Mark(arm=0, value=0.5), Mark(arm=1, value=0.6, low=0.5, high=0.75)),
    ),
    along="turn",
    arms=2,
)
HISTOGRAMS = Histograms(
    bins=3,
    edges=(Tick(0, "none"), Tick(2, "10")),
    along="words a reply",
    arms=(
        Histogram(arm=0, heading="base: 4 replies", shares=(0.0, 0.25, 0.75), top="75%"),
        Histogram(arm=1, heading="tuned: 2 replies", shares=(0.5, 0.5, 0.0), top="50%"),
    ),
)
DIFFERENCE = Difference(
    scale=Scale(-0.4, 0.2, (Tick(-0.2, "-20"), Tick(0.0, "0"))),
    mark=Mark(arm=1, value=-0.1, low=-0.3, high=-0.02),
    margin=0.1,
    left="tuned worse",
    right="tuned better",
    label="-10.0 pp [-30.0, -2.0]",
    band="margin: less than 10.0 points counts as none",
)
TALLIES = Tallies(
    arms=(
        Tally(arm=1, label="tuned", beside="3 won, 0 tied, 1 lost", parts=(3, 0, 1)),
        Tally(arm=0, label="base", beside="1 won, 0 tied, 3 lost", parts=(1, 0, 3)),
    )
)
PLANE = Plane(
    across=SHARES,
    up=SHARES,
    along="more helpful",
    above="more harmless",
    even=0.5,
    points=(
        Point(across=Mark(arm=0, value=0.2, low=0.1, high=0.4), up=Mark(arm=0, value=0.75, low=0.7, high=0.9)),
        Point(across=Mark(arm=1, value=0.6), up=Mark(arm=1, value=0.25)),
    ),
)
PICTURES: dict[str, Picture] = {
    "rows": ROWS,
    "course": COURSE,
    "histograms": HISTOGRAMS,
    "difference": DIFFERENCE,
    "tallies": TALLIES,
    "plane": PLANE,
}


class Seen(NamedTuple):
    """Something that is drawn: from where to where, in pixels."""

    x: float
    y: float
    x2: float
    y2: float
    fill: str | None
    stroke: str | None


def drawn(picture: Picture) -> ET.Element:
    return ET.fromstring(str(fit(draw(picture), "a picture")))  # noqa: S314 - our own


def place_of(one: ET.Element) -> tuple[float, float]:
    found = re.fullmatch(r"translate\(([-.\d]+),([-.\d]+)\)", one.get("transform", "translate(0,0)"))
    assert found
    return float(found[1]), float(found[2])


def rules(picture: Picture, stroke: str) -> list[Seen]:
    """Straight lines of this colour, each from its lesser to its greater end."""
    found = []
    for one in drawn(picture).iter("line"):
        x, y = place_of(one)
        ends = sorted((x, x + float(one.get("x2", 0)))), sorted((y, y + float(one.get("y2", 0))))
        found.append(Seen(ends[0][0], ends[1][0], ends[0][1], ends[1][1], None, one.get("stroke")))
    return [one for one in found if one.stroke == stroke]


def points(picture: Picture) -> Iterator[Seen]:
    """Shapes of arms, by their middle."""
    for one in drawn(picture).iter("path"):
        if one.get("transform"):
            x, y = place_of(one)
            yield Seen(x, y, x, y, one.get("fill"), one.get("stroke"))


def boxes(picture: Picture) -> Iterator[Seen]:
    """Bars and bands."""
    for one in drawn(picture).iter("path"):
        found = re.fullmatch(r"M([-.\d]+),([-.\d]+)h([-.\d]+)v([-.\d]+)h([-.\d]+)Z", one.get("d", ""))
        if found:
            x, y, wide, high = map(float, found.groups()[:4])
            yield Seen(x, y, x + wide, y + high, one.get("fill"), one.get("stroke"))


def words(picture: Picture) -> list[str]:
    return [one.text or "" for one in drawn(picture).iter("text")]


def at(value: float, scale: Scale, span: tuple[float, float] = WHOLE) -> float:
    return span[0] + (value - scale.low) / (scale.high - scale.low) * (span[1] - span[0])


finite = st.floats(min_value=-50, max_value=150).map(lambda value: round(value, 3))
marks = st.tuples(finite, finite, finite).map(sorted)


@settings(max_examples=8, deadline=None)
@given(st.lists(marks, min_size=1, max_size=4))
def test_a_number_and_its_range_lie_where_they_are_on_the_scale(found: list[list[float]]) -> None:
    """Read back from the drawing, group by group; the arms are told apart by colour and shape."""
    scale = Scale(-50.0, 150.0, (Tick(0.0, "0"),))
    groups = [(Mark(arm=0, value=mid, low=low, high=high), Mark(arm=1, value=-mid / 3)) for low, mid, high in found]
    picture = rows(*groups, scale=scale)
    colours = [paint_of(arm) for arm in (0, 1)]
    for arm, painted in enumerate(colours):
        seen = [one.x for one in points(picture) if (one.fill, one.stroke) == painted]
        assert seen == pytest.approx([at(group[arm].value, scale) for group in groups], abs=0.01)
    ranges = [one for one in rules(picture, colours[0][1]) if one.y == one.y2]
    expected = [(at(low, scale), at(high, scale)) for low, _, high in found]
    assert [pytest.approx(one, abs=0.01) for one in expected] == [(one.x, one.x2) for one in ranges]
    assert not rules(picture, colours[1][1]), "there is no range of the second arm"


def test_panels_beside_each_other_have_a_scale_each() -> None:
    """A number is drawn in the panel that it is of, on that panel's scale."""
    half = Scale(0.0, 0.5, (Tick(0.0, "0%"),))
    picture = Rows(
        panels=(Panel(scale=SHARES, heading=("all",)), Panel(scale=half, heading=("some", "of them"))),
        lines=lines((Mark(arm=0, value=0.5), Mark(arm=0, value=0.5, panel=1))),
        slots=1,
    )
    left, right = sorted(one.x for one in points(picture))
    assert left < WIDTH / 2 < right == pytest.approx(WIDTH - EDGE)
    assert left == pytest.approx(EDGE + (WIDTH - 2 * EDGE - 24) / 4)
    assert {"all", "some", "of them"} <= {*words(picture)}


def test_a_line_of_one_slot_takes_its_arm_s_colour() -> None:
    """As in a ranking, where every line is of another arm."""
    picture = Rows(panels=(Panel(scale=SHARES),), lines=lines((Mark(arm=2, value=0.5),)), slots=1)
    assert [(one.fill, one.stroke) for one in points(picture)] == [paint_of(2)]


def test_a_course_rises_with_its_numbers_and_breaks_where_there_is_none() -> None:
    """The second arm has no number in the middle: there is no point, and no line across."""
    top, bottom = 10, 170
    second = [one for one in points(COURSE) if one.stroke == paint_of(1)[1]]
    assert [one.y for one in second] == pytest.approx([at(value, SHARES, (bottom, top)) for value in (0.9, 0.6)])
    (rising,) = [one for one in rules(COURSE, paint_of(1)[1]) if one.x == one.x2]
    assert (rising.y, rising.y2) == pytest.approx([at(value, SHARES, (bottom, top)) for value in (0.75, 0.5)])
    paths = [one for one in drawn(COURSE).iter("path") if not one.get("transform") and "L" in one.get("d", "")]
    assert [one.get("stroke") for one in paths] == [paint_of(0)[1]], "the first arm's line alone has two ends"


def test_a_long_course_names_as_many_places_as_have_room() -> None:
    """Fifty turns: every turn has its point, and names don't stand on each other."""
    many = [(Mark(arm=0, value=turn / 50),) for turn in range(50)]
    picture = Course(scale=SHARES, lines=lines(*many), along="turn", arms=1)
    assert len([*points(picture)]) == 50
    assert 5 <= words(picture).count("n=12") <= 9


def test_bars_are_as_high_as_their_share() -> None:
    """All arms have one scale; no bar stands where there is no reply."""
    first = [one for one in boxes(HISTOGRAMS) if one.stroke == paint_of(0)[1]]
    second = [one for one in boxes(HISTOGRAMS) if one.stroke == paint_of(1)[1]]
    heights = [one.y2 - one.y for one in (*first, *second)]
    assert [height / max(heights) for height in heights] == pytest.approx([1 / 3, 1, 2 / 3, 2 / 3])
    assert first[0].x > second[0].x2, "the first arm has none in the first bin"
    assert {"none", "10", "75%", "50%", "words a reply"} <= {*words(HISTOGRAMS)}
    (highest,) = [place_of(one) for one in drawn(HISTOGRAMS).iter("text") if one.text == "75%"]
    tallest = max(first, key=lambda one: one.y2 - one.y)
    assert highest[0] == pytest.approx((tallest.x + tallest.x2) / 2)
    assert highest[1] < tallest.y


def test_a_difference_with_its_margin() -> None:
    """The point, its range, the line at 0 and the band are where the numbers are."""
    scale = DIFFERENCE.scale
    assert [one.x for one in points(DIFFERENCE)] == pytest.approx([at(-0.1, scale)])
    (spread,) = [one for one in rules(DIFFERENCE, paint_of(1)[1]) if one.y == one.y2]
    assert (spread.x, spread.x2) == pytest.approx((at(-0.3, scale), at(-0.02, scale)))
    (nothing,) = rules(DIFFERENCE, "var(--ink)")
    assert nothing.x == nothing.x2 == pytest.approx(at(0.0, scale))
    band = max(boxes(DIFFERENCE), key=lambda one: one.x2 - one.x)
    assert (band.x, band.x2) == pytest.approx((at(-0.1, scale), at(0.1, scale)))
    assert "← tuned worse" in words(DIFFERENCE)


def test_a_difference_without_a_margin_or_a_range() -> None:
    """Neither band nor line is invented."""
    bare = Difference(
        scale=DIFFERENCE.scale,
        mark=Mark(arm=1, value=-0.1),
        margin=None,
        left="tuned worse",
        right="tuned better",
        label="-10.0 pp",
        band="",
    )
    assert not [*boxes(bare)]
    assert not rules(bare, paint_of(1)[1])
    assert len([*points(bare)]) == 1


def test_votes_are_parts_of_a_whole() -> None:
    """Won, tied and lost from left to right; what did not happen has no part."""
    by_arm: dict[float, list[Seen]] = {}
    for one in boxes(TALLIES):
        by_arm.setdefault(one.y, []).append(one)
    wide = WIDTH - 2
    assert [[one.x2 - one.x for one in parts] for parts in by_arm.values()] == [
        pytest.approx([0.75 * wide, 0.25 * wide]),
        pytest.approx([0.25 * wide, 0.75 * wide]),
    ]


def test_two_numbers_of_an_arm_lie_across_and_up() -> None:
    """Each with its range, if it has one; dashes cross where neither side is ahead."""
    span, rise = (40, WIDTH - EDGE), (242, 26)
    for arm, x, y in ((0, 0.2, 0.75), (1, 0.6, 0.25)):
        (seen,) = {(one.x, one.y) for one in points(PLANE) if one.stroke == paint_of(arm)[1]}
        assert seen == pytest.approx((at(x, SHARES, span), at(y, SHARES, rise)), abs=0.01)
    lying, standing = (
        [one for one in rules(PLANE, paint_of(0)[1]) if (one.y == one.y2) is level] for level in (True, False)
    )
    assert [(one.x, one.x2) for one in lying] == [pytest.approx((at(0.1, SHARES, span), at(0.4, SHARES, span)))]
    assert pytest.approx((at(0.9, SHARES, rise), at(0.7, SHARES, rise))) in [(one.y, one.y2) for one in standing]
    assert not rules(PLANE, paint_of(1)[1]), "the second arm has no range"
    upright = [one.x for one in rules(PLANE, "var(--soft)") if one.x == one.x2]
    assert upright == [pytest.approx(at(0.5, SHARES, span))]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_altair_allows(name: str) -> None:
    """Its own checks, which drawing leaves out, accept it; and it names no address to fetch from."""
    declaration = declared(PICTURES[name]).to_dict()
    declaration.pop("$schema")
    assert "url" not in json.dumps(declaration)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn_the_same_each_time(name: str) -> None:
    assert draw.__wrapped__(PICTURES[name]) == draw.__wrapped__(PICTURES[name])


@pytest.mark.parametrize("name", PICTURES)
def test_only_what_is_on_the_list_is_drawn_and_nothing_of_it_is_lost(name: str) -> None:
    """Colours are the page's variables; words, shapes and lines are as many as were drawn."""
    raw = ET.fromstring(draw(PICTURES[name]))  # noqa: S314 - our own
    kept = drawn(PICTURES[name])
    assert not kept.attrib.keys() & {"width", "height", "style"}
    for one in kept.iter():
        if one is not kept:
            assert one.attrib.keys() <= KEPT[one.tag]
        for paint in ("fill", "stroke"):
            assert re.fullmatch(r"none|transparent|var\(--[a-z0-9-]+\)", one.get(paint, "none"))
    assert len([*kept.iter("line")]) == len([*raw.iter(f"{SVG}line")])
    assert words(PICTURES[name]) == [one.text for one in raw.iter(f"{SVG}text") if one.text]
    painted = {
        (paint, one.get(paint))
        for one in raw.iter()
        for paint in ("fill", "stroke")
        if one.get("aria-hidden") is None and one.get("class") is None and one.get(paint)
    }
    assert painted <= {(paint, one.get(paint)) for one in kept.iter() for paint in ("fill", "stroke")}


@pytest.mark.parametrize("text", [*ELEMENTS.values(), "a\x00\x1b[31mb", "\u202egnp.exe", "\ud800", "]]>", ""])
def test_a_name_is_drawn_and_does_nothing(text: str) -> None:
    """Whatever a category or a model is called, the drawing holds the same elements, and the name as words."""
    plain = rows((Mark(arm=0, value=0.5),))
    named = Rows(
        panels=plain.panels,
        lines=(Line(label=text, beside="n=12", marks=(Mark(arm=0, value=0.5),)),),
        slots=2,
    )
    found = drawn(named)
    assert {one.tag for one in found.iter()} == {one.tag for one in drawn(plain).iter()}
    labels = [label for label in words(named) if label not in words(plain)]
    assert [printable(text).startswith(label.removesuffix("...")) for label in labels] == ([True] if text else [])


def test_a_long_name_is_cut_and_leaves_room_for_what_it_rests_on() -> None:
    """Letters of East Asia are twice as wide as others."""
    for letter, most in (("m", 38), ("語", 21)):
        picture = Rows(
            panels=(Panel(scale=SHARES),),
            lines=(Line(label=letter * 300, beside="n=12", marks=(Mark(arm=0, value=0.5),)),),
            slots=1,
        )
        (label,) = [text for text in words(picture) if letter in text]
        assert label.endswith("...")
        assert most - 4 <= len(label) <= most
