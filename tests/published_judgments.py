"""Published judgments, read as the values that this project has for them; only for tests, where the files are at hand.

``MULTITURN_SHARED`` names the folder where it is elsewhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path
from typing import cast

from multiturn.conversation import Conversation, Suite, Turn
from multiturn.judgment import Judged, Judgment, Preference, Question, Rating, Seat, Unreadable, Winner

SHARED = Path(os.environ.get("MULTITURN_SHARED") or Path(__file__).resolve().parents[2] / "shared")
PUBLISHED = SHARED / "published"
MISSING = f"no published judgments in {PUBLISHED}"
UNREADABLE = Unreadable(kind="no_verdict", fault="the file says so")


def rows(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (PUBLISHED / name).read_text(encoding="utf-8").splitlines()]


@cache
def mt_bench() -> Suite:
    """The 80 conversations of two turns, with their categories."""
    return Suite(
        name="mt_bench",
        conversations=tuple(
            Conversation(
                id=str(row["question_id"]),
                category=row["category"],  # type: ignore[arg-type]  # one of the eight
                turns=tuple(Turn(text=text) for text in row["turns"]),  # type: ignore[attr-defined]
            )
            for row in rows("fastchat/data/mt_bench/question.jsonl")
        ),
    )


def ratings(name: str, prompts: Container[str] | None = None) -> Iterator[Judged]:
    """The single judgments of a file; ``prompts`` are the names of the prompts that are wanted, None is all."""
    for row in rows(name):
        judge, prompt = cast("list[str]", row["judge"])
        if prompts is not None and prompt not in prompts:
            continue
        grade = float(row["score"])  # type: ignore[arg-type]
        said: Judgment = UNREADABLE if grade == -1 else Rating(value=grade)
        turn = int(row["turn"]) - 1  # type: ignore[call-overload]
        run, conversation = str(row["model"]), str(row["question_id"])
        asked = Question(mode="rating", run=run, conversation=conversation, turn=turn)
        yield Judged(judge=judge, question=asked, judgment=said)


def preferences(name: str) -> Iterator[Judged]:
    """The two games of each row of a file of pairs."""
    seats: tuple[tuple[str, Seat], ...] = (("g1_winner", "first"), ("g2_winner", "second"))
    for row in rows(name):
        run, opponent = str(row["model_1"]), str(row["model_2"])
        for field, seat in seats:
            asked = Question(
                mode="preference",
                run=run,
                opponent=opponent,
                conversation=str(row["question_id"]),
                turn=int(row["turn"]) - 1,  # type: ignore[call-overload]
                seat=seat,
            )
            said = _said(str(row[field]), seat)
            yield Judged(judge=cast("list[str]", row["judge"])[0], question=asked, judgment=said)


def _said(winner: str, seat: Seat) -> Judgment:
    """A game's winner, which a file has by model, by where that model sat."""
    if winner == "error":
        return UNREADABLE
    if winner == "tie":
        return Preference(winner="tie")
    sat: dict[tuple[str, Seat], Winner] = {
        ("model_1", "first"): "first",
        ("model_2", "first"): "second",
        ("model_1", "second"): "second",
        ("model_2", "second"): "first",
    }
    return Preference(winner=sat[winner, seat])
