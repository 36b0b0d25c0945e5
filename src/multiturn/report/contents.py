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
from multiturn.report.verdicts import decay_table, localisation_table, noise_tables, verdict_table

if TYPE_CHECKING:
    from multiturn.report.tables import Table
    from multiturn.results import Comparison

SHORT: Final = ("refusal", "words")
"""The measures shown turn by turn where a reader has one screen, and nothing else is to be shown so."""


def short_tables(comparison: Comparison) -> list[Table]:
    """What fits on two or three screens. The table of verdicts is the last one, where there is a verdict."""
    profile = profile_in_short(comparison)
    tables = [
        overall_short(comparison),
        localisation_table(comparison),
        *profile,
        decay_table(comparison),
        by_group(comparison, "distance", comparison.plan.primary),
        *([] if profile else per_turn(comparison, SHORT)),
        *([] if profile else per_capability(comparison, SHORT)),
        *noise_tables(comparison),
        *([] if comparison.verdicts else [lengths(comparison, SHORT)]),
        flipped_checks_short(comparison),
        most_changed_short(comparison),
        verdict_table(comparison),
    ]
    return [table for table in tables if table.rows]


def all_tables(comparison: Comparison) -> list[Table]:
    """Every table that has a row, in reading order; the table of verdicts is the last one."""
    tables = [
        overall(comparison),
        localisation_table(comparison),
        *checks_passed(comparison, ("capability", "turn", "distance", "category", "domain")),
        *profile_tables(comparison),
        decay_table(comparison),
        *noise_tables(comparison),
        flipped_checks(comparison),
        lengths(comparison),
        *per_turn(comparison),
        *per_capability(comparison),
        *per_category(comparison),
        *per_domain(comparison),
        most_changed(comparison),
        verdict_table(comparison),
    ]
    return [table for table in tables if table.rows]
