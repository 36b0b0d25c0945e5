"""From the loop's own results file to runs, tables and transcripts: run the loop, import what it wrote.

python examples/why_not_a_loop/import_it.py [CONVERSATIONS] [TOKENS]
"""

import os
import sys
import tempfile
from pathlib import Path

import loop
import small_models

from multiturn import api


def main(conversations: int = 2, tokens: int = 24) -> None:
    """In a folder that is thrown away; the loop reads data/ and writes outputs/ there."""
    small_models.quieten()
    base, tuned = small_models.smollm2(), small_models.refusing()
    suite = Path(loop.SUITE).resolve()
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            loop.SUITE = suite
            loop.main(str(base), str(tuned), conversations, tokens)
            _show()
        finally:
            os.chdir(before)


def _show() -> None:
    """What ``multiturn import results outputs/mtbench_results.json`` does, from Python."""
    with api.open_store("outputs/multiturn.db") as store:
        imported = api.import_results(store, loop.OUTPUT)
        for arm in imported.arms:
            print(f"{Path(arm.run.arm.spec).name}: run {arm.run.id}")
            for line in arm.told:
                print(f"  {line}")
        compared = api.compare_stored(store, *(arm.run.id for arm in imported.arms))
        for change in compared.comparison.changes:
            print(f"{change.conversation}: {'; '.join(change.reasons)}")
            print(f"  multiturn diff {compared.base.run.id} {compared.tuned.run.id} {change.conversation}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
