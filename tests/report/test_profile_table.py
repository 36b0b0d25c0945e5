"""The profile of two models by what is probed, kind of task and turn. Read it as the specification."""

from __future__ import annotations

from typing import Final

import msgspec
import pytest
from rich.cells import cell_len
from tests.report.lettered import BAD, GOOD, lettered

from multiturn.report.profile import FEW, WIDTH, profile_in_short, profile_tables
from multiturn.report.tables import Table
from multiturn.results import Comparison, Contrast, Estimate, Plan

FALL: Final = lettered(GOOD, BAD)


def contrast(group: tuple[str, str], n: int, *, missing: int = 0) -> Contrast:
    """A fall from 100 to 67 %, of so many conversations."""
    if not n:
        nothing = Estimate(value=None, n=0, missing=missing)
        return Contrast(measure="check_pass", group=group, base=nothing, tuned=nothing, difference=nothing)
    base, tuned = (Estimate(value=value, n=n, missing=missing) for value in (1.0, 2 / 3))
    return Contrast(
        measure="check_pass",
        group=group,
        base=base,
        tuned=tuned,
        difference=Estimate(value=-1 / 3, n=n, missing=missing),
    )


def profile(*cells: Contrast) -> Comparison:
    """A comparison that has nothing else."""
    return Comparison(base_run="a", tuned_run="b", contrasts=(), changes=(), profile=cells)


def cells(table: Table) -> dict[str, list[str]]:
    """Each row by its name."""
    return {row[0]: list(row[1:]) for row in table.rows}


def test_it_shows_who_loses_the_thread() -> None:
    """By hand: each turn probes one thing, in all twelve conversations."""
    (table,) = profile_tables(FALL, ["capability"])
    assert table.title == "Profile: checks passed by capability and turn"
    assert table.header == ("capability", "all", "turn 2", "turn 3", "turn 4", "turn 5")
    assert cells(table) == {
        "context retention": ["100->67", "100->67", "", "", ""],
        "correction": ["100->33", "", "100->33", "", ""],
        "follow up": ["67->0", "", "", "67->0", ""],
        "recovery": ["33->0", "", "", "", "33->0"],
        "all": ["75->25", "100->67", "100->33", "67->0", "33->0"],
    }
    assert table.footnote == ("base->tuned in %; (2): of 2 conversations. It shows where to read, not what is certain.")


def test_categories_have_a_table_of_their_own() -> None:
    (table,) = profile_tables(FALL, ["category"])
    assert list(cells(table)) == ["writing", "math", "all"]
    assert cells(table)["writing"][0] == "75->25"
    assert [one.header[0] for one in profile_tables(FALL)] == ["capability", "category"]


def test_few_conversations_are_counted_and_so_are_missing_ones() -> None:
    """Five are not few; what is missing is told whatever the number."""
    name = "capability and turn"
    (table,) = profile_tables(
        profile(
            contrast((name, "recovery, turn 2"), FEW),
            contrast((name, "recovery, turn 3"), FEW - 1),
            contrast((name, "recovery, turn 4"), 9, missing=2),
            contrast((name, "recovery, turn 5"), 0, missing=3),
            contrast((name, "recovery, turn 10"), 0),
        )
    )
    assert table.header == ("capability", "all", "turn 2", "turn 3", "turn 4", "turn 5", "turn 10")
    assert cells(table)["recovery"] == ["", "100->67", "100->67 (4)", "100->67 (9 of 11)", "- (0 of 3)", "- (0)"]
    assert "(2 of 3): one of 3 is missing" in table.footnote


def test_one_screen_begins_with_the_turn_that_can_look_back() -> None:
    """A check of turn 1 is left out there, and named; if there is nothing else, it stays."""
    early = contrast(("capability and turn", "recovery, turn 1"), 9)
    late = contrast(("capability and turn", "recovery, turn 2"), 9)
    (table,) = profile_in_short(profile(early, late))
    assert table.header == ("capability", "all", "turn 2")
    assert table.footnote.endswith("Not here: turn 1.")
    assert profile_in_short(profile(early))[0].header == ("capability", "all", "turn 1")
    assert profile_tables(profile(early, late))[0].header == ("capability", "all", "turn 1", "turn 2")


@pytest.mark.parametrize("turns", [2, 7, 20])
def test_turns_that_do_not_fit_go_into_another_table(turns: int) -> None:
    """All of them in order, each once; the one screen names what it has no room for."""
    long = profile(
        *(contrast(("capability and turn", f"instruction_hierarchy, turn {turn}"), 4) for turn in range(2, turns + 2))
    )
    found = profile_tables(long)
    assert [heading for table in found for heading in table.header[1:]] == [
        "all",
        *(f"turn {turn}" for turn in range(2, turns + 2)),
    ]
    for table in found:
        columns = list(zip(table.header, *table.rows, strict=True))[1:]
        assert len("instruction") + sum(2 + max(map(cell_len, column)) for column in columns) <= WIDTH
    (short,) = profile_in_short(long)
    unseen = [f"turn {turn}" for turn in range(2, turns + 2) if f"turn {turn}" not in short.header]
    assert ("Not here: turns" in short.footnote) == (len(unseen) > 1)
    assert len({table.footnote for table in found}) == 1


def test_another_primary_measure_is_shown_in_its_own_unit() -> None:
    (table,) = profile_tables(lettered(GOOD, BAD, words=(40, 9), plan=Plan(primary="words")), ["capability"])
    assert table.title == "Profile: words a reply by capability and turn"
    assert cells(table)["all"][:2] == ["40->9", "40->9"]
    assert table.footnote.startswith("base->tuned; (2): ")


def at_floor(group: tuple[str, str], *, missing: int = 0) -> Contrast:
    """Nothing passes, in either arm."""
    zero = Estimate(value=0.0, n=4, missing=missing)
    return Contrast(measure="check_pass", group=group, base=zero, tuned=zero, difference=zero)


def test_one_screen_names_what_is_0_throughout_below_the_table() -> None:
    """A row is left out only if all of it is, and nothing of it is missing; the whole table has every row."""
    name = "capability and turn"
    found = profile(
        at_floor((name, "recovery, turn 2")),
        at_floor((name, "correction, turn 2")),
        contrast((name, "correction, turn 3"), 4),
        at_floor((name, "follow_up, turn 2"), missing=1),
        at_floor((name, "format_switching, turn 2")),
    )
    (short,) = profile_in_short(found)
    assert list(cells(short)) == ["correction", "follow up", "all"]
    assert "Only 0->0: recovery, format switching." in short.footnote
    (whole,) = profile_tables(found, ["capability"])
    assert list(cells(whole)) == ["recovery", "correction", "follow up", "format switching", "all"]
    assert "0->0:" not in whole.footnote


def test_without_checks_there_is_no_profile() -> None:
    bare = lettered(GOOD, BAD, checked=False)
    assert profile_tables(bare) == profile_in_short(bare) == []
    assert profile_tables(msgspec.structs.replace(FALL, profile=())) == []
