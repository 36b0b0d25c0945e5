"""A drawing made fit for the page: of its SVG only what shapes and words need is kept. Pure.

The page's policy allows no style in an attribute and no script, and labels may hold untrusted text; so elements,
attributes and what these may say are those of a list, and all else is left out. Ids are left out too: several drawings
stand on one page.
"""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as ET

from markupsafe import Markup

from multiturn.text.printable import printable

_PAINT: Final = frozenset({"fill", "stroke"})
_LOOK: Final = _PAINT | {"transform", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity"}
KEPT: Final[dict[str, frozenset[str]]] = {
    "g": _LOOK,
    "path": _LOOK | {"d"},
    "line": _LOOK | {"x1", "x2", "y1", "y2"},
    "text": _LOOK | {"x", "y", "text-anchor", "font-size", "font-weight"},
}
"""Elements below the outermost one, and their attributes."""

_COLOUR: Final = re.compile(r"none|transparent|var\(--[a-z0-9-]+\)")
_MEASURES: Final = re.compile(r"[A-Za-z0-9 .,()+-]*")
_NOWHERE: Final = "translate(0,0)"


def fit(drawn: str, alternative: str) -> Markup:
    """The same drawing without anything that could act, named by its text alternative.

    Raises:
        xml.etree.ElementTree.ParseError: It is no XML.
    """
    found = ET.fromstring(drawn)  # noqa: S314 - drawn by ourselves; entities are not declared, and none is expanded
    kept = ET.Element("svg", {"viewBox": _viewbox(found), "role": "img", "aria-label": printable(alternative)})
    _keep(found, kept)
    return Markup(ET.tostring(kept, encoding="unicode"))  # noqa: S704 - of elements of the list, escaped


def _viewbox(found: ET.Element) -> str:
    given = found.get("viewBox", "")
    return given if re.fullmatch(r"[0-9. -]+", given) else "0 0 1 1"


def _keep(found: ET.Element, kept: ET.Element) -> None:
    """Copy what is below one into the other. A group that changes nothing gives its place to what is in it."""
    for child in found:
        name = child.tag.rpartition("}")[2]
        if name not in KEPT or _is_empty(name, child):
            continue
        attributes = {key: value for key, value in child.attrib.items() if _may_stay(name, key, value)}
        if name == "g" and not attributes:
            _keep(child, kept)
            continue
        copy = ET.SubElement(kept, name, attributes)
        if name == "text":
            copy.text = "".join(child.itertext())
        _keep(child, copy)


def _may_stay(name: str, key: str, value: str) -> bool:
    if key not in KEPT[name] or value == _NOWHERE:
        return False
    return bool((_COLOUR if key in _PAINT else _MEASURES).fullmatch(value)) and "url" not in value


def _is_empty(name: str, child: ET.Element) -> bool:
    """Whether nothing can be seen of it."""
    if name == "g":
        return len(child) == 0
    if name == "path":
        return not child.get("d") or not ({"fill", "stroke"} & child.attrib.keys())
    return name == "text" and not "".join(child.itertext())
