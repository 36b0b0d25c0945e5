"""From a paired difference to a word (regressed, improved, changed, equivalent, inconclusive), and what settles it.

In this order (DESIGN.md, section 5), for the difference tuned - base turned so that positive is better, and a margin:

* the narrower interval (90 % beside one of 95 %) lies inside the margin: *equivalent*; that is two one-sided tests at
  5 % each (D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987);
* the interval lies below 0: *regressed*; above 0: *improved*; either, where no direction is better: *changed*;
* otherwise *inconclusive*.

Where all differences are equal and not 0 there is no interval; then the exact sign-flip test takes its place. What this
module does not know: transcripts, the store, what a reader is shown beside the sentence of advice.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from multiturn.measures import BY_NAME
from multiturn.report.numbers import change, number, p_number, unit_of
from multiturn.results import MOVED, Verdict
from multiturn.stats.equivalence import tost
from multiturn.stats.exact import mcnemar, sign_flip
from multiturn.stats.multiplicity import holm
from multiturn.stats.paired import (
    NO_CHANGE,
    PAIR,
    ROUNDING,
    conversations_unchanged,
    difference_interval,
    difference_p,
    outer_ends,
    spread,
    unchanged,
)
from multiturn.stats.power import conversations_for, conversations_for_share, detectable_share, minimum_detectable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.measures import Measure
    from multiturn.pairing import Pair
    from multiturn.results import Contrast, Estimate, Orientation, Plan, Role, VerdictWord

FEW: Final = 5
FEW_OF: Final = 5
"""Where fewer than ``FEW`` conversations changed, or than one in ``FEW_OF``, their spread says too little of what would
be found."""


def decide(
    measure: Measure,
    pair: Pair,
    contrast: Contrast,
    plan: Plan,
    *,
    role: Role = "primary",
    filled: tuple[Pair, ...] | None = None,
    samples: int = 1,
) -> Verdict:
    """What is to be said of one measure, by itself; :func:`as_family` then looks at several together.

    Args:
        measure: Which.
        pair: The conversations that both arms have.
        contrast: The estimates made of them, with the orientation that holds for this suite.
        plan: Margins and level.
        role: What the verdict is for.
        filled: The pair with what is missing filled in, from tuned - base as low as can be to as high as can be, with
            steps between; None: nothing is missing.
        samples: How often each conversation was held; with one, a flag has one verdict per conversation.
    """
    margin = margin_of(measure, plan, contrast.base)
    orientation, level = contrast.orientation, plan.level

    def said(of: Pair) -> VerdictWord:
        return word_of(
            of, margin=margin, orientation=orientation, extreme=measure.extreme, level=level, most=measure.most
        )

    word = said(pair)
    error = spread(pair.differences).error if _spreads(contrast.difference) else None
    ends = filled[::-1] if filled is not None and orientation == "lower_is_better" else filled
    verdict = Verdict(
        measure=measure.name,
        role=role,
        word=word,
        contrast=contrast,
        margin=margin,
        p=p_of(pair),
        exact_p=_mcnemar(pair) if measure.share and samples == 1 else None,
        error=error,
        detectable=_detectable(measure, pair, error, level),
        filled=None if ends is None else tuple(said(end) for end in ends),
        filled_p=None if ends is None else tuple(p_of(end) for end in ends),
    )
    return msgspec.structs.replace(verdict, advice="; ".join(_advice(verdict, level)))


def word_of(
    pair: Pair,
    *,
    margin: float | None,
    orientation: Orientation,
    extreme: float | None,
    level: float,
    most: float | None = None,
) -> VerdictWord:
    """The word for one paired difference.

    Args:
        pair: The conversations that both arms have.
        margin: The largest difference that counts as none, above 0; None: nothing can be called equivalent.
        orientation: Which direction is better, if one is.
        extreme: The largest difference one conversation can have; None where there is none.
        level: Of the interval that decides whether something moved; that for equivalence is ``2 * level - 1``.
        most: The largest difference there can be, where that is more than ``extreme`` allows for one conversation.
    """
    if margin is not None and _is_equivalent(pair, margin, extreme, level):
        return "equivalent"
    wide = difference_interval(pair.base, pair.tuned, level, extreme=extreme, most=most)
    if wide.value is None:
        return "inconclusive"
    if wide.low is None or wide.high is None:
        p = p_of(pair)
        moved = p is not None and p < 1 - level
    else:
        moved = wide.low > 0 or wide.high < 0
    if not moved:
        return "inconclusive"
    if orientation == "neither":
        return "changed"
    return "improved" if (wide.value > 0) == (orientation == "higher_is_better") else "regressed"


def as_family(verdicts: Sequence[Verdict], level: float) -> tuple[Verdict, ...]:
    """The same verdicts; what moved, but does not stand with Holm's adjustment over all of them, is inconclusive.

    What would be said with the missing filled in is held to the same: it is adjusted over the family with all that is
    missing in it filled in the same way.
    """
    adjusted = holm([verdict.p for verdict in verdicts])
    fillings = max((len(verdict.filled_p or ()) for verdict in verdicts), default=0)
    refilled = [
        holm([verdict.p if verdict.filled_p is None else verdict.filled_p[at] for verdict in verdicts])
        for at in range(fillings)
    ]
    tests = sum(p is not None for p in adjusted)
    found = []
    for at, (verdict, p) in enumerate(zip(verdicts, adjusted, strict=True)):
        word = _stands(verdict.word, p, level)
        filled = verdict.filled and tuple(
            _stands(other, p_filled[at], level) for other, p_filled in zip(verdict.filled, refilled, strict=True)
        )
        told = msgspec.structs.replace(verdict, word=word, adjusted_p=p, filled=filled)
        alone = (
            f"by itself it would be {verdict.word} (p = {p_number(verdict.p)}), but it is one of {tests} that are "
            "judged together: the more there are, the sooner one comes out so by chance"
        )
        advice = (*(() if word == verdict.word else (alone,)), *_advice(told, level))
        found.append(msgspec.structs.replace(told, advice="; ".join(advice)))
    return tuple(found)


def _stands(word: VerdictWord, p: float | None, level: float) -> VerdictWord:
    """The word, if it does not say that something moved or its adjusted p value bears that out."""
    return "inconclusive" if word in MOVED and (p is None or p >= 1 - level) else word


def p_of(pair: Pair) -> float | None:
    """The p value of no difference: Student's, or the exact sign-flip test's where all differences are equal.

    1 where nothing changed in two conversations or more; None with fewer.
    """
    if pair.base.size < PAIR:
        return None
    if unchanged(pair.base, pair.tuned):
        return 1.0
    p = difference_p(pair.base, pair.tuned)
    return sign_flip(pair.base.size) if p is None else p


def margin_of(measure: Measure, plan: Plan, base: Estimate) -> float | None:
    """The margin in the measure's own unit; None where it is a share of a base mean that is not there or is 0."""
    margin = plan.margins.get(measure.name, measure.margin)
    if measure.bounds is not None:
        return margin
    return margin * abs(base.value) if base.value else None


def _advice(verdict: Verdict, level: float) -> Iterator[str]:
    """What to know of a verdict beside its numbers, in plain words."""
    paired = verdict.contrast.difference
    if paired.value is None:
        yield "nothing measured"
    elif paired.n < PAIR:
        yield "one conversation says nothing of others"
    elif paired.note == NO_CHANGE and paired.high is not None:
        changed = number(paired.high / (BY_NAME[verdict.measure].extreme or 1.0), "share")
        yield f"no change seen; at most about {changed} of conversations like these would change"
        yield from _what_unchanged_would_settle(verdict, level)
    elif paired.low is None and verdict.p == 1:
        yield "no change seen; how much one that was not held would change can't be told"
    elif paired.low is None:
        yield f"all {paired.n} differences are equal: exact sign-flip test, p = {p_number(verdict.p)}; no interval"
    elif verdict.word == "equivalent" and _is_real(verdict, level):
        yield "a real but small difference"
    elif verdict.word == "inconclusive":
        yield from _what_would_settle(verdict, level)
    tests = {p < 1 - level for p in (verdict.p, verdict.exact_p) if p is not None}
    if verdict.exact_p is not None and len(tests) > 1:
        yield (
            "a test that only counts how many conversations changed each way (McNemar's exact one) disagrees: "
            f"p = {p_number(verdict.exact_p)}"
        )
    if verdict.depends_on_missing and verdict.filled is not None:
        yield _if_missing(verdict, verdict.filled)


def _conversations_for(verdict: Verdict, margin: float, level: float) -> int | None:
    """How many conversations find a difference of the margin; None where no sensible number does."""
    n, extreme = verdict.contrast.difference.n, BY_NAME[verdict.measure].extreme
    if verdict.error is None:
        return None
    try:
        usual = conversations_for(verdict.error * math.sqrt(n), margin, level)
    except ValueError:  # a margin so small that no number of conversations would do
        return None
    if extreme is None or verdict.detectable == minimum_detectable(verdict.error, n, level):
        return usual
    altogether = conversations_for_share(margin / extreme, level)
    return None if altogether is None else max(usual, altogether)


def _what_unchanged_would_settle(verdict: Verdict, level: float) -> Iterator[str]:
    """How many unchanged conversations would be called equivalent, where these are too few for it."""
    if verdict.word != "inconclusive" or verdict.margin is None:
        return
    needed = conversations_unchanged(verdict.margin, 2 * level - 1, BY_NAME[verdict.measure].extreme or 1.0)
    if needed is not None:
        yield f"{needed} unchanged ones would be called equivalent"


def _if_missing(verdict: Verdict, filled: tuple[VerdictWord, ...]) -> str:
    """What the word would be if all that is missing had come out in one way, or in the other, or between."""
    if verdict.contrast.orientation == "neither":
        ways = "had taken tuned down as far as can be", "up"
    else:
        ways = "had gone against tuned", "in its favour"
    stands = change(verdict.contrast.difference.value, unit_of(verdict.measure))
    between = sorted(set(filled) - {filled[0], filled[-1]})
    also = f", {' or '.join(between)} between these" if between else ""
    return (
        f"depends on missing data: {filled[0]} if all that is missing {ways[0]}, {filled[-1]} if {ways[1]}{also} "
        f"({stands} as it stands)"
    )


def _what_would_settle(verdict: Verdict, level: float) -> Iterator[str]:
    """How large a difference this comparison finds, and how many conversations find one as large as the margin."""
    unit, margin, n = unit_of(verdict.measure), verdict.margin, verdict.contrast.difference.n
    if verdict.detectable is None or verdict.error is None:
        return
    finds = f"finds a true difference of {number(verdict.detectable, unit, points=True)} in 80 of 100 cases"
    needed = None if margin is None else _conversations_for(verdict, margin, level)
    if margin is None or needed is None:
        yield f"this comparison {finds}"
    elif needed > n:
        yield (
            f"this comparison {finds}; about {number(needed, 'count')} conversations like these would find one of "
            f"{number(margin, unit, points=True)}"
        )
    else:
        size = number(margin, unit, points=True)
        yield f"this comparison {finds}, less than the margin of {size}: only more conversations can tell"


def _is_equivalent(pair: Pair, margin: float, extreme: float | None, level: float) -> bool:
    """Whether two one-sided tests tell the difference from the margin on either side.

    Where all differences are equal and not 0, a share is held to the ends that one more conversation at either extreme
    gives. A length never is then: nothing bounds what a conversation that was not held would do.
    """
    n, narrow = pair.base.size, 2 * level - 1
    found = difference_interval(pair.base, pair.tuned, narrow, extreme=extreme)
    if found.value is None or n < PAIR:
        return False
    if found.low is not None and found.high is not None:
        if extreme is None:
            return tost(found.value, spread(pair.differences).error, n - 1, margin) < 1 - level
        return -margin < found.low and found.high < margin
    if extreme is None or unchanged(pair.base, pair.tuned):
        return False
    low, high = (float(end) for end in outer_ends(n, found.value, 0.0, narrow, extreme))
    return -margin < low and high < margin


def _detectable(measure: Measure, pair: Pair, error: float | None, level: float) -> float | None:
    """The minimum detectable effect; with few changed conversations that of changes altogether, if it is larger."""
    n = pair.base.size
    usual = None if error is None else minimum_detectable(error, n, level)
    changed = int(np.count_nonzero(~np.isclose(pair.base, pair.tuned, rtol=ROUNDING, atol=ROUNDING)))
    if measure.extreme is None or changed >= max(FEW, n / FEW_OF):
        return usual
    altogether = detectable_share(n, level)
    found = [size for size in (usual, altogether and altogether * measure.extreme) if size is not None]
    return max(found, default=None)


def _mcnemar(pair: Pair) -> float | None:
    """McNemar's exact p where each conversation has one verdict, 0 or 1, in both arms; None elsewhere."""
    values = np.concatenate([pair.base, pair.tuned])
    if not values.size or not np.isin(values, (0.0, 1.0)).all():
        return None
    return mcnemar(int((pair.base > pair.tuned).sum()), int((pair.tuned > pair.base).sum()))


def _spreads(difference: Estimate) -> bool:
    """Whether the differences differ from each other."""
    return difference.low is not None and difference.note != NO_CHANGE


def _is_real(verdict: Verdict, level: float) -> bool:
    """Whether the difference, if a small one, is told from 0."""
    p = verdict.p if verdict.adjusted_p is None else verdict.adjusted_p
    return p is not None and p < 1 - level
