"""In which groups a conversation's turns are, and where its numbers lie."""

from __future__ import annotations

import numpy as np
import pytest
from tests.by_hand import says

from multiturn.conversation import Conversation, Suite, Turn
from multiturn.groups import Layout, distance_group, groups_of, turns_about

CHECKED = (says("x"),)
FIRST = Conversation(
    id="c1",
    turns=(
        Turn(text="a"),
        Turn(text="b", capability="correction", distance=1, checks=CHECKED),
        Turn(text="c", capability="correction", distance=1, refusal_expected=False),
        Turn(text="d", distance=3, checks=CHECKED, refusal_expected=True),
    ),
    capability="recovery",
    category="writing",
    domain="garden",
)
SUITE = Suite(name="s", conversations=(FIRST, Conversation(id="c2", turns=(Turn(text="a"), Turn(text="b")))))


def test_groups_follow_the_turns_capability_before_the_conversations() -> None:
    """The first turn is in none; a turn that refers to nothing before it is in no group of distances."""
    assert groups_of(FIRST) == {
        ("all", ""): (0, 1, 2, 3),
        ("turn", "1"): (0,),
        ("turn", "2"): (1,),
        ("turn", "3"): (2,),
        ("turn", "4"): (3,),
        ("capability", "correction"): (1, 2),
        ("capability", "recovery"): (3,),
        ("distance", "1"): (1, 2),
        ("distance", "3"): (3,),
        ("category", "writing"): (0, 1, 2, 3),
        ("domain", "garden"): (0, 1, 2, 3),
    }


@pytest.mark.parametrize(
    ("distance", "group"), [(None, None), (1, "1"), (2, "2"), (3, "3"), (4, "4+"), (5, "4+"), (40, "4+")]
)
def test_distances_of_four_and_more_stand_together(distance: int | None, group: str | None) -> None:
    assert distance_group(distance) == group


def test_turns_and_distances_are_in_the_order_of_their_numbers() -> None:
    """Whatever the suite begins with; capabilities are in the order in which they first occur."""
    long = tuple(Turn(text=f"t{turn}", distance=turn or None) for turn in range(12))
    far = (Turn(text="a"), Turn(text="b"), Turn(text="c"), Turn(text="d", distance=3), Turn(text="e", distance=1))
    conversations = (Conversation(id="far", turns=far), Conversation(id="long", turns=long, capability="recovery"))
    suite = Suite(name="s", conversations=(*conversations, FIRST))
    groups = Layout(suite).groups
    assert [name for kind, name in groups if kind == "turn"] == [str(number) for number in range(1, 13)]
    assert [name for kind, name in groups if kind == "distance"] == ["1", "2", "3", "4+"]
    assert [name for kind, name in groups if kind == "capability"] == ["recovery", "correction"]
    kinds = list(dict.fromkeys(kind for kind, _ in groups))
    assert kinds == ["all", "turn", "capability", "distance", "category", "domain"]


def test_a_measure_is_about_the_turns_that_the_suite_has_for_it() -> None:
    """All turns, those with checks, those at which a refusal is wrong, and right."""
    assert turns_about(FIRST) == {
        "any": frozenset({0, 1, 2, 3}),
        "checked": frozenset({1, 3}),
        "refusal_wrong": frozenset({2}),
        "refusal_right": frozenset({3}),
    }
    assert turns_about(SUITE.conversations[1]) == {"any": frozenset({0, 1})}


def test_a_group_has_the_conversations_that_have_such_a_turn_in_it() -> None:
    """With their slots, which are all different."""
    layout = Layout(SUITE)
    assert layout.owner.tolist() == [0, 0, 0, 0, 1, 1]
    assert layout.turn.tolist() == [0, 1, 2, 3, 0, 1]
    assert layout.checks.tolist() == [0, 1, 0, 1, 0, 0]
    assert np.flatnonzero(layout.cells(("all", ""))).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.flatnonzero(layout.cells(("turn", "2"))).tolist() == [1, 5]
    assert np.flatnonzero(layout.cells(("capability", "correction"))).tolist() == [1, 2]
    assert not layout.cells(("turn", "9")).any()
    assert np.flatnonzero(layout.about("checked")).tolist() == [1, 3]
    assert layout.has(("turn", "2"), "checked")
    assert not layout.has(("turn", "1"), "checked")
