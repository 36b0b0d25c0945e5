"""The charts of a page: which there are, and of each what it shows, in words, numbers and lines.

What this module does not know: how a picture is drawn (``drawing.py``), HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.conclusion import primary_of
from multiturn.report.numbers import difference_alone, in_short, label_of, number, size, unit_of
from multiturn.report.page.chart import Chart, Said, chart_of, drawn
from multiturn.report.page.findings import group_alternative, group_note, group_title
from multiturn.report.page.grouped import Grouped, group_table, grouped, named
from multiturn.report.page.headlines import (
    difference_alternative,
    difference_title,
    measures_title,
    rates_alternative,
    rates_title,
    strengths_alternative,
    strengths_title,
    votes,
)
from multiturn.report.page.plotted import (
    Course,
    Difference,
    Line,
    Panel,
    Picture,
    Rows,
    Tallies,
    Tally,
    mark,
    scale_around,
    scale_of,
)
from multiturn.report.page.reach import Reach, TableLinks
from multiturn.report.page.reply_lengths import bins_of, histograms, length_table, middle
from multiturn.report.ranking import rates as rates_table
from multiturn.report.ranking import strengths as strengths_table
from multiturn.report.tables import CHECKS, Table
from multiturn.results import MOVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.ranking import RateRanking, StrengthRanking
    from multiturn.report.page.shown import Page
    from multiturn.results import Comparison, Estimate

REFUSALS: Final = ("refusal_unexpected", "refusal_missing", "refusal")
"""Shown beside each other by category: as far as the suite says which refusals are right, and all of them."""
NAME: Final = 80
"""Characters of a model's name."""
ALONG: Final = {"turn": "turn", "distance": "turns back to where it was said"}
"""Kinds of groups that follow each other, and what stands below them."""


def charts(page: Page, reach: Reach | None = None) -> tuple[Chart, ...]:
    """The charts of this page, in reading order: those for which there is something to draw.

    ``reach`` finds its conversations, and is made where none is given.
    """
    return tuple(_Drawer(page, reach or Reach(page.collected)).charts())


def primary_figure(comparison: Comparison) -> Chart | None:
    """The primary measure's difference with its interval and margin; None where there is no difference to draw."""
    verdict = primary_of(comparison)
    if verdict is None or verdict.contrast.difference.value is None:
        return None
    (found,) = mark(1, verdict.contrast.difference)
    unit, margin = unit_of(verdict.measure), verdict.margin
    left, right = _sides(comparison, verdict.contrast.orientation)
    ends = [end for end in (found.value, found.low, found.high) if end is not None]
    picture = Difference(
        scale=scale_around([*ends, *((-margin, margin) if margin is not None else ())], unit),
        mark=found,
        margin=margin,
        left=left,
        right=right,
        label=difference_alone(verdict.contrast.difference, unit),
        band="" if margin is None else f"margin: {size(margin, unit)} either way",
    )
    alternative = difference_alternative(verdict, left, right)
    return Chart(
        id="primary",
        title=difference_title(comparison, verdict),
        subject=f"{_subject(verdict.measure)}: tuned - base",
        alternative=alternative,
        svg=drawn(picture, alternative),
        tables=(),
        note=_about_margin(verdict.word, found.low, found.high, margin),
    )


def _sides(comparison: Comparison, orientation: str) -> tuple[str, str]:
    """What it means to lie left of 0, and right of it."""
    tuned = "second run" if comparison.same_model else "tuned"
    better = {"higher_is_better": ("worse", "better"), "lower_is_better": ("better", "worse")}
    left, right = better.get(orientation, ("lower", "higher"))
    return f"{tuned} {left}", f"{tuned} {right}"


def _about_margin(word: str, low: float | None, high: float | None, margin: float | None) -> str:
    """Why a range that the margin holds in part is called what it is; nothing where that is plain to see."""
    if low is None or high is None or margin is None:
        return ""
    if word == "equivalent" and not -margin < low <= high < margin:
        return "Whether two models are equal within the margin is judged by a narrower range than the one drawn."
    if word in MOVED and min(abs(low), abs(high)) < margin:
        return "The whole line is on one side of 0, so they differ. About the same would be a line inside the margin."
    return ""


class _Drawer:
    """Draws the charts of one page."""

    def __init__(self, page: Page, reach: Reach) -> None:
        self._page: Final = page
        self._names: Final = tuple(arm.name for arm in page.collected.arms)
        self._links: Final = TableLinks(reach, {name: name for name in self._names})
        self._primary: Final = page.comparisons[0].plan.primary if page.comparisons else CHECKS
        self._places: Final = {
            known: at
            for at, arm in reversed(list(enumerate(page.collected.arms)))
            for known in (arm.label, f"{arm.label} ({arm.run})")
        }
        """Of the arms of a ranking, which knows them by their model, and by their run where several have one."""

    def charts(self) -> Iterator[Chart]:
        ranking = self._page.ranking
        if ranking is not None and ranking.rates is not None:
            yield from self._rates(ranking.rates)
        if ranking is not None and ranking.strengths is not None:
            yield from self._strengths(ranking.strengths)
        yield from self._by_group("capability", self._primary)
        for kind in ALONG:
            yield from self._course(kind, self._primary)
        yield from self._refusals()
        yield from self._lengths()

    def _chart(self, name: str, picture: Picture, said: Said, tables: Sequence[Table]) -> Chart:
        return chart_of(name, picture, said, tables, self._names, links=self._links)

    def _by_group(self, kind: str, measure: str) -> Iterator[Chart]:
        """One measure, the groups below each other."""
        found = grouped(self._page, kind, measure)
        if found is None:
            return
        lines = tuple(_lines([found]))
        panel = Panel(scale=scale_of((one for line in lines for one in line.marks), measure))
        picture = Rows(panels=(panel,), lines=lines, slots=len(self._names))
        yield self._chart(f"by-{kind}", picture, _said(found), [group_table(found)])

    def _course(self, kind: str, measure: str) -> Iterator[Chart]:
        """One measure, the groups after each other; where there are two of them or more."""
        found = grouped(self._page, kind, measure)
        if found is None or len(found.groups) == 1:
            return
        lines = tuple(_lines([found]))
        scale = scale_of((one for line in lines for one in line.marks), measure)
        picture = Course(scale=scale, lines=lines, along=ALONG[kind], arms=len(self._names))
        yield self._chart(f"by-{kind}", picture, _said(found), [group_table(found)])

    def _refusals(self) -> Iterator[Chart]:
        """Refusals by category, those that occur, beside each other."""
        every = [grouped(self._page, "category", measure) for measure in REFUSALS]
        found = [one for one in every if one is not None and one.occurs]
        found = [one for at, one in enumerate(found) if one.groups not in [before.groups for before in found[:at]]]
        if not found:
            return
        lines = tuple(_lines(found))
        panels = []
        for at, one in enumerate(found):
            marks = [each for line in lines for each in line.marks if each.panel == at]
            heading = tuple(label_of(one.measure).split()) if len(found) > 1 else ()
            panels.append(Panel(scale=scale_of(marks, one.measure, narrow=len(found) > 1), heading=heading))
        picture = Rows(panels=tuple(panels), lines=lines, slots=len(self._names))
        alternative = " ".join(map(group_alternative, found))
        said = Said(self._refusals_title(found), "Refusals by category", alternative)
        yield self._chart("refusals", picture, said, list(map(group_table, found)))

    def _refusals_title(self, found: Sequence[Grouped]) -> str:
        if len(self._page.comparisons) == 1:
            return measures_title(self._page.comparisons[0], [one.measure for one in found])
        return group_title(found[0])

    def _lengths(self) -> Iterator[Chart]:
        words = self._page.collected.words
        bins = bins_of(words)
        if not bins:
            return
        picture = histograms(self._names, words, bins)
        alternative = f"Words a reply. {'; '.join(arm.heading for arm in picture.arms)}."
        table = length_table(self._names, words, bins, self._spread())
        said = Said(self._lengths_title(), "Replies by their number of words", alternative)
        yield self._chart("lengths", picture, said, [table])

    def _lengths_title(self) -> str:
        comparisons, words = self._page.comparisons, self._page.collected.words
        if len(comparisons) == 1 and any(
            (one.measure, one.group[0]) == ("words", "all") for one in comparisons[0].contrasts
        ):
            return measures_title(comparisons[0], ["words"])
        halves = {name: number(middle(arm), "words") for name, arm in zip(self._names, words, strict=True) if arm}
        first, *others = (f"{words} words ({name})" for name, words in halves.items())
        return f"Half of the replies have up to {', '.join([first, *others])}"

    def _spread(self) -> dict[str, Sequence[float]]:
        """Quantiles of the words of each arm, where a comparison has them."""
        found: dict[str, Sequence[float]] = {}
        for comparison, name in zip(self._page.comparisons, self._names[1:], strict=True):
            called = {"base": self._names[0], "tuned": name}
            found |= {called[one.arm]: one.quantiles for one in comparison.distributions if one.measure == "words"}
        return found

    def _rates(self, ranking: RateRanking) -> Iterator[Chart]:
        lines = tuple(
            Line(
                label=self._whole_name(one.arm),
                beside=_count([one.estimate]),
                marks=tuple(mark(self._place(one.arm), one.estimate)),
            )
            for one in ranking.arms
        )
        if not any(line.marks for line in lines):
            return
        panel = Panel(scale=scale_of((one for line in lines for one in line.marks), CHECKS))
        said = Said(
            rates_title(ranking, self._short_name),
            "Checks passed, best first",
            rates_alternative(ranking, self._whole_name),
        )
        names = {one.arm: self._whole_name(one.arm) for one in ranking.arms}
        yield self._chart("ranking", Rows(panels=(panel,), lines=lines, slots=1), said, [rates_table(ranking, names)])

    def _strengths(self, ranking: StrengthRanking) -> Iterator[Chart]:
        arms = [one for one in ranking.arms if one.games.known]
        if not arms:
            return
        tallies = tuple(
            Tally(
                arm=self._place(one.arm),
                label=self._whole_name(one.arm),
                beside=votes(one),
                parts=(one.games.wins, one.games.ties, one.games.losses),
            )
            for one in arms
        )
        said = Said(
            strengths_title(ranking, self._short_name),
            "Votes won, tied and lost",
            strengths_alternative(arms, self._whole_name),
        )
        names = {one.arm: self._whole_name(one.arm) for one in ranking.arms}
        yield self._chart("preferences", Tallies(arms=tallies), said, [strengths_table(ranking, names)])

    def _place(self, arm: str) -> int:
        return self._places.get(arm, 0)

    def _short_name(self, arm: str) -> str:
        return self._names[self._places[arm]] if arm in self._places else in_short(arm, NAME)

    def _whole_name(self, arm: str) -> str:
        name = in_short(arm, NAME)
        return f"{self._short_name(arm)}: {name}" if arm in self._places else name


def _said(found: Grouped) -> Said:
    subject = f"{_subject(found.measure)} by {found.kind}"
    return Said(group_title(found), subject, group_alternative(found), group_note(found))


def _subject(measure: str) -> str:
    return label_of(measure).capitalize()


def _lines(found: Sequence[Grouped]) -> Iterator[Line]:
    """Every group that one of them has, with the marks of all of them, each in a panel of its own."""
    for name in dict.fromkeys(group.name for one in found for group in one.groups):
        same = [(panel, group.arms) for panel, one in enumerate(found) for group in one.groups if group.name == name]
        yield Line(
            label=named(found[0].kind, name),
            beside=_count([arm for _, arms in same for arm in arms]),
            marks=tuple(drawn for panel, arms in same for at, arm in enumerate(arms) for drawn in mark(at, arm, panel)),
        )


def _count(estimates: Sequence[Estimate]) -> str:
    """How many conversations they rest on: ``n=12``, ``n=8 to 12``."""
    counts = sorted({one.n for one in estimates})
    ends = dict.fromkeys((counts[0], counts[-1]))
    return f"n={' to '.join(number(one, 'count') for one in ends)}"
