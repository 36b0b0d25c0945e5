"""The tables of what judges said: who judged, ratings, preferences, the trade-off, labels, and what is disputed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
    from collections.abc import Iterator, Sequence

    from multiturn.judge_card import Card, Conclusion
    from multiturn.judged_pair import JudgedPair, Labelled, Rated, Versus
    from multiturn.report.numbers import Unit
    from multiturn.scores import Panel, Pooled, Reduction, Scores, Unjudged, Won

MOST_DISPUTED: Final = 10
"""Replies that are rated highly and fail a check which are listed."""

PANEL: Final = "all judges together"
HELPFULNESS: Final = "helpfulness"
HARMLESSNESS: Final = "harmlessness"

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


_NOT_FIT: Final = "NO: what this judge says is not to be relied on; multiturn judge check shows why."
_FIT: Final[dict[Conclusion, str]] = {"fit": "yes", "not_fit": "NO", "cannot_tell": "can't tell"}


def judged_tables(pair: JudgedPair, *, disputed: int = MOST_DISPUTED) -> list[Table]:
    """Every table that has a row, in reading order; ``disputed`` is how many disputed replies are listed at most."""
    tables = [
        _judges(pair),
        *(table for rated in pair.rated for table in (_ratings(pair, rated), _by_category(pair, rated))),
        *_preferences(pair),
        *_trade_off(pair),
        *(_labels(pair, labelled) for labelled in pair.labelled),
        _disputed(pair, disputed),
    ]
    return footnotes_once([table for table in tables if table.rows])


def arm_names(pair: JudgedPair) -> tuple[str, ...]:
    """What the runs are called."""
    return ("model",) if len(pair.runs) == 1 else ("base", "tuned")


def unjudged_words(found: Unjudged) -> str:
    """What has no verdict, in counts: ``3 unreadable (2 truncated, 1 ambiguous), 1 failed``; "" where all have."""
    kinds = ", ".join(f"{number(count, 'count')} {kind.replace('_', ' ')}" for kind, count in found.unreadable.items())
    unreadable = sum(found.unreadable.values())
    parts = [f"{number(unreadable, 'count')} unreadable ({kinds})"] if unreadable else []
    parts += [f"{number(found.failed, 'count')} could not be asked"] if found.failed else []
    return ", ".join(parts)


def _judges(pair: JudgedPair) -> Table:
    """Who judged, and how much of it can be used."""
    return Table(
        title="Judges",
        header=("judge", "id", "rubric", "fit for use", "without a verdict"),
        rows=tuple(
            (
                short_spec(one.spec),
                one.id,
                f"{one.rubric.name}, version {one.rubric.version}",
                _fit(pair.cards.get(one.id)),
                "; ".join(_without_verdict(pair, one.id)) or ABSENT,
            )
            for one in pair.judges.values()
        ),
        footnote=_NOT_FIT if any(card.conclusion == "not_fit" for card in pair.cards.values()) else "",
        words=(0, 2, 3, 4),
    )


def _fit(card: Card | None) -> str:
    """What a judge's card concludes, in a word or two."""
    return "not checked" if card is None else _FIT[card.conclusion]


def _without_verdict(pair: JudgedPair, judge: str) -> Iterator[str]:
    """What this judge gave no verdict on, arm by arm and opponent by opponent."""
    for rated in pair.rated:
        for arm, scores in zip(arm_names(pair), rated.scores.get(judge, ()), strict=False):
            if words := unjudged_words(scores.unjudged):
                yield f"{arm}: {words}"
    for labelled in pair.labelled:
        for arm, rates in zip(arm_names(pair), labelled.rates.get(judge, ()), strict=False):
            if words := unjudged_words(rates.unjudged):
                yield f"{arm}: {words}"
    for versus in pair.versus:
        if judge in versus.wins and (words := unjudged_words(versus.wins[judge].unjudged)):
            yield f"{versus.arm} against {short_spec(versus.opponent_spec)}: {words}"


def _ratings(pair: JudgedPair, rated: Rated) -> Table:
    """Each judge's scores arm by arm: overall, first turn, later turns."""
    several = len(rated.scores) > 1
    rows = [
        (
            *(((short_spec(pair.judges[judge].spec),)) if several else ()),
            arm,
            *(_pooled(part) for part in (scores.overall, scores.first, scores.later)),
            *((_pooled(scores.weighted),) if _weighted(rated) else ()),
            rests_on(scores.overall.estimate),
        )
        for judge, arms in rated.scores.items()
        for arm, scores in zip(arm_names(pair), arms, strict=True)
    ]
    for arm, panel in zip(arm_names(pair), rated.panels, strict=False):
        if panel.score is not None:
            rows.append((PANEL, arm, _pooled(panel.score), ABSENT, ABSENT, rests_on(panel.score.estimate)))
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
        footnote=" ".join((_RATING, *_panel_words(rated.panels))),
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
                (*((name,) if several else ()), about, *_won(won))
                for name, turns, whole in _sides(pair, versus)
                for about, won in (("turns", turns), ("whole", whole))
                if won is not None and won.pairs + won.missing
            ),
            footnote=" ".join((_PREFERENCE, *_one_order(versus))),
            words=(0,) if several else (),
        )


def _one_order(versus: Versus) -> Iterator[str]:
    """Of how many imported pairs there is one order only, which then decides."""
    found = sum(won.one_order for wins in versus.wins.values() for won in (wins.turns, wins.whole))
    if found:
        yield f"Of {counted(found, 'pair')} one order alone was imported, and decides."


def _sides(pair: JudgedPair, versus: Versus) -> Iterator[tuple[str, Won | None, Won | None]]:
    """Of each judge and of the panel: pairs of turns, and of whole conversations."""
    for judge, wins in versus.wins.items():
        yield short_spec(pair.judges[judge].spec), wins.turns, wins.whole
    if versus.panels:
        turns, whole = versus.panels
        yield PANEL, turns.won, whole.won


def _won(won: Won) -> tuple[str, ...]:
    return (
        ", ".join(number(count, "count") for count in (won.wins, won.losses, won.ties)),
        number(won.inconsistent, "count"),
        number(won.missing, "count"),
        estimate_alone(won.strict, "share"),
        estimate_alone(won.adjusted, "share"),
        number(won.strict.n, "count"),
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
            "read refusals and the labels beside it.",
            words=(0, 1),
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
                    f"{estimate_alone(one, 'share')} n={rests_on(one)}"
                    for one in (arm.flagged.estimate for arm in arms)
                ),
                *(_reduced(labelled.reductions.get(judge)) if two else ()),
            )
            for judge, arms in labelled.rates.items()
        ),
        footnote=_LABELS if two else "",
        words=(0, 3, 4) if two else (0,),
    )


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
