"""What a comparison could have found, and what would settle it, where few conversations changed."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats as scipy_stats
from tests.comparing import decided, differing

from multiturn.results import Plan
from multiturn.stats.paired import conversations_unchanged, difference_interval, p_value
from multiturn.stats.power import conversations_for_share, detectable_share, minimum_detectable
from multiturn.verdicts import FEW


@pytest.mark.parametrize("n", [12, 20, 24, 48, 200])
def test_changes_altogether_are_found_with_the_promised_power(n: int) -> None:
    """Counted exactly: the share of suites in which the t test finds so many changed conversations."""
    share = detectable_share(n)
    assert share is not None

    def found(count: int) -> bool:
        p = p_value([-1.0] * count + [0.0] * (n - count)) if 0 < count < n else None
        return p is not None and p < 0.05

    power = sum(scipy_stats.binom.pmf(count, n, share) for count in range(n + 1) if found(count) or count == n)
    assert power == pytest.approx(0.8, abs=0.001)
    if n >= 20:
        assert share == pytest.approx(5.5 / n, rel=0.1)


def test_so_few_conversations_find_nothing_at_all() -> None:
    """Even if all changed: with five the sign-flip test has p = 0.0625, with six 0.03125."""
    assert detectable_share(1) is None
    assert detectable_share(2) is None
    assert detectable_share(5) is not None, "4 of 5 have t = 4, beyond 2.776"
    with pytest.raises(ValueError, match="power"):
        detectable_share(20, power=1.5)


@pytest.mark.parametrize(("n", "changed"), [(20, 1), (24, 1), (48, 1), (48, 4), (12, 2)])
def test_few_changes_do_not_make_a_comparison_look_sharp(n: int, changed: int) -> None:
    """One failing turn in 20 conversations: their spread alone would promise to find 5 points; 33 of 100 would."""
    found = decided("check_pass", differing(*[-0.25] * changed, *[0.0] * (n - changed), base=1))
    assert found.detectable == detectable_share(n)


def test_with_more_changes_their_spread_says_what_is_found() -> None:
    """From five on, and from one in five: 5 of 48 that changed a little would promise 2 points."""
    found = decided("check_pass", differing(*[-0.25] * FEW, *[0.0] * (20 - FEW), base=1))
    assert found.error is not None
    assert found.detectable == minimum_detectable(found.error, 20)
    little = decided("check_pass", differing(*[-0.1] * 9, *[0.0] * 39, base=1))
    assert little.detectable == detectable_share(48)
    more = decided("check_pass", differing(*[-0.1] * 10, *[0.0] * 38, base=1))
    assert more.error is not None
    assert more.detectable == minimum_detectable(more.error, 48)


def test_where_nothing_changed_it_is_said_what_would_have_been_seen_and_what_is_enough() -> None:
    found = decided("check_pass", differing(*[0.0] * 20))
    assert (found.word, found.detectable) == ("inconclusive", detectable_share(20))
    assert "27 unchanged ones would be called equivalent" in found.advice
    assert decided("check_pass", differing(*[0.0] * 27)).word == "equivalent"


@pytest.mark.parametrize(("margin", "level"), [(0.1, 0.9), (0.05, 0.9), (0.1, 0.95), (0.3, 0.9)])
def test_as_many_unchanged_conversations_as_are_named_are_enough_and_one_less_is_not(
    margin: float, level: float
) -> None:
    needed = conversations_unchanged(margin, level, 1.0)
    assert needed is not None
    for n, inside in ((needed - 1, False), (needed, True)):
        high = difference_interval([0.0] * n, [0.0] * n, level, extreme=1.0).high
        assert high is not None
        assert (high < margin) == inside


def test_a_margin_that_no_number_of_conversations_reaches_names_none() -> None:
    assert conversations_unchanged(1e-9, 0.9, 1.0) is None
    assert "would be called" not in decided("refusal", differing(*[0.0] * 20), Plan(margins={"refusal": 1e-9})).advice


def test_a_length_has_no_bound_and_keeps_its_own_spread() -> None:
    """One of 20 replies a word longer: a length is found by its spread, since none changes altogether."""
    found = decided("words", differing(1.0, *[0.0] * 19, base=40))
    assert found.error is not None
    assert found.detectable == minimum_detectable(found.error, 20)


def test_what_is_promised_is_found_as_often_where_changes_are_rare() -> None:
    """Conversations that fall altogether, at the share promised: found in about 80 of 100, whatever one sample shows."""
    n, chance = 48, random.Random(3)  # noqa: S311 - no secret
    share = detectable_share(n)
    assert share is not None
    hits = sum((p_value([-float(chance.random() < share) for _ in range(n)]) or 1.0) < 0.05 for _ in range(400))
    assert math.isclose(hits / 400, 0.8, abs_tol=0.06)


def test_what_is_seen_and_what_would_be_enough_agree_where_few_changed() -> None:
    """The number named is the first that finds a change of the margin altogether."""
    found = decided("check_pass", differing(-1.0, *[0.0] * 19, base=1))
    needed = conversations_for_share(0.1)
    assert needed is not None
    assert f"about {needed} conversations like these would find one of 10.0 pp" in found.advice
    for n, finds in ((needed - 1, False), (needed, True)):
        share = detectable_share(n)
        assert share is not None
        assert (share <= 0.1) == finds
    assert conversations_for_share(1e-6) is None
    with pytest.raises(ValueError, match="above 0"):
        conversations_for_share(0.0)
