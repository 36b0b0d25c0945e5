"""What a chart by group says: on each side of what its numbers carry."""

from __future__ import annotations

import pytest
from tests.report.page.pictured import ABSENT, capability, comparison, contrast, estimate, page, plan, verdict

from multiturn.report.page.findings import STANDS_OUT, TOGETHER, group_alternative, group_note, group_title, listed
from multiturn.report.page.grouped import Grouped, grouped
from multiturn.report.page.shown import Page
from multiturn.results import Comparison, Contrast, Estimate

CAPABILITIES = ("correction", "follow_up", "recovery", "context_retention")


def found(of: Page, kind: str = "capability", measure: str = "check_pass") -> Grouped:
    one = grouped(of, kind, measure)
    assert one is not None
    return one


def concluded(*contrasts: Contrast, words: tuple[str, ...], **more: object) -> Comparison:
    """Capabilities with what is said of each."""
    verdicts = [verdict(word, one, role="localisation") for word, one in zip(words, contrasts, strict=True)]
    return comparison(*contrasts, localisation=tuple(verdicts), **more)


def capabilities(*differences: float) -> tuple[Contrast, ...]:
    return tuple(capability(name, 0.5, 0.5 + one) for name, one in zip(CAPABILITIES, differences, strict=False))


def turns(*differences: tuple[float, tuple[float, float] | None], kind: str = "turn") -> Page:
    """Turns with the difference of each, and its range."""
    return page(
        comparison(
            *(contrast((kind, str(at)), 0.5, 0.5 + one, ends) for at, (one, ends) in enumerate(differences, start=1))
        )
    )


@pytest.mark.parametrize(
    ("differences", "words", "title"),
    [
        (
            (-0.1, -0.3, 0.2),
            ("inconclusive", "inconclusive", "inconclusive"),
            (
                "Tuned passes fewer checks than base in 2 of 3 capabilities, most in follow up, the reverse in 1; "
                "certain in none by itself"
            ),
        ),
        (
            (-0.1, -0.3, 0.2),
            ("inconclusive", "regressed", "inconclusive"),
            (
                "Tuned passes fewer checks than base in 2 of 3 capabilities, most in follow up, the reverse in 1; "
                "certain enough in follow up"
            ),
        ),
        (
            (-0.1, -0.3, 0.2),
            ("regressed", "regressed", "improved"),
            (
                "Tuned passes fewer checks than base in 2 of 3 capabilities, most in follow up, the reverse in 1; "
                "certain enough in follow up, correction and recovery (the reverse)"
            ),
        ),
        (
            (-0.1, -0.3, -0.2, -0.4),
            ("regressed",) * 4,
            (
                "Tuned passes fewer checks than base in 4 of 4 capabilities, most in context retention; "
                "certain enough in all"
            ),
        ),
        (
            (0.1,),
            ("improved",),
            "Tuned passes more checks than base in 1 of 1 capability; certain enough in correction",
        ),
        (
            (-0.1, -0.1),
            ("inconclusive", "inconclusive"),
            "Tuned passes fewer checks than base in 2 of 2 capabilities; certain in none by itself",
        ),
        (
            (0.0, 1e-12),
            ("inconclusive",) * 2,
            "Tuned and base came out the same in checks passed, whatever the capability",
        ),
    ],
)
def test_a_capability_moved_as_far_as_its_verdict_says(
    differences: tuple[float, ...], words: tuple[str, ...], title: str
) -> None:
    """The direction is counted, certainty is the verdicts', and the farthest is named where it is one."""
    assert group_title(found(page(concluded(*capabilities(*differences), words=words)))) == title


def test_without_a_primary_verdict_that_moved_no_capability_is_certain() -> None:
    """Though the range of one leaves out 0: capabilities are judged once the primary measure moved."""
    one = page(comparison(capability("correction", 0.9, 0.1, (-0.9, -0.7))))
    assert group_title(found(one)).endswith("in 1 of 1 capability; certain in none by itself")


def test_what_depends_on_missing_data_says_so() -> None:
    one = capability("correction", 0.9, 0.1)
    doubtful = verdict("regressed", one, role="localisation", filled=("regressed", "inconclusive"))
    title = group_title(found(page(comparison(one, localisation=(doubtful,)))))
    assert title.endswith("certain enough in correction (depends on missing data)")


@pytest.mark.parametrize(
    ("ends", "certainty"),
    [
        ((-0.4, -1e-6), "turn 2 stands out"),
        ((-0.4, 0.0), "no turn stands out"),
        ((-0.4, 0.1), "no turn stands out"),
        (None, "no turn stands out"),
    ],
)
def test_a_turn_stands_out_if_its_own_range_leaves_out_0(ends: tuple[float, float] | None, certainty: str) -> None:
    """On both sides of the boundary; without a range nothing is claimed."""
    one = turns((0.0, (-0.1, 0.1)), (-0.2, ends))
    assert group_title(found(one, "turn")) == f"Tuned passes fewer checks than base at 1 of 2 turns; {certainty}"
    assert group_note(found(one, "turn")) == (
        STANDS_OUT if "stands out" in certainty.removeprefix("no turn stands out") else ""
    )


def test_several_stand_out_by_name_or_by_number() -> None:
    certain = (-0.4, -0.1)
    many = turns(*[(-0.2, certain)] * 4, (-0.1, None))
    assert group_title(found(many, "turn")) == "Tuned passes fewer checks than base at 5 of 5 turns; 4 stand out"
    both = turns((-0.2, certain), (-0.2, certain), (0.2, (0.1, 0.3)), kind="distance")
    assert group_title(found(both, "distance")) == (
        "Tuned passes fewer checks than base at 2 of 3 distances, the reverse in 1; "
        "distance 1, distance 2 and distance 3 (the reverse) stand out"
    )


def test_two_runs_of_one_model_differ_by_chance() -> None:
    """Whatever the ranges say; and there is nothing to add."""
    same = comparison(contrast(("turn", "1"), 0.9, 0.2, (-0.9, -0.5)), same_model=True)
    one = found(page(same), "turn")
    assert group_title(one) == (
        "The second run passes fewer checks than the first at 1 of 1 turn; both are one model, so that is chance"
    )
    assert group_note(one) == ""


def test_a_group_that_no_conversation_has_in_both_is_not_counted() -> None:
    one = page(comparison(capability("correction", 0.5, None), capability("recovery", 0.5, 0.2)))
    assert "in 1 of 1 capability" in group_title(found(one))
    none = page(comparison(capability("correction", 0.5, None)))
    assert group_title(found(none)) == "Checks passed by capability: no conversation that both tuned and base have"


def test_a_long_name_is_in_a_sentence_in_short() -> None:
    """A category can be called anything."""
    one = comparison(contrast(("category", "word " * 1000), 0.5, 0.1, (-0.5, -0.3)))
    assert len(group_title(found(page(one), "category"))) < 150


def test_measures_speak_their_own_words() -> None:
    """Less is better of refusals; and any measure can be drawn by category."""
    refusals = comparison(
        contrast(("category", "math"), 0.1, 0.4, measure="refusal", orientation="lower_is_better"),
        contrast(("category", "coding"), 7.0, 6.0, measure="rating"),
    )
    assert group_title(found(page(refusals), "category", "refusal")).startswith(
        "Tuned refuses more often than base in 1"
    )
    assert group_title(found(page(refusals), "category", "rating")).startswith(
        "Tuned is rated lower by judges than base in 1"
    )


def test_of_several_arms_a_lead_is_counted_and_not_believed() -> None:
    """A tie is no lead; for refusals the lowest is ahead."""
    second = comparison(*capabilities(0.1, 0.2, 0.0))
    third = comparison(*capabilities(-0.1, 0.3, 0.0))
    one = found(page(second, third))
    assert group_title(one) == (
        "Checks passed: arm 2 is highest in 1 of 3 capabilities, arm 3 in 1; each lead alone may be chance"
    )
    assert group_note(one) == ""
    even = found(page(comparison(*capabilities(0.0)), comparison(*capabilities(0.0))))
    assert group_title(even) == "Checks passed: no model is ahead of all others, whatever the capability"
    fewer = [
        comparison(contrast(("category", "math"), 0.5, value, measure="refusal", orientation="lower_is_better"))
        for value in (0.1, 0.4)
    ]
    assert "arm 2 is lowest in 1 of 1 category" in group_title(found(page(*fewer), "category", "refusal"))


@pytest.mark.parametrize(
    ("low", "high", "title"),
    [
        (
            estimate(0.2, (0.1, 0.3)),
            estimate(0.6, (0.31, 0.9)),
            "Checks passed: from 20.0% in correction to 60.0% in recovery",
        ),
        (
            estimate(0.2, (0.1, 0.31)),
            estimate(0.6, (0.31, 0.9)),
            "Checks passed: from 20.0% in correction to 60.0% in recovery; the ranges overlap, so that may be chance",
        ),
        (
            estimate(0.2),
            estimate(0.6, (0.31, 0.9)),
            "Checks passed: from 20.0% in correction to 60.0% in recovery; the ranges overlap, so that may be chance",
        ),
        (estimate(0.2, (0.1, 0.3)), estimate(0.2, (0.1, 0.3)), "Checks passed: 20.0%, whatever the capability"),
        (estimate(0.2), ABSENT, "Checks passed: 20.0% in correction"),
    ],
)
def test_one_arm_is_told_from_where_to_where(low: Estimate, high: Estimate, title: str) -> None:
    """That one place is lower than another is chance where their ranges meet, or where one has none."""
    one = page(rates=[(("capability", "correction"), low), (("capability", "recovery"), high)])
    assert group_title(found(one)) == title


def test_one_arm_by_turn() -> None:
    rates = [(("turn", "1"), estimate(0.9, (0.8, 1.0))), (("turn", "2"), estimate(0.1, (0.0, 0.2)))]
    assert group_title(found(page(rates=rates), "turn")) == "Checks passed: from 10.0% at turn 2 to 90.0% at turn 1"


def test_capabilities_are_judged_together() -> None:
    assert group_note(found(page(comparison(capability("correction", 0.5, 0.1))))) == TOGETHER
    assert group_note(found(page(comparison(capability("correction", 0.5, 0.5))))) == ""


def test_the_alternative_tells_the_numbers_and_what_was_not_measured() -> None:
    """Worst first, as it is drawn; absence is said, and is no 0."""
    one = page(comparison(capability("recovery", 0.5, None), capability("follow_up", 0.5, 0.25)))
    assert group_alternative(found(one)) == (
        "Checks passed by capability. follow up: base 50.0%, tuned 25.0%; recovery: base 50.0%, tuned not measured."
    )
    many = turns(*[(-0.2, None)] * 14)
    assert group_alternative(found(many, "turn")).endswith("turn 12: base 50.0%, tuned 30.0%; and 2 more.")


@pytest.mark.parametrize(
    ("names", "text"), [((), ""), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")]
)
def test_names_are_listed(names: tuple[str, ...], text: str) -> None:
    assert listed(names) == text


def test_another_primary_measure_has_no_verdicts_of_this_one() -> None:
    """Verdicts of capabilities are of the primary measure: of another one, what stands out is said."""
    one = page(comparison(capability("correction", 0.5, 0.1, (-0.6, -0.2)), plan=plan("refusal")))
    assert group_title(found(one)).endswith("; correction stands out")
