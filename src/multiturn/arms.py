"""Arms of a run or a comparison, with their engines open; whatever was opened is closed again."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable, Sequence

import msgspec

from multiturn.conditions import Arm
from multiturn.errors import UsageError
from multiturn.facts import EngineOptions
from multiturn.protocols import Engine
from multiturn.registry import open_engines, resolve, template_source


@contextlib.asynccontextmanager
async def open_arms(models: Sequence[str | Arm], options: EngineOptions) -> AsyncIterator[list[tuple[Arm, Engine]]]:
    """Open an engine for each model, in the block that follows; arms that share an engine can share what it loads.

    Raises:
        MultiturnError: of the kind that says what is wrong; what had been opened is closed.
    """
    arms = [model if isinstance(model, Arm) else Arm(spec=model, template=options.template) for model in models]
    async with contextlib.AsyncExitStack() as stack:
        opened: dict[tuple[str, str], Engine] = {}
        for template in dict.fromkeys(arm.template for arm in arms):
            specs = list(dict.fromkeys(arm.spec for arm in arms if arm.template == template))
            source = template_source(template)
            chosen = msgspec.structs.replace(options, template=template, template_source=source)
            for name in dict.fromkeys(resolve(spec)[0] for spec in specs):
                alike = [spec for spec in specs if resolve(spec)[0] == name]
                for spec, engine in zip(alike, open_engines(alike, chosen), strict=True):
                    stack.push_async_callback(engine.close)
                    opened[spec, template] = engine
        if options.reproducible:
            _refuse_chance(opened.values())
        yield [(arm, opened[arm.spec, arm.template]) for arm in arms]


def _refuse_chance(engines: Iterable[Engine]) -> None:
    for engine in engines:
        if not engine.facts.reproducible:
            raise UsageError(
                f"{engine.spec} makes no promise that texts are reproducible", hint="leave out --reproducible"
            )
