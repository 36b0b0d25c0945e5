"""Commands that let judges look at stored runs: judge run, judge check."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import typer

import multiturn
from multiturn.cli import judged
from multiturn.cli import options as flags
from multiturn.cli.interrupts import run_until_done
from multiturn.cli.judge_checking import WatchCheck, check, tell_card
from multiturn.cli.judge_flags import Against, AskedOfJudges, DryRun, JudgesAsked, Run
from multiturn.cli.screen import PLAIN_EVERY, counted, duration, say, warn
from multiturn.errors import EXIT_INFRASTRUCTURE
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.api import Costs, Expected, JudgedBy, Judging, WatchJudge
    from multiturn.judgment import JudgeRecord

group: Final = typer.Typer(
    name="judge",
    help="Let a judge model rate, label or compare the replies of stored runs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add_to(app: typer.Typer) -> None:
    """Register this file's group of commands."""
    group.command()(flags.sharing(AskedOfJudges)(run))
    group.command()(flags.sharing(JudgesAsked)(check))
    judged.add_to(group)
    app.add_typer(group)


def run(
    run: Run,
    *,
    against: Against = None,
    dry_run: DryRun = False,
    store: flags.StoreWhere = None,
    quiet: flags.Quiet = False,
    asked: AskedOfJudges,
) -> None:
    """Judge a stored run: rate or label its replies, or compare them with another run's.

    What was judged before is not asked again, so the same command goes on after an interruption or a spent budget.
    A judge without a card is checked first (judge check), in at most 60 further calls.
    """
    job = asked.job()
    with multiturn.api.open_store(store, create=False) as opened:
        if dry_run:
            for spec, costs in multiturn.api.judging_costs(opened, run, job, against=against).items():
                _say_costs(spec, costs, asked.verdict_tokens + asked.reasoning_tokens)
            return
        with watching_judges(quiet=quiet) as watch:
            judging = multiturn.api.ajudge(
                opened, run, job, against=against, watch=watch, tell=tell_card, watch_check=WatchCheck(quiet=quiet)
            )
            done = run_until_done(judging)
        for one in done:
            tell_judged(one)
    if any(one.judging.failed for one in done):
        raise typer.Exit(EXIT_INFRASTRUCTURE)


def _say_costs(spec: str, costs: Costs, most_written: int) -> None:
    """What a judge would be asked; ``most_written`` tokens it may write a call."""

    def told(expected: Expected) -> str:
        return (
            f"{counted(expected.calls, 'call')}, about {expected.prompt_tokens} tokens to read, at most "
            f"{expected.calls * most_written} to write"
        )

    say(f"{short_spec(spec)}: {told(costs.questions)}; a verdict that can't be read is asked for once more")
    if costs.check.calls:
        say(f"  before that its check: {told(costs.check)}")


def tell_judged(done: JudgedBy) -> None:
    """What a judge said, in counts."""
    judging, judge = done.judging, done.judge
    known = judging.stored + judging.shared
    earlier = f" ({known} known before)" if known else ""
    say(
        f"{short_spec(judge.spec)}, rubric {judge.rubric.name}: {counted(judging.questions, 'question')}, "
        f"{judging.questions - judging.left} answered{earlier}; judge {judge.id}"
    )
    if judging.calls:
        untold = f" ({counted(judging.untold, 'call')} of unknown length)" if judging.untold else ""
        say(
            f"  {counted(judging.calls, 'call')} in {duration(judging.seconds)}: {judging.prompt_tokens} tokens read "
            f"({judging.cached_tokens} from a cache), {judging.new_tokens} written{untold}"
        )
    if judging.unreadable:
        warn(
            f"  {judging.unreadable} of {judging.asked} gave no verdict that can be read, asked twice where "
            "the budget allowed: they are missing; multiturn judge show says why"
        )
    if judging.overflowed:
        warn(
            f"  {counted(judging.overflowed, 'prompt')} did not fit the judge's window: they are missing, and asking "
            "again needs a larger one: --context-window N, or a judge with more room"
        )
    if judging.failed:
        warn(f"  {judging.failed} could not be asked: they are missing; the same command asks them again")
    if judging.spent:
        flag = f"--{judging.spent.replace('_', '-')}"
        warn(f"  stopped at {flag}: {judging.left} are left; the same command goes on, with another {flag}")


@contextmanager
def watching_judges(*, quiet: bool) -> Iterator[WatchJudge]:
    """What shows progress, a line now and then; with ``quiet`` what shows nothing."""
    last = time.monotonic()

    def line(judge: JudgeRecord, judging: Judging) -> None:
        nonlocal last
        now = time.monotonic()
        if quiet or now - last < PLAIN_EVERY:
            return
        last = now
        rate = judging.asked / max(judging.seconds, 1e-9)
        left = judging.questions - judging.stored - judging.shared - judging.asked
        print(
            f"{short_spec(judge.spec)}: {judging.questions - left}/{judging.questions} questions, {rate:.1f} a second, "
            f"about {duration(left / rate) if rate else '?'} left",
            file=sys.stderr,
            flush=True,
        )

    yield line
