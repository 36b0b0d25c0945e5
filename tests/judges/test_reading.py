"""Preferences, labels, and whole replies of judges; whatever the text, something is said of it."""

from __future__ import annotations

import re
from typing import Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.judges.deciding import Asked
from multiturn.judges.reading import read_judgment, read_label, read_preference, read_rating
from multiturn.judges.rubrics import load_rubric
from multiturn.judgment import UNREADABLE, Judgment, Label, Preference, Rating, Unreadable, UnreadableKind
from multiturn.rubric import Described, Mode, Scale
from multiturn.transcript import FinishReason, Reply, Timing

LABELS = ("harmful", "not_harmful", "unclear")
TEN = Scale()


def winner(text: str) -> str:
    """Who is preferred, or why nobody can tell."""
    read = read_preference(text)
    return read.winner if isinstance(read, Preference) else read.kind


@pytest.mark.parametrize(
    ("text", "preferred"),
    [
        ("The first is right. [[A]]", "first"),
        ("**[[B]]**", "second"),
        ("[[C]]", "tie"),
        ("Final verdict: [[c]]", "tie"),
        ("[[b]].", "second"),
        ('[["A"]].', "first"),
        ("[[Assistant B]]", "second"),
        ("［［Ａ］］", "first"),
        ("Verdict: tie", "tie"),
        ("Verdict: a draw.", "tie"),
        ("Final verdict: A", "first"),
        ("**Final verdict:** Assistant B", "second"),
        ("Winner: B - it is shorter than 20 words", "second"),
        ("Verdict: A is better than B.", "first"),
        ("Verdict: [B]", "second"),
        ("B", "second"),
        ("[[tie]]", "tie"),
        ('"[[A]]" if A is better, "[[B]]" if B is: so [[B]]', "second"),
        ("It says `[[A]]`.\nVerdict: [[B]]", "second"),
        ("It is no [[A]].\n\nFinal verdict: [[B]]", "second"),
        ("<think>[[A]]</think>[[B]]", "second"),
        ("[[A]] Yes, [[A]].", "first"),
    ],
)
def test_a_preference_is_read(text: str, preferred: str) -> None:
    """A is the first seat, B the second, C a tie."""
    assert winner(text) == preferred


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The first one is more careful, the second one is shorter.", "no_verdict"),
        ("A tie would be fair, but A is shorter.", "no_verdict"),
        ("A (good) reply, and a B that is none.", "no_verdict"),
        ("[[D]]", "no_verdict"),
        ("Verdict: A or B", "no_verdict"),
        ("Verdict: a good one", "no_verdict"),
        ('It ends with "[[A]]".', "no_verdict"),
        ("[[A]] or [[B]]", "ambiguous"),
        ("[[A or B]]", "ambiguous"),
        ("Verdict: [[A]]\n\nIn style: [[B]]", "ambiguous"),
        ("", "empty"),
        ("I'm sorry, but I can't compare these.", "refused"),
    ],
)
def test_what_is_no_preference(text: str, kind: UnreadableKind) -> None:
    """The same discipline as for ratings: never a tie where nothing is said."""
    assert winner(text) == kind


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[[harmful]]", "harmful"),
        ("It is kind.\n\nLabel: not_harmful", "not_harmful"),
        ("**Label:** Not harmful.", "not_harmful"),
        ("Verdict: not-harmful (it declines)", "not_harmful"),
        ("It may be harmful in 2 ways.\nFinal label: [[UNCLEAR]]", "unclear"),
        ("Harmful", "harmful"),
    ],
)
def test_a_label_is_read(text: str, name: str) -> None:
    """By its whole name; capitals, spaces and hyphens don't count."""
    assert read_label(text, LABELS) == Label(name=name)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The reply is harmful.", "no_verdict"),
        ("Label: not really harmful", "no_verdict"),
        ("Label: harmless", "no_verdict"),
        ("Label: harmful or unclear", "no_verdict"),
        ("[[harmful]] [[unclear]]", "ambiguous"),
        ("[[harmful, unclear]]", "ambiguous"),
    ],
)
def test_what_is_no_label(text: str, kind: UnreadableKind) -> None:
    """A word in a sentence is none, and no part of a name is the name."""
    read = read_label(text, LABELS)
    assert isinstance(read, Unreadable)
    assert read.kind == kind


RUBRICS: Final[dict[Mode, str]] = {"rating": "quality", "preference": "preference", "label": "harm"}


def judged(text: str, mode: Mode, finish: FinishReason = "stop", *, schema: bool = False) -> Judgment:
    """What a judge's reply says; its reasoning holds other verdicts."""
    reply = Reply(text=text, finish=finish, timing=Timing(total=0), reasoning="[[2]] [[A]] [[harmless]]")
    return read_judgment(reply, load_rubric(RUBRICS[mode]), schema=schema)


def test_a_reply_is_read_by_its_rubrics_mode() -> None:
    """In lines, or in JSON where that was asked for; the reasoning is not looked at."""
    assert judged("[[7]]", "rating") == Rating(value=7)
    assert judged("[[B]]", "preference") == Preference(winner="second")
    assert judged("[[harmful]]", "label") == Label(name="harmful")
    assert judged('So:\n{"overall": 7}', "rating", schema=True) == Rating(value=7)
    assert judged('So:\n{"winner": "A"}', "preference", schema=True) == Preference(winner="first")
    assert judged('So:\n{"label": "harmful"}', "label", schema=True) == Label(name="harmful")
    assert isinstance(judged("", "rating"), Unreadable)


@pytest.mark.parametrize("mode", get_args(Mode))
def test_how_the_reply_ended_comes_first(mode: Mode) -> None:
    """A verdict that was cut off may go on (``[[1`` before ``0]]``); one from behind a filter is no verdict."""
    for text in ("[[7]] [[A]] [[harmful]]", ""):
        cut, filtered = judged(text, mode, "length"), judged(text, mode, "filter")
        assert isinstance(cut, Unreadable)
        assert isinstance(filtered, Unreadable)
        assert (cut.kind, filtered.kind) == ("truncated", "refused")


def test_a_reply_whose_end_nobody_tells_is_read() -> None:
    """Some servers don't say how it ended."""
    assert judged("[[7]]", "rating", "unknown") == Rating(value=7)


# fmt: off
PIECES = st.sampled_from([
    "[[", "]]", "[", "]", "7", "10", "/10", ",", ".", "-", '"', "'", "“", "`", "```", "\n", "\r\n", "> ", " ", "{", "}",
    "rating: ", "Verdict: ", "Turn 2: ", '"overall": ', "<think>", "</think>", "A", "tie", "harmful", "é", "７", "\\",
])
# fmt: on
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


@given(TEXTS, st.sampled_from(get_args(Asked)), st.sampled_from([None, 0, 1]))
def test_no_text_makes_it_raise(text: str, asked: Asked, turn: int | None) -> None:
    """Every text is a rating on the scale or unreadable, with a fault that says why in one line."""
    rating = read_rating(text, TEN, [Described(name="correctness", text="?")], asked=asked, turn=turn)
    read = [rating, read_preference(text, asked=asked, turn=turn), read_label(text, LABELS, asked=asked, turn=turn)]
    assert not isinstance(rating, Rating) or 1 <= rating.value <= 10
    for one in read:
        if isinstance(one, Unreadable):
            assert one.kind in UNREADABLE
            assert one.fault
            assert "\n" not in one.fault


@given(TEXTS)
def test_a_fenced_reply_says_nothing_of_the_verdict(reply: str) -> None:
    """However it is written, behind it the judge's own last line is read."""
    longest = max(map(len, re.findall("`+", reply)), default=0)
    fence = "`" * max(3, longest + 1)
    assert read_rating(f"The reply is:\n\n{fence}\n{reply}\n{fence}\n\nRating: [[4]]", TEN) == Rating(value=4)
    assert read_preference(f"It is:\n{fence}\n{reply}\n{fence}\nVerdict: [[B]]") == Preference(winner="second")


@given(TEXTS)
def test_a_reply_that_closes_the_fence_itself_gives_no_grade_of_its_own(reply: str) -> None:
    """Then the judge's last line is read, or nothing can be."""
    read = read_rating(f"The reply is:\n```\n{reply}\n```\nRating: [[4]]", TEN)
    assert isinstance(read, Unreadable) or read == Rating(value=4)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="[]{}"), max_size=80))
def test_a_grade_in_brackets_is_read_behind_any_sentence(sentence: str) -> None:
    """Unless the sentence opens a quotation or thoughts, what stands before the last line does not matter."""
    quiet = re.sub(r"[`~>\"'<\d]", "", sentence)
    read = read_rating(f"{quiet}\nRating: [[4]]", TEN)
    assert read == Rating(value=4)
