"""Three runs that judges said something of, on the quick suite: who says what is a rule, so that it can be counted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from tests.report.page import voices

from multiturn import api
from multiturn.conditions import RunRecord
from multiturn.judge_card import Card, Conclusion
from multiturn.judges.rubrics import load_rubric
from multiturn.judgment import Judged, JudgeRecord, Judgment, Label, Preference, Question, Rating, Unreadable
from multiturn.store import Store, open_store
from multiturn.transcript import Sampling

Arm = Literal["base", "tuned", "opponent"]
GRADES: Final = (9, 3, 5, 8)
"""Of tuned's replies from turn 3 on, as :func:`tests.report.page.voices.spoilt` makes them; all others have the first."""
LONG: Final = "The reply keeps to what was asked, and says it in few words. " * 12
CUT: Final = "I think that the second one, since"


def judge(rubric: str, spec: str = "scripted:judges/strict-judge") -> JudgeRecord:
    """A judge that works by a shipped rubric."""
    return JudgeRecord(
        created="2026-02-01T00:00:00Z",
        spec=spec,
        rubric=load_rubric(rubric),
        sampling=Sampling(),
        schema=False,
        goldens=False,
        identity={"weights": spec},
    )


def card(of: JudgeRecord, conclusion: Conclusion, created: str = "2026-02-02T00:00:00Z") -> Card:
    """What its self-check found."""
    return Card(
        created=created,
        judge=of.id,
        spec=of.spec,
        rubric=of.rubric.name,
        mode=of.rubric.mode,
        probes=f"{created:>064}",
        material="golden replies of the quick suite",
        questions=40,
        asked=40,
        calls=44,
        findings=(),
        conclusion=conclusion,
        reasons=("seats",) if conclusion == "not_fit" else (),
    )


def three_runs(store: Store) -> dict[Arm, RunRecord]:
    """Base, tuned, and who both are compared with."""
    job = api.Job(suite=voices.SUITE, store=store.path)
    specs: dict[Arm, str] = {
        "base": f"{voices.__name__}:golden",
        "tuned": f"{voices.__name__}:spoilt",
        "opponent": "echo",
    }
    return {arm: api.evaluate(f"scripted:{specs[arm]}", job).run for arm in specs}


def said(store: Store, runs: dict[Arm, RunRecord]) -> None:
    """Two judges rate base and tuned, one compares them and both with the opponent, one labels; cards are kept."""
    strict, kind = judge("quality"), judge("quality", "scripted:judges/kind-judge")
    prefers, helps, harms, labels = map(judge, ("preference", "helpfulness", "harmlessness", "harm"))
    for one in (strict, kind, prefers, helps, harms, labels):
        store.judgments.keep_judge(one)
    store.cards.keep(card(strict, "fit"))
    store.cards.keep(card(prefers, "not_fit"))
    turns = [(name, at, turn) for at, (name, count) in enumerate(_turns(store, runs["base"])) for turn in range(count)]
    judged: tuple[Arm, ...] = ("base", "tuned")
    for arm in judged:
        for one, more in ((strict, 0), (kind, 1)):
            store.judgments.keep(_rated(one, more, runs[arm].id, turns, arm == "tuned"))
        store.judgments.keep(_labelled(labels, runs[arm].id, turns, arm == "base"))
    store.judgments.keep(_compared(prefers, runs["tuned"].id, runs["base"].id, turns))
    for one in (helps, harms):
        for arm in judged:
            store.judgments.keep(_against(one, runs[arm].id, runs["opponent"].id, turns, arm))


def _turns(store: Store, run: RunRecord) -> Iterator[tuple[str, int]]:
    for one in store.suite(run.conditions.suite_digest).conversations:
        yield one.id, len(one.turns)


Turns = list[tuple[str, int, int]]
"""Conversation, its place, turn."""


def _rated(by: JudgeRecord, more: int, run: str, turns: Turns, spoilt: bool) -> Iterator[Judged]:  # noqa: FBT001 - a value
    """The second judge is one grade kinder; in conversation 5 the first one's words can't be read at turn 2."""
    for name, at, turn in turns:
        grade = GRADES[at % 4] if spoilt and turn >= 2 else GRADES[0]
        rating = Rating(
            value=min(grade + more, 10),
            criteria={"correctness": grade, "coherence": 7},
            reason=LONG if turn == 0 else "It says what was asked.",
        )
        lost = at == 5 and turn == 1 and not more
        unread = Unreadable(kind="truncated", fault="it was cut off at 300 tokens")
        yield Judged(
            judge=by.id,
            question=Question(mode="rating", run=run, conversation=name, turn=turn),
            judgment=unread if lost else rating,
            text=CUT if lost else "",
        )


def _labelled(by: JudgeRecord, run: str, turns: Turns, base: bool) -> Iterator[Judged]:  # noqa: FBT001 - a value
    """Two of base's first replies are harmful, and none of tuned's."""
    for name, at, turn in turns:
        harmful = base and turn == 0 and at in {1, 2}
        label = Label(
            name="harmful" if harmful else "harmless", reason="It tells how." if harmful else "Nothing in it."
        )
        question = Question(mode="label", run=run, conversation=name, turn=turn)
        yield Judged(judge=by.id, question=question, judgment=label)


def _compared(by: JudgeRecord, run: str, opponent: str, turns: Turns) -> Iterator[Judged]:
    """Where tuned is spoilt base wins in both orders, else the first seat does; the whole conversations likewise."""
    for name, at, turn in [*turns, *((name, at, None) for name, at, turn in turns if turn == 0)]:
        for seat in ("first", "second"):
            loses = at % 4 and (turn is None or turn >= 2)
            winner: Literal["first", "second"] = ("second" if seat == "first" else "first") if loses else "first"
            yield Judged(
                judge=by.id,
                question=Question(
                    mode="preference", run=run, opponent=opponent, conversation=name, turn=turn, seat=seat
                ),
                judgment=Preference(winner=winner, reason="That one keeps to the question."),
            )


def _against(by: JudgeRecord, run: str, opponent: str, turns: Turns, arm: Arm) -> Iterator[Judged]:
    """Base helps more than the opponent and tuned less; of harm it is the other way round."""
    ahead = (arm == "base") == (by.rubric.measure == "helpfulness")
    for name, at, turn in turns:
        for seat in ("first", "second"):
            wins = (seat == "first") == (ahead != (at % 3 == 0))
            judgment: Judgment = Preference(winner="first" if wins else "second", reason="It is better there.")
            question = Question(mode="preference", run=run, opponent=opponent, conversation=name, turn=turn, seat=seat)
            yield Judged(judge=by.id, question=question, judgment=judgment)


def judged_report(folder: Path, *arms: Arm) -> Path:
    """The page of these arms, which were judged."""
    file = folder / f"judged-{'-'.join(arms)}.html"
    with open_store(folder / f"{'-'.join(arms)}.db") as store:
        runs = three_runs(store)
        said(store, runs)
        api.write_report(store, [runs[arm].id for arm in arms], file)
    return file
