"""All tables stand on the page, every cell of them, and their numbers lead to the transcripts."""

from __future__ import annotations

from collections import Counter
from typing import Final

import msgspec
from tests.report.lettered import BAD, GOOD
from tests.report.page.lettered_page import page
from tests.report.page.reading import Parsed

from multiturn.report.contents import all_tables, grouped_tables
from multiturn.report.page.front import front
from multiturn.report.page.page import page_text
from multiturn.report.page.tables_shown import MOST_ROWS
from multiturn.report.tables import Table, pass_rates

FELL: Final = page(GOOD, BAD)
THREE: Final = page(GOOD, BAD, GOOD)


def test_every_table_is_there_verdicts_first() -> None:
    """In groups that can be opened; the first one is."""
    (part,) = front(FELL).tables
    shown = [table for group in part.groups for table in group.tables]
    assert Counter(table.title for table in shown) == Counter(table.title for table in all_tables(FELL.comparisons[0]))
    assert part.groups[0].name == "Verdict"
    assert part.title == ""


def test_groups_are_all_tables_in_order() -> None:
    """And no group is empty."""
    groups = grouped_tables(FELL.comparisons[0])
    assert [table for _, tables in groups for table in tables] == all_tables(FELL.comparisons[0])
    assert all(tables for _, tables in groups)


def test_a_suite_without_checks_has_the_tables_of_its_signals() -> None:
    (part,) = front(page(GOOD, BAD, checked=False)).tables
    assert [group.name for group in part.groups][:2] == ["Verdict", "All turns"]


def test_one_arm_has_its_pass_rates() -> None:
    shown = page(GOOD)
    (part,) = front(shown).tables
    assert shown.rates is not None
    assert [group.tables for group in part.groups] == [(pass_rates(shown.rates),)]
    assert front(page(GOOD, checked=False)).tables == ()


def test_several_arms_have_their_ranking_and_a_part_each() -> None:
    """Which says what tables call that arm."""
    assert [part.title for part in front(THREE).tables] == [
        "All arms",
        "arm 2 against base; in these tables arm 2 is called tuned",
        "arm 3 against base; in these tables arm 3 is called tuned",
    ]
    ranking = front(THREE).tables[0].groups[0].tables[0]
    assert ranking.rows[0][1] == "base (scripted:a)"


def test_every_cell_of_every_table_is_on_the_page() -> None:
    """As its own text."""
    texts = Counter(text.strip() for text in Parsed("".join(page_text(FELL))).texts)
    for table in all_tables(FELL.comparisons[0]):
        for cell in {text for row in table.rows for text in row if text}:
            assert texts[cell.strip()], (table.title, cell)


TABLE: Final = Table(
    title="A <title>",
    header=("name", "n", "share", "note"),
    rows=(("a & b", "12, 1 missing", "+12.5 pp [+4.9, +20.1]", "5 of 11"), ("c", "2", "- (nothing)", "x")),
    footnote="What n is.",
)


def test_a_table_is_one_for_a_screen_reader_too() -> None:
    """Each has a caption, and every head says of what it is one; columns of numbers are marked."""
    seen = Parsed("".join(page_text(FELL)))
    scopes = Counter(value for name, key, value in seen.attributes if (name, key) == ("th", "scope"))
    assert seen.elements["caption"] >= seen.elements["table"] - 1, "the list of conversations has a heading"
    assert scopes.total() == seen.elements["th"]
    assert scopes["row"] >= sum(len(table.rows) for table in all_tables(FELL.comparisons[0]))
    numbers = [value for name, key, value in seen.attributes if (name, key) == ("td", "class") and value == "number"]
    shown = sum(len(table.numbers) * len(table.rows) for table in all_tables(FELL.comparisons[0]))
    assert len(numbers) >= shown > 0


def test_columns_of_numbers() -> None:
    """An interval, a count with what is missing, and a reason for none are parts of a number; words are not."""
    assert TABLE.numbers == {1, 2}
    assert Table(title="", header=("a", "b"), rows=(("1", "58->17 (2 of 3)"),)).numbers == {1}
    assert Table(title="", header=("a", "b"), rows=(("1", "2"),), words=(1,)).numbers == frozenset()


def test_a_table_without_end_is_cut_and_says_so() -> None:
    """Flipped checks of thousands of conversations: the first ones are the weightiest."""
    whole = FELL.comparisons[0]
    change = whole.changes[0]
    many = msgspec.structs.replace(whole, changes=(msgspec.structs.replace(change, flips=change.flips[:1] * 700),))
    (part,) = front(msgspec.structs.replace(FELL, comparisons=(many,))).tables
    (flips,) = next(group.tables for group in part.groups if group.name == "Flipped checks")
    assert len(flips.rows) == len(flips.rows_about) == MOST_ROWS
    assert flips.footnote.endswith("200 more rows are left out; the filters of the list find all conversations.")
