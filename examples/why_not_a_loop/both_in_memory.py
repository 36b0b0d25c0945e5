"""Both models in memory at once, where one base and an adapter would do.

    python examples/why_not_a_loop/both_in_memory.py

Each way runs in a process of its own; the peak is what the system says of it. The model here has 76 million parameters
and random weights.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import by_multiturn
import loop
import small_models
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer

from multiturn import api

TEMPLATE = "{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }}\n{% endfor %}[assistant] "
MEGA = 1e6
WIDTH = 2048
WAYS = ("with_the_loop", "with_multiturn")


def with_the_loop(base: str, tuned: str) -> None:
    """Load both, then ask each."""
    pairs = [loop.load(base), loop.load(tuned)]
    for tokenizer, model in pairs:
        loop.generate(tokenizer, model, "Hello", 4)


def with_multiturn(base: str, tuned: str) -> None:
    """Compare both."""
    with tempfile.TemporaryDirectory() as folder:
        sampling = api.Sampling(max_tokens=4)
        suite = by_multiturn.suite_of({"hello": ["Hello"]})
        job = api.Job(suite=suite, settings=api.Settings(sampling=sampling), store=Path(folder) / "runs.db")
        api.compare(base, tuned, job, results=None, page=None)


def main(width: int = WIDTH) -> None:
    """Peak memory of each, above that of the libraries."""
    small_models.quieten()
    base = small_models.tiny(f"wide-{width}", TEMPLATE, width=width)
    size = sum(file.stat().st_size for file in base.glob("*.safetensors"))
    with tempfile.TemporaryDirectory() as folder:
        model = AutoModelForCausalLM.from_pretrained(base)
        adapted = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"))
        adapted.save_pretrained(folder)
        AutoTokenizer.from_pretrained(base).save_pretrained(folder)
        del model, adapted
        ways = {name: _begun(name, str(base), folder) for name in WAYS}
        peaks = {name: int(way.communicate()[0].split()[-1]) for name, way in ways.items()}
    print(f"weights on the disk: {size / MEGA:.0f} MB, and an adapter")
    for name in WAYS:
        print(f"{name.replace('_', ' ')}: {peaks[name] / MEGA:.0f} MB at its peak")


def _begun(name: str, base: str, tuned: str) -> subprocess.Popen[str]:
    """One of the functions above in a process that says how many bytes it needed beside the libraries."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import both_in_memory as one; before = one.peak(); "
        "getattr(one, sys.argv[2])(*sys.argv[3:]); print(one.peak() - before)"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent), name, base, tuned]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # noqa: S603 - ours


def peak() -> int:
    """This process's, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux the other way would count what the parent needed
        line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
