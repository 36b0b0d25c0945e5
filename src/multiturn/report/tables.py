"""Rows of text for every table.

What this module does not know: how numbers look (``numbers.py``), terminals, Markdown, HTML, untrusted text (the one
who shows a cell makes it safe).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.finding import FAILS_AS_REFUSAL
from multiturn.report.numbers import (
    ABSENT,
    arms_of,
    difference_alone,
    estimate,
    in_short,
    label_of,
    level,
    number,
    unit_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.results import Change, Comparison, Contrast, Estimate, Flip, PassRates

CHECKS: Final = "check_pass"
"""The measure that stands first, and is shown even where it is 0 in both arms."""
LEFT_OUT_IN_SHORT: Final = frozenset({"words_nonempty", "sentences", "characters", "tokens"})
"""Measures that say again what the words say."""
IN_GROUPS: Final = (
    *("refusal", "words", "refusal_unexpected", "refusal_missing"),
    *("empty", "cut_off", "repetition", "collapse", "sameness"),
)
"""The measures shown in every kind of group where all is asked for; the rest is in the first table and the exports."""

MOST_FLIPS: Final = 3
"""Flipped checks that are listed where a reader has one screen."""
MOST_CHANGED: Final = 3
"""Conversations to read first that are listed where a reader has one screen."""
MOST_WHY: Final = 50
"""Characters that the reasons for each of them have there; there is always one."""

_OF_BOTH: Final = "tuned - base: over the conversations that have a value in both."
_FIRST_COLUMN: Final = {"distance": "turns back"}
"""What the groups of a kind are, where the kind's name does not say it."""
QUOTED: Final = 60
"""Characters of what a check wants, and of the words that decided."""
_FLIPPED: Final = ("conversation", "turn", "capability", "what it is to catch", "base -> tuned", "what decided")
_CHECKS_ARE: Final = "A check is an exact test of one reply, written in the suite."
_HEADER: Final = ("n", "base", "tuned", "tuned - base")
_ARMS: Final = (None, None, ("arm", "base"), ("arm", "tuned"), None)
"""What the columns are about: the name, and those of ``_HEADER``."""
_NUMBER: Final = re.compile(r"(?:[-+\d.,%\[\]\s>=]|pp|n|missing|\([^)]*\))*")
"""What the text of a number is made of: an interval and what it rests on belong to it."""


class Spot(msgspec.Struct, frozen=True):
    """One turn of a conversation (None: all of it) in one sample, both from 0."""

    conversation: str
    turn: int | None = None
    sample: int = 0


Place = tuple[str, str]
"""What a row, a column or a whole table is about: a group as in :class:`multiturn.results.Contrast`, ``("measure",
"refusal")`` or ``("arm", "tuned")``."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """One table as text: every row has as many cells as the header. Cells may hold untrusted text.

    ``words`` are the columns (from 0) that may be broken between words where there is little room; numbers may not.
    ``about``, ``rows_about`` and ``columns_about`` say of which transcripts it tells (an entry for each row, and for
    each column; or none), for someone who can lead a reader there.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    footnote: str = ""
    words: tuple[int, ...] = ()
    about: Place | None = None
    rows_about: tuple[Place | Spot | None, ...] = ()
    columns_about: tuple[Place | None, ...] = ()

    @property
    def numbers(self) -> frozenset[int]:
        """The columns (from 0) in which numbers stand, and nothing else; the first one names the rows."""
        return frozenset(
            at
            for at in range(1, len(self.header))
            if at not in self.words and all(_NUMBER.fullmatch(cells[at]) for cells in self.rows)
        )


def rests_on(found: Estimate) -> str:
    """How many conversations it rests on, and how many are missing."""
    return f"{found.n}, {found.missing} missing" if found.missing else f"{found.n}"


def footnotes_once(tables: Sequence[Table]) -> list[Table]:
    """The same; a footnote that a later table has too, or has more of, is left to that one."""
    return [
        msgspec.structs.replace(table, footnote="")
        if any(table.footnote in later.footnote for later in tables[at:])
        else table
        for at, table in enumerate(tables, 1)
    ]


def brackets(contrasts: Sequence[Contrast]) -> str:
    """What the columns of a contrast are, for a reader who has never seen an interval; nothing where there are none."""
    levels = {level(one.difference) for one in contrasts}
    if not levels:
        return ""
    return (
        "n: conversations. [low, high]: where the true difference most likely lies "
        f"({' and '.join(sorted(levels))} interval); with 0 inside, there may be none."
        f"{f' {_OF_BOTH}' if any(map(_apart, contrasts)) else ''}"
    )


def overall(comparison: Comparison) -> Table:
    """Every measure over all turns."""
    chosen = [contrast for contrast in comparison.contrasts if contrast.group[0] == "all"]
    return Table(
        title="All turns",
        header=("measure", *_HEADER),
        rows=tuple((label_of(contrast.measure), *_cells(contrast)) for contrast in chosen),
        footnote=brackets(chosen),
        rows_about=tuple(("measure", contrast.measure) for contrast in chosen),
        columns_about=_ARMS,
    )


def overall_short(comparison: Comparison) -> Table:
    """The table of all turns without what has a verdict or is said by another row.

    Below it stands what did not occur in either arm, and what applied to no reply of either.
    """
    concluded = {verdict.measure for verdict in comparison.verdicts}
    left_out = LEFT_OUT_IN_SHORT | concluded
    every = {one.measure: one for one in comparison.contrasts if one.group[0] == "all"}
    all_full = "refusal_full" in every and _alike(every["refusal_full"], every.get("refusal"))
    if all_full:
        left_out |= {"refusal_full"}
    chosen = [one for one in every.values() if one.measure not in left_out]
    silent = [
        one
        for one in chosen
        if one.base.value == one.tuned.value == 0 and not one.difference.missing and one.measure != CHECKS
    ]
    idle = [one for one in chosen if _does_not_apply(one)]
    rows = [(label_of(one.measure), *_cells(one)) for one in chosen if one not in silent and one not in idle]
    about = (
        f"0 in both: {_labels(silent)}." if silent else "",
        f"Did not apply: {_labels(idle)}." if idle else "",
        "All refusals are full ones." if all_full and every["refusal_full"] not in silent else "",
        _OF_BOTH if any(_apart(one) for one in chosen) else "",
    )
    return Table(
        title="Other measures" if concluded else "All turns",
        header=("measure", *_HEADER),
        rows=tuple(rows),
        footnote=" ".join(text for text in about if text),
    )


def _labels(contrasts: Sequence[Contrast]) -> str:
    return ", ".join(label_of(one.measure) for one in contrasts)


def _does_not_apply(one: Contrast) -> bool:
    """Whether neither arm has a reply that the measure is of, and that is not because something is missing."""
    estimates = one.base, one.tuned, one.difference
    return all(found.value is None and not found.missing for found in estimates)


def _alike(one: Contrast, other: Contrast | None) -> bool:
    """Whether both say the same of either arm, and something at all."""
    if other is None or not (one.base.value or one.tuned.value):
        return False
    return (one.base.value, one.tuned.value) == (other.base.value, other.tuned.value)


def _apart(one: Contrast) -> bool:
    """Whether the difference rests on fewer conversations than an arm."""
    return one.difference.n < max(one.base.n, one.tuned.n)


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
    """One measure in every group of a kind: ``turn``, ``capability``, ``distance``, ``category`` or ``domain``."""
    chosen = [one for one in comparison.contrasts if one.group[0] == kind and one.measure == measure]
    return Table(
        title=f"{label_of(measure).capitalize()} by {kind}",
        header=(_FIRST_COLUMN.get(kind, kind), *_HEADER),
        rows=tuple((one.group[1] if kind == "domain" else label_of(one.group[1]), *_cells(one)) for one in chosen),
        footnote=brackets(chosen),
        about=("measure", measure),
        rows_about=tuple(one.group for one in chosen),
        columns_about=_ARMS,
    )


def checks_passed(comparison: Comparison, kinds: Sequence[str]) -> list[Table]:
    """One table a kind of group: how many checks pass; none where the suite has no checks."""
    found = [by_group(comparison, kind, CHECKS) for kind in kinds]
    return [table for table in found if table.rows]


def flipped_checks(comparison: Comparison) -> Table:
    """The checks that one arm passes and the other fails: what tuned lost first, by how much conversations changed."""
    flips = _flips(comparison)
    return Table(
        title="Flipped checks",
        header=_FLIPPED,
        rows=tuple(_flip_rows(comparison, flips)),
        footnote=_CHECKS_ARE,
        words=(2, 3, 5),
        rows_about=tuple(Spot(flip.conversation, flip.turn, flip.sample) for flip in flips),
    )


def flipped_checks_short(comparison: Comparison) -> Table:
    """One of each conversation, without the capability: its column is what makes the others narrow.

    Which way they flipped stands in the title where it is one way; if that is to refusals, one of them is quoted.
    """
    flips = _flips(comparison)
    first: dict[str, Flip] = {}
    for flip in flips:
        first.setdefault(flip.conversation, flip)
    shown = list(first.values())[:MOST_FLIPS]
    more = len(flips) - len(shown)
    rows = list(_flip_rows(comparison, shown))
    left_out = {2}
    title = "Flipped checks"
    about = [_CHECKS_ARE, *([f"One of each conversation; {number(more, 'count')} more."] if more else [])]
    if len({flip.after for flip in shown}) == 1:
        left_out.add(4)
        loses, wins = ("tuned", "base") if shown[0].after == "fail" else ("base", "tuned")
        refuses = all(flip.reason == FAILS_AS_REFUSAL for flip in shown)
        title = f"Flipped checks: {wins} passes, {loses} {'refuses' if refuses else 'fails'}"
        if refuses:
            left_out.add(5)
            about.insert(1, f"The first one is {rows[0][5]}.")
    kept = [at for at in range(len(_FLIPPED)) if at not in left_out]
    return Table(
        title=title,
        header=tuple(_FLIPPED[at] for at in kept),
        rows=tuple(tuple(cells[at] for at in kept) for cells in rows),
        footnote=" ".join(about),
        words=tuple(place for place, at in enumerate(kept) if at in (3, 5)),
    )


def _flips(comparison: Comparison) -> list[Flip]:
    """What tuned lost first; the most changed conversations stay first (sorting is stable)."""
    flips = [flip for change in comparison.changes for flip in change.flips]
    return sorted(flips, key=lambda flip: flip.after == "pass")


def _flip_rows(comparison: Comparison, flips: Sequence[Flip]) -> Iterator[tuple[str, ...]]:
    """A row for each; the sample is named where there are several: of those there is a noise floor."""
    several = bool(comparison.noise) or any(flip.sample for flip in flips)
    for flip in flips:
        yield (
            flip.conversation,
            f"{flip.turn + 1} (sample {flip.sample + 1})" if several else f"{flip.turn + 1}",
            label_of(flip.capability or ABSENT),
            in_short(flip.why or f"not: {flip.wants}", QUOTED),
            f"{flip.before} -> {flip.after}",
            _decided(flip),
        )


def pass_rates(found: PassRates) -> Table:
    """How many checks one run passes: over all turns, and by what the turns probe."""
    shown = [one for one in found.rates if one.group[0] in ("all", "capability")]
    levels = {level(one.estimate) for one in shown}
    return Table(
        title="Checks passed",
        header=("turns", "checks passed"),
        rows=tuple((label_of(one.group[1] or "all"), estimate(one.estimate, unit_of(one.measure))) for one in shown),
        footnote=f"Mean over n conversations with its {' and '.join(sorted(levels))} interval.",
        rows_about=tuple(one.group for one in shown),
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


def most_changed_short(comparison: Comparison) -> Table:
    """The first of those to read, each with its first reasons and without the score, which is no statistic."""
    changed = [change for change in comparison.changes if change.score > 0]
    shown = changed[:MOST_CHANGED]
    return Table(
        title=f"Changed most: {number(len(shown), 'count')} of {number(len(changed), 'count')} to read first",
        header=("conversation", "why"),
        rows=tuple((change.conversation, _why_in_short(change)) for change in shown),
    )


def most_changed(comparison: Comparison, limit: int = 10) -> Table:
    """The conversations to read first, with all reasons; those that did not change at all are left out."""
    changed = [change for change in comparison.changes if change.score > 0]
    shown = changed[:limit]
    more = len(changed) - len(shown)
    return Table(
        title="Changed most",
        header=("conversation", "score", "why"),
        rows=tuple((change.conversation, number(change.score, "score"), _why(change)) for change in shown),
        footnote="An order to read in, no statistic."
        + (f" {number(more, 'count')} more changed less." if more else ""),
        rows_about=tuple(Spot(change.conversation) for change in shown),
    )


def _tables(comparison: Comparison, kind: str, measures: Sequence[str]) -> list[Table]:
    """The tables of those measures that are above 0 somewhere: what never occurs has no place to show."""
    occurs = {
        one.measure for one in comparison.contrasts if one.group[0] == kind and (one.base.value or one.tuned.value)
    }
    return [by_group(comparison, kind, measure) for measure in measures if measure in occurs]


def _why(change: Change) -> str:
    return "; ".join(change.reasons) or "other words"


def _why_in_short(change: Change) -> str:
    """As many reasons as have room."""
    reasons = change.reasons
    cut = ["; ".join((*reasons[:most], "...")) for most in range(len(reasons) - 1, 0, -1)]
    return next((text for text in (_why(change), *cut) if len(text) <= MOST_WHY), (cut or [_why(change)])[-1])


def _decided(flip: Flip) -> str:
    """The words that failed the check; without any those that passed it, and whose they are; else why it fails.

    Of a refusal it is said that it is one: what the check asks for was then not looked at.
    """
    passing, failing = (
        (flip.base_words, flip.tuned_words) if flip.after == "fail" else (flip.tuned_words, flip.base_words)
    )
    if failing is not None:
        refused = "a refusal: " if flip.reason == FAILS_AS_REFUSAL else ""
        return f'{refused}"{in_short(failing, QUOTED)}"'
    if passing is not None:
        return f'{"base" if flip.after == "fail" else "tuned"} has "{in_short(passing, QUOTED)}"'
    return in_short(flip.reason, QUOTED)


def _cells(contrast: Contrast) -> tuple[str, str, str, str]:
    """What it rests on, each arm, and the difference with its interval."""
    unit, paired = unit_of(contrast.measure), contrast.difference
    return rests_on(paired), *arms_of(contrast, "\n"), difference_alone(paired, unit)
