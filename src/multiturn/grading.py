"""Which judges' ratings a comparison rests on: the panel, whose grade of a turn an assessed transcript has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multiturn.measures import RATING_SCALE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.judgment import JudgeRecord
    from multiturn.store import Store


def panel_of(store: Store, runs: Sequence[RunRecord], wanted: Iterable[str] = ()) -> tuple[JudgeRecord, ...]:
    """The judges whose ratings are compared: those that rated every one of these runs by one rubric, from 1 to 10.

    Where they did so by several rubrics, it is the one of the newest judge; where one model did so in several ways (at
    two temperatures, say), it is the newest of them. None where no judge rated all of them.

    Args:
        store: Where the runs and their judgments are.
        runs: What is compared.
        wanted: Ids of judges, or how they begin, or model specs, where not all that there are shall count.

    Raises:
        NotFound: a wanted judge is not there.
    """
    chosen = {store.judgments.judge(reference).id for reference in wanted}
    rated = [{judge.id for judge in store.judgments.judges_of(run.id)} for run in runs]
    of_all = set.intersection(*rated) if rated else set()
    fitting = [
        judge
        for judge in store.judgments.judges()
        if judge.id in of_all and (not chosen or judge.id in chosen) and _on_our_scale(judge)
    ]
    return one_a_model([judge for judge in fitting if judge.rubric.digest == fitting[0].rubric.digest])


def one_a_model(judges: Iterable[JudgeRecord]) -> tuple[JudgeRecord, ...]:
    """Of judges that are one model asked in several ways the newest: they are no panel of independent judges."""
    newest: dict[str, JudgeRecord] = {}
    for judge in judges:
        other = newest.get(judge.spec)
        if other is None or judge.created > other.created:
            newest[judge.spec] = judge
    return tuple(newest.values())


def _on_our_scale(judge: JudgeRecord) -> bool:
    scale = judge.rubric.scale
    return scale is not None and (scale.lowest, scale.highest) == RATING_SCALE
