"""Where arms stand without a comparison of two: one by its pass rate, several by their ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.conclusion import primary_of
from multiturn.report.numbers import (
    arms_of,
    counted,
    difference_alone,
    estimate,
    estimate_alone,
    label_of,
    level,
    number,
    unit_of,
)
from multiturn.report.page.gist import Led
from multiturn.report.page.tag_words import short_words
from multiturn.report.tables import Table, rests_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from multiturn.ranking import Ranked, RateRanking
    from multiturn.report.page.facets import Tag
    from multiturn.report.page.reach import Reach
    from multiturn.report.page.shown import Page
    from multiturn.results import Verdict

TO_READ: Final[tuple[Tag, ...]] = (
    ("check", "fail"),
    ("fluent", "wrong"),
    ("grade", "low"),
    ("refusal", "unexpected"),
    ("refusal", "any"),
    ("refusal", "missing"),
    ("status", "length"),
    ("status", "empty"),
    ("status", "overflowed"),
    ("raised", "collapse"),
    ("raised", "language_change"),
    ("raised", "role_leakage"),
    ("missing", "yes"),
)
"""What is worth reading of one arm by itself."""
MOST_PAIRS: Final = 3
"""Pairs that can't be told apart and are named; the table of pairs has all."""
_MEAN: Final = "the mean over n conversations, and in brackets where the true share most likely lies ({} interval)."


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence and what belongs to it, a table of several arms, and of one arm what there is to read."""

    heading: str
    lead: tuple[str, ...]
    table: Table | None = None
    to_read: tuple[Led, ...] = ()


def of_one(page: Page, reach: Reach) -> Standing:
    """One arm: how many checks it passes."""
    arm = page.collected.arms[0]
    tags = [((f"{arm.name}.{key}", value), (key, value)) for key, value in TO_READ]
    found = [(reach.behind(dict([tag])), plain) for tag, plain in tags]
    to_read = tuple(
        Led(f"{short_words(plain, page.collected.arms)}: {counted(one.turns, 'turn')} in {one.text}", one.href)
        for one, plain in found
        if one is not None
    )
    rates = page.rates.rates if page.rates is not None else ()
    if not rates:
        none = f"No pass rate of {arm.label}: no turn of this suite has checks."
        return Standing(heading=none, lead=(), to_read=to_read)
    passed, unit = rates[0].estimate, unit_of(rates[0].measure)
    if passed.value is None:
        return Standing(heading=f"No pass rate of {arm.label}: nothing could be measured.", lead=(), to_read=to_read)
    return Standing(
        heading=f"{arm.label} passes {number(passed.value, unit)} of the checks.",
        lead=(f"{estimate(passed, unit)}: {_MEAN.format(level(passed))}",),
        to_read=to_read,
    )


def of_several(page: Page) -> Standing:
    """Three arms and more: who is ahead, and of whom that can't be said."""
    rates = page.ranking.rates if page.ranking is not None else None
    said = list(_ahead(rates, naming_of(page))) if rates is not None else []
    heading, *lead = said or [f"{counted(len(page.runs), 'model')} on one suite, which has no checks to rank them by."]
    return Standing(heading=heading, lead=tuple(lead), table=_against_base(page))


def naming_of(page: Page) -> Callable[[str], str]:
    """What the page calls an arm of a ranking, which knows it by its model, and by its run where several have one."""
    names: dict[str, str] = {}
    for arm in page.collected.arms:
        for known in (arm.label, f"{arm.label} ({arm.run})"):
            names.setdefault(known, f"{arm.name} ({arm.label})")
    return lambda arm: names.get(arm, arm)


def _ahead(rates: RateRanking, naming: Callable[[str], str]) -> Iterator[str]:
    """The first in rank, those that it can't be told apart from, and the other pairs that can't be."""
    best = [one for one in rates.arms if one.rank == 1]
    if not best:
        yield "Nothing could be measured in a conversation that all models have."
        return
    passed = estimate_alone(best[0].estimate, "share")
    n = counted(best[0].estimate.n, "conversation")
    if len(best) > 1:
        yield f"{_all([naming(one.arm) for one in best])} pass most checks, the same number: {passed} in {n}."
    else:
        yield f"{naming(best[0].arm)} passes most checks: {passed} in {n}."
        yield _apart(best[0], rates, naming)
    open_pairs = [
        f"{naming(one.first)} and {naming(one.second)}"
        for one in rates.pairs
        if not one.told_apart and (len(best) > 1 or best[0].arm not in (one.first, one.second))
    ]
    if open_pairs:
        more = [counted(len(open_pairs) - MOST_PAIRS, "pair")] if len(open_pairs) > MOST_PAIRS else []
        which = "Can't be told apart" if len(best) > 1 else "Nor can these be told apart"
        yield f"{which}: {'; '.join([*open_pairs[:MOST_PAIRS], *(f'and {one} more' for one in more)])}."


def _apart(first: Ranked, rates: RateRanking, naming: Callable[[str], str]) -> str:
    others = [one.arm for one in rates.arms if one.arm != first.arm]
    near = [naming(arm) for arm in others if arm not in first.told_apart_from]
    if not near:
        return "It can be told apart from every other one."
    if len(near) == len(others):
        return "That may be chance: it can't be told apart from any other one."
    return f"It can't be told apart from {_all(near)}, which may be as good."


def _against_base(page: Page) -> Table | None:
    """The primary verdict of each comparison; None where no comparison has one."""
    arms = page.collected.arms
    found = [(arm, primary_of(one)) for one, arm in zip(page.comparisons, arms[1:], strict=True)]
    rows = [(f"{arm.name} ({arm.label})", *_cells(verdict)) for arm, verdict in found if verdict is not None]
    if not rows:
        return None
    label = label_of(page.comparisons[0].plan.primary)
    return Table(
        title=f"Each model against {arms[0].name} ({arms[0].label}): {label}",
        header=("model", arms[0].name, "this model", f"this model - {arms[0].name}", "verdict", "n"),
        rows=tuple(rows),
        words=(0, 4),
    )


def _cells(verdict: Verdict) -> tuple[str, ...]:
    paired = verdict.contrast.difference
    told = difference_alone(paired, unit_of(verdict.measure))
    return *arms_of(verdict.contrast), told, verdict.word.upper(), rests_on(paired)


def _all(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
