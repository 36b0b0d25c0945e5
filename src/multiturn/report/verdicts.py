"""What a comparison concludes, as tables: the verdicts, where the primary measure moved, decay, noise floor.

What this module does not know: how a verdict comes about, and the sentences below it (``conclusion.py``).
"""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from multiturn.report.numbers import (
    ABSENT,
    arms_of,
    change,
    difference_alone,
    label_of,
    number,
    range_alone,
    unit_of,
    whole_percent,
)
from multiturn.report.tables import Table, brackets, rests_on
from multiturn.results import MOVED, Plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.report.numbers import Unit
    from multiturn.results import Comparison, Estimate, NoiseFloor, Verdict

SAME_MODEL: Final = "A/A run: the same model twice, whatever differs is noise"
WIDE: Final = len("[+71.3, +100.0]")
"""Of the widest interval of a share."""
_FINDS: Final = "mostly finds"
_ABOUT_FINDS: Final = (
    f"{_FINDS}: a true difference of this size is found by 80 of 100 such comparisons, a smaller one too, but less "
    "often."
)
_ABOUT_ABSENT: Final = f"{ABSENT}: can't be told, since all conversations changed alike or are fewer than two."
_SEEN: Final = 0.05
"""Of an interval's width: so far from its middle a number has to be for a reader to see it."""
_OFF_CENTRE: Final = (
    "A range may reach far to one side: among few conversations, those that change most may have been missed."
)


def verdict_table(comparison: Comparison) -> Table:
    """A row for each verdict, the primary one first; no rows where there is no verdict.

    Cells have up to three lines, so that a row with everything in it fits into 80 columns.
    """
    return Table(
        title=_title(comparison),
        header=("measure", "base", "tuned", "tuned - base", "verdict", _FINDS, "n"),
        rows=tuple(_row(one, same_model=comparison.same_model) for one in comparison.verdicts),
        footnote=" ".join(_about(comparison.verdicts)) if comparison.verdicts else "",
        rows_about=tuple(("measure", one.measure) for one in comparison.verdicts),
        columns_about=(None, ("arm", "base"), ("arm", "tuned"), None, None, None, None),
    )


def _about(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """What the columns are, as far as these verdicts have what is to be explained."""
    yield brackets([one.contrast for one in verdicts])
    if any(_off_centre(one.contrast.difference) for one in verdicts):
        yield _OFF_CENTRE
    yield _ABOUT_FINDS
    if any(one.detectable is None for one in verdicts):
        yield _ABOUT_ABSENT
    yield "pp: percentage points."


def _off_centre(found: Estimate) -> bool:
    """Whether a reader sees that the number is not in the middle of its interval."""
    if found.value is None or found.low is None or found.high is None:
        return False
    return abs(found.value - (found.low + found.high) / 2) > _SEEN * (found.high - found.low)


def standing(comparison: Comparison) -> list[str]:
    """The capabilities of which it can be said that the primary measure moved there."""
    return [label_of(one.contrast.group[1]) for one in comparison.localisation if one.word in MOVED]


def localisation_table(comparison: Comparison) -> Table:
    """By capability, where the primary measure moved; no rows where it did not."""
    found = comparison.localisation
    return Table(
        title=f"Where it moved: {label_of(comparison.plan.primary)} by capability",
        header=("capability", "n", "tuned - base", "verdict", _FINDS),
        rows=tuple(
            (
                label_of(one.contrast.group[1]),
                rests_on(one.contrast.difference),
                difference_alone(one.contrast.difference, unit_of(one.measure)),
                f"{one.word} (depends on missing data)" if one.depends_on_missing else one.word,
                _finds(one),
            )
            for one in found
        ),
        footnote=" ".join(_about_places(comparison)) if found else "",
        words=(0, 3),
        rows_about=tuple(one.contrast.group for one in found),
    )


def _about_places(comparison: Comparison) -> Iterator[str]:
    """How capabilities are judged, and for which ones it stands."""
    stands = ", ".join(standing(comparison))
    yield (
        "Capabilities are judged together, and so more strictly: the more one looks at, the sooner one of them differs "
        "by chance. So one may be inconclusive whose brackets leave out 0."
    )
    yield f"Certain enough: {stands}." if stands else "None is certain enough: each rests on few conversations."
    if any(one.detectable is None for one in comparison.localisation):
        yield _ABOUT_ABSENT


def decay_table(comparison: Comparison) -> Table:
    """A row for each arm, and their difference; no rows where no conversation has late turns and the early one."""
    found = comparison.decay
    if found is None:
        return Table(title="", header=("", "n", "late - early"), rows=())
    label, unit = label_of(found.measure), unit_of(found.measure)
    arms = (("base", found.base), ("tuned", found.tuned), ("tuned - base", found.difference))
    better = found.orientation == "higher_is_better"
    loses = "Below 0 in the last row, tuned loses more on the way than base; " if better else "In the last row, "
    return Table(
        title=f"Late turns against the early one: {label}",
        header=("", "n", "late - early"),
        rows=tuple((name, rests_on(one), difference_alone(one, unit)) for name, one in arms),
        footnote=(
            f"Late is turn 4 and on, early is turn 2 of the same conversations. {loses}with 0 inside [low, high], it "
            "is open whether tuned changes more than base."
        ),
    )


def noise_tables(comparison: Comparison) -> list[Table]:
    """The two questions that a comparison with several samples answers, and what more of either would buy."""
    return [_noise(floor) for floor in comparison.noise]


def _noise(floor: NoiseFloor) -> Table:
    unit = unit_of(floor.measure)
    return Table(
        title=f"Noise floor: {label_of(floor.measure)}, tuned - base",
        header=("question", "n", "tuned - base"),
        rows=(
            (
                "on conversations like these (what the verdict is about)",
                rests_on(floor.like_these),
                difference_alone(floor.like_these, unit),
            ),
            (
                "on exactly these, held again (says nothing of others)",
                rests_on(floor.these),
                difference_alone(floor.these, unit),
            ),
        ),
        footnote=" ".join((*_parts(floor), *_outlook(floor))),
        words=(0,),
    )


def _parts(floor: NoiseFloor) -> Iterator[str]:
    """Which share of the uncertainty comes from where."""
    judging = floor.judging or 0.0
    held = 1.0 if floor.judging is not None else floor.samples
    parts = floor.between, floor.within / held, judging
    total = sum(parts)
    if total == 0:
        yield "Nothing differed, neither between conversations nor from sample to sample."
        return
    between, within, judged = (whole_percent(part / total) for part in parts)
    by_judge = f", and {judged} from judging (judged again, the same reply gets another mark)" if judging else ""
    once = " of one sample, judged once," if floor.judging is not None else ""
    yield (
        f"Of the uncertainty{once} about {between} comes from the conversations (some change more than others) and "
        f"{within} from sampling (held again, the same conversation comes out differently){by_judge}."
    )


def _outlook(floor: NoiseFloor) -> Iterator[str]:
    """What another size would find."""
    if not floor.outlook:
        return
    unit = unit_of(floor.measure)
    sizes = ", ".join(
        f"{number(one.detectable, unit, points=True)} with {number(one.conversations, 'count')} x "
        f"{number(one.samples, 'count')}"
        for one in floor.outlook
    )
    yield f"A true difference that is found in 80 of 100 cases, by conversations x samples: {sizes}."


def _title(comparison: Comparison) -> str:
    plan = comparison.plan
    look = ""
    if plan.level != Plan().level:
        look = f", look {number(plan.look, 'count')} of 2 at {number(1 - plan.level, 'share')} each"
    return f"Verdict{look}{f' ({SAME_MODEL})' if comparison.same_model else ''}"


def _row(verdict: Verdict, *, same_model: bool) -> tuple[str, ...]:
    contrast, unit = verdict.contrast, unit_of(verdict.measure)
    return (
        "\n".join((label_of(verdict.measure), *_marks(verdict))),
        *arms_of(contrast, "\n"),
        "\n".join((change(contrast.difference.value, unit), *_range(contrast.difference, unit))),
        "\n".join((verdict.word.upper(), *_doubts(verdict, same_model=same_model))),
        _finds(verdict),
        rests_on(contrast.difference).replace(" missing", "\nmissing"),
    )


def _range(found: Estimate, unit: Unit) -> list[str]:
    """The interval; or why there is none, in lines that are no wider."""
    text = range_alone(found, unit)
    return [text] if found.low is not None else wrap(text, WIDE)


def _marks(verdict: Verdict) -> Iterator[str]:
    if verdict.role == "primary":
        yield "primary"
    if verdict.contrast.orientation == "lower_is_better":
        yield "less is better"


def _doubts(verdict: Verdict, *, same_model: bool) -> Iterator[str]:
    if same_model and verdict.word in MOVED:
        yield "false alarm"
    if verdict.depends_on_missing:
        yield "depends on"
        yield "missing data"


def _finds(verdict: Verdict) -> str:
    """How large a true difference is found in 80 of 100 cases."""
    return number(verdict.detectable, unit_of(verdict.measure), points=True)
