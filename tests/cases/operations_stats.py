"""Operations of the published bug cases that the statistics answer: means, intervals, differences, rates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from multiturn.assess import assess
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.groups import Layout
from multiturn.stats.paired import mean_interval, p_value, paired_difference
from multiturn.stats.rates import share_interval, wilson
from multiturn.summary import Summary
from multiturn.transcript import Session, Transcript, TurnRecord


def _score(value: object) -> float | None:
    """A score as a file may have it; what is no finite number is missing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def rate_interval(given: dict[str, Any]) -> dict[str, Any]:
    """Passes of n, Wilson."""
    found = wilson(given["passes"], given["n"], given["level"])
    return {"rate": found.value, "low": found.low, "high": found.high}


def score_interval(given: dict[str, Any]) -> dict[str, Any]:
    """The mean of scores; the flag is read off the note that says why there is no interval."""
    found = mean_interval([_score(value) for value in given["scores"]])
    flag = "no_variance" if found.note.endswith("equal") else None
    return {"mean": found.value, "low": found.low, "high": found.high, "flag": flag}


def paired(given: dict[str, Any]) -> dict[str, Any]:
    """Two lists, item by item: b - a."""
    a, b = ([_score(value) for value in given[name]] for name in ("a", "b"))
    found = paired_difference(
        {str(at): value for at, value in enumerate(a)}, {str(at): value for at, value in enumerate(b)}
    )
    gaps = [other - one for one, other in zip(a, b, strict=True) if one is not None and other is not None]
    return {"diff": found.value, "p": p_value(gaps)}


def interval_twice(given: dict[str, Any]) -> dict[str, Any]:
    """The same scores twice; a name of a model has no part in it."""
    return {"identical": mean_interval(given["scores"]) == mean_interval(list(given["scores"]))}


def aggregate_scores(given: dict[str, Any]) -> dict[str, Any]:
    """Scores with gaps: the mean is over those that are there."""
    found = mean_interval([_score(value) for value in given["scores"]])
    total = found.n + found.missing
    return {
        "mean": found.value,
        "n_scored": found.n,
        "n_total": total,
        "coverage": found.n / total if total else None,
    }


def aggregate_answers(given: dict[str, Any]) -> dict[str, Any]:
    """Each answer as the only turn of a conversation, through the same summary as a run; a null answer is empty text."""
    texts = [text or "" for text in given["texts"]]
    suite = Suite(
        name="s", conversations=tuple(Conversation(id=f"c{at}", turns=(Turn(text="u"),)) for at in range(len(texts)))
    )
    arm = Summary(Layout(suite))
    for at, text in enumerate(texts):
        record = TurnRecord(turn=0, user="u", status="ok" if text else "empty", reply=text)
        arm.add(assess(Transcript(session=Session(f"c{at}"), turns=(record,))))
    empty = share_interval(tuple(arm.values("empty", ("all", "")).values()))
    words = mean_interval(tuple(arm.values("words_nonempty", ("all", "")).values()))
    return {"empty_rate": empty.value, "mean_words_nonempty": words.value}


OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "rate_interval": rate_interval,
    "score_interval": score_interval,
    "paired_difference": paired,
    "interval_twice": interval_twice,
    "aggregate_scores": aggregate_scores,
    "aggregate_answers": aggregate_answers,
}
