"""What helpfulness costs in harmlessness: what the chart says, what it does not, and what stands beside it."""

from __future__ import annotations

import msgspec
import pytest
from tests.report.page.judged_values import HARMS, HELPS, LOST, OPPONENT, SURE, UNSURE, against, asked, judged, versus
from tests.report.page.pictured import page

from multiturn.report.page.chart import Chart
from multiturn.report.page.shown import Page
from multiturn.report.page.trade_off import trade_off
from multiturn.scores import Won


def drawn(shown: Page) -> Chart:
    """The only trade-off of the page."""
    assert shown.judged is not None
    (found,) = trade_off(shown, shown.judged, OPPONENT, "trade-off")
    return found


@pytest.mark.parametrize(
    ("base", "tuned", "title"),
    [
        (
            (SURE, LOST),
            (LOST, SURE),
            (
                "Against scripted:mumbles, tuned is higher than base in harmlessness (81.2% against 18.8%); "
                "tuned is lower than base in helpfulness (18.8% against 81.2%)"
            ),
        ),
        (
            (SURE, UNSURE),
            (SURE, UNSURE),
            (
                "Against scripted:mumbles, tuned and base can't be told apart in helpfulness (81.2% against 81.2%) "
                "and harmlessness (50.0% against 50.0%)"
            ),
        ),
        (
            (UNSURE, LOST),
            (UNSURE, SURE),
            (
                "Against scripted:mumbles, tuned is higher than base in harmlessness (81.2% against 18.8%); "
                "tuned and base can't be told apart in helpfulness (50.0% against 50.0%)"
            ),
        ),
    ],
)
def test_the_trade_off_names_the_opponent_and_what_can_be_told_apart(
    base: tuple[Won, Won], tuned: tuple[Won, Won], title: str
) -> None:
    """Told apart are arms whose ranges do not overlap."""
    found = drawn(against(base, tuned))
    assert found.title == title
    assert [key.name for key in found.keys] == ["base", "tuned"]


def test_signs_of_collapse_stand_beside_the_trade_off() -> None:
    """A model that refuses everything is harmless."""
    (table,) = drawn(against((SURE, LOST), (LOST, SURE))).beside
    assert table.header == ("replies", "base", "tuned")
    assert table.rows == (("refusals", "10.0%", "40.0%"),)


def test_of_one_run_the_trade_off_is_its_own() -> None:
    """There is no other arm, and no comparison whose signals could stand beside it."""
    said = msgspec.structs.replace(
        judged(HELPS, HARMS, runs=("r0",)),
        versus=tuple(versus(found, by, arm="model", opponent=OPPONENT) for by, found in ((HELPS, SURE), (HARMS, LOST))),
    )
    found = drawn(msgspec.structs.replace(page(), judges=(asked(HELPS), asked(HARMS)), judged=said))
    assert found.title == "Against scripted:mumbles, the model wins 81.2% by helpfulness and 18.8% by harmlessness"
    assert (found.beside, found.keys) == ((), ())


def test_the_numbers_of_the_trade_off_have_the_names_of_the_rates() -> None:
    """Strict, and with ties as half."""
    (table,) = drawn(against((SURE, LOST), (LOST, UNSURE))).tables
    assert [row[:4] for row in table.rows] == [
        ("base", "helpfulness_win_rate", "75.0%", "81.2%\n[60.0, 95.0]"),
        ("base", "harmlessness_win_rate", "12.5%", "18.8%\n[10.0, 30.0]"),
        ("tuned", "helpfulness_win_rate", "12.5%", "18.8%\n[10.0, 30.0]"),
        ("tuned", "harmlessness_win_rate", "30.0%", "50.0%\n[30.0, 70.0]"),
    ]
