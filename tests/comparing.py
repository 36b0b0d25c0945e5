"""Small runs to be compared, told by what the model replied; ``LOST`` and ``OVERFLOW`` stand for a turn without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from multiturn.compare import compare
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.finding import Assessed, Checked, Signal
from multiturn.groups import EVERYTHING
from multiturn.measures import BY_NAME, Measure
from multiturn.pairing import Pair
from multiturn.results import Comparison, Contrast, Plan, Verdict
from multiturn.stats.paired import difference_interval, mean_interval
from multiturn.transcript import Failure, Session, Transcript, TurnRecord
from multiturn.verdicts import decide

LOST = "<lost>"
OVERFLOW = "<overflow>"


def suite(conversations: int, turns: int = 2, *, refusal_expected: bool | None = None) -> Suite:
    """Conversations of this many turns, all alike."""
    one = tuple(Turn(text=f"t{turn}", refusal_expected=refusal_expected) for turn in range(turns))
    return Suite(
        name="s", conversations=tuple(Conversation(id=f"c{index}", turns=one) for index in range(conversations))
    )


def record(turn: int, reply: str) -> TurnRecord:
    """The turn with this reply."""
    if reply == LOST:
        failure = Failure("server", "500")
        return TurnRecord(turn=turn, user="u", status="failed", cause="environment", failure=failure)
    if reply == OVERFLOW:
        return TurnRecord(turn=turn, user="u", status="overflowed", cause="model")
    return TurnRecord(turn=turn, user="u", status="ok" if reply else "empty", reply=reply)


def signals(turn: int, reply: str) -> Iterator[Signal]:
    """Words, emptiness and refusal; a refusal begins with Sorry."""
    if reply in (LOST, OVERFLOW):
        return
    refused = reply.startswith("Sorry")
    yield Signal(name="words", turn=turn, value=len(reply.split()), unit="words")
    yield Signal(name="empty", turn=turn, value=float(not reply), unit="flag")
    yield Signal(name="refusal", turn=turn, value=float(refused), unit="flag", label="full" if refused else "none")


def held(conversation: str, *replies: str, sample: int = 0, said: tuple[Checked, ...] = ()) -> Assessed:
    """One session with these replies."""
    transcript = Transcript(
        session=Session(conversation, sample),
        turns=tuple(record(turn, reply) for turn, reply in enumerate(replies)),
    )
    found = [signal for turn, reply in enumerate(replies) for signal in signals(turn, reply)]
    return Assessed(transcript, tuple(found), said)


def compared(
    the_suite: Suite, base: Sequence[Assessed], tuned: Sequence[Assessed], plan: Plan | None = None
) -> Comparison:
    """The comparison of two runs."""
    return compare(the_suite, base, tuned, base_run="r1", tuned_run="r2", plan=plan or Plan())


def contrast(comparison: Comparison, measure: str, kind: str = "all", name: str = "") -> Contrast:
    """One measure in one group."""
    return next(one for one in comparison.contrasts if (one.measure, one.group) == (measure, (kind, name)))


def pair(base: Sequence[float], tuned: Sequence[float], missing: int = 0) -> Pair:
    """Conversations with these numbers in both arms."""
    return Pair(np.array(base, dtype=np.float64), np.array(tuned, dtype=np.float64), missing)


def differing(*differences: float, base: float = 0.5) -> Pair:
    """Conversations that differ by so much, tuned - base."""
    return pair([base] * len(differences), [base + one for one in differences])


def contrast_of(measure: Measure, of: Pair, level: float = 0.95) -> Contrast:
    """The contrast that goes with a pair, with the measure's own orientation."""
    return Contrast(
        measure=measure.name,
        group=EVERYTHING,
        base=mean_interval(of.base, level),
        tuned=mean_interval(of.tuned, level),
        difference=difference_interval(of.base, of.tuned, level, missing=of.missing, extreme=measure.extreme),
        orientation=measure.orientation,
    )


def decided(name: str, of: Pair, plan: Plan | None = None, **more: Any) -> Verdict:  # noqa: ANN401 - as decide takes them
    """What is said of a pair in one measure."""
    plan = plan or Plan()
    return decide(BY_NAME[name], of, contrast_of(BY_NAME[name], of, plan.level), plan, **more)


def floats_in(value: object, path: str = "") -> Iterator[tuple[str, float]]:
    """Every number with decimals in nested dicts and lists, with its place."""
    if isinstance(value, float):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from floats_in(inner, f"{path}.{name}")
    elif isinstance(value, (list, tuple)):
        for at, inner in enumerate(value):
            yield from floats_in(inner, f"{path}[{at}]")


def intervals_in(value: object, path: str = "") -> Iterator[tuple[str, float | None, float | None]]:
    """The two ends of every estimate in nested dicts and lists, with its place."""
    if isinstance(value, dict):
        if "low" in value and "high" in value:
            yield path, value["low"], value["high"]
        for name, inner in value.items():
            yield from intervals_in(inner, f"{path}.{name}")
    elif isinstance(value, (list, tuple)):
        for at, inner in enumerate(value):
            yield from intervals_in(inner, f"{path}[{at}]")
