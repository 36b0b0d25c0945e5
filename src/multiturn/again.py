"""What to type to hold stored runs again, as far as a run's record says it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from multiturn.conditions import differences
from multiturn.errors import UsageError
from multiturn.suites.reading import load_suite, shipped_parts, shipped_suites
from multiturn.suites.selection import select
from multiturn.temperatures import typed_temperatures
from multiturn.transcript import Sampling

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.conversation import Suite
    from multiturn.results import Plan

MOST_NAMED: Final = 10
"""Conversations of a part of a suite that are named one by one."""
_ENDINGS: Final = (".json", ".jsonl")
"""Of a suite's file, which is named like the suite where nobody gave it a name."""
MOST: Final = 4_000
"""Characters of a command that anyone would copy."""
_USUAL: Final = Sampling()
_FLAGS: Final = (
    *("temperature", "top_p", "top_k", "min_p", "repeat_penalty"),
    *("max_tokens", "reasoning_tokens", "seed"),
)


def command_for(runs: Sequence[RunRecord], suite: Suite, plan: Plan, vary: Sequence[str] = ()) -> str:
    """The command that holds these runs: ``run`` for one, ``compare`` for two; for more, a line each.

    Empty where a run was imported, since nobody knows how its replies were drawn, where two runs differ in more than a
    command can ask for, where no suite that can be typed from here asks what they asked, and where nobody would copy
    it.
    """
    if any(run.conditions.sampling is None for run in runs):
        return ""
    part = _part(runs[0], suite)
    if part is None:
        return ""
    if len(runs) == 2:  # noqa: PLR2004 - a pair
        base, tuned = runs
        if _differ_otherwise(base, tuned):
            return ""
        parts = ["multiturn", "compare", base.arm.spec, tuned.arm.spec, *part, *_held(base)]
        for flag, run in (("--base-system", base), ("--tuned-system", tuned)):
            parts += [] if base.arm.system == tuned.arm.system else _text(flag, run.arm.system)
        parts += [] if base.arm.system != tuned.arm.system else _text("--system", base.arm.system)
        parts += [word for name in vary for word in ("--vary", name)]
        parts += _planned(plan)
        lines = [parts]
    else:
        lines = [
            ["multiturn", "run", run.arm.spec, *part, *_held(run), *_text("--system", run.arm.system)] for run in runs
        ]
    found = "\n".join(shlex.join(parts) for parts in lines)
    return found if len(found) <= MOST and found.count("\n") == len(lines) - 1 else ""


def _differ_otherwise(base: RunRecord, tuned: RunRecord) -> bool:
    """Whether two runs differ in more than the model, its prompt, and the seeds of one model held twice."""
    found = differences(base.conditions, tuned.conditions)
    own = {"system", "sampling.seed"} if base.arm == tuned.arm else {"system"}
    return any(name not in own and not name.startswith("identity.") for name in found)


def _held(run: RunRecord) -> Iterator[str]:
    """The flags that say how, apart from the model, its prompt and the suite."""
    conditions, sampling = run.conditions, run.conditions.sampling or _USUAL
    if conditions.samples > 1:
        yield from ("--samples", str(conditions.samples))
    for name in _FLAGS:
        value = getattr(sampling, name)
        if value != getattr(_USUAL, name):
            yield from (f"--{name.replace('_', '-')}", _typed(value))
    for text in sampling.stop:
        yield from ("--stop", text)
    for word in typed_temperatures(conditions.temperatures):
        yield from ("--temperatures", word)
    for flag, value, usual in (
        ("--history", conditions.history, "self"),
        ("--overflow", conditions.overflow, "stop"),
        ("--think", conditions.think, "auto"),
        ("--template", run.arm.template, "model"),
    ):
        if value != usual:
            yield from (flag, value)
    if conditions.context_window is not None:
        yield from ("--context-window", str(conditions.context_window))


def _part(run: RunRecord, suite: Suite) -> list[str] | None:
    """The suite and which of its conversations, as one would type it; None where nothing asks what the run asked.

    A record has no path: of a suite that is not shipped the file may lie here under its name, and what it asks says
    whether it is the one.
    """
    shipped = run.suite_name in (*shipped_suites(), *shipped_parts())
    sources = [run.suite_name] if shipped else [f"{run.suite_name}{ending}" for ending in _ENDINGS]
    return next((typed for source in sources if (typed := _selecting(source, run, suite)) is not None), None)


def _selecting(source: str, run: RunRecord, suite: Suite) -> list[str] | None:
    """This suite, or the part of it that the run held; None where it can't be read or asks something else."""
    ids = tuple(one.id for one in suite.conversations)
    try:
        whole = load_suite(source)
        parts = [whole, select(whole, limit=len(ids)), select(whole, only=ids)]
    except UsageError:
        return None
    flags = [[], ["--limit", str(len(ids))], [word for name in ids for word in ("--only", name)]]
    for part, more in zip(parts, flags[: None if len(ids) <= MOST_NAMED else -1], strict=False):
        if part.digest_for(run.conditions.history) == run.conditions.suite_digest:
            return ["--suite", source, *more]
    return None


def _text(flag: str, text: str | None) -> list[str]:
    return [] if text is None else [flag, text]


def _planned(plan: Plan) -> Iterator[str]:
    if plan.primary != "check_pass":
        yield from ("--primary", plan.primary)
    for name, margin in plan.margins.items():
        yield from ("--margin", f"{name}={_typed(margin)}")


def _typed(value: float) -> str:
    """A number as one would type it, with all its digits."""
    return str(value).removesuffix(".0")
