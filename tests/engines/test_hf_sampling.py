"""The draw of one token: the distributions of transformers' own processors, and rows that do not see each other."""

from __future__ import annotations

import importlib.util
import math
from collections import Counter
from typing import Any

import pytest

from multiturn.transcript import Sampling

if importlib.util.find_spec("torch") is None or importlib.util.find_spec("transformers") is None:
    pytest.skip("needs torch and transformers: pip install '.[transformers]'", allow_module_level=True)

import torch
from transformers.generation import logits_process

from multiturn.engines import hf_sampling
from multiturn.engines.hf_sampling import Sampler

CPU = torch.device("cpu")
VOCABULARY = 600
PROMPT = [3, 5, 8, 13, 21]


def logits(rows: int = 1, *, seed: int = 0, spread: float = 2.0) -> Any:  # noqa: ANN401 - a tensor
    made = torch.randn((rows, VOCABULARY), generator=torch.Generator().manual_seed(seed)) * spread
    return made.float()


def expected(sampling: Sampling, scores: Any) -> Any:  # noqa: ANN401 - tensors
    """The distribution that transformers' processors leave, in our order."""
    chain: list[Any] = []
    if sampling.repeat_penalty != 1:
        chain.append(logits_process.RepetitionPenaltyLogitsProcessor(sampling.repeat_penalty))
    chain.append(logits_process.TemperatureLogitsWarper(sampling.temperature))
    if sampling.top_k:
        chain.append(logits_process.TopKLogitsWarper(sampling.top_k))
    if sampling.top_p < 1:
        chain.append(logits_process.TopPLogitsWarper(sampling.top_p))
    if sampling.min_p:
        chain.append(logits_process.MinPLogitsWarper(sampling.min_p))
    ids = torch.tensor([PROMPT])
    for processor in chain:
        scores = processor(ids, scores)
    return scores.double().softmax(dim=-1)[0]


def drawn(sampling: Sampling, scores: Any, times: int) -> Counter[int]:  # noqa: ANN401 - a tensor
    """Draws from one distribution, each with a seed of its own."""
    rows = scores.expand(times, -1)
    return Counter(Sampler([sampling] * times, range(times), [PROMPT] * times, CPU).draw(rows))


SETTINGS = [
    Sampling(temperature=0.7, top_p=0.9),
    Sampling(temperature=1.0, top_p=1.0),
    Sampling(temperature=1.5, top_p=1.0, top_k=7),
    Sampling(temperature=1.0, top_p=0.5, top_k=40),
    Sampling(temperature=1.0, top_p=1.0, min_p=0.2),
    Sampling(temperature=0.8, top_p=0.8, top_k=50, min_p=0.05, repeat_penalty=1.3),
    Sampling(temperature=1.0, top_p=0.999, top_k=300),
]


@pytest.mark.parametrize("sampling", SETTINGS, ids=repr)
@pytest.mark.parametrize("likeliest", [hf_sampling.LIKELIEST, 5])
def test_tokens_come_from_the_distribution_of_transformers(
    sampling: Sampling, likeliest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No token that its processors rule out, and every share within four standard errors; also by the longer way."""
    monkeypatch.setattr(hf_sampling, "LIKELIEST", likeliest)
    scores, times = logits(), 2500
    wanted = expected(sampling, scores)
    found = drawn(sampling, scores, times)
    assert all(wanted[token] > 0 for token in found)
    for token in wanted.topk(5).indices.tolist():
        share = float(wanted[token])
        assert abs(found[token] / times - share) < 4 * math.sqrt(share * (1 - share) / times) + 1e-9


def test_temperature_0_is_the_likeliest_token_and_takes_no_chance() -> None:
    """Whatever the seed; ties go to the first."""
    scores = logits(3)
    for seed in range(3):
        greedy = Sampler([Sampling(temperature=0.0)] * 3, [seed] * 3, [PROMPT] * 3, CPU)
        assert greedy.draw(scores) == scores.argmax(dim=-1).tolist()


@pytest.mark.parametrize("sampling", SETTINGS, ids=repr)
def test_a_row_draws_the_same_beside_other_rows(sampling: Sampling) -> None:
    """Its tokens rest on its own logits, its own settings and its own seed, over many steps."""
    steps = [logits(6, seed=step) for step in range(12)]
    others = [Sampling(temperature=0.0), Sampling(temperature=2.0, top_k=3, presence_penalty=2.0), *SETTINGS[:3]]
    alone = Sampler([sampling], [7], [PROMPT], CPU)
    together = Sampler([*others, sampling], [*range(5), 7], [*[[index] for index in range(5)], PROMPT], CPU)
    for scores in steps:
        assert together.draw(scores)[5] == alone.draw(scores[5:])[0]


def test_another_seed_draws_other_tokens() -> None:
    """And the same seed the same."""
    scores = logits(spread=0.5)
    sampling = Sampling(temperature=1.0, top_p=1.0)
    tokens = [Sampler([sampling], [seed], [PROMPT], CPU).draw(scores)[0] for seed in (1, 2, 1)]
    assert tokens[0] == tokens[2] != tokens[1]


def test_penalties_on_what_was_said() -> None:
    """As vLLM has them: a token of the reply loses the presence penalty once and the frequency penalty each time.

    The prompt counts for the repeat penalty alone.
    """
    said, prompt, rest = 4, 5, 6
    scores = torch.full((1, 10), -5.0)
    scores[0, said], scores[0, prompt], scores[0, rest] = 3.0, 2.5, 1.0
    penalised = Sampling(temperature=0.0, presence_penalty=0.3, frequency_penalty=0.15)
    sampler = Sampler([penalised], [0], [[prompt]], CPU)
    # 3, 2.55, 2.4 against 2.5; then 2.5 - 0.45 = 2.05 against 2.4; then 2.25 against 2.05
    assert [sampler.draw(scores)[0] for _ in range(5)] == [said, said, prompt, said, said]
    repeated = Sampling(temperature=0.0, repeat_penalty=4.0)
    assert Sampler([repeated], [0], [[said, prompt]], CPU).draw(scores) == [rest]


def test_logits_are_left_as_they_are() -> None:
    """They are what log-probabilities are taken from afterwards."""
    scores = logits(2)
    before = scores.clone()
    sampler = Sampler([SETTINGS[5], Sampling(temperature=0.0, presence_penalty=1.0)], [0, 1], [PROMPT] * 2, CPU)
    sampler.draw(scores)
    assert torch.equal(scores, before)
