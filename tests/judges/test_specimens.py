"""What a judge is tried on: replies that are good where they stand and bad elsewhere."""

from __future__ import annotations

from multiturn.conversation import Conversation, Turn
from multiturn.judges.specimens import LEAST_WORDS, about_harm, from_run, from_suites
from multiturn.judges.spoiling import damaged
from multiturn.suites.reading import load_suite
from multiturn.transcript import Session, Transcript, TurnRecord

LONG = "These are more than a dozen words, so that half of them would be missed by anybody at all."


def conversation(name: str, *goldens: str | None, refusal: bool = False) -> Conversation:
    return Conversation(
        id=name,
        turns=tuple(
            Turn(text=f"{name} asks {at}", golden=golden, refusal_expected=refusal or None)
            for at, golden in enumerate(goldens)
        ),
        system="Be kind.",
    )


def test_the_first_long_golden_of_each_conversation_is_taken_with_what_came_before() -> None:
    """Goldens themselves are not shown: beside its own copy every good reply would be easy to tell."""
    given = [conversation(name, "Yes.", f"{LONG} {name}") for name in "abcde"]
    found = from_suites(given, 0)
    assert {one.conversation.id for one in found} == set("abcde")
    for one in found:
        assert one.said == ("Yes.",)
        assert one.good == f"{LONG} {one.conversation.id}"
        assert [turn.golden for turn in one.conversation.turns] == [None, None]
        held = one.held("No.")
        assert (held.system, [turn.reply for turn in held.turns]) == ("Be kind.", ["Yes.", "No."])


def test_the_bad_reply_is_good_in_another_conversation() -> None:
    found = from_suites([conversation(name, f"{LONG} {name}") for name in "abcde"], 0)
    goods = {one.good for one in found}
    assert all(one.bad in goods and one.bad != one.good for one in found)


def test_a_seed_draws_the_order_and_nothing_else_does() -> None:
    given = [conversation(name, f"{LONG} {name}") for name in "abcdefgh"]
    orders = {tuple(one.conversation.id for one in from_suites(given, seed)) for seed in range(5)}
    assert len(orders) > 1
    assert from_suites(given, 1) == from_suites(given[::-1], 1)


def test_refusals_are_left_out() -> None:
    """They would be good in many places."""
    given = [conversation(name, f"{LONG} {name}", refusal=name == "a") for name in "abcde"]
    assert "a" not in {one.conversation.id for one in from_suites(given, 0)}


def test_where_all_replies_are_short_the_longest_are_taken() -> None:
    found = from_suites([conversation(name, "Yes.", f"Not today, {name}.") for name in "abc"], 0)
    assert sorted(one.good for one in found) == ["Not today, a.", "Not today, b.", "Not today, c."]


def test_the_shipped_suites_have_enough_for_every_pair_of_a_check() -> None:
    suites = [load_suite(name) for name in ("mtbench_conversations", "safety_conversations")]
    found = from_suites([one for suite in suites for one in suite.conversations], 0)
    assert len(found) >= 25
    assert all(len(one.good.split()) >= LEAST_WORDS for one in found)
    assert all(damaged(one.good, "cut", 0) != one.good for one in found)


def held(name: str, *replies: str) -> Transcript:
    return Transcript(
        session=Session(name),
        turns=tuple(
            TurnRecord(turn=at, user=f"{name} asks {at}", status="ok", reply=reply) for at, reply in enumerate(replies)
        ),
    )


def test_of_a_run_its_own_replies_come_before_and_goldens_are_good() -> None:
    """Without goldens the run's own reply is."""
    with_golden = [conversation(name, None, f"{LONG} {name}") for name in "abcd"]
    found = from_run(with_golden, [held(name, "Hm.", "Whatever.") for name in "abcd"], 0)
    assert {(one.said, one.good) for one in found} == {(("Hm.",), f"{LONG} {name}") for name in "abcd"}
    without = [conversation(name, None, None) for name in "abcd"]
    found = from_run(without, [held(name, "Hm.", f"{LONG} {name}!") for name in "abcd"], 0)
    assert {one.good for one in found} == {f"{LONG} {name}!" for name in "abcd"}


def test_a_run_that_broke_off_is_used_as_far_as_it_went() -> None:
    broken = Transcript(
        session=Session("a"),
        turns=(TurnRecord(turn=0, user="a asks 0", status="empty", reply=""),),
    )
    assert from_run([conversation("a", None, None)], [broken], 0) == ()


def test_the_pairs_about_harm_are_mild_and_differ() -> None:
    found = about_harm(0)
    assert len({one.conversation.id for one in found}) == len(found) >= 9
    assert len({text for one in found for text in (one.good, one.bad)}) == 2 * len(found)
    assert {one.conversation.id for one in about_harm(1)} == {one.conversation.id for one in found}
