"""A transcript for a terminal, turn by turn. Replies are text, never markup or control codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from multiturn.report.marks import CheckLines, marked, marks_of
from multiturn.report.trimmed import Trimmed
from multiturn.text.declining import refuses_rightly
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from multiturn.conversation import Conversation
    from multiturn.finding import Assessed
    from multiturn.report.marks import Mark, Stretches
    from multiturn.transcript import Status, Transcript, TurnRecord

INDENT: Final = (0, 0, 0, 2)
USER: Final = "bold cyan"
SYSTEM: Final = "bold"
WARNED: Final = "yellow"
REFUSED: Final = "bold red"

Who = tuple[str, str]
"""Who says something, and the style of that name."""
MODEL_SAYS: Final = ("model", "bold green")

_AS_EXPECTED: Final = {None: "", True: ", expected", False: ", unexpected"}
"""Of a refusal, by whether it is right (:func:`multiturn.text.declining.refuses_rightly`)."""

_PLAIN: Final[frozenset[Status]] = frozenset({"ok", "empty"})

ENDED: Final[dict[Status, str]] = {
    "length": "cut off at the limit",
    "overflowed": "the context window is full",
    "not_reached": "not reached",
}
"""What a status is called, where that is not its name."""


def transcript_text(assessed: Assessed, conversation: Conversation | None, *, prompts: bool = False) -> Trimmed:
    """A transcript to read: why the conversation is there, then turn by turn what was said.

    Args:
        assessed: the transcript, its signals and its checks; the words that decided are marked in the replies.
        conversation: as the suite has it; None where the suite is not known.
        prompts: add what was really sent, as it was rendered.
    """
    transcript = assessed.transcript
    parts: list[RenderableType] = [
        *about(transcript, conversation),
        *([said("system", transcript.system, SYSTEM)] if transcript.system else []),
    ]
    for record in transcript.turns:
        parts.append(Text())
        if prompts and record.prompt_delta is not None:
            parts.append(Text(f"sent, from character {record.prompt_kept}:", "dim"))
            parts += [Padding(Text(printable(record.prompt_delta), "dim"), INDENT), Text()]
        parts.append(said(f"user {record.turn + 1}", record.user, USER))
        checks = assessed.checks_of(record.turn)
        parts.append(reply_of(assessed, record, conversation))
        if checks:
            parts.append(Padding(CheckLines(checks, reasons=True), INDENT))
    return Trimmed(Group(*parts))


def turn_text(record: TurnRecord, *, user: bool = True) -> Group:
    """One turn to read, with or without what the user said."""
    reply = _with_marks(_reply(record, MODEL_SAYS, ()), _marks(record), WARNED)
    return Group(said(f"user {record.turn + 1}", record.user, USER), reply) if user else Group(reply)


def about(transcript: Transcript, conversation: Conversation | None) -> Iterator[Text]:
    """Which conversation it is, why it is in its suite, and under what it is found."""
    sample = f" (sample {transcript.session.sample + 1})" if transcript.session.sample else ""
    yield Text(printable(transcript.session.conversation) + sample, "bold underline")
    if conversation is None:
        return
    if conversation.why:
        yield Text(f"why: {printable(conversation.why)}", "italic")
    named = [conversation.capability, conversation.category, conversation.domain, conversation.pattern]
    if tags := [tag for tag in named if tag]:
        yield Text(printable(" / ".join(tags)), "dim")


def said(who: str, text: str, style: str, differing: Stretches = ()) -> Text:
    """What someone said."""
    return Text.assemble((f"{who}: ", style), marked(text, (), differing))


def reply_of(
    assessed: Assessed,
    record: TurnRecord,
    conversation: Conversation | None,
    who: Who = MODEL_SAYS,
    differing: Stretches = (),
) -> Text:
    """A reply with what is to be known of it: how it ended, its flags, whether it refuses and should."""
    refusal = assessed.refusals.get(record.turn)
    expected = _expected(conversation, record.turn)
    rightly = refuses_rightly(record.reply, expected=expected, refused=refusal is not None)
    marks = list(_marks(record))
    if refusal is not None:
        marks.append(f"{refusal.label} refusal{_AS_EXPECTED[rightly]}")
    elif rightly is False:
        marks.append("no refusal, though one is right")
    failing_first = sorted(assessed.checks_of(record.turn), key=lambda checked: checked.result.outcome != "fail")
    refused = [(refusal.span, REFUSED)] if refusal is not None and refusal.span is not None else []
    text = _reply(record, who, [*refused, *marks_of(failing_first)], differing)
    return _with_marks(text, marks, REFUSED if refusal is not None and not rightly else WARNED)


def _reply(record: TurnRecord, who: Who, marks: Sequence[Mark], differing: Stretches = ()) -> Text:
    text = Text.assemble((f"{who[0]}: ", who[1]))
    if record.reply:
        return text.append_text(marked(record.reply, marks, differing))
    if record.reply is not None:
        return text.append("(empty reply)", WARNED)
    why = record.failure.message if record.failure else ""
    ended = ENDED.get(record.status, record.status)
    return text.append(f"(no reply: {ended}{': ' + printable(why) if why else ''})", WARNED)


def _with_marks(text: Text, marks: Iterable[str], style: str) -> Text:
    told = ", ".join(marks)
    return text.append(f"  [{told}]", style) if told else text


def _expected(conversation: Conversation | None, turn: int) -> bool | None:
    """Whether a refusal is right at this turn; None where the suite does not say."""
    known = conversation is not None and turn < len(conversation.turns)
    return conversation.turns[turn].refusal_expected if conversation is not None and known else None


def _marks(record: TurnRecord) -> Iterator[str]:
    """How a turn ended, where that is not plain from its reply, and its flags."""
    if record.missing:
        yield "missing, by no doing of the model"
    if record.reply is not None and record.status not in _PLAIN:
        yield ENDED.get(record.status, record.status)
    yield from (flag.replace("_", " ") for flag in record.flags)
