"""How every number of the project looks, and which rows the tables have. Read it as the specification."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.report import tables
from multiturn.report.tables import Unit, difference, estimate, number
from multiturn.results import Change, Comparison, Contrast, Estimate


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.4167, "share", "41.7%"),
        (0, "flag", "0.0%"),
        (1, "flag", "100.0%"),
        (0.0004, "share", "0.0%"),
        (142.4, "words", "142"),
        (1203.7, "characters", "1204"),
        (97.2, "tokens", "97"),
        (3.44, "sentences", "3.4"),
        (7.125, "score", "7.12"),
        (5.14, "times", "5.1"),
        (12, "count", "12"),
        (-0.001, "score", "0.00"),
        (-0.0, "words", "0"),
        (None, "words", "-"),
    ],
)
def test_a_number_looks_as_its_unit_says(value: float | None, unit: Unit, shown: str) -> None:
    assert number(value, unit) == shown


@pytest.mark.parametrize(
    ("found", "unit", "shown"),
    [
        (Estimate(value=0.42, low=0.31, high=0.53, n=20, missing=0), "score", "0.42 [0.31, 0.53] n=20"),
        (Estimate(value=0.417, low=0.309, high=0.525, n=20, missing=2), "share", "41.7% [30.9, 52.5] n=20, 2 missing"),
        (Estimate(value=142, low=120.4, high=163.6, n=8, missing=0), "words", "142 [120, 164] n=8"),
        (Estimate(value=0.0, low=0.0, high=0.161, n=20, missing=0, note="Wilson"), "flag", "0.0% [0.0, 16.1] n=20"),
        (
            Estimate(value=7, n=4, missing=0, note="all 4 equal"),
            "score",
            "7.00 n=4 (all 4 equal)",
        ),
        (
            Estimate(value=9, n=1, missing=3, note="one conversation"),
            "words",
            "9 n=1, 3 missing (one conversation)",
        ),
        (Estimate(value=None, n=0, missing=5, note="nothing measured"), "words", "- (5 missing)"),
        (Estimate(value=None, n=0, missing=0, note="nothing measured"), "words", "- (no conversation measured)"),
    ],
)
def test_an_estimate_never_stands_without_what_it_rests_on(found: Estimate, unit: Unit, shown: str) -> None:
    assert estimate(found, unit) == shown


@pytest.mark.parametrize(
    ("found", "unit", "shown"),
    [
        (Estimate(value=0.125, low=0.049, high=0.201, n=20, missing=0), "flag", "+12.5 pp [+4.9, +20.1] n=20"),
        (Estimate(value=-12.2, low=-30.1, high=5.7, n=9, missing=1), "words", "-12 [-30, +6] n=9, 1 missing"),
        (
            Estimate(value=0, n=3, missing=0, note="all 3 equal"),
            "share",
            "0.0 pp n=3 (all 3 equal)",
        ),
        (Estimate(value=-0.0001, low=-0.0002, high=0.0, n=3, missing=0), "share", "0.0 pp [0.0, 0.0] n=3"),
        (Estimate(value=None, n=0, missing=2), "share", "- (2 missing)"),
    ],
)
def test_a_difference_has_its_sign(found: Estimate, unit: Unit, shown: str) -> None:
    assert difference(found, unit) == shown


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.sampled_from(["share", "words", "score"]))
def test_no_number_is_a_negative_zero(value: float, unit: Unit) -> None:
    shown = difference(Estimate(value=value, n=1, missing=0), unit).split(maxsplit=1)[0]
    assert shown.lstrip("+-") == shown or float(shown) != 0
    assert "nan" not in shown


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_shown_as_one(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        number(value, "score")


def contrast(measure: str, kind: str, name: str, base: float | None, tuned: float | None) -> Contrast:
    def arm(value: float | None) -> Estimate:
        if value is None:
            return Estimate(value=None, n=0, missing=4)
        return Estimate(value=value, low=value - 0.1, high=value + 0.1, n=4, missing=0)

    both = base is not None and tuned is not None
    return Contrast(
        measure=measure,
        group=(kind, name),
        base=arm(base),
        tuned=arm(tuned),
        difference=arm((tuned or 0) - (base or 0) if both else None),
    )


COMPARISON = Comparison(
    base_run="r1",
    tuned_run="r2",
    contrasts=(
        contrast("refusal", "all", "", 0.25, 0.5),
        contrast("words", "all", "", 80, 40),
        contrast("refusal", "turn", "1", 0.25, 0.25),
        contrast("refusal", "turn", "2", 0.25, 0.75),
        contrast("words", "turn", "1", 80, None),
        contrast("collapse", "turn", "1", 0, 0),
        contrast("empty", "turn", "1", None, None),
        contrast("refusal", "capability", "format_switching", 0.25, 0.5),
        contrast("refusal", "domain", "my_domain", 0.25, 0.5),
    ),
    changes=(
        Change(conversation="c2", score=4.1, reasons=("3 of 4 replies became refusals", "replies 5.1 times shorter")),
        Change(conversation="c1", score=0.2, reasons=()),
        Change(conversation="c3", score=0, reasons=()),
    ),
)


def test_the_first_table_has_every_measure() -> None:
    table = tables.overall(COMPARISON)
    assert table.header == ("measure", "n", "base", "tuned", "tuned - base")
    assert table.rows == (
        ("refusals", "4", "25.0%", "50.0%", "+25.0 pp [+15.0, +35.0]"),
        ("words", "4", "80", "40", "-40 [-40, -40]"),
    )
    assert table.footnote.startswith("n: conversations. [low, high]: 95% t interval of the mean paired difference;")


def test_the_short_table_names_what_never_occurred_in_one_line() -> None:
    """Rows of zeros tell nothing that a word can't."""
    silent = contrast("empty", "all", "", 0, 0)
    shown = tables.overall_short(msgspec.structs.replace(COMPARISON, contrasts=(*COMPARISON.contrasts, silent)))
    assert [row[0] for row in shown.rows] == ["refusals", "words"]
    assert shown.footnote == "0 in both: empty replies."


def test_turns_are_one_table_a_measure() -> None:
    """What never occurs, or was never measured, has none: the table of all turns says so once."""
    found = tables.per_turn(COMPARISON)
    assert [table.title for table in found] == ["Refusals by turn", "Words by turn"]
    assert [row[0] for row in found[0].rows] == ["1", "2"]
    assert found[1].rows == (("1", "0, 4 missing", "80", "-", "- (4 missing)"),)


def test_capabilities_read_as_words_and_domains_as_the_suite_wrote_them() -> None:
    assert tables.per_capability(COMPARISON)[0].rows[0][0] == "format switching"
    assert tables.per_domain(COMPARISON)[0].rows[0][0] == "my_domain"
    assert tables.per_category(COMPARISON) == []


def test_the_most_changed_come_first_and_the_unchanged_not_at_all() -> None:
    table = tables.most_changed(COMPARISON, limit=1)
    assert table.rows == (("c2", "4.10", "3 of 4 replies became refusals; replies 5.1 times shorter"),)
    assert table.footnote == "An order to read in, no statistic. 1 more changed less."
    assert tables.most_changed(COMPARISON).rows[1] == ("c1", "0.20", "other words")


def test_all_tables_leave_out_what_has_no_row() -> None:
    titles = [table.title for table in tables.all_tables(COMPARISON)]
    assert titles == [
        "All turns",
        "Refusals by turn",
        "Words by turn",
        "Refusals by capability",
        "Refusals by domain",
        "Changed most",
    ]
    empty = Comparison(base_run="a", tuned_run="b", contrasts=(), changes=())
    assert tables.all_tables(empty) == []


def test_every_row_has_as_many_cells_as_the_header() -> None:
    for table in tables.all_tables(COMPARISON):
        assert {len(row) for row in table.rows} == {len(table.header)}
