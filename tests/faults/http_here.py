"""A folder in which servers and ``multiturn`` are started as processes, with the suite and the store that they share."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec
from tests.faults import faulty_server
from tests.faults.faulty_server import HOST, MODEL, Asked, Script
from tests.faults.http_place import suite_of

from multiturn import api
from multiturn.transcript import Transcript

QUICK: Final = ("--timeout", "5", "--retries", "2", "--longest-wait", "0.1")
RUN: Final = ("--suite", "suite.json", "--store", "s.db", "--workers", "8", *QUICK)


class Here:
    """A folder in which servers and commands are started as processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port_file = folder / "port"
        self._started: list[subprocess.Popen[str]] = []

    def serve(self, script: Script) -> None:
        """Start a server process, on the port of the one before; return when it listens."""
        (self.folder / "script.json").write_bytes(msgspec.json.encode(script))
        self.server = self._start(faulty_server.__file__, str(self.port_file), "script.json")
        assert self.server.stdout is not None
        assert self.server.stdout.readline() == "listening\n"

    def kill_server(self) -> None:
        """With -9."""
        self.server.kill()
        self.server.communicate()
        assert self.server.returncode == -signal.SIGKILL

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """A ``multiturn`` process; no key of this machine reaches it."""
        return self._start("-m", "multiturn", *arguments, **environment)

    def run(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        """Start and wait for the end."""
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def refused(self, *arguments: str, codes: tuple[int, ...] = (2, 5), **environment: str) -> str:
        """Give a command that must be refused: what is wrong and what next, on standard error alone."""
        code, out, err = self.run(*arguments, **environment)
        assert code in codes, err
        assert out == ""
        assert err.startswith("multiturn: "), err
        assert "\n  next: " in err
        assert "Traceback" not in err
        return err

    def _start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        unset = {"OPENAI_API_KEY", "MULTITURN_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST"}
        plain = {name: value for name, value in os.environ.items() if name not in unset}
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env=plain | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def stop_all(self) -> None:
        """End what is left."""
        for process in self._started:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.communicate()

    @property
    def spec(self) -> str:
        """The model behind the server process."""
        return f"openai:{MODEL}@http://{HOST}:{self.port_file.read_text(encoding='utf-8')}/v1"

    def asked(self) -> list[Asked]:
        """What server processes were asked for replies, since the last look."""
        file = self.port_file.with_name("port.asked")
        if not file.exists():
            return []
        lines = file.read_bytes().splitlines()
        file.unlink()
        return [asked for asked in (msgspec.json.decode(line, type=Asked) for line in lines) if asked.is_chat]

    def write_suite(self, conversations: int, turns: int) -> None:
        """As ``suite.json``."""
        suite = [
            {"id": conversation.id, "turns": [turn.text for turn in conversation.turns]}
            for conversation in suite_of(conversations, turns).conversations
        ]
        (self.folder / "suite.json").write_text(json.dumps(suite), encoding="utf-8")

    def stored(self) -> list[Transcript]:
        """Of the one run in the store; none where nothing was begun."""
        if not (self.folder / "s.db").exists():
            return []
        with api.open_store(self.folder / "s.db") as store:
            runs = store.runs()
            assert len(runs) <= 1
            return [transcript for summary in runs for transcript in api.transcripts(store, summary.run)]
