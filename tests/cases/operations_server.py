"""Operations of the shared cases that ask a server: retries, what errors mean, seeds, and that no secret is written.

The server is real and on loopback, the engine is the one that ``openai:`` opens, the command line runs as a process.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from tests.cases.case_server import engine_for, script_of
from tests.faults.faulty_server import MODEL, FaultyServer, Script

from multiturn.conversation import Message
from multiturn.doctor import probe_seed
from multiturn.engines.http_errors import Fault, read_fault, sense
from multiturn.errors import ReplyFailed
from multiturn.transcript import Request, Sampling, Session

KINDS: Final = {"overflow": "context_overflow"}
SEEDS: Final[dict[str, Literal["honoured", "ignored"]]] = {"text_from_seed": "honoured", "random_text": "ignored"}
COMMAND_TIMEOUT: Final = 60


def call_with_retry(given: dict[str, Any]) -> dict[str, Any]:
    """One reply from a server that fails -> how it ended, how often it was asked, how long was waited."""
    request = Request(session=Session("case"), turn=0, messages=(Message("user", "q"),), sampling=Sampling(), seed=1)

    async def ask() -> str | None:
        engine = engine_for(server, given)
        try:
            return (await engine.reply(request)).text
        except ReplyFailed:
            return None
        finally:
            await engine.close()

    with FaultyServer(script_of(given)) as server:
        began = time.monotonic()
        text = asyncio.run(ask())
        took = time.monotonic() - began
    return {
        "status": "error" if text is None else "ok",
        "text": text,
        "attempts": len(server.chats),
        "waited": took,
        "slept": took,
    }


def classify_error(given: dict[str, Any]) -> dict[str, Any]:
    """A refusal, or an exception's words -> its kind, and whether to ask again; it never carries a score."""
    if "exception" in given:
        fault = Fault(status=500, message=f"{given['exception']}: {given['message']}")
    else:
        fault = read_fault(given["status"], given["body"].encode())
    meant = sense(fault)
    return {"kind": KINDS.get(meant.kind, meant.kind), "retry": meant.retryable, "score": None}


def seed_probe(given: dict[str, Any]) -> dict[str, Any]:
    """A server that honours the seed or not -> what is found, and what is claimed."""

    async def probe() -> tuple[bool | None, bool]:
        engine = engine_for(server, {})
        try:
            return await probe_seed(engine, given["seed"]), engine.facts.reproducible
        finally:
            await engine.close()

    with FaultyServer(Script(seeds=SEEDS[given["server"]])) as server:
        honoured, reproducible = asyncio.run(probe())
    return {"seed_honoured": honoured, "label_deterministic": reproducible}


def run_and_scan(given: dict[str, Any]) -> dict[str, Any]:
    """Runs with secrets in every place where users put them -> how often each is in what was written or printed.

    In the URL of the spec and written out in a file's header (both refused), and as it should be, in the environment,
    with a server that repeats the key.
    """
    config = given["config"]
    login = config["headers"]["Authorization"]
    secrets = (config["api_key"], login.removeprefix("Bearer "), "pw-DDDD", "qk-EEEE")
    with FaultyServer(script_of(given)) as server, tempfile.TemporaryDirectory() as name:
        folder, told = Path(name), ""
        (folder / "suite.json").write_text(json.dumps([{"id": "one", "turns": ["q1", "q2"]}]), encoding="utf-8")
        head = f'model = "{MODEL}"\nbase_url = "{server.url}"\n[headers]\nAuthorization = '
        (folder / "open.toml").write_text(f'{head}"{login}"\n', encoding="utf-8")
        (folder / "good.toml").write_text(f'{head}"${{MY_LOGIN}}"\n', encoding="utf-8")
        kept = {path.name for path in folder.iterdir()}
        environment = {"MULTITURN_API_KEY": config["api_key"], "MY_LOGIN": login}
        specs = (f"openai:{MODEL}@{config['base_url']}", "openai:open.toml", "openai:good.toml", server.spec)
        for spec, code in zip(specs, (2, 2, 5, 5), strict=True):
            told += _command(folder, spec, environment, code)
        sent = " ".join(str(asked.headers) for asked in server.chats)
        assert all(secret in sent for secret in secrets[:2]), "the secrets did not reach the server"
        written = [path for path in folder.rglob("*") if path.is_file() and path.name not in kept]
        assert written, "nothing was written"
        found = told.encode() + b"".join(path.read_bytes() for path in written)
    return {"occurrences": {secret: found.count(secret.encode()) for secret in secrets}}


def _command(folder: Path, spec: str, environment: dict[str, str], code: int) -> str:
    """What a run prints."""
    command = (
        sys.executable,
        "-m",
        "multiturn",
        "run",
        spec,
        "--suite",
        "suite.json",
        "--store",
        "runs.db",
        "--retries=0",
    )
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "call_with_retry": call_with_retry,
    "classify_error": classify_error,
    "probe_seed": seed_probe,
    "run_and_scan": run_and_scan,
}
