"""Hold runs and compare them: what the Python interface and the command line are made of.

A job says how runs are held; holding goes through the store, so that the same job goes on after an interruption and
uses again what is there. What this module does not know: the screen, flags, what a comparison concludes
(``compare.py``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from multiturn.arms import open_arms
from multiturn.blocking import finish
from multiturn.comparable import SEED, comparison_notes, same_arm
from multiturn.compare import require_measures
from multiturn.conditions import Arm, Planned, RunRecord
from multiturn.conversation import Suite
from multiturn.dialogue import Manner
from multiturn.display import html_of
from multiturn.errors import EngineError, UsageError
from multiturn.estimate import Estimated, estimate
from multiturn.extension import UNDECLARED, allow_look
from multiturn.facts import EngineOptions
from multiturn.judge_card import Card
from multiturn.judge_jobs import NOBODY, JudgedBy, JudgeJob, Onlookers, ajudge
from multiturn.judged_pair import JudgedPair
from multiturn.judged_runs import judged_pair
from multiturn.judgment import JudgeRecord
from multiturn.outputs import DEFAULT_PAGE, DEFAULT_RESULTS, Files, writing
from multiturn.pages import page_of
from multiturn.protocols import Engine
from multiturn.registry import resolve
from multiturn.report.page.page import write_page
from multiturn.report.plain_json import write_results
from multiturn.results import Comparison, Plan
from multiturn.run import Progress, Settings, conditions_of, find_or_begin, hold_run, stored_progress
from multiturn.store import Store, check_group_name, open_store
from multiturn.stored import assessed
from multiturn.stored_comparison import Asked, conclude
from multiturn.suites.reading import load_suite
from multiturn.suites.selection import select

DEFAULT_SUITE: Final = "mtbench_conversations"
_KEPT: Final = "both runs are kept, the same command uses them again"
SEEDS: Final = 2**63
"""How many seeds there are, from 0 on."""

Watch = Callable[[Arm, Progress], None]
"""Called whenever a turn is durable, with the arm and how far its run is."""

Tell = Callable[[str], None]
"""Called with each warning that is known before the first reply is asked for."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """How runs are to be held; the defaults are those of the command line.

    ``store`` is a path or a database URL; None is ``outputs/multiturn.db``. ``resume`` names a run to go on with;
    ``fresh`` begins a new one even where the same conditions were held before. ``group`` names the group that the run
    is put into, a stored one that is used again too; of a comparison that is the tuned model's run, since a group is
    of a model's versions (:mod:`multiturn.trend`). ``plan`` is what a comparison is to conclude; ``extend`` declares
    that it may be extended once, or extends it.
    """

    suite: Suite | str | Path = DEFAULT_SUITE
    settings: Settings = Settings()
    options: EngineOptions = EngineOptions()
    store: str | Path | None = None
    only: tuple[str, ...] = ()
    limit: int | None = None
    resume: str | None = None
    fresh: bool = False
    group: str | None = None
    plan: Plan = Plan()
    extend: bool = False

    def __post_init__(self) -> None:
        if self.group is not None:
            check_group_name(self.group)

    def chosen_suite(self) -> Suite:
        """The suite, cut down by ``only`` and ``limit``.

        Raises:
            SuiteError: the file has faults. NotFound: it is not there, or an id is not in it.
        """
        suite = self.suite if isinstance(self.suite, Suite) else load_suite(self.suite)
        return select(suite, only=self.only, limit=self.limit)


DEFAULT_JOB: Final = Job()


def unwatched(_arm: Arm, _progress: Progress) -> None:
    """A watch that looks away."""


def untold(_warning: str) -> None:
    """Warnings that nobody is told of: they stand in the comparison's notes too."""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it is in the store. ``reused`` says that nothing had to be asked for."""

    run: RunRecord
    progress: Progress
    reused: bool

    def _repr_html_(self) -> str | None:
        """For notebooks."""
        return html_of(self)


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs and what their comparison says; ``results`` and ``page`` are the files it was written to, if any.

    ``judged`` is what judges said of both; None where they said nothing. ``judged_by`` is how far each came that was
    asked now, ``judge_fault`` why no more were asked, "" where all were.
    """

    base: Held
    tuned: Held
    comparison: Comparison
    results: Path | None
    page: Path | None = None
    judged: JudgedPair | None = None
    judged_by: tuple[JudgedBy, ...] = ()
    judge_fault: str = ""

    def _repr_html_(self) -> str | None:
        """For notebooks."""
        return html_of(self)


async def aevaluate(model: str | Arm, job: Job = DEFAULT_JOB, *, watch: Watch = unwatched) -> Held:
    """Hold a suite with one model; see :func:`evaluate`."""
    suite = job.chosen_suite()
    with open_store(job.store) as store:
        async with open_arms([model], job.options) as ((arm, engine),):
            return await _hold(store, suite, (arm, engine), job, watch)


async def acompare(
    base: str | Arm,
    tuned: str | Arm,
    job: Job = DEFAULT_JOB,
    *,
    vary: Sequence[str] = (),
    results: Path | None = DEFAULT_RESULTS,
    page: Path | None = DEFAULT_PAGE,
    watch: Watch = unwatched,
    tell: Tell = untold,
    judging: JudgeJob | None = None,
    onlookers: Onlookers = NOBODY,
) -> Compared:
    """Hold a suite with two models and compare them; see :func:`compare`."""
    if job.resume is not None:
        raise UsageError("a comparison finds its runs by their conditions", hint="leave out --resume")
    files = Files(results=results, page=page)
    files.require_places()
    require_measures(job.plan)
    suite = job.chosen_suite()
    for judge in judging.judges if judging is not None else ():
        resolve(judge)  # a slip in its name is told now, not once the runs are held
    with open_store(job.store) as store:
        async with open_arms([base, tuned], job.options) as arms:
            windows = [engine.facts.context_window for _, engine in arms]
            known = [window for window in (*windows, job.settings.window) if window is not None]
            settings = msgspec.structs.replace(job.settings, window=min(known, default=None))
            same = msgspec.structs.replace(job, settings=settings)
            first, second = (_planned(suite, who, same) for who in arms)
            other, declared = same, tuple(vary)
            if same_arm(first, second):
                other, declared = _with_another_seed(same), (*vary, SEED)
                second = _planned(suite, arms[1], other)
            for note in comparison_notes(first, second, declared):  # before any reply is asked for
                tell(note)
            looking = UNDECLARED
            if job.extend:
                both = first.conditions, second.conditions
                looking = allow_look(store, job.plan, suite, both, fresh=job.fresh)
            held = []
            jobs = (
                msgspec.structs.replace(same, group=None, resume=looking.again[0]),
                msgspec.structs.replace(other, resume=looking.again[1]),
            )
            for index, (arm, engine) in enumerate(arms):
                held.append(await _hold(store, suite, (arm, engine), jobs[index], watch))
                if all(engine is not later for _, later in arms[index + 1 :]):
                    await engine.close()  # so that two models are not in memory at once
        hearing = _Heard()
        if judging is not None:
            hearing = await _judge(store, (held[0].run, held[1].run), judging, onlookers)
        asked = Asked(plan=job.plan, vary=declared, extend=job.extend, held_before=looking.held_before)
        found = _compared(store, (held[0], held[1]), asked, files)
        return msgspec.structs.replace(found, judged_by=hearing.judged_by, judge_fault=hearing.fault)


async def aestimate(model: str | Arm, job: Job = DEFAULT_JOB) -> Estimated:
    """What :func:`evaluate` would cost, from a few warm replies; nothing is stored."""
    suite = job.chosen_suite()
    async with open_arms([model], job.options) as ((arm, engine),):
        conditions = conditions_of(suite, engine, arm, job.settings)
        return await estimate(suite, engine, Manner.of(conditions), conditions.samples)


def evaluate(model: str | Arm, job: Job = DEFAULT_JOB, *, watch: Watch = unwatched) -> Held:
    """Hold a suite with one model and keep the transcripts.

    Args:
        model: a model spec (``llamacpp:model.gguf+lora=adapter.gguf``), or an arm with its system prompt.
        job: suite, settings, engine options and store.
        watch: called with the progress whenever a turn is durable.

    Raises:
        MultiturnError: of the kind that says what is wrong, with the next thing to do in ``hint``.
    """
    return finish(aevaluate(model, job, watch=watch))


def compare(
    base: str | Arm,
    tuned: str | Arm,
    job: Job = DEFAULT_JOB,
    *,
    vary: Sequence[str] = (),
    results: Path | None = DEFAULT_RESULTS,
    page: Path | None = DEFAULT_PAGE,
    watch: Watch = unwatched,
    tell: Tell = untold,
    judging: JudgeJob | None = None,
    onlookers: Onlookers = NOBODY,
) -> Compared:
    """Hold a suite with two models under identical conditions and compare them, conversation by conversation.

    Both get the same context window: the smaller of the two. A stored run whose conditions match is used again. Where
    both are one model under the same conditions it is an A/A run, a measurement of noise: the second is held with the
    next seed, and the comparison's first note says so.

    Args:
        base: spec or arm that is compared with.
        tuned: spec or arm in question.
        job: suite, settings, engine options and store.
        vary: conditions that may differ, by name (``system_prompt``, ``identity.template`` ...).
        results: where the plain export goes; None for nowhere.
        page: where the report goes, one HTML page; None for nowhere.
        watch: called with the arm and its progress whenever a turn is durable.
        tell: called with what a reader should know before the first reply (templates that differ, say).
        judging: who rates both runs, and compares tuned with base; its rubric is for the ratings. None for no judge.
        onlookers: who is told how judging goes.

    Raises:
        ConditionsDiffer: something differs that ``vary`` does not name.
        MultiturnError: of the kind that says what is wrong.
    """
    return finish(
        acompare(
            base,
            tuned,
            job,
            vary=vary,
            results=results,
            page=page,
            watch=watch,
            tell=tell,
            judging=judging,
            onlookers=onlookers,
        )
    )


def compare_stored(
    store: Store,
    base: str,
    tuned: str,
    *,
    job: Job = DEFAULT_JOB,
    vary: Sequence[str] = (),
    results: Path | None = None,
    page: Path | None = None,
) -> Compared:
    """Compare two runs that are in the store, by their ids (or how they begin); nothing is held.

    Of the job its plan and ``extend`` count.

    Two runs of one arm need no declaration of their seeds: that is an A/A run, and the first note says so.
    """
    files = Files(results=results, page=page)
    files.require_places()
    runs = [store.run(reference) for reference in (base, tuned)]
    held = [Held(run=run, progress=_stored_progress(store, run), reused=True) for run in runs]
    late = job.plan != Plan() and not job.extend
    asked = Asked(plan=job.plan, vary=tuple(vary), extend=job.extend, late_plan=late)
    return _compared(store, (held[0], held[1]), asked, files)


def _planned(suite: Suite, who: tuple[Arm, Engine], job: Job) -> Planned:
    arm, engine = who
    return Planned(arm=arm, conditions=conditions_of(suite, engine, arm, job.settings))


def _with_another_seed(job: Job) -> Job:
    """The same job drawing other replies, for the second run of an A/A run."""
    sampling = job.settings.sampling
    other = msgspec.structs.replace(sampling, seed=(sampling.seed + 1) % SEEDS)
    return msgspec.structs.replace(job, settings=msgspec.structs.replace(job.settings, sampling=other))


async def _hold(store: Store, suite: Suite, who: tuple[Arm, Engine], job: Job, watch: Watch) -> Held:
    arm, engine = who
    run = find_or_begin(store, suite, engine, arm, job.settings, resume=job.resume, fresh=job.fresh)
    if job.group is not None:
        store.add_to_group(run.id, job.group)
    begun = bool(store.progress(run.id))
    progress = await hold_run(store, run, suite, engine, watch=lambda progress: watch(arm, progress))
    return Held(run=run, progress=progress, reused=begun and progress.replies == progress.failures == 0)


class _Heard(msgspec.Struct, frozen=True, kw_only=True):
    """How far judges came, and why no more were asked."""

    judged_by: tuple[JudgedBy, ...] = ()
    fault: str = ""


async def _judge(store: Store, runs: tuple[RunRecord, RunRecord], judging: JudgeJob, onlookers: Onlookers) -> _Heard:
    """Rate both runs, and compare tuned with base; what was said before is not asked again.

    A judge that is gone ends it, and withholds nothing that needs no judge.
    """
    base, tuned = runs
    told: set[str] = set()

    def tell_once(judge: JudgeRecord, card: Card | None) -> None:
        if judge.id not in told:
            told.add(judge.id)
            onlookers.tell(judge, card)

    ask = functools.partial(ajudge, store, watch=onlookers.watch, tell=tell_once, watch_check=onlookers.check)
    done: list[JudgedBy] = []
    try:
        for run in runs:
            done += await ask(run.id, judging)
        done += await ask(tuned.id, msgspec.structs.replace(judging, rubric=None), against=base.id)
    except EngineError as error:
        return _Heard(judged_by=tuple(done), fault=error.message)
    return _Heard(judged_by=tuple(done))


def _compared(store: Store, held: tuple[Held, Held], asked: Asked, files: Files) -> Compared:
    """Conclude, and write what is wanted of it."""
    base, tuned = (one.run for one in held)
    page = page_of(store, (base, tuned), asked) if files.page is not None else None
    comparison = page.comparisons[0] if page is not None else conclude(store, (base, tuned), asked)
    judged = judged_pair(store, (base, tuned)) if page is None else page.judged
    if files.results is not None:
        with writing(files.results, "--results", _KEPT):
            write_results(
                files.results,
                base_run=base,
                tuned_run=tuned,
                base=assessed(store, base),
                tuned=assessed(store, tuned),
                comparison=comparison,
                judged=judged,
            )
    if files.page is not None and page is not None:
        with writing(files.page, "--report", _KEPT):
            write_page(files.page, page)
    return Compared(
        base=held[0], tuned=held[1], comparison=comparison, results=files.results, page=files.page, judged=judged
    )


def _stored_progress(store: Store, run: RunRecord) -> Progress:
    progress = stored_progress(store, run, store.suite(run.conditions.suite_digest))
    return msgspec.structs.replace(progress, failures=store.progress(run.id).get("failed", 0), seconds=0.0)
