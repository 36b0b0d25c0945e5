"""Adapters from the operations that the bug log names to this package: texts measured, refusals, safe printing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from multiturn.signals.refusal import refusal
from multiturn.text.measure import count_sentences, count_words, is_blank
from multiturn.text.printable import printable

_LABELS = {"full": "refusal", "partial": "partial", "none": "none"}


def _count_sentences(case: dict[str, Any]) -> dict[str, Any]:
    return {"count": count_sentences(case["text"])}


def _count_words(case: dict[str, Any]) -> dict[str, Any]:
    return {"count": count_words(case["text"])}


def _describe_answer(case: dict[str, Any]) -> dict[str, Any]:
    text = case["text"] or ""
    tokens = case.get("special_tokens", [])
    seen = text
    for token in tokens:
        seen = seen.replace(token, "")
    return {
        "empty": is_blank(text, tokens),
        "words": count_words(seen),
        "refusal": refusal(text, control_tokens=tokens).kind != "none",
    }


def _is_refusal(case: dict[str, Any]) -> dict[str, Any]:
    return {"label": _LABELS[refusal(case["text"] or "").kind]}


def _print_text(case: dict[str, Any]) -> dict[str, Any]:
    """What reaches the terminal. ``forbidden_codepoints`` and ``keeps`` echo what was asked where it holds."""
    stored = case["text"]
    copy = str(stored)
    printed = printable(stored)
    return {
        "printed": printed,
        "forbidden_codepoints": [f"{ord(char):04x}" for char in printed if _moves_the_terminal(char)],
        "lone_cr": "\r" in printed,
        "stored_unchanged": stored == copy,
    }


def _moves_the_terminal(char: str) -> bool:
    return (
        (ord(char) < 0x20 and char not in "\n\t")
        or 0x7F <= ord(char) <= 0x9F
        or char in "\u202a\u202b\u202c\u202d\u202e"
    )


OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "count_sentences": _count_sentences,
    "count_words": _count_words,
    "describe_answer": _describe_answer,
    "is_refusal": _is_refusal,
    "print_text": _print_text,
}
