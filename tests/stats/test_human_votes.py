"""People's published votes on pairs of MT-Bench replies, ranked, where they are at hand.

Run ``pytest tests/stats/test_human_votes.py``; ``MULTITURN_SHARED`` names the folder where it is elsewhere.
"""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import pytest

from multiturn.ranking import Preferred, Strength, Winner
from multiturn.stats.bradley_terry import rank_preferences

SHARED = Path(os.environ.get("MULTITURN_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")
VOTES = SHARED / "published" / "human_votes" / "votes_light.jsonl"

pytestmark = pytest.mark.skipif(not VOTES.is_file(), reason=f"no published votes in {VOTES}")


def interval_of(one: Strength) -> tuple[float, float]:
    assert one.strength is not None
    assert one.strength.low is not None
    assert one.strength.high is not None
    return one.strength.low, one.strength.high


def published() -> tuple[list[Preferred], list[Preferred], int]:
    """The votes of people and of GPT-4 on pairs of MT-Bench replies, and how many votes the authors add."""
    people: list[Preferred] = []
    model: list[Preferred] = []
    authors = 0
    words: dict[str, Winner] = {"model_a": "a", "model_b": "b"}
    for line in VOTES.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if str(row["judge"]).startswith("author"):
            authors += 1
            continue
        one = Preferred(
            conversation=str(row["question_id"]),
            turn=row["turn"] - 1,
            a=row["model_a"],
            b=row["model_b"],
            winner="tie" if "tie" in row["winner"] else words[row["winner"]],
            by=str(row["judge"]),
        )
        (people if isinstance(row["judge"], str) else model).append(one)
    return people, model, authors


def test_votes_of_people_on_mt_bench_give_its_published_order() -> None:
    """The order of the published MT-Bench scores (L. Zheng et al., "Judging LLM-as-a-judge with MT-Bench and Chatbot
    Arena", 2023): GPT-4 8.99, GPT-3.5 7.94, Claude-v1 7.90, Vicuna-13B 6.39, Alpaca-13B 4.53, LLaMA-13B 2.61.

    Between the two that lie 0.04 apart people's votes leave it open; every other pair's intervals lie apart. GPT-4's
    own votes give the same order, those two aside.
    """  # noqa: D205 - one sentence with its source
    people, model, authors = published()
    assert len(people) + authors == 1751
    found = rank_preferences(people)
    order = ["gpt-4", "gpt-3.5-turbo", "claude-v1", "vicuna-13b-v1.2", "alpaca-13b", "llama-13b"]
    assert [one.arm for one in found.arms] == order
    ends = [interval_of(one) for one in found.arms]
    overlap = [better[0] <= worse[1] for better, worse in itertools.pairwise(ends)]
    assert overlap == [False, True, False, False, False]
    judged = [one.arm for one in rank_preferences(model).arms]
    assert judged[:1] + sorted(judged[1:3]) + judged[3:] == order[:1] + sorted(order[1:3]) + order[3:]
