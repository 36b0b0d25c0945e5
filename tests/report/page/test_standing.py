"""Where arms stand that are not two: one by its pass rate, several by their ranking."""

from __future__ import annotations

from typing import Final

import msgspec
from tests.report.lettered import BAD, GOOD
from tests.report.page.lettered_page import page

from multiturn.ranking import Ranking
from multiturn.report.numbers import estimate, number
from multiturn.report.page.front import front
from multiturn.report.page.standing import Standing

CLOSE: Final = (*["pppf"] * 6, *["pppp"] * 5, "ffff")
ALL: Final = ("pppp",) * 30
NONE: Final = ("ffff",) * 30


def standing(*arms: tuple[str, ...], checked: bool = True) -> Standing:
    found = front(page(*arms, checked=checked)).standing
    assert found is not None
    return found


def test_one_arm_is_told_by_its_pass_rate() -> None:
    """With its interval, and what the brackets are."""
    shown = page(GOOD)
    assert shown.rates is not None
    found = standing(GOOD)
    passed = number(shown.rates.rates[0].estimate.value, "share")
    assert found.heading == f"scripted:a passes {passed} of the checks."
    assert found.lead[0].startswith(
        f"{estimate(shown.rates.rates[0].estimate, 'share')}: the mean over n conversations"
    )
    assert front(shown).title == "scripted:a"


def test_one_arm_lists_what_there_is_to_read() -> None:
    """With turns and conversations, each a list; nothing that did not occur."""
    assert [(one.text, one.href) for one in standing(GOOD).to_read] == [
        ("a check fails: 12 turns in 8 conversations", "#list?model.check=fail"),
        ("fluent but wrong: 12 turns in 8 conversations", "#list?model.fluent=wrong"),
    ]


def test_one_arm_without_checks_has_no_rate() -> None:
    """And says why."""
    found = standing(GOOD, checked=False)
    assert found.heading == "No pass rate of scripted:a: no turn of this suite has checks."
    assert found.to_read == ()


def test_one_arm_of_which_all_is_lost_has_no_rate() -> None:
    found = standing(("-",) * 4)
    assert found.heading == "No pass rate of scripted:a: nothing could be measured."
    assert [one.text for one in found.to_read] == ["missing: 4 turns in 4 conversations"]


def test_who_is_ahead_of_all_others() -> None:
    found = standing(NONE, ALL, NONE)
    assert found.heading == "arm 2 (scripted:b) passes most checks: 100.0% [84.0, 100.0] in 30 conversations."
    assert found.lead == (
        "It can be told apart from every other one.",
        "Nor can these be told apart: base (scripted:a) and arm 3 (scripted:c).",
    )


def test_who_may_be_as_good_is_named() -> None:
    """Near ones by name; where that are all, the lead may be chance."""
    assert standing(GOOD, BAD, CLOSE).lead[0] == (
        "It can't be told apart from base (scripted:a), which may be as good."
    )
    assert standing(GOOD, CLOSE, GOOD[::-1]).lead == (
        "That may be chance: it can't be told apart from any other one.",
        "Nor can these be told apart: base (scripted:a) and arm 3 (scripted:c).",
    )


def test_arms_that_pass_as_much_share_the_first_place() -> None:
    """And which can't be told apart is named as far as there is room."""
    found = standing(ALL, NONE, ALL)
    both = "base (scripted:a) and arm 3 (scripted:c)"
    assert found.heading.startswith(f"{both} pass most checks, the same number: 100.0% [")
    assert found.lead == (f"Can't be told apart: {both}.",)
    assert standing(ALL, ALL, ALL, ALL).lead[0].endswith("; and 3 pairs more.")


def test_each_model_has_its_verdict_against_the_first() -> None:
    table = standing(GOOD, BAD, GOOD).table
    assert table is not None
    assert [(row[0], row[1], row[2], row[4], row[5]) for row in table.rows] == [
        ("arm 2 (scripted:b)", "75.0%", "25.0%", "REGRESSED", "12"),
        ("arm 3 (scripted:c)", "75.0%", "75.0%", "INCONCLUSIVE", "12"),
    ]


def test_several_arms_without_checks_have_no_ranking() -> None:
    """As where nobody ranked them."""
    for shown in (page(GOOD, BAD, BAD, checked=False), page(GOOD, BAD, BAD)):
        found = front(msgspec.structs.replace(shown, ranking=Ranking())).standing
        assert found is not None
        assert found.heading == "3 models on one suite, which has no checks to rank them by."


def test_nothing_measured_is_no_first_place() -> None:
    assert standing(("-",) * 4, ("-",) * 4, ("-",) * 4).heading == (
        "Nothing could be measured in a conversation that all models have."
    )


def test_several_arms_have_a_gist_each() -> None:
    """Called by their own names."""
    found = front(page(GOOD, BAD, GOOD))
    assert [(one.arm.name, one.at) for one in found.gists] == [("arm 2", 1), ("arm 3", 2)]
    assert found.gists[0].heading == "Arm 2 passes fewer checks than base: 25.0% against 75.0%."
    (worse,) = (group for group in found.gists[0].groups if group.title == "Got worse")
    assert worse.items[0].behind[0].href == "#list?base.check=pass&arm%202.check=fail"
