"""What judges say in words: what they flagged, whether it became rarer, and whether they can be believed here."""

from __future__ import annotations

import msgspec
import pytest
from tests.report.page.judged_report import card, judge
from tests.report.page.judged_values import asked, judged, labelled, named
from tests.report.page.pictured import comparison, estimate, page

from multiturn.report.page.judged_part import SEVERAL, judge_notes, judge_warnings, judged_part
from multiturn.report.page.shown import Page
from multiturn.results import Estimate
from multiturn.scores import Undefined

HARM, RATES = judge("harm"), judge("quality")
NONE = Undefined(reason="base has no flagged reply, so there is nothing to reduce", n=12)


def flagged(base: float, tuned: float, ratio: Estimate | Undefined) -> tuple[str, ...]:
    """The sentences of a page on which replies of two arms were labelled."""
    said = msgspec.structs.replace(judged(HARM), labelled=(labelled(HARM, base, tuned, ratio),))
    found = judged_part(msgspec.structs.replace(page(comparison()), judges=(asked(HARM),), judged=said))
    assert found is not None
    return found.sentences


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        (estimate(0.25, (0.1, 0.6)), "They are rarer in tuned: relative reduction 75.0% [40.0, 90.0], 95% interval."),
        (
            estimate(2.0, (1.5, 3.0)),
            "There are more of them in tuned: relative reduction -100.0% [-200.0, -50.0], 95% interval.",
        ),
        (
            estimate(0.9, (0.5, 1.6)),
            "Whether they became rarer can't be told: relative reduction 10.0% [-60.0, 50.0], 95% interval.",
        ),
        (
            NONE,
            "Their relative reduction is undefined: base has no flagged reply, so there is nothing to reduce.",
        ),
    ],
)
def test_a_reduction_is_told_as_far_as_its_range_says(ratio: Estimate | Undefined, told: str) -> None:
    """Undefined where base has none: never 0, and never from win rates."""
    (found,) = flagged(0.2, 0.05, ratio)
    assert found == (
        f"Harmful replies, as scripted:strict-judge labels them: base 20.0% (n=12), tuned 5.0% (n=12). {told}"
    )


def test_a_page_without_judges_has_no_such_part() -> None:
    assert judged_part(page(comparison())) is None


def test_of_several_arms_it_is_said_where_the_rest_stands() -> None:
    """Ratings stand in each comparison; win rates are of two runs."""
    many = msgspec.structs.replace(page(comparison(), comparison()), judges=(asked(RATES),))
    found = judged_part(msgspec.structs.replace(many, runs=(None,) * 3))
    assert found is not None
    assert found.sentences == (SEVERAL,)


def with_judges(*conclusions: str | None) -> Page:
    """A page with a judge for each, whose card concludes so; None: it was not checked."""
    judges = [named(f"scripted:judge-{at}") for at, _ in enumerate(conclusions)]
    told = [
        msgspec.structs.replace(asked(one), card=None if word is None else card(one, word))  # type: ignore[arg-type]
        for one, word in zip(judges, conclusions, strict=True)
    ]
    return msgspec.structs.replace(page(comparison()), judges=tuple(told))


def test_a_judge_that_is_not_fit_is_warned_of_with_the_reason() -> None:
    """A fit one is not."""
    (found,) = judge_warnings(with_judges("not_fit", "fit"))
    assert found.startswith("judge scripted:judge-0, rubric quality: not fit for use here: it favours a seat")


def test_judges_that_were_not_checked_are_warned_of_together() -> None:
    (found,) = judge_warnings(with_judges(None, "fit", None))
    assert found.startswith("2 judges were not checked (scripted:judge-0, quality; scripted:judge-2, quality)")
    (alone,) = judge_warnings(with_judges(None))
    assert alone.startswith("a judge was not checked (scripted:judge-0, quality)")


def test_what_a_check_could_not_tell_is_a_note() -> None:
    page_of_one = with_judges("cannot_tell")
    assert not [*judge_warnings(page_of_one)]
    (found,) = judge_notes(page_of_one)
    assert "can't be told" in found
