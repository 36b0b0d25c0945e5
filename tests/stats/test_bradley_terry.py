"""Strengths by preferences: a published example, two twins, laws, and what has no finite strength."""

from __future__ import annotations

import importlib
import importlib.util
import math
import random
from typing import Any, Final

import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from multiturn.ranking import Preferred, Separated, Strength, StrengthRanking, Winner
from multiturn.stats.bradley_terry import rank_preferences

FEW: Final = 50
"""Draws where only the strengths themselves are looked at."""

TEAMS: Final = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WON: Final = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
"""Games of the American League's eastern division in 1987: wins of the row's team against the column's."""


def vote(conversation: str, a: str, b: str, winner: Winner | None) -> Preferred:
    return Preferred(conversation=conversation, a=a, b=b, winner=winner)


def games(*results: str) -> list[Preferred]:
    """``A>B``, ``A=B`` or ``A?B``, each in a conversation of its own."""
    winners: dict[str, Winner | None] = {">": "a", "=": "tie", "?": None}
    return [vote(f"c{at}", one[0], one[2], winners[one[1]]) for at, one in enumerate(results)]


def values(found: StrengthRanking) -> dict[str, float]:
    """The strengths that are there."""
    return {one.arm: value_of(one) for one in found.arms if one.strength is not None}


def value_of(one: Strength) -> float:
    assert one.strength is not None
    assert one.strength.value is not None
    return one.strength.value


WINNERS: Final[tuple[Winner | None, ...]] = ("a", "b", "tie", None)
votes = st.lists(
    st.builds(
        lambda conversation, seats, winner: vote(conversation, seats[0], seats[1], winner),
        st.sampled_from(["c1", "c2", "c3", "c4", "c5"]),
        st.permutations("ABCD"),
        st.sampled_from(WINNERS),
    ),
    min_size=1,
    max_size=40,
)


def test_baseball_of_1987() -> None:
    """A. Agresti, Categorical Data Analysis (2nd edition, 2002), table 10.11: log-odds against Baltimore."""
    season = [
        vote(f"{home} {away} {game}", TEAMS[home], TEAMS[away], "a")
        for home, row in enumerate(WON)
        for away, count in enumerate(row)
        for game in range(count)
    ]
    found = rank_preferences(season, draws=FEW)
    strengths = values(found)
    assert {team: round(value - strengths["Baltimore"], 2) for team, value in strengths.items()} == {
        "Milwaukee": 1.58,
        "Detroit": 1.44,
        "Toronto": 1.29,
        "New York": 1.25,
        "Boston": 1.11,
        "Cleveland": 0.68,
        "Baltimore": 0.0,
    }
    assert [one.arm for one in found.arms] == list(TEAMS)
    assert [one.rank for one in found.arms] == [1, 2, 3, 4, 5, 6, 7]
    assert (found.games, found.missing, found.conversations) == (273, 0, 273)


def twin(preferences: list[Preferred]) -> dict[str, float]:
    """Hunter's minorisation (D. R. Hunter, Annals of Statistics 32, 2004), word for word, in plain Python."""
    arms = sorted({name for one in preferences for name in (one.a, one.b)})
    won = dict.fromkeys(arms, 0.0)
    played = dict.fromkeys([(i, j) for i in arms for j in arms], 0)
    for one in preferences:
        if one.winner is not None:
            won[one.a] += {"a": 1, "b": 0, "tie": 0.5}[one.winner]
            won[one.b] += {"a": 0, "b": 1, "tie": 0.5}[one.winner]
            played[one.a, one.b] += 1
            played[one.b, one.a] += 1
    worth = dict.fromkeys(arms, 1.0)
    for _ in range(20_000):
        new = {i: won[i] / sum(played[i, j] / (worth[i] + worth[j]) for j in arms if j != i) for i in arms}
        mean = math.exp(sum(math.log(value) for value in new.values()) / len(new))
        new = {arm: value / mean for arm, value in new.items()}
        if max(abs(new[arm] - worth[arm]) for arm in arms) < 1e-13:
            break
        worth = new
    return {arm: math.log(value) for arm, value in worth.items()}


def is_whole(preferences: list[Preferred]) -> bool:
    """Ford's condition, as scipy sees it: the digraph of wins is strongly connected."""
    arms = sorted({name for one in preferences for name in (one.a, one.b)})
    wins = np.zeros((len(arms), len(arms)))
    for one in preferences:
        if one.winner in ("a", "tie"):
            wins[arms.index(one.a), arms.index(one.b)] = 1
        if one.winner in ("b", "tie"):
            wins[arms.index(one.b), arms.index(one.a)] = 1
    return int(connected_components(wins, connection="strong")[0]) == 1


@given(votes)
@settings(max_examples=60, deadline=None)
def test_agrees_with_the_plain_twin(preferences: list[Preferred]) -> None:
    """To seven decimals, wherever there is a finite maximum."""
    assume(is_whole(preferences))
    assert values(rank_preferences(preferences, draws=FEW)) == pytest.approx(twin(preferences), abs=1e-7)


@given(votes)
@settings(max_examples=60, deadline=None)
def test_agrees_with_evalica(preferences: list[Preferred]) -> None:
    """Another library that counts a tie as half a win."""
    if importlib.util.find_spec("evalica") is None:
        pytest.skip("needs evalica: pip install evalica")
    assume(is_whole(preferences))
    evalica: Any = importlib.import_module("evalica")
    known = [one for one in preferences if one.winner is not None]
    words = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    scores = evalica.bradley_terry(
        [one.a for one in known],
        [one.b for one in known],
        [words[one.winner or ""] for one in known],
        tolerance=1e-12,
        limit=100_000,
    ).scores
    logs = {str(arm): math.log(score) for arm, score in scores.items()}
    middle = sum(logs.values()) / len(logs)
    expected = {arm: value - middle for arm, value in logs.items()}
    assert values(rank_preferences(preferences, draws=FEW)) == pytest.approx(expected, abs=1e-5)


@given(votes, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_neither_order_nor_seats_change_a_digit(preferences: list[Preferred], chance: random.Random) -> None:
    """Votes shuffled, and some of them with the arms in each other's seat."""
    swapped: dict[Winner | None, Winner | None] = {"a": "b", "b": "a", "tie": "tie", None: None}
    other = [
        msgspec.structs.replace(one, a=one.b, b=one.a, winner=swapped[one.winner]) if chance.random() < 0.5 else one
        for one in preferences
    ]
    chance.shuffle(other)
    assert rank_preferences(other, draws=FEW) == rank_preferences(preferences, draws=FEW)


@given(votes)
@settings(max_examples=40, deadline=None)
def test_names_do_not_matter(preferences: list[Preferred]) -> None:
    """Other names, other order of names: the same strengths, ranks and intervals."""
    new = {"A": "z", "B": "y", "C": "x", "D": "w"}
    renamed = [msgspec.structs.replace(one, a=new[one.a], b=new[one.b]) for one in preferences]
    before, after = rank_preferences(preferences, draws=FEW), rank_preferences(renamed, draws=FEW)
    names = {one.arm: one for one in after.arms}
    for one in before.arms:
        other = names[new[one.arm]]
        assert (one.rank, one.games) == (other.rank, other.games)
        assert (one.strength is None) == (other.strength is None)
        if one.strength is not None and other.strength is not None:
            mine, theirs = ((e.value or 0, e.low or 0, e.high or 0) for e in (one.strength, other.strength))
            assert mine == pytest.approx(theirs, abs=1e-7)


@given(votes)
@settings(max_examples=40, deadline=None)
def test_a_tie_is_half_a_win_for_each(preferences: list[Preferred]) -> None:
    """All votes twice are as all twice, each tie become a win and a loss."""
    twice = [*preferences, *preferences]
    halves = [one for one in twice if one.winner != "tie"]
    halves += [
        msgspec.structs.replace(one, winner=side) for one in preferences if one.winner == "tie" for side in ("a", "b")
    ]
    found, split = rank_preferences(twice, draws=FEW), rank_preferences(halves, draws=FEW)
    assert values(found) == pytest.approx(values(split), abs=1e-9)
    assert [(one.arm, one.games.win_rate) for one in found.arms] == [
        (one.arm, one.games.win_rate) for one in split.arms
    ]


@given(votes)
@settings(max_examples=60, deadline=None)
def test_no_number_is_invented(preferences: list[Preferred]) -> None:
    """Everything is finite or absent, ends enclose an interval with a width, and what is absent is marked."""
    found = rank_preferences(preferences, draws=FEW)
    for one in found.arms:
        for estimate in (one.strength, one.against_average):
            if estimate is not None and estimate.low is not None and estimate.high is not None:
                assert estimate.low < estimate.high
    whole = len([one for one in found.arms if one.strength is not None]) == len(found.arms) and len(found.groups) == 1
    assert whole == is_whole(preferences)
    played = [one for one in found.arms if one.games.known]
    marked = bool(found.separated or found.disconnected or len(played) < len(found.arms))
    assert marked != whole
    assert sorted(name for group in found.groups for name in group.arms) == sorted(one.arm for one in found.arms)


def test_who_wins_every_game_is_above_by_no_number() -> None:
    """Ten wins of ten: the best guess is no finite strength."""
    found = rank_preferences(games(*["A>B"] * 10))
    assert [(one.arm, one.rank, one.strength, one.games.win_rate) for one in found.arms] == [
        ("A", 1, None, 1.0),
        ("B", 2, None, 0.0),
    ]
    assert found.separated == (Separated(over=("A",), under=("B",)),)
    assert found.disconnected == ()
    assert found.draws == 0


def test_groups_that_are_separated_have_strengths_inside() -> None:
    """A and B beat each other, and both beat C and D, who beat each other: each group has its own 0."""
    found = rank_preferences(games("A>B", "B>A", "A>B", "A>C", "B>D", "C>D", "D>C", "A?D"))
    assert found.separated == (Separated(over=("A", "B"), under=("C", "D")),)
    assert [one.arm for one in found.arms] == ["A", "B", "C", "D"]
    assert [one.rank for one in found.arms] == [1, 2, 3, 3]
    assert values(found) == pytest.approx({"A": math.log(2) / 2, "B": -math.log(2) / 2, "C": 0, "D": 0})


def test_only_neighbours_are_named_as_separated() -> None:
    """A over B over C: that A is over C follows."""
    found = rank_preferences(games("A>B", "B>C", "A>C"))
    assert found.separated == (Separated(over=("A",), under=("B",)), Separated(over=("B",), under=("C",)))
    assert [one.rank for one in found.arms] == [1, 2, 3]


def test_arms_whose_order_is_open_have_no_rank() -> None:
    """A and B both beat C, and never met."""
    found = rank_preferences(games("A>C", "B>C"))
    assert {one.arm: one.rank for one in found.arms} == {"A": None, "B": None, "C": 3}
    assert found.disconnected == ()


def test_arms_without_games_between_them_are_disconnected() -> None:
    """Two pairs; and one whose only vote is missing takes no rank from anybody."""
    found = rank_preferences(games("A>B", "B>A", "C>D", "D>C"))
    assert found.disconnected == (("A", "B"), ("C", "D"))
    assert {one.rank for one in found.arms} == {None}
    assert values(found) == pytest.approx({"A": 0, "B": 0, "C": 0, "D": 0})
    found = rank_preferences(games("A>B", "B>A", "A?E"))
    assert found.disconnected == ()
    assert {one.arm: one.rank for one in found.arms} == {"A": 1, "B": 1, "E": None}


def test_missing_votes_are_counted_and_nothing_else() -> None:
    """The strengths are as without them; an arm's missing conversations are those with no other vote on it."""
    known = games("A>B", "B>A", "A>B")
    missing = [vote("c0", "A", "B", None), vote("c9", "B", "A", None)]
    found = rank_preferences([*known, *missing])
    assert values(found) == values(rank_preferences(known))
    assert (found.games, found.missing, found.conversations) == (3, 2, 3)
    strength = found.arms[0].strength
    assert strength is not None
    assert (strength.n, strength.missing) == (3, 1)
    assert (found.arms[0].games.wins, found.arms[0].games.missing) == (2, 2)
    nothing = rank_preferences(missing)
    assert [(one.rank, one.strength, one.games.win_rate) for one in nothing.arms] == [(None, None, None)] * 2


def test_all_ties_are_equal_without_an_interval() -> None:
    """Every draw gives the same, which is no certainty."""
    found = rank_preferences(games(*["A=B"] * 10))
    assert [(one.rank, value_of(one)) for one in found.arms] == [(1, 0), (1, 0)]
    strength = found.arms[0].strength
    assert strength is not None
    assert (strength.low, strength.note) == (None, "all 2000 draws equal")


def test_one_conversation_has_no_interval() -> None:
    """However many votes are on it."""
    found = rank_preferences([vote("c", "A", "B", winner) for winner in ("a", "b", "a") for _ in range(9)])
    strength = found.arms[0].strength
    assert strength is not None
    assert (strength.low, strength.note) == (None, "one conversation")
    assert found.draws == 0


def test_draws_without_finite_strengths_are_counted_and_count_as_beyond_both_ends() -> None:
    """One loss in eight games is often not drawn: a few such draws widen an interval, many take it away."""
    often = rank_preferences(games(*["A>B"] * 7, "B>A"))
    (group,) = often.groups
    assert 0.3 < group.separated_draws / often.draws < 0.4  # (7/8)^8 = 34 %
    strength = often.arms[0].strength
    assert strength is not None
    assert (strength.low, strength.note) == (None, f"{group.separated_draws} of 2000 draws not finite")
    seldom = rank_preferences(games(*["A>B"] * 40, *["B>A"] * 5))
    assert 0 < seldom.groups[0].separated_draws < 30
    assert seldom.arms[0].strength is not None
    assert seldom.arms[0].strength.low is not None


@given(votes, st.sampled_from([0.05, 0.5, 0.95]))
@settings(max_examples=200)
def test_an_interval_holds_its_estimate(preferences: list[Preferred], level: float) -> None:
    """Of strengths and of chances; also where draws are few or the interval is narrow."""
    for one in rank_preferences(preferences, draws=7, level=level).arms:
        for found in (one.strength, one.against_average):
            if found is not None and found.value is not None and found.low is not None and found.high is not None:
                assert found.low <= found.value <= found.high


def test_the_conversation_is_drawn_not_the_game() -> None:
    """Ten votes on each of eight conversations that all say the same are no more than eight."""
    once = games(*["A>B"] * 5, *["B>A"] * 3)
    tenfold = [one for one in once for _ in range(10)]
    first, second = (rank_preferences(given).arms[0].strength for given in (once, tenfold))
    assert first is not None
    assert second is not None
    assert (second.low, second.high) == pytest.approx((first.low, first.high), abs=1e-6)


def test_the_seed_decides_the_draws_and_not_the_strengths() -> None:
    """The same seed, the same digits."""
    season = games(*["A>B"] * 12, *["B>A"] * 9, *["B>C"] * 8, *["C>B"] * 6, *["A=C"] * 5)
    assert rank_preferences(season, seed=1) == rank_preferences(season, seed=1)
    assert rank_preferences(season, seed=1) != rank_preferences(season, seed=2)
    assert values(rank_preferences(season, seed=1)) == values(rank_preferences(season, seed=2))


def test_a_very_uneven_pair_is_fitted() -> None:
    """One loss in 100,000: the strength is the logarithm of the odds."""
    season = [*[vote("c1", "A", "B", "a")] * 99_999, vote("c2", "A", "B", "b")]
    found = values(rank_preferences(season, draws=2))
    assert found["A"] - found["B"] == pytest.approx(math.log(99_999), rel=1e-6)


@pytest.mark.parametrize(
    ("given_votes", "draws", "level"), [([], 10, 0.95), (games("A>B"), 0, 0.95), (games("A>B"), 1, 1)]
)
def test_what_can_be_no_ranking_is_refused(given_votes: list[Preferred], draws: int, level: float) -> None:
    """No vote, no draw, a level of 1."""
    with pytest.raises(ValueError, match="a ranking needs"):
        rank_preferences(given_votes, draws=draws, level=level)
