"""What a chart by group shows, in a sentence: never more than its intervals carry. Pure.

Of capabilities it is said where the primary measure moved only as far as their verdicts say so. For turns, distances
and categories there are no verdicts: which of them stand out is said one by one, with what that is worth
(:data:`STANDS_OUT`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from multiturn.report.conclusion import does
from multiturn.report.numbers import counted, label_of, number, unit_of
from multiturn.report.page.grouped import named
from multiturn.results import MOVED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from multiturn.report.page.grouped import Group, Grouped
    from multiturn.results import Estimate

STANDS_OUT: Final = (
    "Stands out: 0 is outside the range of its own difference. Of 20 without a real difference one does so by chance."
)
TOGETHER: Final = "Capabilities are judged together, and so more strictly: by itself one may look certain and not be."
MOST_NAMED: Final = 3
"""Groups that a sentence names; more are counted."""
MOST_TOLD: Final = 12
"""Groups that a text alternative tells of."""

_AT: Final = frozenset({"turn", "distance"})


def group_title(found: Grouped) -> str:
    """The finding of a chart by group, without a full stop."""
    if found.pair:
        return _of_two(found)
    return _of_several(found) if len(found.names) > 1 else _of_one(found)


def group_note(found: Grouped) -> str:
    """What is to be known of the finding: how strictly it was judged; "" where nothing is said to differ."""
    if not found.pair or found.same_model or not any(group.change for group in found.groups):
        return ""
    if found.verdicts is not None:
        return TOGETHER
    return STANDS_OUT if any(_leaves_out_0(group.differences[0]) for group in found.groups) else ""


def group_alternative(found: Grouped) -> str:
    """What is drawn, with the numbers, for someone who does not see it."""
    unit = unit_of(found.measure)
    told = [
        f"{_place(found, group)}: "
        + ", ".join(
            f"{name} {'not measured' if arm.value is None else number(arm.value, unit)}"
            for name, arm in zip(found.names, group.arms, strict=True)
        )
        for group in found.groups[:MOST_TOLD]
    ]
    rest = len(found.groups) - MOST_TOLD
    more = [f"and {number(rest, 'count')} more"] if rest > 0 else []
    return f"{label_of(found.measure).capitalize()} by {found.kind}. {'; '.join([*told, *more])}."


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _place(found: Grouped, group: Group) -> str:
    """A group in a sentence: ``correction``, ``turn 3``, ``distance 4+``."""
    name = named(found.kind, group.name)
    return f"{found.kind} {name}" if found.kind in _AT else name


def _where(found: Grouped, groups: int, of: int) -> str:
    """``in 3 of 8 capabilities``, ``at turn`` ..."""
    return f"{'at' if found.kind in _AT else 'in'} {number(groups, 'count')} of {counted(of, found.kind)}"


def _of_two(found: Grouped) -> str:
    tuned, base = ("The second run", "the first") if found.same_model else ("Tuned", "base")
    label = label_of(found.measure)
    known = [group for group in found.groups if group.differences[0].value is not None]
    if not known:
        return f"{label.capitalize()} by {found.kind}: no conversation that both {tuned.lower()} and {base} have"
    down = [group for group in known if group.change < 0]
    up = [group for group in known if group.change > 0]
    if not down and not up:
        return f"{tuned} and {base} came out the same in {label}, whatever the {found.kind}"
    main, other = (down, up) if len(down) >= len(up) else (up, down)
    said = f"{tuned} {does(found.measure, main[0].change)} {base} {_where(found, len(main), len(known))}"
    most = _farthest(found, main) if found.verdicts is not None else ""
    reverse = f", the reverse in {number(len(other), 'count')}" if other else ""
    return f"{said}{most}{reverse}; {_certainty(found, main, other)}"


def _certainty(found: Grouped, main: Sequence[Group], other: Sequence[Group]) -> str:
    """How much of it is more than chance."""
    if found.same_model:
        return "both are one model, so that is chance"
    if found.verdicts is None:
        certain = {group.name for group in (*main, *other) if _leaves_out_0(group.differences[0])}
        names = _certain(found, main, other, certain)
        return f"{names} stand{'' if len(certain) > 1 else 's'} out" if certain else f"no {found.kind} stands out"
    certain = {name for name, verdict in found.verdicts.items() if verdict.word in MOVED}
    return f"certain enough in {_certain(found, main, other, certain)}" if certain else "certain in none by itself"


def _certain(found: Grouped, main: Sequence[Group], other: Sequence[Group], certain: Collection[str]) -> str:
    """The groups by name, or how many they are."""
    names = [f"{_place(found, group)}{_doubt(found, group)}" for group in main if group.name in certain]
    names += [f"{_place(found, group)} (the reverse){_doubt(found, group)}" for group in other if group.name in certain]
    if len(names) <= MOST_NAMED:
        return listed(names)
    return "all" if len(names) == len(found.groups) else number(len(names), "count")


def _doubt(found: Grouped, group: Group) -> str:
    verdict = (found.verdicts or {}).get(group.name)
    return " (depends on missing data)" if verdict is not None and verdict.depends_on_missing else ""


def _farthest(found: Grouped, main: Sequence[Group]) -> str:
    """Where it went furthest, if that is one place of several."""
    most = max(abs(group.change) for group in main)
    farthest = [group for group in main if abs(group.change) == most]
    return f", most in {_place(found, farthest[0])}" if len(farthest) == 1 < len(main) else ""


def _leaves_out_0(difference: Estimate) -> bool:
    return difference.low is not None and difference.high is not None and not difference.low <= 0 <= difference.high


def _of_several(found: Grouped) -> str:
    """Which of several arms is ahead, and how often; what that is worth the ranking tells."""
    label = label_of(found.measure).capitalize()
    leads = Counter(_leaders(found))
    if not leads:
        return f"{label}: no model is ahead of all others, whatever the {found.kind}"
    ahead = "lowest" if found.orientation == "lower_is_better" else "highest"
    total = len(found.groups)
    (first, times), *others = leads.most_common()
    rest = "".join(f", {name} in {number(count, 'count')}" for name, count in others)
    return f"{label}: {first} is {ahead} {_where(found, times, total)}{rest}; each lead alone may be chance"


def _leaders(found: Grouped) -> Iterator[str]:
    """The arm that is ahead of all others, for each group that has one."""
    sign = -1 if found.orientation == "lower_is_better" else 1
    for group in found.groups:
        values = {
            name: sign * arm.value for name, arm in zip(found.names, group.arms, strict=True) if arm.value is not None
        }
        best = [name for name, value in values.items() if value == max(values.values())]
        if len(best) == 1 < len(values):
            yield best[0]


def _of_one(found: Grouped) -> str:
    """Where one arm's number is lowest and highest."""
    unit, label = unit_of(found.measure), label_of(found.measure).capitalize()
    known = [group for group in found.groups if group.arms[0].value is not None]
    low = min(known, key=lambda group: group.arms[0].value or 0.0)
    high = max(known, key=lambda group: group.arms[0].value or 0.0)
    ends = [f"{number(group.arms[0].value, unit)} {_at(found, group)}" for group in (low, high)]
    if len(known) == 1:
        return f"{label}: {ends[0]}"
    if low.arms[0].value == high.arms[0].value:
        return f"{label}: {number(low.arms[0].value, unit)}, whatever the {found.kind}"
    overlap = low.arms[0].high is None or high.arms[0].low is None or low.arms[0].high >= high.arms[0].low
    return f"{label}: from {ends[0]} to {ends[1]}{'; the ranges overlap, so that may be chance' if overlap else ''}"


def _at(found: Grouped, group: Group) -> str:
    return f"{'at' if found.kind in _AT else 'in'} {_place(found, group)}"
