"""The least code that holds the conversations of the HTTP benchmark: aiohttp, msgspec, a list of messages, no record.

    python benchmarks/lean.py URL SUITE

No retry, no store, no check of anything: what a client that does those is measured against.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import aiohttp
import msgspec


async def hold(url: str, conversations: list[list[str]], at_once: int = 32) -> list[list[dict[str, str]]]:
    """Every conversation to its end, so many at once; their messages."""
    waiting = iter(conversations)
    held: list[list[dict[str, str]]] = []

    async with aiohttp.ClientSession() as session:

        async def work() -> None:
            for turns in waiting:
                messages: list[dict[str, str]] = []
                for turn in turns:
                    messages.append({"role": "user", "content": turn})
                    body = msgspec.json.encode(
                        {"model": "bench", "messages": messages, "temperature": 0.7, "top_p": 0.9, "max_tokens": 220}
                    )
                    async with session.post(
                        f"{url}/chat/completions", data=body, headers={"Content-Type": "application/json"}
                    ) as reply:
                        found = msgspec.json.decode(await reply.read())
                    messages.append({"role": "assistant", "content": found["choices"][0]["message"]["content"]})
                held.append(messages)

        await asyncio.gather(*(work() for _ in range(min(at_once, len(conversations)))))
    return held


def main() -> None:
    """Hold the suite in a file of ``[{"id", "turns"}]``."""
    suite = msgspec.json.decode(Path(sys.argv[2]).read_bytes())
    held = asyncio.run(hold(sys.argv[1], [conversation["turns"] for conversation in suite]))
    print(sum(len(messages) // 2 for messages in held), "replies")


if __name__ == "__main__":
    main()
