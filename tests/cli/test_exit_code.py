"""The exit code of a comparison whose verdicts are at hand."""

from __future__ import annotations

import msgspec
import pytest
from tests.comparing import decided, differing

from multiturn.cli.concluding import exit_code
from multiturn.results import Comparison, Verdict

GOOD = decided("check_pass", differing(0.02, -0.02, 0.01, -0.01, base=0.5))
FALL = decided("check_pass", differing(-0.3, -0.2, -0.3, -0.2, -0.25, -0.3, base=0.9))


def comparison(*verdicts: Verdict) -> Comparison:
    return Comparison(base_run="a", tuned_run="b", contrasts=(), changes=(), verdicts=verdicts)


@pytest.mark.parametrize("words", [(), ("regressed",), ("inconclusive",), ("regressed", "inconclusive")])
def test_nothing_that_was_not_asked_for_fails(words: tuple[str, ...]) -> None:
    assert exit_code(comparison(msgspec.structs.replace(GOOD, word="equivalent")), words) == 0
    assert exit_code(comparison(msgspec.structs.replace(GOOD, word="improved")), words) == 0


def test_a_primary_verdict_that_missing_data_could_change_is_inconclusive() -> None:
    """What tuned lost might have been its failures."""
    shaky = msgspec.structs.replace(GOOD, word="equivalent", filled=("regressed", "equivalent", "equivalent"))
    assert exit_code(comparison(shaky), ("inconclusive",)) == 4
    assert exit_code(comparison(shaky), ("regressed",)) == 0


def test_no_primary_verdict_is_inconclusive() -> None:
    assert exit_code(comparison(), ("inconclusive",)) == 4
    assert exit_code(comparison(), ("regressed",)) == 0


def test_a_secondary_measure_that_is_inconclusive_fails_nothing() -> None:
    aside = msgspec.structs.replace(GOOD, measure="words", role="secondary", word="inconclusive")
    fine = msgspec.structs.replace(GOOD, word="equivalent")
    assert exit_code(comparison(fine, aside), ("regressed", "inconclusive")) == 0


def test_regressed_comes_before_inconclusive() -> None:
    assert FALL.word == "regressed"
    assert exit_code(comparison(FALL), ("inconclusive", "regressed")) == 3
