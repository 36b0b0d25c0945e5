"""What judgments come to: scores, rates of winning, rates of labels, panels, agreement. Pure values; nothing computes.

Every number stands with how many judgments and conversations it rests on, and with what could not be read.
"""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from multiturn.conversation import require
from multiturn.judgment import UnreadableKind
from multiturn.results import Estimate
from multiturn.rubric import Mode


class Unjudged(msgspec.Struct, frozen=True, kw_only=True):
    """Questions without a verdict: by why it can't be read, and those that the judge could not be asked."""

    unreadable: dict[UnreadableKind, int] = {}
    failed: int = 0

    @property
    def count(self) -> int:
        """All of them."""
        return sum(self.unreadable.values()) + self.failed


class Pooled(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over all judgments of a group, whatever conversation they are of.

    ``estimate`` counts conversations, and those without any judgment are its missing ones; ``judgments`` are those
    that the mean is over.
    """

    estimate: Estimate
    judgments: int

    def __post_init__(self) -> None:
        require(self.judgments >= self.estimate.n, "every conversation that counts has a judgment")


class Scores(msgspec.Struct, frozen=True, kw_only=True):
    """What one judge's ratings of one run come to, on the rubric's scale.

    ``first`` is the first turn, ``later`` all others; ``turns`` are by number (from 1), ``criteria`` beside the overall
    grade. ``weighted`` are grades weighted by their probabilities, over those judgments that have one; None where none
    has. Neither ``overall`` nor a mean of ``first`` and ``later`` can be had from the other where some are missing.
    """

    judge: str
    run: str
    overall: Pooled
    first: Pooled
    later: Pooled
    turns: dict[int, Pooled]
    categories: dict[str, Pooled]
    criteria: dict[str, Pooled]
    weighted: Pooled | None
    unjudged: Unjudged


class Won(msgspec.Struct, frozen=True, kw_only=True):
    """How often one run was preferred to another: pairs, each judged in both orders of the seats.

    A pair is won where both orders say so. ``inconsistent`` are ties that are ones because the orders disagree;
    ``one_order`` pairs were asked in one order only. ``missing`` are pairs without an outcome, since an order can't be
    read. ``strict`` is wins by all pairs with an outcome, ``adjusted`` counts a tie as half a win; both from 0 to 1,
    with the conversation as the unit.
    """

    wins: int
    losses: int
    ties: int
    inconsistent: int
    one_order: int
    missing: int
    strict: Estimate
    adjusted: Estimate

    def __post_init__(self) -> None:
        counts = (self.wins, self.losses, self.ties, self.inconsistent, self.one_order, self.missing)
        require(min(counts) >= 0, "counts must not be negative")
        require(self.inconsistent <= self.ties, "pairs whose orders disagree are ties")

    @property
    def pairs(self) -> int:
        """Pairs with an outcome."""
        return self.wins + self.losses + self.ties


class Wins(msgspec.Struct, frozen=True, kw_only=True):
    """What one judge's preferences between a run and its opponent come to, seen from ``run``.

    ``turns`` pools the preferences turn by turn, of which ``first`` are those at the first turn and ``later`` the
    others, ``categories`` by the kind of task; ``whole`` are those between whole conversations.
    """

    judge: str
    run: str
    opponent: str
    turns: Won
    first: Won
    later: Won
    whole: Won
    categories: dict[str, Won]
    unjudged: Unjudged


class LabelRates(msgspec.Struct, frozen=True, kw_only=True):
    """What one judge's labels of one run come to: how many replies have each, and the share that is flagged."""

    judge: str
    run: str
    labels: dict[str, int]
    flagged: Pooled
    first: Pooled
    later: Pooled
    categories: dict[str, Pooled]
    unjudged: Unjudged


class Undefined(msgspec.Struct, frozen=True, kw_only=True, tag_field="is", tag="undefined"):
    """A number that there is none of, and why; ``n`` conversations were looked at."""

    reason: str
    n: int = 0


class Reduction(msgspec.Struct, frozen=True, kw_only=True):
    """How much rarer flagged replies are in tuned than in base, over the turns that both have labels for.

    ``ratio`` is tuned's rate by base's. It has nothing to do with how often either is preferred.
    """

    judge: str
    base: str
    tuned: str
    base_rate: Pooled
    tuned_rate: Pooled
    ratio: Estimate | Undefined

    @property
    def relative(self) -> Estimate | Undefined:
        """The relative reduction, ``1 - ratio``: 1 where none is left, 0 where nothing changed, below 0 where worse."""
        ratio = self.ratio
        if isinstance(ratio, Undefined):
            return ratio
        ends = {} if ratio.low is None or ratio.high is None else {"low": 1 - ratio.high, "high": 1 - ratio.low}
        value = None if ratio.value is None else 1 - ratio.value
        return msgspec.structs.replace(ratio, value=value, **ends)


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """What several judges together say of one run, or of a pair, over what every one of them judged.

    ``score`` (ratings) is the mean over judges and replies, ``members`` each judge's own, ``between`` the variance of
    the judges' grades of one reply and ``within`` that of a judge's repeats, in the square of the scale's unit; None
    where nothing tells. ``won`` (preferences) is by majority: a pair that more than half of the judges give to neither
    run is a tie. ``flagged`` (labels) is the share of replies that most judges flag, of those with a majority;
    ``undecided`` are the others. ``alpha`` is Krippendorff's: for numbers of ratings, for names else. ``left_out`` are
    replies, or pairs, that not every judge has a verdict on; alpha takes those with two.
    """

    judges: tuple[str, ...]
    mode: Mode
    alpha: Estimate
    left_out: int
    score: Pooled | None = None
    members: dict[str, Pooled] = {}
    between: float | None = None
    within: float | None = None
    won: Won | None = None
    flagged: Pooled | None = None
    undecided: int = 0

    def __post_init__(self) -> None:
        for variance in (self.between, self.within):
            require(variance is None or (math.isfinite(variance) and variance >= 0), "a variance must not be negative")


About = Literal["preference", "label"]
TieRule = Literal["with ties", "without ties", ""]
"""``without ties`` leaves out comparisons in which either says that it is a tie; "" where there are no ties."""


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far two raters, or two kinds of raters, agree.

    ``turn`` counts from 1; ``whole`` are preferences between whole conversations, ``all`` is everything together.
    ``rate`` is agreements by comparisons; ``kappa`` is how far that is beyond chance, None where chance alone would
    agree everywhere. Both have the conversation as their unit.
    """

    first: str
    second: str
    about: About
    turn: int | Literal["whole", "all"]
    ties: TieRule
    agreements: int
    comparisons: int
    rate: Estimate
    kappa: Estimate | None


class Alpha(msgspec.Struct, frozen=True, kw_only=True):
    """Krippendorff's alpha of several judges over the same replies, or pairs; ``units`` have two judgments or more."""

    judges: tuple[str, ...]
    mode: Mode
    units: int
    alpha: Estimate


class Accuracy(msgspec.Struct, frozen=True, kw_only=True):
    """How often a judge says what a majority of people says; a judge's tie is not right.

    ``rate`` is over the ``right``, ``wrong`` and ``ties`` items that it has a verdict on; on ``unjudged`` ones it has
    none.
    """

    judge: str
    labels: str
    right: int
    wrong: int
    ties: int
    unjudged: int
    rate: Estimate


class Corrected(msgspec.Struct, frozen=True, kw_only=True):
    """A rate that a judge saw, and what it is once the judge's errors are taken out.

    ``what`` says of what: ``flagged in RUN``, or ``RUN preferred to RUN``, ties aside. ``sensitivity`` and
    ``specificity`` are from what people labelled too. None of it says anything where the labelled ones are no random
    choice.
    """

    judge: str
    what: str
    seen: Estimate
    sensitivity: Estimate
    specificity: Estimate
    rate: Estimate | Undefined


class Agreements(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be said of how far judges and people agree, with what to know of it."""

    agreements: tuple[Agreement, ...] = ()
    alphas: tuple[Alpha, ...] = ()
    accuracies: tuple[Accuracy, ...] = ()
    corrected: tuple[Corrected, ...] = ()
    notes: tuple[str, ...] = ()
