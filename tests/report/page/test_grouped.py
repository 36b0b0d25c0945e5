"""One measure by a kind of group for all arms: in which order, of which arms, and the table of it."""

from __future__ import annotations

from tests.report.page.pictured import ABSENT, capability, comparison, contrast, estimate, page, plan, verdict

from multiturn.report.page.grouped import Grouped, group_table, grouped
from multiturn.report.page.shown import Page


def found(of: Page, kind: str = "capability", measure: str = "check_pass") -> Grouped:
    one = grouped(of, kind, measure)
    assert one is not None
    return one


def names(one: Grouped) -> list[str]:
    return [group.name for group in one.groups]


def test_where_it_got_worse_stands_first() -> None:
    """Of refusals that is where there are more; turns keep their order, and so does a measure without a direction."""
    first, second = ("capability", "correction"), ("capability", "recovery")
    checks = comparison(contrast(first, 0.5, 0.6), contrast(second, 0.5, 0.1))
    assert names(found(page(checks))) == ["recovery", "correction"]
    refusals = [
        contrast(one, 0.5, value, measure="refusal", orientation="lower_is_better")
        for one, value in ((first, 0.1), (second, 0.6))
    ]
    assert names(found(page(comparison(*refusals)), measure="refusal")) == ["recovery", "correction"]
    words = [
        contrast(one, 50.0, value, measure="words", orientation="neither")
        for one, value in ((first, 60.0), (second, 10.0))
    ]
    assert names(found(page(comparison(*words)), measure="words")) == ["correction", "recovery"]
    turns = comparison(contrast(("turn", "1"), 0.5, 0.6), contrast(("turn", "2"), 0.5, 0.1))
    assert names(found(page(turns), "turn")) == ["1", "2"]


def test_several_arms_are_put_together_group_by_group() -> None:
    """Base once, then each other arm with its difference to base; a group that one of them lacks is left out."""
    second = comparison(capability("correction", 0.5, 0.6), capability("recovery", 0.3, 0.2))
    third = comparison(capability("correction", 0.5, 0.1))
    one = found(page(second, third))
    assert one.names == ("base", "arm 2", "arm 3")
    assert names(one) == ["correction"]
    assert [arm.value for arm in one.groups[0].arms] == [0.5, 0.6, 0.1]
    assert [round(each.value or 0, 9) for each in one.groups[0].differences] == [0.1, -0.4]
    assert not one.pair


def test_one_arm_comes_from_its_rates_lowest_first() -> None:
    rates = [
        (("all", ""), estimate(0.5)),
        (("capability", "correction"), estimate(0.9)),
        (("capability", "recovery"), estimate(0.2)),
    ]
    one = found(page(rates=rates))
    assert names(one) == ["recovery", "correction"]
    assert one.names == ("model",)
    assert grouped(page(rates=rates), "distance", "check_pass") is None


def test_nothing_measured_is_nothing_to_draw() -> None:
    assert grouped(page(comparison(capability("correction", None, None))), "capability", "check_pass") is None
    assert grouped(page(comparison()), "capability", "check_pass") is None
    assert grouped(page(), "capability", "check_pass") is None


def test_verdicts_are_those_of_capabilities_in_the_primary_measure() -> None:
    one = capability("correction", 0.9, 0.1)
    refusals = contrast(("capability", "correction"), 0.1, 0.9, measure="refusal")
    said = verdict("regressed", one, role="localisation")
    both = page(comparison(one, refusals, contrast(("turn", "1"), 0.9, 0.1), localisation=(said,)))
    assert found(both).verdicts == {"correction": said}
    assert found(both, measure="refusal").verdicts is None
    assert found(both, "turn").verdicts is None
    other = page(comparison(refusals, plan=plan("refusal")))
    assert found(other, measure="refusal").verdicts == {}


def test_the_table_of_two_arms_has_every_range_and_says_what_it_is_about() -> None:
    """The numbers behind the drawing; absence is told, and leads nowhere."""
    shown = contrast(("capability", "follow_up"), estimate(0.5, (0.3, 0.7)), estimate(0.25, (0.1, 0.4)), (-0.45, -0.05))
    table = group_table(found(page(comparison(shown, capability("recovery", 0.5, None)))))
    assert table.title == "Checks passed by capability"
    assert table.header == ("capability", "n", "base", "tuned", "tuned - base")
    assert table.rows == (
        ("follow up", "12", "50.0%\n[30.0, 70.0]", "25.0%\n[10.0, 40.0]", "-25.0 pp\n[-45.0, -5.0]"),
        ("recovery", "0, 3 missing", "50.0%", "- (3 missing)", "- (3 missing)"),
    )
    assert table.about == ("measure", "check_pass")
    assert table.rows_about == (("capability", "follow_up"), ("capability", "recovery"))
    assert table.columns_about == (None, None, ("arm", "base"), ("arm", "tuned"), None)
    assert "(95% interval); where that of the difference holds 0, there may be none." in table.footnote


def test_the_table_of_one_arm_and_of_several_counts_each_arm() -> None:
    one = page(rates=[(("distance", "4+"), estimate(0.5, (0.3, 0.7), n=7, missing=1))])
    table = group_table(found(one, "distance"))
    assert table.header == ("turns back", "model")
    assert table.rows == (("4+", "50.0%\n[30.0, 70.0] n=7, 1 missing"),)
    three = page(
        comparison(capability("correction", 0.5, 0.6)),
        comparison(contrast(("capability", "correction"), 0.5, ABSENT)),
    )
    table = group_table(found(three))
    assert table.header == ("capability", "base", "arm 2", "arm 3")
    assert table.rows == (("correction", "50.0% n=12", "60.0% n=12", "- (3 missing)"),)
    assert "difference" not in table.footnote
