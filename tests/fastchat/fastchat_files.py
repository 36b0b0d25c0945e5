"""FastChat's files as tests write them: two questions, two models, a judge."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

SHARED: Final = Path(os.environ.get("MULTITURN_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")
PUBLISHED: Final = SHARED / "published"
MTBENCH: Final = PUBLISHED / "fastchat" / "data" / "mt_bench" / "question.jsonl"

QUESTIONS: Final = (
    {"question_id": 1, "category": "writing", "turns": ["Write a line.", "Shorter."]},
    {"question_id": 2, "category": "math", "turns": ["2+2?", "And 3?"], "reference": ["4", "7"]},
)
Row = Mapping[str, object]


def answer(question: int, *choices: tuple[object, ...]) -> Row:
    turns = [{"index": index, "turns": list(texts)} for index, texts in enumerate(choices)]
    return {"question_id": question, "answer_id": "x", "model_id": "m", "choices": turns, "tstamp": 1.5}


def single(question: int, model: str, turn: int, score: float | str | None, **more: object) -> Row:
    name = ("single-math-v1" if question == 2 else "single-v1") + ("" if turn == 1 else "-multi-turn")
    row: dict[str, object] = {
        "question_id": question,
        "model": model,
        "judge": ["judy", name],
        "user_prompt": "",
        "judgment": f"Fine. [[{score}]]",
        "score": score,
        "turn": turn,
        "tstamp": 100.0,
    }
    return row | more


def pair(question: int, first: str, second: str, **more: object) -> Row:
    row: dict[str, object] = {
        "question_id": question,
        "model_1": "base",
        "model_2": "tuned",
        "g1_winner": first,
        "g2_winner": second,
        "judge": ["judy", "pair-math-v1" if question == 2 else "pair-v2"],
        "g1_user_prompt": "",
        "g1_judgment": "[[A]]",
        "g2_user_prompt": "",
        "g2_judgment": "[[B]]",
        "turn": 1,
        "tstamp": 100.0,
    }
    return row | more


def lines(rows: Iterable[object]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def write(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(rows))
    return path


def bench(folder: Path) -> Path:
    """FastChat's own folder: two models that answered both questions, and what a judge said of them."""
    write(folder / "question.jsonl", *QUESTIONS)
    write(folder / "model_answer" / "base.jsonl", answer(1, ("A line.", "Line.")), answer(2, ("4", "7")))
    write(folder / "model_answer" / "tuned.jsonl", answer(1, ("Words.", "W.")), answer(2, ("5", "ERROR")))
    write(
        folder / "model_judgment" / "judy_single.jsonl",
        *(single(question, "base", turn, 7 + question) for question in (1, 2) for turn in (1, 2)),
        single(1, "tuned", 1, -1, judgment="I like it."),
    )
    write(folder / "model_judgment" / "judy_pair.jsonl", pair(1, "model_1", "model_1"), pair(2, "tie", "error"))
    write(folder / "reference_answer" / "gpt-4.jsonl", answer(2, ("four", "seven")))
    return folder
