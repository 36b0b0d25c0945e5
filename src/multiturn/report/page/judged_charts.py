"""The charts of what judges say: ratings by category, and who wins (``trade_off.py`` has what helpfulness costs).

A title claims what the ranges carry, and a pair is won only where both orders say so. What this module does not know:
how a picture is drawn (``drawing.py``), whether a judge can be believed, HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from multiturn.report.judged_by import arm_names
from multiturn.report.numbers import counted, estimate_alone, in_short, label_of, number, setting
from multiturn.report.page.chart import Said, chart_of
from multiturn.report.page.findings import group_alternative, group_note, group_title
from multiturn.report.page.grouped import Group, Grouped, group_table, grouped, named
from multiturn.report.page.judged_names import NAME, arm_in_words, judge_name, opponent_name
from multiturn.report.page.plotted import Line, Panel, Rows, Scale, Tallies, Tally, Tick, mark
from multiturn.report.page.trade_off import EVEN, trade_off
from multiturn.report.tables import Table, rests_on
from multiturn.rubric import Scale as Grades

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.judged_pair import JudgedPair, Versus
    from multiturn.report.page.chart import Chart
    from multiturn.report.page.shown import Page
    from multiturn.scores import Won

RATING: Final = "rating"
CATEGORY: Final = "category"
PREFERENCE: Final = "preference"
MOST_JUDGES: Final = 3
"""Judges whose pairs are drawn one by one; the table has all."""


def judged_charts(page: Page) -> Iterator[Chart]:
    """Those for which there is something to draw, in reading order."""
    yield from _ratings(page)
    pair = page.judged
    if pair is None:
        return
    games: dict[tuple[str, str], list[Versus]] = {}
    for versus in pair.versus:
        games.setdefault((versus.opponent, versus.rubric), []).append(versus)
    own = [same for (opponent, _), same in games.items() if opponent in pair.runs]
    others = [same for (opponent, _), same in games.items() if opponent not in pair.runs]
    yield from _all_wins(pair, own, "judged-wins")
    for at, opponent in enumerate(dict.fromkeys(versus.opponent for versus in pair.versus), start=1):
        yield from trade_off(page, pair, opponent, f"judged-trade-off-{at}")
    yield from _all_wins(pair, others, "judged-wins-against")


def _all_wins(pair: JudgedPair, games: Sequence[Sequence[Versus]], name: str) -> Iterator[Chart]:
    """Of each opponent and rubric the first judges' pairs."""
    for at, same in enumerate(games, start=1):
        judges = dict.fromkeys(judge for versus in same for judge in versus.wins)
        for place, judge in enumerate([*judges][:MOST_JUDGES], start=1):
            yield from _wins(pair, same, judge, f"{name}-{at}-{place}")


class _Ratings(NamedTuple):
    """Ratings to draw: the chart's id, whose they are, the numbers, and the scale that they are on."""

    id: str
    whose: str
    found: Grouped
    grades: Grades


def _ratings(page: Page) -> Iterator[Chart]:
    """Judges' ratings by category: of a comparison what its verdict rests on, of one run each judge's own scores."""
    together = grouped(page, CATEGORY, RATING) if page.judges else None
    every = [_Ratings("judged-rating", "Judges' rating", together, Grades())] if together is not None else []
    if page.judged is not None and len(page.judged.runs) == 1:
        every += _of_one(page.judged)
    for one in every:
        found = one.found
        lines = tuple(
            Line(
                label=named(CATEGORY, group.name),
                beside=f"n={number(group.arms[0].n, 'count')}",
                marks=tuple(drawn for at, arm in enumerate(group.arms) for drawn in mark(at, arm)),
            )
            for group in found.groups
        )
        picture = Rows(panels=(Panel(scale=_scale(one.grades)),), lines=lines, slots=len(found.names))
        subject = f"{one.whose} by category, {setting(one.grades.lowest)} to {setting(one.grades.highest)}"
        said = Said(group_title(found), subject, group_alternative(found), group_note(found))
        yield chart_of(one.id, picture, said, [group_table(found)], found.names)


def _of_one(pair: JudgedPair) -> Iterator[_Ratings]:
    """One run's scores by category: each judge's, rubric by rubric, as far as there are categories."""
    for at, (judge, (scores, *_)) in enumerate((one for rated in pair.rated for one in rated.scores.items()), start=1):
        rubric = pair.judges[judge].rubric
        known = [
            (pooled.estimate.value, name)
            for name, pooled in scores.categories.items()
            if pooled.estimate.value is not None
        ]
        groups = tuple(Group(name=name, arms=(scores.categories[name].estimate,)) for _, name in sorted(known))
        if groups:
            found = Grouped(
                measure=RATING, kind=CATEGORY, names=arm_names(pair), groups=groups, orientation="higher_is_better"
            )
            whose = f"Rating of {judge_name(pair, judge)}, {in_short(rubric.name, NAME)},"
            yield _Ratings(f"judged-rating-{at}", whose, found, rubric.scale or Grades())


def _scale(grades: Grades) -> Scale:
    """The whole scale, named at its ends and in between."""
    third = (grades.highest - grades.lowest) / 3
    return Scale(
        grades.lowest,
        grades.highest,
        tuple(Tick(grades.lowest + third * at, setting(round(grades.lowest + third * at, 2))) for at in range(4)),
    )


class _Row(NamedTuple):
    """One bar: of which category ("" for all), of which arm, and what was won."""

    category: str
    arm: str
    won: Won


def _wins(pair: JudgedPair, same: Sequence[Versus], judge: str, name: str) -> Iterator[Chart]:
    """Won, tied and lost, all together and by category, by one judge against one opponent."""
    known = [versus for versus in same if judge in versus.wins]
    rows = [row for row in _rows(known, judge) if row.won.pairs]
    if not rows:
        return
    first, several = known[0], len(known) > 1
    opponent, words = opponent_name(pair, first), _by(first)
    labels = [_label(row, several=several) for row in rows]
    tallies = tuple(
        Tally(
            arm=at,
            label=label,
            beside=_outcomes(row.won),
            parts=(row.won.wins, row.won.ties, row.won.losses),
        )
        for at, (label, row) in enumerate(zip(labels, rows, strict=True))
    )
    title = (_against if several else _preferred)({one.arm: _all_of(one, judge) for one in known}, opponent, words)
    about = "pairs of replies" if first.wins[judge].turns.pairs else "pairs of whole conversations"
    said = Said(
        title,
        f"{about.capitalize()} won, tied and lost against {opponent}{words}; the judge is {judge_name(pair, judge)}",
        f"{'; '.join(f'{one.label}: {one.beside}' for one in tallies)}.",
        _of_orders([row.won for row in rows if not row.category]),
    )
    table = Table(
        title=f"Pairs against {opponent}{words}",
        header=("pairs", "won", "tied", "orders disagree", "lost", "missing", "ties as half", "n"),
        rows=tuple((label, *_cells(row.won)) for label, row in zip(labels, rows, strict=True)),
        words=(0,),
    )
    yield chart_of(name, Tallies(arms=tallies), said, [table], ())


def _rows(same: Sequence[Versus], judge: str) -> Iterator[_Row]:
    yield from (_Row("", versus.arm, _all_of(versus, judge)) for versus in same)
    last = same[-1].wins[judge].categories
    found = dict.fromkeys(name for versus in same for name in versus.wins[judge].categories)
    for category in sorted(found, key=lambda name: _rate(last.get(name))):
        for versus in same:
            if category in versus.wins[judge].categories:
                yield _Row(category, versus.arm, versus.wins[judge].categories[category])


def _rate(won: Won | None) -> tuple[bool, float]:
    """Where a category stands: the one that is won least often first, those of which nobody knows it last."""
    value = None if won is None else won.adjusted.value
    return (True, 0.0) if value is None else (False, value)


def _all_of(versus: Versus, judge: str) -> Won:
    """Turn by turn; where only whole conversations were compared, those."""
    wins = versus.wins[judge]
    return wins.turns if wins.turns.pairs else wins.whole


def _label(row: _Row, *, several: bool) -> str:
    name = named(CATEGORY, row.category) if row.category else "all"
    return f"{name}, {row.arm}" if several else name


def _by(versus: Versus) -> str:
    """What was asked, behind who is preferred: `` by helpfulness``; "" where it is preference itself."""
    measure = versus.measure or versus.rubric
    return "" if measure == PREFERENCE else f" by {in_short(label_of(measure), NAME)}"


def _preferred(won: dict[str, Won], opponent: str, words: str) -> str:
    """Who is preferred, as far as the range says so, with the counts: of one arm."""
    ((name, one),) = won.items()
    arm = arm_in_words(name)
    told = f"won {number(one.wins, 'count')} of {counted(one.pairs, 'pair')}, lost {number(one.losses, 'count')}"
    if _ahead(one) is None:
        return f"whether {arm} is preferred to {opponent}{words} can't be told: {told}"
    if _ahead(one):
        return f"{arm} is preferred to {opponent}{words}: {told}"
    return f"{arm} loses to {opponent} more often than it wins{words}: {told}"


def _against(won: dict[str, Won], opponent: str, words: str) -> str:
    """The same of both arms against one opponent."""
    told = ", ".join(
        f"{arm} won {number(one.wins, 'count')} of {counted(one.pairs, 'pair')}" for arm, one in won.items()
    )
    sure = [
        f"{arm} surely {'more' if _ahead(one) else 'less'} often than not"
        for arm, one in won.items()
        if _ahead(one) is not None
    ]
    known = " and ".join(sure) or "whether either is preferred can't be told"
    return f"against {opponent}{words}: {told}; {known}"


def _ahead(won: Won) -> bool | None:
    """Whether it is preferred, a tie being half; None where the range holds the half."""
    low, high = won.adjusted.low, won.adjusted.high
    if low is None or high is None or low <= EVEN <= high:
        return None
    return low > EVEN


def _outcomes(won: Won) -> str:
    parts = ((won.wins, "won"), (won.ties, "tied"), (won.losses, "lost"))
    return ", ".join(f"{number(count, 'count')} {word}" for count, word in parts)


def _of_orders(every: Sequence[Won]) -> str:
    """How much hangs on the order in which replies are shown."""
    ties, disagree = sum(one.ties for one in every), sum(one.inconsistent for one in every)
    missing = sum(one.missing for one in every)
    parts = [f"In {number(disagree, 'count')} of {counted(ties, 'tie')} the two orders disagree"] if disagree else []
    parts += [f"{'pairs' if parts else 'Pairs'} without an outcome: {number(missing, 'count')}"] if missing else []
    return f"{'; '.join(parts)}." if parts else ""


def _cells(won: Won) -> tuple[str, ...]:
    counts = (won.wins, won.ties, won.inconsistent, won.losses, won.missing)
    adjusted = estimate_alone(won.adjusted, "share").replace(" [", "\n[", 1)
    return (*(number(count, "count") for count in counts), adjusted, rests_on(won.adjusted))
