"""What is concluded: estimates, contrasts, verdicts, comparisons. Pure values; nothing here computes."""

from __future__ import annotations

import math
from typing import Final, Literal

import msgspec

from multiturn.conversation import Capability, require
from multiturn.display import html_of

VerdictWord = Literal["regressed", "improved", "changed", "equivalent", "inconclusive"]
"""``changed`` is said of a measure that has no better direction (length)."""

MOVED: Final[frozenset[VerdictWord]] = frozenset({"regressed", "improved", "changed"})
"""The words that say that something is different."""

Role = Literal["primary", "secondary", "localisation"]
"""What a verdict is for: the one measure that was declared, the family beside it, or where the primary moved."""

Orientation = Literal["higher_is_better", "lower_is_better", "neither"]


SHARES: Final = (0.0, 0.1, 0.5, 0.9, 1.0)
"""Where the quantiles of a distribution stand: lowest, 10 %, median, 90 %, highest."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over conversations with its interval.

    ``value`` is None where nothing could be measured; ``low`` and ``high`` are None where no interval is defined
    (fewer than two conversations, or no spread at all: ``note`` says which). ``level`` is the interval's, in (0, 1).
    ``n`` counts the conversations it rests on, ``missing`` those that could not be measured.
    """

    value: float | None
    n: int
    missing: int
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    note: str = ""

    def __post_init__(self) -> None:
        numbers = [number for number in (self.value, self.low, self.high) if number is not None]
        require(all(math.isfinite(number) for number in numbers), "an estimate must be finite")
        require(self.n >= 0 and self.missing >= 0, "counts must not be negative")
        require((self.value is None) == (self.n == 0), "an estimate has a value exactly where n is above 0")
        require((self.low is None) == (self.high is None), "an interval has two ends or none")
        require(self.low is None or self.high is None or self.low <= self.high, "an interval's ends are swapped")
        require(0 < self.level < 1, "level must be between 0 and 1")


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """One measure in one group of turns: each arm, and tuned - base paired by conversation.

    ``group`` is ``("all", "")``, ``("turn", "2")``, ``("capability", "correction")`` ... ``difference`` rests on the
    conversations that both arms have.
    """

    measure: str
    group: tuple[str, str]
    base: Estimate
    tuned: Estimate
    difference: Estimate
    orientation: Orientation = "neither"


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of one run in one group of turns; ``group`` as in :class:`Contrast`."""

    measure: str
    group: tuple[str, str]
    estimate: Estimate


class PassRates(msgspec.Struct, frozen=True, kw_only=True):
    """What the checks of one run say, first over all turns, then by group; empty where its suite has no checks."""

    rates: tuple[Measured, ...]
    notes: tuple[str, ...]


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """How one arm's replies spread in one measure, over all turns: description only, since replies of one conversation
    are not independent. ``quantiles`` stand at ``SHARES``; ``n`` counts replies.
    """  # noqa: D205 - one sentence with its reason

    measure: str
    arm: Literal["base", "tuned"]
    n: int
    quantiles: tuple[float, ...]

    def __post_init__(self) -> None:
        require(self.n > 0, "a distribution needs a reply")
        require(len(self.quantiles) == len(SHARES), "a distribution has a quantile for each of its shares")
        require(all(math.isfinite(value) for value in self.quantiles), "quantiles must be finite")


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a comparison is to conclude: the primary measure, the margins, and how often one may look.

    It is as the command gave it, and nobody checks when: given after looking, it deceives. ``margins`` overrule each
    measure's own (:class:`multiturn.measures.Measure`), by name, in the measure's own unit (0.1 is ten points of a
    share; of a length it is a share of base's mean). ``level`` is that of every interval: 0.95, or 0.975 where the
    comparison may be extended once, since two looks then share the 5 %; above 0.5, or that of equivalence,
    ``2 * level - 1``, would be none. ``look`` is 1 or 2.
    """

    primary: str = "check_pass"
    margins: dict[str, float] = {}
    level: float = 0.95
    look: int = 1

    def __post_init__(self) -> None:
        require(bool(self.primary), "the primary measure has no name")
        for name, margin in self.margins.items():
            require(math.isfinite(margin) and margin > 0, f"the margin of {name} must be above 0")
        require(0.5 < self.level < 1, "level must be above 0.5 and below 1")  # noqa: PLR2004 - said in the text
        require(self.look in (1, 2), "look is 1 or 2")


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of one measure, and what would settle it where it is inconclusive.

    ``margin`` (in the measure's unit; None where there is none to hold against) is the largest difference that counts
    as none. ``p`` is that of Student's t test (of the exact sign-flip test where all differences are equal), None where
    there is no test; ``adjusted_p`` is Holm's within the family, None for the primary, which has a family of its own.
    ``exact_p`` is McNemar's, where each conversation has one verdict. ``error`` is the standard error of the paired
    difference, ``detectable`` the minimum detectable effect: the true difference that a comparison like this one finds
    in 80 of 100 cases. ``filled`` are the words that would be said if all that is missing had come out as badly for
    tuned as can be, a step better, and so on to as well as can be (where no direction is better: as low, to as high;
    None: nothing is missing), and ``filled_p`` the p values that they would rest on.
    """

    measure: str
    role: Role
    word: VerdictWord
    contrast: Contrast
    margin: float | None = None
    p: float | None = None
    adjusted_p: float | None = None
    exact_p: float | None = None
    error: float | None = None
    detectable: float | None = None
    filled: tuple[VerdictWord, ...] | None = None
    filled_p: tuple[float | None, ...] | None = None
    advice: str = ""

    @property
    def depends_on_missing(self) -> bool:
        """Whether filling in what is missing could change the word."""
        return self.filled is not None and any(word != self.word for word in self.filled)


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """What another size of comparison could detect: ``detectable`` is its minimum detectable effect."""

    conversations: int
    samples: int
    detectable: float


class NoiseFloor(msgspec.Struct, frozen=True, kw_only=True):
    """Where the uncertainty of a difference comes from; needs two samples of each conversation or more.

    Variances are of the paired difference of one conversation, in the measure's unit squared: ``between``
    conversations, ``within`` one from sample to sample (both arms together), ``judging`` from judgment to judgment
    (None without a judge). ``like_these`` is the difference with its interval for conversations like these, ``these``
    for exactly these, held anew.
    """

    measure: str
    samples: float
    between: float
    within: float
    judging: float | None
    like_these: Estimate
    these: Estimate
    outlook: tuple[Outlook, ...]


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """Tuned's mean by base's, over the conversations that both have, with its BCa interval."""

    measure: str
    ratio: Estimate


class Flip(msgspec.Struct, frozen=True, kw_only=True):
    """A check of one reply that base passed and tuned fails, or the other way round.

    ``turn`` (from 0) and ``check`` (its place in the turn) say which, ``wants`` what it asks for; ``before`` is base's
    answer, ``after`` tuned's. ``reason`` is why the one that fails does, ``why`` what that means in the suite's words
    (empty where it does not say); ``base_words`` and ``tuned_words`` are what in each reply decided, where something
    did (the beginning of what is long).
    """

    conversation: str
    sample: int
    turn: int
    capability: Capability | None
    check: int
    kind: str
    wants: str
    before: Literal["pass", "fail"]
    after: Literal["pass", "fail"]
    reason: str
    why: str = ""
    base_words: str | None = None
    tuned_words: str | None = None

    def __post_init__(self) -> None:
        require(self.before != self.after, "a check that did not flip is no flip")


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """How much one conversation changed: a score to sort by (0 = not at all), the reasons in words, flipped checks."""

    conversation: str
    score: float
    reasons: tuple[str, ...]
    flips: tuple[Flip, ...] = ()


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs under identical conditions, paired conversation by conversation.

    ``suite`` and ``expectations`` (:attr:`multiturn.conversation.Suite.expectations`) say which checks were asked.
    ``same_model``: an A/A run, in which whatever differs is noise. ``verdicts`` begin with the primary one where it has
    one; ``localisation`` says where the primary moved, and is empty where it did not. ``decay`` contrasts late turns (4
    and on) less the early one (2), inside conversations that have both. ``profile`` has the primary measure by
    capability and turn, and by category and turn. ``medians`` are of the paired differences of lengths.
    ``unsound`` is the share of base's, and of tuned's, replies that are empty, cut off, or refusals that the suite does
    not call right (None: no reply).
    """

    base_run: str
    tuned_run: str
    contrasts: tuple[Contrast, ...]
    changes: tuple[Change, ...]
    distributions: tuple[Distribution, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    suite: str = ""
    expectations: str = ""
    same_model: bool = False
    plan: Plan = Plan()
    localisation: tuple[Verdict, ...] = ()
    decay: Contrast | None = None
    profile: tuple[Contrast, ...] = ()
    noise: tuple[NoiseFloor, ...] = ()
    ratios: tuple[Ratio, ...] = ()
    medians: tuple[Measured, ...] = ()
    unsound: tuple[float | None, float | None] = (None, None)

    def _repr_html_(self) -> str | None:
        """For notebooks."""
        return html_of(self)


class HistoryGap(msgspec.Struct, frozen=True, kw_only=True):
    """Checks passed with a model's own history against golden history: a gap, not a cause.

    One contrast for each of ``models``: ``base`` is golden history, ``tuned`` the model's own. ``between`` contrasts
    the gaps of two models; None where there is one.
    """

    models: tuple[str, ...]
    arms: tuple[Contrast, ...]
    between: Contrast | None = None
