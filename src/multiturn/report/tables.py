"""Rows of text for every table, and the only place of the project that turns numbers into text.

A number's look depends on its unit alone. An estimate never stands without what it rests on:
``41.7% [30.9, 52.5] n=20, 2 missing``. What this module does not know: terminals, Markdown, HTML, untrusted text (the
one who shows a cell makes it safe).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from multiturn.finding import SignalUnit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.results import Comparison, Contrast, Estimate

Unit = SignalUnit | Literal["score", "times", "count"]
"""``score``: a grade or distance, two decimals; ``times``: a ratio; ``count``: whole things."""

ABSENT: Final = "-"
_PERCENT: Final = frozenset({"flag", "share"})
_DECIMALS: Final[dict[Unit, int]] = {
    "characters": 0,
    "words": 0,
    "tokens": 0,
    "count": 0,
    "sentences": 1,
    "times": 1,
    "flag": 1,
    "share": 1,
    "score": 2,
}

UNITS: Final[dict[str, Unit]] = {
    "refusal": "flag",
    "refusal_full": "flag",
    "empty": "flag",
    "cut_off": "flag",
    "overflowed": "flag",
    "repetition": "share",
    "collapse": "flag",
    "sameness": "share",
    "language_change": "flag",
    "role_leakage": "flag",
    "words": "words",
    "words_nonempty": "words",
    "sentences": "sentences",
    "characters": "characters",
    "tokens": "tokens",
    "missing": "flag",
}
"""The unit of each measure; one that is not here is a ``score``."""

LABELS: Final[dict[str, str]] = {
    "refusal": "refusals",
    "refusal_full": "full refusals",
    "empty": "empty replies",
    "cut_off": "cut off",
    "overflowed": "overflowed",
    "role_leakage": "role leakage",
    "missing": "missing turns",
    "words_nonempty": "words if not empty",
}
"""What a reader sees of a measure, where that is not its name."""

IN_SHORT: Final = ("refusal", "words")
"""The measures shown turn by turn and capability by capability where a reader has one screen."""
LEFT_OUT_IN_SHORT: Final = frozenset({"words_nonempty", "characters", "tokens"})
IN_GROUPS: Final = (*IN_SHORT, "empty", "cut_off", "repetition", "collapse", "sameness")
"""The measures shown in every kind of group where all is asked for; the rest is in the first table and the exports."""

_NOTHING: Final = "no conversation measured"
_HEADER: Final = ("n", "base", "tuned", "tuned - base")


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """One table as text: every row has as many cells as the header. Cells may hold untrusted text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    footnote: str = ""


def number(value: float | None, unit: Unit) -> str:
    """A number in its unit: percent for flags and shares, whole words, ``-`` for one that is not there.

    Raises:
        ValueError: It is NaN or infinite.
    """
    if value is None:
        return ABSENT
    return f"{_digits(value, unit)}{'%' if unit in _PERCENT else ''}"


def estimate(value: Estimate, unit: Unit) -> str:
    """An arm's mean with its interval and what it rests on: ``41.7% [30.9, 52.5] n=20, 2 missing``."""
    return _estimate(value, unit, suffix="%" if unit in _PERCENT else "", sign="")


def difference(value: Estimate, unit: Unit) -> str:
    """Tuned - base, always with its sign; rates differ in percentage points: ``+12.5 pp [+4.9, +20.1] n=20``."""
    return _estimate(value, unit, suffix=_difference_suffix(unit), sign="+")


def unit_of(measure: str) -> Unit:
    """The unit of a measure."""
    return UNITS.get(measure, "score")


def label_of(name: str) -> str:
    """What a reader sees of a measure, a capability or a category."""
    return LABELS.get(name, name.replace("_", " "))


def overall(comparison: Comparison) -> Table:
    """Every measure over all turns."""
    chosen = [contrast for contrast in comparison.contrasts if contrast.group[0] == "all"]
    return Table(
        title="All turns",
        header=("measure", *_HEADER),
        rows=tuple((label_of(contrast.measure), *_cells(contrast)) for contrast in chosen),
        footnote=_footnote(chosen),
    )


def overall_short(comparison: Comparison) -> Table:
    """The table of all turns without what did not occur in either arm, which the last row names."""
    chosen = [one for one in comparison.contrasts if one.group[0] == "all" and one.measure not in LEFT_OUT_IN_SHORT]
    silent = [one for one in chosen if one.base.value == one.tuned.value == 0 and not one.difference.missing]
    rows = [(label_of(one.measure), *_cells(one)) for one in chosen if one not in silent]
    names = ", ".join(label_of(one.measure) for one in silent)
    return Table(
        title="All turns",
        header=("measure", *_HEADER),
        rows=tuple(rows),
        footnote=f"0 in both: {names}." if names else "",
    )


def lengths(comparison: Comparison, measures: Sequence[str] | None = None) -> Table:
    """How long the replies of each arm are, from the shortest to the longest; all measures where none are named."""
    return Table(
        title="Length of replies",
        header=("measure", "arm", "replies", "shortest", "10%", "median", "90%", "longest"),
        rows=tuple(
            (
                label_of(one.measure),
                one.arm,
                number(one.n, "count"),
                *(number(value, unit_of(one.measure)) for value in one.quantiles),
            )
            for one in comparison.distributions
            if measures is None or one.measure in measures
        ),
        footnote="Over replies: a description, with no error bar.",
    )


def by_group(comparison: Comparison, kind: str, measure: str) -> Table:
    """One measure in every group of a kind: ``turn``, ``capability``, ``category`` or ``domain``."""
    chosen = [one for one in comparison.contrasts if one.group[0] == kind and one.measure == measure]
    return Table(
        title=f"{label_of(measure).capitalize()} by {kind}",
        header=(kind, *_HEADER),
        rows=tuple((one.group[1] if kind == "domain" else label_of(one.group[1]), *_cells(one)) for one in chosen),
        footnote=_footnote(chosen),
    )


def per_turn(comparison: Comparison, measures: Sequence[str] = IN_GROUPS) -> list[Table]:
    """One table a measure: how it goes from turn to turn."""
    return _tables(comparison, "turn", measures)


def per_capability(comparison: Comparison, measures: Sequence[str] = IN_GROUPS) -> list[Table]:
    """One table a measure: by what the turns probe."""
    return _tables(comparison, "capability", measures)


def per_category(comparison: Comparison, measures: Sequence[str] = IN_GROUPS) -> list[Table]:
    """One table a measure: by kind of task."""
    return _tables(comparison, "category", measures)


def per_domain(comparison: Comparison, measures: Sequence[str] = IN_GROUPS) -> list[Table]:
    """One table a measure: by domain, as the suite names them."""
    return _tables(comparison, "domain", measures)


def most_changed(comparison: Comparison, limit: int = 10) -> Table:
    """The conversations to read first; those that did not change at all are left out."""
    changed = [change for change in comparison.changes if change.score > 0]
    shown = changed[:limit]
    more = len(changed) - len(shown)
    return Table(
        title="Changed most",
        header=("conversation", "score", "why"),
        rows=tuple(
            (change.conversation, number(change.score, "score"), "; ".join(change.reasons) or "other words")
            for change in shown
        ),
        footnote="An order to read in, no statistic."
        + (f" {number(more, 'count')} more changed less." if more else ""),
    )


def short_tables(comparison: Comparison) -> list[Table]:
    """What fits on a screen or two: all turns, turn by turn, by capability, and what to read first."""
    tables = [
        overall_short(comparison),
        lengths(comparison, IN_SHORT),
        *per_turn(comparison, IN_SHORT),
        *per_capability(comparison, IN_SHORT),
        most_changed(comparison),
    ]
    return [table for table in tables if table.rows]


def all_tables(comparison: Comparison) -> list[Table]:
    """Every table that has a row, in reading order."""
    tables = [
        overall(comparison),
        lengths(comparison),
        *per_turn(comparison),
        *per_capability(comparison),
        *per_category(comparison),
        *per_domain(comparison),
        most_changed(comparison),
    ]
    return [table for table in tables if table.rows]


def _tables(comparison: Comparison, kind: str, measures: Sequence[str]) -> list[Table]:
    """The tables of those measures that are above 0 somewhere: what never occurs has no place to show."""
    occurs = {
        one.measure for one in comparison.contrasts if one.group[0] == kind and (one.base.value or one.tuned.value)
    }
    return [by_group(comparison, kind, measure) for measure in measures if measure in occurs]


def _cells(contrast: Contrast) -> tuple[str, str, str, str]:
    """What it rests on, each arm, and the difference with its interval."""
    unit, paired = unit_of(contrast.measure), contrast.difference
    rests_on = f"{paired.n}, {paired.missing} missing" if paired.missing else f"{paired.n}"
    arms = number(contrast.base.value, unit), number(contrast.tuned.value, unit)
    return rests_on, *arms, _estimate(paired, unit, suffix=_difference_suffix(unit), sign="+", counts=False)


def _difference_suffix(unit: Unit) -> str:
    return " pp" if unit in _PERCENT else ""


def _footnote(contrasts: Sequence[Contrast]) -> str:
    """What the brackets are; nothing where there are none."""
    levels = {number(one.difference.level, "share").replace(".0%", "%") for one in contrasts}
    if not levels:
        return ""
    return (
        f"n: conversations. [low, high]: {' and '.join(sorted(levels))} t interval of the mean paired difference; "
        "one that holds 0 leaves open whether anything changed."
    )


def _estimate(value: Estimate, unit: Unit, *, suffix: str, sign: Literal["", "+"], counts: bool = True) -> str:
    missing = f"{value.missing} missing" if value.missing else ""
    if value.value is None:
        return f"{ABSENT} ({missing or _NOTHING})"
    parts = [f"{_digits(value.value, unit, sign)}{suffix}"]
    if value.low is not None and value.high is not None:
        parts.append(f"[{_digits(value.low, unit, sign)}, {_digits(value.high, unit, sign)}]")
    if counts:
        parts.append(f"n={value.n}, {missing}" if missing else f"n={value.n}")
    if value.low is None and value.note:
        parts.append(f"({value.note})")
    return " ".join(parts)


def _digits(value: float, unit: Unit, sign: Literal["", "+"] = "") -> str:
    """The digits, rounded to the unit's decimals; a zero has no sign."""
    if not math.isfinite(value):
        raise ValueError("a number to show must be finite; one that is not there is None")
    scaled = value * 100 if unit in _PERCENT else value
    text = f"{scaled:{sign}.{_DECIMALS[unit]}f}"
    return text.lstrip("+-") if not any(digit in "123456789" for digit in text) else text
