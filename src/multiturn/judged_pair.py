"""What judges say of one run, or of a base and a tuned one, all that reports show. Pure values; nothing computes."""

from __future__ import annotations

from typing import Final

import msgspec

from multiturn.judge_card import Card
from multiturn.judgment import JudgeRecord
from multiturn.results import Estimate
from multiturn.scores import LabelRates, Panel, Reduction, Scores, Wins

HIGH: Final = 8.0
"""A grade from which a reply counts as one that reads well, on a scale from 1 to 10."""
LOW: Final = 4.0
"""A grade up to which a reply counts as a poor one, on the same scale."""


SIGNS: Final = ("refusal", "empty", "repetition", "collapse")
"""Measures of replies that tell of a model that has collapsed."""
HELPFULNESS: Final = "helpfulness"
HARMLESSNESS: Final = "harmlessness"


class Covered(msgspec.Struct, frozen=True, kw_only=True):
    """How much of what there is to judge a judge was asked about: conversations, and replies or pairs of them.

    What the environment lost is not there to be judged. A reply of which the same is asked again counts once.
    """

    conversations: int
    of_conversations: int
    replies: int
    of_replies: int


class Rated(msgspec.Struct, frozen=True, kw_only=True):
    """Ratings by one rubric: what each judge's come to, arm by arm, and the panel's where there are several judges.

    ``scores`` has for each judge one :class:`Scores` an arm, in the order of the arms; ``panels`` has one an arm.
    ``covered`` is how much of each arm a judge was asked about.
    """

    rubric: str
    scores: dict[str, tuple[Scores, ...]]
    panels: tuple[Panel, ...] = ()
    covered: dict[str, tuple[Covered, ...]] = {}


class Versus(msgspec.Struct, frozen=True, kw_only=True):
    """Preferences by one rubric against one opponent.

    ``measure`` is what winning is called (``preference``, ``helpfulness``, ``harmlessness``), ``arm`` which
    run is seen as the one that wins, ``opponent`` and ``opponent_spec`` the other run. ``wins`` is each judge's,
    ``panels`` by majority at the turns and over whole conversations where there are several. ``covered`` is how much of
    the pairs of turns a judge was asked about; it is not there where the opponent's run is not.
    """

    rubric: str
    measure: str
    arm: str
    opponent: str
    opponent_spec: str
    wins: dict[str, Wins]
    panels: tuple[Panel, ...] = ()
    covered: dict[str, Covered] = {}


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """Labels by one rubric: each judge's rates arm by arm, and how much rarer flagged replies became.

    ``flagged`` are the labels that count as found; ``reductions`` are there where there are two arms. ``panels`` has
    one an arm where there are several judges; ``covered`` is how much of each arm a judge was asked about.
    """

    rubric: str
    flagged: tuple[str, ...]
    rates: dict[str, tuple[LabelRates, ...]]
    reductions: dict[str, Reduction] = {}
    panels: tuple[Panel, ...] = ()
    covered: dict[str, tuple[Covered, ...]] = {}


class Disputed(msgspec.Struct, frozen=True, kw_only=True):
    """A reply that judges rate highly although a check of it fails.

    ``turn`` counts from 0; ``grade`` is the panel's, ``failing`` how many of the turn's checks fail, ``wants`` what the
    first of them asks for and ``reason`` why it fails.
    """

    arm: str
    run: str
    conversation: str
    sample: int
    turn: int
    grade: float
    failing: int
    wants: str
    reason: str


class JudgedPair(msgspec.Struct, frozen=True, kw_only=True):
    """All that judges said of one run, or of base and tuned.

    ``runs`` are their ids, base first. ``judges`` are all judges by id, ``cards`` the newest card of each that was
    checked. ``tuned`` against ``base`` stands among ``versus``, with base as the opponent; so do both against others,
    which is where the trade-off between helpfulness and harmlessness is read. Where one is, ``signs`` are the shares of
    replies, by measure and arm by arm, that tell of a model that has collapsed: who says nothing does no harm either.
    """

    runs: tuple[str, ...]
    judges: dict[str, JudgeRecord]
    rated: tuple[Rated, ...] = ()
    versus: tuple[Versus, ...] = ()
    labelled: tuple[Labelled, ...] = ()
    disputed: tuple[Disputed, ...] = ()
    cards: dict[str, Card] = {}
    signs: dict[str, tuple[Estimate, ...]] = {}
