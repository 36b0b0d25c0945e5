"""Temperatures by category: MT-Bench's own, and how they are typed. Pure.

MT-Bench draws creative tasks freely and those with one right answer greedily (L. Zheng et al., "Judging LLM-as-a-Judge
with MT-Bench and Chatbot Arena", NeurIPS 2023; the values are those of FastChat's own settings).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, get_args

from multiturn.conversation import Category
from multiturn.errors import UsageError
from multiturn.transcript import Sampling

MTBENCH: Final = "mtbench"
MTBENCH_TEMPERATURES: Final[Mapping[Category, float]] = {
    "writing": 0.7,
    "roleplay": 0.7,
    "extraction": 0.0,
    "math": 0.0,
    "coding": 0.0,
    "reasoning": 0.0,
    "stem": 0.1,
    "humanities": 0.1,
}
"""Anything else is drawn at 0.7, which is the usual temperature of ours too."""
MTBENCH_TOKENS: Final = 1024
"""New tokens of a reply at most."""
GREEDY_BELOW: Final = 1e-4
"""A temperature below this is greedy."""
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
HINT: Final = f"--temperatures {MTBENCH}, or --temperatures CATEGORY=T with one of {', '.join(CATEGORIES)}"


def read_temperatures(words: Iterable[str]) -> dict[Category, float]:
    """What ``mtbench`` and ``CATEGORY=T`` ask for; a later word counts before an earlier one.

    Raises:
        UsageError: a word is neither, or its temperature is out of range.
    """
    found: dict[Category, float] = {}
    for word in words:
        category, equals, number = word.partition("=")
        if word == MTBENCH:
            found |= MTBENCH_TEMPERATURES
        elif not equals or category not in CATEGORIES:
            raise UsageError(f"--temperatures {word!r} names no category", hint=HINT)
        else:
            found[category] = _temperature(number, word)
    return {category: found[category] for category in CATEGORIES if category in found}


def typed_temperatures(temperatures: Mapping[Category, float]) -> list[str]:
    """The words that ask for these temperatures."""
    if temperatures == MTBENCH_TEMPERATURES:
        return [MTBENCH]
    return [f"{category}={str(value).removesuffix('.0')}" for category, value in temperatures.items()]


def _temperature(number: str, word: str) -> float:
    try:
        value = Sampling(temperature=float(number)).temperature
    except ValueError as error:
        told = "is no number" if "could not convert" in str(error) else f"is out of range: {error}"
        raise UsageError(f"--temperatures {word!r}: {number!r} {told}", hint=HINT) from None
    return value if value >= GREEDY_BELOW else 0.0
