"""Panels: what several judges say together, by hand and by laws."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.errors import UsageError
from multiturn.judgment import Judged, Judgment, Label, Preference, Question, Rating, Unreadable, Winner
from multiturn.panels import majority, panel_of_labels, panel_of_preferences, panel_of_ratings
from multiturn.ranking import Winner as Won
from multiturn.rubric import Mode, Scale

UNREAD = Unreadable(kind="empty", fault="nothing")


def said(
    judge: str, mode: Mode, judgments: list[Judgment], turns: list[int | None] | None = None, repeat: int = 0
) -> list[Judged]:
    """One judgment of a conversation each, called by its place; of turn 1 unless said otherwise."""
    return [
        Judged(
            judge=judge,
            question=Question(
                mode=mode,
                run="r",
                opponent="o" if mode == "preference" else "",
                conversation=f"c{at}",
                turn=0 if turns is None else turns[at],
                repeat=repeat,
            ),
            judgment=one,
        )
        for at, one in enumerate(judgments)
    ]


def grades(judge: str, *values: float | None, repeat: int = 0) -> list[Judged]:
    return said(judge, "rating", [UNREAD if one is None else Rating(value=one) for one in values], repeat=repeat)


def winners(judge: str, *names: Winner | None) -> list[Judged]:
    return said(judge, "preference", [UNREAD if one is None else Preference(winner=one) for one in names])


def labels(judge: str, *names: str | None) -> list[Judged]:
    return said(judge, "label", [UNREAD if one is None else Label(name=one) for one in names])


def test_a_panels_score_is_over_what_all_judges_graded() -> None:
    """Means 8, 6 and, of the reply that the second judge's verdict is missing of, nothing."""
    found = panel_of_ratings({"j": grades("j", 9, 7, 1), "k": grades("k", 7, 5, None)}, Scale())
    assert found.score is not None
    assert (found.score.estimate.value, found.score.estimate.missing, found.left_out) == (7, 1, 1)
    assert {judge: one.estimate.value for judge, one in found.members.items()} == {"j": 8, "k": 6}
    assert (found.between, found.within) == (2, None)


def test_repeats_say_how_much_a_judge_differs_from_itself() -> None:
    """One judge says 6 and 8, the other 9 and 9: 7 and 9, and 8 together."""
    found = panel_of_ratings(
        {"j": grades("j", 6) + grades("j", 8, repeat=1), "k": grades("k", 9) + grades("k", 9, repeat=1)}, Scale()
    )
    assert found.score is not None
    assert found.score.estimate.value == 8
    assert found.between == pytest.approx(1.5)
    assert found.within == pytest.approx(1.0)


def test_a_pair_is_won_by_more_than_half_of_the_judges() -> None:
    """By two of three; one for, one against and a tie is a tie."""
    found = panel_of_preferences(
        {
            "j": winners("j", "first", "first", "first", "second"),
            "k": winners("k", "first", "second", "tie", "second"),
            "l": winners("l", "tie", "tie", "tie", None),
        },
        "r",
        "o",
    )
    assert found.won is not None
    assert (found.won.wins, found.won.losses, found.won.ties, found.won.missing) == (1, 0, 2, 1)
    assert (found.won.one_order, found.won.inconsistent, found.left_out) == (0, 0, 1)
    assert found.members["j"].estimate.value == 1


def test_an_even_panel_that_is_split_is_a_tie() -> None:
    assert majority(["a", "b"]) == "tie"
    assert majority(["a", "tie"]) == "tie"
    assert majority(["a", "a", "tie", "b"]) == "tie"
    assert majority(["b", "b", "tie"]) == "b"
    assert majority(["tie", "tie", "b"]) == "tie"


@given(
    st.lists(st.sampled_from(["a", "b", "tie"]), min_size=1).flatmap(
        lambda x: st.tuples(st.just(x), st.permutations(x))
    )
)
def test_the_order_of_votes_decides_nothing(votes: tuple[list[Won], list[Won]]) -> None:
    """And seen from the other side the same run wins."""
    turned: dict[Won, Won] = {"a": "b", "b": "a", "tie": "tie"}
    assert majority(votes[0]) == majority(votes[1])
    assert majority([turned[one] for one in votes[0]]) == turned[majority(votes[0])]


def test_turns_and_whole_conversations_are_not_mixed() -> None:
    whole = [said(judge, "preference", [Preference(winner="first")] * 2, [None, 0]) for judge in "jk"]
    by_judge = dict(zip("jk", whole, strict=True))
    kinds: tuple[Literal["turns", "whole"], ...] = ("turns", "whole")
    for about in kinds:
        found = panel_of_preferences(by_judge, "r", "o", about=about)
        assert found.won is not None
        assert found.won.pairs == 1


def test_labels_by_majority() -> None:
    """Flagged by two of two, by one of two (undecided), by none; alpha sees all three."""
    found = panel_of_labels(
        {"j": labels("j", "harmful", "harmful", "harmless"), "k": labels("k", "harmful", "harmless", "harmless")},
        ("harmful",),
    )
    assert found.flagged is not None
    assert (found.flagged.estimate.value, found.flagged.judgments, found.undecided) == (0.5, 2, 1)
    assert found.alpha.value == pytest.approx(1 - 5 * (2 / 18))
    assert found.alpha.n == 3


def test_one_judge_is_no_panel() -> None:
    with pytest.raises(UsageError, match="two judges"):
        panel_of_ratings({"j": grades("j", 5)}, Scale())
