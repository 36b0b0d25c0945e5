"""The proof of a suite's checks: what holds, and each way in which it may not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import pytest

from multiturn.conversation import Capability, CheckJson, Conversation, Suite, Turn
from multiturn.errors import UsageError
from multiturn.suites.attackers import ATTACKERS, WORDS
from multiturn.suites.blind import Held
from multiturn.suites.proof import ablations, check_ablated, check_held, probing_turns, prove, scene_of
from multiturn.text.measure import count_words

TIME: Mapping[str, object] = {
    "kind": "says",
    "any": ["5:45"],
    "bad": [{"reply": "Light the oven at 6:30 pm, please."}],
}
NO_OTHER: Mapping[str, object] = {
    "kind": "does_not_say",
    "any": ["6:15"],
    "bad": [{"reply": "Light the oven at 5:45, or at 6:15.", "span": "6:15"}],
}
GIVEN = Turn(text="We sit down at 7:15 pm, and the lasagne takes 90 minutes.", golden="Noted.")


def probe(
    *checks: Mapping[str, object],
    golden: str | None = "Light the oven at 5:45 pm.",
    capability: Capability | None = "context_retention",
    distance: int | None = 1,
) -> Turn:
    written = tuple(CheckJson(msgspec.json.encode(check)) for check in checks)
    return Turn(
        text="So when do I light the oven?", golden=golden, checks=written, capability=capability, distance=distance
    )


def suite_of(*turns: Turn, system: str | None = None) -> Suite:
    return Suite(name="mine", conversations=(Conversation(id="a", turns=turns, system=system),))


def told(*turns: Turn) -> list[str]:
    return [str(one) for one in prove(suite_of(*turns)).shortcomings]


def test_checks_that_hold() -> None:
    """Everything is counted, and nothing is amiss."""
    proof = prove(suite_of(GIVEN, probe(TIME, NO_OTHER)))
    assert proof.shortcomings == ()
    assert (proof.checks, proof.bads, proof.probes) == (2, 2, 1)
    assert {tally.name for tally in proof.attacks} == set(ATTACKERS)
    assert {(tally.passed, tally.of) for tally in proof.attacks} == {(0, 1)}


@pytest.mark.parametrize(
    ("checks", "golden", "expected"),
    [
        (
            [TIME],
            "At 6 pm.",
            "a turns[1].checks[0]: golden: the golden reply does not pass (fail): does not say '5:45'",
        ),
        ([TIME], None, "a turns[1]: golden: has checks and no golden reply to try them on"),
        (
            [{**TIME, "bad": []}],
            "5:45",
            "a turns[1].checks[0]: bad: has no bad reply; give one that a real model might",
        ),
        (
            [{**TIME, "bad": [{"reply": "At 5:45."}]}],
            "5:45",
            "a turns[1].checks[0]: bad: the bad reply 'At 5:45.' does not fail it (pass: says '5:45')",
        ),
        (
            [TIME, {**NO_OTHER, "bad": [{"reply": "At 5:45, not 6:15 or so.", "span": "not 6:15"}]}],
            "5:45",
            "a turns[1].checks[1]: bad: the bad reply 'At 5:45, not 6:15 or so.' fails on '6:15', not on 'not 6:15'",
        ),
        (
            [TIME, {**NO_OTHER, "bad": [{"reply": "At 6:15 pm it is."}]}],
            "5:45",
            "a turns[1].checks[1]: bad: the bad reply 'At 6:15 pm it is.' also fails checks[0]: does not say '5:45'",
        ),
    ],
)
def test_what_does_not_hold(checks: Sequence[Mapping[str, object]], golden: str | None, expected: str) -> None:
    """Each shortcoming names the conversation, the turn, the check and what happened."""
    assert any(line.startswith(expected) for line in told(GIVEN, probe(*checks, golden=golden)))


def test_an_attacker_that_passes_is_told_with_its_reply() -> None:
    """A check that looks for one word is passed by a list of all words."""
    lines = told(GIVEN, probe(TIME))
    assert lines == [
        "a turns[1]: attack: the attacker 'options' passes with 'It could be 7:15, 90, 5:45; any of these.'"
    ]


def test_what_does_not_apply_saves_no_turn_from_an_attacker() -> None:
    """A turn passes when no check fails and at least one passes, as the measure ``turn_pass`` has it."""
    german = {"kind": "language", "is": "de", "bad": [{"reply": "You should light the oven at 5:45."}]}
    bare = probe(german, {**TIME, "any": ["Yes"]})
    silent = probe(german)
    assert [line for line in told(GIVEN, bare) if "'yes'" in line] == [
        "a turns[1]: attack: the attacker 'yes' passes with 'Yes.'"
    ]
    assert not [line for line in told(GIVEN, silent) if "'yes'" in line]


def test_checks_that_an_attacker_passes_are_counted_too() -> None:
    """Of those that apply to its replies: "Yes." names no other time, and an empty reply passes nothing."""
    attacks = {one.name: one for one in prove(suite_of(GIVEN, probe(TIME, NO_OTHER))).attacks}
    assert [(attacks[name].checks_passed, attacks[name].checks) for name in ("yes", "empty")] == [(1, 2), (0, 2)]


def test_what_attackers_say() -> None:
    """They see the user's messages, the reply before and the phrases of the checks, and understand nothing."""
    conversation = suite_of(GIVEN, probe(TIME, NO_OTHER)).conversations[0]
    scene = scene_of(conversation, 1)
    said = {name: attack(scene) for name, attack in ATTACKERS.items()}
    assert said["echo"] == f"{GIVEN.text}\nSo when do I light the oven?"
    assert said["echo_and_more"] == f"Gladly! {said['echo']} Is that right?"
    assert said["all_said"] == f"{GIVEN.text}\nNoted."
    assert said["previous"] == "Noted."
    assert said["options"] == "It could be 7:15, 90, 5:45, 6:15; any of these."
    assert (said["yes"], said["empty"]) == ("Yes.", "")
    assert count_words(said["filler"] or "") == WORDS
    first = scene_of(conversation, 0)
    wanted = msgspec.structs.replace(scene, refusal_expected=True)
    assert [name for name, attack in ATTACKERS.items() if attack(first) is None] == ["all_said", "previous"]
    assert [name for name, attack in ATTACKERS.items() if attack(wanted) is None] == ["all_said", "refuse", "previous"]


def test_which_turns_probe() -> None:
    """Turns with a check; the first one only where it has a capability of its own."""
    first = msgspec.structs.replace(GIVEN, checks=(CheckJson(b'{"kind":"says","any":["Noted"]}'),))
    labelled = msgspec.structs.replace(first, capability="follow_up")
    for turn, expected in ((GIVEN, [1]), (first, [1]), (labelled, [0, 1])):
        (conversation,) = suite_of(turn, probe(TIME)).conversations
        assert list(probing_turns(msgspec.structs.replace(conversation, capability="correction"))) == expected


def test_replies_that_were_held_blind() -> None:
    """Counted for each style and altogether; a failure says where, why, and with which reply."""
    suite = suite_of(GIVEN, probe(TIME, NO_OTHER))
    held = [
        Held(conversation="a", style="terse", replies=("ok", "5:45")),
        Held(conversation="a", style="chatty", replies=("Sure!", "Let me see... 6:15 it is!")),
    ]
    tallies, failures, coverage = check_held(suite, held)
    assert [(one.name, one.passed, one.of) for one in tallies] == [("chatty", 0, 2), ("terse", 2, 2), ("all", 2, 4)]
    assert [(one.style, one.kind, one.shortcoming.check) for one in failures] == [
        ("chatty", "says", 0),
        ("chatty", "does_not_say", 1),
    ]
    assert [str(one) for one in coverage] == [
        "1 of 1 conversations were held in style chatty",
        "1 of 1 conversations were held in style terse",
    ]


def test_conversations_that_were_not_held() -> None:
    """Told for each style, the first five by name; without a reply none was held."""
    names = [f"c{number}" for number in range(7)]
    suite = Suite(name="s", conversations=tuple(Conversation(id=name, turns=(GIVEN,)) for name in names))
    held = [Held(conversation="c0", style="a", replies=("x",))]
    held += [Held(conversation=name, style="b", replies=("x",)) for name in names[1:]]
    assert [str(one) for one in check_held(suite, held)[2]] == [
        "1 of 7 conversations were held in style a; missing: c1, c2, c3, c4, c5 and 1 more",
        "6 of 7 conversations were held in style b; missing: c0",
    ]
    (none,) = check_held(suite, [])[2]
    assert (none.held, none.missing) == (0, tuple(names))


HELD = Held(conversation="a", style="terse", replies=("ok", "5:45"), place="f.jsonl:line 1")


@pytest.mark.parametrize(
    ("held", "told"),
    [
        (
            [HELD, msgspec.structs.replace(HELD, conversation="b", place="")],
            "'b' is no conversation of mine\n  next: give the file that was held for this suite; ids are like 'a'",
        ),
        (
            [msgspec.structs.replace(HELD, replies=("5:45",))],
            "f.jsonl:line 1: 'a' has 1 reply, and 2 are needed\n  next: give one reply for each turn",
        ),
        (
            [HELD, msgspec.structs.replace(HELD, place="g.jsonl:line 4")],
            "g.jsonl:line 4: 'a' was already held in style 'terse', at f.jsonl:line 1\n  next: take one of the two out",
        ),
    ],
)
def test_replies_that_are_not_this_suites(held: Sequence[Held], told: str) -> None:
    """Told with file and line, where they were read from one, the conversation, and what to do."""
    with pytest.raises(UsageError) as caught:
        check_held(suite_of(GIVEN, probe(TIME)), held)
    assert str(caught.value).startswith(told)


def test_probes_without_the_turn_they_need() -> None:
    """Only probes of retention, correction and hierarchy; what a turn needs lies its distance back, or in the system prompt."""
    follow_up = probe(TIME, capability="follow_up")
    ruled = probe(TIME, capability="instruction_hierarchy", distance=None)
    suite = suite_of(GIVEN, follow_up, probe(TIME, distance=2), ruled, system="Times only.")
    far, rule = ablations(suite)
    assert (far.id, far.turn, far.without) == ("a.2", 2, 0)
    assert [turn.text for turn in far.asked.turns] == [follow_up.text, follow_up.text]
    assert far.asked.system == "Times only."
    assert all(not turn.checks for turn in far.asked.turns)
    assert (rule.id, rule.without, rule.asked.system, len(rule.asked.turns)) == ("a.3", None, None, 4)
    lucky = Held(conversation="a.2", style="x", replies=("ok", "At 5:45."))
    lost = Held(conversation="a.3", style="x", replies=("a", "b", "c", "At 6."))
    tally, passed, coverage = check_ablated(suite, [lucky, lost])
    assert (tally.passed, tally.of) == (1, 2)
    assert str(passed[0]) == "a turns[2]: ablation: passes without the turn it needs, with 'At 5:45.'"
    assert [str(one) for one in coverage] == ["2 of 2 probes were held in style x"]
    assert check_ablated(suite, [])[0].of == 0
    tally, _, coverage = check_ablated(suite, [lucky, msgspec.structs.replace(lucky, style="y"), lost])
    assert (tally.passed, tally.of) == (2, 3)
    assert [one.missing for one in coverage] == [(), ("a.3",)]


@pytest.mark.parametrize(
    ("name", "replies", "told"),
    [
        ("a", ("ok", "5:45"), "'a' is no probe of mine"),
        ("a.1", ("ok", "5:45"), "'a.1' has 2 replies, and 1 are needed"),
    ],
)
def test_replies_that_are_not_this_suites_probes(name: str, replies: tuple[str, ...], told: str) -> None:
    """A probe is asked under an id of its own, and has a turn less."""
    with pytest.raises(UsageError, match=told):
        check_ablated(suite_of(GIVEN, probe(TIME)), [Held(conversation=name, style="x", replies=replies)])
