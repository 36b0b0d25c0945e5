"""Pages told by their numbers alone, for what is drawn of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from multiturn.ranking import Ranking
from multiturn.report.page.shown import BASE, TUNED, Collected, Page, ShownArm
from multiturn.results import Comparison, Contrast, Estimate, Measured, PassRates, Plan, Verdict

Ends = tuple[float, float] | None

ABSENT = Estimate(value=None, n=0, missing=3)
"""What could not be measured."""


def estimate(value: float | None, ends: Ends = None, *, n: int = 12, missing: int = 0) -> Estimate:
    """A number with the ends of its interval, if it has one."""
    if value is None:
        return ABSENT
    low, high = ends or (None, None)
    return Estimate(value=value, n=n, missing=missing, low=low, high=high)


def contrast(
    group: tuple[str, str],
    base: Estimate | float | None,
    tuned: Estimate | float | None,
    ends: Ends = None,
    *,
    measure: str = "check_pass",
    **more: Any,  # noqa: ANN401 - fields of a contrast
) -> Contrast:
    """One measure in one group; ``ends`` are those of the difference."""
    arms = [one if isinstance(one, Estimate) else estimate(one) for one in (base, tuned)]
    values = [one.value for one in arms]
    difference = None if values[0] is None or values[1] is None else values[1] - values[0]
    return Contrast(
        measure=measure,
        group=group,
        base=arms[0],
        tuned=arms[1],
        difference=estimate(difference, ends),
        **{"orientation": "higher_is_better", **more},
    )


def capability(name: str, base: float | None, tuned: float | None, ends: Ends = None) -> Contrast:
    """Checks passed in one capability."""
    return contrast(("capability", name), base, tuned, ends)


def verdict(word: str, found: Contrast, **more: Any) -> Verdict:  # noqa: ANN401 - fields of a verdict
    """What is said of a contrast."""
    return Verdict(**{"measure": found.measure, "role": "primary", "word": word, "contrast": found, **more})


def comparison(*contrasts: Contrast, **more: Any) -> Comparison:  # noqa: ANN401 - fields of a comparison
    """A comparison that holds these contrasts."""
    return Comparison(**{"base_run": "r0", "tuned_run": "r1", "changes": (), "contrasts": contrasts, **more})


def page(
    *comparisons: Comparison,
    rates: Sequence[tuple[tuple[str, str], Estimate]] | None = None,
    ranking: Ranking | None = None,
    words: Sequence[Mapping[int, int]] | None = None,
    labels: Sequence[str] = (),
) -> Page:
    """A page of these comparisons; of one arm where there are none."""
    many = len(comparisons) + 1
    names = (
        ["model"] if many == 1 else [BASE, TUNED] if many == 2 else [BASE, *(f"arm {at}" for at in range(2, many + 1))]
    )
    arms = tuple(
        ShownArm(name=name, label=labels[at] if labels else f"model-{at}", run=f"r{at}")
        for at, name in enumerate(names)
    )
    found = [Measured(measure="check_pass", group=group, estimate=one) for group, one in rates or ()]
    return Page(
        runs=(),
        collected=Collected(
            arms=arms,
            tags=(),
            rows=(),
            chunks=(),
            words=tuple(Counter(one) for one in words or [{}] * many),
            fluent=(),
        ),
        comparisons=comparisons,
        ranking=ranking,
        rates=PassRates(rates=tuple(found), notes=()) if rates is not None else None,
    )


def plan(primary: str) -> Plan:
    """A plan with another primary measure."""
    return Plan(primary=primary)
