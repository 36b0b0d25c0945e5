"""Which tables a comparison is shown with, and in which order: the evidence first, the verdict last.

A terminal's reader sees the end first. What this module does not know: what is in the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.profile import profile_in_short, profile_tables
from multiturn.report.tables import (
    by_group,
    checks_passed,
    flipped_checks,
    flipped_checks_short,
    lengths,
    most_changed,
    most_changed_short,
    overall,
    overall_short,
    per_capability,
    per_category,
    per_domain,
    per_turn,
)
from multiturn.report.verdicts import decay_table, localisation_table, noise_tables, standing, verdict_table

if TYPE_CHECKING:
    from multiturn.report.tables import Table
    from multiturn.results import Comparison, Estimate

SHORT: Final = ("refusal", "words")
"""The measures shown turn by turn where a reader has one screen, and nothing else is to be shown so."""


def short_tables(comparison: Comparison) -> list[Table]:
    """What fits on two or three screens. The table of verdicts is the last one, where there is a verdict.

    Left out are tables in which nothing stands: of capabilities, decay and distance.
    """
    profile = profile_in_short(comparison)
    tables = [
        overall_short(comparison),
        *([localisation_table(comparison)] if standing(comparison) else []),
        *profile,
        *([decay_table(comparison)] if _decays(comparison) else []),
        *([_by_distance(comparison)] if _distances(comparison) else []),
        *([] if profile else per_turn(comparison, SHORT)),
        *([] if profile else per_capability(comparison, SHORT)),
        *noise_tables(comparison),
        *([] if comparison.verdicts else [lengths(comparison, SHORT)]),
        flipped_checks_short(comparison),
        most_changed_short(comparison),
        verdict_table(comparison),
    ]
    return [table for table in tables if table.rows]


def not_shown(comparison: Comparison) -> str:
    """Which tables the short ones leave out since nothing stands in them; empty where there are none such."""
    left_out = [
        name
        for name, table, shown in (
            ("by distance", _by_distance(comparison), _distances(comparison)),
            ("in late turns", decay_table(comparison), _decays(comparison)),
        )
        if table.rows and not shown
    ]
    if not left_out:
        return ""
    return f"Nothing stands out {' or '.join(left_out)} (--all-tables has the tables)."


def _by_distance(comparison: Comparison) -> Table:
    return by_group(comparison, "distance", comparison.plan.primary)


def _distances(comparison: Comparison) -> bool:
    """Whether the arms differ at any distance."""
    primary = comparison.plan.primary
    return any(
        _leaves_out_0(one.difference)
        for one in comparison.contrasts
        if one.group[0] == "distance" and one.measure == primary
    )


def _decays(comparison: Comparison) -> bool:
    """Whether late turns differ from the early one, in an arm or between the arms."""
    found = comparison.decay
    return found is not None and any(map(_leaves_out_0, (found.base, found.tuned, found.difference)))


def _leaves_out_0(found: Estimate) -> bool:
    """Whether the interval does; without one, whether several conversations all moved alike."""
    if found.low is None or found.high is None:
        return bool(found.value) and found.n > 1
    return not found.low <= 0 <= found.high


def all_tables(comparison: Comparison) -> list[Table]:
    """Every table that has a row, in reading order; the table of verdicts is the last one."""
    return [table for _, tables in grouped_tables(comparison) for table in tables]


def grouped_tables(comparison: Comparison) -> list[tuple[str, list[Table]]]:
    """The same by what they are about, each group with its name."""
    groups = [
        ("All turns", [overall(comparison)]),
        (
            "Checks passed",
            [
                localisation_table(comparison),
                *checks_passed(comparison, ("capability", "turn", "distance", "category", "domain")),
            ],
        ),
        ("Turn by turn", profile_tables(comparison)),
        ("Late turns", [decay_table(comparison)]),
        ("Noise floor", noise_tables(comparison)),
        ("Flipped checks", [flipped_checks(comparison)]),
        ("Length of replies", [lengths(comparison)]),
        ("Other measures by turn", per_turn(comparison)),
        ("Other measures by capability", per_capability(comparison)),
        ("Other measures by category", per_category(comparison)),
        ("Other measures by domain", per_domain(comparison)),
        ("Conversations that changed most", [most_changed(comparison)]),
        ("Verdict", [verdict_table(comparison)]),
    ]
    with_rows = [(name, [table for table in tables if table.rows]) for name, tables in groups]
    return [(name, tables) for name, tables in with_rows if tables]
