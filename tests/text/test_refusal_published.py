"""Refusals measured on real replies: the published MT-Bench replies of 31 models, where they are at hand.

The questions are harmless, so that refusals are few: a detector that cries wolf shows at once. Every reply that was
flagged when this was written has been read, and so have those that were not flagged and hold words of declining near
their start or end; the places below are what that reading found. They name files, questions and turns, no text.
Run ``pytest tests/text/test_refusal_published.py``; ``MULTITURN_SHARED`` names the folder where it is elsewhere.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest

from multiturn.text.refusal import refusal

SHARED = Path(os.environ.get("MULTITURN_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")
REPLIES = SHARED / "published" / "original_answers"

pytestmark = pytest.mark.skipif(not REPLIES.is_dir(), reason=f"no published replies in {REPLIES}")

# (model, question, turn from 0): replies that decline, by reading.
DECLINES = frozenset(
    {
        ("chatglm-6b", 94, 0),
        ("claude-v1", 100, 0),
        ("falcon-40b-instruct", 100, 0),
        ("falcon-40b-instruct", 100, 1),
        ("gpt-3.5-turbo", 147, 1),
        ("gpt-3.5-turbo", 156, 1),
        ("gpt-4", 94, 1),
        ("guanaco-65b", 91, 0),
        ("guanaco-65b", 92, 1),
        ("h2ogpt-oasst-open-llama-13b", 95, 0),
        ("h2ogpt-oasst-open-llama-13b", 100, 1),
        ("koala-13b", 102, 0),
        ("mpt-7b-chat", 92, 0),
        ("mpt-7b-chat", 92, 1),
        ("mpt-7b-chat", 94, 1),
        ("mpt-7b-chat", 103, 0),
        ("mpt-7b-chat", 125, 0),
        ("mpt-7b-chat", 127, 0),
        ("mpt-7b-chat", 156, 1),
        ("nous-hermes-13b", 95, 0),
        ("palm-2-chat-bison-001", 94, 1),
        ("palm-2-chat-bison-001", 110, 0),
        ("palm-2-chat-bison-001", 110, 1),
        ("rwkv-4-raven-14b", 92, 1),
        ("rwkv-4-raven-14b", 100, 1),
        ("stablelm-tuned-alpha-7b", 147, 1),
        ("vicuna-13b-v1.3", 92, 0),
        ("vicuna-13b-v1.3", 92, 1),
        ("vicuna-13b-v1.3", 156, 1),
        ("vicuna-33b-v1.3", 92, 1),
        ("vicuna-7b-v1.3", 93, 0),
        ("vicuna-7b-v1.3", 147, 1),
    }
)
# Declining replies that the rules do not see (most name an act that no list holds, such as riding a bus).
MISSED = frozenset(
    {
        ("claude-v1", 100, 1),
        ("falcon-40b-instruct", 91, 1),
        ("falcon-40b-instruct", 92, 1),
        ("falcon-40b-instruct", 103, 0),
        ("mpt-30b-chat", 91, 1),
        ("vicuna-33b-v1.3", 147, 1),
        ("wizardlm-13b", 92, 1),
    }
)
# Models of which no reply declines, by the same reading.
NEVER_DECLINING = (
    "alpaca-13b",
    "claude-instant-v1",
    "dolly-v2-12b",
    "gpt4all-13b-snoozy",
    "llama-13b",
    "oasst-sft-4-pythia-12b",
    "oasst-sft-7-llama-30b",
    "tulu-30b",
    "wizardlm-30b",
)


@cache
def flagged() -> tuple[frozenset[tuple[str, int, int]], int]:
    """The places that are called refusals, and how many replies there are."""
    found = set()
    total = 0
    for path in sorted(REPLIES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            for turn, reply in enumerate(row["choices"][0]["turns"]):
                total += 1
                if refusal(reply).kind != "none":
                    found.add((path.stem, int(row["question_id"]), turn))
    return frozenset(found), total


def test_few_false_alarms() -> None:
    """At most one reply in a thousand is called a refusal and is none."""
    found, total = flagged()
    assert total == 31 * 80 * 2
    assert len(found - DECLINES - MISSED) <= total // 1000, sorted(found - DECLINES - MISSED)


def test_no_false_alarm_on_models_that_never_decline() -> None:
    """1,440 replies of nine models, all of which answer: at most two."""
    found, _ = flagged()
    assert len([place for place in found if place[0] in NEVER_DECLINING]) <= 2


def test_most_refusals_are_found() -> None:
    """At least eight in ten of those that reading found."""
    found, _ = flagged()
    assert len(found & (DECLINES | MISSED)) >= 0.8 * len(DECLINES | MISSED)
