"""Two transcripts of one conversation in a terminal: beside each other or above, with what flipped and what differs."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.by_hand import checks, failed, held, ok, refusals
from tests.report.terminal import lines, shown

from multiturn.conversation import Conversation, Turn
from multiturn.finding import Assessed
from multiturn.report.side_by_side import WIDE, SideBySide
from multiturn.results import Change

NAMES = ("demo:base (r1)", "demo:tuned (r2)")
BASE = held("c1", (ok(0, "Fine."), ok(1, "At six.")), said=checks("", "pf"))
TUNED = held("c1", (ok(0, "Well."), ok(1, "At 5:45.")), said=checks("", "fp"))


def page(first: Assessed | None, second: Assessed | None, conversation: Conversation | None = None) -> SideBySide:
    return SideBySide((first, second), NAMES, conversation)


def with_system(assessed: Assessed, system: str | None) -> Assessed:
    transcript = msgspec.structs.replace(assessed.transcript, system=system)
    return msgspec.structs.replace(assessed, transcript=transcript)


def underlined(what: SideBySide, width: int = 80) -> list[str]:
    """The words that are marked as differing, in order; the head has an underlined line of its own."""
    text = shown(what, width=width, colours=True)
    return re.findall(r"\x1b\[(?:[0-9;]*;)?4(?:;[0-9;]*)?m([^\x1b]*)\x1b", text)[1:]


def test_a_narrow_terminal_shows_base_above_tuned() -> None:
    """The user's words once, each reply with its arm's name in front and its checks below; what flipped is said."""
    assert shown(page(BASE, TUNED)).splitlines() == [
        "c1",
        "base: demo:base (r1)",
        "tuned: demo:tuned (r2)",
        "",
        "user 1: u",
        "base: Fine.",
        "tuned: Well.",
        "",
        "user 2: u",
        "base: At six.",
        "  ✓ says 1.0",
        "  ✗ says 1.1",
        "tuned: At 5:45.",
        "  ✗ lost: says 1.0",
        "  ✓ won: says 1.1",
    ]


def test_a_wide_terminal_shows_them_side_by_side() -> None:
    found = [[part.strip() for part in line.split("│")] for line in lines(page(BASE, TUNED), width=WIDE) if "│" in line]
    assert found == [
        ["base: Fine.", "tuned: Well."],
        ["base: At six.", "tuned: At 5:45."],
        ["✓ says 1.0", "✗ lost: says 1.0"],
        ["✗ says 1.1", "✓ won: says 1.1"],
    ]
    assert "│" not in shown(page(BASE, TUNED), width=WIDE - 1)


def test_above_it_stands_why_to_read_it_and_what_changed() -> None:
    conversation = Conversation(id="c1", turns=(Turn(text="u"),), why="It shows that.", category="math", domain="food")
    change = Change(conversation="c1", score=1, reasons=("1 of 2 checks stopped passing", "replies 2.0 times longer"))
    assert lines(SideBySide((BASE, TUNED), NAMES, conversation, change))[:6] == [
        "c1",
        "why: It shows that.",
        "math / food",
        "changed: 1 of 2 checks stopped passing; replies 2.0 times longer",
        "base: demo:base (r1)",
        "tuned: demo:tuned (r2)",
    ]


def test_samples_are_told_apart() -> None:
    second = held("c1", (ok(0),), sample=1)
    assert lines(page(second, second))[0] == "c1 (sample 2)"


def test_a_refusal_is_marked_as_in_a_single_transcript() -> None:
    conversation = Conversation(id="c1", turns=(Turn(text="u", refusal_expected=False),))
    found = lines(page(held("c1", (ok(0, "Sure."),)), held("c1", (ok(0, "No."),), refusals("x")), conversation))
    assert found[-2:] == ["base: Sure.", "tuned: No.  [full refusal, unexpected]"]


def test_what_an_arm_did_not_reply_is_told() -> None:
    """A turn that was lost, one that was never held, and a conversation that only one arm has."""
    assert lines(page(BASE, held("c1", (failed(0),))))[-6:] == [
        "tuned: (no reply: failed: no reply)  [missing, by no doing of the model]",
        "user 2: u",
        "base: At six.",
        "  ✓ says 1.0",
        "  ✗ says 1.1",
        "tuned: (not held)",
    ]
    assert lines(page(None, TUNED))[3:6] == ["user 1: u", "base: (not held)", "tuned: Well."]
    assert lines(page(BASE, None))[3:6] == ["user 1: u", "base: Fine.", "tuned: (not held)"]
    with pytest.raises(ValueError, match="neither"):
        page(None, None)


def test_one_system_prompt_is_told_once_and_two_are_told_apart() -> None:
    same = page(with_system(BASE, "Be brief."), with_system(TUNED, "Be brief."))
    assert [line for line in lines(same) if "system" in line] == ["system: Be brief."]
    two = page(with_system(BASE, "Be brief."), with_system(TUNED, None))
    assert [line for line in lines(two) if "system" in line] == ["system: Be brief.", "system: (none)"]
    (row,) = [line for line in lines(two, width=120) if "system" in line]
    assert [part.strip() for part in row.split("│")] == ["system: Be brief.", "system: (none)"]
    assert "system" not in shown(page(BASE, TUNED))


def test_users_who_said_different_things_stand_over_the_replies_to_them() -> None:
    """As after a replay."""
    first, second = (
        held("c1", (msgspec.structs.replace(ok(0, "Hi."), user=user),)) for user in ("left or right", "left or wrong")
    )
    found = ["user 1: left or right", "base: Hi.", "user 1: left or wrong", "tuned: Hi.  [the same words]"]
    assert lines(page(first, second))[3:] == found
    assert underlined(page(first, second)) == ["right", "wrong"]


def test_words_that_differ_are_underlined_where_there_is_colour() -> None:
    """In both layouts; of replies that have hardly a word in common nothing is, for it would be everything."""
    first = held("c1", (ok(0, "Your train leaves at 5:45 from platform 3."),), said=checks("p"))
    second = held("c1", (ok(0, "Your train leaves at 6:45 from platform 3."),), said=checks("f"))
    assert underlined(page(first, second)) == underlined(page(first, second), 200) == ["5:45", "6:45"]
    assert "\x1b" not in shown(page(first, second))
    other = held("c1", (ok(0, "I'm sorry, but nobody can say how this is to be done today."),))
    assert underlined(page(first, other)) == []


def test_the_same_words_are_said_to_be_the_same() -> None:
    """A reader without colours would have to compare them letter by letter."""
    found = lines(page(BASE, BASE))
    assert [line for line in found if "[the same words]" in line] == [
        "tuned: Fine.  [the same words]",
        "tuned: At six.  [the same words]",
    ]
    assert "[the same words]" not in shown(page(BASE, TUNED))


HOSTILE = st.text(
    st.sampled_from("ab  \n\t日本😀👩\u200d\u200b\ufe0f\u202e\u2066\x1b\x07\x08\r\x9b\x7fم\u0301\ufeff│[]é"),
    max_size=60,
)
DANGER = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


@given(first=HOSTILE, second=HOSTILE, width=st.integers(20, 130))
def test_whatever_is_said_does_no_harm_and_nothing_is_cut_off(first: str, second: str, width: int) -> None:
    """No line is wider than the terminal, and no letter is lost, in any width."""
    both = SideBySide((held("c1", (ok(0, first),)), held("c1", (ok(0, second),))), (second[:9], first[:9]), None)
    found = shown(both, width=width)
    assert not DANGER.search(found)
    assert max(map(cell_len, found.split("\n"))) <= width
    for letter in "ab日本😀é[]":
        assert found.count(letter) >= (first + second).count(letter)


@pytest.mark.parametrize("width", [80, 120])
def test_a_megabyte_in_one_word_is_shown_whole(width: int) -> None:
    first, second = held("c1", (ok(0, "x" * 10**6),)), held("c1", (ok(0, "y" * 10**6),))
    found = shown(page(first, second), width=width)
    assert (found.count("x"), found.count("y")) == (10**6, 10**6)
