"""One measure in every group of a kind, for all arms of a page: what charts by group are drawn and told from. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.numbers import difference_alone, estimate, estimate_alone, in_short, label_of, level, unit_of
from multiturn.report.tables import Table, rests_on
from multiturn.results import Estimate, Orientation, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.report.page.shown import Page
    from multiturn.results import Comparison, Contrast, Measured, PassRates

_BY_HARM: Final = frozenset({"capability", "category", "domain"})
"""Kinds of groups without an order of their own: where it got worse stands first."""
_NAME: Final = 60
"""Characters of a group's name: it stands in sentences too."""
_NOTHING: Final = 1e-9
"""Differences below this come from rounding."""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """One group: every arm's estimate, in the order of the page, and each other arm's difference to the first one."""

    name: str
    arms: tuple[Estimate, ...]
    differences: tuple[Estimate, ...] = ()

    @property
    def change(self) -> float:
        """By how much the second arm differs from the first; 0 where nobody can say, or only rounding does."""
        value = self.differences[0].value if self.differences else None
        return 0.0 if value is None or abs(value) < _NOTHING else value


class Grouped(msgspec.Struct, frozen=True, kw_only=True):
    """One measure by a kind of group. ``names`` are the arms'.

    ``verdicts`` are what is concluded of its groups, by their names; None where nothing is concluded of groups of this
    kind. ``same_model``: both arms are one model.
    """

    measure: str
    kind: str
    names: tuple[str, ...]
    groups: tuple[Group, ...]
    orientation: Orientation
    verdicts: dict[str, Verdict] | None = None
    same_model: bool = False

    @property
    def pair(self) -> bool:
        """Whether two arms are compared."""
        return any(len(group.differences) == 1 for group in self.groups)

    @property
    def occurs(self) -> bool:
        """Whether any arm has a number above 0 anywhere."""
        return any(arm.value for group in self.groups for arm in group.arms)


def grouped(page: Page, kind: str, measure: str) -> Grouped | None:
    """The measure by this kind of group; None where no arm of the page has a number for it."""
    names = tuple(arm.name for arm in page.collected.arms)
    if page.comparisons:
        found = _of_comparisons(page.comparisons, names, kind, measure)
    else:
        found = _of_rates(page.rates, names, kind, measure)
    return found if any(arm.value is not None for group in found.groups for arm in group.arms) else None


def _of_rates(rates: PassRates | None, names: tuple[str, ...], kind: str, measure: str) -> Grouped:
    every = rates.rates if rates is not None else ()
    groups = [Group(name=one.group[1], arms=(one.estimate,)) for one in every if _is(one, kind, measure)]
    if kind in _BY_HARM:
        groups.sort(key=lambda group: group.arms[0].value or 0.0)
    return Grouped(measure=measure, kind=kind, names=names, groups=tuple(groups), orientation="higher_is_better")


def _of_comparisons(comparisons: Sequence[Comparison], names: tuple[str, ...], kind: str, measure: str) -> Grouped:
    first = comparisons[0]
    each = [{one.group[1]: one for one in found.contrasts if _is(one, kind, measure)} for found in comparisons]
    groups = [
        Group(
            name=name,
            arms=(contrast.base, *(one[name].tuned for one in each)),
            differences=tuple(one[name].difference for one in each),
        )
        for name, contrast in each[0].items()
        if all(name in one for one in each)
    ]
    alone = len(comparisons) == 1
    worse = {"higher_is_better": 1.0, "lower_is_better": -1.0, "neither": 0.0}
    orientation: Orientation = next((one.orientation for one in each[0].values()), "neither")
    if kind in _BY_HARM and alone:
        groups.sort(key=lambda group: worse[orientation] * group.change)
    concluded = alone and kind == "capability" and measure == first.plan.primary
    return Grouped(
        measure=measure,
        kind=kind,
        names=names,
        groups=tuple(groups),
        orientation=orientation,
        verdicts={one.contrast.group[1]: one for one in first.localisation} if concluded else None,
        same_model=alone and first.same_model,
    )


def _is(one: Contrast | Measured, kind: str, measure: str) -> bool:
    return (one.measure, one.group[0]) == (measure, kind)


def named(kind: str, name: str) -> str:
    """What a reader sees of a group, in short."""
    return in_short(name if kind == "domain" else label_of(name), _NAME)


def group_table(found: Grouped) -> Table:
    """The numbers behind a chart: every arm with its interval; of two arms their difference too."""
    unit = unit_of(found.measure)
    arms = tuple(("arm", name) for name in found.names)
    first = "turns back" if found.kind == "distance" else found.kind
    title = f"{label_of(found.measure).capitalize()} by {found.kind}"
    about = tuple((found.kind, group.name) for group in found.groups)
    if not found.pair:
        return Table(
            title=title,
            header=(first, *found.names),
            rows=tuple(
                (named(found.kind, group.name), *(_narrow(estimate(arm, unit)) for arm in group.arms))
                for group in found.groups
            ),
            footnote=_about(found),
            about=("measure", found.measure),
            rows_about=about,
            columns_about=(None, *arms),
        )
    return Table(
        title=title,
        header=(first, "n", *found.names, " - ".join(reversed(found.names))),
        rows=tuple(
            (
                named(found.kind, group.name),
                rests_on(group.differences[0]),
                *(_narrow(estimate_alone(arm, unit)) for arm in group.arms),
                _narrow(difference_alone(group.differences[0], unit)),
            )
            for group in found.groups
        ),
        footnote=_about(found),
        about=("measure", found.measure),
        rows_about=about,
        columns_about=(None, None, *arms, None),
    )


def _narrow(text: str) -> str:
    """A number with its interval on a line of its own: the table stands in a narrow column."""
    return text.replace(" [", "\n[", 1)


def _about(found: Grouped) -> str:
    """What stands in the table, for a reader who has never seen an interval."""
    levels = sorted({level(arm) for group in found.groups for arm in group.arms})
    differ = "; where that of the difference holds 0, there may be none" if found.pair else ""
    return (
        "n: conversations. [low, high]: where the true number most likely lies "
        f"({' and '.join(levels)} interval){differ}."
    )
