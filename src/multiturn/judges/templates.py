"""FastChat's judge prompts: which one a question takes, and how it is filled, to the byte. Pure.

They are what published judgments were made with, and so they are kept as they are, their weakness with them: a reply is
put in as it stands, and can forge what is around it. Our own rubrics don't let it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from multiturn.conversation import Message
from multiturn.errors import UsageError

if TYPE_CHECKING:
    from multiturn.judgment import Exhibit, Question
    from multiturn.rubric import Rubric, Template
    from multiturn.transcript import Transcript

NEEDS_REFERENCE: Final = frozenset({"math", "reasoning", "coding", "arena-hard-200"})
"""The categories whose replies FastChat has judged beside reference replies."""


def fill(rubric: Rubric, question: Question, exhibit: Exhibit, *, goldens: bool) -> tuple[Message, ...]:
    """The messages that FastChat would send: the prompt's system text, where it has one, and the prompt itself.

    Only the turns up to the judged one are shown, and no system prompt of the conversation. A reply that is not there
    is shown as ``[no reply: overflowed]``, say.

    Raises:
        UsageError: it has no prompt for this turn.
    """
    template = template_for(rubric, question, exhibit, goldens=goldens)
    prompt = template.prompt.format(**_places(question, exhibit, template))
    system = (Message("system", template.system),) if template.system else ()
    return (*system, Message("user", prompt))


def template_for(rubric: Rubric, question: Question, exhibit: Exhibit, *, goldens: bool) -> Template:
    """The prompt for a question: by the judged turn, and by whether its category needs references that are there.

    Raises:
        UsageError: there is none for this turn.
    """
    turns = 0 if question.turn is None else question.turn + 1
    fitting = {template.reference: template for template in rubric.templates if template.turns == turns}
    if not fitting:
        what = f"turn {turns}" if turns else "a conversation as a whole"
        raise UsageError(
            f"rubric {rubric.name} has no prompt for {what}, only for {_turns_of(rubric)}",
            hint="add --turns with those, or take a rubric for any number of turns: --rubric "
            + ("preference" if rubric.mode == "preference" else "quality"),
        )
    known = [turn.golden is not None for turn in exhibit.conversation.turns[:turns]]
    guided = goldens and exhibit.conversation.category in NEEDS_REFERENCE and len(known) == turns and all(known)
    chosen = (fitting.get(True) if guided else None) or fitting.get(False)
    if chosen is None:
        raise UsageError(
            f"rubric {rubric.name} judges turn {turns} beside references only, and conversation "
            f"{exhibit.conversation.id!r} has none, or is of a category that FastChat gives none",
            hint="add its prompt without a reference to the file",
        )
    return chosen


def judged_turns(rubric: Rubric) -> frozenset[int] | None:
    """The turns (from 0) that a rubric has words for; None where it has them for any."""
    return frozenset(template.turns - 1 for template in rubric.templates) if rubric.templates else None


def _turns_of(rubric: Rubric) -> str:
    return " and ".join(f"turn {turn}" for turn in sorted({template.turns for template in rubric.templates}))


def _places(question: Question, exhibit: Exhibit, template: Template) -> dict[str, str]:
    """The values of all places that a prompt of this many turns may have."""
    of_turn = [""] if template.turns == 1 else [f"_{turn + 1}" for turn in range(template.turns)]
    users = [record.user for record in exhibit.transcript.turns]
    values = {f"question{ending}": users[turn] for turn, ending in enumerate(of_turn)}
    if template.reference:
        goldens = [turn.golden or "" for turn in exhibit.conversation.turns[: template.turns]]
        values |= {f"ref_answer_{turn + 1}": golden for turn, golden in enumerate(goldens)}
    if exhibit.opponent is None:
        return values | {f"answer{ending}": _reply(exhibit.transcript, turn) for turn, ending in enumerate(of_turn)}
    pair = (exhibit.transcript, exhibit.opponent)
    for seat, transcript in zip("ab", pair if question.seat == "first" else pair[::-1], strict=True):
        values |= {f"answer_{seat}{ending}": _reply(transcript, turn) for turn, ending in enumerate(of_turn)}
    return values


def _reply(transcript: Transcript, turn: int) -> str:
    record = transcript.turns[turn]
    return f"[no reply: {record.status.replace('_', ' ')}]" if record.reply is None else record.reply
