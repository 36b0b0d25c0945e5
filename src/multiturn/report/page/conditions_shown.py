"""Under which conditions the runs of a page were held, a line each: what all have in common once, then what differs.

What this module does not know: whether runs may be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.conditions import flatten
from multiturn.report.judge_card import CONCLUSIONS
from multiturn.report.numbers import ABSENT, counted, in_short, number, setting
from multiturn.report.tables import Table
from multiturn.transcript import Sampling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from multiturn.conditions import RunRecord
    from multiturn.report.page.shown import AskedJudge, ShownArm

HASH: Final = 8
"""Characters of a hash that are shown."""
PROMPT: Final = 120
"""Characters of a system prompt that are shown."""
_HEX: Final = frozenset("0123456789abcdef")
_SHA256: Final = 64
_NONE: Final = "none"
_HISTORY: Final = {"self": "the model's own earlier replies", "golden": "golden replies in place of the model's own"}
_OVERFLOW: Final = {
    "stop": "then a conversation stops",
    "drop-oldest": "then its oldest turns are left out",
}
_TEMPLATE: Final = {"model": "each model's own", "plain": "the plain User:/Assistant: form"}
_BY: Final = {"multiturn": "by multiturn", "imported by multiturn": "imported by multiturn"}


class OfArm(msgspec.Struct, frozen=True):
    """What is so of one arm alone; ``at`` is its place."""

    arm: str
    at: int
    text: str


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """One line: what all arms have in common, and what each has for itself; either may be empty."""

    name: str
    common: str
    arms: tuple[OfArm, ...]


def conditions_shown(
    runs: Sequence[RunRecord], arms: Sequence[ShownArm], judges: Sequence[AskedJudge] = ()
) -> tuple[Condition, ...]:
    """The lines, in reading order; ``judges`` are those that said something of the runs."""
    lines: tuple[tuple[str, Callable[[RunRecord], Iterator[str]]], ...] = (
        ("Model", _model),
        ("Suite", _suite),
        ("Sampling", _sampling),
        ("Engine", _engine),
        ("History", _history),
        ("System prompt", _system),
        ("Template", _template),
        ("Window", _window),
        ("Held", _held),
    )
    of_judges = [Condition(name="Judge", common=", ".join(_judge(one)), arms=()) for one in judges]
    return (
        *(_condition(name, [list(parts(run)) for run in runs], arms) for name, parts in lines),
        *(of_judges or [Condition(name="Judge", common="none was asked", arms=())]),
    )


def every_condition(runs: Sequence[RunRecord], arms: Sequence[ShownArm]) -> Table:
    """All that decided what the runs held, and what held them, a row each, as the record has it."""
    told = [
        {name: _plain(value) for name, value in flatten(run.conditions).items()}
        | {f"versions.{name}": version for name, version in run.versions.items()}
        for run in runs
    ]
    names = dict.fromkeys(name for one in told for name in one)
    return Table(
        title="Every condition, as it was recorded",
        header=("condition", *(arm.name for arm in arms)),
        rows=tuple((name, *(one.get(name, ABSENT) for one in told)) for name in names),
        words=tuple(range(len(arms) + 1)),
    )


def _plain(value: object) -> str:
    """A condition as text."""
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return setting(value)
    return ", ".join(map(repr, value)) if isinstance(value, tuple) else str(value)


def _condition(name: str, told: Sequence[Sequence[str]], arms: Sequence[ShownArm]) -> Condition:
    """The parts that all runs have are told once."""
    common = [part for part in told[0] if all(part in other for other in told[1:])]
    own = [", ".join(part for part in parts if part not in common) for parts in told]
    return Condition(
        name=name,
        common=", ".join(common),
        arms=tuple(
            OfArm(arm.name, at, text or _NONE) for at, (arm, text) in enumerate(zip(arms, own, strict=True)) if any(own)
        ),
    )


def _model(run: RunRecord) -> Iterator[str]:
    identity = run.conditions.identity
    yield run.arm.spec
    weights, adapter = identity.get("weights", ""), identity.get("adapter", "")
    if weights and weights not in run.arm.spec:
        yield f"weights {_hash(weights)}"
    if adapter:
        yield "no adapter" if adapter == _NONE else f"adapter {_hash(adapter)}"


def _suite(run: RunRecord) -> Iterator[str]:
    yield f"{run.suite_name} version {run.suite_version}"
    turns = run.turns // run.conditions.samples
    yield counted(run.conversations, "conversation")
    yield counted(turns, "turn")


def _sampling(run: RunRecord) -> Iterator[str]:
    sampling = run.conditions.sampling
    if sampling is None:
        yield "not known, since the run was imported"
        return
    yield "greedy (temperature 0)" if sampling.temperature == 0 else f"temperature {setting(sampling.temperature)}"
    for category, temperature in run.conditions.temperatures.items():
        yield f"{category} {setting(temperature)}"
    if not run.conditions.greedy:
        yield f"top-p {setting(sampling.top_p)}"
    yield f"up to {counted(sampling.max_tokens, 'token')}"
    yield from _unusual(sampling)
    yield f"seed {sampling.seed}"
    samples = run.conditions.samples
    yield counted(samples, "sample")


def _unusual(sampling: Sampling) -> Iterator[str]:
    """What is off unless someone sets it."""
    usual = Sampling()
    for name in ("top_k", "min_p", "repeat_penalty", "presence_penalty", "frequency_penalty"):
        if getattr(sampling, name) != getattr(usual, name):
            yield f"{name.replace('_', '-')} {setting(getattr(sampling, name))}"
    if sampling.reasoning_tokens:
        yield f"{counted(sampling.reasoning_tokens, 'token')} more for reasoning"
    if sampling.stop:
        yield f"stops at {', '.join(repr(one) for one in sampling.stop)}"


def _engine(run: RunRecord) -> Iterator[str]:
    identity = run.conditions.identity
    version = identity.get("engine_version") or identity.get("server_version", "")
    yield f"{identity.get('engine', 'not known')} {version}".rstrip()
    if identity.get("server"):
        yield identity["server"]
    yield "reproducible" if run.conditions.reproducible else "not reproducible"


def _history(run: RunRecord) -> Iterator[str]:
    yield _HISTORY[run.conditions.history]
    if run.conditions.think != "auto":
        yield f"earlier reasoning: {run.conditions.think}"


def _system(run: RunRecord) -> Iterator[str]:
    prompt = run.conditions.system
    if prompt is None:
        yield "the suite's, where a conversation has one"
    else:
        yield f'"{in_short(prompt, PROMPT)}"' if prompt else _NONE


def _template(run: RunRecord) -> Iterator[str]:
    yield _TEMPLATE.get(run.conditions.template, in_short(run.conditions.template, PROMPT))


def _window(run: RunRecord) -> Iterator[str]:
    window = run.conditions.context_window
    yield "not known" if window is None else counted(window, "token")
    yield _OVERFLOW[run.conditions.overflow]


def _held(run: RunRecord) -> Iterator[str]:
    yield run.created[:10]
    yield f"run {run.id}"
    yield from (f"{how} {run.versions[by]}" for by, how in _BY.items() if by in run.versions)


def _judge(asked: AskedJudge) -> Iterator[str]:
    """Who it is, how much it said, and whether it can be believed here."""
    judge = asked.judge
    yield f"{judge.spec} by {judge.rubric.name}@{judge.rubric.version}"
    yield counted(asked.judgments, "judgment")
    if asked.unreadable:
        yield f"{number(asked.unreadable, 'count')} more unreadable"
    if asked.failed:
        yield f"{number(asked.failed, 'count')} could not be asked"
    yield CONCLUSIONS[asked.card.conclusion] if asked.card is not None else "not checked"


def _hash(value: str) -> str:
    """A hash in short; another name as it is."""
    return value[:HASH] if len(value) == _SHA256 and set(value) <= _HEX else value
