"""Transcripts for a terminal: one to read, two side by side. Replies are text, never markup or control codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from multiturn.report.marks import CheckLines, marked, marks_of
from multiturn.text.declining import declining
from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from multiturn.conversation import Conversation
    from multiturn.finding import Assessed, Checked, Signal
    from multiturn.transcript import Transcript, TurnRecord

INDENT: Final = (0, 0, 0, 2)
GOOD: Final = frozenset({"ok"})


def transcript_text(assessed: Assessed, conversation: Conversation | None, *, prompts: bool = False) -> Group:
    """A transcript to read: why the conversation is there, then turn by turn what was said.

    Args:
        assessed: the transcript, its signals and its checks; the words that decided are marked in the replies.
        conversation: as the suite has it; None where the suite is not known.
        prompts: add what was really sent, as it was rendered.
    """
    transcript = assessed.transcript
    parts: list[RenderableType] = list(_head(transcript, conversation))
    refused = assessed.refusals
    for record in transcript.turns:
        if prompts and record.prompt_delta is not None:
            parts.append(Padding(Text(f"sent, from character {record.prompt_kept}:", "dim"), (1, 0, 0, 0)))
            parts.append(Padding(Text(printable(record.prompt_delta), "dim"), INDENT))
        parts.append(Padding(_said("user", record.user, "bold cyan"), (1, 0, 0, 0)))
        checks = assessed.checks_of(record.turn)
        parts.append(_reply(record, refused.get(record.turn), checks, _expected(conversation, record.turn)))
        if checks:
            parts.append(Padding(CheckLines(checks, reasons=True), INDENT))
    return Group(*parts)


def turn_text(record: TurnRecord, *, user: bool = True) -> Group:
    """One turn to read, with or without what the user said."""
    reply = _reply(record, None, (), None)
    return Group(_said("user", record.user, "bold cyan"), reply) if user else Group(reply)


def side_by_side(both: tuple[Assessed, Assessed], names: tuple[str, str], conversation: Conversation | None) -> Group:
    """Two transcripts of one conversation, turn by turn in two columns, each reply with what its checks say."""
    table = Table(expand=True, show_lines=True)
    for name in names:
        table.add_column(Text(printable(name)), ratio=1, overflow="fold")
    first, second = ({record.turn: record for record in one.transcript.turns} for one in both)
    systems = [one.transcript.system for one in both]
    alike = systems[0] == systems[1]
    parts: list[Text | Table] = list(_head(both[0].transcript, conversation, system=alike))
    if not alike:
        table.add_row(
            *(_said("system", one, "bold magenta") if one else Text("no system prompt", "dim") for one in systems)
        )
    for turn in sorted(first.keys() | second.keys()):
        users = [records[turn].user if turn in records else None for records in (first, second)]
        said = [_said(f"user {turn + 1}", user, "bold cyan") if user is not None else Text() for user in users]
        table.add_row(*said)
        replies = (first.get(turn), second.get(turn))
        table.add_row(*(_cell(record, one.checks_of(turn)) for record, one in zip(replies, both, strict=True)))
    return Group(*parts, table)


def _head(transcript: Transcript, conversation: Conversation | None, *, system: bool = True) -> Iterable[Text]:
    sample = f" (sample {transcript.session.sample + 1})" if transcript.session.sample else ""
    yield Text(printable(transcript.session.conversation) + sample, "bold underline")
    if conversation is not None:
        if conversation.why:
            yield Text(f"why: {printable(conversation.why)}", "italic")
        tags = (conversation.capability, conversation.category, conversation.domain, conversation.pattern)
        named = [tag for tag in tags if tag]
        if named:
            yield Text(printable(" / ".join(named)), "dim")
    if system and transcript.system:
        yield _said("system", transcript.system, "bold magenta")


def _said(who: str, text: str, style: str) -> Text:
    return Text.assemble((f"{who}: ", style), printable(text))


def _expected(conversation: Conversation | None, turn: int) -> bool | None:
    """Whether a refusal is right at this turn; None where the suite does not say."""
    known = conversation is not None and turn < len(conversation.turns)
    return conversation.turns[turn].refusal_expected if conversation is not None and known else None


def _reply(
    record: TurnRecord,
    refusal: Signal | None,
    checks: Sequence[Checked],
    refusal_expected: bool | None,  # noqa: FBT001
) -> Text:
    marks = list(_marks(record))
    if refusal is not None:
        marks.append(f"{refusal.label} refusal" + (", unexpected" if refusal_expected is False else ""))
    elif refusal_expected and record.reply is not None and declining(record.reply) is None:
        marks.append("no refusal, though one is right")
    text = Text.assemble(("model: ", "bold green"))
    text.append_text(_body(record, refusal, checks))
    if marks:
        text.append(f"  [{', '.join(marks)}]", "bold red" if refusal else "yellow")
    return text


def _body(record: TurnRecord, refusal: Signal | None, checks: Sequence[Checked]) -> Text:
    if record.reply is None:
        why = record.failure.message if record.failure else ""
        return Text(f"(no reply: {record.status}{': ' + printable(why) if why else ''})", "yellow")
    if not record.reply:
        return Text("(empty reply)", "yellow")
    refused = [(refusal.span, "bold red")] if refusal is not None and refusal.span is not None else []
    failing_first = sorted(checks, key=lambda checked: checked.result.outcome != "fail")
    return marked(record.reply, [*refused, *marks_of(failing_first)])


def _cell(record: TurnRecord | None, checks: Sequence[Checked]) -> RenderableType:
    if record is None:
        return Text("(not held)", "yellow")
    text = _body(record, None, checks)
    marks: Sequence[str] = list(_marks(record))
    if marks:
        text.append(f"  [{', '.join(marks)}]", "yellow")
    return Group(text, CheckLines(checks, reasons=False)) if checks else text


def _marks(record: TurnRecord) -> Iterable[str]:
    if record.status not in GOOD and record.reply is not None:
        yield "cut off at the limit" if record.status == "length" else record.status
    yield from record.flags
