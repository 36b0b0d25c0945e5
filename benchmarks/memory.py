"""Whether memory grows with the suite: peak resident memory of a run at 1,000 and at 10,000 scripted conversations.

    python benchmarks/memory.py [--small 1000] [--large 10000]

Each run is a process of its own, from reading the suite file to the last commit. Goal: at most 1.2 times.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from workload import suite_of


def peak_megabytes(conversations: int, folder: Path) -> float:
    """Peak resident memory of ``multiturn run`` on a suite of this size."""
    suite = folder / f"suite-{conversations}.json"
    listed = [
        {"id": one.id, "turns": [turn.text for turn in one.turns]} for one in suite_of(conversations).conversations
    ]
    suite.write_text(json.dumps(listed), encoding="utf-8")
    command = [sys.executable, "-c", "from multiturn.cli import main; main()", "run", "scripted:echo", "--quiet"]
    command += ["--suite", str(suite), "--store", str(folder / f"{conversations}.db")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the run of {conversations} conversations failed")
    return used.ru_maxrss / 1024


def main() -> None:
    """Measure both and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--small", type=int, default=1000)
    parser.add_argument("--large", type=int, default=10_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small, large = (peak_megabytes(count, Path(folder)) for count in (asked.small, asked.large))
    print(f"peak memory: {small:.1f} MB at {asked.small} conversations, {large:.1f} MB at {asked.large}")
    print(f"ratio: {large / small:.2f}")


if __name__ == "__main__":
    main()
