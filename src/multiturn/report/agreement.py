"""The tables of agreement: judges and people, judges among themselves, majorities, rates corrected for errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.numbers import ABSENT, estimate_alone, number
from multiturn.report.tables import Table, rests_on
from multiturn.results import Estimate

if TYPE_CHECKING:
    from multiturn.scores import Accuracy, Agreement, Agreements, Alpha, Corrected, TieRule, Undefined

_TIES: Final[dict[TieRule, str]] = {"with ties": "kept", "without ties": "out", "": ABSENT}
_AGREE: Final = (
    "agree: comparisons in which both say the same. n: conversations, which are the unit: comparisons of one are not "
    "independent. ties out: only where neither says that it is a tie. kappa (Cohen's): 0 is what chance gives, 1 "
    "is full agreement; which arm comes first does not matter."
)


def agreement_tables(found: Agreements) -> list[Table]:
    """Every table that has a row, in reading order."""
    tables = (
        (_agreements(found.agreements), found.agreements),
        (_alphas(found.alphas), found.alphas),
        (_accuracies(found.accuracies), found.accuracies),
        (_corrected(found.corrected), found.corrected),
    )
    return [table for table, rows in tables if rows]


def _agreements(rows: tuple[Agreement, ...]) -> Table:
    return Table(
        title="Agreement",
        header=("first", "second", "turn", "ties", "agree", "of", "share", "n", "kappa"),
        rows=tuple(
            (
                one.first,
                one.second,
                "labels" if one.about == "label" else str(one.turn),
                _TIES[one.ties],
                number(one.agreements, "count"),
                number(one.comparisons, "count"),
                estimate_alone(one.rate, "share"),
                rests_on(one.rate),
                ABSENT if one.kappa is None else estimate_alone(one.kappa, "score"),
            )
            for one in rows
        ),
        footnote=_AGREE,
        words=(0, 1),
    )


def _alphas(rows: tuple[Alpha, ...]) -> Table:
    return Table(
        title="All judges together",
        header=("judges", "mode", "units", "Krippendorff's alpha", "n"),
        rows=tuple(
            (
                ", ".join(one.judges),
                one.mode,
                number(one.units, "count"),
                estimate_alone(one.alpha, "score"),
                rests_on(one.alpha),
            )
            for one in rows
        ),
        footnote=(
            "units: replies, or pairs, with two judgments or more. alpha: 1 is full agreement, 0 is what chance gives; "
            "of ratings it weighs how far grades are apart."
        ),
        words=(0, 1),
    )


def _accuracies(rows: tuple[Accuracy, ...]) -> Table:
    return Table(
        title="Held to what most people say",
        header=("judge", "label", "right", "wrong", "tie", "no verdict", "accuracy", "n"),
        rows=tuple(
            (
                one.judge,
                one.labels,
                *(number(count, "count") for count in (one.right, one.wrong, one.ties, one.unjudged)),
                estimate_alone(one.rate, "share"),
                rests_on(one.rate),
            )
            for one in rows
        ),
        footnote="accuracy: right of all with a verdict; a tie of the judge's is not right.",
        words=(0, 1),
    )


def _corrected(rows: tuple[Corrected, ...]) -> Table:
    return Table(
        title="Corrected for the judge's errors",
        header=("judge", "what", "seen", "sensitivity", "specificity", "corrected"),
        rows=tuple(
            (
                one.judge,
                one.what,
                *(estimate_alone(part, "share") for part in (one.seen, one.sensitivity, one.specificity)),
                _rate(one.rate),
            )
            for one in rows
        ),
        footnote=(
            "sensitivity: of what people found, how much the judge found; specificity: of what they did not, how much "
            "it did not. corrected (Rogan and Gladen): what the rate is without its errors, if what people labelled is "
            "a random choice."
        ),
        words=(0, 1, 5),
    )


def _rate(rate: Estimate | Undefined) -> str:
    if not isinstance(rate, Estimate):
        return f"{ABSENT} ({rate.reason})"
    return estimate_alone(rate, "share")
