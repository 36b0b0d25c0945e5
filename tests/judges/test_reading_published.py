"""Published judgments, read again, where they are at hand: the scores that were stored with them come out.

``MULTITURN_SHARED`` names the folder where it is elsewhere.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from multiturn.judges.reading import read_preference, read_rating
from multiturn.judgment import Preference, Rating, Winner
from multiturn.rubric import Scale

SHARED = Path(os.environ.get("MULTITURN_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")
PUBLISHED = SHARED / "published"

pytestmark = pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"no published judgments in {PUBLISHED}")

UNREADABLE: Final = -1
SEATS: Final[tuple[dict[str, Winner], ...]] = (
    {"model_1": "first", "model_2": "second", "tie": "tie"},
    {"model_1": "second", "model_2": "first", "tie": "tie"},
)


def rows(file: str) -> list[dict[str, Any]]:
    """The rows of a file."""
    return [json.loads(line) for line in (PUBLISHED / file).read_text(encoding="utf-8").splitlines()]


def ratings(file: str) -> Iterator[tuple[float | None, float | str]]:
    """The stored score of each row (None for -1), and the grade that is read now, or why there is none."""
    for row in rows(file):
        stored = None if row["score"] == UNREADABLE else row["score"]
        read = read_rating(row["judgment"], Scale(), turn=row["turn"] - 1)
        yield stored, read.value if isinstance(read, Rating) else read.kind


def games(file: str) -> Iterator[tuple[Winner | None, str]]:
    """The stored winner of each game by seats (None for an error), and the one that is read now, or why there is none."""
    for row in rows(file):
        for name, seats in zip(("g1", "g2"), SEATS, strict=True):
            read = read_preference(row[f"{name}_judgment"], turn=row["turn"] - 1)
            yield seats.get(row[f"{name}_winner"]), read.winner if isinstance(read, Preference) else read.kind


@pytest.mark.parametrize(
    ("file", "count"),
    [("claude/gpt-4_single.jsonl", 320), ("phi3/gpt-4_single.jsonl", 160), ("routellm/judgements.jsonl", 320)],
)
def test_gpt_4s_ratings_are_read_as_they_were_stored(file: str, count: int) -> None:
    """Every row, those with code and with several numbers in it too."""
    read = list(ratings(file))
    assert len(read) == count
    assert [row for row in read if row[0] != row[1]] == []


def differing(read: Iterator[tuple[object, object]]) -> Counter[tuple[object, object]]:
    """How many rows are read otherwise than stored, by what was stored and what is read."""
    return Counter(row for row in read if row[0] != row[1])


def test_gpt_4s_games_are_read_as_they_were_stored() -> None:
    """The three errors are of two pairs where the judge could not be asked: the stored text is ``$ERROR$``."""
    assert differing(games("phi3/gpt-4_pair.jsonl")) == {(None, "no_verdict"): 3}


def test_what_is_read_otherwise_of_the_replication() -> None:
    """Each disagreement by its reason; what is read with a score has the stored one.

    gpt-4o-mini: 174 texts are empty, stored as -1. qwen2.5-32b: the same 174; two more hold a lesson plan of the judge's
    own instead of a verdict, and one labels three grades (``Rating: [[8]] for the first response and [[6]]...``, then
    the mean). Of games, 13 texts are empty; two name the seat in quotes, ``[["B"]]``, which was stored
    as an error and says what it says; three hold the verdict in a code block and two in a quotation that no plain
    sentence announces: only what is the judge's own counts, so these would be asked again.
    """
    assert differing(ratings("repro_en/gpt-4o-mini_single.jsonl")) == {(None, "empty"): 174}
    assert differing(ratings("repro_en/qwen2.5-32b_single.jsonl")) == {
        (None, "empty"): 174,
        (None, "no_verdict"): 2,
        (7, "ambiguous"): 1,
    }
    assert differing(games("repro_en/gpt-4o-mini_pair.jsonl")) == {(None, "empty"): 13}
    assert differing(games("repro_en/qwen2.5-32b_pair.jsonl")) == {
        (None, "first"): 1,
        (None, "second"): 1,
        ("first", "no_verdict"): 3,
        ("second", "no_verdict"): 1,
        ("tie", "no_verdict"): 1,
    }
