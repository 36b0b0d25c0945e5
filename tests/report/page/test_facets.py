"""By what conversations are found on the page: which tags a conversation and its turns have."""

from __future__ import annotations

import msgspec
import pytest
from tests import by_hand
from tests.report.page.judged_report import judge

from multiturn.conversation import Conversation, Turn
from multiturn.finding import Assessed, Checked, Signal
from multiturn.judgment import Judged, Question, Rating, Unreadable
from multiturn.ranking import Winner
from multiturn.report.page.facets import MOST_REPETITION, conversation_tags, turn_tags
from multiturn.report.page.shown import Compared, Heard, ShownArm, Side, Told
from multiturn.transcript import Flag, TurnRecord

BASE, TUNED = Side("base", 0), Side("tuned", 1)
ARMS = (ShownArm(name="base", label="m", run="r1"), ShownArm(name="tuned", label="n", run="r2"))


def told(*arms: Assessed | None, turn: Turn | None = None) -> Told:
    """A conversation of one turn."""
    return Told(conversation=Conversation(id="c", turns=(turn or Turn(text="u"),)), samples=(arms,))


def tags(*arms: Assessed | None, turn: Turn | None = None) -> list[str]:
    """The tags of its only turn, as an address has them."""
    (found,) = turn_tags(told(*arms, turn=turn), ARMS[: len(arms)])
    return [f"{key}={value}" for key, value in found]


def held(
    record: TurnRecord | None = None, signals: tuple[Signal, ...] = (), said: tuple[Checked, ...] = ()
) -> Assessed:
    """One turn."""
    return by_hand.held("c", (record or by_hand.ok(0),), signals, said)


def signal(name: str, value: float, label: str = "") -> Signal:
    return Signal(name=name, turn=0, value=value, unit="share" if name == "repetition" else "flag", label=label)


def test_a_conversation_is_found_by_what_it_is_about() -> None:
    """What it has of category, domain and pattern."""
    conversation = Conversation(id="c", turns=(Turn(text="u"),), category="math", domain="chess")
    assert conversation_tags(conversation) == [("category", "math"), ("domain", "chess")]


def test_a_turn_is_found_by_what_it_probes_and_how_it_ended() -> None:
    """Its place, capability and distance as the tables have them, and its status in each arm."""
    turns = tuple(Turn(text="u", capability="correction", distance=min(at, 5) or None) for at in range(7))
    both = by_hand.held("c", tuple(map(by_hand.ok, range(7))))
    conversation = Told(conversation=Conversation(id="c", turns=turns), samples=((both, both),))
    first, *_, last = turn_tags(conversation, ARMS)
    assert first[:3] == [("turn", "1"), ("capability", "correction"), ("base.status", "ok")]
    assert ("tuned.status", "ok") in first
    assert last[:3] == [("turn", "7"), ("capability", "correction"), ("distance", "4+")]


def test_a_turn_that_an_arm_did_not_hold_is_told_apart_from_a_lost_one() -> None:
    """Not held; missing through the environment; outgrown, which is the model's own doing."""
    empty = by_hand.held("c", ())
    assert "tuned.status=not_held" in tags(held(), empty)
    assert {"tuned.status=failed", "tuned.missing=yes"} <= set(tags(held(), held(by_hand.failed(0))))
    assert "tuned.missing=yes" not in tags(held(), held(by_hand.overflowed(0)))
    assert not any(tag.startswith("tuned.") for tag in tags(held(), None))


@pytest.mark.parametrize(
    ("base", "tuned", "flips"),
    [
        ("p", "f", ["flip=lost"]),
        ("f", "p", ["flip=won"]),
        ("p", "p", []),
        ("-", "f", []),
        ("pf", "fp", ["flip=lost", "flip=won"]),
    ],
)
def test_flips_are_of_the_first_arm_against_another(base: str, tuned: str, flips: list[str]) -> None:
    """Lost: the first arm passes what the other fails. What does not apply in one of them flips nothing."""
    found = tags(held(said=by_hand.checks(base)), held(said=by_hand.checks(tuned)))
    assert [tag for tag in found if tag.startswith("flip")] == flips


@pytest.mark.parametrize(
    ("expected", "reply", "label", "wanted"),
    [
        (None, "Sorry, no.", "full", {"any", "full"}),
        (False, "Sorry, no.", "partial", {"any", "partial", "unexpected"}),
        (True, "Sorry, no.", "full", {"any", "full", "expected"}),
        (True, "Here you are.", "none", {"none", "missing"}),
        (False, "Here you are.", "none", {"none"}),
    ],
)
def test_refusals_are_found_by_whether_they_are_right(
    expected: bool | None,  # noqa: FBT001 - what the suite says
    reply: str,
    label: str,
    wanted: set[str],
) -> None:
    """Where the suite says nothing of a turn, only that it is one."""
    arm = held(by_hand.ok(0, reply), (signal("refusal", float(label != "none"), label),))
    found = tags(arm, turn=Turn(text="u", refusal_expected=expected))
    assert {tag.removeprefix("base.refusal=") for tag in found if tag.startswith("base.refusal=")} == wanted


def test_a_flag_that_only_one_arm_has_moved() -> None:
    """Whichever of them it is; one that both have did not."""
    loop, leak = signal("collapse", 1.0), signal("role_leakage", 1.0)
    found = tags(held(signals=(loop, leak)), held(signals=(leak,)))
    assert [tag for tag in found if tag.startswith("moved")] == ["moved=collapse"]
    assert {"base.raised=collapse", "tuned.raised=role_leakage"} <= set(found)


def test_the_language_of_a_reply_is_a_tag_where_it_is_known() -> None:
    """Of any arm, once."""
    german, unknown = signal("language_change", 0.0, "de"), signal("language_change", 0.0, "unknown")
    found = tags(held(signals=(german,)), held(signals=(german,)))
    assert found.count("language=de") == 1
    assert not any(tag.startswith("language") for tag in tags(held(signals=(unknown,))))


FAILS = by_hand.checks("pf")


def test_a_reply_reads_well_and_is_wrong() -> None:
    """A check fails, and nothing is raised."""
    assert "base.fluent=wrong" in tags(held(said=FAILS, signals=(signal("repetition", MOST_REPETITION),)))
    assert "base.fluent=wrong" not in tags(held(said=by_hand.checks("pp")))


@pytest.mark.parametrize(
    "raised", [signal("collapse", 1.0), signal("refusal", 1.0, "full"), signal("repetition", MOST_REPETITION + 0.01)]
)
def test_a_reply_with_something_raised_does_not_read_well(raised: Signal) -> None:
    """A flag, or much repetition."""
    assert "base.fluent=wrong" not in tags(held(said=FAILS, signals=(raised,)))


@pytest.mark.parametrize("status", ["length", "empty"])
def test_a_reply_that_ended_badly_does_not_read_well(status: str) -> None:
    """Cut off at the limit, or empty."""
    record = msgspec.structs.replace(by_hand.ok(0, "" if status == "empty" else "Well"), status=status)
    assert "base.fluent=wrong" not in tags(held(record, said=FAILS))


@pytest.mark.parametrize("flag", ["run_on", "role_echo"])
def test_a_reply_that_had_to_be_cut_does_not_read_well(flag: Flag) -> None:
    """The transcript flags it."""
    record = msgspec.structs.replace(by_hand.ok(0), flags=(flag,))
    found = tags(held(record, said=FAILS))
    assert "base.fluent=wrong" not in found
    assert f"base.flag={flag}" in found


def test_a_reply_that_declines_in_other_words_does_not_read_well() -> None:
    """A refusal that no phrase of the signal finds."""
    record = by_hand.ok(0, "No, that is something I am not going to help with.")
    assert "base.fluent=wrong" not in tags(held(record, said=FAILS))


def test_each_sample_has_its_own_turns() -> None:
    """Sample by sample, turn by turn."""
    one, other = by_hand.held("c", (by_hand.ok(0),)), by_hand.held("c", (by_hand.failed(0),), sample=1)
    both = Told(conversation=Conversation(id="c", turns=(Turn(text="u"),)), samples=((one,), (other,)))
    found = list(turn_tags(both, ARMS[:1]))
    assert [("base.status", "ok") in found[0], ("base.status", "failed") in found[1]] == [True, True]


RATES = judge("quality")


def graded(grade: float | None, checks: str = "", raised: tuple[Signal, ...] = ()) -> Assessed:
    """A turn that a panel of one judge rated (None: nothing that can be read), whose checks these letters tell."""
    question = Question(mode="rating", run="r1", conversation="c", turn=0)
    unread = Unreadable(kind="empty", fault="it is empty")
    judgment = unread if grade is None else Rating(value=grade)
    found = held(None, raised, by_hand.checks(checks))
    said = Judged(judge=RATES.id, question=question, judgment=judgment)
    return msgspec.structs.replace(found, judged=(said,), panel=(RATES.id,))


@pytest.mark.parametrize(
    ("grade", "level"),
    [(10, "high"), (8, "high"), (7.9, "middle"), (4.1, "middle"), (4, "low"), (1, "low"), (None, "none")],
)
def test_a_grade_is_high_from_8_and_low_up_to_4(grade: float | None, level: str) -> None:
    """What can't be read is neither."""
    assert [one for one in tags(graded(grade)) if "grade" in one] == [f"base.grade={level}"]


def test_a_run_that_nobody_rated_has_no_grade() -> None:
    assert not [one for one in tags(held()) if "grade" in one]


@pytest.mark.parametrize(
    ("one", "wrong"),
    [
        (graded(8, "f"), True),
        (graded(8, "f", raised=(signal("collapse", 1),)), True),
        (graded(8, "p"), False),
        (graded(7.5, "f"), False),
        (graded(None, "f"), False),
    ],
)
def test_where_judges_rated_they_say_what_reads_well(one: Assessed, wrong: bool) -> None:  # noqa: FBT001 - a parameter
    """And the signals do not."""
    assert ("base.fluent=wrong" in tags(one)) is wrong


def preferred(winner: Winner | None, *, turn: int | None = 0, a: Side = TUNED, b: Side = BASE) -> Told:
    """A turn of two arms of which a judge says who wins."""
    compared = Compared(judge=RATES.id, sample=0, turn=turn, a=a, b=b, winner=winner, consistent=None, games=())
    return msgspec.structs.replace(told(held(), held()), heard=Heard(judges={RATES.id: RATES}, compared=(compared,)))


@pytest.mark.parametrize(("winner", "value"), [("a", "tuned"), ("b", "base"), ("tie", "tie"), (None, None)])
def test_a_turn_is_found_by_whom_a_judge_prefers(winner: Winner | None, value: str | None) -> None:
    """Of what has no outcome nothing is found."""
    (found,) = turn_tags(preferred(winner), ARMS)
    assert [one for one in found if one[0].startswith("preferred")] == ([("preferred", value)] if value else [])


def test_a_preference_of_a_whole_conversation_is_one_of_the_conversation() -> None:
    one = preferred("a", turn=None)
    assert conversation_tags(one.conversation, one.heard) == [("preferred_whole", "tuned")]
    (found,) = turn_tags(one, ARMS)
    assert not [tag for tag in found if tag[0].startswith("preferred")]


def test_whom_a_judge_prefers_to_a_run_that_is_not_there_is_no_facet() -> None:
    (found,) = turn_tags(preferred("a", b=Side("scripted:x (r9)", None)), ARMS)
    assert not [tag for tag in found if tag[0] == "preferred"]
