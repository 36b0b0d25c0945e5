"""The flags of the commands that ask judges, each with its help, and how they become a job."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

import multiturn
from multiturn.cli import options as flags
from multiturn.errors import UsageError
from multiturn.facts import EngineOptions, ServerOptions

if TYPE_CHECKING:
    from multiturn.api import JudgeJob

PANEL: Final = "Who judges, and how"
COST: Final = "What it may cost"

Run = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or how it begins, or latest.")]
Judges = Annotated[
    list[str] | None,
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


NoCheck = Annotated[
    bool,
    typer.Option("--no-check", help="Judge without a self-check, where this judge has no card.", rich_help_panel=PANEL),
]


@dataclasses.dataclass(frozen=True, kw_only=True)
class JudgesAsked:
    """What the flags say of the judges and their engines, as they were typed."""

    judge: Judges = None
    rubric: RubricFlag = None
    judge_temperature: Heat = 0.0
    verdict_tokens: VerdictTokens = 600
    reasoning_tokens: ThinkingTokens = 0
    seed: flags.Seed = 0
    goldens: Goldens = True
    schema: SchemaFlag = None
    context_window: flags.ContextWindow = None
    workers: flags.Workers = None
    slots: flags.Slots = None
    threads: flags.Threads = None
    gpu_layers: flags.GpuLayers = 0
    template: flags.TemplateFlag = "model"
    timeout: flags.Timeout = flags.SERVER_FIRST.timeout
    retries: flags.Retries = flags.SERVER_FIRST.retries
    longest_wait: flags.LongestWait = flags.SERVER_FIRST.longest_wait

    def judges(self) -> JudgeJob:
        """The job that these flags ask for, of everything and without a budget.

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
            judges=tuple(self.judge or ()),
            rubric=self.rubric,
            manner=multiturn.api.Manner(sampling=sampling, schema=self.schema, goldens=self.goldens),
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


@dataclasses.dataclass(frozen=True, kw_only=True)
class AskedOfJudges(JudgesAsked):
    """The same, with what is asked of them and what it may cost."""

    turns: Turns = None
    whole: Whole = True
    repeats: Repeats = 1
    max_calls: MaxCalls = None
    max_tokens: MaxTokens = None
    no_check: NoCheck = False

    def job(self) -> JudgeJob:
        """The job that the flags ask for.

        Raises:
            UsageError: a value is out of its range, or no judge is named.
        """
        return msgspec.structs.replace(
            self.judges(),
            asking=multiturn.api.Asking(turns=_turns(self.turns), whole=self.whole, repeats=self.repeats),
            budget=multiturn.api.Budget(max_calls=self.max_calls, max_tokens=self.max_tokens),
            checking=None if self.no_check else multiturn.api.Checking(),
        )


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
