"""Two games of a pair make one outcome, and two ratings make one too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.judges.games import MISSING, Outcome, both_orders, combine, pair_from_ratings
from multiturn.judgment import Failed, Judgment, Preference, Rating, Unreadable, Winner

UNREADABLE = Unreadable(kind="no_verdict", fault="it gives no verdict")
FAILED = Failed(kind="timeout", message="no reply within 300 s")
WINNERS: list[Winner] = ["first", "second", "tie"]


def both(first: Winner, second: Winner) -> Outcome:
    """The outcome of two games that were read."""
    return combine(Preference(winner=first), Preference(winner=second))


def test_a_pair_is_won_in_both_orders_only() -> None:
    """``a`` sits first in the first game and second in the second."""
    assert both("first", "second") == Outcome(winner="a", consistent=True)
    assert both("second", "first") == Outcome(winner="b", consistent=True)
    assert both("tie", "tie") == Outcome(winner="tie", consistent=True)


@pytest.mark.parametrize(
    ("first", "second"),
    [("first", "first"), ("second", "second"), ("first", "tie"), ("tie", "second"), ("tie", "first")],
)
def test_orders_that_disagree_make_a_tie(first: Winner, second: Winner) -> None:
    """A win and a tie disagree too."""
    assert both(first, second) == Outcome(winner="tie", consistent=False)


@pytest.mark.parametrize("missing", [UNREADABLE, FAILED, Rating(value=7)])
def test_a_game_that_says_nothing_leaves_the_pair_without_a_winner(missing: Judgment) -> None:
    """It is neither a tie nor a loss, whichever game it is, and whatever the other says."""
    for winner in WINNERS:
        assert combine(Preference(winner=winner), missing) == MISSING
        assert combine(missing, Preference(winner=winner)) == MISSING
    assert combine(missing, None) == MISSING
    assert combine(missing, missing) == MISSING


def test_one_game_alone_decides() -> None:
    """Where the other order was not asked, nothing is known of consistency."""
    assert combine(Preference(winner="first"), None) == Outcome(winner="a")
    assert combine(None, Preference(winner="first")) == Outcome(winner="b")
    assert combine(Preference(winner="tie"), None) == Outcome(winner="tie")
    assert combine(None, None) == MISSING


def test_while_an_order_is_still_to_be_asked_nobody_wins() -> None:
    """Of a judge that is asked both orders; with both it is the same as ever."""
    for winner in WINNERS:
        assert both_orders(Preference(winner=winner), None) == MISSING
        assert both_orders(None, Preference(winner=winner)) == MISSING
        assert both_orders(Preference(winner=winner), Preference(winner="first")) == both(winner, "first")


@given(st.sampled_from(WINNERS), st.sampled_from(WINNERS))
def test_naming_the_pair_the_other_way_round_turns_the_outcome(first: Winner, second: Winner) -> None:
    """Who is called ``a`` does not matter."""
    turned = {"a": "b", "b": "a", "tie": "tie"}
    one, other = both(first, second), both(second, first)
    assert one.winner is not None
    assert turned[one.winner] == other.winner
    assert one.consistent == other.consistent


def test_the_higher_grade_wins() -> None:
    """Equal grades tie; without both there is no winner."""
    assert pair_from_ratings(Rating(value=7.5), Rating(value=7)) == Outcome(winner="a")
    assert pair_from_ratings(Rating(value=5), Rating(value=7)) == Outcome(winner="b")
    assert pair_from_ratings(Rating(value=7), Rating(value=7.0)) == Outcome(winner="tie")
    for missing in (None, UNREADABLE, FAILED):
        assert pair_from_ratings(missing, Rating(value=5)) == MISSING
        assert pair_from_ratings(Rating(value=5), missing) == MISSING
