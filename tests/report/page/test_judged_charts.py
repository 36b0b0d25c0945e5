"""The charts of what judges say: which there are, and that their titles claim no more than the ranges carry."""

from __future__ import annotations

import msgspec
import pytest
from tests.report.page.judged_report import judge
from tests.report.page.judged_values import (
    LOST,
    PREFERS,
    RATES,
    REFUSALS,
    SURE,
    UNSURE,
    against,
    asked,
    judged,
    labelled,
    named,
    pair_page,
    rated,
    versus,
    won,
)
from tests.report.page.pictured import comparison, contrast, estimate, page

from multiturn.report.page.chart import Chart
from multiturn.report.page.judged_charts import MOST_JUDGES, judged_charts
from multiturn.report.page.shown import Page
from multiturn.scores import Won


def drawn(shown: Page) -> list[Chart]:
    return list(judged_charts(shown))


def only(shown: Page) -> Chart:
    (found,) = drawn(shown)
    return found


@pytest.mark.parametrize(
    ("turns", "title"),
    [
        (SURE, "Tuned is preferred to base: won 30 of 40 pairs, lost 5"),
        (LOST, "Tuned loses to base more often than it wins: won 5 of 40 pairs, lost 30"),
        (UNSURE, "Whether tuned is preferred to base can't be told: won 12 of 40 pairs, lost 12"),
        (won(1, 0, 0), "Whether tuned is preferred to base can't be told: won 1 of 1 pair, lost 0"),
    ],
)
def test_who_is_preferred_is_claimed_where_the_range_leaves_out_the_half(turns: Won, title: str) -> None:
    """Without a range nothing is claimed."""
    assert only(pair_page(versus=(versus(turns, PREFERS),))).title == title


def test_wins_are_told_by_category_those_won_least_first() -> None:
    one = versus(UNSURE, PREFERS, categories={"math": SURE, "writing": LOST})
    found = only(pair_page(versus=(one,)))
    (table,) = found.tables
    assert [row[:5] for row in table.rows] == [
        ("all", "12", "16", "0", "12"),
        ("writing", "5", "5", "0", "30"),
        ("math", "30", "5", "0", "5"),
    ]
    assert found.alternative == (
        "all: 12 won, 16 tied, 12 lost; writing: 5 won, 5 tied, 30 lost; math: 30 won, 5 tied, 5 lost."
    )


def test_ties_that_are_ones_since_the_orders_disagree_are_told() -> None:
    one = versus(won(12, 16, 12, (0.3, 0.7), inconsistent=9), PREFERS)
    assert only(pair_page(versus=(one,))).note == "In 9 of 16 ties the two orders disagree."
    assert only(pair_page(versus=(versus(UNSURE, PREFERS),))).note == ""


def test_where_only_whole_conversations_were_compared_they_count() -> None:
    one = versus(won(1, 0, 0), PREFERS, whole=SURE)
    wins = msgspec.structs.replace(one.wins[PREFERS.id], turns=versus(SURE, PREFERS).wins[PREFERS.id].first)
    found = only(pair_page(versus=(msgspec.structs.replace(one, wins={PREFERS.id: wins}),)))
    assert found.title == "Tuned is preferred to base: won 30 of 40 pairs, lost 5"
    assert found.subject.startswith("Pairs of whole conversations won")


def test_pairs_without_any_outcome_are_not_drawn() -> None:
    empty = versus(SURE, PREFERS).wins[PREFERS.id].first
    assert drawn(pair_page(versus=(versus(empty, PREFERS),))) == []


def test_of_many_judges_the_first_are_drawn() -> None:
    judges = [named(f"scripted:{at}", "preference") for at in range(MOST_JUDGES + 2)]
    wins = {one.id: versus(SURE, one).wins[one.id] for one in judges}
    one = msgspec.structs.replace(versus(SURE, judges[0]), wins=wins)
    found = drawn(pair_page(versus=(one,), judges={each.id: each for each in judges}))
    assert len(found) == MOST_JUDGES
    assert len({chart.id for chart in found}) == MOST_JUDGES


def test_without_one_of_the_two_there_is_no_trade_off() -> None:
    both = against((SURE, LOST), (LOST, SURE))
    assert both.judged is not None
    only_helps = tuple(one for one in both.judged.versus if one.measure == "helpfulness")
    found = drawn(pair_page(versus=only_helps))
    assert [one.id for one in found] == ["judged-wins-against-1-1"]
    assert found[0].title == (
        "Against scripted:mumbles by helpfulness: base won 30 of 40 pairs, tuned won 5 of 40 pairs; "
        "base surely more often than not and tuned surely less often than not"
    )


def test_ratings_by_category_are_those_of_the_comparison() -> None:
    ratings = (
        contrast(("category", "math"), 8.0, 5.0, (-4.0, -2.0), measure="rating"),
        contrast(("category", "writing"), 7.0, 7.5, (-1.0, 2.0), measure="rating"),
    )
    found = only(pair_page(comparison(REFUSALS, *ratings)))
    assert found.title == (
        "Tuned is rated lower by judges than base in 1 of 2 categories, the reverse in 1; math stands out"
    )
    assert (found.id, found.subject) == ("judged-rating", "Judges' rating by category, 1 to 10")
    assert found.alternative.endswith("math: base 8.00, tuned 5.00; writing: base 7.00, tuned 7.50.")


def test_of_one_run_each_judges_scores_are_drawn() -> None:
    of = msgspec.structs.replace(
        judged(RATES, runs=("r0",)), rated=(rated(RATES, {"math": 8.0, "writing": 4.0, "coding": 6.0}),)
    )
    found = only(msgspec.structs.replace(page(), judges=(asked(RATES),), judged=of))
    assert found.title == "Judges' rating: from 4.00 in writing to 8.00 in math"
    assert found.subject == "Rating of scripted:strict-judge, quality, by category, 1 to 10"


def test_tuned_against_base_stands_first_then_what_it_costs_then_the_rest() -> None:
    both = against((SURE, LOST), (LOST, SURE))
    assert both.judged is not None
    found = drawn(pair_page(versus=(*both.judged.versus, versus(SURE, PREFERS))))
    assert [one.id.rstrip("-0123456789") for one in found] == [
        "judged-wins",
        "judged-trade-off",
        "judged-wins-against",
        "judged-wins-against",
    ]


def test_what_is_labelled_is_no_chart() -> None:
    assert drawn(pair_page(labelled=(labelled(judge("harm"), 0.2, 0.1, estimate(0.5)),))) == []
