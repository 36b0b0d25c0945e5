"""What the page costs: making it (time, memory, size), and using it in Chromium (list, filter, opening, search).

    python benchmarks/report.py [--conversations 48 5000] [--folder DIR] [--profile]

Two runs (``report_workload.py``) are stored and compared, each time in a process of its own: once without a page and
once with one. Then the page is used (``report_browser.py``), where Chromium and playwright are there. With ``--folder``
runs and pages stay there, and runs are used again.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import re
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from report_browser import use
from report_workload import hold

from multiturn.jobs import compare_stored
from multiturn.store import open_store

SIZES: Final = (48, 5000)
MEGABYTE: Final = 1_000_000
DATA: Final = re.compile(r'<script type="text/plain" (id="index"|class="chunk")>([^<]*)</script>')


def compare_here(store: Path, page: str) -> None:
    """In a process of its own: compare both runs of a store, with a page or without; print seconds of CPU."""
    with open_store(store) as opened:
        runs = {summary.run.arm.spec: summary.run.id for summary in opened.runs()}
        start = time.process_time()
        compare_stored(opened, runs["scripted:base"], runs["scripted:tuned"], page=Path(page) if page else None)
        print(time.process_time() - start)


def measured(store: Path, page: Path | None) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of comparing the two runs of this store."""
    command = [sys.executable, __file__, "--compare", str(store), str(page or "")]
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=said)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit("comparing failed")
        said.seek(0)
        return float(said.read()), used.ru_maxrss / 1024


def sizes(page: Path) -> dict[str, float]:
    """Megabytes of the page, and of what it is made of."""
    text = page.read_text(encoding="utf-8")
    data = {"transcripts": 0, "index": 0}
    for place, held in DATA.findall(text):
        data["transcripts" if "chunk" in place else "index"] += len(held)
    whole = len(text.encode("utf-8"))
    return {
        name: size / MEGABYTE for name, size in ({"whole": whole} | data | {"rest": whole - sum(data.values())}).items()
    }


def report(conversations: int, folder: Path) -> None:
    """Everything about one size, printed."""
    store, page = folder / f"{conversations}.db", folder / f"{conversations}.html"
    with open_store(store) as opened:
        hold(opened, conversations)
    print(f"\n{conversations} conversations x 4 turns x 2 runs")
    alone, alone_peak = measured(store, None)
    whole, whole_peak = measured(store, page)
    print(f"  comparing alone        {alone:7.2f} s CPU   {alone_peak:6.1f} MB at most")
    print(f"  with the page          {whole:7.2f} s CPU   {whole_peak:6.1f} MB at most")
    print(f"  ratio                  {whole / alone:7.2f}         {whole_peak / alone_peak:6.2f}")
    for name, size in sizes(page).items():
        print(f"  {name:22} {size:7.2f} MB")
    for name, value in use(page):
        print(f"  {name:40} {value}")


def profile(conversations: int, folder: Path) -> None:
    """Print the functions of the page with the most time, of comparing this many."""
    with open_store(folder / "profile.db") as opened:
        base, tuned = hold(opened, conversations)
        compare_stored(opened, base.id, tuned.id, page=folder / "profile.html")  # loads what is loaded once
        profiler = cProfile.Profile()
        profiler.enable()
        compare_stored(opened, base.id, tuned.id, page=folder / "profile.html")
        profiler.disable()
    stats = pstats.Stats(profiler)
    stats.sort_stats("cumulative").print_stats(r"report/page|markupsafe|jinja2|printable|difflib|altair|vl_convert", 40)
    stats.sort_stats("tottime").print_stats(30)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--conversations", type=int, nargs="+", default=SIZES)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--profile", action="store_true", help="where the time goes, over 100 conversations")
    parser.add_argument("--compare", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.compare:
        compare_here(Path(asked.compare[0]), asked.compare[1])
        return
    with ExitStack() as stack:
        folder = asked.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        if asked.profile:
            profile(100, folder)
            return
        for conversations in asked.conversations:
            report(conversations, folder)


if __name__ == "__main__":
    main()
