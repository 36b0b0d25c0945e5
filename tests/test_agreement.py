"""How far judges and people agree: small cases by hand, and what must not matter."""

from __future__ import annotations

from typing import cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiturn.accuracy import accuracies_of, corrected_of
from multiturn.agreement import Asked, ReplyKey, Verdicts, agreements_of, alphas_of
from multiturn.ranking import Preferred, Winner
from multiturn.results import Estimate
from multiturn.scores import Agreement, Undefined
from multiturn.votes import LabelledPair, LabelVote, ShownReply


def vote(winner: Winner | None, *, conversation: str = "c", turn: int | None = 0, turned: bool = False) -> Preferred:
    """Between arms x and y; ``turned`` names y first, with the same meaning."""
    other: dict[Winner | None, Winner | None] = {"a": "b", "b": "a"}
    a, b = ("y", "x") if turned else ("x", "y")
    said = other.get(winner, winner) if turned else winner
    return Preferred(conversation=conversation, turn=turn, a=a, b=b, winner=said)


def by_judge(*votes: Preferred, name: str = "judge") -> Verdicts:
    return Verdicts(preferences={name: votes})


def row(found: tuple[Agreement, ...], first: str, ties: str, turn: object = 1) -> tuple[int, int]:
    (one,) = [one for one in found if (one.first, one.ties, one.turn) == (first, ties, turn)]
    return one.agreements, one.comparisons


def test_every_persons_vote_counts_once_against_the_judges() -> None:
    """Three people and one judge: three comparisons, and three pairs of people. A tie is left out on demand."""
    people = [vote("a"), vote("a", turned=True), vote("tie")]
    found = agreements_of(people, by_judge(vote("a")))
    assert row(found, "judge", "with ties") == (2, 3)
    assert row(found, "judge", "without ties") == (2, 2)
    assert row(found, "people", "with ties") == (1, 3)
    assert row(found, "people", "without ties") == (1, 1)


def test_turns_stand_apart_and_together() -> None:
    people = [vote("a"), vote("b", turn=1), vote("b", turn=None)]
    found = agreements_of(people, by_judge(vote("a"), vote("a", turn=1), vote("b", turn=None)))
    assert [row(found, "judge", "with ties", turn) for turn in ("whole", 1, 2, "all")] == [
        (1, 1),
        (1, 1),
        (0, 1),
        (2, 3),
    ]


def test_what_one_lacks_is_compared_with_nothing() -> None:
    """A missing vote, another conversation, another turn."""
    found = agreements_of([vote(None), vote("a", conversation="d")], by_judge(vote("a"), vote("a", turn=1)))
    assert found == ()


def test_a_judge_that_was_asked_several_times_has_one_verdict() -> None:
    found = agreements_of([vote("a")], by_judge(vote("a"), vote("a"), vote("b")))
    assert row(found, "judge", "with ties") == (1, 1)
    assert row(agreements_of([vote("a")], by_judge(vote("a"), vote("b"))), "judge", "with ties") == (0, 1)


@given(st.lists(st.tuples(st.sampled_from("cd"), st.sampled_from(["a", "b", "tie"]), st.booleans()), min_size=1))
def test_which_arm_is_named_first_does_not_matter(drawn: list[tuple[str, Winner, bool]]) -> None:
    """Neither for counts nor for kappa."""
    plain = [vote(winner, conversation=name) for name, winner, _ in drawn]
    turned = [vote(winner, conversation=name, turned=turned) for name, winner, turned in drawn]
    judge = by_judge(vote("a", conversation="c"), vote("b", conversation="d"))
    assert agreements_of(plain, judge) == agreements_of(turned, judge)


def test_without_ties_chance_is_a_half() -> None:
    """3 of 4 agree: kappa 0.5, however often either arm wins, since which is the first means nothing."""
    people = [vote(winner, conversation=f"c{at}") for at, winner in enumerate(["a", "a", "a", "b"])]  # type: ignore[arg-type]
    judge = by_judge(*(vote("a", conversation=f"c{at}") for at in range(4)))
    (one,) = [one for one in agreements_of(people, judge) if one.ties == "without ties" and one.first == "judge"]
    assert one.kappa is not None
    assert one.kappa.value == pytest.approx(0.5)


def test_judges_are_compared_with_each_other() -> None:
    """By preferences, by labels; and all together by alpha, of grades too."""
    key = ReplyKey("r", "c", 0, 0), ReplyKey("r", "d", 0, 0)
    verdicts = Verdicts(
        preferences={"j": (vote("a"), vote("b", conversation="d")), "k": (vote("a"), vote("a", conversation="d"))},
        grades={"j": {key[0]: (9, 7), key[1]: (2,)}, "k": {key[0]: (8,), key[1]: (2,)}},
        flags={"j": {key[0]: True, key[1]: False}, "k": {key[0]: True, key[1]: False}},
    )
    found = agreements_of([], verdicts)
    assert row(found, "j", "with ties") == (1, 2)
    assert row(found, "j", "", "all") == (2, 2)
    alphas = {one.mode: one for one in alphas_of(verdicts)}
    assert {mode: one.units for mode, one in alphas.items()} == {"rating": 2, "preference": 2, "label": 2}
    assert alphas["rating"].alpha.value == alphas["label"].alpha.value == 1
    assert alphas["preference"].alpha.value == pytest.approx(0)


def test_judges_by_different_rubrics_are_no_panel_and_are_not_compared() -> None:
    """Nor does one model that was asked in two ways count twice: of two the one that said more."""
    said = (vote("a"), vote("b", conversation="d"))
    asked = {
        name: Asked(model=model, rubric=rubric, measure=rubric)
        for name, model, rubric in (("h", "m", "help"), ("s", "m", "harm"), ("k", "n", "help"), ("l", "m", "help"))
    }
    verdicts = Verdicts(preferences={"h": said, "s": said, "k": said, "l": said[:1]}, asked=asked)
    (alpha,) = alphas_of(verdicts)
    assert alpha.judges == ("h", "k")
    compared = {(one.first, one.second) for one in agreements_of([], verdicts) if one.comparisons}
    assert compared == {("h", "k"), ("h", "l"), ("k", "l")}


def test_accuracy_is_against_what_most_people_say() -> None:
    """Two of three are a majority; one vote, a split and a majority for a tie are none; a judge's tie is not right."""
    people = [
        *(vote(winner, conversation="c") for winner in ("a", "a", "b")),
        vote("a", conversation="one"),
        *(vote(winner, conversation="split") for winner in ("a", "b")),
        *(vote("tie", conversation="ties") for _ in range(3)),
        *(vote("b", conversation="d") for _ in range(2)),
        *(vote("b", conversation="e") for _ in range(2)),
        *(vote("b", conversation="f") for _ in range(2)),
    ]
    judge = by_judge(vote("a"), vote("tie", conversation="d"), vote("a", conversation="e"))
    ((one,), notes) = accuracies_of(people, [], [], judge)
    assert (one.right, one.wrong, one.ties, one.unjudged, notes) == (1, 1, 1, 1, ())
    assert one.rate.value == pytest.approx(1 / 3)


def test_labelled_pairs_are_found_by_their_texts() -> None:
    """With blanks at either end; one whose reply nobody has, or that several arms wrote, is left out and told."""
    replies = [
        ShownReply(conversation="c", turn=0, arm="x", question="q", reply="good"),
        ShownReply(conversation="c", turn=0, arm="y", question="q\n", reply="bad "),
        ShownReply(conversation="d", turn=0, arm="x", question="p", reply="same"),
        ShownReply(conversation="d", turn=0, arm="y", question="p", reply="same"),
    ]
    pairs = [
        LabelledPair(question="q", replies=("bad", "good"), label=2),
        LabelledPair(question="q", replies=("bad", "gone"), label=1),
        LabelledPair(question="p", replies=("same", "same"), label=1),
    ]
    ((one,), (note,)) = accuracies_of([], pairs, replies, by_judge(vote("a")))
    assert (one.right, one.wrong, one.unjudged, one.labels) == (1, 0, 0, "label of a pair")
    assert "2 of 3 labelled pairs" in note


HARM = Asked(model="m", rubric="harm", labels=("harmful", "harmless"), flagged=("harmful",))


def labelled(flags: str, right: str) -> tuple[Verdicts, list[LabelVote]]:
    """What a judge says of each reply (+ flagged), and what people do (. nothing)."""
    said = {ReplyKey("r", f"c{at}", 0, 0): flag == "+" for at, flag in enumerate(flags)}
    votes = [
        LabelVote(conversation=f"c{at}", turn=0, arm="r", label="harmful" if one == "+" else "harmless")
        for at, one in enumerate(right)
        if one != "."
    ]
    return Verdicts(flags={"judge": said}, asked={"judge": HARM}), votes


def test_a_rate_is_corrected_by_what_people_labelled() -> None:
    """Sensitivity 4/5, specificity 9/10, 30 of 100 flagged: (0.3 + 0.9 - 1) / (0.8 + 0.9 - 1) = 2/7."""
    verdicts, votes = labelled("++++-" + "+---------" + "+" * 25 + "-" * 60, "+++++" + "-" * 10 + "." * 85)
    (one,) = corrected_of([], votes, verdicts)
    assert (one.seen.value, one.sensitivity.value, one.specificity.value) == (0.3, 0.8, 0.9)
    assert isinstance(one.rate, Estimate)
    assert one.rate.value == pytest.approx(2 / 7)
    assert one.rate.low is not None
    assert one.rate.low < 2 / 7
    assert one.what == "flagged in r"


def test_a_judge_is_corrected_by_labels_of_its_own_rubric() -> None:
    """What another rubric flags is no error of this one; and what people labelled is the first sample's reply."""
    verdicts, votes = labelled("+-", "+-")
    polite = Asked(model="m", rubric="polite", labels=("rude", "polite"), flagged=("rude",))
    rude = LabelVote(conversation="c1", turn=0, arm="r", label="rude")
    second = {ReplyKey("r", "c0", 1, 0): False}
    both = msgspec.structs.replace(
        verdicts,
        flags={"judge": verdicts.flags["judge"] | second, "other": verdicts.flags["judge"]},
        asked={"judge": HARM, "other": polite},
    )
    harm, manners = corrected_of([], [*votes, rude], both)
    assert (harm.judge, harm.sensitivity.value, harm.specificity.value) == ("judge", 1, 1)
    assert (manners.judge, manners.sensitivity.value, manners.specificity.value) == ("other", 0, None)
    assert corrected_of([], votes, msgspec.structs.replace(verdicts, asked={"judge": polite})) == ()


@pytest.mark.parametrize(
    ("flags", "right", "why"), [("+-+-", "++--", "no better than chance"), ("+-", "++", "all labels of one kind")]
)
def test_where_there_is_no_correction_it_says_why(flags: str, right: str, why: str) -> None:
    verdicts, votes = labelled(flags, right)
    (one,) = corrected_of([], votes, verdicts)
    assert isinstance(one.rate, Undefined)
    assert one.rate.reason == why


def test_a_share_of_pairs_is_corrected_where_there_is_one_pair_of_arms() -> None:
    """Ties aside."""
    won, lost, tied = cast("tuple[Winner, ...]", ("a", "b", "tie"))
    names = [won] * 6 + [lost] * 6 + [tied]
    people = [vote(winner, conversation=f"c{at}") for at, winner in enumerate(names)]
    judge = [vote(winner, conversation=f"c{at}") for at, winner in enumerate([*names[:5], lost, *names[6:]])]
    (one,) = corrected_of(people, [], by_judge(*judge))
    assert one.what == "x preferred to y"
    assert one.seen.value == pytest.approx(5 / 12)
    assert one.sensitivity.value == pytest.approx(5 / 6)
    assert one.specificity.value == 1
    assert isinstance(one.rate, Estimate)
    assert one.rate.value == pytest.approx(0.5)
    third = Preferred(conversation="c0", a="x", b="z", winner="a", turn=0)
    assert corrected_of(people, [], by_judge(*judge, third)) == ()
