"""The conversations to read first: those that prove the verdict, then those that changed most."""

from __future__ import annotations

from typing import Final

import msgspec
from tests.by_hand import checks
from tests.comparing import OVERFLOW, held
from tests.report.lettered import BAD, GOOD, suite
from tests.report.page.lettered_page import page, page_of

from multiturn.finding import FAILS_AS_REFUSAL, Assessed
from multiturn.report.page.read_first import MOST, ReadFirst, about_check, largest_changes, read_first

SUITE: Final = suite(4)
STAYS: Final = checks("", "p", "p", "p", "p")
FAILS: Final = checks("", "p", "f", "p", "p")


def pair(base: list[Assessed], tuned: list[Assessed]) -> tuple[ReadFirst, ...]:
    return read_first(page_of(SUITE, [base, tuned]))


def test_a_lost_check_comes_before_a_larger_change() -> None:
    """c0 refuses throughout, which counts for more; c1 loses one check of four."""
    base = [held(f"c{at}", *["well then"] * 5, said=STAYS) for at in range(4)]
    tuned = [
        held("c0", *["Sorry, no, " + "never " * 60] * 5, said=STAYS),
        held("c1", *["well then"] * 5, said=FAILS),
        *base[2:],
    ]
    found = pair(base, tuned)
    changes = largest_changes(page_of(SUITE, [base, tuned]))
    assert changes["c0"].score > changes["c1"].score
    assert [(one.conversation, one.place, one.flip) for one in found] == [
        ("c1", "turn 3", "lost"),
        ("c0", "turn 1", ""),
    ]
    assert found[0].href == "#c=c1&t=3"


def test_where_the_primary_measure_improved_a_won_check_proves_it() -> None:
    """In every comparison of the page."""
    assert {one.flip for one in read_first(page(BAD, GOOD))} == {"won"}
    assert {one.flip for one in read_first(page(BAD, GOOD, ("ffff",) * 12))} == {"lost"}


def test_no_more_than_fit_and_only_what_changed() -> None:
    assert len(read_first(page(GOOD, BAD))) == MOST
    assert read_first(page(GOOD, GOOD)) == ()
    assert read_first(page(GOOD)) == ()


def test_what_was_said_is_quoted_in_short() -> None:
    """Also what is not there: an empty reply, and none at all."""
    base = [held(f"c{at}", "well then", "so it is", said=STAYS[:1]) for at in range(4)]
    tuned = [held("c0", "well then", ""), held("c1", OVERFLOW, OVERFLOW), *base[2:]]
    replies = {one.conversation: one.replies[1] for one in pair(base, tuned)}
    assert {name: (one.text, one.absent) for name, one in replies.items()} == {
        "c0": ("an empty reply", True),
        "c1": ("no reply", True),
    }


def test_a_sample_is_named_where_there_are_several() -> None:
    """From 1, as the list does; the address has it too."""
    shown = page(GOOD, BAD)
    rows = [
        msgspec.structs.replace(
            row, samples=2, turn_tags=row.turn_tags * 2, proof=msgspec.structs.replace(row.proof, sample=1)
        )
        if row.proof
        else row
        for row in shown.collected.rows
    ]
    collected = msgspec.structs.replace(shown.collected, rows=tuple(rows))
    found = read_first(msgspec.structs.replace(shown, collected=collected))
    assert (found[0].place, found[0].href) == ("turn 3, sample 2", "#c=c0&t=3&s=2")


def test_of_several_comparisons_the_largest_change_counts() -> None:
    """Whichever comes first."""
    little = ("pppf", *GOOD[1:])
    for shown in (page(GOOD, little, BAD), page(GOOD, BAD, little)):
        scores = [{one.conversation: one.score for one in each.changes} for each in shown.comparisons]
        assert scores[0]["c0"] != scores[1]["c0"]
        found = largest_changes(shown)
        assert found["c0"].score == max(scores[0]["c0"], scores[1]["c0"])
        assert set(found) == {f"c{at}" for at in range(8)}, "the others did not change"


def test_a_check_is_told_by_what_it_catches_else_by_what_it_wants() -> None:
    assert about_check(FAILS_AS_REFUSAL) == "The reply is a refusal."
    assert about_check("The colour is lost.") == "The suite's note on it: The colour is lost."
    assert about_check("not: says green") == "It wants: says green"
