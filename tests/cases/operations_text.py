"""Adapters from the operations that the bug log names to this package: texts measured, numbers, refusals, safe printing."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from multiturn.checks.number_check import GivesNumber
from multiturn.checks.numbers import numbers_in
from multiturn.text.measure import count_sentences, count_words, is_blank
from multiturn.text.printable import printable
from multiturn.text.refusal import refusal
from multiturn.transcript import Session, Transcript, TurnRecord

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LABELS = {"full": "refusal", "partial": "partial", "none": "none"}


def _count_sentences(case: dict[str, Any]) -> dict[str, Any]:
    return {"count": count_sentences(case["text"])}


def _count_words(case: dict[str, Any]) -> dict[str, Any]:
    return {"count": count_words(case["text"])}


def _check_number(case: dict[str, Any]) -> dict[str, Any]:
    check = GivesNumber(value=Decimal(str(case["target"])))
    record = TurnRecord(turn=0, user="How many?", status="ok", reply=case["text"])
    result = check(Transcript(session=Session("a"), turns=()), record)
    return {"passed": result.outcome == "pass"}


def _extract_number(case: dict[str, Any]) -> dict[str, Any]:
    found = numbers_in(case["text"])
    last = [one for one in found if one.counts == "always"] or [one for one in found if one.counts == "if_alone"]
    return {"value": float(last[-1].value) if last else None}


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
    """What reaches the terminal, what of the text does not (but for line ends), and what of its words and layout does."""
    stored = case["text"]
    copy = str(stored)
    printed = printable(stored)
    parts = dict.fromkeys(re.findall(r"[a-z]{3,}|[\t\n]", _COLOUR.sub("", stored)))
    return {
        "printed": printed,
        "forbidden_codepoints": [f"{ord(char):04x}" for char in dict.fromkeys(stored) if char not in {*printed, "\r"}],
        "keeps": [part for part in parts if part in printed],
        "lone_cr": "\r" in printed,
        "stored_unchanged": stored == copy,
    }


OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "check_number": _check_number,
    "count_sentences": _count_sentences,
    "count_words": _count_words,
    "describe_answer": _describe_answer,
    "extract_number": _extract_number,
    "is_refusal": _is_refusal,
    "print_text": _print_text,
}
