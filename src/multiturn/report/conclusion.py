"""What the verdicts say, in sentences for someone who has never taken a course in statistics.

What this module does not know: how a verdict comes about; each one's own advice is made with it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from multiturn.report.broken import FIX_FIRST, gravest_fact
from multiturn.report.numbers import (
    arms_of,
    change,
    difference_alone,
    estimate_alone,
    label_of,
    number,
    size,
    unit_of,
    whole_percent,
)
from multiturn.report.verdicts import standing
from multiturn.results import MOVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.report.numbers import Unit
    from multiturn.results import Comparison, Estimate, Verdict

CLOSING: Final = (
    "This compares two models on one suite. It is a signal, no proof that either is ready for use "
    "(docs/limits.md says what it does not see)."
)
PAIR: Final = 2
"""Fewer conversations say nothing of others."""
FEW: Final = 30
"""With fewer conversations a reader is told how to hold more."""
PART: Final = "quick"
WHOLE: Final = "mtbench_conversations"
"""The shipped suite that is a part of another one."""

_MORE_AND_LESS: Final = {
    "check_pass": ("passes more checks than", "passes fewer checks than"),
    "turn_pass": ("passes more turns than", "passes fewer turns than"),
    "refusal": ("refuses more often than", "refuses less often than"),
    "refusal_full": ("refuses more often than", "refuses less often than"),
    "refusal_unexpected": ("wrongly refuses more often than", "wrongly refuses less often than"),
    "refusal_missing": ("more often fails to refuse than", "less often fails to refuse than"),
    "empty": ("gives more empty replies than", "gives fewer empty replies than"),
    "cut_off": ("is cut off more often than", "is cut off less often than"),
    "repetition": ("repeats itself inside a reply more than", "repeats itself inside a reply less than"),
    "collapse": ("ends in a loop more often than", "ends in a loop less often than"),
    "sameness": ("says the same again from reply to reply more than", "says the same again less than"),
    "language_change": ("changes language more often than", "changes language less often than"),
    "rating": ("is rated higher by judges than", "is rated lower by judges than"),
    "words": ("writes more words a reply than", "writes fewer words a reply than"),
}
"""What one arm does in comparison with the other, where a measure is higher and where it is lower."""


class Names(NamedTuple):
    """What the two arms are called in a sentence: tuned at its beginning, base inside it."""

    tuned: str
    base: str


ARMS: Final = Names("Tuned", "base")
_TUNED: Final = re.compile(r"\btuned\b")
"""The arm in question, as the advice of a verdict calls it, in which no text of others stands."""
_RUNS: Final = Names("The second run", "the first")


class Opening(NamedTuple):
    """What a comparison comes to, in sentences: the gravest fact, what the primary verdict says, what would settle it,
    and of two runs of one model what that means. Empty is what there is not.
    """  # noqa: D205 - one sentence

    fact: str
    said: tuple[str, ...]
    advice: str
    noise: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of it."""
        return tuple(one for one in (self.fact, *self.said, self.advice, *self.noise) if one)


def sentences(comparison: Comparison) -> Iterator[str]:
    """What stands below the table of verdicts, a paragraph each; the first one says what the table comes to."""
    yield " ".join(opening(comparison).sentences)
    if not comparison.verdicts:
        return
    yield from where_to_start(comparison)
    yield from beside(comparison)
    yield from rules(comparison)
    yield from what_next(comparison)
    yield CLOSING


def primary_of(comparison: Comparison) -> Verdict | None:
    """The verdict that the comparison is about; None where the suite has no turn for it."""
    return next((one for one in comparison.verdicts if one.role == "primary"), None)


def opening(comparison: Comparison, names: Names = ARMS) -> Opening:
    """What it comes to; two runs of one model have names of their own."""
    names = _RUNS if comparison.same_model else names
    called = {"tuned": names.tuned, "base": _capital(names.base)}
    primary = primary_of(comparison)
    return Opening(
        fact=" ".join(gravest_fact(comparison.contrasts, called, comparison.unsound, but=comparison.plan.primary)),
        said=_no_primary(comparison) if primary is None else tuple(_primary(primary, names)),
        advice=f"{_capital(_TUNED.sub(_small(names.tuned), primary.advice))}." if primary and primary.advice else "",
        noise=_false_alarms(comparison) if comparison.same_model and comparison.verdicts else (),
    )


def _no_primary(comparison: Comparison) -> tuple[str, str]:
    label = label_of(comparison.plan.primary)
    why = "no turn of this suite has checks" if label.endswith("passed") else "no turn of this suite is about that"
    return (
        f"No verdict on {label}: {why}.",
        "--primary MEASURE names another measure that the comparison is to be about.",
    )


def _primary(verdict: Verdict, names: Names) -> Iterator[str]:
    """What the first verdict says, and what it could have seen."""
    paired = verdict.contrast.difference
    if paired.value is not None and paired.n >= PAIR:
        yield from _said(verdict, names, paired, paired.value)


def _said(verdict: Verdict, names: Names, paired: Estimate, value: float) -> Iterator[str]:
    label, unit = label_of(verdict.measure), unit_of(verdict.measure)
    base, tuned = arms_of(verdict.contrast)
    arms = f"{tuned} against {base}"
    both = f"the {number(paired.n, 'count')} conversations{' that both have' if paired.missing else ''}"
    if _unchanged(verdict):
        yield f"{names.tuned} and {names.base} have the same {label} in each of {both}."
        return
    if verdict.word == "equivalent":
        yield f"{names.tuned} and {names.base} are about equal in {label}: {arms}, {_near(verdict, unit)}."
    elif verdict.word == "inconclusive":
        yield f"Whether {_small(names.tuned)} and {names.base} differ in {label} can't be told yet: {arms}."
    else:
        yield f"{names.tuned} {does(verdict.measure, value)} {names.base}: {arms}."
    apart = f"{size(value, unit)} {_way(value, unit)}"
    if paired.low is None or paired.high is None:
        yield f"That is {apart} in each of {both}."
    else:
        yield f"On average over {both} it is {apart}{_range(verdict, paired.low, paired.high)}."
    if verdict.word == "changed":
        yield "Neither direction is better as such."


def _near(verdict: Verdict, unit: Unit) -> str:
    margin = "the margin" if verdict.margin is None else f"the margin of {size(verdict.margin, unit)}"
    return f"less than {margin} apart, as far as this suite can tell"


def _range(verdict: Verdict, low: float, high: float) -> str:
    """Where the true difference most likely lies, in words."""
    unit = unit_of(verdict.measure)
    if low < 0 < high:
        ends = [f"{size(end, unit)} {_way(end, unit)}" for end in (low, high)]
        if verdict.word == "inconclusive":
            return f", but the truth may lie anywhere from {ends[0]} to {ends[1]}"
        return f", most likely between {ends[0]} and {ends[1]}"
    near, far = sorted((abs(low), abs(high)))
    return f", most likely between {size(near, unit, named=False)} and {size(far, unit)} {_way(low + high, unit)}"


def _false_alarms(comparison: Comparison) -> tuple[str, str]:
    """What a word means where both runs are of one model."""
    chance = "Both runs are of the same model, so whatever differs is chance"
    moved = [label_of(one.measure) for one in comparison.verdicts if one.word in MOVED]
    if not moved:
        return f"{chance}.", "No measure is said to have moved, as it should be."
    families = len({one.role for one in comparison.verdicts})
    most = number(100 * families * (1 - comparison.plan.level), "count")
    return (
        f"{chance}: {', '.join(moved)} moved, which is a false alarm.",
        f"Up to {most} of 100 such runs have one.",
    )


def farthest(comparison: Comparison) -> Verdict | None:
    """The capability in which the primary measure moved furthest, where it can be said of none that it moved there."""
    found = [one for one in comparison.localisation if one.contrast.difference.value is not None]
    moved = comparison.verdicts[0].contrast.difference.value if comparison.verdicts else None
    if not found or standing(comparison) or moved is None or comparison.same_model:
        return None
    first = max(found, key=lambda one: (one.contrast.difference.value or 0) * moved)
    return first if (first.contrast.difference.value or 0) * moved > 0 else None


def where_to_start(comparison: Comparison) -> Iterator[str]:
    """Where to read first if the primary measure moved, but of no capability it can be said that it moved there."""
    found = farthest(comparison)
    if found is None:
        return
    paired = found.contrast.difference
    way = "fell" if (paired.value or 0) < 0 else "rose"
    some = "1 conversation" if paired.n == 1 else f"{number(paired.n, 'count')} conversations"
    yield (
        f"Which capability {way} can't be said: each has few conversations. "
        f"{_capital(label_of(found.contrast.group[1]))} {way} furthest "
        f"({change(paired.value, unit_of(found.measure))} in {some}), a place to start reading."
    )


def what_next(comparison: Comparison) -> Iterator[str]:
    """What to do where so many conversations settle little."""
    primary = primary_of(comparison)
    if primary is None or comparison.same_model:
        return
    n = primary.contrast.difference.n
    if primary.word != "inconclusive" and n >= FEW:
        return
    name = comparison.suite.partition(",")[0]
    more = (
        f"without --suite {PART} all of {WHOLE} is held"
        if name == PART
        else "leave out --limit and --only, or write more (docs/writing.md)"
    )
    broken = any(note.startswith(FIX_FIRST) for note in comparison.notes)
    fixed = "mend what stands under Fix first, then " if broken else ""
    yield f"Next: {fixed}hold more conversations: {more}. --samples 3 (each three times) helps less."


def beside(comparison: Comparison) -> Iterator[str]:
    """What is to be known of the other verdicts; and of lengths their ratio and median difference, with an interval."""
    primary = primary_of(comparison)
    medians = {one.measure: one.estimate for one in comparison.medians if one.estimate.low is not None}
    times = {one.measure: one.ratio for one in comparison.ratios if one.ratio.low is not None}
    for verdict in comparison.verdicts:
        told = []
        if verdict.measure in times and not _unchanged(verdict):
            told.append(f"tuned has {estimate_alone(times[verdict.measure], 'score')} times as many as base")
        if verdict.measure in medians and not _unchanged(verdict):
            middle = difference_alone(medians[verdict.measure], unit_of(verdict.measure))
            told.append(f"in the middle one of all conversations the difference is {middle}")
        if verdict.advice and verdict is not primary and verdict.contrast.difference.n >= PAIR:
            told.append(verdict.advice)
        if told:
            yield f"{label_of(verdict.measure)}: {'; '.join(told)}."


def _unchanged(verdict: Verdict) -> bool:
    """Whether no conversation differs: then the difference says so beside its number, and its p value is 1."""
    return verdict.p == 1 and bool(verdict.contrast.difference.note)


def rules(comparison: Comparison) -> Iterator[str]:
    """How the words were found: the margins where they count, and why some measures are judged more strictly."""
    verdicts = comparison.verdicts
    yield from _margins(verdicts, comparison.plan.level)
    beside = sum(one.role == "secondary" for one in verdicts)
    if beside > 1:
        which = " below the primary one" if beside < len(verdicts) else ""
        yield (
            f"The {number(beside, 'count')} measures{which} are judged together, and so more strictly: the more one "
            "looks at, the sooner one of them differs by chance."
        )


def _margins(verdicts: Sequence[Verdict], level: float) -> Iterator[str]:
    """What the words say that margins have a part in, where they are said."""
    found = [one for one in verdicts if one.margin is not None and one.word in ("equivalent", "inconclusive")]
    if not found:
        return
    words = {one.word for one in found}
    said = []
    if "equivalent" in words:
        narrower = f"by a {whole_percent(2 * level - 1)} interval, narrower than the one shown"
        said.append(f"EQUIVALENT: very likely within the margin ({narrower}).")
    if "inconclusive" in words:
        said.append("INCONCLUSIVE: neither surely different nor surely within the margin.")
    margins = ", ".join(
        f"{label_of(one.measure)} {number(one.margin, unit_of(one.measure), points=True)}" for one in found
    )
    said.append(f"The margin is a difference that you would not care about: {margins} (--margin sets yours).")
    yield " ".join(said)


def does(measure: str, value: float) -> str:
    """What an arm does in comparison with another where its number is so much higher: ``passes fewer checks than``."""
    more, less = _MORE_AND_LESS.get(
        measure, (f"has more {label_of(measure)} than", f"has less {label_of(measure)} than")
    )
    return more if value > 0 else less


def _way(value: float, unit: Unit) -> str:
    if unit in {"words", "sentences", "characters", "tokens"}:
        return "more" if value > 0 else "fewer"
    return "higher" if value > 0 else "lower"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]
