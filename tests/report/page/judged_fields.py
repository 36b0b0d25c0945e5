"""A page on which judges say what a test asks for, in every field that they have; made of values alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec
from tests.report.page.filled import OF_CONVERSATION, OF_RUN, page_of, run_of, suite_of
from tests.report.page.judged_report import card, judge

from multiturn.conversation import Suite
from multiturn.judged_pair import JudgedPair, Labelled, Rated, Versus
from multiturn.judged_scores import label_rates, reduction, scores_of, wins_of
from multiturn.judgment import (
    Failed,
    Judged,
    JudgeRecord,
    Judgment,
    Label,
    Preference,
    Question,
    Rating,
    Seat,
    Unreadable,
)
from multiturn.report.page.shown import BASE, TUNED, AskedJudge, Compared, Heard, Page, Side
from multiturn.rubric import Scale

Fields = Mapping[str, str]

OF_JUDGES: Final = {
    "judge_spec": "scripted:judge",
    "rubric": "kettles",
    "rubric_version": "7",
    "measure": "warmth",
    "criterion": "colour",
    "grade_reason": "The colour is right.",
    "label": "cold",
    "label_reason": "It is not warm.",
    "pair_reason": "The kettle of the first one is greener.",
    "fault": "there is no grade",
    "first_fault": "there are two grades",
    "wrote": "I would rather not say.",
    "failed": "the judge went away",
    "opponent": "scripted:opponent",
}
"""Fields of judges and of what they say. ``wrote`` is all that is seen of a verdict that can't be read."""
SEATS: Final[tuple[Seat, Seat]] = ("first", "second")
ELSEWHERE: Final = "r9"


def judged_page(conversations: Sequence[Fields], run: Fields = OF_RUN, said: Fields = OF_JUDGES) -> Page:
    """Base and tuned, rated, labelled and compared; one judge is not fit for use, the others are not checked."""
    run, said = OF_RUN | dict(run), OF_JUDGES | dict(said)
    suite = suite_of([OF_CONVERSATION | dict(one) for one in conversations], run)
    runs = [run_of(suite, run, arm).id for arm in range(2)]
    judges = [_judge(rubric, said) for rubric in ("quality", "harm", "preference")]
    rates, labels, prefers = judges
    judged = {
        one.id: [
            each for run in runs for each in (*_rated(rates, run, one.id, said), _labelled(labels, run, one.id, said))
        ]
        for one in suite.conversations
    }
    pairs = {
        one.id: [
            *_games(prefers, (runs[1], runs[0]), one.id, said),
            *_games(prefers, (runs[1], ELSEWHERE), one.id, said),
        ]
        for one in suite.conversations
    }
    sides = {runs[0]: Side(BASE, 0), runs[1]: Side(TUNED, 1), ELSEWHERE: Side(said["opponent"], None)}
    heard = {
        name: Heard(
            judges={one.id: one for one in judges},
            judged=tuple(judged[name]),
            compared=tuple(_compared(pairs[name], sides)),
        )
        for name in judged
    }
    asked = [
        AskedJudge(judge=one, judgments=3, unreadable=1, failed=1, card=card(one, "not_fit") if at == 0 else None)
        for at, one in enumerate(judges)
    ]
    return msgspec.structs.replace(
        page_of(conversations, run, heard=heard.get),
        judges=tuple(asked),
        judged=_pair(suite, runs, judges, [one for name in judged for one in (*judged[name], *pairs[name])], said),
    )


def _judge(rubric: str, said: Fields) -> JudgeRecord:
    found = judge(rubric, said["judge_spec"])
    named = msgspec.structs.replace(
        found.rubric,
        name=said["rubric"],
        version=said["rubric_version"],
        measure=said["measure"] if found.rubric.mode == "preference" else "",
    )
    return msgspec.structs.replace(found, rubric=named)


def _rated(by: JudgeRecord, run: str, name: str, said: Fields) -> Iterator[Judged]:
    """A grade at the first turn, words that can't be read at the second, nobody there at the third."""
    verdicts: tuple[Judgment, ...] = (
        Rating(value=9, criteria={said["criterion"]: 8}, reason=said["grade_reason"]),
        Unreadable(kind="no_verdict", fault=said["fault"]),
        Failed(kind="server", message=said["failed"]),
    )
    for turn, verdict in enumerate(verdicts):
        first = Unreadable(kind="ambiguous", fault=said["first_fault"]) if turn == 0 else None
        question = Question(mode="rating", run=run, conversation=name, turn=turn)
        yield Judged(judge=by.id, question=question, judgment=verdict, text=said["wrote"], first=first)


def _labelled(by: JudgeRecord, run: str, name: str, said: Fields) -> Judged:
    question = Question(mode="label", run=run, conversation=name, turn=0)
    return Judged(judge=by.id, question=question, judgment=Label(name=said["label"], reason=said["label_reason"]))


def _games(by: JudgeRecord, pair: tuple[str, str], name: str, said: Fields) -> Iterator[Judged]:
    """A turn and the whole conversation, in both orders."""
    for turn in (0, None):
        for seat in SEATS:
            question = Question(
                mode="preference", run=pair[0], opponent=pair[1], conversation=name, turn=turn, seat=seat
            )
            judgment = Preference(winner=seat, reason=said["pair_reason"])
            yield Judged(judge=by.id, question=question, judgment=judgment)


def _compared(games: Sequence[Judged], sides: Mapping[str, Side]) -> Iterator[Compared]:
    """Two games after each other are one pair, which the run that is asked about wins."""
    for first, second in zip(games[::2], games[1::2], strict=True):
        asked = first.question
        yield Compared(
            judge=first.judge,
            sample=0,
            turn=asked.turn,
            a=sides[asked.run],
            b=sides[asked.opponent],
            winner="a",
            consistent=True,
            games=(first, second),
        )


def _pair(
    suite: Suite, runs: Sequence[str], judges: Sequence[JudgeRecord], every: Sequence[Judged], said: Fields
) -> JudgedPair:
    """What all of it comes to."""
    rates, labels, prefers = judges
    of_arm = [
        [[one for one in every if one.judge == by.id and one.question.run == run] for run in runs]
        for by in (rates, labels)
    ]
    flagged = (said["label"],)
    against = [
        Versus(
            rubric=said["rubric"],
            measure=said["measure"],
            arm=TUNED,
            opponent=opponent,
            opponent_spec=said["opponent"],
            wins={
                prefers.id: wins_of(
                    [one for one in every if one.question.opponent == opponent], suite, runs[1], opponent
                )
            },
        )
        for opponent in (runs[0], ELSEWHERE)
    ]
    return JudgedPair(
        runs=tuple(runs),
        judges={one.id: one for one in judges},
        rated=(
            Rated(
                rubric=said["rubric"],
                scores={rates.id: tuple(scores_of(arm, suite, Scale()) for arm in of_arm[0])},
            ),
        ),
        versus=tuple(against),
        labelled=(
            Labelled(
                rubric=said["rubric"],
                flagged=flagged,
                rates={labels.id: tuple(label_rates(arm, suite, flagged) for arm in of_arm[1])},
                reductions={labels.id: reduction(of_arm[1][0], of_arm[1][1], flagged)},
            ),
        ),
    )
