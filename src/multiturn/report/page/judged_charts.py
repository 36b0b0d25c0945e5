"""The charts of what judges say: ratings, who wins, and what helpfulness costs in harmlessness.

A title claims what the ranges carry, and a pair is won only where both orders say so. What this module does not know:
how a picture is drawn (``drawing.py``), whether a judge can be believed, HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from multiturn.report.judged import HARMLESSNESS, HELPFULNESS, arm_names
from multiturn.report.numbers import counted, estimate_alone, in_short, label_of, number, setting
from multiturn.report.page.chart import Said, chart_of
from multiturn.report.page.findings import group_alternative, group_note, group_title
from multiturn.report.page.grouped import Group, Grouped, group_table, grouped, named
from multiturn.report.page.plotted import Line, Panel, Plane, Point, Rows, Scale, Tallies, Tally, Tick, mark
from multiturn.report.tables import Table, rests_on
from multiturn.rubric import Scale as Grades
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.judged_pair import JudgedPair, Versus
    from multiturn.report.page.chart import Chart
    from multiturn.report.page.shown import Page
    from multiturn.results import Comparison, Estimate
    from multiturn.scores import Won

RATING: Final = "rating"
CATEGORY: Final = "category"
PREFERENCE: Final = "preference"
NAME: Final = 40
"""Characters of a model's name in a sentence."""
MOST_JUDGES: Final = 3
"""Judges whose pairs are drawn one by one; the table has all."""
EVEN: Final = 0.5
"""The share of pairs, ties as half, at which neither side is ahead."""
SIGNALS: Final = ("refusal", "empty", "repetition", "collapse")
"""What stands beside a trade-off: a model that says nothing, or the same, does no harm either."""
_HALVES: Final = Scale(0.0, 1.0, tuple(Tick(at / 4, f"{25 * at}%") for at in range(5)))


def judged_charts(page: Page) -> Iterator[Chart]:
    """Those for which there is something to draw, in reading order."""
    yield from _ratings(page)
    pair = page.judged
    if pair is None:
        return
    games: dict[tuple[str, str], list[Versus]] = {}
    for versus in pair.versus:
        games.setdefault((versus.rubric, versus.opponent), []).append(versus)
    for at, opponent in enumerate(dict.fromkeys(versus.opponent for versus in pair.versus), start=1):
        yield from _trade_off(page, pair, opponent, f"judged-trade-off-{at}")
    for at, same in enumerate(games.values(), start=1):
        judges = dict.fromkeys(judge for versus in same for judge in versus.wins)
        for place, judge in enumerate([*judges][:MOST_JUDGES], start=1):
            yield from _wins(pair, same, judge, f"judged-wins-{at}-{place}")


def opponent_name(pair: JudgedPair, versus: Versus) -> str:
    """What the opponent is called in a sentence: ``base`` where it is on the page, else its model."""
    if versus.opponent in pair.runs:
        return arm_names(pair)[pair.runs.index(versus.opponent)]
    return in_short(short_spec(versus.opponent_spec), NAME)


def judge_name(pair: JudgedPair, judge: str) -> str:
    """A judge in a sentence."""
    return in_short(short_spec(pair.judges[judge].spec), NAME)


def _ratings(page: Page) -> Iterator[Chart]:
    """Judges' ratings by category: of a comparison what its verdict rests on, of one run each judge's own scores."""
    together = grouped(page, CATEGORY, RATING) if page.judges else None
    found = [(RATING, together, Grades())] if together is not None else []
    if page.judged is not None and len(page.judged.runs) == 1:
        found += _of_one(page.judged)
    for name, one, grades in found:
        lines = tuple(
            Line(
                label=named(CATEGORY, group.name),
                beside=f"n={number(group.arms[0].n, 'count')}",
                marks=tuple(drawn for at, arm in enumerate(group.arms) for drawn in mark(at, arm)),
            )
            for group in one.groups
        )
        picture = Rows(panels=(Panel(scale=_scale(grades)),), lines=lines, slots=len(one.names))
        ends = f"{setting(grades.lowest)} to {setting(grades.highest)}"
        said = Said(group_title(one), f"Judges' rating by category, {ends}", group_alternative(one), group_note(one))
        yield chart_of(f"judged-{name}", picture, said, [group_table(one)], one.names)


def _of_one(pair: JudgedPair) -> Iterator[tuple[str, Grouped, Grades]]:
    """One run's scores by category: each judge's, rubric by rubric, as far as there are categories."""
    for at, (judge, (scores, *_)) in enumerate(one for rated in pair.rated for one in rated.scores.items()):
        groups = tuple(Group(name=name, arms=(pooled.estimate,)) for name, pooled in scores.categories.items())
        if any(group.arms[0].value is not None for group in groups):
            ordered = tuple(sorted(groups, key=lambda group: group.arms[0].value or 0.0))
            yield (
                f"{RATING}-{at + 1}",
                Grouped(
                    measure=RATING,
                    kind=CATEGORY,
                    names=arm_names(pair),
                    groups=ordered,
                    orientation="higher_is_better",
                ),
                pair.judges[judge].rubric.scale or Grades(),
            )


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
    ((arm, one),) = won.items()
    told = f"won {number(one.wins, 'count')} of {counted(one.pairs, 'pair')}, lost {number(one.losses, 'count')}"
    if _ahead(one) is None:
        return f"whether {arm} is preferred to {opponent}{words} can't be told: {told}"
    if _ahead(one):
        return f"{arm} is preferred to {opponent}{words}: {told}"
    return f"{opponent} is preferred to {arm}{words}: {arm} {told}"


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


def _trade_off(page: Page, pair: JudgedPair, opponent: str, name: str) -> Iterator[Chart]:
    """Helpfulness against harmlessness of each arm that was judged by both against this opponent."""
    names = arm_names(pair)
    found = {(versus.arm, versus.measure): versus for versus in pair.versus if versus.opponent == opponent}
    known: dict[str, tuple[Won, Won]] = {}
    for arm in names:
        both = [_together(found.get((arm, measure))) for measure in (HELPFULNESS, HARMLESSNESS)]
        if both[0] is not None and both[1] is not None:
            known[arm] = both[0], both[1]
    points = tuple(
        Point(across=helpful, up=harmless)
        for arm, (first, second) in known.items()
        for helpful in mark(names.index(arm), first.adjusted)
        for harmless in mark(names.index(arm), second.adjusted)
    )
    if not points:
        return
    against = opponent_name(pair, next(versus for versus in found.values()))
    picture = Plane(
        across=_HALVES, up=_HALVES, along="more helpful \u2192", above="\u2191 more harmless", even=EVEN, points=points
    )
    told = [
        f"{arm}: helpfulness {estimate_alone(first.adjusted, 'share')}, "
        f"harmlessness {estimate_alone(second.adjusted, 'share')}"
        for arm, (first, second) in known.items()
    ]
    said = Said(
        _traded(known, against),
        f"Pairs won against {against}, a tie as half; dashes: neither side is ahead",
        f"Pairs won against {against}, a tie as half. {'; '.join(told)}.",
        "A model that refuses, says nothing or repeats itself does little harm: read its refusals with it.",
    )
    beside = [_collapse(known, one) for one in page.comparisons]
    yield chart_of(name, picture, said, [_rates(known, against)], names, beside=beside)


def _together(versus: Versus | None) -> Won | None:
    """What all judges say by majority, or the one there is."""
    if versus is None:
        return None
    return versus.panels[0].won if versus.panels else next(iter(versus.wins.values())).turns


def _traded(known: dict[str, tuple[Won, Won]], against: str) -> str:
    """How the second arm lies to the first one: told apart only where their ranges do not overlap."""
    arms = [*known]
    if len(arms) == 1:
        first, second = known[arms[0]]
        return (
            f"Against {against}, {arms[0]} wins {number(first.adjusted.value, 'share')} by helpfulness and "
            f"{number(second.adjusted.value, 'share')} by harmlessness"
        )
    base, tuned = arms
    told: dict[str, list[str]] = {"higher": [], "lower": [], "": []}
    for at, measure in enumerate((HELPFULNESS, HARMLESSNESS)):
        before, after = known[base][at].adjusted, known[tuned][at].adjusted
        numbers = f"{measure} ({number(after.value, 'share')} against {number(before.value, 'share')})"
        told[_moved(before, after)].append(numbers)
    parts = [f"{tuned} is {way} than {base} in {' and '.join(found)}" for way, found in told.items() if way and found]
    parts += [f"{tuned} and {base} can't be told apart in {' and '.join(told[''])}"] if told[""] else []
    return f"Against {against}, {'; '.join(parts)}"


def _moved(base: Estimate, tuned: Estimate) -> str:
    """Which way the second lies of the first; "" where their ranges overlap, which is stricter than a test."""
    if tuned.low is not None and base.high is not None and tuned.low > base.high:
        return "higher"
    return "lower" if tuned.high is not None and base.low is not None and tuned.high < base.low else ""


def _rates(known: dict[str, tuple[Won, Won]], against: str) -> Table:
    return Table(
        title=f"Win rates against {against}",
        header=("arm", "by", "win rate", "ties as half", "n"),
        rows=tuple(
            (
                arm,
                f"{measure}_win_rate",
                estimate_alone(won.strict, "share").replace(" [", "\n[", 1),
                estimate_alone(won.adjusted, "share").replace(" [", "\n[", 1),
                rests_on(won.strict),
            )
            for arm, both in known.items()
            for measure, won in zip((HELPFULNESS, HARMLESSNESS), both, strict=True)
        ),
        words=(0, 1),
    )


def _collapse(known: dict[str, tuple[Won, Won]], comparison: Comparison) -> Table:
    """Signals of a model that has collapsed, of each arm."""
    overall = {one.measure: one for one in comparison.contrasts if one.group[0] == "all"}
    rows = [(label_of(name), overall[name]) for name in SIGNALS if name in overall]
    return Table(
        title="Signs of collapse",
        header=("replies", *known),
        rows=tuple(
            (
                label,
                *(
                    estimate_alone(one.base if arm == "base" else one.tuned, "share").replace(" [", "\n[", 1)
                    for arm in known
                ),
            )
            for label, one in rows
        ),
        words=(0,),
    )
