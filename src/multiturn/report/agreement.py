"""The tables of agreement: judges and people, judges among themselves, majorities, rates corrected for errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.numbers import ABSENT, estimate_alone, number
from multiturn.report.tables import Table, footnotes_once, rests_on
from multiturn.results import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.scores import Accuracy, Agreement, Agreements, Alpha, Corrected, TieRule, Undefined

_TIES: Final[dict[TieRule, str]] = {"with ties": "kept", "without ties": "out", "": ABSENT}
_AGREE: Final = (
    "agree: comparisons in which both say the same. n: conversations, which are the unit: comparisons of one are not "
    "independent. ties out: only where neither says that it is a tie. kappa (Cohen's): 0 is what chance gives, 1 "
    "is full agreement; which arm comes first does not matter."
)


def agreement_tables(found: Agreements) -> list[Table]:
    """Every table that has a row, in reading order; of agreement, one for each two that are compared."""
    pairs: dict[tuple[str, str], list[Agreement]] = {}
    for one in found.agreements:
        pairs.setdefault((one.first, one.second), []).append(one)
    tables = [
        *(_agreements(*names, rows) for names, rows in pairs.items()),
        _alphas(found.alphas),
        _accuracies(found.accuracies),
        _corrected(found.corrected),
    ]
    return footnotes_once([table for table in tables if table.rows])


def _agreements(first: str, second: str, rows: Sequence[Agreement]) -> Table:
    return Table(
        title="Agreement among people" if first == second else f"Agreement of {first} with {second}",
        header=("turn", "ties", "agree", "of", "share", "n", "kappa"),
        rows=tuple(
            (
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
