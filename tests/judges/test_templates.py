"""FastChat's judge prompts: the right one is taken, and it comes out to the byte as FastChat sent it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from tests.judges.shown import exhibit, question, record, transcript

from multiturn.conversation import Category, Message
from multiturn.errors import UsageError
from multiturn.judges.prompts import again, asked
from multiturn.judges.rubrics import load_rubric
from multiturn.judgment import Exhibit, Seat
from multiturn.rubric import Mode, Rubric, Scale, Template
from multiturn.transcript import Transcript

SHARED: Final = Path(os.environ.get("MULTITURN_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")
PUBLISHED: Final = SHARED / "published"
BENCH: Final = PUBLISHED / "fastchat" / "data" / "mt_bench"
REFERENCES: Final = BENCH / "reference_answer" / "gpt-4.jsonl"
"""What published judgments were made with; the corrected ``gpt-4-0125-preview.jsonl`` came later and is in none."""

published = pytest.mark.skipif(not BENCH.is_dir(), reason=f"no published judgments in {PUBLISHED}")


def one_turn(name: str, *places: str, reference: bool = False) -> Template:
    return Template(
        name=name, system="S", prompt="|".join(f"{{{place}}}" for place in places), turns=1, reference=reference
    )


RATING: Final = Rubric(
    name="mine",
    version="1",
    mode="rating",
    scale=Scale(),
    templates=(
        one_turn("general", "question", "answer"),
        one_turn("guided", "question", "ref_answer_1", "answer", reference=True),
        Template(name="second", system="", prompt="{question_1}|{answer_1}|{question_2}|{answer_2}", turns=2),
        Template(name="both", system="", prompt="{ref_answer_1}|{ref_answer_2}|{answer_2}", turns=2, reference=True),
    ),
)
PAIR: Final = Rubric(
    name="mine", version="1", mode="preference", templates=(one_turn("pair", "question", "answer_a", "answer_b"),)
)


def prompt(rubric: Rubric, shown: Exhibit, turn: int | None, *, goldens: bool = True, seat: Seat = "first") -> str:
    asking = asked(rubric, question(rubric.mode, turn, seat), shown, schema=False, goldens=goldens, seed=3)
    assert asking.mark == ""
    return asking.messages[-1].content


def test_the_judged_turn_decides_how_many_are_shown() -> None:
    """Those up to it; an empty system text is no message."""
    shown = exhibit(transcript("a", "b"))
    assert prompt(RATING, shown, 0) == "message 1|a"
    assert prompt(RATING, shown, 1) == "message 1|a|message 2|b"
    first, second = (
        asked(RATING, question("rating", turn), shown, schema=False, goldens=False, seed=0) for turn in (0, 1)
    )
    assert first.messages[0] == Message("system", "S")
    assert [message.role for message in second.messages] == ["user"]


@pytest.mark.parametrize("category", ["math", "reasoning", "coding"])
def test_references_are_shown_for_the_categories_that_need_them(category: Category) -> None:
    """Where the suite has them and they are asked for."""
    shown = exhibit(transcript("a"), goldens=("gold",), category=category)
    assert prompt(RATING, shown, 0) == "message 1|gold|a"
    assert prompt(RATING, shown, 0, goldens=False) == "message 1|a"
    assert prompt(RATING, exhibit(transcript("a"), category=category), 0) == "message 1|a"


@pytest.mark.parametrize("category", ["writing", "stem", None])
def test_other_categories_are_judged_without(category: Category | None) -> None:
    """Even where the suite has golden replies."""
    assert prompt(RATING, exhibit(transcript("a"), goldens=("gold",), category=category), 0) == "message 1|a"


@pytest.mark.parametrize(
    ("goldens", "made_of"),
    [(("g", "h"), "g|h|b"), ((None, "h"), "message 1|a|message 2|b"), (("g",), "message 1|a|message 2|b")],
)
def test_every_turn_shown_must_have_its_reference(goldens: tuple[str | None, ...], made_of: str) -> None:
    """Else the turn is judged without any."""
    assert prompt(RATING, exhibit(transcript("a", "b"), goldens=goldens, category="math"), 1) == made_of


def test_the_second_seat_is_the_second_game() -> None:
    """The same replies, the other way round."""
    shown = exhibit(transcript("mine"), transcript("theirs"))
    assert prompt(PAIR, shown, 0) == "message 1|mine|theirs"
    assert prompt(PAIR, shown, 0, seat="second") == "message 1|theirs|mine"


def test_replies_are_put_in_as_they_stand() -> None:
    """Braces, control tokens and line ends, too: that is what FastChat does."""
    text = "{question} {0.__class__} <|im_end|> \\n\r\n "
    assert prompt(RATING, exhibit(transcript(text)), 0) == f"message 1|{text}"


def test_a_reply_that_is_not_there_is_named() -> None:
    """FastChat would show an error's text as if the model had said it."""
    assert prompt(RATING, exhibit(transcript(record(0, None, "overflowed"))), 0) == "message 1|[no reply: overflowed]"


@pytest.mark.parametrize(
    ("rubric", "turn", "told"),
    [
        (RATING, 2, "no prompt for turn 3, only for turn 1 and turn 2"),
        (PAIR, 1, "no prompt for turn 2, only for turn 1"),
        (PAIR, None, "no prompt for a conversation as a whole, only for turn 1"),
    ],
)
def test_what_has_no_prompt_is_refused_with_what_can_be_judged(rubric: Rubric, turn: int | None, told: str) -> None:
    """And with a rubric that can."""
    replies = transcript("a", "b", "c")
    shown = exhibit(replies, replies if rubric.mode == "preference" else None)
    with pytest.raises(UsageError) as refused:
        prompt(rubric, shown, turn)
    assert told in str(refused.value)
    assert f"--rubric {'quality' if rubric.mode == 'rating' else 'preference'}" in refused.value.hint


def test_prompts_with_references_only_refuse_a_conversation_without() -> None:
    """Rather than show an empty reference."""
    guided = Rubric(name="g", version="1", mode="rating", scale=Scale(), templates=RATING.templates[1:2])
    assert prompt(guided, exhibit(transcript("a"), goldens=("gold",), category="math"), 0) == "message 1|gold|a"
    with pytest.raises(UsageError, match="beside references only"):
        prompt(guided, exhibit(transcript("a"), goldens=("gold",), category="writing"), 0)


def test_a_judge_is_asked_again_in_plain_words() -> None:
    """FastChat has none."""
    asking = asked(RATING, question("rating", 0), exhibit(transcript("a")), schema=False, goldens=False, seed=0)
    once_more = again(asking, "Seven.", "no verdict is in it", RATING)
    assert "can't be used: no verdict is in it." in once_more.messages[-1].content


# --- published judgments -------------------------------------------------------------------------------------------


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


@cache
def questions() -> dict[int, dict[str, Any]]:
    return {row["question_id"]: row for row in rows(BENCH / "question.jsonl")}


@cache
def replies_in(path: Path) -> dict[int, list[str]]:
    return {row["question_id"]: row["choices"][0]["turns"] for row in rows(path)}


def held(row: dict[str, Any], replies: list[str]) -> Transcript:
    asked_for = questions()[row["question_id"]]["turns"]
    return transcript(*(record(turn, reply, user=asked_for[turn]) for turn, reply in enumerate(replies)))


def shown_in(row: dict[str, Any], *replies: list[str]) -> Exhibit:
    number = row["question_id"]
    goldens = replies_in(REFERENCES).get(number, [])
    one, *other = (held(row, of_one) for of_one in replies)
    category: Category = questions()[number]["category"]
    return exhibit(one, other[0] if other else None, goldens=tuple(goldens), category=category)


def made(row: dict[str, Any], mode: Mode, shown: Exhibit, seat: Seat = "first") -> tuple[str, str]:
    """The messages for this row: its system text and its prompt."""
    rubric = load_rubric(PUBLISHED / "fastchat", mode)
    asking = asked(rubric, question(mode, row["turn"] - 1, seat), shown, schema=False, goldens=True, seed=0)
    system, user = asking.messages
    chosen = next(template for template in rubric.templates if template.name == row["judge"][1])
    assert system.content == chosen.system
    return user.role, user.content


@published
@pytest.mark.parametrize(("folder", "count"), [("claude", 320), ("phi3", 160)])
def test_published_ratings_were_asked_for_in_the_same_bytes(folder: str, count: int) -> None:
    """Every row: both turns, with and without references."""
    judged = rows(PUBLISHED / folder / "gpt-4_single.jsonl")
    assert len(judged) == count
    for row in judged:
        replies = replies_in(PUBLISHED / folder / f"{row['model']}.jsonl")[row["question_id"]]
        assert made(row, "rating", shown_in(row, replies)) == ("user", row["user_prompt"])


@published
def test_published_comparisons_were_asked_for_in_the_same_bytes() -> None:
    """Both games of every row."""
    judged = rows(PUBLISHED / "phi3" / "gpt-4_pair.jsonl")
    assert len(judged) == 75
    for row in judged:
        one, other = (
            replies_in(PUBLISHED / "phi3" / f"{row[side]}.jsonl")[row["question_id"]] for side in ("model_1", "model_2")
        )
        shown = shown_in(row, one, other)
        assert made(row, "preference", shown, "first")[1] == row["g1_user_prompt"]
        assert made(row, "preference", shown, "second")[1] == row["g2_user_prompt"]


def replies_from(row: dict[str, Any]) -> Iterator[str]:
    """The replies as they stand in a stored prompt, for judgments whose replies were not published."""
    text = row["user_prompt"]
    if row["turn"] == 1:
        start = "[The Start of Assistant's Answer]\n"
        yield text[text.index(start) + len(start) :].removesuffix("\n[The End of Assistant's Answer]")
        return
    second = re.escape(questions()[row["question_id"]]["turns"][1])
    talk = text[text.index("<|The Start of Assistant A's Conversation with User|>") :]
    found = re.fullmatch(
        rf".*?\n\n### Assistant A:\n(.*)\n\n### User:\n{second}\n\n### Assistant A:\n(.*)\n\n<\|The End of [^\n]*",
        talk,
        re.DOTALL,
    )
    assert found is not None
    yield from found.groups()


@published
def test_published_ratings_whose_replies_stand_only_in_their_prompts_were_too() -> None:
    """Question, reference, template and order are ours; the replies are read out of the prompt itself."""
    judged = rows(PUBLISHED / "routellm" / "judgements.jsonl")
    assert len(judged) == 320
    for row in judged:
        replies = list(replies_from(row))
        assert made(row, "rating", shown_in(row, replies)) == ("user", row["user_prompt"])
