"""Results written at the end: what is left when the process is killed in the seventh of ten replies.

python examples/why_not_a_loop/lost_in_a_crash.py
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import by_multiturn

from multiturn import api
from multiturn.transcript import Request

CONVERSATIONS = {f"c{number}": ["Hello?", "Still there?"] for number in range(1, 6)}
DIES_AT = 7
KILLED = 9


class Model:
    """Replies, and takes its process with it at the seventh reply unless it is told to be well."""

    asked = 0

    def reply(self) -> str:
        """Count, then reply or die."""
        self.asked += 1
        if self.asked == DIES_AT and "WELL" not in os.environ:
            os._exit(KILLED)  # as kill -9, or the system where memory is short
        return "Yes."


MODEL = Model()


def scripted(_request: Request) -> str:
    """The model as an engine of multiturn."""
    return MODEL.reply()


def loop() -> None:
    """Hold everything, then write it."""
    results = [[MODEL.reply() for _ in turns] for turns in CONVERSATIONS.values()]
    Path("results.json").write_text(json.dumps(results), encoding="utf-8")


def multiturn() -> None:
    """The same conversations; the same command goes on."""
    job = api.Job(suite=by_multiturn.suite_of(CONVERSATIONS), store="runs.db", options=api.EngineOptions())
    held = api.evaluate("scripted:lost_in_a_crash:scripted", job)
    print(f"  {held.progress.turns_done} of {held.progress.turns} turns; asked for now: {MODEL.asked}", flush=True)


def main() -> None:
    """Each in a process of its own that dies, and once more in one that does not."""
    with tempfile.TemporaryDirectory() as folder:
        _run("loop", folder)
        left = "there" if (Path(folder) / "results.json").exists() else "not there: all six replies are lost"
        print(f"the loop, killed: results.json is {left}")
        _run("multiturn", folder)
        with api.open_store(Path(folder) / "runs.db") as store:
            (run,) = store.runs()
        print(f"multiturn, killed: {sum(run.progress.values())} replies are in the store")
        print("multiturn, the same again:", flush=True)
        _run("multiturn", folder, WELL="1")


def _run(name: str, folder: str, **environment: str) -> None:
    here = str(Path(__file__).parent)
    code = f"import lost_in_a_crash; lost_in_a_crash.{name}()"
    done = subprocess.run(  # noqa: S603 - this file, in a process that may die
        [sys.executable, "-c", code],
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": here} | environment,
        capture_output=True,
        text=True,
    )
    print(done.stdout, end="")


if __name__ == "__main__":
    main()
