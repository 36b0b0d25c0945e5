"""Regular expressions of RE2: regex."""

from __future__ import annotations

import time

import msgspec
import pytest
from tests.checks.asking import ask

from multiturn.checks.reading import read_check
from multiturn.conversation import CheckJson


@pytest.mark.parametrize(
    ("fields", "reply", "outcome", "span"),
    [
        ({"pattern": r"[A-Z]{2}-\d{4}"}, "Your code is AB-1234.", "pass", "AB-1234"),
        ({"pattern": r"[A-Z]{2}-\d{4}"}, "Your code is ab-1234.", "fail", None),
        ({"pattern": r"[a-z]{2}-\d{4}", "ignore_case": True}, "Your code is AB-1234.", "pass", "AB-1234"),
        ({"pattern": r"ÄB", "ignore_case": True}, "x äb", "pass", "äb"),
        ({"pattern": r"^Dear"}, "Dear Mira", "pass", "Dear"),
        ({"pattern": r"^Mira"}, "Dear\nMira", "fail", None),
        ({"pattern": r"(?m)^Mira$"}, "Dear\nMira\n", "pass", "Mira"),
        ({"pattern": r"\*\*bold\*\*"}, "a **bold** word", "pass", "**bold**"),
        ({"pattern": r"don't"}, "I don’t", "fail", None),
        ({"pattern": r"\pL+ß"}, "die Großß", "pass", "Großß"),
        ({"pattern": r"\p{Han}{2}"}, "我在北京。", "pass", "我在"),
        ({"pattern": r"[а-яё]{4,}"}, "в пятницу", "pass", "пятницу"),
        ({"pattern": r"ですか"}, "何ですか？", "pass", "ですか"),
        ({"pattern": r"TODO", "absent": True}, "All done.", "pass", None),
        ({"pattern": r"TODO", "absent": True}, "TODO: the rest", "fail", "TODO"),
        ({"pattern": r"x", "scope": "code"}, "x `y`", "fail", None),
        ({"pattern": r"é"}, "\ud800 é", "pass", "é"),
    ],
)
def test_the_text_is_matched_as_it_stands(
    fields: dict[str, object], reply: str, outcome: str, span: str | None
) -> None:
    """Letter case, quotes and markup count; the span is in characters, not in bytes."""
    found = ask({"kind": "regex", **fields}, reply)
    assert (found.outcome, found.span.text if found.span else None) == (outcome, span)
    assert found.span is None or reply[found.span.start : found.span.end] == span


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("", "pattern is empty"),
        ("(?=a)b", "pattern is none that RE2 knows: invalid perl operator: (?="),
        (r"(a)\1", "pattern is none that RE2 knows: invalid escape sequence"),
        ("(", "pattern is none that RE2 knows: missing ): ("),
        ("a{2000}", "pattern is none that RE2 knows: invalid repetition size"),
        ("a*", "pattern matches the empty text too"),
        ("a" * 1001, "pattern is longer than 1000 characters"),
    ],
)
def test_faults_name_their_field(pattern: str, fault: str) -> None:
    """With what RE2 says; a pattern that is met by anything asks for nothing."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        read_check(CheckJson(msgspec.json.encode({"kind": "regex", "pattern": pattern})))
    assert str(caught.value).startswith(fault)


def test_nothing_of_re2_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """The fault says all."""
    with pytest.raises(ValueError, match="RE2"):
        read_check(CheckJson(b'{"kind": "regex", "pattern": "[z-a]"}'))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("absent", [True, False])
def test_only_a_pattern_that_must_be_there_is_positive(absent: bool) -> None:  # noqa: FBT001 - a column
    """A reply about something else passes the other."""
    written = CheckJson(msgspec.json.encode({"kind": "regex", "pattern": "a", "absent": absent}))
    assert read_check(written).positive is not absent


@pytest.mark.parametrize(
    ("pattern", "piece"),
    [("(a+)+$", "a"), ("(a|a)*b", "a"), (r"(\s+)+x", " "), ("(.*)(.*)(.*)y", "word "), ("(?:a?){99}a{99}b", "a")],
)
def test_time_grows_with_the_length_only(pattern: str, piece: str) -> None:
    """A million characters for the patterns that others take for ever on."""
    text = piece * (1_000_000 // len(piece)) + "c"
    start = time.perf_counter()
    assert ask({"kind": "regex", "pattern": pattern}, text).outcome == "fail"
    assert time.perf_counter() - start < 20
