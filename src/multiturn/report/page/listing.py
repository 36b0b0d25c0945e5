"""The list of conversations and its filters: what can be chosen, with how many conversations have it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.numbers import label_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.report.page.shown import Collected

_CHOICES: Final = (
    ("capability", "Capability", ("capability",), ()),
    ("category", "Category", ("category",), ()),
    ("domain", "Domain", ("domain",), ()),
    ("language", "Language of a reply", ("language",), ()),
    ("status", "Status", (), ("status", "flag", "raised", "missing")),
    ("refusal", "Refusal", (), ("refusal",)),
    ("check", "Checks", ("flip",), ("check", "fluent")),
)
"""Name, label, keys of tags, keys of tags of one arm."""

_SAID: Final = {
    ("flip", "lost"): "check lost",
    ("flip", "won"): "check won",
    ("missing", "yes"): "missing",
    ("fluent", "wrong"): "fluent but wrong",
    ("check", "fail"): "a check fails",
    ("check", "pass"): "a check passes",
    ("refusal", "any"): "any refusal",
    ("refusal", "full"): "full refusal",
    ("refusal", "partial"): "partial refusal",
    ("refusal", "unexpected"): "unexpected refusal",
    ("refusal", "expected"): "expected refusal",
    ("refusal", "missing"): "no refusal, though one is right",
    ("status", "length"): "cut off at the limit",
    ("status", "not_reached"): "not reached",
    ("status", "not_held"): "not held",
}
_SAME_AS_STATUS: Final = frozenset({("raised", "cut_off"), ("raised", "empty")})


class Option(msgspec.Struct, frozen=True):
    """One thing to choose: the tag as the address has it, what a reader sees, how many conversations have it."""

    key: str
    value: str
    label: str
    count: int


class Choice(msgspec.Struct, frozen=True):
    """One filter."""

    name: str
    label: str
    options: tuple[Option, ...]


class Listing(msgspec.Struct, frozen=True):
    """The list's filters, and how many conversations there are."""

    conversations: int
    choices: tuple[Choice, ...]


def listing(collected: Collected) -> Listing:
    """The filters that choose something: options that some conversation has."""
    counts = Counter[int]()
    for row in collected.rows:
        counts.update(set(row.tags).union(*row.turn_tags))
    choices = []
    for name, label, keys, of_arms in _CHOICES:
        wanted = [*keys, *(f"{arm.name}.{key}" for key in of_arms for arm in collected.arms)]
        options = tuple(_options(collected, counts, wanted))
        if options:
            choices.append(Choice(name, label, options))
    return Listing(len(collected.rows), tuple(choices))


def _options(collected: Collected, counts: Counter[int], keys: list[str]) -> Iterator[Option]:
    for key in keys:
        arm, _, plain = key.rpartition(".")
        for at, (found, value) in enumerate(collected.tags):
            if found != key or (plain, value) in _SAME_AS_STATUS or (plain, value) == ("status", "ok"):
                continue
            said = _SAID.get((plain, value), label_of(value))
            yield Option(key, value, f"{arm}: {said}" if arm else said, counts[at])
