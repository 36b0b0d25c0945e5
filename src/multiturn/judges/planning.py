"""What there is to ask of a judge about a run, or about two, and about how much it costs. Pure.

What the environment lost can't be judged and stays missing. What the model did not reply by its own doing (its
conversation overflowed) is judged like a reply, shown as what it is: left out, a model that breaks off would be graded
on its good turns only. Labels are the exception: they say what replies are like, and there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.conversation import require
from multiturn.errors import UsageError
from multiturn.judges.prompts import asked
from multiturn.judges.templates import judged_turns
from multiturn.judgment import Exhibit, Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from multiturn.conversation import Message
    from multiturn.judgment import Seat
    from multiturn.rubric import Mode, Rubric
    from multiturn.transcript import TurnRecord

BYTES_PER_TOKEN: Final = 4
"""Of UTF-8, in what chat models write; a rough guess, since each model cuts text in its own way."""

_BOTH_SEATS: Final[tuple[Seat, Seat]] = ("first", "second")


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked about each conversation.

    ``run`` is whose replies are judged, ``opponent`` whose they are compared with (preferences only). ``turns`` (from
    0) are those to judge: None for all. ``whole``: preferences are asked for of the conversation as a whole, too,
    where the rubric has words for it. ``repeats`` is how often each question is asked.
    """

    run: str
    opponent: str = ""
    turns: frozenset[int] | None = None
    whole: bool = True
    repeats: int = 1

    def __post_init__(self) -> None:
        require(bool(self.run), "run is empty")
        require(self.run != self.opponent, "a run is compared with another one")
        require(self.repeats >= 1, "repeats must be 1 or more")
        require(all(turn >= 0 for turn in self.turns or ()), "turns count from 0")


class Sitting(msgspec.Struct, frozen=True):
    """Questions about one exhibit whose prompts begin alike, in the order in which they are asked."""

    exhibit: Exhibit
    questions: tuple[Question, ...]


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan would take: calls, and tokens of prompts, as if each verdict could be read the first time."""

    calls: int = 0
    prompt_tokens: int = 0


def sittings_for(exhibits: Iterable[Exhibit], rubric: Rubric, plan: Plan) -> Iterator[Sitting]:
    """Every question of a plan, those together that share the beginning of their prompts.

    Preferences are asked in both seats. Conversations without anything to judge have no sitting.

    Raises:
        UsageError: the rubric has no words for a turn that is to be judged.
    """
    require((rubric.mode == "preference") == bool(plan.opponent), "an opponent goes with mode preference")
    seats = _BOTH_SEATS if plan.opponent else _BOTH_SEATS[:1]
    for exhibit in exhibits:
        about = _turns_asked(exhibit, rubric, plan)
        for seat in seats if about else ():
            for repeat in range(plan.repeats):
                yield Sitting(
                    exhibit,
                    tuple(_question(exhibit, plan, rubric.mode, turn=turn, seat=seat, repeat=repeat) for turn in about),
                )


def turns_to_judge(exhibit: Exhibit, mode: Mode) -> tuple[int, ...]:
    """The turns (from 0) of which a judge can say something.

    For a rating, all but those that the environment lost; for a label, those with a reply, an empty one included; for a
    preference, those that the environment lost for neither run, where at least one has a reply.
    """
    records = exhibit.transcript.turns
    if mode == "label":
        return tuple(record.turn for record in records if record.reply is not None)
    if exhibit.opponent is None:
        return tuple(record.turn for record in records if not record.missing)
    others = {record.turn: record for record in exhibit.opponent.turns}
    return tuple(record.turn for record in records if _comparable(record, others.get(record.turn)))


def estimate(
    sittings: Iterable[Sitting],
    rubric: Rubric,
    *,
    schema: bool,
    goldens: bool,
    count: Callable[[Sequence[Message]], int] | None = None,
) -> Expected:
    """What these sittings take; nothing is asked.

    Args:
        sittings: of a plan, by this rubric.
        rubric: by which is judged.
        schema: as the judge will be asked (see :func:`multiturn.judges.prompts.asked`).
        goldens: likewise.
        count: the engine's own count of a prompt's tokens; without it, a token for every four bytes is assumed.
    """
    of = count or _guessed
    calls = tokens = 0
    for sitting in sittings:
        for question in sitting.questions:
            asking = asked(rubric, question, sitting.exhibit, schema=schema, goldens=goldens, seed=0)
            calls, tokens = calls + 1, tokens + of(asking.messages)
    return Expected(calls=calls, prompt_tokens=tokens)


def _guessed(messages: Sequence[Message]) -> int:
    size = sum(len(message.content.encode("utf-8", "surrogatepass")) for message in messages)
    return -(-size // BYTES_PER_TOKEN)


def _comparable(one: TurnRecord, other: TurnRecord | None) -> bool:
    if other is None or one.missing or other.missing:
        return False
    return one.reply is not None or other.reply is not None


def _turns_asked(exhibit: Exhibit, rubric: Rubric, plan: Plan) -> tuple[int | None, ...]:
    """The turns to ask about, and None for the whole where that is asked."""
    found = turns_to_judge(exhibit, rubric.mode)
    able = judged_turns(rubric)
    turns = [turn for turn in found if plan.turns is None or turn in plan.turns]
    beyond = [turn + 1 for turn in turns if able is not None and turn not in able]
    if able is not None and beyond:
        has = ", ".join(str(turn + 1) for turn in sorted(able))
        raise UsageError(
            f"rubric {rubric.name} judges turn {has} only, and conversation {exhibit.conversation.id!r} has turn "
            f"{beyond[0]} to judge",
            hint=f"judge those only: --turns {has.replace(' ', '')}; or take a rubric for any number of turns",
        )
    opponent = exhibit.opponent
    wording = rubric.wording
    asks_whole = plan.whole and wording is not None and opponent is not None and bool(found)
    complete = opponent is not None and exhibit.transcript.complete and opponent.complete
    return (*turns, None) if asks_whole and complete else tuple(turns)


def _question(exhibit: Exhibit, plan: Plan, mode: Mode, *, turn: int | None, seat: Seat, repeat: int) -> Question:
    session = exhibit.transcript.session
    return Question(
        mode=mode,
        run=plan.run,
        conversation=session.conversation,
        sample=session.sample,
        turn=turn,
        opponent=plan.opponent,
        seat=seat,
        repeat=repeat,
    )
