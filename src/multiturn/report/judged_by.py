"""Who judged, how much of what there is to judge, and what came of it without a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.report.numbers import ABSENT, counted, number
from multiturn.report.tables import Table, rests_on
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from multiturn.judge_card import Card, Conclusion
    from multiturn.judged_pair import Covered, JudgedPair
    from multiturn.results import Estimate
    from multiturn.scores import Unjudged

_NOT_FIT: Final = "NO: what this judge says is not to be relied on; multiturn judge check shows why."
_FIT: Final[dict[Conclusion, str]] = {"fit": "yes", "not_fit": "NO", "cannot_tell": "can't tell"}


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


def judges_table(pair: JudgedPair) -> Table:
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
        yield from _not_asked(zip(arm_names(pair), rated.covered.get(judge, ()), strict=False), "reply")
        for arm, scores in zip(arm_names(pair), rated.scores.get(judge, ()), strict=False):
            if words := unjudged_words(scores.unjudged):
                yield f"{arm}: {words}"
    for labelled in pair.labelled:
        yield from _not_asked(zip(arm_names(pair), labelled.covered.get(judge, ()), strict=False), "reply")
        for arm, rates in zip(arm_names(pair), labelled.rates.get(judge, ()), strict=False):
            if words := unjudged_words(rates.unjudged):
                yield f"{arm}: {words}"
    for versus in pair.versus:
        name = f"{versus.arm} against {short_spec(versus.opponent_spec)}"
        if judge in versus.covered:
            yield from _not_asked([(name, versus.covered[judge])], "pair")
        if judge in versus.wins and (words := unjudged_words(versus.wins[judge].unjudged)):
            yield f"{name}: {words}"


def _not_asked(covered: Iterable[tuple[str, Covered]], what: str) -> Iterator[str]:
    """What a judge was not asked about yet, or not at all."""
    for name, one in covered:
        if one.replies < one.of_replies:
            left = number(one.of_replies - one.replies, "count")
            yield f"{name}: {left} of {counted(one.of_replies, what)} not judged"


def rests_on_of(found: Estimate, covered: Covered | None) -> str:
    """How many conversations it rests on, and of how many where not all were judged."""
    if covered is None or covered.conversations == covered.of_conversations:
        return rests_on(found)
    missing = f", {found.missing} missing" if found.missing else ""
    return f"{found.n} of {covered.of_conversations}{missing}"


def covered_at(covered: dict[str, tuple[Covered, ...]], judge: str, arm: int) -> Covered | None:
    """How much of an arm a judge was asked about; None where that is not known."""
    return covered[judge][arm] if judge in covered else None


def covered_least(covered: dict[str, tuple[Covered, ...]], judges: Sequence[str], arm: int) -> Covered | None:
    """What a panel rests on, at most: what the one of its judges covered that covered least."""
    known = [covered[judge][arm] for judge in judges if judge in covered]
    return min(known, key=lambda one: one.replies, default=None)
