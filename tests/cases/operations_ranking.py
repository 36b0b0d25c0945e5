"""Operations of the published bug cases that rankings answer: win rates, and ratings from a list of games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from multiturn.ranking import Games, Preferred, Winner
from multiturn.stats.bradley_terry import rank_preferences

SEATS: dict[str, Winner] = {"model_1": "a", "model_2": "b", "tie": "tie"}


def win_rate(given: dict[str, Any]) -> dict[str, Any]:
    """Of counts."""
    games = Games(wins=given["wins"], losses=given["losses"], ties=given["ties"])
    return {"win_rate": games.win_rate, "n": games.known}


def win_rate_from_list(given: dict[str, Any]) -> dict[str, Any]:
    """Each outcome as a vote on a conversation of its own; null is missing."""
    votes = [
        Preferred(conversation=f"c{at}", a="model_1", b="model_2", winner=None if one is None else SEATS[one])
        for at, one in enumerate(given["outcomes"])
    ]
    (games,) = [one.games for one in rank_preferences(votes).arms if one.arm == given["of"]]
    return {"win_rate": games.win_rate, "n": games.known, "n_missing": games.missing}


def rating_model(given: dict[str, Any]) -> dict[str, Any]:
    """Games as votes; a strength is there, which makes it finite, or the ranking marks between whom none is."""
    votes = [
        Preferred(conversation=f"c{at}", a=a, b=b, winner="tie" if won == "tie" else "a" if won == a else "b")
        for at, (a, b, won) in enumerate(given["games"])
    ]
    found = rank_preferences(votes)
    there = [one.strength.value for one in found.arms if one.strength is not None]
    marked = {name for one in found.separated for name in (*one.over, *one.under)}
    marked |= {name for names in found.disconnected for name in names}
    return {
        "crash": False,
        "finite_or_marked": all(one.strength is not None or one.arm in marked for one in found.arms),
        "equal": len(there) == len(found.arms) and len(set(there)) == 1,
    }


OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "win_rate": win_rate,
    "win_rate_from_list": win_rate_from_list,
    "rating_model": rating_model,
}
