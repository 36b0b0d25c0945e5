"""What the checks say beside a reply in a terminal: marks that any terminal can show, and the words that decided."""

from __future__ import annotations

import io

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from tests.by_hand import checks

from multiturn.finding import Span
from multiturn.report.marks import DIFFERS, PLAIN_SIGNS, SIGNS, CheckLines, marked, signs_for


@pytest.mark.parametrize(
    ("encoding", "signs"),
    [("utf-8", SIGNS), ("utf-16", SIGNS), ("latin-1", PLAIN_SIGNS), ("ascii", PLAIN_SIGNS), ("nothing", PLAIN_SIGNS)],
)
def test_a_terminal_gets_the_marks_that_it_can_write(encoding: str, signs: dict[str, str]) -> None:
    assert signs_for(encoding) is signs


def lines(encoding: str, *, reasons: bool, now: str = "pf-", before: str = "") -> list[str]:
    """What is written to a terminal with this encoding, byte for byte."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, errors="strict")
    Console(file=file, width=60, color_system=None, legacy_windows=False).print(
        CheckLines(checks(now), reasons=reasons, before=checks(before))
    )
    file.flush()
    return raw.getvalue().decode(encoding).splitlines()


def test_each_check_has_a_line_with_why_it_does_not_pass() -> None:
    assert lines("utf-8", reasons=True) == ["✓ says 0.0", "✗ says 0.1: because of f", "~ says 0.2: because of -"]
    assert lines("utf-8", reasons=False) == ["✓ says 0.0", "✗ says 0.1", "~ says 0.2"]
    assert lines("latin-1", reasons=False) == ["pass says 0.0", "FAIL says 0.1", "n/a  says 0.2"]


def test_a_check_that_flipped_is_said_to_be_lost_or_won() -> None:
    """Of one that applied to one arm only, and of one that the other arm has not, nothing is said."""
    shown = lines("utf-8", reasons=False, now="pffpf", before="fpf-")
    assert shown == ["✓ won: says 0.0", "✗ lost: says 0.1", "✗ says 0.2", "✓ says 0.3", "✗ says 0.4"]


def test_a_long_line_goes_on_under_its_words() -> None:
    (check,) = checks("f")
    long = msgspec.structs.replace(
        check, why="Not the time that was given at the beginning of it all, but another one."
    )
    console = Console(width=40, color_system=None, file=io.StringIO(), legacy_windows=False)
    with console.capture() as capture:
        console.print(CheckLines([long], reasons=False))
    assert capture.get().splitlines() == [
        "✗ Not the time that was given at the",
        "  beginning of it all, but another one.",
    ]


def test_a_check_that_fails_is_told_by_what_that_means() -> None:
    """Where the suite says so, in its words; the reason stands behind, cut where it is long."""
    (failed,) = checks("f")
    reason = msgspec.structs.replace(failed.result, reason="does not say " + "x" * 99)
    meant = msgspec.structs.replace(failed, why="Not the time that was given.", result=reason)
    console = Console(width=200, color_system=None, file=io.StringIO(), legacy_windows=False)
    with console.capture() as capture:
        console.print(CheckLines([meant], reasons=True))
        console.print(CheckLines([meant], reasons=False))
    long, short = capture.get().splitlines()
    assert long.endswith(f"Not the time that was given. (does not say {'x' * 64}...)")
    assert short.endswith(" Not the time that was given.")


def span(start: int, end: int) -> Span:
    return Span(start, end, "")


@pytest.mark.parametrize(
    ("marks", "styled"),
    [
        ([], []),
        ([(span(2, 4), "red")], [("cd", "red")]),
        ([(span(0, 6), "red")], [("abcdef", "red")]),
        ([(span(0, 2), "red"), (span(4, 6), "green")], [("ab", "red"), ("ef", "green")]),
        ([(span(0, 4), "red"), (span(2, 6), "green")], [("ab", "red"), ("cd", "red"), ("ef", "green")]),
        ([(span(3, 3), "red")], []),
        ([(span(4, 99), "red"), (span(50, 60), "green")], [("ef", "red")]),
    ],
)
def test_the_words_that_decided_are_marked_in_the_reply(
    marks: list[tuple[Span, str]], styled: list[tuple[str, str]]
) -> None:
    """The text is whole; where two overlap the first one shows; what lies outside the reply marks nothing."""
    found = marked("abcdef", marks)
    assert found.plain == "abcdef"
    assert [(found.plain[one.start : one.end], one.style) for one in found.spans] == styled


@pytest.mark.parametrize(
    ("differing", "marks", "styled"),
    [
        ([], [], []),
        ([(1, 3)], [], [("bc", DIFFERS)]),
        ([(0, 1), (3, 6)], [], [("a", DIFFERS), ("def", DIFFERS)]),
        ([(1, 5)], [(2, 4)], [("b", DIFFERS), ("cd", f"red {DIFFERS}"), ("e", DIFFERS)]),
        (
            [(1, 2), (3, 5)],
            [(0, 4)],
            [("a", "red"), ("b", f"red {DIFFERS}"), ("c", "red"), ("d", f"red {DIFFERS}"), ("e", DIFFERS)],
        ),
        ([(0, 6)], [(0, 6)], [("abcdef", f"red {DIFFERS}")]),
    ],
)
def test_words_that_differ_are_marked_beside_those_that_decided(
    differing: list[tuple[int, int]], marks: list[tuple[int, int]], styled: list[tuple[str, str]]
) -> None:
    """What differs is underlined, whatever colour it has."""
    found = marked("abcdef", [(span(*one), "red") for one in marks], differing)
    assert found.plain == "abcdef"
    assert [(found.plain[one.start : one.end], one.style) for one in found.spans] == styled


@given(
    reply=st.text("ab \n", max_size=30),
    edges=st.lists(st.integers(0, 30), unique=True, max_size=10),
    marks=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=4),
)
def test_each_letter_is_marked_as_it_should_be(reply: str, edges: list[int], marks: list[tuple[int, int]]) -> None:
    """One by one: the first mark that holds it, and whether it differs."""
    differing = [(start, end) for start, end in zip(*[iter(sorted(edges))] * 2, strict=False)]
    given_marks = [(span(*sorted(one)), f"c{at}") for at, one in enumerate(marks)]
    found = marked(reply, given_marks, differing)
    assert found.plain == reply
    for at in range(len(reply)):
        colour = next((style for mark, style in given_marks if mark.start <= at < mark.end), "")
        differs = any(start <= at < end for start, end in differing)
        wanted = f"{colour} {DIFFERS}".strip() if differs else colour
        assert [str(one.style) for one in found.spans if one.start <= at < one.end] == ([wanted] if wanted else [])


def test_marks_do_not_move_with_what_a_terminal_can_not_show() -> None:
    """Offsets are those of the stored text; control characters are shown, not sent."""
    found = marked("\x1b[2J\u200bhere", [(span(5, 9), "red")])
    assert found.plain == "␛[2Jhere"
    assert [found.plain[one.start : one.end] for one in found.spans] == ["here"]
