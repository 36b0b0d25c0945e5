"""What a judge is shown: conversations between lines that bear a mark. Pure.

Whatever stands in a reply, it can't pass for more than a reply: the lines that head and end what is shown bear a mark
that occurs nowhere in it, control tokens in it are letters to every server, and what hides or reorders text is shown by
its code. Knows nothing of what is asked about it.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multiturn.conversation import Conversation
    from multiturn.rubric import Notes, Wording
    from multiturn.transcript import Transcript, TurnRecord

MARK: Final = "@@"
"""What a mark begins with; digits in base 16 follow."""

MARK_DIGITS: Final = 12
_TRIES: Final = 64

_JOINER: Final = "\u2060"
_NAMES: Final = (
    r"s|bos|eos|pad|unk|mask|sep|cls|sop|eop|eoh|eoa|eod|eot|(?:start|end)_of_\w+|think(?:ing)?|reasoning|tool_\w+|"
    r"function_\w+|tools?|tool|fim_\w+|file_sep|image|audio|video|turn|channel|extra_id_\d+|(?:reserved|unused|special)_?\d+"
)
_BRACKETED: Final = (
    r"INST|SYSTEM_PROMPT|(?:AVAILABLE_)?TOOLS|TOOL_\w+|THINK|IMG|gMASK|sMASK|MASK|CLS|SEP|PAD|UNK|BOS|EOS|"
    r"UNUSED_TOKEN_\d+"
)
_CONTROL: Final = re.compile(
    rf"[<\[](?:(?<=<)(?=/?[|\uff5c]|/?[\w/]{{1,40}}[|\uff5c]>|/?(?i:{_NAMES})>|</?(?i:SYS)>>)"
    rf"|(?<=\[)(?=[|]|/?(?i:{_BRACKETED})\]))"
)
"""How chat templates mark roles, turns and thinking: the first character of each, where the rest follows."""


class Block(msgspec.Struct, frozen=True):
    """A part of what is shown: a heading, the text under it, and what is said of the text, behind it.

    Heading and note are ours and bear the mark; the text is theirs. Either of text and note may be empty.
    """

    heading: str
    text: str = ""
    note: str = ""


def inert(text: str) -> str:
    """The text as a judge may read it.

    What hides or reorders text is shown as :func:`multiturn.text.printable.printable` shows it, and line ends are
    line feeds. Control tokens (``<|im_end|>``, ``</s>``, ``[INST]``, ``<think>``) get U+2060, which has no width,
    behind their first character: they look the same, and no tokenizer takes them for one token.
    """
    return _CONTROL.sub(lambda match: match[0] + _JOINER, printable(text))


def conversation_blocks(transcript: Transcript, wording: Wording, seat: str = "") -> Iterator[Block]:
    """A conversation as it was held, turn by turn; ``seat`` (A or B) names it where two are compared."""
    if seat:
        yield Block(_filled(wording.conversation, seat=seat))
    if transcript.system:
        yield Block(_filled(wording.system), transcript.system)
    for record in transcript.turns:
        turn = record.turn + 1
        yield Block(_filled(wording.user, turn=turn), record.user)
        heading = _filled(wording.reply, turn=turn, seat=seat)
        yield Block(heading, record.reply or "", note_on(record, wording.notes))


def golden_blocks(conversation: Conversation, wording: Wording) -> Iterator[Block]:
    """The suite's known-good replies, where it has them."""
    for index, turn in enumerate(conversation.turns):
        if turn.golden is not None:
            yield Block(_filled(wording.golden, turn=index + 1), turn.golden)


def note_on(record: TurnRecord, notes: Notes) -> str:
    """What is to be said of a reply that is not there or not whole; "" of any other."""
    if record.status in ("ok", "length", "empty") and not inert(record.reply or "").strip():
        return notes.empty.strip()  # by what is shown: a reply of characters without width is blank, too
    said = {
        "length": notes.cut_off,
        "filtered": notes.filtered,
        "overflowed": notes.overflowed,
        "failed": notes.failed,
        "not_reached": notes.not_reached,
    }
    return said.get(record.status, "").strip()


def mark_for(seed: int, texts: Sequence[str], *, digits: int = MARK_DIGITS) -> str:
    """A mark that occurs in none of these texts, in whatever case.

    It is drawn from their SHA-256 and the seed, so that the same material has the same mark in every run, in whichever
    order two conversations are shown, and no model can know it while it writes. Where it occurs all the same, the next
    one is drawn; where that goes on, it gets longer.
    """
    parts = sorted(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts)
    known = "\n".join(texts).casefold()
    trial = 0
    while True:
        drawn = hashlib.sha256("\n".join([str(seed), str(trial), *parts]).encode()).hexdigest()
        mark = MARK + drawn[: digits + trial // _TRIES]
        if mark not in known:
            return mark
        trial += 1


def shown(blocks: Sequence[Block], end: str, seed: int) -> tuple[str, str]:
    """The blocks as one text, closed by a line that says so, and the mark of every line in it that is ours."""
    texts = [inert(block.text) for block in blocks]
    mark = mark_for(seed, texts)
    lines: list[str] = []
    for block, text in zip(blocks, texts, strict=True):
        lines.append(marked(mark, block.heading))
        lines += [text] if text.strip() else []
        lines += [marked(mark, block.note)] if block.note else []
        lines.append("")
    lines.append(marked(mark, end))
    return "\n".join(lines), mark


def marked(mark: str, text: str) -> str:
    """The text with the mark in front of each of its lines."""
    return "\n".join(f"{mark} {line}".rstrip() for line in text.strip().splitlines())


def _filled(text: str, **values: object) -> str:
    return text.strip().format(**values)
