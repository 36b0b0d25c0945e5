from __future__ import annotations

import pytest

from multiturn.conversation import Conversation, Suite, Turn
from multiturn.errors import NotFound, UsageError
from multiturn.suites.selection import select

IDS = ("travel-paris", "travel-rome", "Cooking", "maths")
SUITE = Suite(
    name="s",
    version="3",
    conversations=tuple(Conversation(id=identifier, turns=(Turn(text="x"),)) for identifier in IDS),
)


def ids(suite: Suite) -> tuple[str, ...]:
    return tuple(conversation.id for conversation in suite.conversations)


def test_nothing_asked_is_the_whole_suite() -> None:
    assert select(SUITE) == SUITE


def test_the_order_is_the_suites() -> None:
    """Whatever the order asked for; an id given twice counts once."""
    assert ids(select(SUITE, only=["maths", "travel-rome", "maths"])) == ("travel-rome", "maths")


def test_limit_counts_what_is_chosen() -> None:
    """A limit above the number of conversations is no fault."""
    assert ids(select(SUITE, limit=2)) == IDS[:2]
    assert ids(select(SUITE, only=["maths", "Cooking"], limit=1)) == ("Cooking",)
    assert ids(select(SUITE, limit=99)) == IDS


def test_a_part_keeps_its_name_but_not_its_digest() -> None:
    """Runs of a part and of the whole are not held under the same conditions."""
    part = select(SUITE, limit=1)
    assert (part.name, part.version) == ("s", "3")
    assert part.digest != SUITE.digest


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_leaves_nothing_is_refused(limit: int) -> None:
    with pytest.raises(UsageError, match="no conversation is left"):
        select(SUITE, limit=limit)


@pytest.mark.parametrize("only", [[""], [" ", ""]])
def test_naming_nothing_is_refused(only: list[str]) -> None:
    """An empty shell variable must not mean everything."""
    with pytest.raises(UsageError, match="no conversation is named"):
        select(SUITE, only=only)


def test_unknown_ids_are_told_all_at_once_with_the_nearest() -> None:
    """Case and small slips are forgiven in the suggestion, not in the choice."""
    with pytest.raises(NotFound) as caught:
        select(SUITE, only=["cooking", "maths", "travel-pari"])
    assert "'cooking', 'travel-pari'" in caught.value.message
    assert "'Cooking'" in caught.value.hint
    assert "'travel-paris'" in caught.value.hint


def test_an_id_like_none_gets_the_first_ones_shown() -> None:
    with pytest.raises(NotFound) as caught:
        select(SUITE, only=["zzzzzz"])
    assert "4 conversations" in caught.value.hint
