"""What compare does with its judges: how they are asked, what that would cost, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

import multiturn
from multiturn.cli.judging import tell_judged
from multiturn.cli.screen import counted, say, warn
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from multiturn.api import Compared, Job, JudgeJob

JudgeFlag = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="Let this model rate both runs and compare them; repeatable. More to say: multiturn judge run.",
    ),
]
NoCheck = Annotated[bool, typer.Option("--no-check", help="With --judge: don't check first whether it is fit.")]


def judging_of(judges: list[str] | None, job: Job, *, check: bool) -> JudgeJob | None:
    """How the judges are asked: as the runs' engines are, but each with its own window and template."""
    if not judges:
        return None
    options = msgspec.structs.replace(
        job.options, context_window=None, template="model", template_source=None, reproducible=False
    )
    checking = multiturn.api.Checking() if check else None
    return multiturn.api.JudgeJob(judges=tuple(judges), options=options, checking=checking)


def estimate_judging(job: Job, judging: JudgeJob | None) -> None:
    """How many calls each judge takes: two runs rated, and tuned compared with base in both orders."""
    if judging is None:
        return
    suite, samples = job.chosen_suite(), job.settings.samples
    ratings = 2 * suite.turn_count * samples
    preferences = 2 * (suite.turn_count + len(suite.conversations)) * samples
    checks = 2 * judging.checking.calls if judging.checking else 0
    also = f", and up to {checks} to check whether it is fit" if checks else ""
    for spec in judging.judges:
        say(
            f"judge {short_spec(spec)}: {counted(ratings + preferences, 'call')} ({ratings} ratings, {preferences} "
            f"comparisons){also}; what can't be read is asked for once more"
        )


def tell_judging(compared: Compared, *, golden_too: bool) -> bool:
    """Say what came of the judges, in counts; whether something of it could not be asked."""
    for one in compared.judged_by:
        tell_judged(one)
    if compared.judge_fault:
        warn(f"judging ended early: {compared.judge_fault}")
        warn("  what was said is kept, and the same command asks for the rest; the comparison below needs no judge")
    if golden_too and (compared.judged_by or compared.judge_fault):
        say("judged are the runs with the models' own history; judge run RUN judges those with golden history")
    return bool(compared.judge_fault) or any(one.judging.failed for one in compared.judged_by)
