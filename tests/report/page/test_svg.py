"""What is kept of a drawing: what shapes and words need, and nothing that could act."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from multiturn.report.page.svg import KEPT, fit

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 330 90"'
SEEN = '<path d="M0,0h1" fill="var(--ink)"/>'


def kept(inside: str, more: str = "") -> str:
    return str(fit(f"{HEAD}{more}>{inside}</svg>", "a drawing"))


def test_shapes_words_and_where_they_are_stay() -> None:
    """A group that changes nothing is left out, what is in it is not."""
    found = kept(
        '<g transform="translate(0,0)" class="marks"><g fill="none" stroke-miterlimit="10">'
        '<path d="M0,0A1,1,0,1,1,2,0Z" transform="translate(10.5,-2)" stroke="var(--arm-1)" stroke-width="2"/>'
        '<line x2="4" y2="0" stroke="var(--line)" opacity="0.5"/>'
        '<text text-anchor="end" font-size="11px" font-family="x" fill="var(--soft)">n=3</text></g></g>'
    )
    assert found == (
        '<svg viewBox="0 0 330 90" role="img" aria-label="a drawing"><g fill="none">'
        '<path d="M0,0A1,1,0,1,1,2,0Z" transform="translate(10.5,-2)" stroke="var(--arm-1)" stroke-width="2" />'
        '<line x2="4" y2="0" stroke="var(--line)" opacity="0.5" />'
        '<text text-anchor="end" font-size="11px" fill="var(--soft)">n=3</text></g></svg>'
    )


@pytest.mark.parametrize(
    "inside",
    [
        "<script>run()</script>",
        "<style>* { fill: red }</style>",
        "<foreignObject><p>seen</p></foreignObject>",
        '<a xlink:href="javascript:run()"><text>press</text></a>',
        '<image href="//somewhere.example/a.png"/>',
        '<use xlink:href="#other"/>',
        '<animate attributeName="fill" onbegin="run()"/>',
        '<defs><clipPath id="clip0"><path d="M0,0h1"/></clipPath></defs>',
        "<title>seen</title><desc>seen</desc>",
        '<path d="" fill="var(--ink)"/><g></g><text fill="var(--ink)"></text>',
    ],
)
def test_what_could_act_or_says_nothing_is_left_out(inside: str) -> None:
    """Elements that are not on the list are left out with all that is in them."""
    assert kept(f"{inside}{SEEN}") == kept(SEEN)


@pytest.mark.parametrize(
    "attribute",
    [
        'onload="run()"',
        'style="fill: red"',
        'class="mark"',
        'id="clip0"',
        'clip-path="url(#clip0)"',
        'stroke="url(#gradient)"',
        'stroke="url(elsewhere)"',
        'stroke="red"',
        'transform="url(elsewhere)"',
        'transform="translate(1,2);x"',
        'aria-label="seen"',
        'role="graphics-symbol"',
        'xlink:href="//somewhere.example"',
        'pointer-events="none"',
    ],
)
def test_attributes_that_are_not_on_the_list_or_say_more_than_a_place_or_a_colour_go(attribute: str) -> None:
    assert kept(f'<path d="M0,0h1" fill="var(--ink)" {attribute}/>') == kept(SEEN)
    assert kept(SEEN, f" {attribute}" if "aria-label" not in attribute else "") == kept(SEEN)


def test_words_stay_words() -> None:
    """What a label says is escaped, wherever it stands."""
    text = "\"><svg onload=run()></svg><script>run()</script>&amp;'"
    drawing = ET.Element("svg", {"viewBox": "0 0 1 1"})
    ET.SubElement(drawing, "text", {"fill": "var(--ink)"}).text = text
    found = ET.fromstring(str(fit(ET.tostring(drawing, encoding="unicode"), text)))  # noqa: S314 - our own
    assert [one.tag for one in found.iter()] == ["svg", "text"]
    assert found[0].text == found.get("aria-label") == text


def test_the_alternative_has_no_control_character() -> None:
    assert 'aria-label="a␀b&lt;U+202E&gt;"' in fit(f"{HEAD}>{SEEN}</svg>", "a\x00b\u202e")


def test_the_list_names_no_way_to_act() -> None:
    """No handler, no address, no id, no style."""
    names = {*KEPT, *(name for attributes in KEPT.values() for name in attributes)}
    assert not {name for name in names if name.startswith("on") or name in {"href", "id", "style", "class", "script"}}
