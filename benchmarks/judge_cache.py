"""What it saves a judge that all questions about a conversation begin alike and are asked in one sitting.

    python benchmarks/judge_cache.py [--conversations 3]

A few conversations of the shipped suite, held by the scripted echo, are rated turn by turn by the embedded model, which
writes 16 tokens a verdict: once in a sitting for each conversation, and once in a sitting for each question, as if
every prompt were the first. Printed are the tokens that were read and those that came out of the cache, and the ratio
of the two times. The verdicts are not looked at; since 16 tokens are too few for one, each is asked for twice.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn import api
from multiturn.arms import open_arms
from multiturn.facts import EngineOptions
from multiturn.judges.meter import Meter, MeteredEngine
from multiturn.judges.model_judge import GREEDY, Manner, ModelJudge
from multiturn.judges.rubrics import load_rubric
from multiturn.judging import Matter, sittings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multiturn.judges.planning import Sitting

JUDGE: Final = "demo:base"
VERDICT_TOKENS: Final = 16
RUBRIC: Final = load_rubric("quality")


async def ask(held: Sequence[Sitting]) -> tuple[Meter, float]:
    """Ask all questions, one sitting after the other; what was read, and in how many seconds."""
    meter = Meter()
    manner = Manner(sampling=msgspec.structs.replace(GREEDY, max_tokens=VERDICT_TOKENS), schema=False, weigh=False)
    async with open_arms([JUDGE], EngineOptions(workers=1)) as ((_, engine),):
        judge = ModelJudge(MeteredEngine(engine, meter), RUBRIC, manner)
        async for _ in judge.sitting(held[0].exhibit, held[0].questions[:1]):
            pass  # loads the weights
        warm = meter.prompt_tokens, meter.cached_tokens, meter.calls
        started = time.perf_counter()
        for sitting in held:
            async for _ in judge.sitting(sitting.exhibit, sitting.questions):
                pass
        seconds = time.perf_counter() - started
    meter.prompt_tokens, meter.cached_tokens, meter.calls = (
        now - then for now, then in zip((meter.prompt_tokens, meter.cached_tokens, meter.calls), warm, strict=True)
    )
    return meter, seconds


def main() -> None:
    """Hold, ask in both ways, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, api.open_store(Path(folder) / "runs.db") as store:
        job = api.Job(suite="quick", limit=asked.conversations, store=store.path)
        run = api.evaluate("scripted:echo", job).run
        together = list(sittings(store, Matter(run=run, rubric=RUBRIC)))
    apart = [
        msgspec.structs.replace(sitting, questions=(question,))
        for sitting in together
        for question in sitting.questions
    ]
    found = {}
    for name, held in (("one sitting a conversation", together), ("one sitting a question", apart)):
        meter, found[name] = asyncio.run(ask(held))
        share = meter.cached_tokens / meter.prompt_tokens
        print(
            f"{name}: {meter.calls} calls, {meter.prompt_tokens} tokens of prompts, {share:.0%} from the cache, "
            f"{found[name]:.1f} s"
        )
    first, second = found.values()
    print(f"time apart by time together: {second / first:.2f}")


if __name__ == "__main__":
    main()
