"""Which conversations are behind a count: found by their tags as the list finds them; no link to an empty list."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from tests.report.lettered import BAD, GOOD
from tests.report.page.lettered_page import page

from multiturn.report.page.reach import BEHIND, Reach, TableLinks
from multiturn.report.tables import Spot, Table

COLLECTED: Final = page(GOOD, BAD).collected
REACH: Final = Reach(COLLECTED)
LINKS: Final = TableLinks(REACH, {"base": "base", "tuned": "tuned"})


@given(st.sets(st.sampled_from(COLLECTED.tags), min_size=1, max_size=3))
def test_counts_are_those_of_a_search_by_hand(tags: set[tuple[str, str]]) -> None:
    """All tags of one turn, or of its conversation; a key that is asked for twice is asked for once."""
    asked = dict(tags)
    places = {COLLECTED.tags.index(tag) for tag in asked.items()}
    turns = [row.id for row in COLLECTED.rows for turn in row.turn_tags if places <= {*row.tags, *turn}]
    found = REACH.behind(asked)
    assert (found.turns, found.conversations) == (len(turns), len(set(turns))) if found is not None else not turns


def test_an_unknown_tag_is_behind_nothing() -> None:
    assert REACH.behind({"capability": "flight"}) is None
    assert REACH.behind({}) is None


def test_a_row_leads_to_its_group_and_its_numbers_to_an_arm() -> None:
    """The column of an arm adds what the table counts; a number of nothing leads nowhere."""
    table = Table(
        title="t",
        header=("capability", "n", "base", "tuned", "difference"),
        rows=(("correction", "12", "100.0%", "0.0%", "-100.0 pp"), ("flight", "0", "-", "-", "-")),
        about=("measure", "check_pass"),
        rows_about=(("capability", "correction"), ("capability", "flight")),
        columns_about=(None, None, ("arm", "base"), ("arm", "tuned"), None),
    )
    assert [LINKS.cell(table, 0, column) for column in range(5)] == [
        "#list?capability=correction",
        "",
        "#list?capability=correction&base.check=pass",
        "#list?capability=correction&tuned.check=pass",
        "",
    ]
    assert {LINKS.cell(table, 1, column) for column in range(5)} == {""}
    assert [LINKS.heading(table, column) for column in range(4)] == [
        "",
        "",
        "#list?base.check=pass",
        "#list?tuned.check=pass",
    ]


def test_a_row_and_a_column_of_turns_meet_in_a_cell() -> None:
    """As in a profile; a cell in the column of all is its row's alone."""
    table = Table(
        title="t",
        header=("capability", "all", "turn 3"),
        rows=(("correction", "1", "1"),),
        rows_about=(("capability", "correction"),),
        columns_about=(None, None, ("turn", "3")),
    )
    assert LINKS.cell(table, 0, 2) == "#list?capability=correction&turn=3"
    assert LINKS.cell(table, 0, 1) == ""
    assert LINKS.heading(table, 2) == "#list?turn=3"


def test_a_row_of_one_turn_leads_to_it() -> None:
    table = Table(title="t", header=("c", "x"), rows=(("c1", "1"),), rows_about=(Spot("c1", 2, 1),))
    assert [LINKS.cell(table, 0, column) for column in (0, 1)] == ["#c=c1&t=3&s=2", ""]


def test_a_table_that_tells_of_nothing_has_no_links() -> None:
    table = Table(title="t", header=("a", "b"), rows=(("x", "y"),))
    assert {LINKS.cell(table, 0, 0), LINKS.cell(table, 0, 1), LINKS.heading(table, 1)} == {""}


def test_tables_know_arms_by_other_names_than_the_page() -> None:
    """What a table calls tuned may be the third arm."""
    three = Reach(page(GOOD, BAD, BAD).collected)
    table = Table(
        title="t",
        header=("measure", "tuned"),
        rows=(("checks passed", "25.0%"),),
        rows_about=(("measure", "check_pass"),),
        columns_about=(None, ("arm", "tuned")),
    )
    assert TableLinks(three, {"base": "base", "tuned": "arm 3"}).cell(table, 0, 1) == "#list?arm%203.check=pass"


def test_measures_are_behind_tags_that_facets_make() -> None:
    """Key and value are of its vocabulary."""
    keys = {"check", "refusal", "status", "raised", "missing"}
    assert {key for key, _ in BEHIND.values()} == keys
