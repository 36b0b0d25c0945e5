"""A group's runs over time as tables and sentences.

What this module does not know: the store, how a verdict comes about, how numbers look.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from multiturn.report.numbers import difference_alone, estimate_alone, label_of, level, number, p_number, unit_of
from multiturn.report.tables import Table, footnotes_once, rests_on
from multiturn.report.text import render
from multiturn.series import FALL
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.table import Table as RichTable

    from multiturn.series import Apart, Step, Trend

BEFORE: Final = "Each version against the one before"
FIRST: Final = "Each version against the first"
_STANDS: Final = {True: "yes", False: "no", None: ""}


def render_trend(trend: Trend, *, naming: Callable[[str], str] = str) -> Group:
    """All tables and sentences, for ``Console.print``; ``naming`` makes a model's spec as short as it should be."""
    parts: list[RichTable | Text] = []
    for table in footnotes_once(tables(trend, naming=naming)):
        parts += [render(table), Text("")]
    return Group(*parts, *(Text(printable(line)) for line in (*sentences(trend), *trend.notes)))


def tables(trend: Trend, *, naming: Callable[[str], str] = str) -> list[Table]:
    """The versions, their steps, and what was left apart; a table with nothing in it is left out."""
    found = [_versions(trend, naming)] if trend.versions else []
    if trend.before:
        found.append(_steps(BEFORE if len(trend.before) > 1 else FIRST, trend.before, trend))
    if len(trend.first) > 1:
        found.append(_steps(FIRST, trend.first, trend))
    if trend.apart:
        found.append(_apart(trend, naming))
    return found


def sentences(trend: Trend) -> Iterator[str]:
    """What the tables say, for a reader who has never heard of an adjusted p value."""
    if len(trend.versions) < 2:  # noqa: PLR2004 - a step needs two
        yield from _no_steps(trend)
        return
    for step in trend.before:
        if step.same_model:
            yield (
                f"Version {step.later + 1} is the same model as {step.earlier + 1} again: "
                "what differs between the two runs is noise."
            )
    yield from _standing(trend.before, "the one before")
    if len(trend.first) > 1:
        yield from _standing(trend.first, "the first")
    newest = trend.before[-1]
    if newest.verdict.advice and not newest.verdict.depends_on_missing:
        yield f"{_place(newest)}, the newest step: {newest.verdict.advice}."
    yield from _to_expect(trend)


def _versions(trend: Trend, naming: Callable[[str], str]) -> Table:
    unit = unit_of(trend.measure)
    rows = tuple(
        (
            str(place),
            naming(version.run.arm.spec),
            version.run.id,
            rests_on(version.estimate),
            estimate_alone(version.estimate, unit),
        )
        for place, version in enumerate(trend.versions, start=1)
    )
    return Table(
        title=f"{trend.group}: {label_of(trend.measure)} over time, oldest first",
        header=("", "model", "run", "n", label_of(trend.measure)),
        rows=rows,
        footnote=f"n: conversations. [low, high]: {level(trend.versions[0].estimate)} interval of each version alone.",
        words=(1,),
    )


def _steps(title: str, steps: Sequence[Step], trend: Trend) -> Table:
    unit = unit_of(trend.measure)
    rows = tuple(
        (
            f"{step.later + 1} - {step.earlier + 1}",
            rests_on(step.verdict.contrast.difference),
            difference_alone(step.verdict.contrast.difference, unit),
            step.verdict.word,
            p_number(step.verdict.adjusted_p),
            _STANDS[step.stands],
        )
        for step in steps
    )
    margins = {step.verdict.margin for step in steps}
    same = f" equivalent: less than {number(margins.pop(), unit, points=True)} apart." if len(margins) == 1 else ""
    return Table(
        title=title,
        header=("step", "n", "later - earlier", "verdict", "adjusted p", "stands"),
        rows=rows,
        footnote=(
            f"[low, high]: {level(steps[0].verdict.contrast.difference)} interval of the mean difference, conversation "
            f"by conversation; one that holds 0 leaves open whether anything changed.{same} adjusted p, stands: with "
            "all steps of the table counted (Holm)."
        ),
    )


def _apart(trend: Trend, naming: Callable[[str], str]) -> Table:
    return Table(
        title="Left apart",
        header=("run", "model", "why"),
        rows=tuple(row for one in trend.apart for row in _reasons(one, naming)),
        footnote=(
            f"Where conditions differ: this run's value / that of the newest run ({trend.reference.id}), whose "
            "conditions count."
        ),
        words=(1, 2),
    )


def _reasons(one: Apart, naming: Callable[[str], str]) -> Iterator[tuple[str, str, str]]:
    for place, reason in enumerate(one.reasons):
        yield ("", "", reason) if place else (one.run.id, naming(one.run.arm.spec), reason)


def _standing(steps: Sequence[Step], other: str) -> Iterator[str]:
    """Which differences are still there with all steps counted, and which may be chance."""
    counted = f"all {len(steps)} steps counted"
    for word in dict.fromkeys(step.verdict.word for step in steps if step.stands):
        found = [step for step in steps if step.stands and step.verdict.word == word]
        yield f"{_versions_named(found)} {word} against {other}, and that stands with {counted}."
    for word in dict.fromkeys(step.verdict.word for step in steps if step.stands is False):
        found = [step for step in steps if step.stands is False and step.verdict.word == word]
        yield (
            f"{_versions_named(found)} {word} against {other}, but that does not stand with {counted}: as much may "
            "come up in more than 1 of 20 series in which nothing changes."
        )
    if all(step.stands is None for step in steps):
        neither = steps[0].verdict.contrast.orientation == "neither"
        moved = "changed" if neither else "regressed or improved"
        yield f"No version {moved} against {other}, as far as this can tell."
    for step in steps:
        if step.verdict.depends_on_missing:
            yield f"{_place(step)}: what is missing could change the word; resume these runs first."


def _versions_named(steps: Sequence[Step]) -> str:
    """``Version 4``, ``Versions 4 and 5``, ``Versions 2, 4 and 5``."""
    places = [str(step.later + 1) for step in steps]
    if len(places) == 1:
        return f"Version {places[0]}"
    return f"Versions {', '.join(places[:-1])} and {places[-1]}"


def _place(step: Step) -> str:
    return f"{step.later + 1} - {step.earlier + 1}"


def _to_expect(trend: Trend) -> Iterator[str]:
    """How many false alarms there would be if nothing had changed."""
    expected = trend.false_alarms
    if expected is None:
        return
    neither = trend.before[0].verdict.contrast.orientation == "neither"
    word, chance = "changed" if neither else FALL, number(expected.any_if_apart, "share")
    if expected.steps == 1:
        yield f'False alarms: where nothing changes at all, a step is called "{word}" in up to {chance} of cases.'
        return
    yield (
        f"False alarms: where nothing changes at all, {expected.steps} steps from a version to the next are called "
        f'"{word}" up to {number(expected.expected, "score")} times on average, and at least one is in up to about '
        f"{chance} of such series."
    )
    yield "Steps from the first version share it: where that one was lucky, all later ones look worse."


def _no_steps(trend: Trend) -> Iterator[str]:
    if not trend.versions:
        yield "No run of this group can be compared; what keeps each apart stands beside it."
    elif trend.apart:
        yield (
            "No other run of this group can be compared with the newest one. Hold the older models again under its "
            "conditions:"
        )
    else:
        yield "One run is no trend yet. Hold the next version under the same conditions:"
    yield f"  multiturn run MODEL --group {shlex.quote(trend.group)}"
