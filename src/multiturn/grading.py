"""Which judges' ratings a comparison rests on: the panel, whose grade of a turn an assessed transcript has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.judgment import Failed
from multiturn.measures import RATING_SCALE
from multiturn.panels import one_a_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.judgment import Judged, JudgeRecord
    from multiturn.store import Store

NEARLY_ALL: Final = 0.9
"""The share of what the busiest judge judged from which another one is beside it on a panel.

A panel has a grade of a reply where all its judges have one: who was stopped early would take away the others' grades.
"""


def panel_of(store: Store, runs: Sequence[RunRecord], wanted: Iterable[str] = ()) -> tuple[JudgeRecord, ...]:
    """The judges whose ratings are compared: those that rated every one of these runs by one rubric, from 1 to 10.

    Those that judged much less than another one (:data:`NEARLY_ALL`) are left out. Of several rubrics it is the one of
    the newest judge then; of one model that was asked in several ways (at two temperatures, say) who rated most, and of
    those the newest. None where no judge rated all of the runs.

    Args:
        store: Where the runs and their judgments are.
        runs: What is compared.
        wanted: Ids of judges, or how they begin, or model specs, where not all that there are shall count.

    Raises:
        NotFound: a wanted judge is not there.
    """
    fitting, answers = _raters(store, runs, wanted)
    busy = _busy(fitting, answers)
    if not busy:
        return ()
    return members([judge for judge in busy if judge.rubric.digest == busy[-1].rubric.digest], answers)


def left_out_notes(store: Store, runs: Sequence[RunRecord], wanted: Iterable[str] = ()) -> tuple[str, ...]:
    """Which judges rated all of these runs, and too little of them to be compared, as lines for a reader.

    Raises:
        NotFound: a wanted judge is not there.
    """
    fitting, answers = _raters(store, runs, wanted)
    busy = _busy(fitting, answers)
    most = max(answers.values(), default=0)
    return tuple(
        f"judge {one.spec} ({one.id}, rubric {one.rubric.name}) rated {answers[one.id]} replies of a run where another "
        f"one rated {most}, so its ratings are left out; the same multiturn judge run goes on"
        for one in fitting
        if one not in busy
    )


def members(judges: Sequence[JudgeRecord], answers: Mapping[str, int]) -> tuple[JudgeRecord, ...]:
    """Of judges by one rubric, oldest first, the panel: who judged nearly as much as the busiest one, one a model.

    Args:
        judges: Who judged.
        answers: By judge's id, how much (:func:`answered`).
    """
    busy = _busy(judges, answers)
    chosen = one_a_model({judge.id: judge.spec for judge in busy}, answers)
    return tuple(judge for judge in busy if judge.id in chosen)


def answered(judged: Iterable[Judged]) -> int:
    """Replies, or pairs, that a judge was asked about, however often, and answered: what can't be read is an answer."""
    said = (one.question for one in judged if not isinstance(one.judgment, Failed))
    return len({(asked.conversation, asked.sample, asked.turn) for asked in said})


def _busy(judges: Sequence[JudgeRecord], answers: Mapping[str, int]) -> list[JudgeRecord]:
    most = max((answers[judge.id] for judge in judges), default=0)
    return [judge for judge in judges if answers[judge.id] >= NEARLY_ALL * most]


def _raters(store: Store, runs: Sequence[RunRecord], wanted: Iterable[str]) -> tuple[list[JudgeRecord], dict[str, int]]:
    """The judges that rated every one of these runs, oldest first, and how much of the run that they rated least of."""
    chosen = {store.judgments.judge(reference).id for reference in wanted}
    rated = [{judge.id for judge in store.judgments.judges_of(run.id)} for run in runs]
    of_all = set.intersection(*rated) if rated else set()
    fitting = [
        judge
        for judge in reversed(store.judgments.judges())
        if judge.id in of_all and (not chosen or judge.id in chosen) and _on_our_scale(judge)
    ]
    if len(fitting) == 1:  # nobody to be beside: there is nothing to count
        return fitting, {fitting[0].id: 1}
    return fitting, {
        judge.id: min(answered(store.judgments.of_run(run.id, judge=judge.id)) for run in runs) for judge in fitting
    }


def _on_our_scale(judge: JudgeRecord) -> bool:
    scale = judge.rubric.scale
    return scale is not None and (scale.lowest, scale.highest) == RATING_SCALE
