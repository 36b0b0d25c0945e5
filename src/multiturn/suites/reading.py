"""Reading suites: a file, or the name of a suite we ship, becomes a Suite, or one error with all faults of the file.

Two stages: :mod:`multiturn.suites.places` finds the raw conversations and where they stand, then each is read: by
:mod:`multiturn.suites.fields`, or where the file has another tool's form (:mod:`multiturn.suites.forms`) by what reads
that. Everything is read before anything is asked of a model.
"""

from __future__ import annotations

import difflib
import importlib.resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from multiturn.conversation import Conversation, Suite
from multiturn.errors import NotFound, SuiteError, UsageError
from multiturn.suites.benchmarks import read_dialogue, read_question
from multiturn.suites.chat_logs import read_chat
from multiturn.suites.fields import read_conversation, read_header, same_id
from multiturn.suites.findings import Findings, Place, kind_of, shown
from multiturn.suites.forms import FORMS, Form, Found, Replies, first_form, form_of, whole
from multiturn.suites.places import Document, Entry, Fault, Raw, read_document
from multiturn.suites.selection import select

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

SUITE_ENDING: Final = ".json"
SUITES_ENDING: Final = "_conversations.json"
PART_ENDING: Final = ".part.json"
"""A shipped part names the suite that it is of, and which of its conversations it has."""

HINT: Final = "mend the file and start again; nothing was asked of a model. docs/suites.md shows the form of a suite"


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A shipped part of a shipped suite."""

    of: str
    description: str
    only: tuple[str, ...]


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """All that a file holds: the sound conversations, and what is wrong with the others.

    ``notes`` are no faults: what was not read, or not kept as it stood. ``form`` is whose form the file has.
    """

    name: str
    conversations: tuple[Conversation, ...]
    form: Form = "multiturn"
    faults: tuple[Fault, ...]
    notes: tuple[Fault, ...] = ()
    version: str = "1"
    description: str = ""


def load_suite(source: str | Path) -> Suite:
    """The suite in a file, or the one we ship under this name (a file of that name comes first).

    A shipped part (``quick``) comes under its own name, with the conversations that it names. A file may have another
    tool's form (FastChat's questions, MT-Bench-101, OpenAI messages, ShareGPT); its replies become goldens.

    Raises:
        SuiteError: the file has faults; all of them are told.
        NotFound: there is no such file and no such suite.
        UsageError: the file can't be read.
    """
    part = _part(source)
    if part is not None:
        suite = select(load_suite(part.of), only=part.only)
        return msgspec.structs.replace(suite, name=str(source), description=part.description)
    return parse_suite(_bytes_of(source), str(source))


def _part(source: str | Path) -> Part | None:
    if not isinstance(source, str) or source not in shipped_parts() or Path(source).is_file():
        return None
    return msgspec.json.decode(_data_folder().joinpath(source + PART_ENDING).read_bytes(), type=Part)


def unread_names(source: str | Path) -> tuple[str, ...]:
    """What stands in a file and was not read, or not kept as it stood, each with its place.

    Raises:
        NotFound, UsageError: as :func:`load_suite`.
    """
    part = _part(source)
    whole = source if part is None else part.of
    return tuple(note.told(str(whole)) for note in examine(_bytes_of(whole), str(whole)).notes)


def _bytes_of(source: str | Path) -> bytes:
    if isinstance(source, str) and source in shipped_suites() and not Path(source).is_file():
        return _data_folder().joinpath(source + SUITE_ENDING).read_bytes()
    return _read_file(source)


def shipped_name(source: str | Path) -> str | None:
    """The name of the shipped suite or part that this leads to; None where it is a user's own.

    A file is a shipped suite where it is one byte for byte: by a link, or as a copy.

    Raises:
        NotFound, UsageError: as :func:`load_suite`.
    """
    if _part(source) is not None:
        return str(source)
    data = _bytes_of(source)
    folder = _data_folder()
    return next((name for name in shipped_suites() if folder.joinpath(name + SUITE_ENDING).read_bytes() == data), None)


def shipped_suites() -> tuple[str, ...]:
    """The names of the suites that come with the package."""
    return _shipped(SUITES_ENDING)


def shipped_parts() -> tuple[str, ...]:
    """The names of parts of them that are loaded like a suite."""
    return _shipped(PART_ENDING)


def _shipped(ending: str) -> tuple[str, ...]:
    names = (item.name for item in _data_folder().iterdir() if item.name.endswith(ending))
    return tuple(sorted(name.removesuffix(PART_ENDING).removesuffix(SUITE_ENDING) for name in names))


def parse_suite(data: bytes, name: str) -> Suite:
    """The suite in these bytes; ``name`` is the file's, for messages, and names the suite where it has no name.

    Raises:
        SuiteError: with every fault, each as ``file:line 3: field: what is wrong``.
    """
    found = examine(data, name)
    if found.faults:
        raise SuiteError(name, [fault.told(name) for fault in found.faults], hint=HINT)
    return Suite(
        name=found.name, version=found.version, description=found.description, conversations=found.conversations
    )


def examine_file(source: str | Path, form: Form | None = None, replies: Replies = "golden") -> Examined:
    """Read all of a file, as :func:`examine` does.

    Raises:
        NotFound, UsageError: as :func:`load_suite`.
    """
    return examine(_read_file(source), str(source), form, replies)


def examine(data: bytes, name: str, form: Form | None = None, replies: Replies = "golden") -> Examined:
    """Read all of a file, and tell what is wrong instead of raising.

    Args:
        data: the file.
        name: what names the suite where the file does not.
        form: whose form it has; by default that of its first object.
        replies: what becomes of replies in another tool's form.
    """
    document = whole(read_document(data))
    findings = Findings()
    findings.faults += document.faults
    form = form or first_form(document)
    header = read_header(document.header, findings) if form == "multiturn" or document.header else {}
    conversations = _read_conversations(document, findings, form, replies)
    return Examined(
        name=header.get("name") or Path(name).stem or name,
        version=header.get("version", "1"),
        description=header.get("description") or _told(form, conversations),
        form=form,
        conversations=conversations,
        faults=_in_order(findings.faults),
        notes=_in_order(findings.notes),
    )


def _read_conversations(
    document: Document, findings: Findings, form: Form, replies: Replies
) -> tuple[Conversation, ...]:
    """The sound conversations; one whose id was there before is a fault, whether or not the first one is sound.

    Where ids were made of what is said, one that was there before is the same conversation again, and is left out.
    """
    first: dict[str, Entry] = {}
    sound: list[Conversation] = []
    for entry in document.entries:
        found = _read_entry(entry, findings, form, replies)
        if found.id is not None:
            earlier = first.setdefault(same_id(found.id), entry)
            if earlier is not entry:
                place = Place(findings, entry.line, entry.path)
                where = f"{earlier.path} at line {earlier.line}" if earlier.path else f"line {earlier.line}"
                if found.made:
                    place.note(f"is word for word the conversation of {where}, and is left out")
                else:
                    text = f"{shown(found.id)} is a duplicate of the id of {where}"
                    key = "question_id" if form == "fastchat" else "id"
                    place.at(key).fault(f"{text}; give each conversation an id of its own")
                continue
        if found.conversation is not None:
            sound.append(found.conversation)
    return tuple(sound)


def _read_entry(entry: Entry, findings: Findings, form: Form, replies: Replies) -> Found:
    """One entry, in the form that the file has."""
    raw, place = entry.value, Place(findings, entry.line, entry.path)
    if form == "multiturn":
        return Found(*read_conversation(entry, findings))
    if not isinstance(raw, Raw):
        place.fault(f"must be {FORMS[form]}, not {kind_of(raw)}")
        return Found()
    own = form_of(raw)
    if own not in (form, "multiturn"):
        place.fault(f"is {FORMS[own]}, and the file begins with {FORMS[form]}; give a file for each")
        return Found()
    if form == "fastchat":
        return read_question(raw, place, replies)
    if form == "mtbench101":
        return read_dialogue(raw, place, replies)
    return read_chat(raw, place, form, replies)


def _told(form: Form, conversations: Sequence[Conversation]) -> str:
    """What a file of another form was, since the suite does not show it any more."""
    if form == "multiturn":
        return ""
    goldens = sum(turn.golden is not None for one in conversations for turn in one.turns)
    return f"each conversation is {FORMS[form]}; replies kept as goldens: {goldens}"


def _in_order(faults: list[Fault]) -> tuple[Fault, ...]:
    """By line, else as found; what belongs to the whole file comes first."""
    return tuple(sorted(faults, key=lambda fault: fault.line or 0))


def _data_folder() -> Traversable:
    return importlib.resources.files("multiturn") / "data"


def _read_file(source: str | Path) -> bytes:
    path = Path(source)
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise _not_found(str(source), path) from None
    except IsADirectoryError:
        raise UsageError(
            f"{str(source)!r} is a directory, not a suite file", hint="name a .json or .jsonl file in it"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the name
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"{shown(str(source))} can't be read: {reason}", hint="check the file's name and rights"
        ) from None


def _not_found(source: str, path: Path) -> NotFound:
    """The error for a name that leads nowhere, with what is nearest to it."""
    shipped = (*shipped_suites(), *shipped_parts())
    try:
        beside = {item.name: str(item) for item in path.parent.iterdir() if item.is_file()}
    except OSError:
        beside = {}
    near = difflib.get_close_matches(path.name, [*shipped, *beside], n=1)
    hint = f"did you mean {beside.get(near[0], near[0])!r}? " if near else ""
    hint += f"Give a file, or a suite that comes with multiturn: {', '.join(shipped)}"
    return NotFound(f"no suite file and no shipped suite is called {source!r}", hint=hint)
