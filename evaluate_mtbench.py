"""Does your fine-tune still hold a conversation? Name two models below, then: python evaluate_mtbench.py."""

import sys

from rich.console import Console

from multiturn import api
from multiturn.errors import MultiturnError

BASE_MODEL = "TinyLlama/TinyLlama-1.1B-Chat-v1.0"
TUNED_MODEL = "outputs/your_finetuned_model"  # a folder of weights or of a LoRA adapter, a name on the hub, any spec


def watch(arm: api.Arm, so_far: api.Progress) -> None:
    """Say how far it is. Each turn is on the disk before the next: after Ctrl-C the same command goes on."""
    sys.stderr.write(f"\r{arm.spec}: {so_far.turns_done} of {so_far.turns} turns ")


try:
    compared = api.compare(BASE_MODEL, TUNED_MODEL, watch=watch)  # writes outputs/report.html
except MultiturnError as error:
    sys.stderr.write(f"evaluate_mtbench.py: {error}\n")
    sys.exit(error.exit_code)
except KeyboardInterrupt:
    sys.exit("\nstopped; the same command goes on from here")
Console().print(api.tables(compared.comparison))
print(f"to read in a browser: {compared.page}")
print(f"all transcripts and numbers: {compared.results}; to read: multiturn show {compared.tuned.run.id}")
for change in compared.comparison.changes[:3]:
    print(f"multiturn diff {compared.base.run.id} {compared.tuned.run.id} {change.conversation}")
