"""What judges said, in the JSON export: the measures by name, in percent and grades, and everything behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.codec import encode
from multiturn.judged_pair import JudgedPair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.judged_pair import Covered
    from multiturn.results import Estimate
    from multiturn.scores import Won

PANEL: Final = "panel"


class Figure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One number: whose, by whom, against whom.

    ``arm`` is ``base``, ``tuned`` or ``model``; ``judge`` an id, or ``panel``; ``opponent`` a run with its model's
    spec. Of a win rate ``value``, ``low`` and ``high`` are percent of ``pairs`` that are won (a tie is not), and the
    ``adjusted`` ones count a tie as half a win; of a score they are grades. ``n`` counts conversations, ``missing``
    those without a verdict. ``value`` is null where there is none. ``judged`` replies (or pairs) of ``judged_of`` were
    asked about, in conversations of which there are ``n_of``; of a panel, or where it is not known, they are left out.
    """

    arm: str
    judge: str
    rubric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    missing: int
    opponent: str = ""
    opponent_model: str = ""
    pairs: int | None = None
    adjusted: float | None = None
    adjusted_low: float | None = None
    adjusted_high: float | None = None
    n_of: int | None = None
    judged: int | None = None
    judged_of: int | None = None


class JudgedJson(msgspec.Struct, frozen=True, kw_only=True):
    """``measures`` by name: ``score`` (mean grade over all turns), ``first_turn_score``, ``later_turns_score``,
    ``weighted_score`` (grades weighted by their probabilities, where the judge's engine tells them), and a
    ``..._win_rate`` for each kind of preference (``helpfulness_win_rate``, ``harmlessness_win_rate``); ``all`` is
    everything they come from.
    """  # noqa: D205 - one sentence

    measures: dict[str, tuple[Figure, ...]]
    all: JudgedPair


def judged_json(pair: JudgedPair) -> JudgedJson:
    """The export of what judges said of one run, or of base and tuned."""
    found: dict[str, list[Figure]] = {}
    for name, figure in (*_scores(pair), *_win_rates(pair)):
        found.setdefault(name, []).append(figure)
    return JudgedJson(measures={name: tuple(figures) for name, figures in found.items()}, all=pair)


def judged_json_text(pair: JudgedPair) -> str:
    """The export as JSON text that ends with a line end."""
    return encode(judged_json(pair)).decode() + "\n"


def _scores(pair: JudgedPair) -> Iterator[tuple[str, Figure]]:
    arms = ("model",) if len(pair.runs) == 1 else ("base", "tuned")
    for rated in pair.rated:
        for judge, scores in rated.scores.items():
            for at, (arm, one) in enumerate(zip(arms, scores, strict=True)):
                covered = rated.covered[judge][at] if judge in rated.covered else None
                parts = (
                    ("score", one.overall),
                    ("first_turn_score", one.first),
                    ("later_turns_score", one.later),
                    ("weighted_score", one.weighted),
                )
                for name, part in parts:
                    if part is not None:
                        figure = _figure(part.estimate, arm=arm, judge=judge, rubric=rated.rubric)
                        yield name, _of(figure, covered)
        for arm, panel in zip(arms, rated.panels, strict=False):
            if panel.score is not None:
                yield "score", _figure(panel.score.estimate, arm=arm, judge=PANEL, rubric=rated.rubric)


def _win_rates(pair: JudgedPair) -> Iterator[tuple[str, Figure]]:
    for versus in pair.versus:
        who = {"arm": versus.arm, "rubric": versus.rubric}
        against = {"opponent": versus.opponent, "opponent_model": versus.opponent_spec}
        rates: list[tuple[str, Won]] = [(judge, wins.turns) for judge, wins in versus.wins.items()]
        rates += [(PANEL, panel.won) for panel in versus.panels[:1] if panel.won is not None]
        for judge, won in rates:
            name = f"{versus.measure or versus.rubric}_win_rate"
            plain = _of(_figure(_percent(won.strict), judge=judge, **who), versus.covered.get(judge))
            adjusted = _percent(won.adjusted)
            yield (
                name,
                msgspec.structs.replace(
                    plain,
                    pairs=won.pairs,
                    adjusted=adjusted.value,
                    adjusted_low=adjusted.low,
                    adjusted_high=adjusted.high,
                    **against,
                ),
            )


def _figure(found: Estimate, *, arm: str, judge: str, rubric: str) -> Figure:
    return Figure(
        arm=arm,
        judge=judge,
        rubric=rubric,
        value=found.value,
        low=found.low,
        high=found.high,
        n=found.n,
        missing=found.missing,
    )


def _of(figure: Figure, covered: Covered | None) -> Figure:
    """With how much there was to judge."""
    if covered is None:
        return figure
    return msgspec.structs.replace(
        figure, n_of=covered.of_conversations, judged=covered.replies, judged_of=covered.of_replies
    )


def _percent(found: Estimate) -> Estimate:
    ends = {name: None if end is None else 100 * end for name, end in (("low", found.low), ("high", found.high))}
    return msgspec.structs.replace(found, value=None if found.value is None else 100 * found.value, **ends)
