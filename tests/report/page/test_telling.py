"""The turn that proves a change, and replies that read well but are wrong."""

from __future__ import annotations

from tests import by_hand

from multiturn.conversation import Conversation, Turn
from multiturn.finding import FAILS_AS_REFUSAL, Assessed, Checked, CheckResult, Signal
from multiturn.report.page.facets import turn_tags
from multiturn.report.page.shown import Fluent, Proof, ShownArm, Told
from multiturn.report.page.telling import QUOTED, fluent_but_wrong, proof

ARMS = (ShownArm(name="base", label="m", run="r1"), ShownArm(name="tuned", label="n", run="r2"))


def told(*samples: tuple[Assessed | None, ...], turns: int = 3) -> Told:
    """A conversation in which the user says t0, t1, ..."""
    conversation = Conversation(id="c", turns=tuple(Turn(text=f"t{at}") for at in range(turns)))
    return Told(conversation=conversation, samples=samples)


def held(*replies: str, said: tuple[str, ...] = (), refused: str = "", sample: int = 0) -> Assessed:
    """One session with these replies; ``said`` and ``refused`` as ``by_hand`` reads them."""
    records = tuple(by_hand.ok(turn, reply) for turn, reply in enumerate(replies))
    signals: tuple[Signal, ...] = by_hand.refusals(refused)
    return by_hand.held("c", records, signals, by_hand.checks(*said), sample=sample)


def fluent(what: Told, arms: tuple[ShownArm, ...] = ARMS) -> list[Fluent]:
    """Its fluent but wrong replies."""
    return list(fluent_but_wrong(what, arms, turn_tags(what, arms)))


def proof_of(what: Told) -> Proof | None:
    """The turn that tells most of what changed in it."""
    arms = ARMS[: len(what.samples[0])]
    return proof(what, arms, list(turn_tags(what, arms)))


def test_against_a_sound_reply_a_lost_check_proves_most() -> None:
    """Before one that the first arm passes with a reply in which another check fails, or something is raised."""
    tuned = held("x", "y", "z", said=("pf", "f", "f"))
    found = proof_of(told((held("a", "b", "c", said=("fp", "p", "p"), refused="oxo"), tuned)))
    assert found is not None
    assert (found.turn, found.sound) == (2, True)
    found = proof_of(told((held("a", "b", "c", said=("fp", "f", "f")), tuned)))
    assert found is not None
    assert (found.turn, found.sound) == (0, False)


def test_a_lost_check_proves_most() -> None:
    """Before one that is won, a refusal, and another text."""
    base = held("a", "b", "c", said=("f", "p", "p"))
    tuned = held("x", "b", "y", said=("p", "p", "f"), refused="xoo")
    found = proof_of(told((base, tuned)))
    assert found is not None
    assert (found.turn, found.user, found.replies, found.what) == (2, "t2", ("c", "y"), "not: says 2.0")


def test_without_a_lost_check_what_was_won_proves_most() -> None:
    """Then a refusal of one of them, then another text; the first of its kind."""
    assert turn_of(held("a", "b", "c", said=("", "f")), held("x", "b", "c", said=("", "p"))) == 1
    assert turn_of(held("a", "b", "c"), held("x", "b", "z", refused="oox")) == 2
    assert turn_of(held("a", "b", "c"), held("a", "y", "z")) == 1


def turn_of(base: Assessed, tuned: Assessed) -> int | None:
    found = proof_of(told((base, tuned)))
    return None if found is None else found.turn


def test_what_is_the_same_proves_nothing() -> None:
    """Nor does one arm alone, or one that the other did not hold."""
    one = held("a", "b", "c")
    assert proof_of(told((one, one))) is None
    assert proof_of(told((one,))) is None
    assert proof_of(told((one, None))) is None


def test_the_sample_that_proves_it_is_told() -> None:
    """By its place among the samples."""
    base, same = held("a"), held("a")
    found = proof_of(told((base, same), (held("a", sample=1), held("b", sample=1)), turns=1))
    assert found is not None
    assert (found.sample, found.turn) == (1, 0)


def test_long_replies_are_told_in_short_and_lost_ones_as_none() -> None:
    """A reply that is not there is no empty text."""
    lost = by_hand.held("c", (by_hand.failed(0),))
    found = proof_of(told((held("a " * 1000), lost), turns=1))
    assert found is not None
    assert found.replies[1] is None
    assert found.replies[0] is not None
    assert len(found.replies[0]) <= QUOTED


def test_a_wrong_reply_that_reads_well_is_told_with_the_lost_check() -> None:
    """The check that the first arm passes counts before one that both fail."""
    base, tuned = held("a", said=("fp",)), held("b", said=("ff",))
    first, second = fluent(told((base, tuned), turns=1))
    assert (first.arm, first.lost, first.what) == (0, False, "not: says 0.0")
    assert (second.arm, second.lost, second.what, second.reply) == (1, True, "not: says 0.1", "b")


def test_a_check_lost_by_refusing_is_told_as_a_refusal() -> None:
    """What it means that it fails did not happen."""
    result = CheckResult(outcome="fail", reason=FAILS_AS_REFUSAL)
    lost = Checked(turn=0, check=0, kind="says", wants="says it", why="It is forgotten.", result=result)
    tuned = by_hand.held("c", (by_hand.ok(0, "Sorry, no."),), by_hand.refusals("x"), (lost,))
    found = proof_of(told((held("a", said=("p",)), tuned), turns=1))
    assert found is not None
    assert found.what == FAILS_AS_REFUSAL


def test_a_refusal_is_not_fluent_but_wrong() -> None:
    """Something is raised."""
    assert fluent(told((held("a", said=("f",), refused="x"),), turns=1), ARMS[:1]) == []
