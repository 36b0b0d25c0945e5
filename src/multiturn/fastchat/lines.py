"""Runs and judgments of ours as FastChat's lines: the fields and words that it reads. Pure.

What FastChat has no field for (system prompts, labels, judgments of a whole conversation or of another sample than the
first) is left out, and whoever writes the files tells.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from multiturn.conversation import Conversation
from multiturn.fastchat.answers import ENGINE, FAILED
from multiturn.fastchat.judged import MULTI, NO_SCORE, SEATS
from multiturn.fastchat.rows import Side
from multiturn.judges.templates import NEEDS_REFERENCE
from multiturn.judgment import Failed, Judged, JudgeRecord, Preference, Rating
from multiturn.rubric import Rubric
from multiturn.text.spec_names import short_spec
from multiturn.transcript import Transcript, TurnRecord

ERROR: Final = "$ERROR$"
GENERAL: Final = "general"
"""The category of a question that has none; FastChat wants one."""
_ID_LENGTH: Final = 22


class Choice(msgspec.Struct, frozen=True):
    """One sample of an answer."""

    index: int
    turns: list[str]


class QuestionLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of ``question.jsonl``."""

    question_id: int | str
    category: str
    turns: list[str]
    reference: list[str] = []


class AnswerLine(msgspec.Struct, frozen=True):
    """A line of ``model_answer/MODEL.jsonl`` or ``reference_answer/NAME.jsonl``."""

    question_id: int | str
    answer_id: str
    model_id: str
    choices: list[Choice]
    tstamp: float


class SingleLine(msgspec.Struct, frozen=True):
    """A line of ``model_judgment/JUDGE_single.jsonl``."""

    question_id: int | str
    model: str
    judge: tuple[str, str]
    user_prompt: str
    judgment: str
    score: float
    turn: int
    tstamp: float


class PairLine(msgspec.Struct, frozen=True):
    """A line of ``model_judgment/JUDGE_pair.jsonl``."""

    question_id: int | str
    model_1: str
    model_2: str
    g1_winner: Side
    g2_winner: Side
    judge: tuple[str, str]
    g1_user_prompt: str
    g1_judgment: str
    g2_user_prompt: str
    g2_judgment: str
    turn: int
    tstamp: float


Line = QuestionLine | AnswerLine | SingleLine | PairLine


def as_lines(lines: Iterable[Line]) -> bytes:
    """The lines as a file."""
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def question_line(conversation: Conversation) -> QuestionLine:
    """A conversation; a turn without a golden has a blank reference where others have one."""
    goldens = [turn.golden or "" for turn in conversation.turns]
    return QuestionLine(
        question_id=question_id(conversation.id),
        category=conversation.category or conversation.domain or GENERAL,
        turns=[turn.text for turn in conversation.turns],
        reference=goldens if any(goldens) else [],
    )


def reference_line(conversation: Conversation, name: str) -> AnswerLine | None:
    """The goldens of a conversation as reference answers; None where a turn has none."""
    goldens = [turn.golden for turn in conversation.turns]
    if None in goldens:
        return None
    return AnswerLine(
        question_id=question_id(conversation.id),
        answer_id=_short_id(name, conversation.id),
        model_id=name,
        choices=[Choice(0, [golden or "" for golden in goldens])],
        tstamp=0.0,
    )


def answer_line(model: str, held: Sequence[Transcript], created: str) -> AnswerLine:
    """What a model replied to one conversation; samples are choices.

    Args:
        model: its name.
        held: the transcripts of the conversation, in order of their samples.
        created: when the run was begun, ISO 8601.
    """
    name = held[0].session.conversation
    return AnswerLine(
        question_id=question_id(name),
        answer_id=_short_id(model, name),
        model_id=model,
        choices=[Choice(index, [_text(record) for record in one.turns]) for index, one in enumerate(held)],
        tstamp=moment(created),
    )


def single_line(judged: Judged, judge: JudgeRecord, model: str, category: str | None) -> SingleLine:
    """A grade; what is none has the score -1."""
    turn = (judged.question.turn or 0) + 1
    judgment = judged.judgment
    return SingleLine(
        question_id=question_id(judged.question.conversation),
        model=model,
        judge=(judge_name(judge), prompt_name(judge.rubric, turn, category)),
        user_prompt=judged.prompt,
        judgment=_said(judged),
        score=judgment.value if isinstance(judgment, Rating) else NO_SCORE,
        turn=turn,
        tstamp=moment(judge.created) + judged.question.repeat,
    )


def pair_line(
    games: Mapping[str, Judged], judge: JudgeRecord, models: tuple[str, str], category: str | None
) -> PairLine:
    """Both games of a pair.

    Args:
        games: by the seat that the first model had; one may be absent, which is an ``error``.
        judge: who was asked.
        models: the judged one, and its opponent.
        category: of the conversation.
    """
    one = next(iter(games.values()))
    turn = (one.question.turn or 0) + 1
    first, second = (games.get(seat) for seat in SEATS)
    return PairLine(
        question_id=question_id(one.question.conversation),
        model_1=models[0],
        model_2=models[1],
        g1_winner=_winner(first),
        g2_winner=_winner(second),
        judge=(judge_name(judge), prompt_name(judge.rubric, turn, category)),
        g1_user_prompt=first.prompt if first else "",
        g1_judgment=_said(first) if first else "",
        g2_user_prompt=second.prompt if second else "",
        g2_judgment=_said(second) if second else "",
        turn=turn,
        tstamp=moment(judge.created) + one.question.repeat,
    )


def question_id(conversation: str) -> int | str:
    """FastChat's ids are numbers; another id stays text."""
    plain = conversation.isascii() and conversation.isdecimal() and not conversation.startswith("0")
    return int(conversation) if plain else conversation


def plain_name(spec: str) -> str:
    """A model's name: of an imported one its own, of another its spec without folders."""
    imported = spec.startswith(f"{ENGINE}:")
    return spec.removeprefix(f"{ENGINE}:") if imported else short_spec(spec)


def judge_name(judge: JudgeRecord) -> str:
    """A judge as FastChat calls it."""
    return plain_name(judge.spec)


def prompt_name(rubric: Rubric, turn: int, category: str | None) -> str:
    """The name of the prompt that FastChat would take for this turn and category; ours is the rubric's."""
    fitting = {template.reference: template.name for template in rubric.templates if template.turns == turn}
    if not fitting:
        return rubric.name + (MULTI if turn > 1 else "")
    return fitting.get(category in NEEDS_REFERENCE) or next(iter(fitting.values()))


def moment(created: str) -> float:
    """Seconds since 1970."""
    return dt.datetime.fromisoformat(created).timestamp()


def _text(record: TurnRecord) -> str:
    """What FastChat would show of a turn: the model's own failure is an empty answer, the environment's an error."""
    if record.reply is None:
        own = record.failure.message if record.failure is not None else ""
        return "" if record.cause == "model" else own if own in FAILED else ERROR
    return record.reply or (record.raw if record.raw and record.raw.isspace() else "")


def _said(judged: Judged) -> str:
    return ERROR if isinstance(judged.judgment, Failed) else judged.text


def _winner(game: Judged | None) -> Side:
    """By model again: in which seat the first one sat is said by the question."""
    if game is None or not isinstance(game.judgment, Preference):
        return "error"
    if game.judgment.winner == "tie":
        return "tie"
    return "model_1" if game.judgment.winner == game.question.seat else "model_2"


def _short_id(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:_ID_LENGTH]
