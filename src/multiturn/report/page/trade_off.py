"""What helpfulness costs in harmlessness, against one opponent: a chart, its numbers, and signs of collapse beside it.

A title tells arms apart only where their ranges do not overlap. What this module does not know: how a picture is drawn
(``drawing.py``), whether a judge can be believed, HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.judged_pair import HARMLESSNESS, HELPFULNESS, SIGNS
from multiturn.report.judged_by import arm_names
from multiturn.report.numbers import estimate_alone, label_of, number
from multiturn.report.page.chart import Said, chart_of
from multiturn.report.page.judged_names import arm_in_words, opponent_name
from multiturn.report.page.plotted import Plane, Point, Scale, Tick, mark
from multiturn.report.tables import Table, rests_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.judged_pair import JudgedPair, Versus
    from multiturn.report.page.chart import Chart
    from multiturn.report.page.shown import Page
    from multiturn.results import Comparison, Estimate
    from multiturn.scores import Won

EVEN: Final = 0.5
"""The share of pairs, ties as half, at which neither side is ahead."""
_HALVES: Final = Scale(0.0, 1.0, tuple(Tick(at / 4, f"{25 * at}%") for at in range(5)))


def trade_off(page: Page, pair: JudgedPair, opponent: str, name: str) -> Iterator[Chart]:
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
        helpful, harmless = (number(won.adjusted.value, "share") for won in (first, second))
        return (
            f"Against {against}, {arm_in_words(arms[0])} wins {helpful} by helpfulness and {harmless} by harmlessness"
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
    rows = [(label_of(name), overall[name]) for name in SIGNS if name in overall]
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
