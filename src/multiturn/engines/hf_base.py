"""A base model that arms share: what it is, whether it can be had, and the thread that decodes with it."""

from __future__ import annotations

from typing import Final

import msgspec
import torch

from multiturn.engines.hf_arm import Arm
from multiturn.engines.hf_choice import recorded
from multiturn.engines.hf_decoding import Worker
from multiturn.engines.hf_faults import check_memory, check_vocabulary
from multiturn.engines.hf_folder import Folder, Tensor, bytes_at, digest, read_tensors
from multiturn.engines.hf_loading import Model, load, rehearse
from multiturn.engines.hf_machine import available_memory, place, processor, versions
from multiturn.errors import SpecError
from multiturn.facts import EngineOptions

DEFAULT_ROWS: Final = {False: 8, True: 32}
"""How many replies are decoded together: on a CPU, on a GPU."""


class Base:
    """One base with its adapters; engines that differ in nothing but the adapter share it. No weights are loaded yet.

    Raises:
        SpecError, MissingExtra, EngineSetupError: the options can't be had, or the weights can't be used.
    """

    def __init__(self, folder: Folder, adapters: tuple[Folder, ...], options: EngineOptions) -> None:
        self.folder = folder
        wanted = options.weights
        placement = place(wanted)
        saved = folder.config.quantized if folder.config else None
        if saved:
            placement = msgspec.structs.replace(placement, quantization=None)
        tensors: dict[str, Tensor] = {}
        for file in folder.weights:
            tensors |= read_tensors(file)
        shell = rehearse(folder, adapters, wanted, placement)
        placement = msgspec.structs.replace(placement, attention=shell.attention)
        self._rows_of_embeddings = shell.rows
        needed = bytes_at(tensors, placement.bits) or sum(file.stat().st_size for file in folder.pickles)
        where = "GPU" if placement.gpu else "memory"
        check_memory(needed, available_memory(placement), where=where, path=folder.path)
        self.rows = _rows(options, gpu=placement.gpu, padded=shell.padded)
        self.reproducible = self.rows == 1 and not placement.gpu
        _refuse_chance(options, gpu=placement.gpu, rows=self.rows)
        threads = options.threads or torch.get_num_threads()
        identity, notes = recorded(wanted)
        alone = () if shell.padded else ("prompts can't be padded for this kind of model: one reply at a time",)
        aside = (f"--quantization is set aside: the weights in the folder are quantized already ({saved})",)
        self.notes = (*notes, *alone, *(aside if saved and wanted.quantization else ()))
        self.identity = identity | {
            "engine": "hf",
            "weights": digest(
                (*(folder.weights or folder.pickles), *folder.tokenizer_files, folder.path / "config.json")
            ),
            "engine_version": versions(),
            "processor": processor(placement),
            "device": placement.device.partition(":")[0],
            "dtype": placement.dtype,
            "attention": placement.attention,
            "quantization": f"{saved} (in the folder)" if saved else placement.quantization or "none",
            "arrangement": f"{self.rows} rows at once" + ("" if placement.gpu else f", threads: {threads}"),
        }

        def load_now() -> Model:
            if not placement.gpu:
                torch.set_num_threads(threads)
            return load(folder, adapters, wanted, placement)

        self.worker = Worker(load_now, self.rows)
        self._users = 0

    def check_arm(self, arm: Arm) -> None:
        """Refuse an arm whose tokenizer gives ids that the base has no embeddings for.

        Raises:
            EngineSetupError: with both figures.
        """
        adapter = arm.folder.path != self.folder.path
        check_vocabulary(arm.folder, arm.tokens.size - 1, self._rows_of_embeddings, adapter=adapter)

    def join(self) -> None:
        """One more engine uses this base; each that joined leaves once."""
        self._users += 1

    def leave(self) -> None:
        """One engine is done with it; the last one frees the model."""
        self._users -= 1
        if self._users <= 0:
            self.worker.close()


def _rows(options: EngineOptions, *, gpu: bool, padded: bool) -> int:
    """How many replies go together; one where a model can't be padded, or where texts must be reproducible."""
    if not padded or (options.reproducible and options.workers is None and options.slots is None):
        return 1
    return options.slots or options.workers or DEFAULT_ROWS[gpu]


def _refuse_chance(options: EngineOptions, *, gpu: bool, rows: int) -> None:
    if not options.reproducible:
        return
    if gpu:
        raise SpecError(
            "texts are not reproducible on a GPU: its arithmetic depends on what else is being computed",
            hint="leave out --reproducible, or add --device cpu",
        )
    if rows > 1:
        raise SpecError(
            f"texts are not reproducible with {rows} replies decoded together: a batch changes the last bits",
            hint="leave out --reproducible, or use --workers 1",
        )
