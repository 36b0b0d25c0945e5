from __future__ import annotations

from typing import Any

import msgspec
import pytest

from multiturn.conversation import MAX_ID_LENGTH, CheckJson, Conversation, Suite, Turn

TURN = Turn(text="x")
CONVERSATION = Conversation(id="a", turns=(TURN,))


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"text": ""}, "text is empty"),
        ({"text": " \n\t"}, "text is empty"),
        ({"text": "x", "distance": 0}, "distance must be 1 or more"),
        ({"text": "x", "distance": -1}, "distance must be 1 or more"),
    ],
)
def test_a_turn_that_can_not_be_held_can_not_be_made(fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Turn(**fields)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"id": "", "turns": (TURN,)}, "id is empty"),
        ({"id": " ", "turns": (TURN,)}, "id is empty"),
        ({"id": "x" * (MAX_ID_LENGTH + 1), "turns": (TURN,)}, "longer than"),
        ({"id": "a", "turns": ()}, "turns is empty"),
        ({"id": "a", "turns": (Turn(text="x", distance=1),)}, r"turns\[0\]\.distance reaches back"),
        ({"id": "a", "turns": (TURN, Turn(text="x", distance=2))}, r"turns\[1\]\.distance reaches back"),
    ],
)
def test_a_conversation_that_can_not_be_held_can_not_be_made(fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Conversation(**fields)


def test_a_distance_may_reach_to_the_first_turn() -> None:
    assert Conversation(id="a", turns=(TURN, Turn(text="x", distance=1))).turns[1].distance == 1


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"name": "", "conversations": (CONVERSATION,)}, "name is empty"),
        ({"name": "s", "conversations": ()}, "no conversations"),
        ({"name": "s", "conversations": (CONVERSATION, CONVERSATION)}, "'a' occurs twice"),
    ],
)
def test_a_suite_that_can_not_be_held_can_not_be_made(fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Suite(**fields)


def test_values_are_frozen() -> None:
    """What was checked when made stays so."""
    with pytest.raises(AttributeError):
        TURN.text = ""  # type: ignore[misc] # that is the test


@pytest.mark.parametrize("kind", [Turn, Conversation])
def test_unknown_fields_are_refused(kind: type) -> None:
    """An expectation that is not understood must not be dropped in silence."""
    raw = {"id": "a", "turns": [{"text": "x"}], "text": "x", "unknown": 1}
    known = {name: value for name, value in raw.items() if name in (*kind.__struct_fields__, "unknown")}  # type: ignore[attr-defined] # both are structs
    with pytest.raises(msgspec.ValidationError, match="unknown"):
        msgspec.convert(known, kind)


def test_a_turns_own_capability_comes_before_the_conversations() -> None:
    """The conversation's holds from the second turn on: the first has nothing before it to be probed."""
    conversation = Conversation(
        id="a", turns=(TURN, Turn(text="y", capability="correction"), TURN), capability="recovery"
    )
    assert [conversation.capability_of(index) for index in (0, 1, 2)] == [None, "correction", "recovery"]
    assert CONVERSATION.capability_of(0) is None


def test_the_digest_is_over_what_is_asked() -> None:
    """Name, version and what is expected of the replies may change; a turn, an id, an order may not."""
    other = Conversation(id="b", turns=(TURN,))
    suite = Suite(name="s", conversations=(CONVERSATION, other))
    assert suite.digest == Suite(name="t", version="9", description="d", conversations=(CONVERSATION, other)).digest
    changed = [
        (other, CONVERSATION),
        (CONVERSATION,),
        (CONVERSATION, Conversation(id="b", turns=(Turn(text="y"),))),
        (CONVERSATION, Conversation(id="b", turns=(TURN,), system="s")),
    ]
    digests = {Suite(name="s", conversations=conversations).digest for conversations in changed}
    assert len(digests | {suite.digest}) == 5


def test_what_is_expected_is_no_part_of_what_is_asked() -> None:
    """A mended check leaves the runs as they are; under golden history the golden replies are asked too."""
    bare = Conversation(id="b", turns=(Turn(text="x"),))
    check = CheckJson(b'{"kind":"says","any":["y"]}')
    expecting = Conversation(id="b", turns=(Turn(text="x", checks=(check,), golden="y", why="w"),), why="w")
    one, other = (Suite(name="s", conversations=(conversation,)) for conversation in (bare, expecting))
    assert one.digest == other.digest
    assert one.digest_for("golden") != other.digest_for("golden")
    assert other.digest_for("golden") != other.digest


def test_turns_are_counted_over_all_conversations() -> None:
    suite = Suite(name="s", conversations=(CONVERSATION, Conversation(id="b", turns=(TURN, TURN))))
    assert suite.turn_count == 3
