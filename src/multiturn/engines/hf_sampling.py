"""From logits to one token a row: penalties, temperature, top-k, top-p, min-p, and a draw with the row's own generator.

Rows do not see each other: every step works along the vocabulary, and each row has its own random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor

from multiturn.transcript import Sampling

SAMPLERS: Final = ("penalties", "temperature", "top_k", "top_p", "min_p")
"""In this order. The repeat penalty is over prompt and reply, as transformers has it; the presence and the frequency
penalty are over the reply, as vLLM has them."""

LIKELIEST: Final = 1024


class Sampler:
    """Draws the next token of every row, again and again.

    Args:
        samplings: one a row.
        seeds: one a row; the same seed draws the same numbers whatever the other rows do.
        prompts: token ids, one list a row.
        device: where the logits are.
    """

    def __init__(
        self,
        samplings: Sequence[Sampling],
        seeds: Sequence[int],
        prompts: Sequence[Sequence[int]],
        device: torch.device,
    ) -> None:
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        self._prompts = prompts
        self._device = device
        self._draws = [sampling.temperature > 0 for sampling in samplings]
        self._temperature = self._column([sampling.temperature or 1.0 for sampling in samplings])
        self._top_k = self._column([float(sampling.top_k or torch.inf) for sampling in samplings])
        self._top_p = self._column([sampling.top_p if sampling.top_p < 1 else torch.inf for sampling in samplings])
        self._min_p = self._column([sampling.min_p for sampling in samplings])
        self._repeat = self._column([sampling.repeat_penalty for sampling in samplings])
        self._presence = self._column([sampling.presence_penalty for sampling in samplings])
        self._frequency = self._column([sampling.frequency_penalty for sampling in samplings])
        self._penalises = any(
            sampling.repeat_penalty != 1 or sampling.presence_penalty or sampling.frequency_penalty
            for sampling in samplings
        )
        self._seen: Tensor | None = None
        self._counts: Tensor | None = None

    def _column(self, values: Sequence[float]) -> Tensor:
        return torch.tensor(values, dtype=torch.float64).unsqueeze(1).to(self._device)

    def draw(self, logits: Tensor) -> list[int]:
        """The next token of every row.

        Args:
            logits: float32, rows x vocabulary; left as they are.
        """
        scores = self._penalised(logits)
        tokens: list[int] = scores.argmax(dim=-1).tolist()
        if any(self._draws):
            drawn = self._drawn(scores)
            tokens = [drawn[row] if draws else tokens[row] for row, draws in enumerate(self._draws)]
        if self._counts is not None and self._seen is not None:
            at = torch.tensor(tokens, device=self._device).unsqueeze(1)
            self._counts.scatter_add_(1, at, torch.ones_like(at, dtype=self._counts.dtype))
            self._seen.scatter_(1, at, value=True)
        return tokens

    def _penalised(self, logits: Tensor) -> Tensor:
        if not self._penalises:
            return logits
        if self._seen is None or self._counts is None:
            self._seen = torch.zeros_like(logits, dtype=torch.bool)
            self._counts = torch.zeros_like(logits)
            for row, prompt in enumerate(self._prompts):
                self._seen[row, torch.tensor(prompt, device=self._device)] = True
        scores = logits.double()
        repeated = torch.where(scores < 0, scores * self._repeat, scores / self._repeat)
        scores = torch.where(self._seen, repeated, scores)
        return scores - self._frequency * self._counts - self._presence * (self._counts > 0)

    def _drawn(self, scores: Tensor) -> list[int]:
        """By the inverse of the distribution function, over the vocabulary from the likeliest token down.

        Sorting a whole vocabulary takes longer than the rest together, so the likeliest tokens are looked at first;
        where they do not decide, that row is sorted.
        """
        scaled = scores / self._temperature
        whole = scaled.logsumexp(dim=-1, keepdim=True)
        numbers = torch.stack([torch.rand(1, generator=one, dtype=torch.float64) for one in self._generators])
        numbers = numbers.to(self._device)
        ranked, order = scaled.topk(min(LIKELIEST, scaled.shape[1]), dim=-1)
        places, decided = self._places(ranked, whole, numbers, slice(None))
        tokens: list[int] = order.gather(1, places).squeeze(1).tolist()
        for row, known in enumerate(decided.squeeze(1).tolist()):
            if not known and self._draws[row]:
                one = slice(row, row + 1)
                ranked, order = scaled[one].sort(dim=-1, descending=True, stable=True)
                places, _ = self._places(ranked, whole[one], numbers[one], one)
                tokens[row] = int(order[0, places[0, 0]])
        return tokens

    def _places(self, ranked: Tensor, whole: Tensor, numbers: Tensor, rows: slice) -> tuple[Tensor, Tensor]:
        """Which of the ranked scores each row draws (rows x 1), and whether the tokens left out could not change it."""
        top_k, top_p, min_p = self._top_k[rows], self._top_p[rows], self._min_p[rows]
        ranks = torch.arange(ranked.shape[1], device=self._device)
        ranked = ranked.masked_fill(ranks >= top_k, -torch.inf)
        whole = torch.where(top_k <= ranked.shape[1], ranked.logsumexp(dim=-1, keepdim=True), whole)
        shares = (ranked - whole).exp()
        above = shares.cumsum(dim=-1) - shares
        keep = (above < top_p) & (shares >= min_p * shares[:, :1]) & (shares > 0)
        keep[:, 0] = True
        reached = (shares * keep).cumsum(dim=-1)
        uncut = (top_k == torch.inf) & (top_p == torch.inf) & (min_p == 0)
        wanted = numbers * torch.where(uncut, torch.ones_like(whole), reached[:, -1:])
        places = torch.searchsorted(reached, wanted, right=True)
        decided = ~keep[:, -1:] | (uncut & (wanted < reached[:, -1:]))
        decided &= (top_k <= ranked.shape[1]) | (top_k == torch.inf)
        return places.minimum(keep.sum(dim=-1, keepdim=True) - 1), decided
