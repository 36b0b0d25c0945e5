"""The list of conversations around its rows: filters, what can be chosen, in which order. Rows are the script's."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.page.links import list_link
from multiturn.report.page.tag_words import of_arm, option_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from multiturn.report.page.facets import Tag
    from multiturn.report.page.shown import Collected

_CHOICES: Final = (
    ("capability", "Capability", ("capability",), ()),
    ("category", "Category", ("category",), ()),
    ("domain", "Domain", ("domain",), ()),
    ("language", "Language of a reply", ("language",), ()),
    ("status", "Status", (), ("status", "flag", "raised", "missing")),
    ("refusal", "Refusal", (), ("refusal",)),
    ("check", "Checks", ("flip",), ("check", "fluent")),
    ("judge", "Judges", ("preferred", "preferred_whole"), ("grade",)),
)
"""Name, label, keys of tags, keys of tags of one arm."""

_NO_CHOICE: Final = frozenset({("status", "ok"), ("raised", "cut_off"), ("raised", "empty"), ("check", "pass")})
"""What nearly all have, and what another option says as well."""


class Option(msgspec.Struct, frozen=True):
    """One thing to choose: the address of the list under it, what a reader sees, how many conversations have it."""

    link: str
    label: str
    count: int


class Choice(msgspec.Struct, frozen=True):
    """One filter."""

    name: str
    label: str
    options: tuple[Option, ...]


class Order(msgspec.Struct, frozen=True):
    """One way to sort, and the heading of a list sorted so."""

    name: str
    label: str
    heading: str


CHANGED: Final = Order("changed", "most changed", "Conversations, most changed first")
FAILED: Final = Order("failed", "most checks failed", "Conversations, most checks failed first")
OF_SUITE: Final = Order("suite", "order of the suite", "Conversations, in the order of the suite")
BY_NAME: Final = Order("name", "name", "Conversations, by name")


class Listing(msgspec.Struct, frozen=True):
    """The list's filters and orders (the first is the default), and how many conversations there are."""

    conversations: int
    choices: tuple[Choice, ...]
    orders: tuple[Order, ...]


def listing(collected: Collected) -> Listing:
    """The filters that choose something: options that some conversation has."""
    counts = Counter[int]()
    for row in collected.rows:
        counts.update(set(row.tags).union(*row.turn_tags))
    named = {tag: counts[at] for at, tag in enumerate(collected.tags)}
    choices = []
    for name, label, keys, of_arms in _CHOICES:
        wanted = [*keys, *(f"{arm.name}.{key}" for arm in collected.arms for key in of_arms)]
        options = tuple(_options(collected, named, wanted))
        if options:
            choices.append(Choice(name, label, options))
    return Listing(len(collected.rows), tuple(choices), orders(collected))


def orders(collected: Collected) -> tuple[Order, ...]:
    """How the list can be sorted: with one arm nothing changed, and without checks nothing failed."""
    if len(collected.arms) > 1:
        return CHANGED, OF_SUITE, BY_NAME
    checked = any(any(row.applied) for row in collected.rows)
    return (FAILED, OF_SUITE, BY_NAME) if checked else (OF_SUITE, BY_NAME)


def _options(collected: Collected, counts: Mapping[Tag, int], keys: Sequence[str]) -> Iterator[Option]:
    """Key by key, what can be read first in the alphabet first."""
    for key in keys:
        found = [tag for tag in counts if tag[0] == key and (of_arm(tag)[1], tag[1]) not in _NO_CHOICE]
        told = [Option(list_link(dict([tag])), option_words(tag, collected.arms), counts[tag]) for tag in found]
        yield from sorted(told, key=lambda one: one.label.casefold())
