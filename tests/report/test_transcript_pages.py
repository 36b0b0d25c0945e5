"""A transcript as a reader sees it in a terminal: each reply with how it ended and what its checks say."""

from __future__ import annotations

import pytest
from tests.by_hand import checks, failed, held, ok, overflowed, refusals, unreached
from tests.report.terminal import lines, shown

from multiturn.conversation import Conversation, Turn
from multiturn.finding import Checked, CheckResult, Outcome, Signal, Span
from multiturn.report.transcripts import transcript_text
from multiturn.transcript import TurnRecord

TWO = held("c1", (ok(0, "Fine."), ok(1, "At six.")), said=checks("", "pf"))


def test_each_reply_is_followed_by_its_checks() -> None:
    """A turn without checks by nothing; turns are numbered as everywhere else."""
    assert shown(transcript_text(TWO, None)).splitlines() == [
        "c1",
        "",
        "user 1: u",
        "model: Fine.",
        "",
        "user 2: u",
        "model: At six.",
        "  ✓ says 1.0",
        "  ✗ says 1.1: because of f",
    ]


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (failed(0), "(no reply: failed: no reply)  [missing, by no doing of the model]"),
        (unreached(0), "(no reply: not reached)  [missing, by no doing of the model]"),
        (overflowed(0), "(no reply: the context window is full: too long)"),
        (TurnRecord(turn=0, user="u", status="not_reached", cause="model"), "(no reply: not reached)"),
        (TurnRecord(turn=0, user="u", status="length", reply="And so"), "And so  [cut off at the limit]"),
        (TurnRecord(turn=0, user="u", status="length", reply=""), "(empty reply)  [cut off at the limit]"),
        (TurnRecord(turn=0, user="u", status="ok", reply="Hi", flags=("run_on",)), "Hi  [run on]"),
        (ok(0, ""), "(empty reply)"),
    ],
)
def test_how_a_turn_ended_is_told_and_whose_doing_it_was(record: TurnRecord, told: str) -> None:
    assert lines(transcript_text(held("c1", (record,)), None))[-1] == f"model: {told}"


@pytest.mark.parametrize(
    ("expected", "refused", "told"),
    [
        (None, "x", "Well then.  [full refusal]"),
        (False, "x", "Well then.  [full refusal, unexpected]"),
        (True, "x", "Well then.  [full refusal, expected]"),
        (True, "-", "Well then.  [no refusal, though one is right]"),
        (False, "-", "Well then."),
    ],
)
def test_a_refusal_is_told_and_whether_it_is_right(expected: bool | None, refused: str, told: str) -> None:  # noqa: FBT001
    conversation = Conversation(id="c1", turns=(Turn(text="u", refusal_expected=expected),))
    page = lines(transcript_text(held("c1", (ok(0),), refusals(refused)), conversation))
    assert page[-1] == f"model: {told}"


def test_a_reply_that_was_lost_says_that_its_checks_do_not_apply() -> None:
    page = lines(transcript_text(held("c1", (failed(0),), said=checks("-")), None))
    assert page[-1] == "  ~ says 0.0: because of -"


def test_the_words_that_decided_are_marked_and_a_failure_before_a_pass() -> None:
    """A refusal's own words stay marked as such."""

    def check(number: int, outcome: Outcome, start: int, end: int) -> Checked:
        result = CheckResult(outcome=outcome, reason="r", span=Span(start, end, ""))
        return Checked(turn=0, check=number, kind="says", wants="w", result=result)

    both = (check(0, "pass", 0, 6), check(1, "fail", 3, 6))
    page = shown(transcript_text(held("c1", (ok(0, "At six pm."),), said=both), None), colours=True)
    assert "\x1b[32mAt \x1b[0m\x1b[1;31msix\x1b[0m pm." in page
    refusal = Signal(name="refusal", turn=0, value=1, unit="flag", label="full", span=Span(0, 2, "At"))
    page = shown(transcript_text(held("c1", (ok(0, "At six pm."),), (refusal,)), None), colours=True)
    assert "\x1b[1;31mAt\x1b[0m six pm." in page


def test_a_line_ends_with_its_last_letter() -> None:
    """Blanks that fill it up would be empty lines in a narrower terminal."""
    page = shown(transcript_text(held("c1", (ok(0, "word " * 40),), said=checks("p")), None))
    assert len(page.splitlines()) > 5
    assert all(line == line.rstrip() for line in page.splitlines())
