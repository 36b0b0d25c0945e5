from __future__ import annotations

import pytest

from multiturn.conversation import Capability, Conversation, Pattern, Suite, Turn
from multiturn.suites.lint import SHIPPED_FIELDS, lint
from multiturn.suites.quotas import QUOTAS, Quota
from multiturn.suites.reading import load_suite, shipped_parts, shipped_suites


def conversation(
    identifier: str,
    *texts: str,
    capability: Capability | None = None,
    pattern: Pattern | None = None,
    domain: str | None = None,
) -> Conversation:
    turns = tuple(Turn(text=text) for text in texts or ("One?", "Two?"))
    return Conversation(id=identifier, turns=turns, capability=capability, pattern=pattern, domain=domain)


def rules(*conversations: Conversation, name: str = "mine", quota: Quota | None = None) -> list[tuple[str, str]]:
    remarks = lint(Suite(name=name, conversations=conversations), quota=quota)
    return [(remark.rule, remark.conversation) for remark in remarks]


def test_a_users_plain_suite_has_no_remarks() -> None:
    """Ids and turns are all that is asked of a user; labels are their choice."""
    assert rules(conversation("a"), conversation("b")) == []


@pytest.mark.parametrize("name", ["mine", *QUOTAS])
def test_a_suite_with_a_quota_needs_every_label(name: str) -> None:
    """What is optional for users is then required, and the quota is counted; the suite's name plays no part."""
    found = rules(conversation("a"), name=name, quota=QUOTAS["mtbench_conversations"])
    assert [one for one in found if one[0] != "quota"] == [("required_field", "a")] * len(SHIPPED_FIELDS)
    assert ("quota", "") in found
    assert rules(conversation("a"), name=name) == []


def test_one_turn_shows_no_memory() -> None:
    assert rules(conversation("a", "Solo?")) == [("one_turn", "a")]


def test_long_turns_are_remarked_with_their_number() -> None:
    """Above the limit, not at it."""
    suite = Suite(name="s", conversations=(conversation("a", "w " * 5, "w " * 6),))
    (remark,) = lint(suite, most_words=5)
    assert (remark.rule, remark.turn) == ("long_turn", 1)
    assert str(remark).startswith("a turns[1]: 6 words, more than 5")


def test_a_first_turn_has_nothing_to_refer_to() -> None:
    """A distance there is a fault when the suite is read; a backward link is a remark."""
    first = Turn(text="And that?", link="backward")
    assert rules(Conversation(id="a", turns=(first, Turn(text="x")))) == [("first_turn_link", "a")]


def test_goldens_are_for_all_turns_or_for_none() -> None:
    some = Conversation(id="a", turns=(Turn(text="x", golden="y"), Turn(text="z")))
    every = Conversation(id="b", turns=(Turn(text="x", golden="y"), Turn(text="z", golden="y")))
    assert rules(some, every) == [("partial_golden", "a")]


def test_conversations_alike_in_three_labels() -> None:
    """The later one is remarked; conversations that lack one of the labels are not compared."""
    found = rules(
        conversation("a", capability="recovery", pattern="recall", domain="Cooking"),
        conversation("b", capability="recovery", pattern="recall", domain="cooking"),
        conversation("c", capability="recovery", pattern="pivot", domain="cooking"),
        conversation("d", capability="recovery", pattern="recall"),
        conversation("e", capability="recovery", pattern="recall"),
    )
    assert [one for one in found if one[0] == "alike_conversations"] == [("alike_conversations", "b")]


def test_capabilities_that_nothing_probes() -> None:
    """Told for suites that name capabilities; a turn's own label counts."""
    labelled = Conversation(
        id="a", turns=(Turn(text="x"), Turn(text="y", capability="correction")), capability="recovery"
    )
    remarks = lint(Suite(name="s", conversations=(labelled,)))
    assert len(remarks) == 6
    assert {remark.rule for remark in remarks} == {"uncovered_capability"}
    assert not any("correction" in remark.text or "recovery" in remark.text for remark in remarks)
    assert str(remarks[0]).startswith("suite: no turn probes ")


@pytest.mark.parametrize("name", [*shipped_suites(), *shipped_parts()])
def test_shipped_suites_are_sound(name: str) -> None:
    """Nothing is remarked on them: no label is missing, nothing said twice, no quota missed, no probe gives itself away."""
    assert [str(remark) for remark in lint(load_suite(name), quota=QUOTAS[name])] == []
