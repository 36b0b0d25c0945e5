"""Fluent but wrong: how many there are in each arm, and the first of them."""

from __future__ import annotations

from typing import Final

import msgspec
from tests.report.lettered import BAD, GOOD
from tests.report.page.lettered_page import page

from multiturn.report.page.fluent import MOST, FluentPart, fluent_part
from multiturn.report.page.reach import Reach
from multiturn.report.page.shown import Page

FELL: Final = page(GOOD, BAD)


def part(shown: Page) -> FluentPart:
    return fluent_part(shown.collected, Reach(shown.collected))


def test_each_arm_has_its_count_and_the_way_to_all_of_them() -> None:
    """By hand: base fails 12 checks in 8 conversations, tuned 36 in 12."""
    assert [(one.arm.name, one.told.text, one.told.href) for one in part(FELL).arms] == [
        ("base", "12 replies in 8 conversations", "#list?base.fluent=wrong"),
        ("tuned", "36 replies in 12 conversations", "#list?tuned.fluent=wrong"),
    ]


def test_the_first_ones_are_shown_those_of_lost_checks_first() -> None:
    found = part(FELL)
    assert len(found.replies) == MOST
    assert found.more == 48 - MOST
    assert all(one.lost for one in found.replies), "there are more lost ones than are shown"
    first = found.replies[0]
    assert (first.arm, first.at, first.conversation, first.place) == ("tuned", 1, "c0", "turn 3")
    assert (first.href, first.what, first.reply) == ("#c=c0&t=3", "It wants: says 2.0", "a a a a")


def test_what_base_fails_too_is_not_called_lost() -> None:
    """Tuned's come first: it is what the page is about; base's are shown where there is room."""
    found = part(page(BAD, BAD))
    assert {one.lost for one in found.replies} == {False}
    assert {one.arm for one in found.replies} == {"tuned"}
    few = part(page(("ffff", "pppp"), ("fppp", "pppp")))
    assert [one.arm for one in few.replies] == ["tuned", *["base"] * 4]


def test_none_is_said_to_be_none() -> None:
    """Where all checks pass, and where something else is raised with each that fails: then nothing is fluent."""
    found = part(page(("pppp",) * 4, ("pppp",) * 4))
    assert (found.checked, found.replies, found.more) == (True, (), 0)
    assert [one.told.text for one in found.arms] == ["none", "none"]


def test_a_suite_without_checks_can_have_none() -> None:
    assert not part(page(GOOD, BAD, checked=False)).checked
    assert not part(page(GOOD, checked=False)).checked


def test_of_one_arm_nothing_is_lost() -> None:
    found = part(page(GOOD))
    assert [one.told.text for one in found.arms] == ["12 replies in 8 conversations"]
    assert {one.lost for one in found.replies} == {False}


def test_a_sample_is_named_where_there_are_several() -> None:
    rows = tuple(msgspec.structs.replace(row, samples=2, turn_tags=row.turn_tags * 2) for row in FELL.collected.rows)
    fluent = tuple(msgspec.structs.replace(one, sample=1) for one in FELL.collected.fluent)
    collected = msgspec.structs.replace(FELL.collected, rows=rows, fluent=fluent)
    assert part(msgspec.structs.replace(FELL, collected=collected)).replies[0].place == "turn 3, sample 2"
