"""Files of what people said: votes on pairs of replies, pairs with a majority's label, labels of replies.

What a file is, its content says:

* FastChat's votes, JSON Lines of ``question_id, model_a, model_b, winner, judge, turn``. A ``judge`` that is text is a
  person (authors aside, whose votes are left out), one that is a list is a model with its prompt.
* Our preferences (``preferences.py``), all of which are people's.
* LLMBar's pairs, a JSON list of ``input, output_1, output_2, label``: which of the two most people prefer. They name no
  model; the replies say which they are of.
* Labels of replies, JSON Lines of ``conversation, turn, arm, label`` and, if known, ``by``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

import msgspec

from multiturn.errors import Faulty, NotFound, UsageError
from multiturn.preferences import parse_preferences
from multiturn.ranking import Preferred, Winner

UTF8_MARK: Final = b"\xef\xbb\xbf"
AUTHOR: Final = "author"
"""How the names of those begin who are not counted among people: they made the benchmark."""

HINT: Final = (
    "a file holds FastChat's votes (question_id, model_a, model_b, winner, judge, turn), preferences (conversation, a, "
    "b, winner), LLMBar's pairs (input, output_1, output_2, label) or labels (conversation, turn, arm, label)"
)

Turn = Annotated[int, msgspec.Meta(ge=1)]
Name = Annotated[str, msgspec.Meta(min_length=1)]


class LabelledPair(msgspec.Struct, frozen=True, kw_only=True):
    """Two replies to one question, and which of them (1 or 2) a majority of people prefers."""

    question: str
    replies: tuple[str, str]
    label: Literal[1, 2]


class LabelVote(msgspec.Struct, frozen=True, kw_only=True):
    """One person's word for the reply of an arm at a turn (from 0), in a conversation's first sample.

    ``place`` is the file and line that it stands at.
    """

    conversation: str
    turn: int
    arm: str
    label: str
    by: str = ""
    place: str = ""


class ShownReply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply with the question that it is to: where a labelled pair is from."""

    conversation: str
    turn: int
    arm: str
    question: str
    reply: str


class Votes(msgspec.Struct, frozen=True, kw_only=True):
    """What one file, or several, say. ``judges`` are verdicts of models; ``authors`` counts votes that are left out."""

    people: tuple[Preferred, ...] = ()
    judges: tuple[Preferred, ...] = ()
    pairs: tuple[LabelledPair, ...] = ()
    labels: tuple[LabelVote, ...] = ()
    authors: int = 0

    def and_(self, other: Votes) -> Votes:
        """Both together."""
        return Votes(
            people=self.people + other.people,
            judges=self.judges + other.judges,
            pairs=self.pairs + other.pairs,
            labels=self.labels + other.labels,
            authors=self.authors + other.authors,
        )


class _FastchatVote(msgspec.Struct, frozen=True):
    question_id: int | str
    model_a: Name
    model_b: Name
    winner: Literal["model_a", "model_b", "tie", "tie (inconsistent)"]
    judge: Name | list[str]
    turn: Turn


class _LlmbarPair(msgspec.Struct, frozen=True):
    input: str
    output_1: str
    output_2: str
    label: Literal[1, 2]


class _Label(msgspec.Struct, frozen=True):
    conversation: Name
    turn: Turn
    arm: Name
    label: Name
    by: str = ""


class _Message(msgspec.Struct, frozen=True):
    content: str
    role: str


class _Shown(msgspec.Struct, frozen=True):
    question_id: int | str
    model: Name
    conversation: list[_Message]


Row = TypeVar("Row", _FastchatVote, _LlmbarPair, _Label, _Shown)
WINNERS: Final[dict[str, Winner]] = {"model_a": "a", "model_b": "b"}
"""Any other word of FastChat's is a tie."""


def read_votes(path: str | Path) -> Votes:
    """What a file of votes says.

    Raises:
        NotFound: there is no such file.
        UsageError: it can't be read, is none of these, or has faults; all of them are told with their lines.
    """
    return parse_votes(_bytes_of(path), str(path))


def parse_votes(data: bytes, source: str) -> Votes:
    """What these bytes say; ``source`` is what messages call them.

    Raises:
        UsageError: They are none of these, or have faults; each is told with its line, or its number in a list.
    """
    data = data.removeprefix(UTF8_MARK)
    if data.lstrip().startswith(b"["):
        pairs = _rows_of_list(data, source)
        return Votes(
            pairs=tuple(
                LabelledPair(question=row.input, replies=(row.output_1, row.output_2), label=row.label) for row in pairs
            )
        )
    fields = _first_fields(data)
    if {"model_a", "model_b"} <= fields:
        return _fastchat_votes(_rows_of_lines(data, source, _FastchatVote))
    if "label" in fields and "arm" in fields:
        return Votes(
            labels=tuple(
                LabelVote(
                    conversation=row.conversation,
                    turn=row.turn - 1,
                    arm=row.arm,
                    label=row.label,
                    by=row.by,
                    place=f"{source}:line {number}",
                )
                for number, row in _by_line(data, source, _Label).items()
            )
        )
    if {"a", "b"} <= fields:
        return Votes(people=parse_preferences(data, source))
    raise UsageError(f"{source} holds no votes", hint=HINT)


def read_replies(path: str | Path) -> tuple[ShownReply, ...]:
    """The replies in a file of conversations of FastChat's: JSON Lines of ``question_id, model, conversation``.

    Raises:
        NotFound: there is no such file.
        UsageError: it can't be read, or has faults; all of them are told with their lines.
    """
    rows = _rows_of_lines(_bytes_of(path).removeprefix(UTF8_MARK), str(path), _Shown)
    return tuple(
        ShownReply(
            conversation=str(row.question_id),
            turn=at,
            arm=row.model,
            question=asked.content,
            reply=said.content,
        )
        for row in rows
        for at, (asked, said) in enumerate(zip(row.conversation[::2], row.conversation[1::2], strict=False))
    )


def _fastchat_votes(rows: list[_FastchatVote]) -> Votes:
    people: list[Preferred] = []
    judges: list[Preferred] = []
    authors = 0
    for row in rows:
        model = not isinstance(row.judge, str)
        if isinstance(row.judge, str) and row.judge.startswith(AUTHOR):
            authors += 1
            continue
        vote = Preferred(
            conversation=str(row.question_id),
            turn=row.turn - 1,
            a=row.model_a,
            b=row.model_b,
            winner=WINNERS.get(row.winner, "tie"),
            by=row.judge if isinstance(row.judge, str) else " ".join(row.judge),
        )
        (judges if model else people).append(vote)
    return Votes(people=tuple(people), judges=tuple(judges), authors=authors)


def _bytes_of(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", hint="check its name and folder") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", hint="name a file of votes") from None


def _first_fields(data: bytes) -> set[str]:
    """The names of the first object's fields; none where that is no object."""
    line = next((line for line in data.split(b"\n") if line.strip()), b"")
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return set()
    return set(found) if isinstance(found, dict) else set()


def _rows_of_lines(data: bytes, source: str, kind: type[Row]) -> list[Row]:
    return list(_by_line(data, source, kind).values())


def _by_line(data: bytes, source: str, kind: type[Row]) -> dict[int, Row]:
    """Each line's row, by the line's number."""
    rows: dict[int, Row] = {}
    faults: list[str] = []
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            faults.append(f"line {number}: {error}")
            continue
        if isinstance(row, _FastchatVote) and row.model_a == row.model_b:
            faults.append(f"line {number}: model_a and model_b are both {row.model_a!r}")
        rows[number] = row
    _refuse_faults(len(rows), faults, source)
    return rows


def _rows_of_list(data: bytes, source: str) -> list[_LlmbarPair]:
    try:
        entries = msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{source}: this is no JSON: {error}", hint=HINT) from None
    rows: list[_LlmbarPair] = []
    faults: list[str] = []
    for number, entry in enumerate(entries, start=1):
        try:
            rows.append(msgspec.json.decode(entry, type=_LlmbarPair))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            faults.append(f"entry {number}: {error}")
    _refuse_faults(len(rows), faults, source)
    return rows


def _refuse_faults(rows: int, faults: list[str], source: str) -> None:
    if not rows and not faults:
        faults = [" nothing is in it"]
    if faults:
        raise Faulty(source, [f"{source}:{fault}" for fault in faults], hint=HINT)
