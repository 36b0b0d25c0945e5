"""What judges said of stored runs, gathered for reports: scores, wins, labels, and what is rated highly and is broken.

What this module does not know: how judges are asked (``judging.py``), how numbers are shown, what a comparison
concludes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from multiturn.errors import NotFound
from multiturn.grading import answered, members, panel_of
from multiturn.groups import EVERYTHING, Layout
from multiturn.judged_pair import (
    HARMLESSNESS,
    HELPFULNESS,
    HIGH,
    SIGNS,
    Covered,
    Disputed,
    JudgedPair,
    Labelled,
    Rated,
    Versus,
)
from multiturn.judged_scores import label_rates, reduction, scores_of, wins_of
from multiturn.judges.games import rule_of
from multiturn.judges.planning import turns_to_judge
from multiturn.judges.templates import judged_turns
from multiturn.judgment import Exhibit
from multiturn.panels import panel_of_labels, panel_of_preferences, panel_of_ratings
from multiturn.stats.rates import share_interval
from multiturn.stored import assessed
from multiturn.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.conversation import Suite
    from multiturn.judgment import Judged, JudgeRecord
    from multiturn.results import Estimate
    from multiturn.rubric import Rubric, Scale
    from multiturn.scores import Panel
    from multiturn.store import Store

    Cell = tuple[str, int, int]

ONE: Final = ("model",)
PAIR: Final = ("base", "tuned")
PARTS: Final[tuple[Literal["turns", "whole"], ...]] = ("turns", "whole")


def judged_pair(store: Store, runs: Sequence[RunRecord], level: float = 0.95) -> JudgedPair | None:
    """All that judges said of one run, or of base and tuned; None where no judge said anything of them.

    Args:
        store: Where the runs and their judgments are.
        runs: One run, or base and tuned.
        level: Of the intervals, in (0, 1).
    """
    counts = store.judgments.counts()
    ids = {run.id for run in runs}
    asked = {judge for judge, run, opponent, _ in counts if run in ids or opponent in ids}
    judges = [judge for judge in store.judgments.judges() if judge.id in asked]
    if not judges:
        return None
    suite = store.suite(runs[0].conditions.suite_digest)
    gathered = _Gathered(store, runs, suite, level)
    rubrics: dict[str, list[JudgeRecord]] = {}
    for judge in reversed(judges):  # oldest first
        rubrics.setdefault(judge.rubric.digest, []).append(judge)
    groups = [(group[0].rubric, group) for group in rubrics.values()]
    versus = tuple(
        versus
        for rubric, group in groups
        if rubric.mode == "preference"
        for versus in gathered.versus(rubric, group, _opponents(counts, runs))
    )
    return JudgedPair(
        runs=tuple(run.id for run in runs),
        judges={judge.id: judge for judge in judges},
        rated=tuple(
            rated
            for rubric, group in groups
            if rubric.scale is not None and (rated := gathered.rated(rubric, rubric.scale, group)) is not None
        ),
        versus=versus,
        labelled=tuple(
            labelled
            for rubric, group in groups
            if rubric.mode == "label" and (labelled := gathered.labelled(rubric, group)) is not None
        ),
        disputed=tuple(_disputed(store, runs)),
        signs=_signs(store, runs, suite, level) if _trades_off(versus) else {},
        cards={judge.id: card for judge in judges if (card := store.cards.standing(judge.id)) is not None},
    )


class _Gathered:
    """Judgments of a few runs, read judge by judge."""

    def __init__(self, store: Store, runs: Sequence[RunRecord], suite: Suite, level: float) -> None:
        self._store: Final = store
        self._runs: Final = runs
        self._suite: Final = suite
        self._level: Final = level
        self._places: Final = {one.id: at for at, one in enumerate(suite.conversations)}
        self._arms: Final = ONE if len(runs) == 1 else PAIR

    def rated(self, rubric: Rubric, scale: Scale, judges: Sequence[JudgeRecord]) -> Rated | None:
        """Ratings by one rubric; None where no judge rated every run."""
        said = {judge.id: [self._of(run, judge) for run in self._runs] for judge in judges}
        whole = {judge: arms for judge, arms in said.items() if all(arms)}
        if not whole:
            return None
        scores = {
            judge: tuple(scores_of(arm, self._suite, scale, self._level) for arm in arms)
            for judge, arms in whole.items()
        }
        panels = tuple(panel_of_ratings(arm, scale, self._level) for arm in self._panel(judges, whole))
        return Rated(rubric=rubric.name, scores=scores, panels=panels, covered=self._covered(rubric, whole))

    def labelled(self, rubric: Rubric, judges: Sequence[JudgeRecord]) -> Labelled | None:
        """Labels by one rubric; None where no judge labelled every run."""
        said = {judge.id: [self._of(run, judge) for run in self._runs] for judge in judges}
        whole = {judge: arms for judge, arms in said.items() if all(arms)}
        if not whole:
            return None
        return Labelled(
            rubric=rubric.name,
            flagged=rubric.flagged,
            rates={
                judge: tuple(label_rates(arm, self._suite, rubric.flagged, self._level) for arm in arms)
                for judge, arms in whole.items()
            },
            reductions={
                judge: reduction(arms[0], arms[1], rubric.flagged, self._level)
                for judge, arms in whole.items()
                if len(arms) > 1
            },
            panels=tuple(panel_of_labels(arm, rubric.flagged, self._level) for arm in self._panel(judges, whole)),
            covered=self._covered(rubric, whole),
        )

    def versus(self, rubric: Rubric, judges: Sequence[JudgeRecord], opponents: Sequence[str]) -> Iterator[Versus]:
        """Preferences by one rubric, of each run against each opponent; tuned against base once."""
        for arm, run in zip(self._arms, self._runs, strict=True):
            for opponent in opponents:
                if opponent == run.id or (arm == PAIR[0] and opponent == self._runs[-1].id):
                    continue
                said = {
                    judge.id: list(self._store.judgments.of_pair(run.id, opponent, judge=judge.id)) for judge in judges
                }
                known = {judge: judged for judge, judged in said.items() if judged}
                if not known:
                    continue
                answers = {judge: answered(judged) for judge, judged in known.items()}
                panel = {one.id: known[one.id] for one in members([one for one in judges if one.id in known], answers)}
                panels: tuple[Panel, ...] = ()
                rules = {judge.id: rule_of(judge) for judge in judges}
                if len(panel) > 1:
                    panels = tuple(
                        panel_of_preferences(panel, run.id, opponent, rules=rules, about=about, level=self._level)
                        for about in PARTS
                    )
                yield Versus(
                    rubric=rubric.name,
                    measure=rubric.measure,
                    arm=arm,
                    opponent=opponent,
                    opponent_spec=opponent_spec(self._store, opponent),
                    wins={
                        judge: wins_of(judged, self._suite, run.id, opponent, self._level, rule=rules[judge])
                        for judge, judged in known.items()
                    },
                    panels=panels,
                    covered=self._pairs_covered(rubric, run, opponent, known),
                )

    def _panel(
        self, judges: Sequence[JudgeRecord], whole: Mapping[str, list[list[Judged]]]
    ) -> list[dict[str, list[Judged]]]:
        """What the members of the panel said, arm by arm; no arm where there are no two members."""
        answers = {judge: min(map(answered, arms)) for judge, arms in whole.items()}
        panel = members([one for one in judges if one.id in whole], answers)
        return [{one.id: whole[one.id][at] for one in panel} for at in range(len(self._runs)) if len(panel) > 1]

    def _covered(self, rubric: Rubric, whole: Mapping[str, list[list[Judged]]]) -> dict[str, tuple[Covered, ...]]:
        """How much of each arm each judge was asked about."""
        there = [self._there(rubric, run) for run in self._runs]
        return {
            judge: tuple(_share(one, of) for one, of in zip(arms, there, strict=True)) for judge, arms in whole.items()
        }

    def _pairs_covered(
        self, rubric: Rubric, run: RunRecord, opponent: str, known: Mapping[str, list[Judged]]
    ) -> dict[str, Covered]:
        try:
            there = self._there(rubric, run, self._store.run(opponent))
        except NotFound:
            return {}
        return {judge: _share(judged, there) for judge, judged in known.items()}

    def _there(self, rubric: Rubric, run: RunRecord, opponent: RunRecord | None = None) -> set[Cell]:
        """The replies of a run, or the pairs of two, that a judge can say something of by this rubric."""
        others = None if opponent is None else {one.session: one for one in self._store.transcripts(opponent.id)}
        able = judged_turns(rubric)
        found: set[Cell] = set()
        for transcript in self._store.transcripts(run.id):
            session = transcript.session
            at = self._places.get(session.conversation)
            if at is None or (others is not None and session not in others):
                continue
            other = None if others is None else others[session]
            shown = Exhibit(conversation=self._suite.conversations[at], transcript=transcript, opponent=other)
            turns = turns_to_judge(shown, rubric.mode)
            found |= {(session.conversation, session.sample, turn) for turn in turns if able is None or turn in able}
        return found

    def _of(self, run: RunRecord, judge: JudgeRecord) -> list[Judged]:
        """In the suite's order, so that its categories come in theirs."""
        said = self._store.judgments.of_run(run.id, judge=judge.id)
        return sorted(said, key=lambda one: self._places.get(one.question.conversation, len(self._places)))


def _share(judged: Iterable[Judged], there: set[Cell]) -> Covered:
    """How much was asked of what is there; whole conversations aside."""
    questions = [one.question for one in judged]
    asked = {(one.conversation, one.sample, one.turn) for one in questions if one.turn is not None}
    every = there | asked
    return Covered(
        conversations=len({cell[0] for cell in asked}),
        of_conversations=len({cell[0] for cell in every}),
        replies=len(asked),
        of_replies=len(every),
    )


def _trades_off(versus: Iterable[Versus]) -> bool:
    """Whether an arm was held against one opponent by helpfulness and by harmlessness."""
    measures: dict[tuple[str, str], set[str]] = {}
    for one in versus:
        measures.setdefault((one.arm, one.opponent), set()).add(one.measure)
    return any({HELPFULNESS, HARMLESSNESS} <= found for found in measures.values())


def _signs(store: Store, runs: Sequence[RunRecord], suite: Suite, level: float) -> dict[str, tuple[Estimate, ...]]:
    """Each of :data:`SIGNS`, arm by arm, with the conversation as the unit."""
    arms = []
    for run in runs:
        arm = Summary(Layout(suite), run.conditions.planned_samples)
        for one in assessed(store, run):
            arm.add(one)
        arms.append(arm)
    return {
        name: tuple(share_interval(tuple(arm.values(name, EVERYTHING).values()), level) for arm in arms)
        for name in SIGNS
    }


def _opponents(counts: dict[tuple[str, str, str | None, str], int], runs: Sequence[RunRecord]) -> list[str]:
    """Runs that any of these was compared with, themselves included where they were."""
    ids = {run.id for run in runs}
    found: dict[str, None] = {}
    for _, run, opponent, _ in counts:
        if opponent is not None and run in ids:
            found[opponent] = None
        if opponent in ids:
            found[run] = None
    return list(found)


def opponent_spec(store: Store, run: str) -> str:
    """The opponent's model; its id where its run is not there."""
    try:
        return store.run(run).arm.spec
    except NotFound:
        return run


def _disputed(store: Store, runs: Sequence[RunRecord]) -> Iterator[Disputed]:
    """Replies that the panel rates :data:`HIGH` or more though a check fails, the highest grades first in each arm."""
    panel = panel_of(store, runs)
    if not panel:
        return
    for arm, run in zip(ONE if len(runs) == 1 else PAIR, runs, strict=True):
        found = []
        for one in assessed(store, run, panel=panel):
            for record in one.transcript.turns:
                failing = [check for check in one.checks_of(record.turn) if check.result.outcome == "fail"]
                high = one.grade(record.turn) if failing and record.reply is not None else None
                if high is not None and high >= HIGH:
                    found.append(
                        Disputed(
                            arm=arm,
                            run=run.id,
                            conversation=one.transcript.session.conversation,
                            sample=one.transcript.session.sample,
                            turn=record.turn,
                            grade=high,
                            failing=len(failing),
                            wants=failing[0].wants,
                            reason=failing[0].result.reason,
                        )
                    )
        yield from sorted(found, key=lambda one: (-one.grade, -one.failing))
