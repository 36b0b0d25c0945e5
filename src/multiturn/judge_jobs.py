"""Judge stored runs: what the Python interface and the command line are made of.

A job says who judges, by what rubric, and what it may cost. What this module does not know: the screen, flags, and what
is concluded from judgments.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.arms import open_arms
from multiturn.blocking import finish
from multiturn.errors import UsageError
from multiturn.facts import EngineOptions
from multiturn.judge_card import Card
from multiturn.judge_check import Checking, check_judge, due, expected, judges_for
from multiturn.judge_check import Watch as WatchCheck
from multiturn.judge_check import unwatched as unwatched_check
from multiturn.judges.meter import Budget, BudgetSpent, Meter, MeteredEngine
from multiturn.judges.model_judge import Manner, ModelJudge
from multiturn.judges.planning import Expected, estimate
from multiturn.judges.rubrics import load_rubrics
from multiturn.judging import EVERYTHING, Asking, Judging, Matter, judge_run, left_to_ask
from multiturn.judgment import JudgeRecord
from multiturn.rubric import Rubric

if TYPE_CHECKING:
    from multiturn.store import Store

DEFAULT_RUBRIC: Final = "quality"
DEFAULT_COMPARING_RUBRIC: Final = "preference"

WatchJudge = Callable[[JudgeRecord, Judging], None]
"""Called whenever an answer is durable, with the judge and how far it is."""

TellCard = Callable[[JudgeRecord, Card | None], None]
"""Called before a judge judges, with its card; None where there is none, since the budget left no room for a check."""

ROOM: Final = 2
"""A check is not begun where it could take more than one of so many calls of the budget, and breaks off where it has
taken one of so many tokens: the rest of it waits for the next time, so that there is judging each time."""


class JudgeJob(msgspec.Struct, frozen=True, kw_only=True):
    """How stored runs are judged.

    ``judges`` are model specs; several are a panel, each asked everything. ``rubric`` is the name of a shipped one, a
    file, or a value; None is ``quality``, or ``preference`` where there is an opponent. ``manner`` says how judges are
    asked, ``asking`` about what, ``budget`` what each may cost. ``checking`` says how a judge is checked first that has
    no card yet; None leaves that out.
    """

    judges: tuple[str, ...]
    rubric: Rubric | str | Path | None = None
    manner: Manner = Manner()
    asking: Asking = EVERYTHING
    budget: Budget = Budget()
    options: EngineOptions = EngineOptions()
    checking: Checking | None = None

    def __post_init__(self) -> None:
        if not self.judges:
            raise UsageError("no judge is named", hint="--judge MODEL, such as --judge openai:NAME@URL")
        twice = [spec for at, spec in enumerate(self.judges) if spec in self.judges[:at]]
        if twice:
            raise UsageError(f"judge {twice[0]} is named twice", hint="--repeats asks one judge several times")
        if self.asking.repeats > 1 and self.manner.sampling.temperature == 0:
            raise UsageError(
                "a greedy judge says the same each time, so repeats would measure nothing",
                hint="--judge-temperature 0.7 with --repeats",
            )

    def chosen_rubric(self, *, compares: bool) -> Rubric:
        """The rubric, of a set the one that fits.

        Raises:
            NotFound, UsageError: there is none, or it has faults.
        """
        if isinstance(self.rubric, Rubric):
            return self.rubric
        named = self.rubric or (DEFAULT_COMPARING_RUBRIC if compares else DEFAULT_RUBRIC)
        rubrics = load_rubrics(named)
        fitting = [one for one in rubrics if (one.mode == "preference") == compares]
        return (fitting or list(rubrics))[0]


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """What judging would take: the questions about the run, and the judge's check, where it still needs one."""

    questions: Expected
    check: Expected = Expected()


class JudgedBy(msgspec.Struct, frozen=True, kw_only=True):
    """A judge, how far it came with a run, and its card, where it has one."""

    judge: JudgeRecord
    judging: Judging
    card: Card | None = None


def unwatched(_judge: JudgeRecord, _judging: Judging) -> None:
    """A watch that looks away."""


def untold(_judge: JudgeRecord, _card: Card | None) -> None:
    """Nobody to tell."""


class Onlookers(msgspec.Struct, frozen=True, kw_only=True):
    """Who is told how judging goes: ``watch`` of answers, ``tell`` of cards, ``check`` of the answers of a check."""

    watch: WatchJudge = unwatched
    tell: TellCard = untold
    check: WatchCheck = unwatched_check


NOBODY: Final = Onlookers()


async def ajudge(
    store: Store,
    run: str,
    job: JudgeJob,
    *,
    against: str | None = None,
    watch: WatchJudge = unwatched,
    tell: TellCard = untold,
    watch_check: WatchCheck = unwatched_check,
) -> tuple[JudgedBy, ...]:
    """Judge a stored run; see :func:`judge`."""
    judged = store.run(run)
    opponent = None if against is None else store.run(against)
    rubric = job.chosen_rubric(compares=opponent is not None)
    done = []
    for spec in job.judges:
        meter = Meter(job.budget)
        async with _open(spec, job, meter) as engine:
            asked = ModelJudge(engine, rubric, job.manner)
            record = asked.record
            card = await _card_of(store, engine, asked, job, watch_check)
            if job.checking is not None:
                tell(record, card)
            judging = await judge_run(
                store,
                asked,
                judged,
                opponent,
                asking=job.asking,
                meter=meter,
                watch=lambda progress, record=record: watch(record, progress),  # type: ignore[misc]
            )
        done.append(JudgedBy(judge=record, judging=judging, card=card))
    return tuple(done)


def judge(
    store: Store,
    run: str,
    job: JudgeJob,
    *,
    against: str | None = None,
    watch: WatchJudge = unwatched,
    tell: TellCard = untold,
    watch_check: WatchCheck = unwatched_check,
) -> tuple[JudgedBy, ...]:
    """Let judges rate, label or compare the replies of a stored run; what they said before is not asked again.

    Args:
        store: where the run is, and the judgments go.
        run: its id, or how it begins.
        job: who judges, by what rubric, and what it may cost.
        against: the opponent's run, for a rubric that compares.
        watch: called with the judge and its progress whenever an answer is durable.
        tell: called with each judge and its card before it judges, where the job has it checked.
        watch_check: called after each answer of a check.

    Raises:
        MultiturnError: of the kind that says what is wrong, with the next thing to do in ``hint``.
    """
    return finish(ajudge(store, run, job, against=against, watch=watch, tell=tell, watch_check=watch_check))


async def acheck_judges(store: Store, job: JudgeJob, *, watch: WatchCheck = unwatched_check) -> tuple[Card, ...]:
    """The cards of judges; see :func:`check_judges`."""
    rubric = job.chosen_rubric(compares=False)
    cards = []
    for spec in job.judges:
        async with _open(spec, job, Meter(job.budget)) as engine:
            checking = job.checking or Checking()
            cards.append(await check_judge(store, engine, rubric, job.manner, checking, watch=watch))
    return tuple(cards)


def check_judges(store: Store, job: JudgeJob, *, watch: WatchCheck = unwatched_check) -> tuple[Card, ...]:
    """Try each judge of a job with what has a known outcome, in at most 60 calls, and say whether it is fit.

    The same check is not asked twice: the card that is stored comes back.

    Raises:
        MultiturnError: of the kind that says what is wrong, with the next thing to do in ``hint``.
    """
    return finish(acheck_judges(store, job, watch=watch))


async def ajudging_costs(store: Store, run: str, job: JudgeJob, *, against: str | None = None) -> dict[str, Costs]:
    """What judging would take; see :func:`judging_costs`."""
    judged = store.run(run)
    opponent = None if against is None else store.run(against)
    rubric = job.chosen_rubric(compares=opponent is not None)
    matter = Matter(run=judged, rubric=rubric, opponent=opponent, asking=job.asking)
    found = {}
    for spec in job.judges:
        async with _open(spec, job, Meter()) as engine:
            asked = ModelJudge(engine, rubric, job.manner)
            questions = estimate(
                left_to_ask(store, asked, matter),
                rubric,
                schema=asked.record.schema,
                goldens=asked.record.goldens,
            )
            found[spec] = Costs(questions=questions, check=_check_costs(store, engine, rubric, job))
    return found


def judging_costs(store: Store, run: str, job: JudgeJob, *, against: str | None = None) -> dict[str, Costs]:
    """What :func:`judge` would take of each judge, by model spec: calls and about how many tokens to read.

    What is answered and a check that is done, or half of it, count as such; a budget is not reckoned with otherwise
    than that it may leave no room for a check.

    No judge is asked, and nothing is stored. Prompts that another run shares are not looked for.
    """
    return finish(ajudging_costs(store, run, job, against=against))


@contextlib.asynccontextmanager
async def _open(spec: str, job: JudgeJob, meter: Meter) -> AsyncIterator[MeteredEngine]:
    async with open_arms([spec], job.options) as ((_, engine),):
        yield MeteredEngine(engine, meter)


def _check_costs(store: Store, engine: MeteredEngine, rubric: Rubric, job: JudgeJob) -> Expected:
    judges = judges_for(engine, rubric, job.manner)
    checking = _checking_in(job)
    before = None if checking is None else due(store, judges, checking)
    return Expected() if checking is None or before is None else expected(before, judges, checking)


async def _card_of(
    store: Store, engine: MeteredEngine, judge: ModelJudge, job: JudgeJob, watch: WatchCheck
) -> Card | None:
    """The judge's card, or that of a check now, where one is asked for and the budget has room."""
    stored = store.cards.standing(judge.record.id)
    checking, rubric = _checking_in(job), judge.record.rubric
    if checking is None or due(store, judges_for(engine, rubric, job.manner), checking) is None:
        return stored
    most = job.budget.max_tokens
    share = Meter(Budget(max_tokens=None if most is None else most // ROOM))
    try:
        return await check_judge(store, MeteredEngine(engine, share), rubric, job.manner, checking, watch=watch)
    except BudgetSpent:
        return stored


def _checking_in(job: JudgeJob) -> Checking | None:
    """The check that is asked for, where the budget has room for it."""
    most = job.budget.max_calls
    if job.checking is None or (most is not None and most < ROOM * job.checking.calls):
        return None
    return job.checking
