"""Small runs to be compared, told by what the model replied; ``LOST`` and ``OVERFLOW`` stand for a turn without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from multiturn.compare import compare
from multiturn.conversation import Conversation, Suite, Turn
from multiturn.finding import Assessed, Checked, Signal
from multiturn.results import Comparison, Contrast
from multiturn.transcript import Failure, Session, Transcript, TurnRecord

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


def compared(the_suite: Suite, base: Sequence[Assessed], tuned: Sequence[Assessed]) -> Comparison:
    """The comparison of two runs."""
    return compare(the_suite, base, tuned, base_run="r1", tuned_run="r2")


def contrast(comparison: Comparison, measure: str, kind: str = "all", name: str = "") -> Contrast:
    """One measure in one group."""
    return next(one for one in comparison.contrasts if (one.measure, one.group) == (measure, (kind, name)))
