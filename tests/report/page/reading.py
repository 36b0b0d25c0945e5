"""A page as a parser sees it: its elements, attributes and text, those of the sheets inside it included."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from html.parser import HTMLParser
from typing import Final

HOLDS_ADDRESS: Final = frozenset(
    {"src", "href", "srcset", "action", "formaction", "data", "poster", "background", "ping", "xlink:href"}
)
UNSEEN: Final = frozenset({"script", "style", "title", "template"})


class Parsed(HTMLParser):
    """What a piece of HTML is made of."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: Final = Counter[str]()
        self.attributes: Final[list[tuple[str, str, str]]] = []
        """Element, attribute, value."""
        self.chunks: Final[list[str]] = []
        """What the data blocks hold, the index first."""
        self.texts: Final[list[str]] = []
        self.styles: Final[list[str]] = []
        self.scripts: Final[list[str]] = []
        self._inside: Final[list[str]] = []
        self._data = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count it."""
        self.elements[tag] += 1
        self.attributes.extend((tag, name, value or "") for name, value in attrs)
        if tag in UNSEEN:
            self._inside.append(tag)
            self._data = ("type", "text/plain") in attrs

    def handle_endtag(self, tag: str) -> None:
        """Leave it, where its text is not seen."""
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        """Text that is seen, or a data block."""
        if not self._inside:
            self.texts.append(data)
        elif self._inside[-1] == "script":
            (self.chunks if self._data else self.scripts).append(data)
        elif self._inside[-1] == "style":
            self.styles.append(data)

    @property
    def text(self) -> str:
        """All that is seen, with what is folded."""
        return "".join(self.texts)

    @property
    def addresses(self) -> list[str]:
        """Where an element leads or what it would fetch."""
        return [value for _, name, value in self.attributes if name in HOLDS_ADDRESS]

    @property
    def handlers(self) -> list[tuple[str, str, str]]:
        """Attributes that would run something."""
        return [one for one in self.attributes if one[1].startswith("on")]


def sheets_of(page: Parsed) -> list[str]:
    """The HTML of every conversation that lies in the page."""
    return [sheet for chunk in page.chunks[1:] for sheet in json.loads(unpacked(chunk))]


def unpacked(data: str) -> bytes:
    """A data block as the browser opens it."""
    return zlib.decompress(base64.b64decode(data), -zlib.MAX_WBITS)


def parsed_whole(text: str) -> list[Parsed]:
    """The page and each of its sheets."""
    page = Parsed(text)
    return [page, *map(Parsed, sheets_of(page))]
