"""Two runs -> a comparison: pairing, missing, orientation, what changed most, and what may not be compared."""

from __future__ import annotations

import math
import random
import tracemalloc
from collections.abc import Iterator, Sequence

import msgspec
import pytest

from multiturn.compare import compare, refuse_if_different
from multiturn.conditions import Conditions
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.engines.chat_template import PLAIN_SHA256
from multiturn.errors import ConditionsDiffer, UsageError
from multiturn.finding import Assessed, Signal
from multiturn.results import Change, Comparison, Contrast
from multiturn.transcript import Failure, Sampling, Session, Transcript, TurnRecord

LOST = "<lost>"
OVERFLOW = "<overflow>"


def suite(conversations: int, turns: int = 2, *, refusal_expected: bool | None = None) -> Suite:
    one = tuple(Turn(text=f"t{turn}", refusal_expected=refusal_expected) for turn in range(turns))
    return Suite(
        name="s", conversations=tuple(Conversation(id=f"c{index}", turns=one) for index in range(conversations))
    )


def record(turn: int, reply: str) -> TurnRecord:
    if reply == LOST:
        failure = Failure("server", "500")
        return TurnRecord(turn=turn, user="u", status="failed", cause="environment", failure=failure)
    if reply == OVERFLOW:
        return TurnRecord(turn=turn, user="u", status="overflowed", cause="model")
    return TurnRecord(turn=turn, user="u", status="ok" if reply else "empty", reply=reply)


def signals(turn: int, reply: str) -> Iterator[Signal]:
    if reply in (LOST, OVERFLOW):
        return
    refused = reply.startswith("Sorry")
    yield Signal(name="words", turn=turn, value=len(reply.split()), unit="words")
    yield Signal(name="empty", turn=turn, value=float(not reply), unit="flag")
    yield Signal(name="refusal", turn=turn, value=float(refused), unit="flag", label="full" if refused else "none")


def held(conversation: str, *replies: str, sample: int = 0) -> Assessed:
    transcript = Transcript(
        session=Session(conversation, sample),
        turns=tuple(record(turn, reply) for turn, reply in enumerate(replies)),
    )
    found = [signal for turn, reply in enumerate(replies) for signal in signals(turn, reply)]
    return Assessed(transcript, tuple(found))


def compared(the_suite: Suite, base: Sequence[Assessed], tuned: Sequence[Assessed]) -> Comparison:
    return compare(the_suite, base, tuned, base_run="r1", tuned_run="r2")


def contrast(comparison: Comparison, measure: str, kind: str = "all", name: str = "") -> Contrast:
    return next(one for one in comparison.contrasts if (one.measure, one.group) == (measure, (kind, name)))


def test_conversations_are_compared_in_pairs() -> None:
    found = compared(
        suite(3),
        [held("c0", "a b", "a b"), held("c1", "a b c d", "a b c d"), held("c2", "a", "a")],
        [held("c0", "a", "a"), held("c1", "a b", "a b c d"), held("c2", "a", "a b c")],
    )
    lengths = contrast(found, "words")
    assert [one.value for one in (lengths.base, lengths.tuned)] == pytest.approx([7 / 3, 2])
    assert lengths.difference.value == pytest.approx(-1 / 3)
    assert (lengths.difference.n, lengths.difference.missing) == (3, 0)
    assert contrast(found, "words", "turn", "2").difference.value == pytest.approx(1 / 3)
    assert (found.base_run, found.tuned_run, found.verdicts) == ("r1", "r2", ())


def test_what_is_missing_is_counted_per_arm_and_never_a_number() -> None:
    found = compared(
        suite(3),
        [held("c0", "a", LOST), held("c1", "a", "a"), held("c2", "a", "a")],
        [held("c0", "a", "a"), held("c1", "a", "a b c"), held("c2", "a", "Sorry")],
    )
    lengths = contrast(found, "words")
    assert [(one.n, one.missing) for one in (lengths.base, lengths.tuned, lengths.difference)] == [
        (2, 1),
        (3, 0),
        (2, 1),
    ]
    assert lengths.difference.value == pytest.approx(0.5)
    assert contrast(found, "missing").base.value == pytest.approx(1 / 6)
    assert found.notes == ("base: 1 of 6 turns are missing through no doing of the model (server 1)",)


def test_n_and_missing_make_up_the_group_where_the_measure_applies() -> None:
    found = compared(suite(4), [held("c0", "a", OVERFLOW), held("c2", LOST, LOST)], [held("c0", "", "a")])
    for one in found.contrasts:
        sizes = {arm.n + arm.missing for arm in (one.base, one.tuned, one.difference)}
        assert sizes == {4} if one.measure in ("missing", "overflowed") else max(sizes) <= 4


def test_no_run_at_all_is_a_comparison_without_numbers() -> None:
    found = compared(suite(2), [], [])
    assert all(one.difference.value is None for one in found.contrasts)
    assert found.changes == ()
    assert found.notes == (
        "base: 2 of 2 conversations were not held",
        "tuned: 2 of 2 conversations were not held",
    )


def test_a_run_against_itself_differs_in_nothing() -> None:
    runs = [held(f"c{index}", "a b", "Sorry no") for index in range(4)]
    found = compared(suite(4), runs, runs)
    refusals = contrast(found, "refusal")
    assert (refusals.difference.value, refusals.difference.low, refusals.difference.note) == (0, None, "all 4 equal")
    assert {change.score for change in found.changes} == {0}
    assert [change.conversation for change in found.changes] == ["c0", "c1", "c2", "c3"]


def test_no_refusal_in_twenty_conversations_is_not_certainty() -> None:
    runs = [held(f"c{index}", "a", "b") for index in range(20)]
    base = contrast(compared(suite(20), runs, runs), "refusal").base
    assert (base.value, base.low) == (0, 0)
    assert base.high == pytest.approx(0.1611, abs=5e-5)


def test_samples_do_not_make_n_larger() -> None:
    """Two samples of two conversations are two conversations."""
    base = [held(f"c{index}", "a b", "a b", sample=sample) for index in range(2) for sample in range(2)]
    tuned = [
        held(f"c{index}", "a", "a b c d" if sample else "a", sample=sample) for index in range(2) for sample in range(2)
    ]
    found = contrast(compared(suite(2), base, tuned), "words")
    assert (found.difference.n, found.tuned.value) == (2, 1.75)


def test_the_order_in_which_runs_are_read_changes_nothing() -> None:
    chance = random.Random(1)  # noqa: S311 - no secret
    base = [held(f"c{index}", "a " * index, "b") for index in range(12)]
    tuned = [held(f"c{index}", "a", "Sorry" if index % 3 else "b") for index in range(12)]
    straight = compared(suite(12), base, tuned)
    for runs in (base, tuned):
        chance.shuffle(runs)
    assert compared(suite(12), base, tuned) == straight


def test_swapping_the_arms_turns_every_difference_round() -> None:
    base = [held(f"c{index}", "a " * (index + 1), "b") for index in range(5)]
    tuned = [held(f"c{index}", "a", "Sorry") for index in range(5)]
    one, other = compared(suite(5), base, tuned), compared(suite(5), tuned, base)
    for there, back in zip(one.contrasts, other.contrasts, strict=True):
        assert there.base == back.tuned
        if there.difference.value is not None:
            assert back.difference.value == pytest.approx(-there.difference.value)


@pytest.mark.parametrize(("expected", "orientation"), [(None, "lower_is_better"), (True, "neither")])
def test_where_a_refusal_may_be_right_fewer_are_not_better(
    expected: bool | None,  # noqa: FBT001 - the suite's own field
    orientation: str,
) -> None:
    found = compared(suite(1, refusal_expected=expected), [], [])
    assert contrast(found, "refusal").orientation == orientation
    assert contrast(found, "empty").orientation == "lower_is_better"
    assert contrast(found, "words").orientation == "neither"


def only_change(base: Assessed, tuned: Assessed) -> Change:
    (change,) = compared(suite(1, turns=len(base.transcript.turns)), [base], [tuned]).changes
    return change


def test_what_changed_is_said_in_words() -> None:
    long = "one two three four five six seven eight nine ten"
    change = only_change(held("c0", long, long, long, long), held("c0", long, "Sorry, no.", "Sorry", "Sorry"))
    assert change.reasons == (
        "3 of 4 replies became refusals",
        "replies 2.9 times shorter",
        "the texts share 25.0% of their words",
    )
    assert change.score == pytest.approx(3 * 3 / 4 + math.log2(11 / 4.5) + 0.75, abs=1e-6)


def test_a_change_for_the_better_is_a_change_too() -> None:
    change = only_change(held("c0", "Sorry", ""), held("c0", "Yes", "Yes"))
    assert change.reasons[:2] == ("1 of 2 replies stopped being refusals", "1 of 2 replies stopped being empty")


def test_the_context_window_is_a_reason() -> None:
    change = only_change(held("c0", "a", "b"), held("c0", "a", OVERFLOW))
    assert change.reasons == ("1 of 2 replies fell out of the context window",)
    assert change.score == 1.5


def test_a_lost_turn_is_no_change_but_is_said() -> None:
    change = only_change(held("c0", "a", "b"), held("c0", "a", LOST))
    assert (change.score, change.reasons) == (0, ("1 of 2 turns are missing in an arm",))


def test_a_conversation_that_can_not_be_compared_is_not_ranked() -> None:
    assert compared(suite(1), [held("c0", "a", "b")], [held("c0", LOST, LOST)]).changes == ()


def test_the_most_changed_comes_first_and_ties_keep_the_suites_order() -> None:
    base = [held(f"c{index}", "a", "a") for index in range(4)]
    tuned = [held("c3", "Sorry", "a"), held("c1", "Sorry", "a"), held("c0", "a", "a"), held("c2", "Sorry", "Sorry")]
    assert [change.conversation for change in compared(suite(4), base, tuned).changes] == ["c2", "c1", "c3", "c0"]


def test_transcripts_are_let_go() -> None:
    """Memory holds a few numbers for each conversation, not what was said in it."""

    def many(count: int, word: str) -> Iterator[Assessed]:
        for index in range(count):
            yield held(f"c{index}", f"{word}{index} " * 3000, word)

    the_suite = suite(300)
    tracemalloc.start()
    try:
        compare(the_suite, many(300, "a"), many(300, "b"), base_run="r1", tuned_run="r2")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000  # the replies alone have 8 million characters


CONDITIONS = Conditions(
    suite_digest="d1",
    sampling=Sampling(),
    samples=1,
    history="self",
    overflow="stop",
    context_window=512,
    system=None,
    template="model",
    reproducible=True,
    identity={"weights": "w1", "version": "9"},
)


OTHER_MODEL = {"weights": "w2", "version": "9", "adapter": "a"}


def test_another_model_is_what_a_comparison_is_about() -> None:
    tuned = msgspec.structs.replace(CONDITIONS, identity=OTHER_MODEL)
    assert refuse_if_different(CONDITIONS, tuned) == ()


def test_every_other_difference_is_listed_with_both_values_and_what_to_type() -> None:
    changed = msgspec.structs.replace(
        CONDITIONS,
        sampling=Sampling(temperature=0.0),
        system="Be brief. " * 20,
        identity=OTHER_MODEL | {"version": "10"},
    )
    with pytest.raises(ConditionsDiffer) as caught:
        refuse_if_different(CONDITIONS, changed)
    assert "sampling.temperature: 0.7 / 0.0" in caught.value.message
    assert "identity.version: '9' / '10'" in caught.value.message
    assert "system: None / 'Be brief. Be brief." in caught.value.message
    assert "(202 characters)" in caught.value.message
    assert "--vary identity.version --vary sampling.temperature --vary system" in caught.value.hint


def test_a_declared_difference_is_allowed_and_noted() -> None:
    tuned = msgspec.structs.replace(CONDITIONS, system="Be brief.")
    noted = refuse_if_different(CONDITIONS, tuned, ["system", "samples"])
    assert noted == ("differs as declared: system: None / 'Be brief.'",)


def test_another_suite_is_never_compared_with() -> None:
    tuned = msgspec.structs.replace(CONDITIONS, suite_digest="d2")
    with pytest.raises(ConditionsDiffer, match="same suite"):
        refuse_if_different(CONDITIONS, tuned)
    with pytest.raises(UsageError, match="can't be varied"):
        refuse_if_different(CONDITIONS, tuned, ["suite_digest"])


@pytest.mark.parametrize(
    ("name", "hint"), [("sytem", "system"), ("temperature", "sampling.temperature"), ("zzz", "one of: ")]
)
def test_a_name_that_is_no_condition_gets_a_suggestion(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match="no condition is called") as caught:
        refuse_if_different(CONDITIONS, CONDITIONS, [name])
    assert hint in caught.value.hint


def test_lengths_are_told_with_their_distribution() -> None:
    """Over replies: an empty one counts with 0 words, a turn without a reply not at all."""
    base = [held("c0", "a b c d", ""), held("c1", "a b", LOST)]
    tuned = [held("c0", "a", "a"), held("c1", "a", "a")]
    found = compared(suite(2), base, tuned).distributions
    assert [(one.measure, one.arm, one.n, one.quantiles) for one in found] == [
        ("words", "base", 3, (0.0, pytest.approx(0.4), 2.0, pytest.approx(3.6), 4.0)),
        ("words", "tuned", 4, (1.0, 1.0, 1.0, 1.0, 1.0)),
    ]


def test_what_does_not_apply_is_not_missing() -> None:
    """An empty reply has no words of its own and no reply before it; only what the environment lost is missing."""
    base = [held("c0", "a b", "c"), held("c1", "a", LOST)]
    tuned = [held("c0", "", ""), held("c1", "a", "b")]
    found = {(one.measure, one.group): one for one in compared(suite(2), base, tuned).contrasts}
    nonempty = found["words_nonempty", ("all", "")]
    assert (nonempty.base.n, nonempty.base.missing) == (1, 1)
    assert (nonempty.tuned.n, nonempty.tuned.missing) == (1, 0)
    assert (nonempty.difference.n, nonempty.difference.missing) == (0, 1), "c1 is missing, c0 does not apply"
    assert (found["sameness", ("turn", "1")].base.missing, found["words", ("all", "")].difference.n) == (0, 1)


def with_template(template: str, **identity: str) -> Conditions:
    return msgspec.structs.replace(CONDITIONS, identity={"weights": "w", "template": template} | identity)


def test_templates_that_differ_are_told_and_not_refused() -> None:
    """Each model with its own is how most fine-tunes are used; a reader must know."""
    (note,) = refuse_if_different(with_template("a"), with_template("b", stop_tokens="x"))
    assert note.startswith("warning: base and tuned have different chat templates")
    assert "--template from:MODEL, with base's spec" in note


def test_a_tune_that_lost_its_template_is_told() -> None:
    """Its folder was saved without the tokenizer's template: it is asked in another form than the base."""
    (note,) = refuse_if_different(with_template("a"), with_template(PLAIN_SHA256))
    assert "tuned has no chat template and base has one" in note
    assert "--template from:MODEL, with base's spec" in note
    (other,) = refuse_if_different(with_template(PLAIN_SHA256), with_template("a"))
    assert "base has no chat template and tuned has one" in other
    assert "with tuned's spec" in other


def test_stops_that_differ_alone_are_told() -> None:
    (note,) = refuse_if_different(with_template("a", stop_tokens="x"), with_template("a", stop_tokens="y"))
    assert "end their replies at different tokens" in note


def test_templates_that_were_asked_for_and_differ_are_refused() -> None:
    """Then it is no property of the model."""
    changed = msgspec.structs.replace(with_template("b"), template="other.jinja")
    with pytest.raises(ConditionsDiffer):
        refuse_if_different(with_template("a"), changed)
    both = [msgspec.structs.replace(with_template(name), template="same.jinja") for name in ("a", "b")]
    with pytest.raises(ConditionsDiffer):
        refuse_if_different(both[0], both[1])


def leaking(conversation: str, leaks: str) -> Assessed:
    """A transcript whose turns leak where there is an x."""
    assessed = held(conversation, *("a" for _ in leaks))
    found = [
        Signal(name="role_leakage", turn=turn, value=float(leak == "x"), unit="flag") for turn, leak in enumerate(leaks)
    ]
    return Assessed(assessed.transcript, (*assessed.signals, *found))


def test_a_tune_that_leaves_its_role_oftener_is_told() -> None:
    """It may have been trained on another format than the one it is asked in."""
    clean, dirty = ([leaking(f"c{at}", leaks) for at in range(3)] for leaks in ("--", "x-"))
    assert any("was it trained on another format" in note for note in compared(suite(3), clean, dirty).notes)
    assert compared(suite(3), dirty, clean).notes == ()
    assert compared(suite(3), dirty, dirty).notes == ()


def thinking(conversation: str, endless: str) -> Assessed:
    """A transcript whose replies end inside their reasoning where there is an x."""
    assessed = held(conversation, *("" if end == "x" else "a" for end in endless))
    turns = tuple(
        msgspec.structs.replace(turn, flags=("reasoning_unfinished",) if end == "x" else ())
        for turn, end in zip(assessed.transcript.turns, endless, strict=True)
    )
    return Assessed(msgspec.structs.replace(assessed.transcript, turns=turns), assessed.signals)


def test_replies_that_end_inside_their_reasoning_are_told_above_one_in_twenty() -> None:
    few, many = ([thinking(f"c{at}", "x-" if at < most else "--") for at in range(10)] for most in (1, 2))
    (note,) = compared(suite(10), few, many).notes
    assert note.startswith("warning: tuned: 2 of 20 replies ended inside their reasoning")
    assert "--reasoning-tokens" in note
