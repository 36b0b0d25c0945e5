"""A piece of HTML as a tree: elements found by tag and class, and the text that a reader gets from them."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

EMPTY: Final = frozenset({"br", "hr", "img", "input", "meta", "link", "wbr"})


class Node:
    """An element with what is in it."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag: Final = tag
        self.attributes: Final = attributes
        self.inside: Final[list[Node | str]] = []

    @property
    def classes(self) -> list[str]:
        """In the order of the attribute."""
        return self.attributes.get("class", "").split()

    @property
    def text(self) -> str:
        """All text in it, letter for letter; the line end that HTML drops after ``<pre>`` is no part of it."""
        whole = "".join(one if isinstance(one, str) else one.text for one in self.inside)
        return whole.removeprefix("\n") if self.tag == "pre" else whole

    @property
    def words(self) -> str:
        """The same with single spaces."""
        return " ".join(self.text.split())

    def walk(self) -> Iterator[Node]:
        """This element and all that are in it, in reading order."""
        yield self
        for one in self.inside:
            if isinstance(one, Node):
                yield from one.walk()

    def all(self, selector: str) -> list[Node]:
        """What is in it by ``tag``, ``.class`` or ``tag.class``."""
        tag, _, name = selector.partition(".")
        return [
            one for one in self.walk() if one is not self and tag in {"", one.tag} and (not name or name in one.classes)
        ]

    def one(self, selector: str) -> Node:
        """The only one of these."""
        (found,) = self.all(selector)
        return found


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: Final = [Node("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inside.append(node)
        if tag not in EMPTY:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"{tag} ends inside of {self.open[-1].tag}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def tree_of(text: str) -> Node:
    """The piece of HTML; each element must end where it should."""
    builder = _Builder()
    builder.feed(text)
    builder.close()
    (root,) = builder.open
    return root
