"""What judges, opponents and arms are called in a sentence about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.judged_by import arm_names
from multiturn.report.numbers import in_short
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from multiturn.judged_pair import JudgedPair, Versus

NAME: Final = 40
"""Characters of a model's name in a sentence."""
ALONE: Final = "model"
"""What an arm is called that is alone."""


def opponent_name(pair: JudgedPair, versus: Versus) -> str:
    """What the opponent is called in a sentence: ``base`` where it is on the page, else its model."""
    if versus.opponent in pair.runs:
        return arm_names(pair)[pair.runs.index(versus.opponent)]
    return in_short(short_spec(versus.opponent_spec), NAME)


def judge_name(pair: JudgedPair, judge: str) -> str:
    """A judge in a sentence."""
    return in_short(short_spec(pair.judges[judge].spec), NAME)


def arm_in_words(arm: str) -> str:
    """An arm at the beginning of a sentence, or in it: ``tuned``; ``the model`` where it is alone."""
    return f"the {arm}" if arm == ALONE else arm
