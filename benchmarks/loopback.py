"""The server that the HTTP benchmark asks: the OpenAI form over a bare asyncio protocol, too cheap to be in the way.

    python benchmarks/loopback.py [--core 1]

It writes its port to standard output and serves until its input ends. The first part of a path is the delay of a reply
in milliseconds: ``/50/v1/chat/completions``. ``GET /stats`` gives, as JSON, what happened since the last one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from typing import Final, cast

TEXT: Final = "A reply of a usual length says what it has to say in some sentences. " * 13
MODEL: Final = "bench"


def http(body: object) -> bytes:
    """A whole reply in HTTP."""
    content = json.dumps(body).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


REPLY: Final = http(
    {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": TEXT.strip()}, "finish_reason": "stop"},
        ],
        "usage": {"completion_tokens": 220},
    }
)
"""No prompt tokens: they would have to grow with the conversation."""
MODELS: Final = http({"object": "list", "data": [{"id": MODEL, "object": "model"}]})


class Counts:
    """What happened since the last look; times in seconds of the monotonic clock, which processes share."""

    def __init__(self) -> None:
        self.replies = self.open = self.most = 0
        self.first = self.last = 0.0
        self.cpu = time.process_time()

    def came(self) -> None:
        """A request for a reply."""
        self.first = self.first or time.monotonic()
        self.open += 1
        self.most = max(self.most, self.open)

    def went(self) -> None:
        """Its reply."""
        self.replies += 1
        self.open -= 1
        self.last = time.monotonic()

    def told(self) -> dict[str, float]:
        """As ``/stats`` says it."""
        seconds = self.last - self.first
        return {"replies": self.replies, "most": self.most, "loop": seconds, "cpu": time.process_time() - self.cpu}


class Connection(asyncio.Protocol):
    """One kept-alive connection: a request at a time, no pipelining."""

    counts = Counts()

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what is written to."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Wait for a whole request, then answer it."""
        self._buffer += data
        head, blank, body = self._buffer.partition(b"\r\n\r\n")
        if not blank:
            return
        lower = head.lower()
        at = lower.find(b"content-length:")
        length = int(lower[at + 15 :].partition(b"\r\n")[0]) if at >= 0 else 0
        if len(body) < length:
            return
        self._buffer = body[length:]
        path = head.split(b" ", 2)[1]
        if head.startswith(b"POST"):
            Connection.counts.came()
            delay = int(path.split(b"/", 2)[1]) / 1000
            if delay:
                self._loop.call_later(delay, self._reply)
            else:
                self._reply()
        elif path == b"/stats":
            self._transport.write(http(Connection.counts.told()))
            Connection.counts = Counts()
        else:
            self._transport.write(MODELS)

    def _reply(self) -> None:
        Connection.counts.went()
        self._transport.write(REPLY)


async def serve() -> None:
    """Until the input ends: whoever started this is gone."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(loop), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    """Pin and serve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--core", type=int)
    core = parser.parse_args().core
    if core is not None:
        os.sched_setaffinity(0, {core})
    asyncio.run(serve())


if __name__ == "__main__":
    main()
