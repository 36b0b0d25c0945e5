"""The first screen: what the page comes to, which transcripts prove it, and under which conditions that was found.

One arm is shown by its pass rate, two by their comparison, more by their ranking and a comparison of each with the
first. What this module does not know: HTML, and the parts below the first screen that it does not name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.broken import FIX_FIRST
from multiturn.report.conclusion import CLOSING, beside, rules
from multiturn.report.numbers import counted, in_short
from multiturn.report.page.chart import Chart
from multiturn.report.page.charts import primary_figure
from multiturn.report.page.conditions_shown import Condition, conditions_shown, every_condition
from multiturn.report.page.fluent import FluentPart, fluent_part
from multiturn.report.page.gist import Badge, Gist, Led, gist
from multiturn.report.page.judged_part import judge_notes, judge_warnings
from multiturn.report.page.reach import Reach
from multiturn.report.page.read_first import ReadFirst, largest_changes, read_first
from multiturn.report.page.standing import Standing, naming_of, of_one, of_several
from multiturn.report.page.tables_shown import TablePart, tables_shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.report.page.shown import Page, ShownArm
    from multiturn.report.tables import Table

TITLE: Final = 60
"""Characters of a model's name in the title of the page."""
WARNING: Final = "warning: "
"""How a note begins that is more than worth knowing."""


class Front(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on the first screen, and the two parts that are made with it.

    ``gists`` has one for each comparison; where there is one, ``heading``, ``lead`` and ``badges`` are its own.
    ``standing`` is there where there is none or several. ``changed`` counts the conversations of which ``read`` has the
    first.
    """

    title: str
    suite: str
    arms: tuple[ShownArm, ...]
    badges: tuple[Badge, ...]
    heading: str
    lead: tuple[str, ...]
    gists: tuple[Gist, ...]
    standing: Standing | None
    read: tuple[ReadFirst, ...]
    changed: int
    conditions: tuple[Condition, ...]
    every_condition: Table
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    missing: tuple[Led, ...]
    more: tuple[str, ...]
    closing: str
    figure: Chart | None
    fluent: FluentPart
    tables: tuple[TablePart, ...]


def front(page: Page, reach: Reach | None = None) -> Front:
    """The first screen of this page; ``reach`` finds its conversations, and is made where none is given."""
    reach = reach or Reach(page.collected)
    arms = page.collected.arms
    gists = tuple(gist(comparison, arms, at, reach) for at, comparison in enumerate(page.comparisons, start=1))
    alone = gists[0] if len(gists) == 1 else None
    standing = None if alone is not None else of_several(page) if gists else of_one(page, reach)
    first = alone or standing
    assert first is not None  # noqa: S101 - one of them is there
    run = page.runs[0]
    notes = dict.fromkeys(_notes(page))
    return Front(
        title=f"{_word(page, alone)}{_models(arms)}",
        suite=f"{run.suite_name} version {run.suite_version}, {counted(run.conversations, 'conversation')}",
        arms=arms,
        badges=alone.badges if alone is not None else (),
        heading=first.heading,
        lead=first.lead,
        gists=gists,
        standing=standing,
        read=read_first(page),
        changed=len(largest_changes(page)),
        conditions=conditions_shown(page.runs, arms, page.judges),
        every_condition=every_condition(page.runs, arms),
        warnings=tuple(note.removeprefix(WARNING) for note in notes if note.startswith(WARNING)),
        notes=tuple(note for note in notes if not note.startswith(WARNING)),
        missing=tuple(_missing(page, reach)),
        more=tuple(_more(page)),
        closing=CLOSING if alone is not None else "",
        figure=primary_figure(page.comparisons[0]) if alone is not None else None,
        fluent=fluent_part(page.collected, reach),
        tables=tables_shown(page, reach, naming_of(page)),
    )


def _word(page: Page, alone: Gist | None) -> str:
    """What stands first in the title."""
    if alone is not None:
        return f"{', '.join(badge.word.upper() for badge in alone.badges)}: "
    return "Ranking: " if page.comparisons else ""


def _models(arms: tuple[ShownArm, ...]) -> str:
    """All models; of a comparison the one in question first."""
    names = [in_short(arm.label, TITLE) for arm in arms]
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[1:])} against {names[0]}"


def _notes(page: Page) -> Iterator[str]:
    """Those of comparisons, without what is to be fixed first, which stands above; of the runs; and of the judges."""
    if page.ranking is not None:
        yield from page.ranking.notes
    base, *others = page.collected.arms
    for comparison, arm in zip(page.comparisons, others, strict=True):
        for note in comparison.notes:
            if note.startswith(FIX_FIRST):
                continue
            if len(others) == 1 or "tuned" not in note:
                yield note
            else:
                told = note.removeprefix(WARNING)
                yield f"{note.removesuffix(told)}{arm.name} (here called tuned) against {base.name}: {told}"
    if page.rates is not None:
        yield from page.rates.notes
    common = set(page.runs[0].notes).intersection(*(run.notes for run in page.runs[1:]))
    for run, arm in zip(page.runs, page.collected.arms, strict=True):
        yield from (note if note in common else f"{arm.name}: {note}" for note in run.notes)
    yield from (f"{WARNING}{warning}" for warning in judge_warnings(page))
    yield from judge_notes(page)


def _missing(page: Page, reach: Reach) -> Iterator[Led]:
    """Where turns of each arm are missing; of one arm by itself that stands with what there is to read."""
    for arm in page.collected.arms if page.comparisons else ():
        found = reach.behind({f"{arm.name}.missing": "yes"})
        if found is not None:
            yield Led(f"{arm.name} in {found.text}", found.href)


def _more(page: Page) -> Iterator[str]:
    """What else is to be known of the verdicts of a single comparison."""
    if len(page.comparisons) == 1:
        yield from beside(page.comparisons[0])
        yield from rules(page.comparisons[0])
