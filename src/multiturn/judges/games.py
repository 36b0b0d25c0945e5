"""Two games of one pair, with the seats swapped -> one outcome. Pure.

A judge that likes the first seat would decide many pairs: so a pair is won only where both orders say so. Orders that
disagree make a tie, and are counted as inconsistent (the rule of L. Zheng et al., "Judging LLM-as-a-judge with MT-Bench
and Chatbot Arena", 2023, section 3.4). A game that can't be read is missing: the pair has no winner then. Nor has one
of which only one order was asked, where the other is still to come; in imported files, where none will, it decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.judgment import Judgment, Preference, Rating, Winner
from multiturn.ranking import Winner as Won

if TYPE_CHECKING:
    from multiturn.judgment import JudgeRecord

_FIRST: Final[dict[Winner, Won]] = {"first": "a", "second": "b", "tie": "tie"}
_SWAPPED: Final[dict[Winner, Won]] = {"first": "b", "second": "a", "tie": "tie"}


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Who wins a pair: ``a``, ``b``, nobody (``tie``), or None where that is missing.

    ``consistent`` says whether both orders agree; None where they can't be compared, since only one was asked or one
    can't be read.
    """

    winner: Won | None
    consistent: bool | None = None


MISSING: Final = Outcome(winner=None)


def combine(first_game: Judgment | None, second_game: Judgment | None) -> Outcome:
    """The outcome of a pair.

    Args:
        first_game: what was said with ``a`` in the first seat; None where that was not asked.
        second_game: what was said with ``b`` in the first seat; None where that was not asked.
    """
    asked = [one for one in (first_game, second_game) if one is not None]
    won = [
        seats[game.winner]
        for game, seats in ((first_game, _FIRST), (second_game, _SWAPPED))
        if isinstance(game, Preference)
    ]
    if not won or len(won) < len(asked):
        return MISSING
    if len(won) == 1:
        return Outcome(winner=won[0])
    agree = won[0] == won[1]
    return Outcome(winner=won[0] if agree else "tie", consistent=agree)


Rule = Callable[[Judgment | None, Judgment | None], Outcome]
"""How two games make an outcome: :func:`combine` or :func:`both_orders`."""


def both_orders(first_game: Judgment | None, second_game: Judgment | None) -> Outcome:
    """The outcome of a pair that is asked in both orders: missing while one of them was not asked, else as above."""
    return MISSING if first_game is None or second_game is None else combine(first_game, second_game)


def rule_of(judge: JudgeRecord) -> Rule:
    """FastChat's rule for a judge whose judgments were imported; one that was really asked is asked both orders."""
    return combine if judge.sampling is None else both_orders


def pair_from_ratings(a: Judgment | None, b: Judgment | None) -> Outcome:
    """The outcome of two single ratings: the higher grade wins, equal ones tie, without both there is none."""
    if not (isinstance(a, Rating) and isinstance(b, Rating)):
        return MISSING
    if a.value == b.value:
        return Outcome(winner="tie")
    return Outcome(winner="a" if a.value > b.value else "b")
