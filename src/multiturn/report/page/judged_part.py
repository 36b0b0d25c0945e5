"""What judges say, as a part of the page: charts, and what they flagged, in words.

What this module does not know: what was said of one reply (``opinions.py``), HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.report.judge_card import card_line
from multiturn.report.judged_by import arm_names
from multiturn.report.numbers import counted, estimate_alone, label_of, level
from multiturn.report.page.chart import Chart
from multiturn.report.page.judged_charts import judged_charts
from multiturn.report.page.judged_names import judge_name
from multiturn.report.tables import rests_on
from multiturn.scores import Undefined
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.judged_pair import JudgedPair, Labelled
    from multiturn.report.page.shown import AskedJudge, Page
    from multiturn.results import Estimate

SEVERAL: Final = (
    "Of more than two runs the ratings stand in each comparison, and all that was said at each reply. Win rates and "
    "labels are told on the page of one run, or of two: multiturn report BASE TUNED."
)


class JudgedPart(msgspec.Struct, frozen=True, kw_only=True):
    """The part: sentences first, then charts."""

    sentences: tuple[str, ...]
    charts: tuple[Chart, ...]


def judged_part(page: Page) -> JudgedPart | None:
    """The part of this page; None where no judge said anything of its runs."""
    if not page.judges:
        return None
    return JudgedPart(sentences=tuple(_sentences(page)), charts=tuple(judged_charts(page)))


def judge_warnings(page: Page) -> Iterator[str]:
    """Judges that are not to be believed here, or of whom nobody knows it."""
    for one in page.judges:
        if one.card is not None and one.card.conclusion == "not_fit":
            yield card_line(one.card)
    unchecked = [_name(one) for one in page.judges if one.card is None]
    if unchecked:
        are = "a judge was" if len(unchecked) == 1 else f"{counted(len(unchecked), 'judge')} were"
        yield (
            f"{are} not checked ({'; '.join(unchecked)}), so nobody knows whether what is said here of replies can be "
            "relied on: multiturn judge check tells."
        )


def judge_notes(page: Page) -> Iterator[str]:
    """Judges of whom their self-check could not tell it."""
    for one in page.judges:
        if one.card is not None and one.card.conclusion == "cannot_tell":
            yield card_line(one.card)


def _name(one: AskedJudge) -> str:
    return f"{short_spec(one.judge.spec)}, {one.judge.rubric.name}"


def _sentences(page: Page) -> Iterator[str]:
    if page.judged is not None:
        for labelled in page.judged.labelled:
            yield from _flagged(page.judged, labelled)
    elif len(page.runs) > 1:
        yield SEVERAL


def _flagged(pair: JudgedPair, labelled: Labelled) -> Iterator[str]:
    """How many replies are flagged in each arm, and how much rarer that became."""
    what = f"{' or '.join(map(label_of, labelled.flagged)) or 'flagged'} replies"
    for judge, rates in labelled.rates.items():
        told = ", ".join(
            f"{arm} {estimate_alone(one.flagged.estimate, 'share')} (n={rests_on(one.flagged.estimate)})"
            for arm, one in zip(arm_names(pair), rates, strict=True)
        )
        said = f"{what.capitalize()}, as {judge_name(pair, judge)} labels them: {told}."
        found = labelled.reductions.get(judge)
        yield said if found is None else f"{said} {_reduced(found.relative)}"


def _reduced(relative: Estimate | Undefined) -> str:
    """The relative reduction, or why there is none; it is a ratio of rates, and has nothing to do with win rates."""
    if isinstance(relative, Undefined):
        return f"Their relative reduction is undefined: {relative.reason}."
    told = f"relative reduction {estimate_alone(relative, 'share')}, {level(relative)} interval"
    if relative.low is not None and relative.low > 0:
        return f"They are rarer in tuned: {told}."
    if relative.high is not None and relative.high < 0:
        return f"There are more of them in tuned: {told}."
    return f"Whether they became rarer can't be told: {told}."
