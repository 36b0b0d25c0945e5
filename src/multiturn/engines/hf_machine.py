"""Where a model can go: devices, free memory, what computes, and in which arithmetic."""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
import torch

from multiturn.errors import MissingExtra, SpecError
from multiturn.facts import Dtype, Quantization, WeightOptions

_BITS: Final = {"float32": 32, "bfloat16": 16, "float16": 16}
_COMPUTING: Final = ("torch", "transformers", "peft")
QUANTIZERS: Final[dict[str, tuple[str, ...]]] = {
    "bitsandbytes": ("bitsandbytes",),
    "gptq": ("optimum", "gptqmodel"),
    "awq": ("gptqmodel",),
    "compressed-tensors": ("compressed-tensors",),
    "torchao": ("torchao",),
    "auto-round": ("auto-round",),
    "hqq": ("hqq",),
    "aqlm": ("aqlm",),
    "quanto": ("optimum-quanto",),
    "vptq": ("vptq",),
}
"""What transformers needs for weights that were quantized before they were saved, by the name that their config has."""
_QUANTIZED_BITS: Final = {"8bit": 8, "4bit": 4}


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model goes and what it computes in. ``device`` is torch's name; ``cuda`` means all GPUs together."""

    device: str
    dtype: Dtype
    attention: str
    quantization: Quantization | None

    @property
    def gpu(self) -> bool:
        """Not the CPU."""
        return self.device != "cpu"

    @property
    def bits(self) -> int:
        """Bits that a floating number of the weights takes."""
        return _QUANTIZED_BITS[self.quantization] if self.quantization else _BITS[self.dtype]


def place(wanted: WeightOptions) -> Placement:
    """Choose device and arithmetic.

    Raises:
        SpecError: the device is none, or is not there. MissingExtra: quantization without bitsandbytes.
    """
    name = wanted.device or "auto"
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise SpecError(f"{name!r} is no device of torch", hint="--device cpu, cuda, cuda:0 or auto") from None
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device.type == "cuda" and (device.index or 0) >= gpus:
        raise SpecError(
            f"{name} was asked for; torch sees {gpus or 'no'} GPU{'s' if gpus > 1 else ''} here",
            hint="--device cpu, or install the build of torch for this GPU (https://pytorch.org)",
        )
    if device.type == "mps" and not torch.backends.mps.is_available():
        raise SpecError("mps was asked for; there is none here", hint="--device cpu")
    if wanted.quantization:
        require_quantizer("bitsandbytes", "quantization")
    return Placement(
        device=str(device),
        dtype=wanted.dtype or ("float32" if device.type == "cpu" else "bfloat16"),
        attention=wanted.attention or "sdpa",
        quantization=wanted.quantization,
    )


def require_quantizer(method: str, what: str) -> None:
    """Raise where a package is missing without which weights of a quantization can't be loaded.

    Args:
        method: as a model's config names it; one that needs no package, or is not known, is no fault here.
        what: is said to need it.

    Raises:
        MissingExtra: with the line that installs it.
    """
    missing = [name for name in QUANTIZERS.get(method, ()) if not _installed(name)]
    if missing:
        raise MissingExtra(f"{what} needs {' and '.join(missing)}", hint=f"pip install {' '.join(missing)}")


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def available_memory(placement: Placement) -> int | None:
    """Bytes that are free where the model goes; None where nobody says."""
    device = torch.device(placement.device)
    if device.type == "cuda":
        free: int = sum(torch.cuda.mem_get_info(index)[0] for index in _gpus(device))
        return free
    return _least((_meminfo, _cgroup)) if device.type == "cpu" else None


def processor(placement: Placement) -> str:
    """What computes: its kind decides the last bits, and so near-ties."""
    device = torch.device(placement.device)
    if device.type == "cuda":
        return ", ".join(sorted({torch.cuda.get_device_name(index) for index in _gpus(device)}))
    return f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}" if device.type == "cpu" else device.type


def versions() -> str:
    """Of what computes, as far as it is installed: a base alone needs no peft."""
    return " ".join(f"{name} {importlib.metadata.version(name)}" for name in _COMPUTING if _installed(name))


def _gpus(device: torch.device) -> Sequence[int]:
    return range(torch.cuda.device_count()) if device.index is None else (device.index,)


def _least(readers: Sequence[Callable[[], int]]) -> int | None:
    found = []
    for read in readers:
        with contextlib.suppress(OSError, ValueError, LookupError, StopIteration):  # not Linux, or no limit
            found.append(read())
    return min(found, default=None)


def _meminfo() -> int:
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))


def _cgroup() -> int:
    """What the container may still take; the page cache is not counted, since it would be given back."""
    folder = Path("/sys/fs/cgroup")
    limit, used = ((folder / name).read_text(encoding="ascii") for name in ("memory.max", "memory.current"))
    lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
    cached = next(int(line.split()[1]) for line in lines if line.startswith("file "))
    return int(limit) - int(used) + cached
