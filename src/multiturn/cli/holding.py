"""Commands that hold conversations: demo, compare, run."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.cli.compare_judging import JudgeFlag, NoCheck, estimate_judging, judging_of, tell_judging
from multiturn.cli.concluding import (
    Extend,
    FailOn,
    Margins,
    Primary,
    exit_code,
    plan_of,
    require_primary,
    words_of,
)
from multiturn.cli.interrupts import run_until_done
from multiturn.cli.judge_checking import WatchCheck, tell_card
from multiturn.cli.judging import watching_judges
from multiturn.cli.prompts import marks, prompt_of
from multiturn.cli.screen import OUT, counted, duration, say, warn, watching
from multiturn.conditions import Arm
from multiturn.errors import EXIT_INFRASTRUCTURE, UsageError
from multiturn.measures import PRIMARY
from multiturn.text.spec_names import short_spec
from multiturn.transcript import MANY_ENDLESS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multiturn.api import Compared, Held, Job

TOO_MUCH_MISSING: Final = 0.1
"""Share of turns that failed, above which a run's exit code says so."""
RESULTS: Final = Path("outputs/mtbench_results.json")
REPORT: Final = "outputs/report.html"
DEMO_TOKENS: Final = 120
MOST_DISPUTED: Final = 3
"""Replies rated highly that fail a check which are listed beside a comparison; multiturn judge show has more."""
DEMO_SUITE: Final = "quick"


def add_to(app: typer.Typer) -> None:
    """Register this file's commands."""
    app.command()(demo)
    app.command()(flags.asks(compare))
    app.command()(flags.asks(run))


def demo(
    store: flags.StoreWhere = None,
    results: flags.Results = RESULTS,
    report: flags.Report = REPORT,
    limit: flags.Limit = None,
    max_tokens: flags.MaxTokens = DEMO_TOKENS,
    fresh: flags.Fresh = False,
    quiet: flags.Quiet = False,
) -> None:
    """Compare a tiny real model with its over-refusing fine-tune, both of which come with the package.

    Plumbing shown on a tiny model, not a validation: a model of 135 million parameters makes many mistakes of its own.
    """
    say("An example, not your own model: demo:tuned is demo:base (SmolLM2-135M-Instruct),")
    say("fine-tuned into refusing too much. It shows how a comparison is read; so tiny a")
    say("model validates nothing. Used are 12 of 48 conversations (--suite quick).\n")
    job = flags.Asked(suite=DEMO_SUITE, limit=limit, max_tokens=max_tokens, store=store, fresh=fresh).job()
    with watching(quiet=quiet) as watch:
        held = multiturn.api.acompare("demo:base", "demo:tuned", job, results=results, page=_page(report), watch=watch)
        compared = run_until_done(held)
    _show(compared)
    changed = compared.comparison.changes
    most = changed[0].conversation if changed else "ID"
    say(f"\nread one:  multiturn show {compared.tuned.run.id} {most}")
    say(f"side by side:  multiturn diff {compared.base.run.id} {compared.tuned.run.id} {most}")
    say("all 48 conversations, longer replies:  multiturn compare demo:base demo:tuned")
    _show_page(compared)
    _end(compared.base, compared.tuned)


def compare(
    base: Annotated[str, typer.Argument(metavar="BASE", help="Model spec that is compared with.")],
    tuned: Annotated[str, typer.Argument(metavar="TUNED", help="Model spec in question.")],
    *,
    base_system: Annotated[
        str | None, typer.Option("--base-system", metavar=flags.PROMPT, help="--system for BASE alone.")
    ] = None,
    tuned_system: Annotated[
        str | None,
        typer.Option(
            "--tuned-system", metavar=flags.PROMPT, help="--system for TUNED alone; needs --vary system_prompt."
        ),
    ] = None,
    results: flags.Results = RESULTS,
    report: flags.Report = REPORT,
    vary: flags.Vary = None,
    primary: Primary = PRIMARY,
    margin: Margins = None,
    extend: Extend = False,
    fail_on: FailOn = None,
    judge: JudgeFlag = None,
    no_check: NoCheck = False,
    stored: Annotated[
        bool, typer.Option("--stored", help="BASE and TUNED are runs in the store (an id, or latest); nothing is held.")
    ] = False,
    all_tables: Annotated[
        bool,
        typer.Option(
            "--all-tables",
            help="Every table: where nothing stands out too, and by turn, category and domain.",
        ),
    ] = False,
    asked: flags.Asked,
) -> None:
    """Hold a suite with two models under identical conditions and show what changed.

    One model twice, with two system prompts, compares the prompts. One model twice under the same conditions is an A/A
    run: it is held with two seeds, and whatever differs is noise.
    """
    job = msgspec.structs.replace(asked.job(), plan=plan_of(primary, margin), extend=extend)
    failing = words_of(fail_on)
    if stored:
        own = {"--base-system": base_system, "--tuned-system": tuned_system, "--judge": ", ".join(judge or ()) or None}
        _refuse_flags(asked, own)
        with multiturn.api.open_store(job.store, create=False) as opened:
            if failing:
                require_primary(opened.suite(opened.run(base).conditions.suite_digest), job.plan)
            compared = multiturn.api.compare_stored(
                opened, base, tuned, job=job, vary=vary or [], results=results, page=_page(report)
            )
        _conclude(compared, failing, everything=all_tables)
        return
    if failing:
        require_primary(job.chosen_suite(), job.plan)
    arms, marked = _two_arms(asked, (base, tuned), (base_system, tuned_system))
    golden = _golden_job(job) if asked.history == "both" else None
    judging = judging_of(judge, job, check=not no_check)
    if asked.dry_run:
        for arm, mark in zip(arms, marked, strict=True):
            _estimate(arm, job, golden, mark=mark)
        estimate_judging(job, judging)
        return
    marking = dict(zip(arms, marked, strict=True))
    with watching(quiet=asked.quiet, marks=marking) as watch, watching_judges(quiet=asked.quiet) as watch_judge:
        told = functools.partial(multiturn.api.acompare, *arms, vary=vary or [], watch=watch, tell=warn)
        onlookers = multiturn.api.Onlookers(watch=watch_judge, tell=tell_card, check=WatchCheck(quiet=asked.quiet))
        compared = run_until_done(told(job, results=results, page=_page(report), judging=judging, onlookers=onlookers))
        before = None if golden is None else run_until_done(told(golden, results=None, page=None))
    marked = _seeds(compared, marked)
    _conclude(compared, failing, marked, before=(job, before) if before is not None else None, everything=all_tables)


def _conclude(
    compared: Compared,
    failing: tuple[str, ...],
    marked: tuple[str, str] = ("", ""),
    *,
    before: tuple[Job, Compared] | None = None,
    everything: bool,
) -> None:
    """Show a comparison, and the gap to ``before``, which had golden history; end with the exit code that fits."""
    unasked = tell_judging(compared, golden_too=before is not None)
    _show(compared, marked, everything=everything)
    held = [compared.base, compared.tuned]
    if before is not None:
        job, golden = before
        _show_gap(job, (golden.base, compared.base), (golden.tuned, compared.tuned), marked=marked)
        held = [golden.base, golden.tuned, *held]
    _show_page(compared)
    _end(*held, marked=marked * (len(held) // 2))
    if unasked:
        raise typer.Exit(EXIT_INFRASTRUCTURE)
    _fail(compared, failing)


def _refuse_flags(asked: flags.Asked, own: Mapping[str, str | None]) -> None:
    """Raise ``UsageError`` for flags that say how to hold, where nothing is held."""
    given = [name for name, value in own.items() if value is not None]
    given += [
        f"--{field.name.replace('_', '-')}"
        for field in dataclasses.fields(asked)
        if field.name not in ("store", "quiet") and getattr(asked, field.name) != field.default
    ]
    if given:
        raise UsageError(
            f"--stored holds nothing, so {', '.join(given)} does nothing", hint="leave out what says how to hold"
        )


def _two_arms(
    asked: flags.Asked, specs: tuple[str, str], systems: tuple[str | None, str | None]
) -> tuple[tuple[Arm, Arm], tuple[str, str]]:
    """Base and tuned as they were typed, and what tells them apart where the specs do not."""
    both = prompt_of(asked.system, "--system")
    base, tuned = (
        both if system is None else prompt_of(system, flag)
        for system, flag in zip(systems, ("--base-system", "--tuned-system"), strict=True)
    )
    arms = (
        flags.arm(specs[0], system=base.text, template=asked.template),
        flags.arm(specs[1], system=tuned.text, template=asked.template),
    )
    return arms, marks(arms, (base, tuned))


def _fail(compared: Compared, words: tuple[str, ...]) -> None:
    """End with an exit code if one of the words that were asked for holds."""
    code = exit_code(compared.comparison, words)
    if code:
        say(f"exit {code}: --fail-on {','.join(words)}")
        raise typer.Exit(code)


def run(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="Model spec: a folder, org/name, model.gguf, openai:NAME@URL ...")
    ],
    *,
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="RUN", help="Go on with this run; refused if conditions changed.")
    ] = None,
    asked: flags.Asked,
) -> None:
    """Hold a suite with one model and keep the transcripts."""
    if resume is not None and asked.fresh:
        raise UsageError("--resume goes on with a run and --fresh begins one", hint="leave out one of them")
    job = asked.job(resume=resume)
    arm = flags.arm(model, system=prompt_of(asked.system, "--system").text, template=asked.template)
    golden = _golden_job(job) if asked.history == "both" else None
    if golden is not None and resume is not None:
        raise UsageError("--resume goes on with one run, --history both holds two", hint="leave out one of them")
    if asked.dry_run:
        _estimate(arm, job, golden)
        return
    with watching(quiet=asked.quiet) as watch:
        before = run_until_done(multiturn.api.aevaluate(arm, golden, watch=watch)) if golden is not None else None
        held = run_until_done(multiturn.api.aevaluate(arm, job, watch=watch))
    _tell(held)
    with multiturn.api.open_store(job.store, create=False) as opened:
        passed = multiturn.api.pass_rates(opened, held.run)
    if passed.rates:
        OUT.print()
        OUT.print(multiturn.api.pass_rate_table(passed))
        OUT.print()
    if before is not None:
        _show_gap(job, (before, held))
    if held.reused or held.progress.replies:
        say(f"read it:  multiturn show {held.run.id}")
    _end(*([before] if before is not None else []), held)


def _seeds(compared: Compared, marked: tuple[str, str]) -> tuple[str, str]:
    """Which run is which where both arms are the same: an A/A run."""
    runs = compared.base.run, compared.tuned.run
    seeds = [run.conditions.sampling.seed if run.conditions.sampling else None for run in runs]
    if any(marked) or runs[0].arm != runs[1].arm or seeds[0] == seeds[1]:
        return marked
    return f" [seed {seeds[0]}]", f" [seed {seeds[1]}]"


def _show(compared: Compared, marked: tuple[str, str] = ("", ""), *, everything: bool = False) -> None:
    for held, mark in zip((compared.base, compared.tuned), marked, strict=True):
        _tell(held, mark)
    OUT.print()
    if compared.judged is not None:
        for table in multiturn.api.judged_tables(compared.judged, disputed=MOST_DISPUTED):
            OUT.print(multiturn.api.render(table))
            OUT.print()
    OUT.print(multiturn.api.tables(compared.comparison, everything=everything))
    say(f"transcripts and numbers: {compared.results}")


def _page(typed: str) -> Path | None:
    """Where the page goes; none where nothing was typed for it."""
    return Path(typed) if typed else None


def _show_page(compared: Compared) -> None:
    """Where the page is, as the last line that a reader sees."""
    if compared.page is not None:
        say(f"\nreport: {compared.page}  (open it in a browser)", "bold")


def _tell(held: Held, mark: str = "") -> None:
    progress = held.progress
    history = " with golden history" if held.run.conditions.history == "golden" else ""
    name = f"{short_spec(held.run.arm.spec)}{mark}{history}: run {held.run.id}"
    kept = "reproducible" if held.run.conditions.reproducible else "not reproducible"
    if held.reused:
        say(f"{name}, same settings, is used again ({kept})")
        return
    speed = progress.new_tokens / max(progress.seconds, 1e-9)
    say(f"{name}, {progress.replies} replies in {duration(progress.seconds)}, {speed:.0f} tokens/s ({kept})")
    for note in held.run.notes:
        say(f"  note: {note}")


def _end(*runs: Held, marked: tuple[str, ...] = ()) -> None:
    """Say what is missing; too much of it is an exit code of its own. ``marked`` are the runs' marks, if any."""
    for held, mark in zip(runs, marked or [""] * len(runs), strict=True):
        name = f"{short_spec(held.run.arm.spec)}{mark}"
        differing = held.progress.replays_differing
        if differing:
            warn(
                f"{name}: {counted(differing, 'turn')} went on from replies that no longer come out the same (another "
                "machine?); --fresh holds the run anew"
            )
        endless = held.progress.endless
        if endless > MANY_ENDLESS * held.progress.replies:
            warn(
                f"{name}: {endless} of {held.progress.replies} replies ended inside their reasoning; "
                "--reasoning-tokens N gives it a budget of its own"
            )
        missing = held.progress.missing
        if missing:
            turns = "1 turn is" if missing == 1 else f"{missing} turns are"
            advice = (
                "give the same command again to ask for what failed"
                if held.progress.failures
                else "the prompts do not fit the context window: --context-window, or --overflow drop-oldest"
            )
            warn(f"{name}: {turns} missing through no doing of the model; {advice}")
    if any(held.progress.missing > TOO_MUCH_MISSING * held.progress.turns for held in runs):
        say(f"exit {EXIT_INFRASTRUCTURE}: too much is missing to conclude from (above a tenth of the turns)")
        raise typer.Exit(EXIT_INFRASTRUCTURE)


def _golden_job(job: Job) -> Job:
    """The same with golden replies as the history, in no group and no look; refused where nothing can be compared."""
    suite = job.chosen_suite()
    if not any(turn.checks for conversation in suite.conversations for turn in conversation.turns):
        raise UsageError(
            f"{suite.name} has no checks, so there is no gap between histories to show",
            hint="leave out --history both, or give turns checks; docs/writing.md shows how",
        )
    settings = msgspec.structs.replace(job.settings, history="golden")
    return msgspec.structs.replace(job, settings=settings, group=None, extend=False)


def _show_gap(job: Job, *arms: tuple[Held, Held], marked: tuple[str, ...] = ("", "")) -> None:
    """The runs with golden history, and what each model passes with that and with its own."""
    for (golden, _), mark in zip(arms, marked, strict=False):
        _tell(golden, mark)
    with multiturn.api.open_store(job.store, create=False) as opened:
        gap = multiturn.api.history_gap(opened, *((golden.run, own.run) for golden, own in arms))
    OUT.print(multiturn.api.render(multiturn.api.history_gap_table(gap)))
    OUT.print()


def _estimate(arm: Arm, *jobs: Job | None, mark: str = "") -> None:
    for job in jobs:
        if job is not None:
            _estimate_one(arm, job, mark)


def _estimate_one(arm: Arm, job: Job, mark: str) -> None:
    found = run_until_done(multiturn.api.aestimate(arm, job))
    time = "unknown" if found.seconds is None else f"about {duration(found.seconds)}"
    history = " with golden history" if job.settings.history == "golden" else ""
    name = f"{short_spec(arm.spec)}{mark}{history}"
    say(f"{name}: {found.replies} replies, {counted(found.at_once, 'conversation')} at once")
    say(f"  prompt tokens about {found.prompt_tokens:,} (each read once), new tokens about {found.new_tokens:,}")
    say(f"  time {time}, from {found.warm_replies} warm replies; nothing was stored")
