"""Transcripts as a reader sees them: each reply with what its checks say, alone and side by side."""

from __future__ import annotations

import io

from rich.console import Console
from tests.by_hand import checks, failed, held, ok

from multiturn.finding import Assessed, Checked, CheckResult, Outcome, Signal, Span
from multiturn.report.transcripts import side_by_side, transcript_text


def shown(renderable: object, *, width: int = 80, colours: bool = False) -> str:
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        color_system="standard" if colours else None,
        force_terminal=colours,
        legacy_windows=False,
    )
    console.print(renderable)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines() if line.strip())


TWO = held("c1", (ok(0, "Fine."), ok(1, "At six.")), said=checks("", "pf"))


def test_each_reply_is_followed_by_its_checks() -> None:
    """A turn without checks by nothing."""
    assert shown(transcript_text(TWO, None)).splitlines() == [
        "c1",
        "user: u",
        "model: Fine.",
        "user: u",
        "model: At six.",
        "  ✓ says 1.0",
        "  ✗ says 1.1: because of f",
    ]


def test_a_reply_that_was_lost_says_that_its_checks_do_not_apply() -> None:
    page = shown(transcript_text(held("c1", (failed(0),), said=checks("-")), None))
    assert "(no reply: failed: no reply)" in page
    assert "  ~ says 0.0: because of -" in page


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


def test_side_by_side_each_reply_has_its_own_marks() -> None:
    other: Assessed = held("c1", (ok(0, "Well."), ok(1, "At 5:45.")), said=checks("", "pp"))
    page = shown(side_by_side((TWO, other), ("one", "two"), None), width=60).splitlines()
    (first,) = [line for line in page if "says 1.0" in line]
    (second,) = [line for line in page if "says 1.1" in line]
    assert first.split() == ["│", "✓", "says", "1.0", "│", "✓", "says", "1.0", "│"]
    assert second.split() == ["│", "✗", "says", "1.1", "│", "✓", "says", "1.1", "│"]


def test_side_by_side_a_turn_that_only_one_has_is_shown() -> None:
    short = held("c1", (ok(0, "Well."),))
    page = shown(side_by_side((TWO, short), ("one", "two"), None), width=60)
    assert "(not held)" in page
    assert "✗ says 1.1" in page
