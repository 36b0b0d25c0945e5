"""Commands that let judges look at stored runs: judge run."""

from __future__ import annotations

import dataclasses
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

import multiturn
from multiturn.cli import judged
from multiturn.cli import options as flags
from multiturn.cli.interrupts import run_until_done
from multiturn.cli.screen import PLAIN_EVERY, counted, duration, say, warn
from multiturn.errors import EXIT_INFRASTRUCTURE, UsageError
from multiturn.facts import EngineOptions, ServerOptions
from multiturn.text.spec_names import short_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.api import JudgedBy, JudgeJob, Judging, WatchJudge
    from multiturn.judgment import JudgeRecord

PANEL: Final = "Who judges, and how"
COST: Final = "What it may cost"

group: Final = typer.Typer(
    name="judge",
    help="Let a judge model rate, label or compare the replies of stored runs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Run = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or how it begins, or latest.")]
Judges = Annotated[
    list[str],
    typer.Option("--judge", metavar="MODEL", help="Model spec of a judge; several are a panel.", rich_help_panel=PANEL),
]
RubricFlag = Annotated[
    str | None,
    typer.Option(
        "--rubric",
        metavar="NAME|FILE",
        help="A shipped rubric (quality; with --against preference), a TOML file, or FastChat's judge_prompts.jsonl.",
        rich_help_panel=PANEL,
    ),
]
Against = Annotated[
    str | None,
    typer.Option(
        "--against", metavar="RUN", help="The opponent's run, for a rubric that compares.", rich_help_panel=PANEL
    ),
]
Turns = Annotated[
    str | None,
    typer.Option("--turns", metavar="N,N", help="Judge these turns only, from 1.", rich_help_panel=PANEL),
]
Whole = Annotated[
    bool,
    typer.Option("--whole/--turns-only", help="Compare whole conversations beside their turns.", rich_help_panel=PANEL),
]
Repeats = Annotated[int, typer.Option("--repeats", min=1, help="Ask everything so many times.", rich_help_panel=PANEL)]
Heat = Annotated[float, typer.Option("--judge-temperature", min=0.0, help="0 is greedy.", rich_help_panel=PANEL)]
VerdictTokens = Annotated[
    int,
    typer.Option("--verdict-tokens", min=1, help="New tokens a verdict, its reason included.", rich_help_panel=PANEL),
]
ThinkingTokens = Annotated[
    int,
    typer.Option("--reasoning-tokens", min=0, help="Added for judges that think first.", rich_help_panel=PANEL),
]
Goldens = Annotated[
    bool,
    typer.Option("--goldens/--no-goldens", help="Show the judge the suite's golden replies.", rich_help_panel=PANEL),
]
SchemaFlag = Annotated[
    bool | None,
    typer.Option(
        "--schema/--no-schema", help="Bind verdicts to a JSON schema; default: where it can.", rich_help_panel=PANEL
    ),
]
MaxCalls = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Calls of each judge at most.", rich_help_panel=COST)
]
MaxTokens = Annotated[
    int | None,
    typer.Option("--max-tokens", min=0, help="Tokens of each judge, read and written.", rich_help_panel=COST),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what it would take; ask and store nothing.", rich_help_panel=COST)
]


@dataclasses.dataclass(frozen=True, kw_only=True)
class AskedOfJudges:
    """What the flags say of the judges and their engines, as they were typed."""

    judge: Judges = dataclasses.field(default_factory=list)
    rubric: RubricFlag = None
    turns: Turns = None
    whole: Whole = True
    repeats: Repeats = 1
    judge_temperature: Heat = 0.0
    verdict_tokens: VerdictTokens = 600
    reasoning_tokens: ThinkingTokens = 0
    seed: flags.Seed = 0
    goldens: Goldens = True
    schema: SchemaFlag = None
    max_calls: MaxCalls = None
    max_tokens: MaxTokens = None
    context_window: flags.ContextWindow = None
    workers: flags.Workers = None
    slots: flags.Slots = None
    threads: flags.Threads = None
    gpu_layers: flags.GpuLayers = 0
    template: flags.TemplateFlag = "model"
    timeout: flags.Timeout = flags.SERVER_FIRST.timeout
    retries: flags.Retries = flags.SERVER_FIRST.retries
    longest_wait: flags.LongestWait = flags.SERVER_FIRST.longest_wait

    def job(self) -> JudgeJob:
        """The job that the flags ask for.

        Raises:
            UsageError: a value is out of its range, or no judge is named.
        """
        sampling = msgspec.structs.replace(
            multiturn.api.GREEDY,
            temperature=self.judge_temperature,
            max_tokens=self.verdict_tokens,
            reasoning_tokens=self.reasoning_tokens,
            seed=self.seed,
        )
        return multiturn.api.JudgeJob(
            judges=tuple(self.judge),
            rubric=self.rubric,
            manner=multiturn.api.Manner(sampling=sampling, schema=self.schema, goldens=self.goldens),
            asking=multiturn.api.Asking(turns=_turns(self.turns), whole=self.whole, repeats=self.repeats),
            budget=multiturn.api.Budget(max_calls=self.max_calls, max_tokens=self.max_tokens),
            options=EngineOptions(
                context_window=self.context_window,
                workers=self.workers,
                slots=self.slots,
                threads=self.threads,
                gpu_layers=self.gpu_layers,
                template=self.template,
                server=ServerOptions(timeout=self.timeout, retries=self.retries, longest_wait=self.longest_wait),
            ),
        )


def add_to(app: typer.Typer) -> None:
    """Register this file's group of commands."""
    group.command()(flags.sharing(AskedOfJudges)(run))
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
    """
    job = asked.job()
    with multiturn.api.open_store(store, create=False) as opened:
        if dry_run:
            for spec, expected in multiturn.api.judging_costs(opened, run, job, against=against).items():
                say(
                    f"{short_spec(spec)}: {counted(expected.calls, 'call')}, about {expected.prompt_tokens} tokens to "
                    f"read, at most {expected.calls * asked.verdict_tokens} to write; a verdict that can't be read "
                    "is asked for once more"
                )
            return
        with _watching(quiet=quiet) as watch:
            done = run_until_done(multiturn.api.ajudge(opened, run, job, against=against, watch=watch))
        for one in done:
            _tell(one)
    if any(one.judging.failed for one in done):
        raise typer.Exit(EXIT_INFRASTRUCTURE)


def _turns(typed: str | None) -> frozenset[int] | None:
    if typed is None:
        return None
    try:
        turns = frozenset(int(part) - 1 for part in typed.split(","))
    except ValueError:
        turns = frozenset({-1})
    if min(turns) < 0:
        raise UsageError(f"--turns {typed!r} are no numbers from 1", hint="--turns 1, or --turns 1,2")
    return turns


def _tell(done: JudgedBy) -> None:
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
            f"  {judging.unreadable} of {judging.asked} gave no verdict that can be read, asked twice: they are missing"
        )
    if judging.failed:
        warn(f"  {judging.failed} could not be asked: they are missing; the same command asks them again")
    if judging.spent:
        flag = f"--{judging.spent.replace('_', '-')}"
        warn(f"  stopped at {flag}: {judging.left} are left; the same command goes on, with another {flag}")


@contextmanager
def _watching(*, quiet: bool) -> Iterator[WatchJudge]:
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
