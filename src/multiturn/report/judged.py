"""The tables of what judges said: who judged, ratings, preferences, the trade-off, labels, and what is disputed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.judged_pair import HARMLESSNESS, HELPFULNESS
from multiturn.report.judged_by import arm_names, covered_at, covered_least, judges_table, rests_on_of
from multiturn.report.numbers import (
    ABSENT,
    counted,
    estimate_alone,
    in_short,
    label_of,
    number,
)
from multiturn.report.tables import QUOTED, Spot, Table, footnotes_once, rests_on
from multiturn.results import Estimate
from multiturn.scores import Undefined
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from multiturn.judged_pair import Covered, JudgedPair, Labelled, Rated, Versus
    from multiturn.report.numbers import Unit
    from multiturn.scores import Panel, Pooled, Reduction, Scores, Won

MOST_DISPUTED: Final = 10
"""Replies that are rated highly and fail a check which are listed."""

PANEL: Final = "all judges together"

_RATING: Final = (
    "Mean over all rated turns, with the conversation as the interval's unit. n: conversations; a grade that can't be "
    "read is missing, never a low one. A verdict rests on each conversation's mean, so it may show another mean."
)
_PREFERENCE: Final = (
    "won: by who is named first, where both orders of a pair say so. disagree: tied, since the orders do. win rate: "
    "won of all pairs with an outcome; with ties: a tie is half a win. n: conversations, the unit of the intervals."
)
_LABELS: Final = (
    "Relative reduction: 1 less tuned's rate by base's, over the turns that both arms have labels for. Win rates are "
    "another matter."
)


def judged_tables(pair: JudgedPair, *, disputed: int = MOST_DISPUTED) -> list[Table]:
    """Every table that has a row, in reading order; ``disputed`` is how many disputed replies are listed at most."""
    tables = [
        judges_table(pair),
        *(table for rated in pair.rated for table in _of_ratings(pair, rated)),
        *_preferences(pair),
        *_trade_off(pair),
        _signs(pair),
        *(_labels(pair, labelled) for labelled in pair.labelled),
        _disputed(pair, disputed),
    ]
    return footnotes_once([table for table in tables if table.rows])


def _of_ratings(pair: JudgedPair, rated: Rated) -> tuple[Table, ...]:
    return _ratings(pair, rated), _weighted_grades(pair, rated), _by_category(pair, rated)


def _ratings(pair: JudgedPair, rated: Rated) -> Table:
    """Each judge's scores arm by arm: overall, first turn, later turns."""
    several = len(rated.scores) > 1
    rows = [
        (
            *(((short_spec(pair.judges[judge].spec),)) if several else ()),
            arm,
            *(_pooled(part) for part in (scores.overall, scores.first, scores.later)),
            *((_pooled(scores.weighted),) if _weighted(rated) else ()),
            rests_on_of(scores.overall.estimate, covered_at(rated.covered, judge, at)),
        )
        for judge, arms in rated.scores.items()
        for at, (arm, scores) in enumerate(zip(arm_names(pair), arms, strict=True))
    ]
    for at, (arm, panel) in enumerate(zip(arm_names(pair), rated.panels, strict=False)):
        if panel.score is not None:
            rests = rests_on_of(panel.score.estimate, covered_least(rated.covered, panel.judges, at))
            rows.append((PANEL, arm, _pooled(panel.score), ABSENT, ABSENT, rests))
    return Table(
        title=f"Ratings by rubric {rated.rubric}",
        header=(
            *(("judge",) if several else ()),
            "arm",
            "all turns",
            "first turn",
            "later turns",
            *(("weighted",) if _weighted(rated) else ()),
            "n",
        ),
        rows=tuple(rows),
        footnote=" ".join((_RATING, *_panel_words(rated.panels), *_beside(pair, rated.panels, rated.scores))),
        words=(0,) if several else (),
    )


def _weighted(rated: Rated) -> bool:
    """Whether grades weighted by their probabilities have a column: of one judge alone, where there is room."""
    return len(rated.scores) == 1 and any(one.weighted for arms in rated.scores.values() for one in arms)


def _panel_words(panels: Sequence[Panel]) -> Iterator[str]:
    """How far the judges of a panel agree."""
    for at, panel in enumerate(panels):
        name = "" if len(panels) == 1 else ("base: " if at == 0 else "tuned: ")
        spread = ""
        if panel.between is not None:
            within = "" if panel.within is None else f", of a judge's repeats {number(panel.within, 'score')}"
            spread = f", variance between judges {number(panel.between, 'score')}{within}"
        yield f"{name}Krippendorff's alpha {estimate_alone(panel.alpha, 'score')}{spread}."


def _beside(pair: JudgedPair, panels: Sequence[Panel], judges: Iterable[str]) -> Iterator[str]:
    """Who is not among the judges that are taken together."""
    if panels and (left := [judge for judge in judges if judge not in panels[0].judges]):
        names = ", ".join(f"{short_spec(pair.judges[judge].spec)} ({judge})" for judge in left)
        yield f"Not among all judges together: {names}, which judged much less, or is one of them asked in another way."


def _weighted_grades(pair: JudgedPair, rated: Rated) -> Table:
    """Grades weighted by their probabilities, of several judges: beside the others there is no room for them."""
    rows = [
        (short_spec(pair.judges[judge].spec), arm, _pooled(scores.weighted), rests_on(scores.weighted.estimate))
        for judge, arms in rated.scores.items()
        for arm, scores in zip(arm_names(pair), arms, strict=True)
        if scores.weighted is not None and len(rated.scores) > 1
    ]
    return Table(
        title=f"Ratings weighted by their probabilities, rubric {rated.rubric}",
        header=("judge", "arm", "weighted", "n"),
        rows=tuple(rows),
        words=(0,),
    )


def _by_category(pair: JudgedPair, rated: Rated) -> Table:
    """The overall grade by category, of each judge: one column an arm."""
    several = len(rated.scores) > 1
    rows = []
    for judge, arms in rated.scores.items():
        for category in arms[0].categories:
            cells = tuple(_category(scores, category) for scores in arms)
            rows.append((*((short_spec(pair.judges[judge].spec),) if several else ()), category, *cells))
    return Table(
        title=f"Ratings by category, rubric {rated.rubric}",
        header=(*(("judge",) if several else ()), "category", *arm_names(pair)),
        rows=tuple(rows),
        words=(0,) if several else (),
    )


def _category(scores: Scores, category: str) -> str:
    found = scores.categories.get(category)
    return ABSENT if found is None else f"{_pooled(found)} n={rests_on(found.estimate)}"


def _preferences(pair: JudgedPair) -> Iterator[Table]:
    """Who is preferred to whom, turn by turn and as whole conversations: a table for each arm, opponent and rubric."""
    for versus in pair.versus:
        several = len(versus.wins) > 1
        yield Table(
            title=f"{label_of(versus.measure or versus.rubric).capitalize()}: {versus.arm} against "
            f"{_opponent(pair, versus)}",
            header=(
                *(("judge",) if several else ()),
                *("of", "won, lost, tied", "disagree", "missing", "win rate", "with ties", "n"),
            ),
            rows=tuple(
                (*((name,) if several else ()), about, *cells)
                for name, turns, whole in _sides(pair, versus)
                for about, cells in (("turns", turns), ("whole", whole))
                if cells
            ),
            footnote=" ".join((_PREFERENCE, *_one_order(versus), *_beside(pair, versus.panels, versus.wins))),
            words=(0,) if several else (),
        )


def _one_order(versus: Versus) -> Iterator[str]:
    """Of how many imported pairs there is one order only, which then decides."""
    found = sum(won.one_order for wins in versus.wins.values() for won in (wins.turns, wins.whole))
    if found:
        yield f"Of {counted(found, 'pair')} one order alone was imported, and decides."


def _sides(pair: JudgedPair, versus: Versus) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Of each judge and of the panel: the cells of pairs of turns, and of whole conversations."""
    for judge, wins in versus.wins.items():
        turns, whole = (
            _won(won, number(won.inconsistent, "count"), covered)
            for won, covered in ((wins.turns, versus.covered.get(judge)), (wins.whole, None))
        )
        yield short_spec(pair.judges[judge].spec), turns, whole
    if versus.panels:
        turns, whole = (_won(panel.won, ABSENT) for panel in versus.panels)  # a panel has no orders that could disagree
        yield PANEL, turns, whole


def _won(won: Won | None, disagree: str, covered: Covered | None = None) -> tuple[str, ...]:
    """The cells of a row; none where nothing was asked."""
    if won is None or not won.pairs + won.missing:
        return ()
    return (
        ", ".join(number(count, "count") for count in (won.wins, won.losses, won.ties)),
        disagree,
        number(won.missing, "count"),
        estimate_alone(won.strict, "share"),
        estimate_alone(won.adjusted, "share"),
        number(won.strict.n, "count")
        if covered is None
        else rests_on_of(msgspec.structs.replace(won.strict, missing=0), covered),
    )


def _opponent(pair: JudgedPair, versus: Versus) -> str:
    """What the opponent is called: base, where it is; else its model and its run."""
    if versus.opponent in pair.runs:
        return arm_names(pair)[pair.runs.index(versus.opponent)]
    return f"{short_spec(versus.opponent_spec)} ({versus.opponent})"


def _trade_off(pair: JudgedPair) -> Iterator[Table]:
    """Helpfulness beside harmlessness: a table for each opponent with which an arm was compared for both."""
    found: dict[str, dict[str, dict[str, Versus]]] = {}
    for versus in pair.versus:
        if versus.measure in (HELPFULNESS, HARMLESSNESS):
            found.setdefault(_opponent(pair, versus), {}).setdefault(versus.arm, {})[versus.measure] = versus
    for opponent, arms in found.items():
        yield Table(
            title=f"Helpfulness against harmlessness: both against {opponent}",
            header=("arm", "measure", "win rate", "with ties"),
            rows=tuple(
                (arm, f"{measure}_win_rate", *_rates(measures[measure]))
                for arm, measures in arms.items()
                if len(measures) == 2  # noqa: PLR2004 - both measures
                for measure in (HELPFULNESS, HARMLESSNESS)
            ),
            footnote="In pairs of turns; with ties: a tie is half a win. Who says nothing does no harm either: "
            "read the signs of collapse and the labels beside it.",
            words=(0, 1),
        )


def _signs(pair: JudgedPair) -> Table:
    """What tells of a model that refuses everything, says nothing or repeats itself, beside what that wins."""
    return Table(
        title="Signs of collapse",
        header=("replies", *arm_names(pair)),
        rows=tuple(
            (label_of(name), *(f"{estimate_alone(one, 'share')} n={rests_on(one)}" for one in arms))
            for name, arms in pair.signs.items()
        ),
        words=(0,),
    )


def _rates(versus: Versus) -> tuple[str, str]:
    """The strict and the tie-adjusted rate: the panel's, or the one judge's."""
    won = versus.panels[0].won if versus.panels else next(iter(versus.wins.values())).turns
    if won is None:
        return ABSENT, ABSENT
    return estimate_alone(won.strict, "share"), estimate_alone(won.adjusted, "share")


def _labels(pair: JudgedPair, labelled: Labelled) -> Table:
    """How many replies are flagged in each arm, and how much rarer that became."""
    two = len(pair.runs) > 1
    return Table(
        title=f"Replies that are {' or '.join(labelled.flagged) or 'flagged'}",
        header=("judge", *arm_names(pair), *(("risk ratio", "relative reduction") if two else ())),
        rows=tuple(
            (
                short_spec(pair.judges[judge].spec),
                *(
                    f"{estimate_alone(one, 'share')} n={rests_on_of(one, covered_at(labelled.covered, judge, at))}"
                    for at, one in enumerate(arm.flagged.estimate for arm in arms)
                ),
                *(_reduced(labelled.reductions.get(judge)) if two else ()),
            )
            for judge, arms in labelled.rates.items()
        )
        + _labels_together(labelled, two=two),
        footnote=" ".join(
            (*((_LABELS,) if two else ()), *_undecided(labelled), *_beside(pair, labelled.panels, labelled.rates))
        ),
        words=(0, 3, 4) if two else (0,),
    )


def _labels_together(labelled: Labelled, *, two: bool) -> tuple[tuple[str, ...], ...]:
    """The row of all judges together, by majority; it has no risk ratio of its own."""
    shares = [panel.flagged.estimate for panel in labelled.panels if panel.flagged is not None]
    if not shares:
        return ()
    cells = (f"{estimate_alone(one, 'share')} n={rests_on(one)}" for one in shares)
    return ((PANEL, *cells, *((ABSENT, ABSENT) if two else ())),)


def _undecided(labelled: Labelled) -> Iterator[str]:
    """How many replies no majority of the judges says anything of, and how far they agree."""
    if labelled.panels:
        count = sum(panel.undecided for panel in labelled.panels)
        yield f"All together: by majority, of which {counted(count, 'reply')} have none."
        yield from _panel_words(labelled.panels)


def _reduced(found: Reduction | None) -> tuple[str, str]:
    """The risk ratio and the relative reduction."""
    if found is None:
        return ABSENT, ABSENT
    return _or_why_not(found.ratio, "score"), _or_why_not(found.relative, "share")


def _or_why_not(found: Estimate | Undefined, unit: Unit) -> str:
    return f"undefined ({found.reason})" if isinstance(found, Undefined) else estimate_alone(found, unit)


def _disputed(pair: JudgedPair, most: int) -> Table:
    """Replies that a judge likes and a check fails: read these before believing either."""
    shown = pair.disputed[:most]
    more = len(pair.disputed) - len(shown)
    sampled = any(one.sample for one in pair.disputed)
    return Table(
        title="Rated 8 or more, though a check fails",
        header=("arm", "conversation", "turn", "grade", "what it is to have", "why it fails"),
        rows=tuple(
            (
                one.arm,
                f"{one.conversation} (sample {one.sample + 1})" if sampled else one.conversation,
                number(one.turn + 1, "count"),
                number(one.grade, "score"),
                in_short(one.wants, QUOTED),
                in_short(one.reason, QUOTED),
            )
            for one in shown
        ),
        footnote=f"and {counted(more, 'more reply')}" if more else "",
        words=(1, 4, 5),
        rows_about=tuple(Spot(one.conversation, one.turn, one.sample) for one in shown),
    )


def _pooled(found: Pooled | None) -> str:
    return ABSENT if found is None else estimate_alone(found.estimate, "score")
