"""Stored runs to a judge, and what it says into the store: what is not there yet is asked, and nothing is lost.

A sitting is one conversation shown to the judge, with all questions about it. As many are open as the judge's engine
keeps warm, and a finished one admits the next, so memory does not grow with the run. A question whose very prompt was
answered before, in whatever run, is not asked again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.errors import EngineError, UsageError
from multiturn.judge_desk import Desk
from multiturn.judges.meter import BudgetSpent, Meter
from multiturn.judges.planning import Plan, Sitting, sittings_for
from multiturn.judgment import Exhibit, Failed, Judged, Question, Unreadable
from multiturn.tasks import together
from multiturn.transcript import TurnRecord

if TYPE_CHECKING:
    from multiturn.conditions import RunRecord
    from multiturn.protocols import Judge
    from multiturn.rubric import Rubric
    from multiturn.store import Store
    from multiturn.transcript import Session, Transcript

GIVE_UP_AFTER: Final = 5
"""Questions in a row that the judge could not be asked before judging stops: its server is gone."""


class Judging(msgspec.Struct, frozen=True, kw_only=True):
    """How far judging is. ``stored`` were answered before, ``shared`` by what was sent for another run.

    ``asked`` are those of this session, of which ``unreadable`` gave no verdict and ``failed`` could not be asked.
    ``overflowed`` of all questions do not fit the judge's window: asking again is in vain, so they count as answered.
    ``calls`` and tokens are of this session; ``untold`` counts calls whose tokens the engine does not tell. ``spent``
    names the limit that ended it (``max_calls``, ``max_tokens``), "" where none did.
    """

    questions: int
    stored: int
    shared: int = 0
    asked: int = 0
    unreadable: int = 0
    failed: int = 0
    overflowed: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    new_tokens: int = 0
    untold: int = 0
    seconds: float = 0.0
    spent: str = ""

    @property
    def left(self) -> int:
        """Questions that are not answered yet; those that failed are asked again next time."""
        return self.questions - self.stored - self.shared - self.asked + self.failed


Watch = Callable[[Judging], None]


def unwatched(_judging: Judging) -> None:
    """A watch that looks away."""


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked about a run. ``turns`` (from 0) narrows it to some turns; None is all of them.

    ``whole`` asks of preferences for the whole conversation too; ``repeats`` asks everything so many times.
    """

    turns: frozenset[int] | None = None
    whole: bool = True
    repeats: int = 1


EVERYTHING: Final = Asking()


class Matter(msgspec.Struct, frozen=True, kw_only=True):
    """What is judged, and by which rubric: a run, beside an opponent's where the rubric compares."""

    run: RunRecord
    rubric: Rubric
    opponent: RunRecord | None = None
    asking: Asking = EVERYTHING


def sittings(store: Store, matter: Matter) -> Iterator[Sitting]:
    """All sittings about it, whatever was answered; transcripts are read as they are needed.

    Raises:
        UsageError: the rubric compares and there is no opponent, or the other way round; or the two runs are of
            different suites.
    """
    _require_fit(matter)
    run, opponent, asking = matter.run, matter.opponent, matter.asking
    plan = Plan(
        run=run.id,
        opponent=opponent.id if opponent else "",
        turns=asking.turns,
        whole=asking.whole,
        repeats=asking.repeats,
    )
    conversations = {one.id: one for one in store.suite(run.conditions.suite_digest).conversations}

    def exhibits() -> Iterator[Exhibit]:
        for transcript, other in _side_by_side(store, run, opponent):
            conversation = conversations.get(transcript.session.conversation)
            if conversation is not None and (opponent is None or other is not None):
                yield Exhibit(conversation=conversation, transcript=transcript, opponent=other)

    if run.conditions.history == "golden":
        return _after_goldens(exhibits(), matter.rubric, plan)
    return sittings_for(exhibits(), matter.rubric, plan)


def _after_goldens(exhibits: Iterable[Exhibit], rubric: Rubric, plan: Plan) -> Iterator[Sitting]:
    """Sittings about runs with golden history, turn by turn: each reply behind the golden ones that the model saw.

    What it replied to the turns before was never shown to it, so there is no whole conversation to judge.
    """
    for exhibit in exhibits:
        for at in range(len(exhibit.conversation.turns)):
            if plan.turns is None or at in plan.turns:
                alone = msgspec.structs.replace(plan, turns=frozenset([at]), whole=False)
                yield from sittings_for([_up_to(exhibit, at)], rubric, alone)


def _up_to(exhibit: Exhibit, turn: int) -> Exhibit:
    """The conversation up to a turn (from 0), with the golden replies before it."""
    goldens = tuple(
        TurnRecord(turn=at, user=one.text, status="ok", reply=one.golden or "")
        for at, one in enumerate(exhibit.conversation.turns[:turn])
    )

    def held(transcript: Transcript) -> Transcript:
        return msgspec.structs.replace(transcript, turns=(*goldens, *transcript.turns[turn : turn + 1]))

    return Exhibit(
        conversation=msgspec.structs.replace(exhibit.conversation, turns=exhibit.conversation.turns[: turn + 1]),
        transcript=held(exhibit.transcript),
        opponent=None if exhibit.opponent is None else held(exhibit.opponent),
    )


def left_to_ask(store: Store, judge: Judge, matter: Matter) -> Iterator[Sitting]:
    """The sittings with those questions that a judge has not answered yet.

    Raises:
        UsageError: as :func:`sittings`.
    """
    return _left(sittings(store, matter), _answered(store, judge, matter))


async def judge_run(
    store: Store,
    judge: Judge,
    run: RunRecord,
    opponent: RunRecord | None = None,
    *,
    asking: Asking = EVERYTHING,
    meter: Meter | None = None,
    watch: Watch = unwatched,
) -> Judging:
    """Ask a judge what it has not said yet of a run, and keep what it says as it says it.

    Args:
        store: Where the runs are and the judgments go.
        judge: Who is asked. Its engine counts by ``meter`` where calls or tokens are limited
            (:class:`multiturn.judges.meter.MeteredEngine`).
        run: Whose replies are judged.
        opponent: With whose they are compared, for a rubric that compares.
        asking: Of which turns, and how often.
        meter: Counts what the judge's engine is asked.
        watch: Called whenever an answer is durable.

    Returns:
        How far it is. A spent budget ends it early: ``spent`` says so, and the same call later goes on.

    Raises:
        UsageError: as :func:`sittings`.
        EngineError: the judge could not be asked several times in a row; what was said is kept.
        StoreError: the store can't be written, or another process asks this judge about this run.
    """
    record = judge.record
    store.judgments.keep_judge(record)
    matter = Matter(run=run, rubric=record.rubric, opponent=opponent, asking=asking)
    answered = _answered(store, judge, matter)
    planned = [question for sitting in sittings(store, matter) for question in sitting.questions]
    found = Judging(
        questions=len(planned),
        stored=sum(question in answered for question in planned),
        overflowed=sum(answered.get(question, False) for question in planned),
    )
    tally = _Tally(found, meter or Meter(), watch)
    waiting = _left(sittings(store, matter), answered)
    name = f"{record.id}:{run.id}:{opponent.id if opponent else ''}"
    async with AsyncExitStack() as stack:
        stack.enter_context(store.lease(name))
        desk = await stack.enter_async_context(Desk(store.judgments.keep))
        await together(lambda: _work(judge, waiting, store, desk, tally), judge.open_sittings)
    return tally.progress()


def _require_fit(matter: Matter) -> None:
    run, rubric, opponent = matter.run, matter.rubric, matter.opponent
    if rubric.mode == "preference" and opponent is None:
        raise UsageError(
            f"rubric {rubric.name} compares two runs, and only one is named", hint="name the other: --against RUN"
        )
    if opponent is None:
        return
    if rubric.mode != "preference":
        raise UsageError(
            f"rubric {rubric.name} judges one run by itself",
            hint="leave out --against, or choose a rubric that compares",
        )
    if opponent.id == run.id:
        raise UsageError(f"run {run.id} would be compared with itself", hint="--against another run")
    if opponent.conditions.suite_digest != run.conditions.suite_digest:
        raise UsageError(
            f"run {run.id} holds suite {run.suite_name}, run {opponent.id} another one ({opponent.suite_name})",
            hint="compare runs of one suite: multiturn runs lists them",
        )


def _side_by_side(
    store: Store, run: RunRecord, opponent: RunRecord | None
) -> Iterator[tuple[Transcript, Transcript | None]]:
    """Transcripts of the run with the opponent's of the same conversation and sample; both come in one order."""
    if opponent is None:
        for transcript in store.transcripts(run.id):
            yield transcript, None
        return
    others = store.transcripts(opponent.id)
    ahead: dict[Session, Transcript] = {}
    for transcript in store.transcripts(run.id):
        while transcript.session not in ahead:
            other = next(others, None)
            if other is None:
                break
            ahead[other.session] = other
        yield transcript, ahead.pop(transcript.session, None)


def _answered(store: Store, judge: Judge, matter: Matter) -> dict[Question, bool]:
    """What need not be asked again, and whether that is since it does not fit the judge's window as it is now."""
    run, opponent, by = matter.run, matter.opponent, judge.record.id
    said = (
        store.judgments.of_run(run.id, judge=by)
        if opponent is None
        else store.judgments.of_pair(run.id, opponent.id, judge=by)
    )
    return {one.question: isinstance(one.judgment, Failed) for one in said if one.stands(judge.window)}


def _left(every: Iterable[Sitting], answered: Mapping[Question, bool]) -> Iterator[Sitting]:
    for sitting in every:
        left = tuple(question for question in sitting.questions if question not in answered)
        if left:
            yield msgspec.structs.replace(sitting, questions=left)


async def _work(judge: Judge, waiting: Iterator[Sitting], store: Store, desk: Desk, tally: _Tally) -> None:
    """Take sitting after sitting, until none waits or the budget is spent; calls of others in flight are let finish."""
    for sitting in waiting:
        keys = {question: judge.key(question, sitting.exhibit) for question in sitting.questions}
        known = await asyncio.to_thread(store.judgments.by_key, judge.record.id, [key for key in keys.values() if key])
        ask = []
        for question, key in keys.items():
            if key in known:
                tally.shared += 1
                await desk.keep(msgspec.structs.replace(known[key], question=question))
            else:
                ask.append(question)
        try:
            async for judged in judge.sitting(sitting.exhibit, ask):
                await desk.keep(judged)
                tally.said(judged)
        except BudgetSpent as spent:
            tally.spent = spent.limit
            return


class _Tally:
    """Counts what is answered, tells who watches, and notices that the judge is gone."""

    def __init__(self, found: Judging, meter: Meter, watch: Watch) -> None:
        self._found: Final = found
        self._meter: Final = meter
        self._watch: Final = watch
        self._started: Final = time.monotonic()
        self._in_a_row = 0
        self.shared = self.asked = self.unreadable = self.failed = self.overflowed = 0
        self.spent = ""

    def said(self, judged: Judged) -> None:
        """An answer is durable.

        Raises:
            EngineError: too many in a row could not be asked for.
        """
        self.asked += 1
        self.unreadable += isinstance(judged.judgment, Unreadable)
        failure = judged.judgment if isinstance(judged.judgment, Failed) else None
        gone = failure is not None and failure.kind != "overflow"
        self.failed += gone
        self.overflowed += failure is not None and not gone
        self._in_a_row = self._in_a_row + 1 if gone else 0
        self._watch(self.progress())
        if failure is not None and self._in_a_row >= GIVE_UP_AFTER:
            raise EngineError(
                f"the judge could not be asked {self._in_a_row} times in a row; the last time: {failure.message}",
                hint="once it or its server is well, give the same command again: it goes on from there",
            )

    def progress(self) -> Judging:
        """How far it is now."""
        meter = self._meter
        return msgspec.structs.replace(
            self._found,
            shared=self.shared,
            asked=self.asked,
            unreadable=self.unreadable,
            failed=self.failed,
            overflowed=self._found.overflowed + self.overflowed,
            calls=meter.calls,
            prompt_tokens=meter.prompt_tokens,
            cached_tokens=meter.cached_tokens,
            new_tokens=meter.new_tokens,
            untold=meter.untold,
            seconds=time.monotonic() - self._started,
            spent=self.spent,
        )
