"""Tags in words: every tag that a transcript can have says something a reader knows."""

from __future__ import annotations

from typing import Final, get_args

import pytest

from multiturn.report.page.shown import ShownArm
from multiturn.report.page.tag_words import of_arm, option_words, short_words, words
from multiturn.signals.kinds import SIGNALS
from multiturn.transcript import Flag, Status

NAMES: Final = ("base", "tuned", "arm 3")
ARMS: Final = tuple(ShownArm(name=name, label=name, run=name) for name in NAMES)
PAIR, ONE = ARMS[:2], (ShownArm(name="model", label="m", run="r"),)


@pytest.mark.parametrize(
    ("tag", "option", "whole"),
    [
        (("capability", "context_retention"), "context retention", "capability: context retention"),
        (("domain", "market trade"), "market trade", "domain: market trade"),
        (("language", "de"), "de", "language: de"),
        (("turn", "3"), "turn 3", "turn 3"),
        (("distance", "1"), "reaches back 1 turn", "reaches back 1 turn"),
        (("distance", "3"), "reaches back 3 turns", "reaches back 3 turns"),
        (("distance", "4+"), "reaches back 4 or more turns", "reaches back 4 or more turns"),
        (("flip", "lost"), "base passes, tuned fails", "check: base passes, tuned fails"),
        (("flip", "won"), "base fails, tuned passes", "check: base fails, tuned passes"),
        (("moved", "collapse"), "ends in a loop, in one arm only", "ends in a loop, in one arm only"),
        (("tuned.refusal", "unexpected"), "tuned: unexpected refusal", "tuned: unexpected refusal"),
        (("base.status", "length"), "base: cut off at the limit", "base: cut off at the limit"),
        (("tuned.grade", "high"), "tuned: rated 8 or more", "tuned: rated 8 or more"),
        (("base.grade", "none"), "base: not rated by all judges", "base: not rated by all judges"),
        (("preferred", "tuned"), "a judge prefers tuned", "a judge prefers tuned"),
        (("preferred", "tie"), "a judge sees a tie", "a judge sees a tie"),
        (("preferred_whole", "base"), *["a judge prefers base, the whole conversation"] * 2),
        (("tuned.raised", "of_ones_own"), "tuned: of ones own", "tuned: of ones own"),
    ],
)
def test_what_a_tag_says(tag: tuple[str, str], option: str, whole: str) -> None:
    """Beside its filter, and by itself."""
    assert option_words(tag, PAIR) == option
    assert words(tag, PAIR) == whole


def test_one_arm_is_not_named_and_of_three_any_may_fail() -> None:
    assert words(("model.refusal", "any"), ONE) == "any refusal"
    assert words(("arm 3.refusal", "any"), ARMS) == "arm 3: any refusal"
    assert short_words(("flip", "lost"), ARMS) == "base passes, another fails"
    assert of_arm(("arm 3.refusal", "any")) == ("arm 3", "refusal")
    assert of_arm(("turn", "3")) == ("", "turn")


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("status", [*get_args(Status), "not_held"]),
        ("flag", get_args(Flag)),
        ("raised", [one.name for one in SIGNALS if one.unit == "flag"]),
        ("moved", [one.name for one in SIGNALS if one.unit == "flag"]),
        ("refusal", ["any", "full", "partial", "none", "unexpected", "expected", "missing"]),
        ("check", ["pass", "fail"]),
        ("fluent", ["wrong"]),
        ("missing", ["yes"]),
    ],
)
def test_nothing_is_shown_by_its_name_in_the_code(key: str, values: list[str]) -> None:
    """Each value that there is has words of its own; no two of one key say the same."""
    said = [short_words((f"base.{key}", value), PAIR) for value in values]
    assert len(set(said)) == len(values)
    assert not [one for one in said if "_" in one]
    as_named = {value for value, one in zip(values, said, strict=True) if one == value.replace("_", " ")}
    assert as_named <= {"failed", "not_reached", "not_held", "refusal"}
