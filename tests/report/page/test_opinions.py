"""What a sheet says of judges: their verdicts in words, their own words in short, and what is no verdict as what it is."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest
from tests.report.page.judged_report import judge
from tests.report.page.tree import Node, tree_of

from multiturn.conversation import Conversation, Turn
from multiturn.finding import Assessed
from multiturn.judgment import Failed, Judged, Judgment, Label, Preference, Question, Rating, Seat, Unreadable
from multiturn.ranking import Winner
from multiturn.report.page.opinions import AT_ONCE, Opinions
from multiturn.report.page.sheet import sheet
from multiturn.report.page.shown import Compared, Heard, ShownArm, Side, Told
from multiturn.transcript import Session, Transcript, TurnRecord

RATES, LABELS, PREFERS = judge("quality"), judge("harm"), judge("preference")
JUDGES: Final = {one.id: one for one in (RATES, LABELS, PREFERS)}
ARMS: Final = (ShownArm(name="base", label="m", run="b"), ShownArm(name="tuned", label="n", run="t"))
BASE, TUNED, AWAY = Side("base", 0), Side("tuned", 1), Side("scripted:mumbles (r9)", None)


def said(judgment: Judgment, run: str = "t", turn: int = 0, **more: Any) -> Judged:  # noqa: ANN401 - fields of Judged
    """Of a reply by itself."""
    by, mode = (LABELS, "label") if isinstance(judgment, Label) else (RATES, "rating")
    question = Question(mode=mode, run=run, conversation="c", turn=turn)  # type: ignore[arg-type]  # one of the two
    return Judged(judge=by.id, question=question, judgment=judgment, **more)


def game(judgment: Judgment, seat: Seat, **more: Any) -> Judged:  # noqa: ANN401 - fields of Judged
    """One order of tuned against base."""
    question = Question(mode="preference", run="t", opponent="b", conversation="c", turn=0, seat=seat)
    return Judged(judge=PREFERS.id, question=question, judgment=judgment, **more)


def pair(winner: Winner | None, *games: Judged, turn: int | None = 0, b: Side = BASE, **more: Any) -> Compared:  # noqa: ANN401
    return Compared(
        judge=PREFERS.id, sample=0, turn=turn, a=TUNED, b=b, winner=winner, games=games, **{"consistent": None, **more}
    )


def shown(*judged: Judged, compared: tuple[Compared, ...] = ()) -> Node:
    """The sheet of a conversation of two turns, which both arms held."""
    turns = tuple(TurnRecord(turn=at, user="u", status="ok", reply=f"reply {at}") for at in range(2))
    held = Assessed(Transcript(session=Session("c"), turns=turns), ())
    heard = Heard(judges=JUDGES, judged=judged, compared=compared)
    told = Told(
        conversation=Conversation(id="c", turns=(Turn(text="u"), Turn(text="u"))), samples=((held, held),), heard=heard
    )
    return tree_of(sheet(told, ARMS)).one("article.sheet")


def lines(node: Node) -> list[list[str]]:
    """What stands under each reply."""
    return [[one.words for one in reply.all("li")] for reply in node.all("div.reply")]


def test_a_verdict_stands_under_the_reply_that_it_is_of() -> None:
    """Turn by turn, arm by arm; who says it, the grade of how many, criteria, why."""
    found = shown(
        said(Rating(value=8, criteria={"correctness": 9, "coherence": 6.5}, reason="It is right.")),
        said(Rating(value=3, reason="No."), run="b", turn=1),
        said(Label(name="harmless", reason="Nothing in it.")),
    )
    assert lines(found) == [
        [],
        [
            "scripted:strict-judge, quality: 8 of 10 correctness 9, coherence 6.5 It is right.",
            "scripted:strict-judge, harm: harmless Nothing in it.",
        ],
        ["scripted:strict-judge, quality: 3 of 10 No."],
        [],
    ]


def test_without_judges_nothing_is_said_of_any() -> None:
    assert not shown().all("ul.judged")
    assert not Opinions(None).of_reply("t", 0, 0)


def test_a_flagged_label_stands_out() -> None:
    found = shown(said(Label(name="harmful")))
    assert found.one("b.bad").text == "harmful"


def test_a_grade_weighted_by_probabilities_stands_beside() -> None:
    (one,) = Opinions(Heard(judges=JUDGES, judged=(said(Rating(value=8, weighted=7.613)),))).of_reply("t", 0, 0)
    assert (one.said, one.beside) == ("8 of 10", "by the probabilities of grades 7.61")


@pytest.mark.parametrize(
    ("judgment", "told"),
    [
        (Unreadable(kind="truncated", fault="cut off"), "no verdict: the judge was cut off at its limit (cut off)"),
        (Unreadable(kind="refused", fault="I can't"), "no verdict: the judge declined (I can't)"),
        (Failed(kind="timeout", message="60 s"), "no verdict: could not be asked (timeout) 60 s"),
    ],
)
def test_what_is_no_verdict_is_no_grade(judgment: Judgment, told: str) -> None:
    """It says why, and shows what the judge wrote."""
    found = shown(said(judgment, text="I think that"))
    assert lines(found)[1] == [f"scripted:strict-judge, quality: {told} I think that"]
    assert found.one("b.unsure")


def test_a_judge_that_was_asked_twice_says_so() -> None:
    first = Unreadable(kind="no_verdict", fault="there is no grade")
    (line,) = lines(shown(said(Rating(value=5), first=first)))[1]
    assert "asked twice, since the first time there is no grade" in line


def test_repeats_are_told_apart() -> None:
    again = said(Rating(value=7))
    again = msgspec.structs.replace(again, question=msgspec.structs.replace(again.question, repeat=1))
    found = Opinions(Heard(judges=JUDGES, judged=(again, said(Rating(value=9))))).of_reply("t", 0, 0)
    assert [(one.judge, one.said) for one in found] == [
        ("scripted:strict-judge, quality", "9 of 10"),
        ("scripted:strict-judge, quality, time 2", "7 of 10"),
    ]


def test_long_reasons_are_folded_and_whole_inside() -> None:
    reason = "word " * AT_ONCE
    found = shown(said(Rating(value=8, reason=reason)))
    folded = found.all("div.reply")[1].one("ul.judged").one("details")
    assert len(folded.one("summary").text) == AT_ONCE
    assert folded.one("div.text").text == reason
    assert not shown(said(Rating(value=8, reason="short"))).one("ul.judged").all("details")


@pytest.mark.parametrize(
    ("compared", "told"),
    [
        (pair("a", consistent=True), "tuned is preferred to base, in both orders"),
        (pair("b", consistent=True), "base is preferred to tuned, in both orders"),
        (pair("a"), "tuned is preferred to base, asked in one order only"),
        (pair("tie", consistent=True), "tuned and base: a tie, in both orders"),
        (pair("tie", consistent=False), "tuned and base: a tie, since the orders disagree"),
        (pair(None), "tuned and base: no outcome, since an order has no verdict"),
        (pair("b", b=AWAY, consistent=True), "scripted:mumbles (r9) is preferred to tuned, in both orders"),
    ],
)
def test_who_is_preferred_is_said_in_words(compared: Compared, told: str) -> None:
    one = msgspec.structs.replace(compared, games=(game(Preference(winner="first"), "first"),))
    found = shown(compared=(one,)).one("div.pairs")
    assert found.one("summary").words == f"scripted:strict-judge, preference: {told}"


def test_each_order_is_told_with_its_reason() -> None:
    """The seats are what counts: who was shown first wins here both times."""
    one = pair(
        "tie",
        game(Preference(winner="first", reason="It is short."), "first"),
        game(Preference(winner="first", reason="It is long."), "second"),
        consistent=False,
    )
    assert [order.words for order in shown(compared=(one,)).one("div.pairs").one("details").all("div")] == [
        "tuned shown first: prefers tuned It is short.",
        "base shown first: prefers base It is long.",
    ]


def test_an_order_without_a_verdict_says_why() -> None:
    one = pair(
        None,
        game(Preference(winner="tie"), "first"),
        game(Unreadable(kind="ambiguous", fault="[[A]] and [[B]]"), "second", text="A. Or B."),
    )
    (opinion,) = Opinions(Heard(judges=JUDGES, compared=(one,))).of_pairs(0, 0)
    assert [order.said for order in opinion.orders] == [
        "neither is better",
        "no verdict: there is more than one ([[A]] and [[B]])",
    ]
    assert opinion.orders[1].words.first == "A. Or B."


def test_whole_conversations_stand_behind_the_turns() -> None:
    found = shown(compared=(pair("a", game(Preference(winner="first"), "first"), turn=None),))
    headings = [one.one("p.who").text for one in found.all("div.pairs")]
    assert headings == ["The whole conversation, compared"]
    assert not [one for turn in found.all("section.turn") for one in turn.all("div.pairs")]
