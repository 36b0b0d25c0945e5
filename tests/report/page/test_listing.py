"""The list's filters and orders: only what chooses something, with how many conversations it finds."""

from __future__ import annotations

from collections import Counter

import msgspec
from tests.comparing import held, suite
from tests.report.page.filled import page_of

from multiturn.report.page.collect import Collector
from multiturn.report.page.listing import BY_NAME, CHANGED, FAILED, OF_SUITE, Choice, listing
from multiturn.report.page.shown import Collected, ShownArm

FOUR = [
    {"id": "a", "category": "writing", "domain": "Zoo", "language": "en"},
    {"id": "b", "category": "math", "domain": "arms", "language": "de"},
    {"id": "c", "category": "math", "domain": "Bees", "language": "en"},
    {"id": "d", "category": "math", "domain": "arms", "language": "en"},
]


def collected(arms: int) -> Collected:
    return page_of(FOUR, arms=arms).collected


def by_name(choices: tuple[Choice, ...]) -> dict[str, list[tuple[str, str, int]]]:
    return {one.name: [(option.link, option.label, option.count) for option in one.options] for one in choices}


def test_each_filter_has_what_some_conversation_has() -> None:
    """In alphabetical order, each with how many conversations have it in some turn."""
    found = by_name(listing(collected(2)).choices)
    assert found["category"] == [("#list?category=math", "math", 3), ("#list?category=writing", "writing", 1)]
    assert [label for _, label, _ in found["domain"]] == ["arms", "Bees", "Zoo"]
    assert found["language"] == [("#list?language=de", "de", 1), ("#list?language=en", "en", 3)]
    assert found["refusal"] == [
        ("#list?base.refusal=none", "base: no refusal", 4),
        ("#list?tuned.refusal=any", "tuned: any refusal", 4),
        ("#list?tuned.refusal=full", "tuned: full refusal", 4),
        ("#list?tuned.refusal=none", "tuned: no refusal", 4),
        ("#list?tuned.refusal=unexpected", "tuned: unexpected refusal", 4),
    ]
    assert ("#list?flip=lost", "base passes, tuned fails", 4) in found["check"]
    assert ("#list?base.status=length", "base: cut off at the limit", 4) in found["status"]
    assert ("#list?tuned.missing=yes", "tuned: missing", 4) in found["status"]
    assert Counter(count for options in found.values() for *_, count in options)[0] == 0


def test_what_nearly_all_have_is_no_choice() -> None:
    """That a reply ended by itself, that a check passes; and nothing is offered twice under two names."""
    links = [link for options in by_name(listing(collected(2)).choices).values() for link, *_ in options]
    assert not [
        link for link in links if link.endswith((".status=ok", ".check=pass", ".raised=cut_off", ".raised=empty"))
    ]
    assert len(links) == len(set(links))


def test_a_filter_without_options_is_left_out() -> None:
    """Of a suite that says nothing of its conversations only what the replies are is left."""
    arms = tuple(ShownArm(name=name, label=name, run=name) for name in ("base", "tuned"))
    collector = Collector(suite(1), arms, (1, 1))
    for arm in (0, 1):
        assert len(list(collector.watch(arm, [held("c0", "a", "b")]))) == 1
    assert [one.name for one in listing(collector.collected()).choices] == ["refusal"]


def test_of_one_arm_nothing_changed() -> None:
    """The list begins with what fails most, or where nothing is checked with the suite's order; options name no arm."""
    one = collected(1)
    assert listing(one).orders == (FAILED, OF_SUITE, BY_NAME)
    assert ("#list?model.status=length", "cut off at the limit", 4) in by_name(listing(one).choices)["status"]
    unchecked = msgspec.structs.replace(
        one, rows=tuple(msgspec.structs.replace(row, passed=(0,), applied=(0,)) for row in one.rows)
    )
    assert listing(unchecked).orders == (OF_SUITE, BY_NAME)
    assert listing(collected(2)).orders == listing(collected(3)).orders == (CHANGED, OF_SUITE, BY_NAME)
    assert listing(collected(3)).conversations == 4
