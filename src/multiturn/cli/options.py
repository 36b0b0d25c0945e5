"""The flags that several commands share, each with its help, and how they become a job."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_type_hints

import typer

import multiturn
from multiturn.conditions import Arm
from multiturn.errors import UsageError
from multiturn.facts import Dtype, EngineOptions, Quantization, ServerOptions, WeightOptions
from multiturn.temperatures import read_temperatures
from multiturn.transcript import OverflowPolicy, Sampling, ThinkPolicy

if TYPE_CHECKING:
    from multiturn.api import Job

DEFAULT_SUITE: Final = "mtbench_conversations"
FIRST: Final = Sampling()
RUN = "Which conversations"
SAMPLING = "How replies are drawn"
ENGINE = "How the engine works"
WEIGHTS = "How weights are loaded (transformers)"
SERVER = "How servers are asked"
SERVER_FIRST: Final = ServerOptions()
STORING = "Where it goes"
PROMPT = "FILE|TEXT"

SuiteName = Annotated[
    str, typer.Option("--suite", help="A suite file, or the name of one that is shipped.", rich_help_panel=RUN)
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="ID", help="Only this conversation; repeatable.", rich_help_panel=RUN),
]
Limit = Annotated[int | None, typer.Option("--limit", help="Only the first N conversations.", rich_help_panel=RUN)]
Samples = Annotated[
    int, typer.Option("--samples", min=1, help="Hold every conversation this many times.", rich_help_panel=RUN)
]
HistoryFlag = Annotated[
    Literal["self", "golden", "both"],
    typer.Option(
        "--history",
        help="Go on from the model's own replies, from golden ones, or hold both and show the gap.",
        rich_help_panel=RUN,
    ),
]
OverflowFlag = Annotated[
    OverflowPolicy,
    typer.Option("--overflow", help="Full context window: stop, or drop the oldest turns.", rich_help_panel=RUN),
]
System = Annotated[
    str | None,
    typer.Option(
        "--system",
        metavar=PROMPT,
        help="System prompt, in place of the conversations' own: the name of a file, or a text; '' asks for none.",
        rich_help_panel=RUN,
    ),
]
Temperature = Annotated[float, typer.Option("--temperature", help="0 is greedy.", rich_help_panel=SAMPLING)]
Temperatures = Annotated[
    list[str] | None,
    typer.Option(
        "--temperatures",
        metavar="CATEGORY=T|mtbench",
        help="Of a category in place of --temperature; repeatable. mtbench: MT-Bench's own.",
        rich_help_panel=SAMPLING,
    ),
]
TopP = Annotated[float, typer.Option("--top-p", help="1 is off.", rich_help_panel=SAMPLING)]
TopK = Annotated[int, typer.Option("--top-k", help="0 is off.", rich_help_panel=SAMPLING)]
MinP = Annotated[float, typer.Option("--min-p", help="0 is off.", rich_help_panel=SAMPLING)]
RepeatPenalty = Annotated[float, typer.Option("--repeat-penalty", help="1 is off.", rich_help_panel=SAMPLING)]
MaxTokens = Annotated[int, typer.Option("--max-tokens", help="New tokens a reply.", rich_help_panel=SAMPLING)]
ReasoningTokens = Annotated[
    int,
    typer.Option("--reasoning-tokens", help="Added to --max-tokens, for thinking.", rich_help_panel=SAMPLING),
]
Stop = Annotated[
    list[str] | None, typer.Option("--stop", help="End a reply at this text; repeatable.", rich_help_panel=SAMPLING)
]
Seed = Annotated[int, typer.Option("--seed", help="Every turn's own seed follows from it.", rich_help_panel=SAMPLING)]
ContextWindow = Annotated[
    int | None, typer.Option("--context-window", min=1, help="Tokens for prompt and reply.", rich_help_panel=ENGINE)
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Conversations at once; default: by the engine.", rich_help_panel=ENGINE),
]
Slots = Annotated[
    int | None,
    typer.Option("--slots", min=1, help="Batch so many in one server; not reproducible.", rich_help_panel=ENGINE),
]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="Threads a server.", rich_help_panel=ENGINE)]
GpuLayers = Annotated[int, typer.Option("--gpu-layers", min=0, help="Layers put on a GPU.", rich_help_panel=ENGINE)]
TemplateFlag = Annotated[
    str,
    typer.Option(
        "--template",
        metavar="model|plain|FILE|from:MODEL",
        help="The model's own chat template, User:/Assistant:, a Jinja file, or another model's.",
        rich_help_panel=ENGINE,
    ),
]
Think = Annotated[
    ThinkPolicy,
    typer.Option(
        "--think", help="Reasoning of earlier replies in the history; auto: as the template wants.", rich_help_panel=RUN
    ),
]
DtypeFlag = Annotated[
    Dtype | None,
    typer.Option("--dtype", help="Default: float32 on a CPU, bfloat16 on a GPU.", rich_help_panel=WEIGHTS),
]
Device = Annotated[str | None, typer.Option("--device", help="cpu, cuda, cuda:1, auto ...", rich_help_panel=WEIGHTS)]
Attention = Annotated[
    str | None, typer.Option("--attention", help="sdpa, eager, flash_attention_2.", rich_help_panel=WEIGHTS)
]
QuantizationFlag = Annotated[
    Quantization | None,
    typer.Option("--quantization", help="Load weights quantised; needs bitsandbytes.", rich_help_panel=WEIGHTS),
]
RemoteCode = Annotated[
    bool,
    typer.Option(
        "--trust-remote-code", help="Run Python that lies in a model's folder; recorded.", rich_help_panel=WEIGHTS
    ),
]
Pickle = Annotated[
    bool,
    typer.Option("--allow-pickle", help="Load pickled weights, which may run code; recorded.", rich_help_panel=WEIGHTS),
]
Timeout = Annotated[
    float, typer.Option("--timeout", min=0.001, help="Seconds for one try of one reply.", rich_help_panel=SERVER)
]
Retries = Annotated[
    int, typer.Option("--retries", min=0, help="Tries after the first, of what may pass.", rich_help_panel=SERVER)
]
LongestWait = Annotated[
    float,
    typer.Option(
        "--longest-wait", min=0.0, help="Seconds between two tries at most, whatever is asked.", rich_help_panel=SERVER
    ),
]
Reproducible = Annotated[
    bool,
    typer.Option(
        "--reproducible", help="Refuse an arrangement that can't keep texts the same.", rich_help_panel=ENGINE
    ),
]
StoreWhere = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="URL", help="Path or database URL; default: outputs/multiturn.db.", rich_help_panel=STORING
    ),
]
Results = Annotated[
    Path, typer.Option("--results", help="Where the plain JSON of a comparison goes.", rich_help_panel=STORING)
]
Report = Annotated[
    str,
    typer.Option(
        "--report",
        metavar="PATH",
        help="Where the report goes, a page that a browser opens; '' for no report.",
        rich_help_panel=STORING,
    ),
]
Fresh = Annotated[
    bool,
    typer.Option("--fresh", help="Hold again even what is stored under the same conditions.", rich_help_panel=STORING),
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="NAME",
        help="Put the run into this group (of two, TUNED's), for multiturn trend.",
        rich_help_panel=STORING,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what it would cost, from a few warm replies; store nothing.")
]
Vary = Annotated[
    list[str] | None,
    typer.Option(
        "--vary", metavar="NAME", help="A condition that may differ between the arms (system_prompt ...); repeatable."
    ),
]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Asked:
    """What the shared flags say, as they were typed."""

    suite: SuiteName = DEFAULT_SUITE
    only: Only = None
    limit: Limit = None
    samples: Samples = 1
    history: HistoryFlag = "self"
    overflow: OverflowFlag = "stop"
    system: System = None
    think: Think = "auto"
    temperature: Temperature = FIRST.temperature
    temperatures: Temperatures = None
    top_p: TopP = FIRST.top_p
    top_k: TopK = FIRST.top_k
    min_p: MinP = FIRST.min_p
    repeat_penalty: RepeatPenalty = FIRST.repeat_penalty
    max_tokens: MaxTokens = FIRST.max_tokens
    reasoning_tokens: ReasoningTokens = FIRST.reasoning_tokens
    stop: Stop = None
    seed: Seed = FIRST.seed
    context_window: ContextWindow = None
    workers: Workers = None
    slots: Slots = None
    threads: Threads = None
    gpu_layers: GpuLayers = 0
    template: TemplateFlag = "model"
    reproducible: Reproducible = False
    dtype: DtypeFlag = None
    device: Device = None
    attention: Attention = None
    quantization: QuantizationFlag = None
    trust_remote_code: RemoteCode = False
    allow_pickle: Pickle = False
    timeout: Timeout = SERVER_FIRST.timeout
    retries: Retries = SERVER_FIRST.retries
    longest_wait: LongestWait = SERVER_FIRST.longest_wait
    store: StoreWhere = None
    fresh: Fresh = False
    group: Group = None
    dry_run: DryRun = False
    quiet: Quiet = False

    def job(self, *, resume: str | None = None) -> Job:
        """The job that the flags ask for.

        Raises:
            UsageError: a value is out of its range.
        """
        try:
            sampling = Sampling(
                temperature=self.temperature,
                top_p=self.top_p,
                top_k=self.top_k,
                min_p=self.min_p,
                repeat_penalty=self.repeat_penalty,
                max_tokens=self.max_tokens,
                reasoning_tokens=self.reasoning_tokens,
                stop=tuple(self.stop or ()),
                seed=self.seed,
            )
        except ValueError as error:
            field, _, rest = str(error).partition(" ")
            known = field in Sampling.__struct_fields__
            told = f"--{field.replace('_', '-')} {rest}, not {getattr(self, field)}" if known else str(error)
            raise UsageError(told, hint="the flags and their meaning: multiturn run --help") from None
        settings = multiturn.api.Settings(
            sampling=sampling,
            samples=self.samples,
            history="self" if self.history == "both" else self.history,
            overflow=self.overflow,
            window=self.context_window,
            think=self.think,
            temperatures=read_temperatures(self.temperatures or ()),
        )
        return multiturn.api.Job(
            suite=self.suite,
            settings=settings,
            options=self.engine_options(),
            store=self.store,
            only=tuple(self.only or ()),
            limit=self.limit,
            resume=resume,
            fresh=self.fresh,
            group=self.group,
        )

    def engine_options(self) -> EngineOptions:
        """What the flags ask of an engine."""
        return EngineOptions(
            context_window=self.context_window,
            workers=self.workers,
            slots=self.slots,
            threads=self.threads,
            gpu_layers=self.gpu_layers,
            template=self.template,
            reproducible=self.reproducible,
            weights=WeightOptions(
                dtype=self.dtype,
                device=self.device,
                attention=self.attention,
                quantization=self.quantization,
                remote_code=self.trust_remote_code,
                pickle=self.allow_pickle,
            ),
            server=ServerOptions(timeout=self.timeout, retries=self.retries, longest_wait=self.longest_wait),
        )


def arm(spec: str, *, system: str | None = None, template: str = "model") -> Arm:
    """An arm as it was typed.

    Raises:
        UsageError: it is none.
    """
    try:
        return Arm(spec=spec, system=system, template=template)
    except ValueError as error:
        raise UsageError(str(error), hint="name a model, such as llamacpp:model.gguf or demo:base") from None


def asks(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command every shared flag beside its own; it gets them as one value named ``asked``."""
    return sharing(Asked)(command)


def sharing(flags: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the flags that this dataclass names beside its own; it gets them as one value named ``asked``."""

    def shared_with(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        own = [
            parameter.replace(annotation=hints[parameter.name])
            for parameter in inspect.signature(command).parameters.values()
            if parameter.name != "asked"
        ]
        shared_hints = get_type_hints(flags, include_extras=True)
        shared = [
            inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=shared_hints[field.name]
            )
            for field in dataclasses.fields(flags)
        ]
        names = {parameter.name for parameter in shared}

        @functools.wraps(command)
        def with_flags(**given: object) -> None:
            said: dict[str, Any] = {name: value for name, value in given.items() if name in names}
            command(**{name: value for name, value in given.items() if name not in names}, asked=flags(**said))

        with_flags.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        with_flags.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own, *shared]}
        return with_flags

    return shared_with
