"""What a judge is asked: a rubric, a question and what it is about become messages. Pure.

All that is the same for every question of a rubric comes first, then the conversation as a whole, then what names the
judged turn: questions about one conversation differ at their end only, and a prompt cache reads the rest once. What is
put into a text is never formatted again, so that braces in a reply are braces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.conversation import Message, require
from multiturn.judges.material import conversation_blocks, golden_blocks, inert, marked, shown
from multiturn.judges.templates import fill

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multiturn.judges.material import Block
    from multiturn.judgment import Exhibit, Question
    from multiturn.rubric import Rubric, Wording

SEATS: Final = ("A", "B")
"""What the first and the second of two that are compared are called."""

_AGAIN: Final = (
    "Your verdict can't be used: {fault}. Judge once more, and write the verdict exactly in the form asked for."
)
"""For FastChat's prompts, which have no words for it."""


class Asked(msgspec.Struct, frozen=True):
    """The messages that ask a question, and the mark of the lines in them that are ours ("" in FastChat's prompts)."""

    messages: tuple[Message, ...]
    mark: str


def asked(rubric: Rubric, question: Question, exhibit: Exhibit, *, schema: bool, goldens: bool, seed: int) -> Asked:
    """The messages for one question.

    Args:
        rubric: by which it is judged, of the question's mode.
        question: what is judged; of the exhibit's conversation.
        exhibit: what is shown: ``transcript`` is the question's ``run``, ``opponent`` the one it is compared with.
        schema: the judge's reply is bound to a JSON schema, and it is told so; else a last line holds the verdict.
        goldens: the suite's golden replies are shown, where there are any.
        seed: draws the mark, with what is shown.

    Raises:
        UsageError: FastChat's prompts have no place for the question's turn.
    """
    require(rubric.mode == question.mode, "rubric and question are of two modes")
    require((exhibit.opponent is not None) == bool(question.opponent), "an opponent goes with its transcript")
    wording = rubric.wording
    if wording is None:
        return Asked(fill(rubric, question, exhibit, goldens=goldens), "")
    blocks = list(_blocks(question, exhibit, wording))
    blocks += golden_blocks(exhibit.conversation, wording) if goldens else []
    material, mark = shown(blocks, wording.end, seed)
    turns = len(exhibit.transcript.turns)
    if question.turn is None:
        ask = wording.ask_whole.strip().format(turns=turns)
    else:
        ask = wording.ask_turn.strip().format(turn=question.turn + 1, turns=turns)
    about = "\n\n".join((wording.marks.strip().format(mark=mark), material, marked(mark, ask)))
    return Asked((Message("system", constant_part(rubric, wording, schema=schema)), Message("user", about)), mark)


def again(asking: Asked, reply_text: str, fault: str, rubric: Rubric) -> Asked:
    """The same once more, with the judge's reply and what is wrong with it.

    A reply without text is not shown: many servers refuse an empty message.
    """
    words = rubric.wording.again if rubric.wording else _AGAIN
    once_more = words.strip().format(fault=inert(fault).strip().removesuffix("."))
    if reply_text.strip():
        said = (Message("assistant", inert(reply_text)), Message("user", once_more))
        return Asked((*asking.messages, *said), asking.mark)
    *before, last = asking.messages
    return Asked((*before, Message(last.role, f"{last.content}\n\n{once_more}")), asking.mark)


def constant_part(rubric: Rubric, wording: Wording, *, schema: bool) -> str:
    """What every question of a rubric begins with: who judges, by what, and how the verdict is written."""
    labels = ", ".join(label.name for label in rubric.labels)
    values: dict[str, str] = {"labels": labels}
    if rubric.scale is not None:
        values |= {"lowest": f"{rubric.scale.lowest:g}", "highest": f"{rubric.scale.highest:g}"}
    listed = "\n".join(f"- {one.name}: {one.text.strip()}" for one in (*rubric.criteria, *rubric.labels))
    criteria = "\n".join(part for part in (wording.criteria.strip().format(**values), listed) if part)
    form = (wording.as_json if schema else wording.as_line).strip().format(**values)
    return "\n\n".join((wording.role.strip().format(), criteria, form))


def _blocks(question: Question, exhibit: Exhibit, wording: Wording) -> Iterator[Block]:
    if exhibit.opponent is None:
        yield from conversation_blocks(exhibit.transcript, wording)
        return
    pair = (exhibit.transcript, exhibit.opponent)
    for seat, transcript in zip(SEATS, pair if question.seat == "first" else pair[::-1], strict=True):
        yield from conversation_blocks(transcript, wording, seat)
