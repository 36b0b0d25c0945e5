"""Which charts a page has, what they say, and that they draw the comparison's own numbers."""

from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from tests.report.page.hostile import ELEMENTS
from tests.report.page.pictured import ABSENT, capability, comparison, contrast, estimate, page, plan, verdict

from multiturn.ranking import Games, Group, Ranked, Ranking, RateRanking, Strength, StrengthRanking
from multiturn.report.page.chart import Chart
from multiturn.report.page.charts import charts, primary_figure
from multiturn.report.page.templates import render
from multiturn.results import SHARES, Comparison, Contrast, Distribution

ALL = ("all", "")


def category(name: str, measure: str, base: float, tuned: float) -> Contrast:
    return contrast(("category", name), base, tuned, measure=measure, orientation="lower_is_better")


def whole_comparison() -> Comparison:
    """Something of everything."""
    return comparison(
        contrast(ALL, estimate(0.5, (0.4, 0.6)), estimate(0.3, (0.2, 0.4)), (-0.3, -0.1)),
        contrast(ALL, 0.02, 0.35, measure="refusal_unexpected", orientation="lower_is_better"),
        contrast(ALL, estimate(40.0), estimate(9.0), measure="words", orientation="neither"),
        contrast(("capability", "correction"), estimate(0.5, (0.4, 0.7)), estimate(0.25), (-0.4, -0.1)),
        contrast(("turn", "1"), 0.5, 0.4),
        contrast(("turn", "2"), 0.5, 0.3),
        contrast(("distance", "1"), 0.5, 0.2),
        contrast(("distance", "4+"), 0.5, 0.1),
        category("math", "refusal_unexpected", 0.0, 0.5),
        category("math", "refusal", 0.1, 0.5),
        category("coding", "refusal", 0.2, 0.4),
        distributions=(Distribution(measure="words", arm="base", n=9, quantiles=(1.0, 2.0, 3.0, 4.0, 5.0)),),
    )


def named(found: tuple[Chart, ...], name: str) -> Chart:
    return next(one for one in found if one.id == name)


def words(chart: Chart) -> list[str]:
    return [one.text or "" for one in ET.fromstring(str(chart.svg)).iter("text")]  # noqa: S314 - our own


def shapes(chart: Chart, arm: int) -> list[float]:
    """How far from the left the shapes of an arm are."""
    found = ET.fromstring(str(chart.svg))  # noqa: S314 - our own
    return [
        float(one.get("transform", "").removeprefix("translate(").split(",")[0])
        for one in found.iter("path")
        if one.get("stroke") == f"var(--arm-{arm})" and one.get("transform")
    ]


def test_a_comparison_of_two() -> None:
    """In reading order, each with a finding, an alternative and the numbers behind it."""
    found = charts(page(whole_comparison(), words=[{40: 3, 38: 1}, {9: 4}]))
    assert [one.id for one in found] == ["by-capability", "by-turn", "by-distance", "refusals", "lengths"]
    assert [one.subject for one in found] == [
        "Checks passed by capability",
        "Checks passed by turn",
        "Checks passed by distance",
        "Refusals by category",
        "Replies by their number of words",
    ]
    for one in found:
        assert one.title
        assert one.tables
        assert ET.fromstring(str(one.svg)).get("aria-label") == one.alternative  # noqa: S314 - our own
    assert [key.name for key in found[0].keys] == ["base", "tuned"]
    assert not named(found, "lengths").keys, "its arms are named where they stand"


def test_the_numbers_of_the_comparison_are_drawn() -> None:
    """Read back: base's 50 % and tuned's 25 % on a scale from 0 to 100 %, and only base has a range."""
    chart = named(charts(page(whole_comparison())), "by-capability")
    assert shapes(chart, 0) == pytest.approx([8 + 0.5 * 314])
    assert shapes(chart, 1) == pytest.approx([8 + 0.25 * 314])
    assert {"correction", "n=12", "0%", "100%"} <= {*words(chart)}
    assert chart.tables[0].rows == (("correction", "12", "50.0%\n[40.0, 70.0]", "25.0%", "-25.0 pp\n[-40.0, -10.0]"),)


def test_refusals_stand_beside_each_other_as_far_as_they_occur() -> None:
    """A category that the suite says nothing of has no mark in that column, and what it rests on is told."""
    chart = named(charts(page(whole_comparison())), "refusals")
    assert chart.title == "Unexpected refusals: tuned 35.0%, base 2.0%, which may be chance"
    assert [table.title for table in chart.tables] == [
        "Unexpected refusals by category, as drawn",
        "Refusals by category, as drawn",
    ]
    assert {"unexpected", "refusals", "math", "coding"} <= {*words(chart)}
    assert len(shapes(chart, 1)) == 3
    assert chart.tables[0].footnote == "", "the same footnote stands once"


def test_a_column_that_repeats_another_is_left_out() -> None:
    """Where the suite calls every refusal wrong, all refusals are the unexpected ones."""
    same = comparison(category("math", "refusal_unexpected", 0.0, 0.5), category("math", "refusal", 0.0, 0.5))
    chart = named(charts(page(same)), "refusals")
    assert [table.title for table in chart.tables] == ["Unexpected refusals by category, as drawn"]


def test_what_never_occurs_is_not_drawn() -> None:
    """No refusal, no reply, one turn only: no chart of it."""
    quiet = comparison(category("math", "refusal", 0.0, 0.0), contrast(("turn", "1"), 0.5, 0.4))
    assert charts(page(quiet)) == ()
    assert charts(page()) == ()


def test_absence_is_not_drawn_and_is_said() -> None:
    """Never as 0."""
    one = comparison(capability("correction", 0.5, None), capability("recovery", 0.5, 0.25))
    chart = named(charts(page(one)), "by-capability")
    assert len(shapes(chart, 0)) == 2
    assert len(shapes(chart, 1)) == 1
    assert "n=0 to 12" in words(chart)
    assert "correction: base 50.0%, tuned not measured" in chart.alternative
    assert chart.tables[0].rows[-1] == ("correction", "0, 3 missing", "50.0%", "- (3 missing)", "- (3 missing)")


def test_the_plan_s_measure_is_drawn() -> None:
    one = comparison(
        contrast(("capability", "correction"), estimate(40.0), estimate(9.0), measure="words", orientation="neither"),
        plan=plan("words"),
    )
    chart = named(charts(page(one)), "by-capability")
    assert chart.subject == "Words a reply by capability"
    assert {"0", "40"} <= {*words(chart)}


def test_one_arm_has_its_rates_and_its_lengths() -> None:
    """No keys, since there is nothing to tell apart."""
    rates = [
        (("capability", "correction"), estimate(0.5, (0.3, 0.7))),
        (("turn", "1"), estimate(0.4)),
        (("turn", "2"), ABSENT),
    ]
    found = charts(page(rates=rates, words=[{0: 1, 12: 2}]))
    assert [one.id for one in found] == ["by-capability", "by-turn", "lengths"]
    assert not any(one.keys for one in found)
    assert named(found, "lengths").title == "Half of the replies have up to 12 words (model)"
    assert len(shapes(named(found, "by-turn"), 0)) == 1


def ranking() -> Ranking:
    """Of three arms: the first is known by its model, two have the same and are known by their run."""
    arms = ("n (r2)", "m", "n (r1)")
    rates = [
        Ranked(arm=name, rank=at, estimate=estimate(1 - at / 4, (0.1, 0.9)), told_apart_from=())
        for at, name in enumerate(arms, start=1)
    ]
    votes = [Strength(arm=name, rank=at, games=Games(wins=4 - at, losses=at)) for at, name in enumerate(arms, start=1)]
    strengths = StrengthRanking(
        level=0.95,
        arms=(*votes, Strength(arm="nobody", rank=None, games=Games(missing=2))),
        groups=(Group(arms=arms),),
        separated=(),
        disconnected=(),
        conversations=4,
        draws=0,
        games=12,
        missing=2,
    )
    return Ranking(rates=RateRanking(level=0.95, arms=tuple(rates), pairs=()), strengths=strengths)


def test_three_arms_are_ranked_and_keep_their_looks() -> None:
    """An arm has the same colour in the ranking as elsewhere, and the name that the page gives it."""
    pair = comparison(capability("correction", 0.5, 0.4))
    found = charts(page(pair, pair, ranking=ranking(), labels=("m", "n", "n")))
    assert [one.id for one in found] == ["ranking", "preferences", "by-capability"]
    first = named(found, "ranking")
    assert first.title == "Arm 3 passes the most checks (75.0%), but can't be told apart from any other"
    assert [shapes(first, arm) for arm in (2, 0, 1)] == [
        pytest.approx([8 + share * 314]) for share in (0.75, 0.5, 0.25)
    ]
    assert {"arm 3: n (r2)", "base: m", "arm 2: n (r1)"} <= {*words(first)}
    assert [key.name for key in first.keys] == ["base", "arm 2", "arm 3"]
    votes = named(found, "preferences")
    assert votes.title == "Arm 3 won 3 of 4 votes, the most; who is first may be chance"
    assert {"3 won, 0 tied, 1 lost", "1 won, 0 tied, 3 lost"} <= {*words(votes)}
    assert votes.tables[0].rows[-1][1] == "nobody", "who has no vote is in the table alone"


def test_lengths_of_two_arms_are_told_by_the_verdict_and_of_more_by_the_middle() -> None:
    one = whole_comparison()
    found = charts(page(one, words=[{40: 3}, {9: 4}]))
    assert named(found, "lengths").title == "Words a reply: tuned 9, base 40, which may be chance"
    (table,) = named(found, "lengths").tables
    assert table.footnote.endswith("base 1, 2, 3, 4, 5.")
    assert len(SHARES) == 5
    found = charts(page(one, one, words=[{40: 3}, {}, {9: 4}]))
    assert named(found, "lengths").title == "Half of the replies have up to 40 words (base), 9 words (arm 3)"


@pytest.mark.parametrize(
    ("orientation", "left", "right"),
    [
        ("higher_is_better", "tuned worse", "tuned better"),
        ("lower_is_better", "tuned better", "tuned worse"),
        ("neither", "tuned lower", "tuned higher"),
    ],
)
def test_the_first_figure_says_which_side_is_better(orientation: str, left: str, right: str) -> None:
    found = contrast(ALL, 0.5, 0.3, (-0.3, -0.1), orientation=orientation)
    figure = primary_figure(comparison(found, verdicts=(verdict("regressed", found, margin=0.1),)))
    assert figure is not None
    assert {f"← {left}", f"{right} →", "-20.0 pp [-30.0, -10.0]"} <= {*words(figure)}
    assert "margin: 10.0 points either way" in words(figure)


def test_the_first_figure_needs_a_difference_and_nothing_else() -> None:
    """Without a margin there is no band, without a range no line; without a number, or a verdict, no figure."""
    bare = contrast(ALL, 0.5, 0.3)
    figure = primary_figure(comparison(bare, verdicts=(verdict("regressed", bare),)))
    assert figure is not None
    assert not any("margin" in text for text in words(figure))
    assert figure.title == "Tuned passes fewer checks than base, by 20.0 points"
    absent = contrast(ALL, 0.5, None)
    assert primary_figure(comparison(absent, verdicts=(verdict("inconclusive", absent),))) is None
    assert primary_figure(comparison(bare)) is None


@pytest.mark.parametrize(
    ("word", "ends", "said"),
    [
        ("equivalent", (-0.12, 0.05), True),
        ("equivalent", (-0.1, 0.05), True),
        ("equivalent", (-0.09, 0.05), False),
        ("inconclusive", (-0.12, 0.05), False),
        ("regressed", (-0.3, -0.09), True),
        ("regressed", (-0.3, -0.1), False),
    ],
)
def test_a_range_that_the_margin_holds_in_part_is_explained(
    word: str, ends: tuple[float, float], *, said: bool
) -> None:
    """Equivalence is judged by a narrower one; what leaves out 0 is a difference even inside the margin."""
    found = contrast(ALL, 0.5, 0.49, ends)
    figure = primary_figure(comparison(found, verdicts=(verdict(word, found, margin=0.1),)))
    assert figure is not None
    assert bool(figure.note) == said


def test_one_model_twice_has_runs_in_its_first_figure() -> None:
    found = contrast(ALL, 0.5, 0.3, (-0.3, -0.1))
    figure = primary_figure(comparison(found, same_model=True, verdicts=(verdict("regressed", found),)))
    assert figure is not None
    assert "← second run worse" in words(figure)


def test_a_figure_in_the_page() -> None:
    """A caption, the drawing with its alternative, and the numbers; no style, no handler, no id twice."""
    found = charts(page(whole_comparison(), words=[{40: 3}, {9: 4}]))
    html = str(render("charts.html.j2", charts=found))
    assert html.count("<figure") == html.count("<figcaption>") == html.count('role="img"') == len(found)
    assert html.count("<details>") == len(found)
    assert "style=" not in html
    assert "http" not in html
    ids = [part.split('"')[0] for part in html.split(' id="')[1:]]
    assert len(ids) == len({*ids})
    assert str(render("charts.html.j2", charts=())).strip() == ""


@pytest.mark.parametrize("name", ELEMENTS)
def test_names_do_nothing_wherever_they_stand(name: str) -> None:
    """Of a category and of a model: in the drawing, its alternative, the table and its links."""
    text = ELEMENTS[name]
    one = comparison(category(text, "refusal", 0.1, 0.5))
    rates = RateRanking(level=0.95, arms=(Ranked(arm=text, rank=1, estimate=estimate(0.5)),), pairs=())
    shown = page(one, one, ranking=Ranking(rates=rates), labels=(text, "n", "o"))
    html = str(render("charts.html.j2", charts=charts(shown)))
    harmless = comparison(category("xx", "refusal", 0.1, 0.5))
    rates = RateRanking(level=0.95, arms=(Ranked(arm="xx", rank=1, estimate=estimate(0.5)),), pairs=())
    plain = page(harmless, harmless, ranking=Ranking(rates=rates), labels=("xx", "n", "o"))
    assert html.count("<") == str(render("charts.html.j2", charts=charts(plain))).count("<")


def test_what_draws_is_loaded_when_something_is_drawn() -> None:
    """The Python interface and the page's own modules leave altair alone."""
    code = "import sys, multiturn.api, multiturn.report.page.page; print('altair' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
