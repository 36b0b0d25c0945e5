"""Decodes replies in batches, in a thread of its own: what waits when the device is free goes together.

No reply waits for a slower one of its batch to be told, a finished row changes nothing for the others, and a batch is
given up within a token. Each row has its own sampling, stops, budgets and random numbers.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import torch

from multiturn.engines.hf_loading import Model, hf
from multiturn.engines.hf_sampling import Sampler
from multiturn.engines.hf_watching import Watch
from multiturn.errors import ReplyFailed
from multiturn.transcript import Sampling

GATHERING: Final = 0.02
"""Seconds in which no further request comes, before a batch that is not full begins."""


class Order(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """One reply that is asked for. ``watch`` says when it is over; ``adapter`` is the folder of the one that is on."""

    ids: list[int]
    sampling: Sampling
    seed: int
    adapter: Path | None
    logprobs: bool
    watch: Watch
    done: Future[Decoded] = msgspec.field(default_factory=Future)
    given_up: threading.Event = msgspec.field(default_factory=threading.Event)


class Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """A finished reply: generated ids with the stop token, why it ended, and seconds for its prompt and its tokens."""

    ids: list[int]
    ended: Literal["token", "string", "limit"]
    logprobs: list[float]
    prompt_seconds: float
    seconds: float


class Worker:
    """The thread that has the model. ``rows`` is how many replies are decoded together at most."""

    def __init__(self, load: Callable[[], Model], rows: int) -> None:
        self._load = load
        self._rows = rows
        self._waiting: list[Order] = []
        self._changed = threading.Condition()
        self._closed = False
        self._flight: list[Order] = []
        self._thread: threading.Thread | None = None

    def submit(self, order: Order) -> None:
        """Queue an order; ``order.done`` gets its reply or its error. The first one loads the model.

        Raises:
            ReplyFailed: the engine is closed.
        """
        with self._changed:
            if self._closed:
                raise ReplyFailed("engine", "the engine is closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hf", daemon=True)
                self._thread.start()
            self._waiting.append(order)
            self._changed.notify()

    def close(self, patience: float = 10.0) -> None:
        """Give up what is in flight and free the model; waits for its pass over one token, ``patience`` s at most."""
        with self._changed:
            self._closed = True
            for order in (*self._waiting, *self._flight):
                order.given_up.set()
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(patience)

    def _run(self) -> None:
        model: Model | None = None
        while batch := self._gather():
            try:
                model = model or self._load()
                _serve(model, batch)
            except BaseException as error:  # noqa: BLE001 - the thread goes on; who asked is told, whatever it was
                _fail(batch, error)
        del model
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _gather(self) -> list[Order]:
        """The next batch: the oldest order and those that can go with it; empty when the engine is closed."""
        with self._changed:
            while True:
                self._drop_given_up()
                if self._closed:
                    return []
                if self._waiting:
                    break
                self._changed.wait()
            known = 0
            while known < len(self._waiting) < self._rows:
                known = len(self._waiting)
                self._changed.wait(GATHERING)
            self._drop_given_up()
            adapter = self._waiting[0].adapter if self._waiting else None
            chosen = [order for order in self._waiting if order.adapter == adapter][: self._rows]
            self._waiting = [order for order in self._waiting if order not in chosen]
            self._flight = batch = [order for order in chosen if order.done.set_running_or_notify_cancel()]
        return batch or self._gather()

    def _drop_given_up(self) -> None:
        _give_up([order for order in self._waiting if order.given_up.is_set()])
        self._waiting = [order for order in self._waiting if not order.done.done()]


def _serve(model: Model, batch: Sequence[Order]) -> None:
    with model.using(batch[0].adapter) as network:
        decode(network, batch, model.device)


def _give_up(orders: Sequence[Order]) -> None:
    _fail(orders, ReplyFailed("engine", "the reply was given up: the engine is closed"))


def _fail(orders: Sequence[Order], error: BaseException) -> None:
    told: BaseException = error
    if isinstance(error, RuntimeError | MemoryError):
        told = ReplyFailed("engine", f"decoding failed: {error}")
    for order in orders:
        if not order.done.done():
            order.done.set_exception(told)


def decode(network: Any, orders: Sequence[Order], device: torch.device) -> None:  # noqa: ANN401 - a model of transformers
    """Decode orders together and tell each as soon as it is over; where memory is short, in halves.

    Raises:
        ReplyFailed: memory does not hold a single one.
    """
    try:
        _decode(network, orders, device)
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
        if not _is_shortage(error):
            raise
    else:
        return
    if device.type == "cuda":
        torch.cuda.empty_cache()
    left = [order for order in orders if not order.done.done()]
    if len(left) == 1 and len(orders) == 1:
        raise ReplyFailed(
            "engine",
            f"there is no memory for a prompt of {len(left[0].ids)} tokens and its reply",
            hint="a smaller --context-window, --dtype bfloat16, or --quantization",
        )
    half = (len(left) + 1) // 2
    for part in (left[:half], left[half:]):
        if part:
            decode(network, part, device)


def _is_shortage(error: Exception) -> bool:
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or "can't allocate memory" in str(error)


def _decode(network: Any, orders: Sequence[Order], device: torch.device) -> None:  # noqa: ANN401 - as above
    width = max(len(order.ids) for order in orders)
    ids = torch.zeros((len(orders), width), dtype=torch.long)
    mask = torch.zeros((len(orders), width), dtype=torch.long)
    for row, order in enumerate(orders):
        ids[row, width - len(order.ids) :] = torch.tensor(order.ids)
        mask[row, width - len(order.ids) :] = 1
    rows = _Rows(orders, device)
    config = hf.GenerationConfig(
        do_sample=False,
        num_beams=1,
        use_cache=True,
        max_new_tokens=max(order.watch.limit for order in orders),
        pad_token_id=0,
    )
    with torch.inference_mode():
        network.generate(
            input_ids=ids.to(device),
            attention_mask=mask.to(device),
            generation_config=config,
            logits_processor=[rows.draw],
            stopping_criteria=[rows.over],
        )
    rows.finish()


class _Rows:
    """The rows of one batch while they are decoded: called by transformers for every token."""

    def __init__(self, orders: Sequence[Order], device: torch.device) -> None:
        self._orders = orders
        self._device = device
        self._drawn_on = torch.device("cpu") if device.type == "mps" else device  # Apple's GPUs have no float64
        self._sampler = Sampler(
            [order.sampling for order in orders],
            [order.seed for order in orders],
            [order.ids for order in orders],
            self._drawn_on,
        )
        for order in orders:
            order.watch.restart()  # a batch that memory did not hold is decoded again, in halves
        self._ids: list[list[int]] = [[] for _ in orders]
        self._logprobs: list[list[float]] = [[] for _ in orders]
        self._live = [True] * len(orders)
        self._wanted = any(order.logprobs for order in orders)
        self._begun = time.perf_counter()
        self._read = 0.0

    def draw(self, _ids: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        """Draw each row's token, and give scores in which it is the best; a finished row gets padding."""
        self._read = self._read or time.perf_counter() - self._begun
        tokens = self._sampler.draw(logits.to(self._drawn_on))
        probabilities = logits.log_softmax(dim=-1) if self._wanted else None
        for row, token in enumerate(tokens):
            if self._live[row]:
                self._ids[row].append(token)
                if probabilities is not None:
                    self._logprobs[row].append(float(probabilities[row, token]))
        kept = [token if live else 0 for token, live in zip(tokens, self._live, strict=True)]
        chosen = torch.tensor(kept, device=logits.device).unsqueeze(1)
        return torch.full_like(logits, -1.0).scatter_(1, chosen, 0.0)

    def over(self, _ids: torch.Tensor, _scores: object) -> torch.Tensor:
        """Which rows are done after this token; each is told at once."""
        for row, order in enumerate(self._orders):
            if self._live[row]:
                ended = order.watch.after(self._ids[row])
                if order.given_up.is_set():
                    _give_up([order])
                    self._live[row] = False
                elif ended is not None:
                    self._tell(row, ended)
        return torch.tensor([not live for live in self._live], device=self._device)

    def finish(self) -> None:
        """Tell the rows that are left, which have reached the most tokens that any may have."""
        for row, live in enumerate(self._live):
            if live:
                self._tell(row, "limit")

    def _tell(self, row: int, ended: Literal["token", "string", "limit"]) -> None:
        self._live[row] = False
        ids = self._orders[row].watch.within_budget(self._ids[row])
        decoded = Decoded(
            ids=ids,
            ended=ended if len(ids) == len(self._ids[row]) else "limit",
            logprobs=self._logprobs[row][: len(ids)],
            prompt_seconds=self._read,
            seconds=time.perf_counter() - self._begun - self._read,
        )
        self._orders[row].done.set_result(decoded)
