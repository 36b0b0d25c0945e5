"""What the script knows of the conversations: rows in the list's order, with what is shown made harmless."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.report.page.filled import page_of

from multiturn.report.page.index import index
from multiturn.report.page.shown import Page
from multiturn.results import Change

NAMES = ["a", "b", "c", "d"]


def page(arms: int) -> Page:
    return page_of([{"id": name} for name in NAMES], arms=arms)


def read(of: Page) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(index(of))
    return found


def changed(of: Page, *scores: dict[str, float]) -> Page:
    """The same page, whose comparisons say that conversations changed so much."""
    comparisons = tuple(
        msgspec.structs.replace(
            one,
            changes=tuple(
                Change(conversation=name, score=score, reasons=(f"{name} by {score}",), flips=())
                for name, score in changes.items()
            ),
        )
        for one, changes in zip(of.comparisons, scores, strict=True)
    )
    return msgspec.structs.replace(of, comparisons=comparisons)


def test_the_most_changed_stand_first() -> None:
    """What did not change, or was not held by both, stands last, in the order of the suite."""
    rows = read(changed(page(2), {"b": 1.5, "d": 7.0}))["rows"]
    assert [row["id"] for row in rows] == ["d", "b", "a", "c"]
    assert [row["suite"] for row in rows] == [3, 1, 0, 2]
    assert [row.get("why") for row in rows] == [["d by 7.0"], ["b by 1.5"], None, None]
    assert not any("arm" in row for row in rows), "of two arms it is clear which one changed"


def test_of_several_comparisons_the_largest_change_counts() -> None:
    """And the row says which arm that is."""
    rows = read(changed(page(3), {"a": 1.0, "b": 2.0}, {"a": 3.0, "c": 0.5}))["rows"]
    assert [(row["id"], row.get("arm")) for row in rows] == [
        ("a", "arm 3"),
        ("b", "arm 2"),
        ("c", "arm 3"),
        ("d", None),
    ]
    assert rows[0]["why"] == ["a by 3.0"]


def test_one_arm_is_sorted_by_checks_that_fail() -> None:
    """How many, not which share."""
    of = page(1)
    numbers = {"a": (3, 3), "b": (5, 9), "c": (0, 2), "d": (7, 9)}
    rows = tuple(
        msgspec.structs.replace(row, passed=(numbers[row.id][0],), applied=(numbers[row.id][1],))
        for row in of.collected.rows
    )
    of = msgspec.structs.replace(of, collected=msgspec.structs.replace(of.collected, rows=rows))
    assert [row["id"] for row in read(of)["rows"]] == ["b", "c", "d", "a"]


def test_places_are_told_from_one_and_the_proof_in_short() -> None:
    """Of one sample the sample is left out; a page of one arm has no proof."""
    (row, *_) = read(page(2))["rows"]
    assert (row["turn"], row.get("sample"), row["what"]) == (1, None, "The colour is lost.")
    assert "turn" not in read(page(1))["rows"][0]


def test_what_a_won_check_means_is_not_what_went_wrong() -> None:
    """The suite says what it means that a check fails, and here it passes."""
    of = page(2)
    lost = of.collected.tags.index(("flip", "lost"))
    tags = tuple(("flip", "won") if at == lost else tag for at, tag in enumerate(of.collected.tags))
    won = msgspec.structs.replace(of, collected=msgspec.structs.replace(of.collected, tags=tags))
    assert read(of)["rows"][0]["what"]
    assert "what" not in read(won)["rows"][0]


def test_a_tag_says_whether_it_is_of_a_whole_conversation() -> None:
    """Which decides what must hold of one turn."""
    tags = read(page(2))["tags"]
    assert {tag["key"] for tag in tags if tag.get("whole")} == {"category", "domain", "pattern"}
    assert {(tag["key"], tag["words"]) for tag in tags} >= {("category", "category: writing"), ("turn", "turn 2")}


@pytest.mark.parametrize("odd", ["left\u202eright", "bell\x07", "two\u2028lines"])
def test_what_is_shown_is_harmless_and_what_addresses_hold_is_as_it_was(odd: str) -> None:
    """Ids and tags are found by what they are."""
    found = read(page_of([{"id": odd, "domain": odd, "check_why": odd}]))
    (row,) = found["rows"]
    assert row["id"] == odd
    (domain,) = (tag for tag in found["tags"] if tag["key"] == "domain")
    assert domain["value"] == odd
    for shown in (row["name"], row["what"], domain["short"], domain["words"]):
        assert odd not in shown
        assert shown
