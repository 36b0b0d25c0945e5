"""Log-probabilities in what OpenAI-compatible servers send: of each token, and of the likeliest in its place. Pure.

The chat route has a list of tokens with theirs, the text route lists side by side; servers disagree on the rest.
"""

from __future__ import annotations

import math
from typing import Any

from multiturn.transcript import Piece


def token_logprobs(found: Any) -> tuple[float, ...] | None:  # noqa: ANN401 - servers disagree on the shape
    """Of each token, from the chat route's list or the text route's; None where it is neither."""
    if not isinstance(found, dict):
        return None
    content, plain = found.get("content"), found.get("token_logprobs")
    numbers = [one.get("logprob") for one in content if isinstance(one, dict)] if isinstance(content, list) else plain
    if not isinstance(numbers, list) or not all(isinstance(number, int | float) for number in numbers):
        return None
    return tuple(float(number) for number in numbers)


def pieces(found: Any) -> tuple[Piece, ...] | None:  # noqa: ANN401 - servers disagree on the shape
    """Each token with the likeliest in its place; None where any of it is missing."""
    numbers = token_logprobs(found)
    if numbers is None:
        return None
    content = found.get("content")
    if isinstance(content, list):
        tokens = [one for one in content if isinstance(one, dict)]
        texts = [one.get("token") for one in tokens]
        others = [_listed(one.get("top_logprobs")) for one in tokens]
    else:
        texts, mapped = found.get("tokens"), found.get("top_logprobs")
        others = [_mapped(one) for one in mapped] if isinstance(mapped, list) else []
    if not isinstance(texts, list) or not len(texts) == len(numbers) == len(others):
        return None
    told = [
        Piece(text=text, logprob=number, alternatives=likely)
        for text, number, likely in zip(texts, numbers, others, strict=True)
        if isinstance(text, str) and likely
    ]
    return tuple(told) if told and len(told) == len(texts) else None


def _listed(found: Any) -> tuple[tuple[str, float], ...]:  # noqa: ANN401 - servers disagree on the shape
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return ()
    return _numbers([(one.get("token"), one.get("logprob")) for one in found])


def _mapped(found: Any) -> tuple[tuple[str, float], ...]:  # noqa: ANN401 - servers disagree on the shape
    return _numbers(list(found.items())) if isinstance(found, dict) else ()


def _numbers(pairs: list[tuple[Any, Any]]) -> tuple[tuple[str, float], ...]:
    """Those with a text and a number; a token that is impossible (null) is left out."""
    return tuple(
        (text, float(number))
        for text, number in pairs
        if isinstance(text, str) and isinstance(number, int | float) and math.isfinite(number)
    )
