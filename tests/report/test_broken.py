"""What comes before any verdict: an arm of which much is empty, refused or cut off. Read it as the specification."""

from __future__ import annotations

import itertools
from typing import Final

import msgspec
import pytest
from tests.report.lettered import BAD, GOOD, lettered
from tests.report.test_verdict_tables import ending, first, shown

from multiturn.report.broken import ABOVE, CONSEQUENCE, Broken, broken, broken_notes, gravest_fact
from multiturn.results import Comparison, Contrast, Estimate, Plan

NAMES: Final = {"tuned": "Tuned", "base": "Base"}
RUNS: Final = {"base": "run-b", "tuned": "run-t"}


def share(measure: str, base: float | None, tuned: float | None) -> Contrast:
    """Over all turns of four conversations."""

    def arm(value: float | None) -> Estimate:
        return Estimate(value=value, n=0 if value is None else 4, missing=0)

    both = None if base is None or tuned is None else tuned - base
    return Contrast(measure=measure, group=("all", ""), base=arm(base), tuned=arm(tuned), difference=arm(both))


def test_above_one_reply_in_ten_and_not_at_it() -> None:
    """Of either arm, and of each of the three things."""
    for measure in ("empty", "refusal", "cut_off"):
        assert broken([share(measure, ABOVE, ABOVE)]) == []
        assert broken([share(measure, 0.11, 0.1)]) == [Broken("base", (measure,), 0.11, 0.1)]
        assert broken([share(measure, None, 0.11)]) == [Broken("tuned", (measure,), 0.11, None)]


def test_the_gravest_comes_first_whatever_the_order() -> None:
    told = [share("cut_off", 0.45, 0.0), share("refusal", 0.0, 0.86), share("empty", 0.2, 0.3)]
    for contrasts in itertools.permutations(told):
        assert [(one.arm, *one.measures) for one in broken(contrasts)] == [
            ("tuned", "refusal"),
            ("base", "cut_off"),
            ("tuned", "empty"),
            ("base", "empty"),
        ]


def test_other_measures_and_groups_of_turns_are_no_matter_of_it() -> None:
    early = msgspec.structs.replace(share("refusal", 0.0, 0.9), group=("turn", "2"))
    assert broken([early, share("sameness", 0.9, 0.9), share("collapse", 0.9, 0.9)]) == []


@pytest.mark.parametrize("says", ["refusal_unexpected", "refusal_missing"])
def test_where_a_suite_says_which_refusals_are_right_the_others_count(says: str) -> None:
    """A model that refuses what it should is sound."""
    found = broken([share("refusal", 0.0, 0.9), share(says, 0.0, 0.5)])
    assert [one.measures for one in found] == ([("refusal_unexpected",)] if says == "refusal_unexpected" else [])


def test_a_note_has_both_arms_and_what_to_type() -> None:
    told = [share("refusal", 0.0, 0.856), share("cut_off", 0.45, 0.0), share("empty", None, 0.2)]
    assert list(broken_notes(told, RUNS)) == [
        "fix first: 85.6% of tuned's replies are refusals (base 0.0%); read them: multiturn show run-t --refusals",
        "fix first: 45.0% of base's replies are cut off at the limit of --max-tokens (tuned 0.0%)",
        "fix first: 20.0% of tuned's replies are empty",
    ]


@pytest.mark.parametrize(
    ("contrast", "said"),
    [
        (
            share("refusal", 0.0, 0.856),
            "Tuned refuses in 85.6% of its replies, base in none: most of what follows comes from that.",
        ),
        (
            share("cut_off", 0.45, 0.05),
            "Base is cut off at the limit in 45.0% of its replies, tuned in 5.0%: most of what follows comes from that.",
        ),
        (
            share("empty", 0.45, 0.5),
            "Tuned has no text in 50.0% of its replies, base in 45.0%: what follows is about such replies too.",
        ),
        (share("empty", None, 0.5), "Tuned has no text in 50.0% of its replies: most of what follows comes from that."),
    ],
)
def test_the_gravest_fact_in_a_sentence(contrast: Contrast, said: str) -> None:
    """Other measures follow from it where the arms differ in it; where both have it, it is in all of them."""
    assert list(gravest_fact([contrast], NAMES)) == [said]
    assert list(gravest_fact([contrast], NAMES, but=contrast.measure)) == [], "the first verdict is about it"


def refusing(*, same_model: bool = False) -> Comparison:
    """Tuned falls, and refuses nearly everything."""
    fall = lettered(GOOD, BAD, same_model=same_model)
    contrasts = [one for one in fall.contrasts if (one.measure, one.group[0]) != ("refusal", "all")]
    contrasts.append(share("refusal", 0.0, 0.9))
    return msgspec.structs.replace(
        fall, contrasts=tuple(contrasts), notes=("another note", *broken_notes(contrasts, RUNS))
    )


def test_what_is_to_be_fixed_stands_directly_above_the_verdicts_and_says_what_follows() -> None:
    """Below the other notes, under a heading of its own; what to type is in one piece."""
    text = shown(refusing())
    block = text[text.index("\nanother note\n") : text.index("\nVerdict\n")]
    assert block.splitlines() == [
        "",
        "another note",
        "",
        "Fix first",
        "90.0% of tuned's replies are refusals (base 0.0%)",
        "read them: multiturn show run-t --refusals",
        CONSEQUENCE,
    ]
    assert "fix first:" not in text


def test_without_verdicts_it_stands_there_too() -> None:
    bare = msgspec.structs.replace(refusing(), verdicts=())
    text = shown(bare)
    assert text.index("another note") < text.index("Fix first") < text.index("No verdict on checks passed")


def test_where_both_arms_are_alike_in_it_nothing_is_called_a_consequence() -> None:
    both = refusing()
    alike = (*both.contrasts[:-1], share("refusal", 0.9, 0.9))
    text = shown(msgspec.structs.replace(both, contrasts=alike, notes=tuple(broken_notes(alike, RUNS))))
    assert "Fix first" in text
    assert CONSEQUENCE not in text


def test_it_is_the_first_sentence_and_the_next_step() -> None:
    """Unless the first verdict is about it anyway."""
    assert first(refusing()).startswith(
        "Tuned refuses in 90.0% of its replies, base in none: most of what follows comes from that. Tuned passes fewer"
    )
    assert "Next: mend what stands under Fix first, then hold more conversations" in " ".join(
        ending(refusing()).split()
    )
    about = msgspec.structs.replace(refusing(), plan=Plan(primary="refusal"))
    assert first(about).startswith("Tuned passes fewer")
    again = first(refusing(same_model=True))
    assert again.startswith("The second run refuses in 90.0% of its replies, the first in none")
