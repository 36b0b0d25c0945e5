"""How fast the embedded engine holds conversations, beside the plain loop and beside llama.cpp's other arrangements.

    python benchmarks/embedded.py [--conversations 20] [--tokens 64] [--temperature 0] [--only NAME ...]

Same model, same conversations, same tokens for all, each in a process of its own, loading included. ``plain loop`` is
what people write: one conversation at a time, the whole history sent again each turn, no prompt cache, all threads. The
``slots`` rows drive llama.cpp's server directly with continuous batching; ``default`` is multiturn, with its store.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workload import suite_of

from multiturn import api
from multiturn.conversation import Conversation, Message
from multiturn.engines import chat_template, demo
from multiturn.engines.gguf import read_header
from multiturn.engines.llamacpp_fields import GREEDY, SWITCHED_OFF
from multiturn.engines.llamacpp_server import Loaded, Server
from multiturn.transcript import Sampling

CORES = os.cpu_count() or 1
ARRANGEMENTS: dict[str, tuple[int, bool]] = {
    "plain loop": (1, False),
    "1 slot, cache": (1, True),
    "4 slots, cache": (4, True),
    "8 slots, cache": (8, True),
    "16 slots, cache": (16, True),
    "4 slots, no cache": (4, False),
    "8 slots, no cache": (8, False),
    "16 slots, no cache": (16, False),
}
DEFAULT = "default"


def batched(slots: int, *, cache: bool, conversations: int, tokens: int, temperature: float) -> tuple[int, float]:
    """New tokens and seconds of one llama.cpp server with so many slots, all threads."""
    header = read_header(demo.model_path())
    template = chat_template.open_template(header.chat_template, bos=header.token("bos"), eos=header.token("eos"))
    started = time.perf_counter()
    server = Server(Loaded(model=demo.model_path(), adapters=(), window=2048, slots=slots, threads=CORES, gpu_layers=0))
    free = list(range(slots))

    def hold(conversation: Conversation) -> int:
        slot, spoken, messages = free.pop(), 0, list[Message]()
        for turn in conversation.turns:
            messages.append(Message("user", turn.text))
            decoded = server.decode(
                SWITCHED_OFF
                | {
                    "prompt": chat_template.render(template, messages),
                    "n_predict": tokens,
                    "temperature": temperature,
                    "top_p": 0.9,
                    "top_k": 0,
                    "min_p": 0.0,
                    "seed": 1,
                    "cache_prompt": cache,
                    "id_slot": slot,
                    "return_tokens": True,
                }
                | (GREEDY if temperature == 0 else {})
            )
            messages.append(Message("assistant", decoded.content))
            spoken += decoded.timings.predicted_n
        free.append(slot)
        return spoken

    with ThreadPoolExecutor(slots) as threads:
        spoken = sum(threads.map(hold, suite_of(conversations).conversations))
    return spoken, time.perf_counter() - started


def default(conversations: int, tokens: int, temperature: float) -> tuple[int, float]:
    """New tokens and seconds of multiturn as it comes."""
    settings = api.Settings(sampling=Sampling(temperature=temperature, max_tokens=tokens))
    with tempfile.TemporaryDirectory() as folder:
        job = api.Job(
            suite=suite_of(conversations),
            settings=settings,
            options=api.EngineOptions(context_window=2048),
            store=Path(folder) / "bench.db",
        )
        started = time.perf_counter()
        held = asyncio.run(api.aevaluate("demo:base", job))
        return held.progress.new_tokens, time.perf_counter() - started


def main() -> None:
    """Measure each arrangement in a process of its own and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--conversations", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        measured = (
            default(asked.conversations, asked.tokens, asked.temperature)
            if asked.one == DEFAULT
            else batched(
                ARRANGEMENTS[asked.one][0],
                cache=ARRANGEMENTS[asked.one][1],
                conversations=asked.conversations,
                tokens=asked.tokens,
                temperature=asked.temperature,
            )
        )
        print(*measured)
        return
    speed: dict[str, float] = {}
    print(f"{'arrangement':20} tokens  seconds  tokens/s  against the plain loop")
    for name in asked.only or [*ARRANGEMENTS, DEFAULT]:
        command = [sys.executable, __file__, "--one", name]
        command += ["--conversations", str(asked.conversations), "--tokens", str(asked.tokens)]
        command += ["--temperature", str(asked.temperature)]
        tokens, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-2:]
        speed[name] = int(tokens) / float(seconds)
        ratio = f"{speed[name] / speed['plain loop']:.2f}" if "plain loop" in speed else "-"
        print(f"{name:20} {tokens:>6}  {float(seconds):7.1f}  {speed[name]:8.1f}  {ratio}", flush=True)


if __name__ == "__main__":
    main()
